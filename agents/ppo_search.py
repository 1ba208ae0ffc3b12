"""A trained network that looks ahead: search with the network inside."""

from pathlib import Path

import torch as th

from agents.network_playouts import NetworkInside
from agents.search import SearchPolicy
from agents.weights import SHIPPED, load_network


def make(
    variant: str,
    playouts: int = 64,
    width: int = 4,
    horizon: int = 24,
    checkpoint: str | Path | None = None,
) -> SearchPolicy:
    """Make the player that searches with a network inside; PyTorch then works on one thread.

    Args:
        variant: a rule sheet's name.
        playouts: games played on for a choice, at most.
        width: moves tried for a choice, at most.
        horizon: moves of a playout; then the network's expectation stands for the rest.
        checkpoint: a .safetensors file; None: the network that comes with the agents.

    Raises:
        ValueError: if there is no such network, or it is of another game.
    """
    path = SHIPPED / f"{variant}.safetensors" if checkpoint is None else Path(checkpoint)
    network, about = load_network(path, variant)
    # Sums on more threads are other sums.
    th.set_num_threads(1)
    inside = NetworkInside(variant, network, about["config"], horizon)
    return SearchPolicy(variant, inside, playouts, width)
