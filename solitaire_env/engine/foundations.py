"""The foundations: heights a suit, tallest first, and the same as a set of 64 bits."""

import numpy as np

from solitaire_env.cards import NO_CARD, RANKS_PER_SUIT
from solitaire_env.engine.building import CLASS, RANK, SUIT, build_key
from solitaire_env.engine.compile import kernel, whole
from solitaire_env.engine.lowered import LoweredRules
from solitaire_env.engine.state import Game

_ONE = np.uint64(1)


@kernel
def place_bit(suit: int, rank: int) -> np.uint64:
    """Give the bit of a suit and rank in a set of places; rank 0 is an empty foundation."""
    return _ONE << np.uint64(suit * CLASS + rank)


@kernel
def wanted(game: Game) -> np.uint64:
    """Give the set of places of the cards that are next on a foundation of their suit.

    Source: every rule text, "Foundations"; rulings, "Copies of a card".
    """
    return game.foundation_places << _ONE


@kernel
def put_up(rules: LoweredRules, game: Game, card: int) -> None:
    """Put a card on the first foundation of its suit that is one lower."""
    suit, rank = whole(SUIT[card]), whole(RANK[card])
    heights = game.foundations[suit]
    pile = 0
    while whole(heights[pile]) != rank - 1:
        pile += 1
    heights[pile] = rank
    game.foundation_cards += 1
    note_foundation(rules, game, suit, pile)


@kernel
def take_down(rules: LoweredRules, game: Game, suit: int, rank: int) -> int:
    """Take the card of this rank off the last foundation of its suit that it tops; return it."""
    heights = game.foundations[suit]
    pile = rules.decks - 1
    while whole(heights[pile]) != rank:
        pile -= 1
    heights[pile] = rank - 1
    game.foundation_cards -= 1
    note_foundation(rules, game, suit, pile)
    return suit * RANKS_PER_SUIT + rank


@kernel
def note_foundation(rules: LoweredRules, game: Game, suit: int, pile: int) -> None:
    """Bring what is kept of the foundations up to date after one has changed."""
    note_places(rules, game)
    if rules.take_back:
        rank = whole(game.foundations[suit, pile])
        card = suit * RANKS_PER_SUIT + rank if rank > rules.aces_dealt else NO_CARD
        source = rules.foundation_source + suit * rules.decks + pile
        game.keys[source] = build_key(rules, card)
        game.runs[source] = min(card, 1)
        game.fills[source] = rank == rules.ranks


@kernel
def note_foundations(rules: LoweredRules, game: Game) -> None:
    """Bring what is kept of all foundations up to date."""
    note_places(rules, game)
    for suit in range(rules.suits):
        for pile in range(rules.decks):
            note_foundation(rules, game, suit, pile)


@kernel
def note_places(rules: LoweredRules, game: Game) -> None:
    """Bring the set of places up to date."""
    places = np.uint64(0)
    for suit in range(rules.suits):
        for pile in range(rules.decks):
            places |= place_bit(suit, whole(game.foundations[suit, pile]))
    game.foundation_places = places
