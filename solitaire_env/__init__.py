"""Gymnasium environments of four solitaire games: exact, hard and fast.

Importing the package registers an environment a variant, as `solitaire_env/SanJuanHill-v0`.
"""

from solitaire_env.envs.registration import env_id, register, register_variants
from solitaire_env.rulesheet import RuleSheet, RuleSheetError
from solitaire_env.variants import VARIANTS

__version__ = "0.1.0"
__all__ = ["VARIANTS", "RuleSheet", "RuleSheetError", "__version__", "env_id", "register"]

register_variants()
