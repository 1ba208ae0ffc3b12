"""Records of games: what they hold, and whether they can be played here.

A record is a dict of JSON values: `variant`, `env_id`, `rules` (a digest of the sheet), `deal` or
`position`, `kwargs`, `actions`, `versions`; how the game ended, where that is known; and `policy`,
what a player thought of each action, where it told.
"""

import gzip
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from math import inf, nan
from pathlib import Path
from typing import Any, Final, cast

import numpy as np

from solitaire_env.envs.registration import env_id, find_sheet
from solitaire_env.notation import Position, is_whole
from solitaire_env.rulesheet import RuleSheet

MAX_BYTES: Final = 32 * 2**20
"""Of a record's text; what is larger is not read."""

MAX_ACTIONS: Final = 100_000
"""Of a record: all its tables are kept in memory, some kilobytes each."""

_LARGEST: Final = sys.float_info.max
_GZIP: Final = b"\x1f\x8b"
_NAMES: Final = ("name", "title", "source", "honour")
"""What a sheet says of a game without ruling it."""


class ReplayError(ValueError):
    """A record that can't be played: it says what is wrong with it."""


def rules_digest(sheet: RuleSheet) -> str:
    """Digest what a sheet rules: equal for the same rules, whatever the game is called."""
    rules = {name: value for name, value in asdict(sheet).items() if name not in _NAMES}
    return sha256(json.dumps(rules, sort_keys=True).encode()).hexdigest()[:16]


def package_versions() -> dict[str, str]:
    """Name the versions that results may depend on."""
    import solitaire_env

    told = {"solitaire_env": solitaire_env.__version__}
    for name in ("gymnasium", "numpy", "numba", "torch"):
        with suppress(PackageNotFoundError):
            told[name] = version(name)
    return told


def game_record(
    variant: str,
    deal: int,
    actions: Sequence[int],
    kwargs: Mapping[str, Any],
    position: Position | None = None,
) -> dict[str, Any]:
    """Describe a game so that it can be played again.

    Args:
        variant: a rule sheet's name.
        deal: the deal's number; left out where a position is given.
        actions: action numbers in the order of play.
        kwargs: keyword arguments of the environment.
        position: where the game began, if not at a deal.
    """
    sheet = find_sheet(variant)
    start: dict[str, Any] = {"deal": deal} if position is None else {"position": position}
    return {
        "variant": variant,
        "env_id": env_id(sheet),
        "rules": rules_digest(sheet),
        **start,
        "kwargs": dict(kwargs),
        "actions": list(actions),
        "versions": package_versions(),
    }


@dataclass(frozen=True)
class Thought:
    """What a player thought before an action.

    Attributes:
        value: its estimate of what is to come, or None.
        top: the likeliest actions, each with its probability.

    Raises:
        ValueError: for what is no finite number, no action number or no probability.
    """

    value: float | None = None
    top: tuple[tuple[int, float], ...] = ()

    def __post_init__(self) -> None:
        """Check the numbers, and make them Python's own."""
        value = None if self.value is None else _number(self.value, -_LARGEST, _LARGEST)
        top = tuple((_action(action), _number(chance, 0, 1)) for action, chance in self.top)
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "top", top)

    def to_json(self) -> dict[str, Any]:
        """Give the thought as what JSON can hold."""
        return {"value": self.value, "top": [list(pair) for pair in self.top]}


def _action(value: object) -> int:
    if not is_whole(value) or value < 0:
        raise ValueError(f"a thought's action is {value!r}, accepted are whole numbers from 0")
    return int(value)


def _number(value: Any, low: float, high: float) -> float:
    """Return a number as a float, or raise ValueError unless it is one in range."""
    real = isinstance(value, int | float | np.floating) and not isinstance(value, bool)
    try:
        number = float(value) if real else nan
    except OverflowError:
        number = inf
    if not low <= number <= high:
        raise ValueError(f"a thought holds {value!r}, accepted are numbers {low}..{high}")
    return number


def with_thoughts(record: Mapping[str, Any], thoughts: Sequence[Thought | None]) -> dict[str, Any]:
    """Add what was thought before each action to a record; nothing if nothing was."""
    if not any(thoughts):
        return dict(record)
    return {**record, "policy": [thought and thought.to_json() for thought in thoughts]}


def check_record(told: object) -> None:
    """Raise ReplayError unless this is a record of a rule set that is registered and unchanged."""
    if not isinstance(told, dict):
        raise ReplayError(f"a record is a dict, this is {type(told).__name__}")
    record = cast("dict[str, Any]", told)
    missing = [
        name
        for name in ("variant", "env_id", "rules", "kwargs", "actions", "versions")
        if name not in record
    ]
    if missing or ("deal" in record) == ("position" in record):
        raise ReplayError(f"it lacks {', '.join(missing) or 'one of deal and position'}")
    try:
        sheet = find_sheet(record["variant"])
    except ValueError as error:
        raise ReplayError(str(error)) from None
    _check_rules(sheet, record)
    actions = record["actions"]
    if not isinstance(actions, list) or not all(map(is_whole, cast("list[Any]", actions))):
        raise ReplayError("actions must be a list of whole numbers")
    if len(cast("list[Any]", actions)) > MAX_ACTIONS:
        raise ReplayError(f"it has {len(actions)} actions, accepted are up to {MAX_ACTIONS}")
    if not isinstance(record["kwargs"], dict):
        raise ReplayError(f"kwargs is {record['kwargs']!r}, accepted is a dict")


def _check_rules(sheet: RuleSheet, record: dict[str, Any]) -> None:
    ours = {"env_id": env_id(sheet), "rules": rules_digest(sheet)}
    for name, value in ours.items():
        if record[name] != value:
            raise ReplayError(
                f"the rules of {sheet.name} have changed since: {name} is {record[name]!r} in the "
                f"record (made with {record['versions']}) and {value!r} here"
            )


def read_text(path: Path) -> str:
    """Read a record's text, compressed or not; errors are those of `open`, gzip and UTF-8."""
    with path.open("rb") as file:
        packed = file.read(len(_GZIP)) == _GZIP
        file.seek(0)
        data = (gzip.GzipFile(fileobj=file) if packed else file).read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ReplayError(f"it is larger than {MAX_BYTES} bytes")
    return data.decode()


def read_thoughts(told: object) -> tuple[Thought | None, ...]:
    """Read what `Thought.to_json` gave, one an action; raise ReplayError for anything else."""
    try:
        if not isinstance(told, list):
            raise TypeError
        return tuple(each if each is None else _read_thought(each) for each in told)
    except (TypeError, ValueError, KeyError, AttributeError):
        accepted = 'a list of null or {"value": number or null, "top": [[action, probability]]}'
        raise ReplayError(f"policy must be {accepted}") from None


def _read_thought(told: Any) -> Thought:
    return Thought(told["value"], tuple((action, chance) for action, chance in told["top"]))
