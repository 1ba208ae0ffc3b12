"""Features of a legal action: what a careful player sees it do."""

from enum import IntEnum, auto

import numpy as np

from agents.greedy_board import (
    Table,
    card_at,
    count_blocked,
    count_spaces,
    first_space,
    fits,
    has_parent,
    height_of,
    hidden_in,
    lifted,
    lowest_user,
    related,
    run_on,
    soon_share,
    space_wanted,
    takes_cell,
    takes_run,
    top_of,
    wanted_soon,
    waste_card,
)
from solitaire_env.cards import NO_CARD, RANKS_PER_SUIT
from solitaire_env.engine.building import RANK, SUIT
from solitaire_env.engine.compile import kernel


class Feature(IntEnum):
    """What is said of an action. A column's cards lie on each other; a parent is the card below.

    Kernels index by `.value`: the lowest numba takes no member of an enum for an index.
    """

    COLUMN_UP = 0  # a column's card goes to the foundations
    WASTE_UP = auto()  # the waste's card does
    CELL_UP = auto()  # a reserve card does
    COLUMN_MOVES = auto()  # a column's cards go onto another column
    COLUMN_TO_SPACE = auto()  # they go into an empty column
    WASTE_DOWN = auto()  # the waste's card goes onto a column
    WASTE_TO_SPACE = auto()
    CELL_DOWN = auto()
    CELL_TO_SPACE = auto()
    TAKES_BACK = auto()  # a card leaves the foundations
    DRAWS = auto()
    REDEALS = auto()
    SAFE = auto()  # up, and no card that could be built on it will ever need it
    LEAD = auto()  # up: ranks above the lowest foundation that it may be wanted for, / 13
    TWIN_UP = auto()  # up, and all its copies are then up
    LANDING = auto()  # up, though an available card could be built on it
    UNCOVERS = auto()  # a face-down card is turned up
    HIDDEN = auto()  # then: cards left face down there, / 10
    EMPTIES = auto()  # the column becomes empty
    EMPTIES_WANTED = auto()  # then: something waits for a space
    FREES_UP = auto()  # the card laid bare can go up
    FREES_FOR_WASTE = auto()  # the card laid bare takes the waste's card
    FREES_LANDING = auto()  # the card laid bare takes a run that fits nothing now
    FREES_RUN = auto()  # the run laid bare can move on
    SHORTER = auto()  # cards left in the source, / 10
    UNBURIES = auto()  # cards that are soon wanted get nearer to the top of the source
    UNBLOCKS = auto()  # cards of lower rank and the same suit left below in the source, / 4
    BREAKS_RUN = auto()  # its parent would have moved with it
    LEAVES_PARENT = auto()  # its parent fits, but would not have moved with it
    JOINS_RUN = auto()  # it will move together with its new parent
    RUN_LENGTH = auto()  # cards of the run there then, / 10
    BURIES = auto()  # cards that are soon wanted get farther from the top of the target
    BLOCKS = auto()  # cards of lower rank and the same suit in the target, / 4
    TARGET_HIDDEN = auto()  # cards face down in the target, / 10
    TARGET_ORDERED = auto()  # the target is a built run from its first card
    TARGET_WANTED = auto()  # the new parent could go up now
    RANK_MOVED = auto()  # of the deepest card that moves, / 13
    NEED_MOVED = auto()  # cards of its suit that must go up before it, / 13
    KING_FILLS = auto()  # a King goes into a space
    SPACE_RUN = auto()  # into a space: cards that move, / 10
    SPACES = auto()  # into a space: other empty columns
    SPACE_RANK = auto()  # into a space: rank of the deepest card that moves, / 13
    BACK_FOR_WASTE = auto()  # taken back, it takes the waste's card
    BACK_FOR_RUN = auto()  # taken back, it takes a run that fits nothing now
    DRAW_BURIES = auto()  # drawing: how soon the waste's card is wanted
    DRAW_FITTING = auto()  # drawing, though the waste's card fits a column
    DRAW_SPACES = auto()  # drawing: empty columns
    IDLE = auto()  # drawing: moves without progress, / 64


