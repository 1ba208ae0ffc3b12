"""Players by name: those of this folder, anybody's `module:factory`, or a saved network."""

from importlib import import_module
from inspect import signature
from typing import Any

from solitaire_env.evaluation import Policy
from solitaire_env.players import AGENTS, check_player


def load_agent(name: str, variant: str, **options: Any) -> Policy:
    """Make a player.

    Args:
        name: one of `AGENTS`; or "module:factory", called as `factory(variant, **options)`; or the
            path of a network, .safetensors, or .zip as MaskablePPO saves it. A zip and a module run
            code of their own: only load those that you trust.
        variant: a rule sheet's name.
        **options: for the factory.

    Raises:
        ValueError: for a name that is none of these, options that the player does not take, and
            what makes no player.
    """
    if name.endswith((".zip", ".safetensors")):
        name, options = "ppo", {"checkpoint": name, **options}
    module, colon, factory = AGENTS.get(name, name).partition(":")
    if not colon:
        known = ", ".join(AGENTS)
        accepted = f"{known}, module:factory, a .safetensors or a .zip file"
        raise ValueError(f"agent is {name!r}, accepted are {accepted}")
    try:
        make = getattr(import_module(module), factory)
    except (ModuleNotFoundError, AttributeError) as error:
        raise ValueError(f"agent {name!r} can't be loaded: {error}") from error
    try:
        signature(make).bind(variant, **options)
    except TypeError as error:
        raise ValueError(f"agent {name!r} does not take {', '.join(options)}: {error}") from error
    return check_player(name, make(variant, **options))
