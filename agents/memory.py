"""What a player remembers of its own games, so as not to go round in circles."""

import numpy as np

from agents.layout import Layout
from solitaire_env.evaluation import BoolArray, ByteArray, IntArray


class LoopMemory:
    """Remembers, game by game, which actions were taken in which position.

    A position is what is seen but for the counters, which never come back.

    Args:
        layout: of the game.
    """

    def __init__(self, layout: Layout) -> None:
        counters = slice(*layout.places["counters"])
        self._is_position = np.ones(layout.size, np.bool_)
        self._is_position[counters] = False
        self._games: dict[int, dict[bytes, list[int]]] = {}

    def reset(self, rows: IntArray) -> None:
        """Forget the games of rows (k,)."""
        self._games.update((row, {}) for row in rows.tolist())

    def untried(self, observations: ByteArray, masks: BoolArray, rows: IntArray) -> BoolArray:
        """Mask actions taken before in the same position, unless that leaves none: (k, A)."""
        untried = masks.copy()
        for index, taken in enumerate(self._taken(observations, rows)):
            untried[index, taken] = False
        return np.where(untried.any(axis=1, keepdims=True), untried, masks)

    def note(self, observations: ByteArray, actions: IntArray, rows: IntArray) -> None:
        """Remember the actions (k,) taken in these positions."""
        taken = self._taken(observations, rows)
        for before, action in zip(taken, actions.tolist(), strict=True):
            before.append(action)

    def _taken(self, observations: ByteArray, rows: IntArray) -> list[list[int]]:
        positions = observations[:, self._is_position]
        return [
            self._games[row].setdefault(position.tobytes(), [])
            for row, position in zip(rows.tolist(), positions, strict=True)
        ]
