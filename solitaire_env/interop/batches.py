"""What the doors share: a native batch by a variant's name, and steps of some of its games."""

from typing import Any

import gymnasium as gym
import numpy as np

from solitaire_env.engine.state import BoolArray, IntArray
from solitaire_env.envs.registration import env_id, find_sheet


def full_id(variant: str) -> str:
    """Give the id of a variant, named by its rule sheet or by the id itself.

    Raises:
        ValueError: for an unknown rule sheet.
    """
    return variant if "/" in variant else env_id(find_sheet(variant))


def make_batch(variant: str, num_envs: int, **kwargs: Any) -> Any:
    """Make a native batch that deals only where it is told to."""
    return gym.make_vec(full_id(variant), num_envs, autoreset_mode="Disabled", **kwargs)


def step_rows(envs: Any, actions: IntArray, rows: BoolArray) -> tuple[Any, ...]:
    """Step the games of some rows; the others stay as they are, over or not.

    Args:
        envs: from `make_batch`.
        actions: (N,); those of the other rows are ignored.
        rows: (N,) which games are to step.

    Returns:
        What `step` gives; in the other rows it means nothing.
    """
    if rows.all():
        return envs.step(actions)
    idle, batch = np.flatnonzero(~rows), envs.unwrapped
    states = batch.clone_states(idle)
    envs.reset(options={"reset_mask": ~rows})  # those that are over would refuse the step
    result = envs.step(np.where(rows, actions, batch.action_masks().argmax(axis=1)))
    batch.restore_states(idle, states)
    return result
