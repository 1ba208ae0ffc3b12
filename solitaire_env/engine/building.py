"""Which card may lie on which: keys, so that one subtraction answers for a whole run.

A card's key is its rank, plus 16 times the class of cards that it builds with: its suit where
suits must match, the parity of colour and rank where colours alternate, nothing where any suit
will do. A group of n cards with top key k fits on key t exactly when t - k == n, because classes
are further apart than a run can be long.
"""

import numpy as np

from solitaire_env.cards import NO_CARD, RANKS_PER_SUIT, RED_SUITS, SUITS, rank_of, suit_of
from solitaire_env.engine.compile import kernel, whole
from solitaire_env.engine.lowered import SINGLE_CARDS, LoweredRules
from solitaire_env.engine.state import Game
from solitaire_env.rulesheet import Suits

CLASS = 16
"""Distance between the keys of neighbouring classes; more than any run is long."""

BYTE = 255
ANY, SAME = int(Suits.ANY), int(Suits.SAME)
_CARDS = [0, *range(1, len(SUITS) * RANKS_PER_SUIT + 1), 0]
RANK = np.array([rank_of(card) if card else 0 for card in _CARDS], np.uint8)
SUIT = np.array([suit_of(card) if card else 0 for card in _CARDS], np.uint8)
RED = np.array([suit in RED_SUITS for suit in SUITS], np.uint8)


@kernel
def key_of(relation: int, card: int) -> int:
    """Give a card's key under a relation of suits; 0 for no card."""
    if card == NO_CARD:
        return 0
    rank, suit = whole(RANK[card]), whole(SUIT[card])
    if relation == ANY:
        return rank
    if relation == SAME:
        return rank + CLASS * suit
    return rank + CLASS * ((whole(RED[suit]) ^ rank) & 1)


@kernel
def fits(group_key: int, cards: int, target_key: int) -> bool:
    """Tell whether a group of at most `cards` cards, or part of it, goes on a column's top."""
    return (target_key - group_key - 1) & BYTE < cards


@kernel
def group_size(group_key: int, target_key: int) -> int:
    """Count the cards of a run that go on a column's top, once `fits` has said that they do."""
    return target_key - group_key


@kernel
def builds_on(relation: int, card: int, below: int) -> bool:
    """Tell whether a card may lie on another under a relation of suits."""
    return fits(key_of(relation, card), 1, key_of(relation, below))


@kernel
def run_length(rules: LoweredRules, game: Game, pile: int) -> int:
    """Count the cards on top of a column that may be lifted together.

    Returns:
        0 for an empty column, 1 where cards move singly, else the length of the face-up run.

    Source: Arabella, "Moving Sequences"; Pantagruel, 2.1, Law 2; San Juan Hill, "No Sequence Moves".
    """
    height, column = whole(game.heights[pile]), game.tableau[pile]
    if rules.lift == SINGLE_CARDS or height == 0:
        return min(height, 1)
    face_up = height - whole(game.hidden[pile])
    length = 1
    while length < face_up and extends_run(
        rules, whole(column[height - length]), whole(column[height - length - 1])
    ):
        length += 1
    return length


@kernel
def extends_run(rules: LoweredRules, card: int, below: int) -> bool:
    """Tell whether the card below joins a run; a King that leaves by itself heads no group.

    Source: Big Bertha, "Kings"; rulings, "Kings leave by themselves".
    """
    barred = rules.kings_leave and whole(RANK[below]) == rules.ranks
    return builds_on(rules.lift, card, below) and not barred


@kernel
def top_card(game: Game, pile: int) -> int:
    """Give the top card of a column, or no card."""
    height = whole(game.heights[pile])
    return whole(game.tableau[pile, height - 1]) if height > 0 else NO_CARD


@kernel
def waste_card(rules: LoweredRules, game: Game) -> int:
    """Give the top card of the waste, or no card."""
    if rules.stock_cards == 0:
        return NO_CARD
    height = whole(game.waste_height)
    return whole(game.waste[height - 1]) if height > 0 else NO_CARD


@kernel
def note_top(rules: LoweredRules, game: Game, pile: int) -> None:
    """Bring a column's key and run up to date after it has changed."""
    game.keys[pile] = key_of(rules.build, top_card(game, pile))
    game.runs[pile] = run_length(rules, game, pile)
