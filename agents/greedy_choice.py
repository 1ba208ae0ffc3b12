"""Rule-based choice: the features of every legal action weighed and summed; the highest wins."""

import numpy as np
import numpy.typing as npt

from agents.greedy_board import Table, View, entry, kernel, study
from agents.greedy_features import describe
from solitaire_env.evaluation import BoolArray, ByteArray, FloatArray, IntArray

Words = npt.NDArray[np.uint64]

TRIED_SLOTS = 2048
"""Places of a game's memory of actions taken; it forgets all when three quarters are full."""


@kernel
def _hash_position(view: View, seen: ByteArray, words: Words) -> np.uint64:
    """Hash what is seen but for the counters, which never come back; words (n,) are random."""
    total = np.uint64(0)
    for place in range(view.counters):
        total += words[place] * np.uint64(seen[place])
    return total


@kernel
def _mixed(word: np.uint64, action: int) -> np.uint64:
    """Give the key, never 0, of an action in a position of this hash."""
    word += np.uint64(action + 1) * np.uint64(0x9E3779B97F4A7C15)
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
def _weigh(weights: FloatArray, f: FloatArray) -> float:
    total = 0.0
    for feature in range(len(f)):
        total += weights[feature] * f[feature]
    return total


@kernel
def _best(
    t: Table,
    weights: FloatArray,
    mask: BoolArray,
    position: np.uint64,
    tried: Words,
    f: FloatArray,
) -> int:
    """Give the best legal action not taken before in this position; if all were, the best."""
    best, best_score, best_fresh = -1, 0.0, False
    for action in range(len(mask)):
        if not mask[action]:
            continue
        describe(t, action, f)
        score = _weigh(weights, f)
        fresh = tried[_slot(tried, _mixed(position, action))] == 0
        if best < 0 or fresh > best_fresh or (fresh == best_fresh and score > best_score):
            best, best_score, best_fresh = action, score, fresh
    return best


@kernel
def decide(
    view: View,
    weights: FloatArray,
    words: Words,
    seen: ByteArray,
    mask: BoolArray,
    tried: Words,
    f: FloatArray,
    needs: IntArray,
    runs: IntArray,
) -> int:
    """Choose in one game, and remember: see `choose`."""
    t = study(view, seen, needs, runs)
    position = _hash_position(view, seen, words)
    action = _best(t, weights, mask, position, tried, f)
    if action < 0:
        return 0
    _remember(tried, _mixed(position, action))
    return action


@entry
def choose(
    view: View,
    weights: FloatArray,
    words: Words,
    observations: ByteArray,
    masks: BoolArray,
    rows: IntArray,
    tried: Words,
    f: FloatArray,
    needs: IntArray,
    runs: IntArray,
    actions: IntArray,
) -> None:
    """Choose in some games of a batch, and remember.

    Args:
        view: the game.
        weights: (len(Feature),).
        words: (n,) random, for hashing positions.
        observations: (k, n) uint8.
        masks: (k, A) bool.
        rows: (k,) the games' rows in `tried`.
        tried: (N, slots) uint64, what each game remembers.
        f: (len(Feature),) scratch space, as are the next two.
        needs: (UNKNOWN + 1,).
        runs: (columns,).
        actions: (k,) where the choices go; 0 where none is legal.
    """
    for index in range(len(rows)):
        mask, memory = masks[index], tried[rows[index]]
        seen = observations[index]
        actions[index] = decide(view, weights, words, seen, mask, memory, f, needs, runs)


@entry
def score_actions(
    view: View,
    weights: FloatArray,
    words: Words,
    seen: ByteArray,
    mask: BoolArray,
    tried: Words,
    f: FloatArray,
    needs: IntArray,
    runs: IntArray,
    scores: FloatArray,
) -> None:
    """Write the weighed sum of each legal action not taken before here to `scores` (A,).

    -inf stands for all others. See `choose`; here is one game.
    """
    t = study(view, seen, needs, runs)
    position = _hash_position(view, seen, words)
    for action in range(len(mask)):
        scores[action] = -np.inf
        if mask[action] and tried[_slot(tried, _mixed(position, action))] == 0:
            describe(t, action, f)
            scores[action] = _weigh(weights, f)


@entry
def note_action(view: View, words: Words, seen: ByteArray, action: int, tried: Words) -> None:
    """Remember an action taken in a position."""
    _remember(tried, _mixed(_hash_position(view, seen, words), action))