@kernel
def leave_column(t: Table, source: int, count: int, up: bool, target: int) -> None:
    """Say what it means that cards leave a column; `target` is -1 unless they go to another."""
    height, hidden = height_of(t, source), hidden_in(t, source)
    left = height - count
    head = card_at(t, source, left)
    t.said[Feature.SHORTER.value] = left / 10
    t.said[Feature.UNBURIES.value] = wanted_soon(t, source, left, 0) - wanted_soon(
        t, source, left, count
    )
    t.said[Feature.UNBLOCKS.value] = count_blocked(t, source, left, head) / 4
    if left == 0:
        t.said[Feature.EMPTIES.value] = 1
        t.said[Feature.EMPTIES_WANTED.value] = space_wanted(t, source)
    elif left == hidden:
        t.said[Feature.UNCOVERS.value] = 1
        t.said[Feature.HIDDEN.value] = hidden / 10
    else:
        lay_bare(t, source, left, up, target)


@kernel
def lay_bare(t: Table, source: int, left: int, up: bool, target: int) -> None:
    """Say what the card that is laid bare in a column is good for."""
    head, bare = card_at(t, source, left), card_at(t, source, left - 1)
    follows = up and SUIT[bare] == SUIT[head] and RANK[bare] == RANK[head] + 1
    t.said[Feature.FREES_UP.value] = follows or t.needs[bare] == 0
    t.said[Feature.FREES_FOR_WASTE.value] = fits(t, waste_card(t, 0), bare)
    takes = takes_run(t, bare, source, False) or takes_cell(t, bare)
    t.said[Feature.FREES_LANDING.value] = takes
    first = left - lifted(t, source, left)
    t.said[Feature.FREES_RUN.value] = has_parent(t, card_at(t, source, first), source, target)
    if not up:
        joined = related(t.lift, head, bare)
        t.said[Feature.BREAKS_RUN.value] = joined
        t.said[Feature.LEAVES_PARENT.value] = not joined and fits(t, head, bare)


@kernel
def arrive(t: Table, target: int, head: int, count: int) -> None:
    """Say what it means that cards headed by `head` come to lie on a column."""
    height, parent = height_of(t, target), top_of(t, target)
    joins = related(t.lift, head, parent) and fits(t, head, parent)
    hidden, run = hidden_in(t, target), run_on(t, target, height)
    t.said[Feature.JOINS_RUN.value] = joins
    t.said[Feature.RUN_LENGTH.value] = (count + run * joins) / 10
    near, far = wanted_soon(t, target, height, 0), wanted_soon(t, target, height, count)
    t.said[Feature.BURIES.value] = near - far
    t.said[Feature.BLOCKS.value] = count_blocked(t, target, height, head) / 4
    t.said[Feature.TARGET_HIDDEN.value] = hidden / 10
    t.said[Feature.TARGET_ORDERED.value] = hidden == 0 and run == height
    t.said[Feature.TARGET_WANTED.value] = t.needs[parent] == 0
    t.said[Feature.RANK_MOVED.value] = RANK[head] / 13
    t.said[Feature.NEED_MOVED.value] = t.needs[head] / 13


@kernel
def fill(t: Table, head: int, count: int) -> None:
    """Say what it means that cards headed by `head` go into a space."""
    t.said[Feature.KING_FILLS.value] = RANK[head] == t.ranks
    t.said[Feature.SPACE_RUN.value] = count / 10
    t.said[Feature.SPACES.value] = count_spaces(t) - 1
    t.said[Feature.SPACE_RANK.value] = RANK[head] / 13
    t.said[Feature.NEED_MOVED.value] = t.needs[head] / 13


@kernel
def _go_up(t: Table, card: int, source: int) -> None:
    """Say what it means that a card goes to the foundations; `source` is its column or -1."""
    rank, lowest = np.int64(RANK[card]), lowest_user(t, card)
    t.said[Feature.SAFE.value] = rank <= 2 or lowest >= rank - 1
    t.said[Feature.LEAD.value] = max(0, rank - 1 - lowest) / 13
    t.said[Feature.TWIN_UP.value] = _twins_up(t, card)
    lands = fits(t, waste_card(t, 0), card)
    lands = lands or takes_run(t, card, source, False) or takes_cell(t, card)
    t.said[Feature.LANDING.value] = lands


@kernel
def _twins_up(t: Table, card: int) -> bool:
    """Tell whether only one foundation of a card's suit is lower than the card."""
    lower, start = 0, t.foundations + np.int64(SUIT[card]) * t.decks
    for pile in range(t.decks):
        lower += t.seen[start + pile] < RANK[card]
    return lower == 1


@kernel
def _leave_waste(t: Table, card: int, up: bool) -> None:
    """Say what the card that is laid bare in the waste is good for."""
    bare = waste_card(t, 1)
    if bare == NO_CARD:
        return
    follows = up and SUIT[bare] == SUIT[card] and RANK[bare] == RANK[card] + 1
    t.said[Feature.FREES_UP.value] = follows or t.needs[bare] == 0
    t.said[Feature.FREES_RUN.value] = has_parent(t, bare, -1, -1)


