"""What an environment's keyword arguments tell the kernels: one record."""

from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt


class Reward(IntEnum):
    """What a step's reward is the change of; WIN is 1.0 on the winning step."""

    FOUNDATION = 0
    WIN = 1
    LEDGER = 2


class Observability(IntEnum):
    """What an observation shows: what a player can know, or every card."""

    PLAYER = 0
    FULL = 1


class Illegal(IntEnum):
    """What an illegal action does: nothing, an exception, or the end of the game."""

    NOOP = 0
    RAISE = 1
    TERMINATE = 2


SETTINGS = np.dtype(
    (
        np.record,
        [
            ("reward", "i8"),
            ("observability", "i8"),
            ("illegal", "i8"),
            ("streaks", "i8"),
            ("no_progress_limit", "i8"),
            ("max_episode_steps", "i8"),
            ("illegal_penalty", "f8"),
            ("seconds_per_move", "f8"),
        ],
    )
)
"""The kernels' settings; `max_episode_steps` is 0 where nothing is cut."""

Settings = Any
"""A record of `SETTINGS`."""


def settings_record(**values: float) -> npt.NDArray[Any]:
    """Make a (1,) record array of settings."""
    record = np.zeros(1, SETTINGS).view(np.recarray)
    for name, value in values.items():
        record[name] = value
    return record
