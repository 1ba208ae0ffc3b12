"""What a player remembers of its own games, so as not to go round in circles."""

import numpy as np
import numpy.typing as npt

from agents.compiled import entry
from agents.layout import Layout
from solitaire_env.engine.compile import kernel
from solitaire_env.evaluation import BoolArray, ByteArray, IntArray

Words = npt.NDArray[np.uint64]

TRIED_SLOTS = 2048
"""Places of a game's memory of actions taken; it forgets all when three quarters are full."""


def position_words(size: int) -> Words:
    """Give a random word for each byte of what is seen, for `hash_position`: (size,)."""
    return np.random.default_rng(0).integers(1, 2**64, size, np.uint64)


@kernel
def hash_position(seen: ByteArray, words: Words, size: int) -> np.uint64:
    """Hash the first `size` bytes of what is seen: all but the counters, which never come back."""
    total = np.uint64(0)
    for place in range(size):
        total += words[place] * np.uint64(seen[place])
    return total


@kernel
def _key(position: np.uint64, action: int) -> np.uint64:
    """Give the key, never 0, of an action in a position of this hash."""
    word = position + np.uint64(action + 1) * np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (word ^ (word >> np.uint64(31))) | np.uint64(1)


@kernel
def _slot(tried: Words, key: np.uint64) -> int:
    """Find a key's place in a memory (slots,), or the free one where it belongs."""
    slot = np.int64(key >> np.uint64(32)) % (len(tried) - 1)
    while tried[slot] != 0 and tried[slot] != key:
        slot = (slot + 1) % (len(tried) - 1)
    return slot


@kernel
def was_tried(tried: Words, position: np.uint64, action: int) -> bool:
    """Tell whether an action was taken before in a position of this hash."""
    return tried[_slot(tried, _key(position, action))] != 0


@kernel
def remember(tried: Words, position: np.uint64, action: int) -> None:
    """Note that an action is taken; the last place of a memory counts what is noted."""
    if tried[-1] * np.uint64(4) > np.uint64(3 * len(tried)):
        tried[:] = np.uint64(0)
    key = _key(position, action)
    slot = _slot(tried, key)
    if tried[slot] == 0:
        tried[slot] = key
        tried[-1] += np.uint64(1)


@entry
def _forbid(
    observations: ByteArray, words: Words, size: int, rows: IntArray, tried: Words, masks: BoolArray
) -> None:
    """Take the tried actions out of masks (k, A), unless that would leave none."""
    for index in range(len(rows)):
        position = hash_position(observations[index], words, size)
        memory, mask = tried[rows[index]], masks[index]
        left = 0
        for action in range(len(mask)):
            left += mask[action] and not was_tried(memory, position, action)
        for action in range(len(mask)):
            if left > 0 and mask[action] and was_tried(memory, position, action):
                mask[action] = False


@entry
def _note(
    observations: ByteArray,
    words: Words,
    size: int,
    rows: IntArray,
    tried: Words,
    actions: IntArray,
) -> None:
    """Remember the actions (k,)."""
    for index in range(len(rows)):
        position = hash_position(observations[index], words, size)
        remember(tried[rows[index]], position, actions[index])


class LoopMemory:
    """Remembers, game by game, which actions were taken in which position.

    A position is what is seen but for the counters, which never come back.

    Args:
        layout: of the game.
    """

    def __init__(self, layout: Layout) -> None:
        # The counters come last in every observation.
        self._size = layout.places["counters"][0]
        self._words = position_words(self._size)
        self._tried = np.zeros((0, TRIED_SLOTS), np.uint64)

    def reset(self, rows: IntArray) -> None:
        """Forget the games of rows (k,)."""
        self._tried = with_rows(self._tried, rows)
        self._tried[rows] = 0

    def of(self, rows: IntArray) -> Words:
        """Copy what is remembered of some games: (k, slots)."""
        return self._tried[rows]

    def fill(self, tried: Words) -> None:
        """Remember (k, slots) of games 0..k-1."""
        self._tried = tried

    def untried(self, observations: ByteArray, masks: BoolArray, rows: IntArray) -> BoolArray:
        """Mask actions taken before in the same position, unless that leaves none: (k, A)."""
        untried = np.array(masks, np.bool_)
        _forbid(*self._seen(observations), rows, self._tried, untried)
        return untried

    def note(self, observations: ByteArray, actions: IntArray, rows: IntArray) -> None:
        """Remember the actions (k,) taken in these positions."""
        _note(*self._seen(observations), rows, self._tried, actions)

    def _seen(self, observations: ByteArray) -> tuple[ByteArray, Words, int]:
        return np.ascontiguousarray(observations), self._words, self._size


def with_rows(tried: Words, rows: IntArray) -> Words:
    """Give memories (N, slots) that have room for these rows, those there are as they are."""
    missing = int(rows.max(initial=-1)) + 1 - len(tried)
    return np.pad(tried, ((0, missing), (0, 0))) if missing > 0 else tried
