"""Teachers: what a network that imitates should do, as probabilities of actions."""

from typing import Protocol

import numpy as np
import torch as th

from agents.greedy import greedy_table, load_weights
from agents.greedy_choice import weigh_actions
from agents.rollouts import Moves
from solitaire_env.engine.lowered import lower
from solitaire_env.envs.registration import find_sheet


class Teacher(Protocol):
    """Whom a network imitates."""

    def teach(self, moves: Moves) -> th.Tensor:
        """Give the probabilities (B, A) of the actions, 0 outside the masks."""
        ...


class Example:
    """Tells what was done."""

    def teach(self, moves: Moves) -> th.Tensor:
        """Give the actions taken: see `Teacher`."""
        return th.zeros(moves.masks.shape).scatter_(1, moves.actions[:, None], 1.0)


class GreedyTeacher:
    """Tells what the rule-based player would do.

    Args:
        variant: a rule sheet's name.
        temperature: difference of weighed sums that makes an action e times as probable.
    """

    def __init__(self, variant: str, temperature: float) -> None:
        self._table = greedy_table(lower(find_sheet(variant)), load_weights(variant))
        self._temperature = temperature

    def teach(self, moves: Moves) -> th.Tensor:
        """Weigh the actions: see `Teacher`."""
        scores = np.empty(moves.masks.shape, np.float32)
        weigh_actions(self._table, moves.observations.numpy(), moves.masks.numpy(), scores)
        return th.softmax(th.from_numpy(scores) / self._temperature, dim=-1)
