"""The arrays that a vector environment's step writes: fresh ones, or a caller's own."""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from solitaire_env.engine.state import BoolArray, ByteArray, FloatArray, MaskArray
from solitaire_env.engine.table import Table
from solitaire_env.envs.options import OptionError


class StepOut(NamedTuple):
    """Buffers that `step(actions, out=...)` writes in place of fresh arrays.

    Attributes:
        observations: (N, n) uint8, contiguous.
        action_mask: (N, A) int8, contiguous.
        rewards: (N,) float64.
        terminated: (N,) bool.
        truncated: (N,) bool.
    """

    observations: ByteArray
    action_mask: MaskArray
    rewards: FloatArray
    terminated: BoolArray
    truncated: BoolArray


def fresh_out(table: Table) -> StepOut:
    """Make buffers for a step of a table's games."""
    observations, masks = table.new_outputs()
    count = len(observations)
    flags = (np.empty(count, np.bool_), np.empty(count, np.bool_))
    return StepOut(observations, masks, np.empty(count), *flags)


def check_out(out: StepOut, table: Table) -> StepOut:
    """Return a caller's buffers; OptionError unless they are as fresh ones are, and apart."""
    names = StepOut._fields
    if not isinstance(out, tuple) or len(out) != len(names):
        raise OptionError(f"out is {type(out).__name__}, accepted is a StepOut of {names}")
    out = StepOut(*out)
    for name, given, fresh in zip(names, out, fresh_out(table), strict=True):
        if not _is_writable(given) or given.shape != fresh.shape or given.dtype != fresh.dtype:
            accepted = f"{_form(fresh)}, contiguous and writable"
            raise OptionError(f"out.{name} is {_form(given)}, accepted is {accepted}")
    for one, other in combinations(names, 2):
        if np.may_share_memory(getattr(out, one), getattr(out, other)):
            raise OptionError(f"out.{one} and out.{other} share memory, accepted are apart ones")
    return out


def _form(given: Any) -> str:
    """Describe an array by shape and type, anything else by what it is."""
    if isinstance(given, np.ndarray):
        return f"{given.shape} {given.dtype}"
    return repr(given)


def _is_writable(array: Any) -> bool:
    flags = array.flags if isinstance(array, np.ndarray) else None
    return flags is not None and flags.c_contiguous and flags.writeable