@kernel
def _draw(t: Table) -> None:
    """Say what it means to draw, or to turn the waste over."""
    if t.seen[t.stock_height] == 0:
        t.said[Feature.REDEALS.value] = 1
        return
    t.said[Feature.DRAWS.value] = 1
    card = waste_card(t, 0)
    t.said[Feature.DRAW_BURIES.value] = soon_share(t.needs[card])
    t.said[Feature.DRAW_FITTING.value] = card != NO_CARD and has_parent(t, card, -1, -1)
    t.said[Feature.DRAW_SPACES.value] = count_spaces(t)
    t.said[Feature.IDLE.value] = t.seen[t.counters + 2] / 64


@kernel
def _take_back(t: Table, suit: int, target: int) -> None:
    """Say what it means that a card of a suit returns to a column."""
    below = top_of(t, target)
    rank = t.ranks if below == NO_CARD else np.int64(RANK[below]) - 1
    card = suit * RANKS_PER_SUIT + rank
    t.said[Feature.TAKES_BACK.value] = 1
    t.said[Feature.RANK_MOVED.value] = rank / 13
    t.said[Feature.BACK_FOR_WASTE.value] = fits(t, waste_card(t, 0), card)
    t.said[Feature.BACK_FOR_RUN.value] = takes_run(t, card, target, True)


@kernel
def _move(t: Table, source: int, target: int, count: int) -> None:
    """Say what it means that a column's cards go to another; `count` 0: as the target says."""
    below, tall = top_of(t, target), height_of(t, source)
    last = np.int64(RANK[top_of(t, source)])
    if count == 0 and below != NO_CARD:
        count = np.int64(RANK[below]) - last
    elif count == 0:
        count = t.ranks + 1 - last if t.king_space else 1
    head = card_at(t, source, tall - count)
    leave_column(t, source, count, False, target)
    _land(t, head, target, count, Feature.COLUMN_MOVES.value, Feature.COLUMN_TO_SPACE.value)


@kernel
def _land(
    t: Table,
    head: int,
    target: int,
    count: int,
    on_card: int,
    on_space: int,
) -> None:
    """Say what it means that cards come to lie on a column, or go into a space."""
    if height_of(t, target) > 0:
        t.said[on_card] = 1
        arrive(t, target, head, count)
    else:
        t.said[on_space] = 1
        fill(t, head, count)


@kernel
def _from_column(t: Table, source: int, target: int) -> None:
    if source == target:
        t.said[Feature.COLUMN_UP.value] = 1
        _go_up(t, top_of(t, source), source)
        leave_column(t, source, 1, True, -1)
    else:
        _move(t, source, target, 0)


@kernel
def _from_elsewhere(t: Table, source: int, target: int) -> None:
    """Say what it means that the waste's card, a reserve card or one taken back goes down."""
    if source >= t.foundation_source:
        _take_back(t, source - t.foundation_source, target)
    elif source < t.reserve_source:
        card = waste_card(t, 0)
        _leave_waste(t, card, False)
        _land(t, card, target, 1, Feature.WASTE_DOWN.value, Feature.WASTE_TO_SPACE.value)
    else:
        card = np.int64(t.seen[t.cells + source - t.reserve_source])
        _land(t, card, target, 1, Feature.CELL_DOWN.value, Feature.CELL_TO_SPACE.value)


@kernel
def describe(t: Table, action: int) -> None:
    """Write the features of a legal action to `said`."""
    t.said[:] = 0
    if t.stock_cards > 0 and action == t.stock_action:
        _draw(t)
    elif action >= t.group_to_space:
        choice, target = action - t.group_to_space, first_space(t)
        count = choice % t.max_group + 1
        _move(t, choice // t.max_group, target, count)
    elif action >= t.reserve_to_foundation:
        t.said[Feature.CELL_UP.value] = 1
        cell = action - t.reserve_to_foundation
        _go_up(t, np.int64(t.seen[t.cells + cell]), -1)
    elif action >= t.waste_to_foundation:
        t.said[Feature.WASTE_UP.value] = 1
        card = waste_card(t, 0)
        _go_up(t, card, -1)
        _leave_waste(t, card, True)
    elif action // t.piles < t.piles:
        _from_column(t, action // t.piles, action % t.piles)
    else:
        _from_elsewhere(t, action // t.piles, action % t.piles)
