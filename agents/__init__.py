"""Example agents: players by hand, networks, their training and evaluation."""

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from solitaire_env.evaluation import Policy


SHIPPED: Final = Path(str(files("agents") / "networks"))
"""The folder of the networks that come with the agents."""


def network_path(variant: str) -> Path:
    """Give the file of the network that comes with a variant, there or not."""
    return SHIPPED / f"{variant}.safetensors"


def load(variant: str, **options: Any) -> "Policy":
    """Load the trained network of a variant as a player.

    Args:
        variant: a rule sheet's name.
        **options: see `agents.ppo.make`.

    Raises:
        ValueError: if no network of this variant comes with the agents.
    """
    from agents.registry import load_agent

    return load_agent("ppo", variant, **options)
