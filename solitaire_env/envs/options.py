"""What users may pass to the environments: checked here, trusted further in."""

from collections.abc import Iterable, Mapping
from math import isfinite
from numbers import Real
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from solitaire_env.engine.generator import LAST_DEAL
from solitaire_env.engine.settings import Illegal, Observability, Reward, settings_record
from solitaire_env.engine.state import IntArray
from solitaire_env.notation import is_whole
from solitaire_env.render.felts import FELTS
from solitaire_env.rulesheet import RuleSheet

RENDER_MODES: Final = ("ansi", "rgb_array", "human")
BATCH_RENDER_MODES: Final = ("ansi", "rgb_array")


class OptionError(ValueError):
    """A keyword argument or reset option with a value that is not accepted."""


class ActionError(ValueError):
    """An action that is no action number of the environment, or comes after the end."""


class IllegalActionError(ActionError):
    """An action that the mask forbids, under `illegal="raise"`."""


def one_of(name: str, value: object, accepted: Iterable[object]) -> None:
    """Raise OptionError unless a value is among those accepted."""
    choices = list(accepted)
    if not any(
        value is choice or (value == choice and type(value) is type(choice)) for choice in choices
    ):
        raise OptionError(f"{name} is {value!r}, accepted are {', '.join(map(repr, choices))}")


def whole_number(name: str, value: object, lowest: int, highest: int) -> int:
    """Return a value as an int, or raise OptionError unless it is a whole number in range."""
    if not is_whole(value) or not lowest <= int(value) <= highest:
        raise OptionError(f"{name} is {value!r}, accepted are whole numbers {lowest}..{highest}")
    return int(value)


def real_number(name: str, value: object) -> float:
    """Return a value as a float, or raise OptionError unless it is a finite number from 0."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not isfinite(value) or value < 0:  # type: ignore[arg-type, operator]
        raise OptionError(f"{name} is {value!r}, accepted are finite numbers from 0")
    return float(value)  # type: ignore[arg-type]


def read_array(value: Any) -> npt.NDArray[Any]:
    """Read an array; a ragged one as an empty one of objects, which no check accepts."""
    try:
        return np.asarray(value)
    except ValueError:
        return np.empty(0, object)


def check_settings(
    sheet: RuleSheet,
    *,
    reward: str,
    observability: str,
    illegal: str,
    illegal_penalty: float,
    seconds_per_move: float,
    streaks: bool,
    no_progress_limit: int | None,
    max_episode_steps: int | None = None,
) -> npt.NDArray[Any]:
    """Check the keyword arguments that the kernels read, and put them into a settings record.

    Raises:
        OptionError: naming the argument, its value and what is accepted.
    """
    one_of("streaks", streaks, (False, True))
    if no_progress_limit is None:
        no_progress_limit = sheet.limits.no_progress
    steps = 0
    if max_episode_steps is not None:
        steps = whole_number("max_episode_steps", max_episode_steps, 1, 2**31)
    return settings_record(
        reward=_index("reward", reward, Reward),
        observability=_index("observability", observability, Observability),
        illegal=_index("illegal", illegal, Illegal),
        illegal_penalty=real_number("illegal_penalty", illegal_penalty),
        seconds_per_move=real_number("seconds_per_move", seconds_per_move),
        streaks=int(streaks),
        no_progress_limit=whole_number("no_progress_limit", no_progress_limit, 1, 2**31),
        max_episode_steps=steps,
    )


def _index(name: str, value: object, accepted: Any) -> int:
    one_of(name, value, [member.name.lower() for member in accepted])
    return int(accepted[str(value).upper()])


def check_look(render_mode: str | None, felt: str, modes: tuple[str, ...] = RENDER_MODES) -> None:
    """Raise OptionError unless render mode and felt are known."""
    one_of("render_mode", render_mode, (None, *modes))
    one_of("felt", felt, FELTS)


def check_autoreset_mode(value: AutoresetMode | str) -> AutoresetMode:
    """Read an autoreset mode, given as the enum or as its value."""
    if isinstance(value, AutoresetMode):
        return value
    one_of("autoreset_mode", value, [mode.value for mode in AutoresetMode])
    return AutoresetMode(value)


def check_reset_options(
    options: Mapping[str, Any] | None, accepted: tuple[str, ...]
) -> dict[str, Any]:
    """Return reset options as a dict, or raise OptionError for one that is not accepted."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise OptionError(f"options is {options!r}, accepted is a dict with the keys {accepted}")
    for name in options:
        one_of("a reset option", name, accepted)
    given = [name for name in options if name != "reset_mask"]
    if len(given) > 1:
        raise OptionError(f"the reset options {given} exclude each other: give one")
    return dict(options)


def check_deal(value: object) -> int:
    """Return a deal number, or raise OptionError."""
    return whole_number("deal", value, 0, LAST_DEAL)


def check_deals(value: object, count: int) -> IntArray:
    """Return (count,) deal numbers as int64, or raise OptionError."""
    deals = read_array(value)
    if deals.shape != (count,) or deals.dtype.kind not in "iu":
        raise OptionError(
            f"deals is of shape {deals.shape} and {deals.dtype}, accepted is ({count},) of int64"
        )
    wrong = deals[(deals < 0) | (deals > LAST_DEAL)]
    if len(wrong):
        raise OptionError(f"deal is {wrong[0]}, accepted are whole numbers 0..{LAST_DEAL}")
    return deals.astype(np.int64)


def check_action(action: object, count: int) -> int:
    """Return an action number, or raise ActionError."""
    if type(action) is int or isinstance(action, np.integer):
        number = int(action)
    elif (
        isinstance(action, np.ndarray) and action.shape in ((), (1,)) and action.dtype.kind in "iu"
    ):
        number = int(action.reshape(()))
    else:
        raise ActionError(f"action is {action!r}, accepted are whole numbers 0..{count - 1}")
    if not 0 <= number < count:
        raise ActionError(f"action is {number}, accepted are whole numbers 0..{count - 1}")
    return number


def check_actions(
    actions: object, rows: int, count: int, ignored: npt.NDArray[np.bool_]
) -> IntArray:
    """Return (rows,) action numbers as int64, 0 in rows that are ignored, or raise ActionError."""
    array = read_array(actions)
    accepted = f"accepted are ({rows},) whole numbers 0..{count - 1}"
    if array.shape != (rows,) or array.dtype.kind not in "iu":
        raise ActionError(f"actions are of shape {array.shape} and {array.dtype}, {accepted}")
    wrong = (array < 0) | (array >= count)
    if wrong.any():
        wrong &= ~ignored
        if wrong.any():
            row = int(np.argmax(wrong))
            raise ActionError(f"action {array[row]} in row {row}, {accepted}")
        array = np.where(ignored, 0, array)
    return np.ascontiguousarray(array, np.int64)


def check_seed(seed: object) -> int:
    """Return a seed, or raise OptionError unless it is a whole number from 0."""
    if not is_whole(seed) or int(seed) < 0:
        raise OptionError(f"seed is {seed!r}, accepted are whole numbers from 0")
    return int(seed)
