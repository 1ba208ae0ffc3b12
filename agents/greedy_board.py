"""Questions about a table that a player can answer by looking: the words of rule-based play.

Kernels, compiled once for all games: a game is a `View`, some ints. They read an observation,
`seen` (n,) uint8, and nothing else, so none can know more than a player sees.
"""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from solitaire_env.cards import NO_CARD, RANKS_PER_SUIT, UNKNOWN
from solitaire_env.engine import building
from solitaire_env.engine.building import PLACE, RANK, SUIT, TAKES
from solitaire_env.engine.lowered import SINGLE_CARDS, LoweredRules
from solitaire_env.engine.state import public_fields
from solitaire_env.evaluation import ByteArray, IntArray

kernel = njit(nogil=True, _nrt=False, forceinline=True)
"""Compiles what allocates nothing, and so need not count references to what it is given."""


def entry(function: Callable[..., None]) -> Any:
    """Compile what Python calls, and keep it on disk until a source that it is made of changes.

    Numba's own cache would notice an edit in the function's own file only.
    """
    dispatcher: Any = njit(cache=True, nogil=True, _nrt=False)(function)
    if hasattr(dispatcher, "_cache"):
        dispatcher._cache._cache_file._source_stamp = _digest_sources()
    return dispatcher


def _digest_sources() -> str:
    here, engine = Path(__file__).parent, Path(building.__file__).parent
    paths = (*sorted(here.glob("greedy_*.py")), engine / "building.py", engine.parent / "cards.py")
    return sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


FAR = 63
"""`need` of what is no card, or not seen."""

_SOON = 6
_SHARE = np.array([2.0**-need if need < _SOON else 0.0 for need in range(FAR + 1)])
"""Cards of its suit that must go up before a card -> how much it matters where the card lies."""


class View(NamedTuple):
    """A game as the kernels read it: where an observation holds what, and how actions count on.

    Where cards move singly, `singly`, a run is cards that are built on each other.
    """

    piles: int
    depth: int
    reserve: int
    suits: int
    decks: int
    ranks: int
    kings_leave: int
    build: int
    lift: int
    singly: int
    king_space: int
    max_group: int
    stock_cards: int
    tableau: int
    waste: int
    heights: int
    hidden: int
    cells: int
    foundations: int
    waste_height: int
    stock_height: int
    counters: int
    reserve_source: int
    foundation_source: int
    waste_to_foundation: int
    reserve_to_foundation: int
    group_to_space: int
    stock_action: int


class Table(NamedTuple):
    """A table as a player studies it, made by `study`.

    Attributes:
        game: the view of it.
        seen: (n,) uint8 observation.
        needs: (54,) int64 card -> cards of its suit that must go up before it; 0: it may go up
            now, `FAR`: no card, or not seen.
        runs: (piles,) int64 column -> cards that may move together off its top.
    """

    game: View
    seen: ByteArray
    needs: IntArray
    runs: IntArray


_PLACES = (
    "tableau",
    "waste",
    "heights",
    "hidden",
    "cells",
    "foundations",
    "waste_height",
    "stock_height",
    "counters",
)


def view_of(rules: LoweredRules) -> View:
    """Read a game off its rules and the fields of its observation."""
    fields = public_fields(rules)
    places = {name: field.slice.start for name, field in fields.items()}
    places["cells"] = places.get("reserve", 0)
    rest = {name: getattr(rules, name, 0) for name in View._fields}
    named = {name: places.get(name, 0) for name in _PLACES}
    singly = rules.lift == SINGLE_CARDS
    rest |= {"lift": rules.build if singly else rules.lift, "singly": int(singly)}
    return View(**{**rest, **named})


@kernel
def soon_share(needed: int) -> float:
    """Tell how much it matters where a card lies that needs so many others first."""
    return _SHARE[needed]


@kernel
def first_space(t: Table) -> int:
    """Find the leftmost empty column; -1 where there is none."""
    for column in range(t.game.piles):
        if t.seen[t.game.heights + column] == 0:
            return column
    return -1


@kernel
def card_at(t: Table, column: int, place: int) -> int:
    """Give a card of a column, counted from its bottom."""
    return np.int64(t.seen[t.game.tableau + column * t.game.depth + place])


@kernel
def hidden_in(t: Table, column: int) -> int:
    """Count the cards that lie face down in a column."""
    return np.int64(t.seen[t.game.hidden + column])


@kernel
def height_of(t: Table, column: int) -> int:
    """Count the cards of a column."""
    return np.int64(t.seen[t.game.heights + column])


@kernel
def top_of(t: Table, column: int) -> int:
    """Give the top card of a column, or no card."""
    height = height_of(t, column)
    return card_at(t, column, height - 1) if height > 0 else NO_CARD


@kernel
def waste_card(t: Table, below: int) -> int:
    """Give the waste's card with so many cards upon it, or no card."""
    if t.game.stock_cards == 0:
        return NO_CARD
    height = np.int64(t.seen[t.game.waste_height])
    return np.int64(t.seen[t.game.waste + height - 1 - below]) if height > below else NO_CARD


