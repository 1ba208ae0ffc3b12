"""A trained network that looks ahead: search with the network inside."""

from pathlib import Path
from typing import Final

import torch as th

from agents import network_path
from agents.greedy import load_weights
from agents.greedy_playouts import GreedyInside
from agents.network_playouts import NetworkInside
from agents.search import SearchPolicy
from agents.weights import load_network
from solitaire_env.envs.options import one_of
from solitaire_env.policies import BoolArray, ByteArray, FloatArray

ROLLOUTS: Final = ("network", "greedy")
"""Who may play guessed games on."""


class GuidedInside(GreedyInside):
    """The network says which moves to try, and the rule-based player plays them out to the end.

    Args:
        variant: a rule sheet's name.
        guide: the network within a search.
    """

    def __init__(self, variant: str, guide: NetworkInside) -> None:
        super().__init__(variant, load_weights(variant))
        self._guide = guide

    def rank(self, seen: ByteArray, masks: BoolArray) -> FloatArray:
        """Rank as the network does: see `search.Inside`."""
        return self._guide.rank(seen, masks)

    def is_settled(self, seen: ByteArray, scores: FloatArray) -> BoolArray:
        """Tell where the network has hardly a doubt, or puts up a card that no other will need."""
        return self._guide.is_settled(seen, scores) | super().is_settled(seen, scores)


def make(
    variant: str,
    playouts: int = 64,
    width: int = 4,
    horizon: int = 24,
    rollout: str = "network",
    checkpoint: str | Path | None = None,
) -> SearchPolicy:
    """Make the player that searches with a network inside; PyTorch then works on one thread.

    Args:
        variant: a rule sheet's name.
        playouts: games played on for a choice, at most.
        width: moves tried for a choice, at most.
        horizon: moves of a network's playout; then its expectation stands for the rest.
        rollout: "network", or "greedy" for playouts by the rule-based player, to the end.
        checkpoint: a .safetensors file; None: the network that comes with the agents.

    Raises:
        ValueError: if there is no such network, it is of another game, or for an option out of
            range, by its name.
    """
    one_of("rollout", rollout, ROLLOUTS)
    path = network_path(variant) if checkpoint is None else Path(checkpoint)
    network, about = load_network(path, variant)
    # Sums on more threads are other sums.
    th.set_num_threads(1)
    alone = NetworkInside(variant, network, about["config"], horizon)
    inside = alone if rollout == "network" else GuidedInside(variant, alone)
    return SearchPolicy(variant, inside, playouts, width)
