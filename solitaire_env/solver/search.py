"""One search from one position: its memory, its weights, and the kernels that run it."""

import random
from collections.abc import Callable
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from solitaire_env.engine.compile import specialise
from solitaire_env.engine.lowered import LoweredRules
from solitaire_env.engine.state import Games, IntArray
from solitaire_env.solver import layers
from solitaire_env.solver.heap import refill
from solitaire_env.solver.memory import (
    NONE,
    Kernels,
    Now,
    Status,
    Weight,
    board_of,
    bytes_used,
    clear,
    new_memory,
    new_table,
    talon_of,
)

PAUSE: Final = 5_000
"""Nodes looked at between two questions whether to stop."""

_COMMON: Final = {
    Weight.FOUNDATION: 20,
    Weight.WASTE_DEPTH: 100,
    Weight.HIDDEN: 20,
    Weight.INVERSION: 1,
    Weight.RESERVE: 2,
}

WEIGHTS: Final = [
    {**_COMMON, Weight.DEPTH: 4, Weight.LINK: 16},
    {**_COMMON, Weight.DEPTH: 8, Weight.LINK: 12},
]
"""Two ways to judge, which searches take turns with: what one misses the other often finds."""

JITTER: Final = 0.3
"""How far a seed other than 0 moves the weights, as a part of them."""


class Step(NamedTuple):
    """A move of a line.

    Attributes:
        action: its number.
        turn: the height of the waste that it is played from, brought by draws and redeals; or NONE.
    """

    action: int
    turn: int


class Stopped(Exception):  # noqa: N818 - no error: the caller asked for it
    """The search was told to stop."""


class Search:
    """Searches from one position, one after the other, in the same memory.

    Args:
        rules: of the game.
        games: (1,) record, where to begin.
        max_bytes: of memory.
        seed: other than 0 judges positions a little differently.
        should_stop: asked now and then.

    Attributes:
        bytes: the most memory that a search took.
    """

    def __init__(
        self,
        rules: LoweredRules,
        games: Games,
        *,
        max_bytes: int,
        seed: int,
        should_stop: Callable[[int], bool],
    ) -> None:
        self._rules = rules
        self._start = games.copy()
        self._max_bytes = max_bytes
        self._should_stop = should_stop
        self._board = board_of(rules)
        self._weights = [weights_of(seed, way) for way in WEIGHTS]
        self._memory = new_memory(rules, max_bytes)
        self._turned = bool(talon_of(rules))
        self._kernel = search_kernel(rules)
        self._spent = self._runs = 0
        self.bytes = 0

    @property
    def nodes(self) -> int:
        """Count the nodes that all searches have looked at."""
        return self._spent + int(self._memory.now[Now.EXPANDED])

    @property
    def expanded(self) -> int:
        """Count the nodes that the last search has looked at."""
        return int(self._memory.now[Now.EXPANDED])

    @property
    def most_cards(self) -> int:
        """Count the foundation cards of the best position that the last search has made."""
        return int(self._memory.cards[: self._memory.now[Now.NODES]].max())

    def run(self, width: int, max_nodes: int) -> Status:
        """Search until there is an answer or so many nodes were looked at.

        Args:
            width: nodes that enter a layer; 0: look at everything.
            max_nodes: of this search.

        Raises:
            Stopped: if told to stop.
        """
        self._spent = self.nodes
        weights = self._weights[self._runs % len(self._weights)]
        self._memory = clear(self._memory, width, weights)
        self._runs += 1
        self._board[0] = self._start[0]
        while self.expanded < max_nodes:
            if self._should_stop(self.nodes):
                raise Stopped
            count = min(PAUSE, max_nodes - self.expanded)
            status = Status(
                self._kernel(self._rules, self._board, self._memory, self._turned, count)
            )
            self.bytes = max(self.bytes, bytes_used(self._rules, self._memory))
            if status == Status.CROWDED:
                self._grow()
            elif status != Status.PAUSED:
                return status
        return Status.PAUSED

    def _grow(self) -> None:
        """Make the table of fingerprints twice as large."""
        table = new_table(2 * len(self._memory.table))
        refill_kernel(self._rules)(self._rules, self._memory.table, table)
        self._memory = self._memory._replace(table=table)

    def line(self) -> list[Step]:
        """List the moves to the node that wins."""
        memory, steps = self._memory, list[Step]()
        node = int(memory.now[Now.WON])
        while memory.parents[node] != NONE:
            steps.append(Step(int(memory.actions[node]), int(memory.turns[node])))
            node = int(memory.parents[node])
        return steps[::-1]


def weights_of(seed: int, weights: dict[Weight, int]) -> IntArray:
    """Give the weights of a seed: (len(Weight),)."""
    chance = random.Random(seed)
    spread = JITTER if seed else 0.0
    factors = {weight: 1 + spread * chance.uniform(-1, 1) for weight in Weight}
    return np.array([round(weights.get(w, 0) * factors[w]) for w in Weight], np.int64)


@cache
def search_kernel(rules: LoweredRules) -> Kernels:
    """Compile the search for a game."""
    memory = new_memory(rules, 0)
    return specialise(layers.search, rules, board_of(rules), memory, False, 0)


@cache
def refill_kernel(rules: LoweredRules) -> Kernels:
    """Compile the kernel that moves fingerprints to a larger table."""
    return specialise(refill, rules, new_table(2), new_table(2))
