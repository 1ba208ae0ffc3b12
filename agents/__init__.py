"""Example agents: players by hand, networks, their training and evaluation."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from solitaire_env.evaluation import Policy


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
