"""Questions about a table that a player can answer by looking: the words of rule-based play.

Kernels, compiled once for all games: a game is some ints of a `Table`. They read an observation
and nothing else, so none can know more than a player sees.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from agents.memory import position_words
from solitaire_env.cards import NO_CARD, RANKS_PER_SUIT, UNKNOWN
from solitaire_env.engine.building import PLACE, RANK, SUIT, TAKES
from solitaire_env.engine.compile import kernel
from solitaire_env.engine.lowered import SINGLE_CARDS, LoweredRules
from solitaire_env.engine.state import observation_size, public_fields
from solitaire_env.evaluation import ByteArray
from solitaire_env.rulesheet import MAX_PILES

FAR = 63
"""`need` of what is no card, or not seen."""

_SOON = 6
_SHARE = np.array([2.0**-need if need < _SOON else 0.0 for need in range(FAR + 1)])
"""Cards of its suit that must go up before a card -> how much it matters where the card lies."""


_RULES = (
    "piles",
    "reserve",
    "suits",
    "decks",
    "ranks",
    "kings_leave",
    "build",
    "lift",
    "king_space",
    "max_group",
    "depth",
    "draw",
    "stock_cards",
    "reserve_source",
    "foundation_source",
    "waste_to_foundation",
    "reserve_to_foundation",
    "group_to_space",
    "stock_action",
)
_FIELDS = (
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
_ROOM = 2048

Table = Any
"""A table as a player studies it: a record of the type that `table_of` gives."""


def table_of(rules: LoweredRules, features: int) -> npt.NDArray[Any]:
    """Make room to study the tables of a game: one record.

    Its fields are the game's rules; where fields of an observation begin; `singly`, whether cards
    move singly (`lift` is then how they are built: a run is cards built on each other); and

    - `size`, `seen`: an observation, and how many bytes it has;
    - `words`: a random word for each of these bytes;
    - `needs`: card -> cards of its suit that must go up before it; 0: it may go up now, `FAR`: no
      card, or not seen;
    - `runs`: column -> cards that may move together off its top;
    - `weights`, `said`: of each feature the weight, and what it says of an action.
    """
    size = observation_size(rules)
    dtype = _table_dtype(max(size, _ROOM), features)
    table = np.zeros(1, dtype).view(np.recarray)
    starts = {name: field.slice.start for name, field in public_fields(rules).items()}
    starts["cells"] = starts.get("reserve", 0)
    for name in _FIELDS:
        table[name] = starts.get(name, 0)
    for name in _RULES:
        table[name] = getattr(rules, name)
    table.singly = rules.lift == SINGLE_CARDS
    table.lift = rules.build if rules.lift == SINGLE_CARDS else rules.lift
    table.size = size
    table.words = position_words(dtype["words"].shape[0])
    return table


def _table_dtype(room: int, features: int) -> np.dtype[Any]:
    numbers = [(name, "i8") for name in (*_RULES, *_FIELDS, "singly", "size")]
    arrays = [
        ("needs", "i8", (UNKNOWN + 1,)),
        ("runs", "i8", (MAX_PILES,)),
        ("weights", "f8", (features,)),
        ("said", "f8", (features,)),
        ("words", "u8", (room,)),
        ("seen", "u1", (room,)),
    ]
    return np.dtype((np.record, np.dtype([*numbers, *arrays], align=True)))


@kernel
def soon_share(needed: int) -> float:
    """Tell how much it matters where a card lies that needs so many others first."""
    return _SHARE[needed]


@kernel
def first_space(t: Table) -> int:
    """Find the leftmost empty column; -1 where there is none."""
    for column in range(t.piles):
        if t.seen[t.heights + column] == 0:
            return column
    return -1


@kernel
def card_at(t: Table, column: int, place: int) -> int:
    """Give a card of a column, counted from its bottom."""
    return np.int64(t.seen[t.tableau + column * t.depth + place])


@kernel
def hidden_in(t: Table, column: int) -> int:
    """Count the cards that lie face down in a column."""
    return np.int64(t.seen[t.hidden + column])


@kernel
def height_of(t: Table, column: int) -> int:
    """Count the cards of a column."""
    return np.int64(t.seen[t.heights + column])


@kernel
def top_of(t: Table, column: int) -> int:
    """Give the top card of a column, or no card."""
    height = height_of(t, column)
    return card_at(t, column, height - 1) if height > 0 else NO_CARD


@kernel
def waste_card(t: Table, below: int) -> int:
    """Give the waste's card with so many cards upon it, or no card."""
    if t.stock_cards == 0:
        return NO_CARD
    height = np.int64(t.seen[t.waste_height])
    return np.int64(t.seen[t.waste + height - 1 - below]) if height > below else NO_CARD


