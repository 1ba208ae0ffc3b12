"""Gymnasium environments of four solitaire games, seven variants in all: exact, hard and fast.

Importing the package registers an environment a variant, as `solitaire_env/SanJuanHill-v0`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from solitaire_env.envs.registration import env_id, register, register_variants
from solitaire_env.rulesheet import RuleSheet, RuleSheetError
from solitaire_env.variants import VARIANTS

if TYPE_CHECKING:
    from solitaire_env.envs.env import SolitaireEnv
    from solitaire_env.envs.vector_env import SolitaireVectorEnv
    from solitaire_env.envs.wrappers import MaskInObservation, UnpackObservation
    from solitaire_env.notation import Move
    from solitaire_env.solved_deals import known_deals

__version__ = "0.1.0"

_LAZY = {
    "MaskInObservation": "solitaire_env.envs.wrappers",
    "Move": "solitaire_env.notation",
    "SolitaireEnv": "solitaire_env.envs.env",
    "SolitaireVectorEnv": "solitaire_env.envs.vector_env",
    "UnpackObservation": "solitaire_env.envs.wrappers",
    "known_deals": "solitaire_env.solved_deals",
}
"""Names whose modules import NumPy, or the engine and so numba: looked up when first used."""

__all__ = [
    "VARIANTS",
    "MaskInObservation",
    "Move",
    "RuleSheet",
    "RuleSheetError",
    "SolitaireEnv",
    "SolitaireVectorEnv",
    "UnpackObservation",
    "__version__",
    "env_id",
    "known_deals",
    "register",
]

register_variants()


def __getattr__(name: str) -> Any:
    """Import what is not needed to register the environments."""
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
