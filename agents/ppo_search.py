"""A trained network that looks ahead: search with the network inside."""

from pathlib import Path
from typing import Final

import torch as th

from agents import network_path
from agents.network_playouts import FinishedInside, NetworkInside
from agents.search import SearchPolicy
from agents.weights import load_network
from solitaire_env.envs.options import one_of

FINISHES: Final = {"value": NetworkInside, "greedy": FinishedInside}
"""What tells how guessed games end: the network's expectation, or the rule-based player."""


def make(
    variant: str,
    playouts: int = 64,
    width: int = 4,
    horizon: int = 24,
    finish: str = "value",
    checkpoint: str | Path | None = None,
) -> SearchPolicy:
    """Make the player that searches with a network inside; PyTorch then works on one thread.

    Args:
        variant: a rule sheet's name.
        playouts: games played on for a choice, at most.
        width: moves tried for a choice, at most.
        horizon: moves of a playout that the network makes; from 0 with finish="greedy".
        finish: "value", the network's expectation after these, or "greedy": the rule-based player
            plays on to the end.
        checkpoint: a .safetensors file; None: the network that comes with the agents.

    Raises:
        ValueError: if there is no such network, it is of another game, or for an option out of
            range, by its name.
    """
    one_of("finish", finish, FINISHES)
    path = network_path(variant) if checkpoint is None else Path(checkpoint)
    network, about = load_network(path, variant)
    # Sums on more threads are other sums.
    th.set_num_threads(1)
    inside = FINISHES[finish](variant, network, about["config"], horizon)
    return SearchPolicy(variant, inside, playouts, width)
