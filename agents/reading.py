"""What a network looks up of a table: the cards of each pile from its top, as rows of a big table.

A card of a pile gives up to four rows: which card it is, how it stands in the game, which cards
next to it in rank lie on top of other piles, and how it follows the card under it. Each has a place
for every depth down to `DEPTH`, below which all cards count alike.
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
NEIGHBOURS = 2 ** (2 * KINSHIPS)
"""A bit a kinship: one rank higher on top of another column; one rank lower on top of any pile."""

PAIRS = STEPS * KINSHIPS
CODES = NEIGHBOURS + PAIRS
ROWS = DEPTH * (CARDS + STANDINGS + CODES)

_FIRST_STANDING = DEPTH * CARDS
_FIRST_NEIGHBOUR = _FIRST_STANDING + DEPTH * STANDINGS
_FIRST_PAIR = _FIRST_NEIGHBOUR + DEPTH * NEIGHBOURS
_ROWS_A_CARD = 4

_COLUMN, _STOCK, _WASTE, _CELL, _FOUNDATIONS = range(5)
_KINDS = {"T": _COLUMN, "s": _STOCK, "W": _WASTE, "R": _CELL, "F": _FOUNDATIONS}
"""By the first letter of a pile's name."""

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
        kinds: (P,) a column, stock, waste, a reserve cell or a suit's foundations.
        starts: (P,) first byte of each pile.
        heights: (P,) the byte that counts its cards, unless it is a cell or foundations.
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
    kinds = [_KINDS[pile[0]] for pile in layout.piles]
    heights = [
        layout.height_byte(pile) if kind < _CELL else 0
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
        (B, 2, CARDS) float32, of each card the copies that lie open, and those on top of a column,
        the waste or a cell: all of a suit's decks are 1.
    """
    games, piles = len(observations), len(plan.starts)
    rows = np.empty(_ROWS_A_CARD * observations.size, np.int64)
    begins = np.empty(games * piles + 1, np.int64)
    counts = np.zeros((games, 2, CARDS), np.float32)
    scratch = np.zeros((2 + 2 * KINSHIPS, CARDS), np.int64)
    _read(np.ascontiguousarray(observations), *plan, rows, begins, counts, scratch)
    return rows[: begins[-1]], begins[:-1], counts / plan.decks


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
    counts: SingleArray,
    scratch: IntArray,
) -> None:
    """Write rows, where each pile's begin (and the last end), and the counts of cards."""
    end, (standing, near, offers) = 0, (scratch[0], scratch[1], scratch[2:])
    for game in range(len(observations)):
        seen, copies, available = observations[game], counts[game, 0], counts[game, 1]
        scratch[1:] = 0
        for pile in range(len(kinds)):
            if kinds[pile] != _FOUNDATIONS:
                height = _height(seen, kinds, starts, heights, pile)
                cards = seen[starts[pile] : starts[pile] + height]
                _count(cards, kinds[pile], copies, available)
                _offer(cards, kinds[pile], 1, offers, near)
        _stand(seen[foundations:], suits, decks, copies, standing)
        for pile in range(len(kinds)):
            begins[game * len(kinds) + pile] = end
            if kinds[pile] == _FOUNDATIONS:
                suit = (starts[pile] - foundations) // decks
                stacks = seen[starts[pile] : starts[pile] + decks]
                end = _read_foundations(stacks, suit, standing, near, rows, end)
            else:
                height = _height(seen, kinds, starts, heights, pile)
                cards = seen[starts[pile] : starts[pile] + height]
                _offer(cards, kinds[pile], -1, offers, near)  # no card joins its own pile
                end = _read_stack(cards, standing, near, rows, end)
                _offer(cards, kinds[pile], 1, offers, near)
    begins[len(begins) - 1] = end


@kernel
def _height(
    seen: ByteArray, kinds: IntArray, starts: IntArray, heights: IntArray, pile: int
) -> int:
    """Count the cards of a pile that is no foundation."""
    if kinds[pile] == _CELL:
        return 1 if seen[starts[pile]] != NO_CARD else 0
    return np.int64(seen[heights[pile]])


@kernel
def _count(cards: ByteArray, kind: int, copies: SingleArray, available: SingleArray) -> None:
    """Count the open cards of a pile, and the one on its top."""
    for card in cards:
        if card != UNKNOWN:
            copies[card] += 1
    if len(cards) > 0 and kind != _STOCK:
        available[cards[len(cards) - 1]] += 1


@kernel
def _offer(cards: ByteArray, kind: int, change: int, offers: IntArray, near: IntArray) -> None:
    """Tell the cards next in rank to a pile's top that it lies there (1), or no more (-1)."""
    top = np.int64(cards[len(cards) - 1]) if len(cards) > 0 and kind != _STOCK else UNKNOWN
    if top == UNKNOWN:
        return
    for suit in range(len(SUITS)):
        kinship = _KIN[suit, SUIT[top]]
        card = suit * RANKS_PER_SUIT + np.int64(RANK[top])
        if RANK[top] > 1 and kind == _COLUMN:
            _mark(card - 1, kinship, change, offers, near)
        if RANK[top] < RANKS_PER_SUIT:
            _mark(card + 1, KINSHIPS + kinship, change, offers, near)


@kernel
def _mark(card: int, bit: int, change: int, offers: IntArray, near: IntArray) -> None:
    """Count an offer to a card, and set the bit while there is one."""
    offers[bit, card] += change
    near[card] = near[card] & ~(1 << bit) | (np.int64(offers[bit, card] > 0) << bit)


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
    cards: ByteArray, standing: IntArray, near: IntArray, rows: IntArray, end: int
) -> int:
    """Append the rows of a pile, from its top."""
    height = len(cards)
    for depth in range(height):
        card = np.int64(cards[height - 1 - depth])
        level = min(depth, DEPTH - 1)
        end = _read_card(level, card, standing, near, rows, end)
        if depth + 1 < height:
            end = _read_pair(level, card, np.int64(cards[height - 2 - depth]), rows, end)
    return end


@kernel
def _read_card(
    level: int, card: int, standing: IntArray, near: IntArray, rows: IntArray, end: int
) -> int:
    """Append the rows of a card; return where they end."""
    rows[end] = level * CARDS + card
    if card == UNKNOWN:
        return end + 1
    rows[end + 1] = _FIRST_STANDING + level * STANDINGS + standing[card]
    rows[end + 2] = _FIRST_NEIGHBOUR + level * NEIGHBOURS + near[card]
    return end + 3


@kernel
def _read_pair(level: int, card: int, below: int, rows: IntArray, end: int) -> int:
    """Append how a card follows the one under it, if both are seen; return where rows end."""
    if card == UNKNOWN or below == UNKNOWN:
        return end
    step = np.int64(RANK[below]) - np.int64(RANK[card]) + RANKS_PER_SUIT - 1
    kinship = _KIN[SUIT[below], SUIT[card]]
    rows[end] = _FIRST_PAIR + level * PAIRS + step * KINSHIPS + kinship
    return end + 1


@kernel
def _read_foundations(
    stacks: ByteArray, suit: int, standing: IntArray, near: IntArray, rows: IntArray, end: int
) -> int:
    """Append the rows of the top cards of a suit's foundations, the tallest first."""
    for deck in range(len(stacks)):
        height = np.int64(stacks[deck])
        if height > 0:
            card, level = suit * RANKS_PER_SUIT + height, min(deck, DEPTH - 1)
            end = _read_card(level, card, standing, near, rows, end)
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
