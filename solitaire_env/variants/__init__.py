"""The games, one file each, found by looking in this folder."""

from importlib import import_module
from pkgutil import iter_modules

from solitaire_env.rulesheet import RuleSheet


def _sheets() -> dict[str, RuleSheet]:
    modules = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]
    sheets = [value for module in modules for value in vars(module).values()]
    return {sheet.name: sheet for sheet in sheets if isinstance(sheet, RuleSheet)}


VARIANTS: dict[str, RuleSheet] = _sheets()
"""Name -> rule sheet of every game in this folder."""
