"""The end of a game, judged after a step: won, stuck, dead, or without progress for too long."""

from math import floor

import numpy as np

from solitaire_env.cards import NO_CARD
from solitaire_env.engine.building import RANK, RED, SUIT, builds_on, top_card
from solitaire_env.engine.compile import kernel, whole
from solitaire_env.engine.foundations import card_bit, goes_up
from solitaire_env.engine.legality import clear_mask
from solitaire_env.engine.lowered import LoweredRules
from solitaire_env.engine.moves import fills_space, leftmost_space
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
        clear_mask(rules, game)


@kernel
def time_bonus(seconds: float) -> int:
    """Give the points of a game won in so many seconds."""
    return int(floor(TIME_FOR_BONUS - seconds)) if seconds < TIME_FOR_BONUS else 0


@kernel
def is_dead(rules: LoweredRules, game: Game) -> bool:
    """Tell whether only draws and redeals are left and none can ever bring a card that goes anywhere.

    Looks at hidden stock cards: the one place where they show, in a game that can't go on.

    Source: rulings, "Dead".
    """
    if rules.stock_cards == 0 or game.legal != 1 or game.mask[rules.stock_action] == 0:
        return False
    return not (this_pass_helps(rules, game) or next_pass_helps(rules, game))


@kernel
def this_pass_helps(rules: LoweredRules, game: Game) -> bool:
    """Tell whether a draw of this pass will show a card that can be played."""
    stock = whole(game.stock_height)
    for drawn in range(1, stock + 1):
        shown = drawn % rules.draw == 0 or drawn == stock
        if shown and is_playable(rules, game, whole(game.hidden_stock[stock - drawn])):
            return True
    return False


@kernel
def next_pass_helps(rules: LoweredRules, game: Game) -> bool:
    """Tell whether a redeal is left and a draw of a whole pass will show a card that can be played."""
    if game.redeals_left == 0:
        return False
    waste, stock = whole(game.waste_height), whole(game.stock_height)
    for drawn in range(1, waste + stock + 1):
        shown = drawn % rules.draw == 0 or drawn == waste + stock
        if drawn <= waste:
            card = whole(game.waste[drawn - 1])
        else:
            card = whole(game.hidden_stock[waste + stock - drawn])
        if shown and is_playable(rules, game, card):
            return True
    return False


@kernel
def is_playable(rules: LoweredRules, game: Game, card: int) -> bool:
    """Tell whether a card on top of the waste would have a legal play."""
    if goes_up(game, card):
        return True
    if leftmost_space(rules, game) >= 0 and fills_space(rules, card):
        return True
    for pile in range(rules.piles):
        if builds_on(rules.build, card, top_card(game, pile)):
            return True
    return False
