"""Rule-based choice: the features of every legal action weighed and summed; the highest wins."""

import numpy as np
import numpy.typing as npt

from agents.greedy_board import Table, entry, study
from agents.greedy_features import Feature, describe
from solitaire_env.engine.compile import kernel
from solitaire_env.evaluation import BoolArray, ByteArray, FloatArray, IntArray

Words = npt.NDArray[np.uint64]

TRIED_SLOTS = 2048
"""Places of a game's memory of actions taken; it forgets all when three quarters are full."""


@kernel
def _hash_position(t: Table) -> np.uint64:
    """Hash what is seen but for the counters, which never come back."""
    total = np.uint64(0)
    for place in range(t.counters):
        total += t.words[place] * np.uint64(t.seen[place])
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
def _remember(tried: Words, key: np.uint64) -> None:
    """Note a key; the last place counts them."""
    if tried[-1] * np.uint64(4) > np.uint64(3 * len(tried)):
        tried[:] = np.uint64(0)
    slot = _slot(tried, key)
    if tried[slot] == 0:
        tried[slot] = key
        tried[-1] += np.uint64(1)


@kernel
def _weigh(t: Table, action: int) -> float:
    """Sum up what is to be said of a legal action."""
    describe(t, action)
    total = 0.0
    for feature in range(len(t.said)):
        total += t.weights[feature] * t.said[feature]
    return total


@kernel
def decide(t: Table, observation: ByteArray, mask: BoolArray, tried: Words) -> int:
    """Give the best legal action not taken before in a position, and remember it.

    If all were taken, the best; 0 where none is legal.
    """
    study(t, observation)
    position = _hash_position(t)
    best, best_score, best_fresh = -1, 0.0, False
    for action in range(len(mask)):
        if not mask[action]:
            continue
        score = _weigh(t, action)
        fresh = tried[_slot(tried, _key(position, action))] == 0
        if best < 0 or fresh > best_fresh or (fresh == best_fresh and score > best_score):
            best, best_score, best_fresh = action, score, fresh
    if best < 0:
        return 0
    _remember(tried, _key(position, best))
    return best


@entry
def choose(
    table: Table,
    observations: ByteArray,
    masks: BoolArray,
    rows: IntArray,
    tried: Words,
    actions: IntArray,
) -> None:
    """Choose in some games of a batch, and remember.

    Args:
        table: (1,) record to study them on.
        observations: (k, n) uint8.
        masks: (k, A) bool.
        rows: (k,) the games' rows in `tried`.
        tried: (N, slots) uint64, what each game remembers.
        actions: (k,) where the choices go; 0 where none is legal.
    """
    for index in range(len(rows)):
        memory = tried[rows[index]]
        actions[index] = decide(table[0], observations[index], masks[index], memory)


@entry
def score_actions(
    table: Table, observation: ByteArray, mask: BoolArray, tried: Words, scores: FloatArray
) -> None:
    """Write the weighed sum of each legal action not taken before here to `scores` (A,).

    -inf stands for all others. See `choose`; here is one game.
    """
    t = table[0]
    study(t, observation)
    position = _hash_position(t)
    for action in range(len(mask)):
        scores[action] = -np.inf
        if mask[action] and tried[_slot(tried, _key(position, action))] == 0:
            scores[action] = _weigh(t, action)


@entry
def is_obvious(table: Table, observation: ByteArray, action: int) -> bool:
    """Tell whether a legal action puts up a card that no other will need.

    Where several cards are drawn, one from the waste changes which come next: never obvious.
    """
    t = table[0]
    study(t, observation)
    describe(t, action)
    ordered = t.said[Feature.WASTE_UP] != 0 and t.draw > 1
    return t.said[Feature.SAFE] != 0 and not ordered


@entry
def note_action(table: Table, observation: ByteArray, action: int, tried: Words) -> None:
    """Remember an action taken in a position."""
    study(table[0], observation)
    _remember(tried, _key(_hash_position(table[0]), action))
