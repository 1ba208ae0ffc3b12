"""What a search remembers: flat arrays that are made once and handed to the kernels."""

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solitaire_env.engine.lowered import LoweredRules
from solitaire_env.engine.state import ByteArray, Games, IntArray, new_games
from solitaire_env.rulesheet import UNLIMITED

Int32Array = npt.NDArray[np.int32]
WordArray = npt.NDArray[np.uint64]

NONE = -1
"""No node, no layer, or no turn of the talon."""

FIRST_SLOTS = 1 << 14
"""Slots of a table of fingerprints that has not grown yet."""

SLOT = 16
"""Bytes of a slot."""


class Talon(IntEnum):
    """How a search looks at stock and waste.

    DRAWN: as they lie; a draw is a move. TURNED: redeals never end, so any card that draws can
    bring is as good as on the waste; a draw is no move of its own.
    """

    DRAWN = 0
    TURNED = 1


class Now(IntEnum):
    """Where a search is: places in `Memory.now`."""

    NODES = 0  # nodes kept
    EXPANDED = 1  # nodes looked at
    OPEN = 2  # nodes waiting in the heap
    LAYER = 3
    LEFT = 4  # expansions left in this layer
    WON = 5  # node whose last move wins, or NONE


class Plan(IntEnum):
    """What a search is told to do: places in `Memory.plan`."""

    WIDTH = 0  # nodes that enter a layer; 0: look at everything, prove what can't be won
    MAX_BYTES = 1
    NODE_SIZE = 2  # bytes of a node


class Status(IntEnum):
    """Why a kernel came back; CROWDED asks for a larger table."""

    PAUSED = 0
    WON = 1
    EXHAUSTED = 2
    FULL = 3
    CROWDED = 4


class Weight(IntEnum):
    """What a position is judged by: places in `Memory.weights`. Less is better."""

    FOUNDATION = 0  # cards on foundations
    DEPTH = 1  # cards above the next card of a foundation, in columns
    WASTE_DEPTH = 2  # the same in a waste that is never turned over
    HIDDEN = 3  # cards face down
    SPACE = 4  # empty columns
    INVERSION = 5  # waste cards below one of a higher rank
    LINK = 6  # cards that lie on one they build on
    BLOCKED = 7  # column cards above a lower one of their suit
    TALON = 8  # cards in stock and waste
    RESERVE = 9  # cards in the reserve


class Memory(NamedTuple):
    """The arrays of one search.

    Attributes:
        rows: (N, row) uint8, the nodes' positions, packed.
        parents: (N,) int32.
        actions: (N,) int16, the action that led here.
        turns: (N,) int16, the height of the waste that it was played from, or NONE.
        scores: (N,) int32, less is better.
        cards: (N,) int16, cards on foundations.
        links: (N,) int32, the next node of the same layer.
        heap: (N,) int32, nodes to look at; a stack where everything is looked at.
        chosen: (N,) int32, nodes that enter a layer.
        table: (slots, 2) uint64, fingerprints seen.
        layers: (L,) int32, the first node that waits in each layer.
        strata: (cards + 1,) int32, nodes chosen of each number of foundation cards.
        choices: (M, 2) int32, actions and turns of the node being looked at.
        depths: (64,) int32, of the cards that are next on a foundation, by place.
        ranks: (16,) int32, cards seen of each rank.
        now: int64, see `Now`.
        plan: int64, see `Plan`.
        weights: int64, see `Weight`.
    """

    rows: ByteArray
    parents: Int32Array
    actions: npt.NDArray[np.int16]
    turns: npt.NDArray[np.int16]
    scores: Int32Array
    cards: npt.NDArray[np.int16]
    links: Int32Array
    heap: Int32Array
    chosen: Int32Array
    table: WordArray
    layers: Int32Array
    strata: Int32Array
    choices: Int32Array
    depths: Int32Array
    ranks: Int32Array
    now: IntArray
    plan: IntArray
    weights: IntArray


def talon_of(rules: LoweredRules) -> Talon:
    """Say how the talon of a game is looked at.

    Where Kings leave by themselves a draw changes more than the talon, so it stays a move.
    """
    turned = rules.stock_cards > 0 and rules.redeals == UNLIMITED and not rules.kings_leave
    return Talon.TURNED if turned else Talon.DRAWN


def row_size(rules: LoweredRules) -> int:
    """Count the bytes of a packed position."""
    fixed = rules.suits * rules.decks + 4 + rules.reserve + 2 * rules.piles
    return fixed + rules.cards


def layer_count(rules: LoweredRules) -> int:
    """Count the layers that a search can have."""
    passes = 1 if rules.redeals == UNLIMITED else rules.redeals + 1
    return passes * rules.stock_cards + 1


def node_size(rules: LoweredRules) -> int:
    """Count the bytes that a node takes, besides its slots in the table."""
    return row_size(rules) + 4 + 2 + 2 + 4 + 2 + 4 + 4 + 4


def least_bytes(rules: LoweredRules) -> int:
    """Count the bytes below which no search can begin."""
    return FIRST_SLOTS * SLOT + (most_choices(rules) + 1) * node_size(rules)


def bytes_used(rules: LoweredRules, memory: Memory) -> int:
    """Count the bytes that a search holds."""
    return int(memory.now[Now.NODES]) * node_size(rules) + memory.table.nbytes


def most_choices(rules: LoweredRules) -> int:
    """Count the choices that a position can have at most."""
    return rules.num_actions + rules.stock_cards * (rules.piles + 1)


def new_table(slots: int) -> WordArray:
    """Make an empty table of fingerprints."""
    return np.zeros((slots, 2), np.uint64)


def new_memory(rules: LoweredRules, max_bytes: int) -> Memory:
    """Make the memory of a search.

    The system hands out pages when they are first written: what is not used costs nothing.
    """
    nodes = max_bytes // node_size(rules)
    return Memory(
        rows=np.empty((nodes, row_size(rules)), np.uint8),
        parents=np.empty(nodes, np.int32),
        actions=np.empty(nodes, np.int16),
        turns=np.empty(nodes, np.int16),
        scores=np.empty(nodes, np.int32),
        cards=np.empty(nodes, np.int16),
        links=np.empty(nodes, np.int32),
        heap=np.empty(nodes, np.int32),
        chosen=np.empty(nodes, np.int32),
        table=new_table(2),
        layers=np.empty(layer_count(rules), np.int32),
        strata=np.empty(rules.cards + 1, np.int32),
        choices=np.empty((most_choices(rules), 2), np.int32),
        depths=np.empty(64, np.int32),
        ranks=np.empty(16, np.int32),
        now=np.zeros(len(Now), np.int64),
        plan=np.array([0, max_bytes, node_size(rules)], np.int64),
        weights=np.zeros(len(Weight), np.int64),
    )


def clear(memory: Memory, width: int, weights: IntArray) -> Memory:
    """Forget all nodes, for a search of this width that judges by these weights."""
    memory.weights[:] = weights
    memory.layers[:] = NONE
    memory.now[:] = 0
    memory.now[[Now.WON, Now.LAYER]] = NONE
    memory.plan[Plan.WIDTH] = width
    return memory._replace(table=new_table(FIRST_SLOTS))


def board_of(rules: LoweredRules) -> Games:
    """Make the two games that a search plays on: the node's, and its child's."""
    return new_games(rules, 2)


Kernels = Any
