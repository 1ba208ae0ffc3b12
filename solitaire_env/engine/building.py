"""Which card may lie on which: keys, so that one subtraction answers for a whole run.

A card's key is its rank, plus 16 times the class of cards that it builds with: its suit where
suits must match, the parity of colour and rank where colours alternate, nothing where any suit
will do. A group of n cards with top key k fits on key t exactly when t - k == n, because classes
are further apart than a run can be long.
"""

import numpy as np

from solitaire_env.cards import NO_CARD, UNKNOWN, is_red, rank_of, suit_of
from solitaire_env.engine.compile import kernel, whole
from solitaire_env.engine.lowered import SINGLE_CARDS, LoweredRules
from solitaire_env.engine.state import Game
from solitaire_env.rulesheet import Suits

CLASS = 16
"""Distance between the keys of neighbouring classes, and between the places of suits."""

_KNOWN = range(1, UNKNOWN)


def _key(relation: Suits, card: int) -> int:
    rank = rank_of(card)
    classes = {
        Suits.ANY: 0,
        Suits.SAME: suit_of(card),
        Suits.ALTERNATE_COLOR: (is_red(card) + rank) % 2,
    }
    return rank + CLASS * classes[relation]


def _place(card: int) -> int:
    return CLASS * suit_of(card) + rank_of(card)


def _takes(relation: Suits, below: int) -> int:
    return sum(1 << _place(card) for card in _KNOWN if relation.builds(card, below))


RANK = np.array([0, *map(rank_of, _KNOWN), 0], np.uint8)
"""Card -> rank; 0 for no card."""

SUIT = np.array([0, *map(suit_of, _KNOWN), 0], np.uint8)
"""Card -> suit."""

PLACE = np.array([0, *map(_place, _KNOWN), 0], np.uint8)
"""Card -> its bit in a set of 64 places: 16 times the suit, plus the rank; 0 for no card."""

KEY = np.array([[0, *(_key(r, card) for card in _KNOWN), 0] for r in Suits], np.uint8)
"""Relation, card -> key; 0 for no card."""

TAKES = np.array([[0, *(_takes(r, card) for card in _KNOWN), 0] for r in Suits], np.uint64)
"""Relation, card -> set of the places of cards that may lie on it; none on no card."""


@kernel
def build_key(rules: LoweredRules, card: int) -> int:
    """Give a card's key for building on columns; 0 for no card."""
    return whole(KEY[rules.build, card])


@kernel
def builds_on(relation: int, card: int, below: int) -> bool:
    """Tell whether a card may lie on another under a relation of suits."""
    return contains(TAKES[relation, below], whole(PLACE[card]))


@kernel
def contains(places: np.uint64, place: int) -> bool:
    """Tell whether a set of places holds a place."""
    return (places >> np.uint64(place)) & np.uint64(1) != np.uint64(0)


@kernel
def run_length(rules: LoweredRules, game: Game, pile: int) -> int:
    """Count the cards on top of a column that may be lifted together.

    Returns:
        0 for an empty column, 1 where cards move singly, else the length of the face-up run.

    Source: Arabella, "Moving Sequences"; Pantagruel, 2.1, Law 2; San Juan Hill, "Card Movement".
    """
    height, hidden = whole(game.heights[pile]), whole(game.hidden[pile])
    if rules.lift == SINGLE_CARDS or height == 0:
        return min(height, 1)
    first = height - 1
    card = whole(game.tableau[pile, first])
    while first > hidden:
        below = whole(game.tableau[pile, first - 1])
        if not extends_run(rules, card, below):
            break
        card, first = below, first - 1
    return height - first


@kernel
def joined_run(rules: LoweredRules, game: Game, pile: int, card: int, count: int) -> int:
    """Count the run on top of a column once a run of `count` cards, headed by `card`, joins it."""
    if rules.lift == SINGLE_CARDS:
        return 1
    joins = extends_run(rules, card, top_card(game, pile))
    return count + whole(game.runs[pile]) if joins else count


@kernel
def extends_run(rules: LoweredRules, card: int, below: int) -> bool:
    """Tell whether the card below joins a run; a King that leaves by itself heads no group.

    Source: Big Bertha, "Kings"; rulings, "Kings leave by themselves".
    """
    return builds_on(rules.lift, card, below) and not is_leaving_king(rules, below)


@kernel
def is_leaving_king(rules: LoweredRules, card: int) -> bool:
    """Tell whether a card is a King in a game whose Kings leave."""
    return rules.kings_leave != 0 and card != NO_CARD and whole(RANK[card]) == rules.ranks


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
def king_group(rules: LoweredRules, game: Game, pile: int) -> int:
    """Count the cards from a column's top to where a King would head them."""
    return rules.ranks + 1 - whole(RANK[top_card(game, pile)])


@kernel
def fills_space(rules: LoweredRules, card: int) -> bool:
    """Tell whether a single card may go into an empty column."""
    return rules.king_space == 0 or whole(RANK[card]) == rules.ranks


@kernel
def run_fills_space(rules: LoweredRules, game: Game, pile: int) -> bool:
    """Tell whether some of a column's run, but not the whole column, may go into a space.

    Source: Pantagruel, 2.1, Law 3; Arabella, "Filling Empty Tableau Spaces".
    """
    count = king_group(rules, game, pile) if rules.king_space else 1
    return count <= whole(game.runs[pile]) and count < whole(game.heights[pile])


@kernel
def note_source(rules: LoweredRules, game: Game, source: int, card: int, run: int) -> None:
    """Keep what the mask asks of a source: its available card, and the length of its run."""
    game.keys[source] = build_key(rules, card)
    game.tops[source] = PLACE[card]
    game.runs[source] = run


@kernel
def note_top(rules: LoweredRules, game: Game, pile: int, run: int) -> None:
    """Bring what is kept of a column's top up to date after it has changed, with its new run."""
    note_source(rules, game, pile, top_card(game, pile), run)
    if rules.choose_group == 0:
        game.fills[pile] = run_fills_space(rules, game, pile)


@kernel
def note_single(rules: LoweredRules, game: Game, source: int, card: int) -> None:
    """Bring what is kept of the waste or a reserve cell up to date."""
    note_source(rules, game, source, card, min(card, 1))
    game.fills[source] = card != NO_CARD and fills_space(rules, card)


@kernel
def note_waste(rules: LoweredRules, game: Game) -> None:
    """Bring what is kept of the waste's top up to date after it has changed."""
    if rules.stock_cards > 0:
        note_single(rules, game, rules.waste_source, waste_card(rules, game))


@kernel
def note_cell(rules: LoweredRules, game: Game, cell: int) -> None:
    """Bring what is kept of a reserve cell up to date after it has changed."""
    note_single(rules, game, rules.reserve_source + cell, whole(game.reserve[cell]))


@kernel
def note_sources(rules: LoweredRules, game: Game) -> None:
    """Bring what is kept of every source up to date."""
    for pile in range(rules.piles):
        note_top(rules, game, pile, run_length(rules, game, pile))
    note_waste(rules, game)
    for cell in range(rules.reserve):
        note_cell(rules, game, cell)
