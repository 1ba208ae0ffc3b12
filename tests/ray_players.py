"""Players that workers of Ray can make by name, and that something happens to."""

import os
import signal
import time
from pathlib import Path

import numpy as np

from solitaire_env.policies import RandomPolicy


class Killed(RandomPolicy):
    """Plays at random; its process is killed in the middle of a shard until there is a file."""

    def __init__(self, marker: Path, once: bool) -> None:
        super().__init__()
        self.marker = marker
        self.once = once
        self.acts = 0

    def act(self, observations: np.ndarray, masks: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Play on for a while first."""
        self.acts += 1
        if self.acts == 20 and not self.marker.exists():
            if self.once:
                self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().act(observations, masks, rows)


class Slow(RandomPolicy):
    """Plays at random, and takes its time."""

    def act(self, observations: np.ndarray, masks: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Sleep, then act."""
        time.sleep(0.01)
        return super().act(observations, masks, rows)


def killed_once(variant: str, marker: str) -> Killed:
    """Make a player that is killed in one shard."""
    return Killed(Path(marker), once=True)


def killed_always(variant: str, marker: str) -> Killed:
    """Make a player that is killed in every shard."""
    return Killed(Path(marker), once=False)


def slow(variant: str) -> Slow:
    """Make a slow player."""
    return Slow()


def broken(variant: str) -> RandomPolicy:
    """Make no player, but an error."""
    raise ValueError("this player has no hands")