@kernel
def related(relation: int, card: int, below: int) -> bool:
    """Tell whether a card may lie on another as a relation of suits has it."""
    if card == NO_CARD:
        return False
    return (TAKES[relation, below] >> np.uint64(PLACE[card])) & np.uint64(1) != np.uint64(0)


@kernel
def fits(t: Table, card: int, below: int) -> bool:
    """Tell whether a card may lie on another in a column."""
    leaves = t.kings_leave != 0 and RANK[below] == t.ranks
    return related(t.build, card, below) and not leaves


@kernel
def run_on(t: Table, column: int, height: int) -> int:
    """Count the run on top of a column cut to a height."""
    if height <= 0:
        return 0
    hidden, first = hidden_in(t, column), height - 1
    while first > hidden:
        card, below = card_at(t, column, first), card_at(t, column, first - 1)
        if not (related(t.lift, card, below) and fits(t, card, below)):
            break
        first -= 1
    return height - first


@kernel
def lifted(t: Table, column: int, height: int) -> int:
    """Count the cards that may move together off a column cut to a height."""
    return min(height, 1) if t.singly else run_on(t, column, height)


@kernel
def study(t: Table, observation: ByteArray) -> None:
    """Look a table over: fill `seen`, `needs` and `runs`."""
    for place in range(t.size):
        t.seen[place] = observation[place]
    t.needs[:] = FAR
    for suit in range(t.suits):
        _study_suit(t, suit)
    for column in range(t.piles):
        t.runs[column] = lifted(t, column, height_of(t, column))


@kernel
def _study_suit(t: Table, suit: int) -> None:
    """Fill in the needs of a suit's cards: foundations are listed tallest first."""
    start = t.foundations + suit * t.decks
    for rank in range(1, t.ranks + 1):
        best = 0
        for pile in range(t.decks):
            height = np.int64(t.seen[start + pile])
            if height < rank:
                best = max(best, height)
        t.needs[suit * RANKS_PER_SUIT + rank] = rank - 1 - best


@kernel
def lowest_user(t: Table, card: int) -> int:
    """Give the lowest foundation of the suits that could be built on a card in a column."""
    rank, lowest = np.int64(RANK[card]), 99
    for suit in range(t.suits):
        child = suit * RANKS_PER_SUIT + rank - 1
        if rank > 1 and related(t.build, child, card):
            for pile in range(t.decks):
                lowest = min(lowest, np.int64(t.seen[t.foundations + suit * t.decks + pile]))
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
    for other in range(t.piles):
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
    for cell in range(t.reserve):  # noqa: SIM110 - numba knows no any()
        if fits(t, np.int64(t.seen[t.cells + cell]), below):
            return True
    return False


@kernel
def has_parent(t: Table, card: int, source: int, target: int) -> bool:
    """Tell whether a card fits on a column other than these."""
    for column in range(t.piles):
        other = column != source and column != target
        if other and fits(t, card, top_of(t, column)):
            return True
    return False


@kernel
def count_spaces(t: Table) -> int:
    """Count the empty columns."""
    count = 0
    for column in range(t.piles):
        count += t.seen[t.heights + column] == 0
    return count


@kernel
def space_wanted(t: Table, source: int) -> bool:
    """Tell whether a King waits for a space, where nothing else may fill one."""
    if t.king_space == 0:
        return True
    if RANK[waste_card(t, 0)] == t.ranks:
        return True
    for column in range(t.piles):
        height = height_of(t, column)
        first = height - t.runs[column]
        if column != source and first > 0 and RANK[card_at(t, column, first)] == t.ranks:
            return True
    return False
