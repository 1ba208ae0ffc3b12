"""What a network has learnt, taken over by another: of the same game, or of one like it."""

from pathlib import Path

import torch as th

from agents import network_path
from agents.layout import Layout, layout_of_variant
from agents.network import TableNetwork
from agents.weights import load_network


def take_over(network: TableNetwork, layout: Layout, source: str) -> None:
    """Put what another network has learnt into a network.

    Piles and targets get what was learnt of those of their name. What is new in this game, or has
    another shape there, stays as it is.

    Args:
        network: changed.
        layout: of its game.
        source: a .safetensors file, or the variant whose network comes with the agents.

    Raises:
        ValueError: if there is no such network, or its layers are of other sizes.
    """
    path = Path(source) if source.endswith(".safetensors") else network_path(source)
    other, about = load_network(path)
    if other.sizes != network.sizes:
        raise ValueError(f"{path} has layers of {other.sizes}, accepted are {network.sizes}")
    before = layout_of_variant(about["variant"])
    learnt, own = other.state_dict(), network.state_dict()
    named = {
        "encoder.pile_kind": (before.piles, layout.piles),
        "moves.others": (before.others, layout.others),
        "moves.others_bias": (before.others, layout.others),
    }
    for part, value in own.items():
        if part in named:
            _take_rows(value, learnt[part], *named[part])
        elif value.shape == learnt[part].shape:
            value.copy_(learnt[part])


def _take_rows(
    value: th.Tensor, learnt: th.Tensor, before: tuple[str, ...], now: tuple[str, ...]
) -> None:
    """Copy the rows of what both games have, by its name."""
    for row, name in enumerate(now):
        if name in before:
            value[row] = learnt[before.index(name)]
