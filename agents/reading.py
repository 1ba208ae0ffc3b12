"""What a network looks up of a table: the cards of each pile from its top, as rows of a big table.

A card of a pile gives up to three rows: which card it is, how it stands in the game, and how it
follows the card under it. Each has a place for every depth down to `DEPTH`, below which all cards
count alike.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.compiled import entry
from agents.layout import Layout
from solitaire_env.cards import NO_CARD, RANKS_PER_SUIT, SUITS, UNKNOWN, is_red
from solitaire_env.engine.building import RANK, SUIT
from solitaire_env.engine.compile import kernel
from solitaire_env.evaluation import ByteArray, IntArray

CARDS = UNKNOWN + 1
DEPTH = 16
NEEDS = RANKS_PER_SUIT + 1
"""Cards of its suit that must go up before a card: 0..12, or 13 if it never can."""

COPIES = 3
"""Copies of a card that lie open: 0, 1, or 2 and more."""

STEPS = 2 * RANKS_PER_SUIT - 1
"""By how much the rank of the card under it is higher: -12..12."""

KINSHIPS = 3
"""Of two suits: the same, of one colour, of two."""

STANDINGS = NEEDS * COPIES
PAIRS = STEPS * KINSHIPS
ROWS = DEPTH * (CARDS + STANDINGS + PAIRS)

_FIRST_STANDING = DEPTH * CARDS
_FIRST_PAIR = _FIRST_STANDING + DEPTH * STANDINGS
_ROWS_A_CARD = 3

_STACK, _CELL, _FOUNDATIONS = range(3)

_KIN = np.array(
    [
        [
            0 if one == other else 1 if is_red(13 * one + 1) == is_red(13 * other + 1) else 2
            for other in range(len(SUITS))
        ]
        for one in range(len(SUITS))
    ],
    np.int64,
)

SingleArray = npt.NDArray[np.float32]


class Plan(NamedTuple):
    """Where an observation holds what `read` looks for.

    Attributes:
        kinds: (P,) a stack of cards, a reserve cell or a suit's foundations.
        starts: (P,) first byte of each pile.
        heights: (P,) the byte that counts a stack's cards.
        foundations: first byte of the foundations' heights.
        suits: how many suits there are.
        decks: foundations of a suit.
    """

    kinds: IntArray
    starts: IntArray
    heights: IntArray
    foundations: int
    suits: int
    decks: int


def plan_of(layout: Layout) -> Plan:
    """Plan how the tables of a game are read."""
    suits, decks = layout.shapes["foundations"]
    kinds = [{"R": _CELL, "F": _FOUNDATIONS}.get(pile[0], _STACK) for pile in layout.piles]
    heights = [
        layout.height_byte(pile) if kind == _STACK else 0
        for pile, kind in zip(layout.piles, kinds, strict=True)
    ]
    parts = (kinds, [layout.start(pile) for pile in layout.piles], heights)
    foundations = layout.places["foundations"][0]
    return Plan(*map(np.array, parts), foundations, suits, decks)


def read(observations: ByteArray, plan: Plan) -> tuple[IntArray, IntArray, SingleArray]:
    """Look tables over.

    Args:
        observations: (B, n) uint8.
        plan: of the game.

    Returns:
        (M,) rows, those of a game's first pile first; (B * P,) where each pile's begin; and
        (B, CARDS) float32 the open copies of each card, a deck's worth is 1.
    """
    games, piles = len(observations), len(plan.starts)
    rows = np.empty(_ROWS_A_CARD * observations.size, np.int64)
    begins = np.empty(games * piles + 1, np.int64)
    copies = np.zeros((games, CARDS), np.float32)
    _read(
        np.ascontiguousarray(observations), *plan, rows, begins, copies, np.zeros(CARDS, np.int64)
    )
    return rows[: begins[-1]], begins[:-1], copies / plan.decks


@entry
def _read(
    observations: ByteArray,
    kinds: IntArray,
    starts: IntArray,
    heights: IntArray,
    foundations: int,
    suits: int,
    decks: int,
    rows: IntArray,
    begins: IntArray,
    copies: SingleArray,
    standing: IntArray,
) -> None:
    """Write rows, where each pile's begin (and the last end), and the open copies of each card.

    `standing` (CARDS,) is scratch space.
    """
    end = 0
    for game in range(len(observations)):
        seen, open_copies = observations[game], copies[game]
        for pile in range(len(kinds)):
            if kinds[pile] != _FOUNDATIONS:
                height = _height(seen, kinds, starts, heights, pile)
                _count_copies(seen, starts[pile], height, open_copies)
        _stand(seen[foundations:], suits, decks, open_copies, standing)
        for pile in range(len(kinds)):
            begins[game * len(kinds) + pile] = end
            if kinds[pile] == _FOUNDATIONS:
                end = _read_foundations(seen, starts[pile], foundations, decks, standing, rows, end)
            else:
                height = _height(seen, kinds, starts, heights, pile)
                end = _read_stack(seen, starts[pile], height, standing, rows, end)
    begins[len(begins) - 1] = end


@kernel
def _height(
    seen: ByteArray, kinds: IntArray, starts: IntArray, heights: IntArray, pile: int
) -> int:
    """Count the cards of a stack or a cell."""
    if kinds[pile] == _CELL:
        return 1 if seen[starts[pile]] != NO_CARD else 0
    return np.int64(seen[heights[pile]])


@kernel
def _count_copies(seen: ByteArray, start: int, height: int, copies: SingleArray) -> None:
    """Count the cards of a pile that are not face down."""
    for place in range(start, start + height):
        if seen[place] != UNKNOWN:
            copies[seen[place]] += 1


@kernel
def _stand(
    heights: ByteArray, suits: int, decks: int, copies: SingleArray, standing: IntArray
) -> None:
    """Say of each card how it stands: what it needs and its open copies, as one number."""
    for suit in range(suits):
        for rank in range(1, RANKS_PER_SUIT + 1):
            need = RANKS_PER_SUIT
            for deck in range(decks):
                height = np.int64(heights[suit * decks + deck])
                if height < rank:
                    need = min(need, rank - 1 - height)
            card = suit * RANKS_PER_SUIT + rank
            standing[card] = need * COPIES + min(np.int64(copies[card]), COPIES - 1)


@kernel
def _read_stack(
    seen: ByteArray, start: int, height: int, standing: IntArray, rows: IntArray, end: int
) -> int:
    """Append the rows of a stack of cards, from its top; return where they end."""
    for depth in range(height):
        place = start + height - 1 - depth
        card = np.int64(seen[place])
        below = np.int64(seen[place - 1]) if depth + 1 < height else NO_CARD
        end = _read_card(min(depth, DEPTH - 1), card, below, standing, rows, end)
    return end


@kernel
def _read_card(
    depth: int, card: int, below: int, standing: IntArray, rows: IntArray, end: int
) -> int:
    """Append the rows of a card; return where they end."""
    rows[end] = depth * CARDS + card
    if card == UNKNOWN:
        return end + 1
    rows[end + 1] = _FIRST_STANDING + depth * STANDINGS + standing[card]
    if below in (NO_CARD, UNKNOWN):
        return end + 2
    step = np.int64(RANK[below]) - np.int64(RANK[card]) + RANKS_PER_SUIT - 1
    kinship = _KIN[SUIT[below], SUIT[card]]
    rows[end + 2] = _FIRST_PAIR + depth * PAIRS + step * KINSHIPS + kinship
    return end + 3


@kernel
def _read_foundations(
    seen: ByteArray,
    start: int,
    foundations: int,
    decks: int,
    standing: IntArray,
    rows: IntArray,
    end: int,
) -> int:
    """Append the rows of the top cards of a suit's foundations, the tallest first."""
    suit = (start - foundations) // decks
    for deck in range(decks):
        height = np.int64(seen[start + deck])
        if height > 0:
            card = suit * RANKS_PER_SUIT + height
            end = _read_card(min(deck, DEPTH - 1), card, NO_CARD, standing, rows, end)
    return end


@entry
def add_rows(rows: IntArray, begins: IntArray, values: SingleArray, out: SingleArray) -> None:
    """Add each pile's values (B * P, width) to all its rows of `out` (ROWS, width)."""
    for pile in range(len(begins)):
        last = begins[pile + 1] if pile + 1 < len(begins) else len(rows)
        for index in range(begins[pile], last):
            row = rows[index]
            for column in range(values.shape[1]):
                out[row, column] += values[pile, column]


def standing_facts() -> SingleArray:
    """Put standings into numbers: share of its suit needed, is next, copies: (STANDINGS, 3)."""
    need, copies = np.divmod(np.arange(STANDINGS), COPIES)
    facts = (need / RANKS_PER_SUIT, need == 0, copies / (COPIES - 1))
    return np.stack(facts, axis=1).astype(np.float32)


def card_traits() -> SingleArray:
    """Put each card into its rank and suit, one number each that is 1: (CARDS, ranks + suits)."""
    traits = np.zeros((CARDS, RANKS_PER_SUIT + len(SUITS)), np.float32)
    for card in range(1, UNKNOWN):
        traits[card, RANK[card] - 1] = traits[card, RANKS_PER_SUIT + SUIT[card]] = 1
    return traits
