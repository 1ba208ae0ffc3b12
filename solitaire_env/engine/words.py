"""Eight bytes at a time: a 64-bit word holds eight small numbers, the first in its lowest byte."""

import numpy as np

from solitaire_env.engine.compile import kernel, whole, wrapping_kernel

ONES = np.uint64(0x0101010101010101)
SIGNS = np.uint64(0x8080808080808080)
_EVEN_BYTES = np.uint64(0x00FF00FF00FF00FF)
_PAIRS = np.uint64(0x0001000100010001)
_BYTES = 8


@wrapping_kernel
def spread(byte: int) -> np.uint64:
    """Repeat a byte eight times."""
    return np.uint64(byte) * ONES


@wrapping_kernel
def fits_each(keys: np.uint64, group_key: int, cards: int) -> np.uint64:
    """Tell which of eight columns take a group of at most `cards` cards: a byte each, 1 or 0.

    Keys are below 128 less the longest run, so that the top bit of a byte is free to tell a
    difference that is not negative.
    """
    above = (keys | SIGNS) - spread(group_key + 1)
    return (above & ~(above - spread(cards)) & SIGNS) >> np.uint64(7)


@kernel
def first_bytes(count: int) -> np.uint64:
    """Give a word whose first `count` bytes are 1; any count."""
    if count <= 0:
        return np.uint64(0)
    return ONES >> np.uint64(_BYTES * max(_BYTES - count, 0))


@wrapping_kernel
def count_ones(flags: np.uint64) -> int:
    """Count the bytes that are 1, of a word whose bytes are 0 or 1."""
    return whole((flags * ONES) >> np.uint64(56))


@wrapping_kernel
def sum_bytes(word: np.uint64) -> int:
    """Add the bytes of a word up."""
    pairs = (word & _EVEN_BYTES) + ((word >> np.uint64(_BYTES)) & _EVEN_BYTES)
    return whole((pairs * _PAIRS) >> np.uint64(48))


@wrapping_kernel
def nth_one(flags: np.uint64, nth: int) -> int:
    """Find the byte that is the nth 1 (from 0) of a word whose bytes are 0 or 1."""
    ones_up_to = flags * ONES
    beyond = ((ones_up_to | SIGNS) - spread(nth + 1)) & SIGNS
    return _BYTES - count_ones(beyond >> np.uint64(7))
