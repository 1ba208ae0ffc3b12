"""The rule-based player as a teacher: how good it holds every action for, as probabilities."""

import numpy as np
import torch as th

from agents.greedy import greedy_table, load_weights
from agents.greedy_choice import weigh_actions
from solitaire_env.engine.lowered import lower
from solitaire_env.envs.registration import find_sheet


class GreedyTeacher:
    """Tells what the rule-based player would do.

    Args:
        variant: a rule sheet's name.
        temperature: difference of weighed sums that makes an action e times as probable.
    """

    def __init__(self, variant: str, temperature: float) -> None:
        self._table = greedy_table(lower(find_sheet(variant)), load_weights(variant))
        self._temperature = temperature

    def teach(self, observations: th.Tensor, masks: th.Tensor) -> th.Tensor:
        """Give the probabilities (B, A) of the actions in masks (B, A) bool."""
        scores = np.empty(masks.shape, np.float32)
        weigh_actions(self._table, observations.numpy(), masks.numpy(), scores)
        return th.softmax(th.from_numpy(scores) / self._temperature, dim=-1)
