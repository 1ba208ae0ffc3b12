"""Environment ids: one a rule sheet, in the package's namespace."""

import gymnasium as gym

from solitaire_env.rulesheet import RuleSheet, RuleSheetError
from solitaire_env.variants import VARIANTS

NAMESPACE = "solitaire_env"
VERSION = 0

_sheets: dict[str, RuleSheet] = {}


def env_id(sheet: RuleSheet) -> str:
    """Give the environment's id of a rule sheet: `solitaire_env/BigBertha-v0`."""
    return f"{NAMESPACE}/{sheet.camel_name}-v{VERSION}"


def register(sheet: RuleSheet) -> str:
    """Make environments of a rule sheet, single and vector, through Gymnasium's own doors.

    Args:
        sheet: its id must be new, and not only in capitals, as folders and people mix those up;
            registering the same sheet again changes nothing.

    Returns:
        The id for `gym.make` and `gym.make_vec`.

    Raises:
        RuleSheetError: if another sheet has that id.
    """
    if not isinstance(sheet, RuleSheet):
        raise RuleSheetError(f"{sheet!r} is no RuleSheet")
    for known in _sheets.values():
        if env_id(known).lower() == env_id(sheet).lower() and known != sheet:
            raise RuleSheetError(f"another sheet is registered as {env_id(known)}: rename this one")
    if sheet.name not in _sheets:
        _sheets[sheet.name] = sheet
        gym.register(
            id=env_id(sheet),
            entry_point="solitaire_env.envs.env:SolitaireEnv",
            vector_entry_point="solitaire_env.envs.vector_env:SolitaireVectorEnv",
            max_episode_steps=sheet.limits.episode_steps,
            kwargs={"variant": sheet.name},
        )
    return env_id(sheet)


def register_variants() -> None:
    """Register the games of `variants/`."""
    for sheet in VARIANTS.values():
        register(sheet)


def registered_sheets() -> tuple[RuleSheet, ...]:
    """List the sheets that are registered, the package's own first."""
    return tuple(_sheets.values())


def find_sheet(name: object) -> RuleSheet:
    """Find a registered rule sheet by name; ValueError lists the names there are."""
    if isinstance(name, str) and name in _sheets:
        return _sheets[name]
    raise ValueError(f"variant is {name!r}, accepted are {', '.join(sorted(_sheets))}")
