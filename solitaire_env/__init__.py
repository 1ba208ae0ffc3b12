"""Gymnasium environments of four solitaire games: exact, hard and fast.

Importing the package registers an environment a variant, as `solitaire_env/SanJuanHill-v0`.
"""

from importlib import import_module
from typing import Any

from solitaire_env.envs.registration import env_id, register, register_variants
from solitaire_env.rulesheet import RuleSheet, RuleSheetError
from solitaire_env.variants import VARIANTS

__version__ = "0.1.0"

_LAZY = {
    "MaskInObservation": "solitaire_env.envs.wrappers",
    "Move": "solitaire_env.notation",
    "SolitaireEnv": "solitaire_env.envs.env",
    "SolitaireVectorEnv": "solitaire_env.envs.vector_env",
    "UnpackObservation": "solitaire_env.envs.wrappers",
}
"""Names whose modules import the engine, and so numba: looked up when first used."""

__all__ = ["VARIANTS", "RuleSheet", "RuleSheetError", "__version__", "env_id", "register"]
__all__ += sorted(_LAZY)

register_variants()


def __getattr__(name: str) -> Any:
    """Import what is not needed to register the environments."""
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