@kernel
def related(relation: int, card: int, below: int) -> bool:
    """Tell whether a card may lie on another as a relation of suits has it."""
    if card == NO_CARD:
        return False
    return (TAKES[relation, below] >> np.uint64(PLACE[card])) & np.uint64(1) != np.uint64(0)


@kernel
def fits(t: Table, card: int, below: int) -> bool:
    """Tell whether a card may lie on another in a column."""
    leaves = t.game.kings_leave != 0 and RANK[below] == t.game.ranks
    return related(t.game.build, card, below) and not leaves


@kernel
def run_on(t: Table, column: int, height: int) -> int:
    """Count the run on top of a column cut to a height."""
    if height <= 0:
        return 0
    hidden, first = hidden_in(t, column), height - 1
    while first > hidden:
        card, below = card_at(t, column, first), card_at(t, column, first - 1)
        if not (related(t.game.lift, card, below) and fits(t, card, below)):
            break
        first -= 1
    return height - first


@kernel
def lifted(t: Table, column: int, height: int) -> int:
    """Count the cards that may move together off a column cut to a height."""
    return min(height, 1) if t.game.singly else run_on(t, column, height)


@kernel
def study(view: View, seen: ByteArray, needs: IntArray, runs: IntArray) -> Table:
    """Look a table over; `needs` and `runs` are filled."""
    t = Table(view, seen, needs, runs)
    needs[:] = FAR
    for suit in range(view.suits):
        _study_suit(t, suit)
    for column in range(view.piles):
        runs[column] = lifted(t, column, height_of(t, column))
    return t


@kernel
def _study_suit(t: Table, suit: int) -> None:
    """Fill in the needs of a suit's cards: foundations are listed tallest first."""
    start = t.game.foundations + suit * t.game.decks
    for rank in range(1, t.game.ranks + 1):
        best = 0
        for pile in range(t.game.decks):
            height = np.int64(t.seen[start + pile])
            if height < rank:
                best = max(best, height)
        t.needs[suit * RANKS_PER_SUIT + rank] = rank - 1 - best


@kernel
def lowest_user(t: Table, card: int) -> int:
    """Give the lowest foundation of the suits that could be built on a card in a column."""
    rank, lowest = np.int64(RANK[card]), 99
    for suit in range(t.game.suits):
        child = suit * RANKS_PER_SUIT + rank - 1
        if rank > 1 and related(t.game.build, child, card):
            for pile in range(t.game.decks):
                lowest = min(
                    lowest, np.int64(t.seen[t.game.foundations + suit * t.game.decks + pile])
                )
    return lowest


@kernel
def wanted_soon(t: Table, column: int, height: int, upon: int) -> float:
    """Sum how soon the cards of a column cut to a height are wanted, less the more lies upon."""
    total = 0.0
    for place in range(hidden_in(t, column), height):
        need = t.needs[card_at(t, column, place)]
        total += _SHARE[need] / (height + upon - place)
    return total


@kernel
def count_blocked(t: Table, column: int, height: int, card: int) -> int:
    """Count the cards in a column cut to a height that must go up before a card."""
    count = 0
    for place in range(hidden_in(t, column), height):
        other = card_at(t, column, place)
        same = other != UNKNOWN and SUIT[other] == SUIT[card]
        count += same and RANK[other] < RANK[card]
    return count


@kernel
def takes_run(t: Table, below: int, column: int, full: bool) -> bool:
    """Tell whether a card would take a run, off another column, that fits nothing where it lies.

    With `full` only if that turns up a card or empties the column.
    """
    if below in (NO_CARD, UNKNOWN):
        return False
    for other in range(t.game.piles):
        height = height_of(t, other)
        if other == column or height == 0:
            continue
        ahead = np.int64(RANK[below]) - 1 - np.int64(RANK[top_of(t, other)])
        if 0 <= ahead < t.runs[other]:
            place, hidden = height - 1 - ahead, hidden_in(t, other)
            head = card_at(t, other, place)
            loose = place <= hidden or not fits(t, head, card_at(t, other, place - 1))
            if fits(t, head, below) and loose and (not full or place == hidden):
                return True
    return False


@kernel
def takes_cell(t: Table, below: int) -> bool:
    """Tell whether a card would take a reserve card."""
    for cell in range(t.game.reserve):
        if fits(t, np.int64(t.seen[t.game.cells + cell]), below):
            return True
    return False


@kernel
def has_parent(t: Table, card: int, source: int, target: int) -> bool:
    """Tell whether a card fits on a column other than these."""
    for column in range(t.game.piles):
        other = column != source and column != target
        if other and fits(t, card, top_of(t, column)):
            return True
    return False


@kernel
def count_spaces(t: Table) -> int:
    """Count the empty columns."""
    count = 0
    for column in range(t.game.piles):
        count += t.seen[t.game.heights + column] == 0
    return count


@kernel
def space_wanted(t: Table, source: int) -> bool:
    """Tell whether a King waits for a space, where nothing else may fill one."""
    if t.game.king_space == 0:
        return True
    if RANK[waste_card(t, 0)] == t.game.ranks:
        return True
    for column in range(t.game.piles):
        height = height_of(t, column)
        first = height - t.runs[column]
        if column != source and first > 0 and RANK[card_at(t, column, first)] == t.game.ranks:
            return True
    return False
