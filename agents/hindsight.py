"""Hindsight: the move after which the open-card solver brings most guessed deals home."""

from typing import Final

import numpy as np

from agents.greedy import load_weights
from agents.greedy_playouts import GreedyInside
from agents.memory import Words
from agents.search import SearchPolicy
from agents.stepping import Stepper
from solitaire_env.engine.state import Games, Outcome
from solitaire_env.engine.table import Table
from solitaire_env.envs.options import whole_number
from solitaire_env.policies import FloatArray, IntArray
from solitaire_env.solver.memory import node_size
from solitaire_env.solver.search import Search

WIDTH: Final = 8
"""Positions that enter a layer of the solver's search."""

_CHILDREN: Final = 64
"""Positions that a look at one may add, at most, as memory is set aside for them."""


class SolverInside(GreedyInside):
    """The solver within a search: see `search.Inside`. Moves are ranked as `greedy` ranks them.

    It sees all cards of a guessed deal, so it values moves as if the player could see them after
    the next one: too high where much is hidden. A game is worth the largest share of cards that
    was brought to the foundations, and a win one more.

    Args:
        variant: a rule sheet's name.
        nodes: positions that the solver looks at in a guessed deal, at most.

    Raises:
        ValueError: for a number out of range, by its name.
    """

    def __init__(self, variant: str, nodes: int) -> None:
        super().__init__(variant, load_weights(variant))
        self._nodes = whole_number("nodes", nodes, 1, 10**6)

    def play_out(
        self, table: Table, firsts: IntArray, tried: Words, owners: IntArray
    ) -> FloatArray:
        """Solve games: see `search.Inside`; what the player remembers is no matter."""
        Stepper(table).step(firsts)
        games, cards = table.games, table.rules.cards
        reached = [
            self._reach(table, games[row : row + 1]) if games.outcome[row] == 0 else 0
            for row in range(len(games))
        ]
        best = np.maximum(games.foundation_cards, reached)
        best[games.outcome == Outcome.WON] = cards
        return best / cards + (best == cards)

    def _reach(self, table: Table, game: Games) -> int:
        """Tell how many cards the solver brings to the foundations of one game (1,)."""
        size = (self._nodes * _CHILDREN) * node_size(table.rules)
        search = Search(table.rules, game, max_bytes=size, seed=0, should_stop=lambda _: False)
        search.run(WIDTH, self._nodes)
        return search.most_cards


def make(variant: str, playouts: int = 8, width: int = 3, nodes: int = 300) -> SearchPolicy:
    """Make the player that asks the solver.

    Args:
        variant: a rule sheet's name.
        playouts: guessed deals solved for a choice, at most.
        width: moves tried for a choice, at most.
        nodes: see `SolverInside`.
    """
    return SearchPolicy(variant, SolverInside(variant, nodes), playouts, width)
