"""Players by name: those of a checkout, and anybody's `module:factory`."""

import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import signature
from typing import Final

from solitaire_env.policies import Policy

AGENTS: Final[Mapping[str, str]] = {
    "random": "solitaire_env.policies:random_player",
    "greedy": "agents.greedy:make",
    "search": "agents.search:make",
    "ppo": "agents.ppo:make",
    "ppo-search": "agents.ppo_search:make",
    "hindsight": "agents.hindsight:make",
}
"""Name -> the factory that makes the player of a variant; all but the first need a checkout."""


def load_player(name: str, variant: str) -> Policy:
    """Make a player: a name of `AGENTS`, or "module:factory", called with the variant.

    A module runs code of its own: only name those that you trust. It may lie in this folder.

    Raises:
        ValueError: for a name that is none of these, and what makes no player.
    """
    make = _find_factory(name, *AGENTS.get(name, name).partition(":"))
    try:
        signature(make).bind(variant)
    except TypeError as error:
        raise ValueError(f"agent {name!r} is not made by factory(variant): {error}") from error
    return check_player(name, make(variant))


def check_player(name: str, player: object) -> Policy:
    """Return what a factory made; ValueError unless it is a player."""
    if not isinstance(player, Policy):
        raise ValueError(f"agent {name!r} is no player, it lacks reset or act: {player!r}")
    return player


def _find_factory(name: str, module: str, colon: str, factory: str) -> Callable[[str], object]:
    if not (module and colon and factory):
        accepted = ", ".join(AGENTS)
        raise ValueError(f"agent is {name!r}, accepted are {accepted} and module:factory")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return getattr(import_module(module), factory)
    except (ImportError, AttributeError, TypeError) as error:
        where = "; it comes with a checkout, and works there" if name in AGENTS else ""
        raise ValueError(f"agent {name!r} can't be loaded: {error}{where}") from error
