"""Sets of columns, sources and actions: 64-bit words, a bit a member, the first lowest.

Each function stands here in plain Python, for a run with the compiler off, and in `vectors.py` as
the instructions that it compiles to.
"""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from solitaire_env.engine import vectors
from solitaire_env.engine.compile import JIT
from solitaire_env.engine.lowered import LoweredRules, lanes_of
from solitaire_env.engine.state import ByteArray, MaskArray

P = ParamSpec("P")
R = TypeVar("R")

WORD = 64
"""Bits of a word."""

PLAIN: dict[str, Callable[..., Any]] = {}
"""The functions below as they stand here, by name: what tests compare the instructions with."""


def compiled_as(instructions: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Use an intrinsic of `vectors.py` in a plain function's place, where the compiler is on."""

    def choose(plain: Callable[P, R]) -> Callable[P, R]:
        PLAIN[plain.__name__] = plain
        return cast("Callable[P, R]", instructions) if JIT else plain

    return choose


@compiled_as(vectors.members_at)
def members_at(rules: LoweredRules, members: np.uint64, places: ByteArray) -> np.uint64:
    """Give the set of lanes whose place, of (lanes,) uint8 below 64, is a member of a set."""
    lanes = range(min(rules.lanes, WORD))
    return np.uint64(sum((int(members) >> int(places[lane]) & 1) << lane for lane in lanes))


@compiled_as(vectors.write_column_actions)
def write_column_actions(
    rules: LoweredRules,
    words: Any,
    keys: ByteArray,
    runs: ByteArray,
    fills: ByteArray,
    ups: np.uint64,
    space: np.uint64,
) -> None:
    """Write which sources go to which columns to `words`, (n,) uint64: bit source * piles + column.

    A source goes to a column if the column's key is 1 to `runs` above its own; to itself, if it is
    one of `ups`; to one of `space`, if it is one that `fills`. A suit's foundations go where any of
    them does. Zeros follow, to the end of the last word.
    """
    bits, count = 0, rules.sources * rules.piles
    for action in range(count):
        source, target = divmod(action, rules.piles)
        legal = source == target and int(ups) >> source & 1
        for lane in lanes_of(rules, source):
            fits = (int(keys[target]) - int(keys[lane]) - 1) % 256 < int(runs[lane])
            legal = legal or fits or (fills[lane] and int(space) >> target & 1)
        bits |= bool(legal) << action
    for word in range(count // WORD + 1):
        words[word] = bits >> WORD * word & 2**WORD - 1


@compiled_as(vectors.spread_actions)
def spread_actions(rules: LoweredRules, words: Any, out: MaskArray) -> None:
    """Write a set of actions, as words, to `out`, (actions,) int8: 1 for a member, 0 for others."""
    out[:] = np.unpackbits(words.view(np.uint8), bitorder="little")[: rules.num_actions]


@compiled_as(vectors.count_members)
def count_members(members: np.uint64) -> int:
    """Count the members of a set."""
    return int(members).bit_count()


@compiled_as(vectors.nth_member)
def nth_member(members: np.uint64, nth: int) -> int:
    """Find the place of the nth member, from 0, of a set that has so many."""
    return [place for place in range(WORD) if int(members) >> place & 1][nth]


@compiled_as(vectors.any_row)
def any_row(row: int) -> int:
    """Give a row's number as if it could be any.

    Knowing that rows follow each other, the compiler would carry dozens of addresses from row to
    row, one a field, more than a processor has registers for.
    """
    return row
