"""Guessed games stepped all together, into the same buffers."""

import numpy as np

from solitaire_env.engine.table import Table
from solitaire_env.envs.buffers import fresh_out
from solitaire_env.policies import BoolArray, ByteArray, IntArray


class Stepper:
    """Steps every game of a table; games that are over stay as they are.

    Args:
        table: of k games.
    """

    def __init__(self, table: Table) -> None:
        self._table, self._out, self._told = table, fresh_out(table), table.new_told()
        self._none = np.zeros(len(table.games), np.bool_)

    def step(self, actions: IntArray) -> tuple[ByteArray, BoolArray]:
        """Play an action in each game (k,); give the buffers of observations and masks."""
        rows, illegal = (0, len(actions)), np.empty_like(self._none)
        self._table.step(actions, self._none, rows, *self._out, illegal, self._told)
        return self._out.observations, self._out.action_mask
