"""A player that chooses among the legal actions, each as likely: the floor of every table."""

from solitaire_env.evaluation import RandomPolicy

__all__ = ["RandomPolicy", "make"]


def make(variant: str) -> RandomPolicy:
    """Make the player, which is the same for every variant."""
    return RandomPolicy()
