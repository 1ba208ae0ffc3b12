"""A player that chooses among the legal actions, each as likely: the floor of every table."""

import numpy as np

from solitaire_env.evaluation import BoolArray, ByteArray, GameStreams, IntArray, SeedArray


class RandomPolicy:
    """Plays any legal action, each as likely; a game's choices depend on its seed alone."""

    def __init__(self) -> None:
        self._streams = GameStreams()

    def reset(self, rows: IntArray, seeds: SeedArray) -> None:
        """Begin games: see `Policy`."""
        self._streams.reset(rows, seeds)

    def act(self, observations: ByteArray, masks: BoolArray, rows: IntArray) -> IntArray:
        """Choose actions: see `Policy`."""
        counts = masks.sum(axis=1)
        chosen = np.floor(self._streams.draw(rows) * counts).astype(np.int64)
        return (masks.cumsum(axis=1) > chosen[:, None]).argmax(axis=1)


def make(variant: str) -> RandomPolicy:
    """Make the player, which is the same for every variant."""
    return RandomPolicy()
