"""The end of a game, judged after a step: won, stuck, dead, or without progress for too long."""

from math import floor

import numpy as np

from solitaire_env.cards import RANKS_PER_SUIT
from solitaire_env.engine.building import PLACE, TAKES, contains, fills_space, top_card
from solitaire_env.engine.compile import kernel, whole
from solitaire_env.engine.foundations import place_bit, wanted
from solitaire_env.engine.legality import clear_mask, is_legal
from solitaire_env.engine.lowered import LoweredRules
from solitaire_env.engine.moves import leftmost_space
from solitaire_env.engine.state import Game, Outcome

TIME_FOR_BONUS = 600.0
"""Seconds within which a win earns a bonus (Pantagruel, 2.7)."""

_WON, _STUCK, _DEAD = int(Outcome.WON), int(Outcome.STUCK), int(Outcome.DEAD)
_NO_PROGRESS = int(Outcome.NO_PROGRESS)


@kernel
def judge(rules: LoweredRules, game: Game, seconds_per_move: float, no_progress_limit: int) -> None:
    """Set `game.outcome`, and leave no action legal if the game is over.

    Source: rulings, "The end".
    """
    if game.foundation_cards == rules.cards:
        game.outcome = _WON
        game.score += time_bonus(seconds_per_move * game.moves)
    elif game.legal == 0:
        game.outcome = _STUCK
    elif is_dead(rules, game):
        game.outcome = _DEAD
    elif game.idle >= no_progress_limit:
        game.outcome = _NO_PROGRESS
    if game.outcome != 0:
        clear_mask(game)


@kernel
def time_bonus(seconds: float) -> int:
    """Give the points of a game won in so many seconds."""
    return floor(TIME_FOR_BONUS - seconds) if seconds < TIME_FOR_BONUS else 0


@kernel
def is_dead(rules: LoweredRules, game: Game) -> bool:
    """Tell whether only draws and redeals are left, and none can bring a card that goes anywhere.

    Looks at hidden stock cards: the one place where they show, in a game that can't go on.

    Source: rulings, "Dead".
    """
    if rules.stock_cards == 0 or game.legal != 1 or not is_legal(game, rules.stock_action):
        return False
    places = playable(rules, game)
    return not (this_pass_helps(rules, game, places) or next_pass_helps(rules, game, places))


@kernel
def playable(rules: LoweredRules, game: Game) -> np.uint64:
    """Give the set of places of the cards that, on top of the waste, would be played or leave."""
    places = wanted(game)
    for pile in range(rules.piles):
        places |= TAKES[rules.build, top_card(game, pile)]
    for suit in range(rules.suits):
        if rules.kings_leave:
            places |= place_bit(suit, rules.ranks)
        if leftmost_space(rules, game) >= 0:
            places |= fill_space_places(rules, suit)
    return places


@kernel
def fill_space_places(rules: LoweredRules, suit: int) -> np.uint64:
    """Give the set of places of a suit's cards that may go into an empty column."""
    places = np.uint64(0)
    for rank in range(1, rules.ranks + 1):
        if fills_space(rules, suit * RANKS_PER_SUIT + rank):
            places |= place_bit(suit, rank)
    return places


@kernel
def this_pass_helps(rules: LoweredRules, game: Game, places: np.uint64) -> bool:
    """Tell whether a draw of this pass will show a card of these places."""
    stock = whole(game.stock_height)
    for drawn in range(1, stock + 1):
        shown = drawn % rules.draw == 0 or drawn == stock
        if shown and contains(places, whole(PLACE[game.hidden_stock[stock - drawn]])):
            return True
    return False


@kernel
def next_pass_helps(rules: LoweredRules, game: Game, places: np.uint64) -> bool:
    """Tell whether a redeal is left and a draw of a whole pass will show a card of these places."""
    if game.redeals_left == 0:
        return False
    waste, stock = whole(game.waste_height), whole(game.stock_height)
    for drawn in range(1, waste + stock + 1):
        shown = drawn % rules.draw == 0 or drawn == waste + stock
        if drawn <= waste:
            card = whole(game.waste[drawn - 1])
        else:
            card = whole(game.hidden_stock[waste + stock - drawn])
        if shown and contains(places, whole(PLACE[card])):
            return True
    return False
