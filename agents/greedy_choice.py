"""Rule-based choice: the features of every legal action weighed and summed; the highest wins."""

import numpy as np
import numpy.typing as npt

from agents.compiled import entry
from agents.greedy_board import Table, study
from agents.greedy_features import Feature, describe
from agents.memory import Words, hash_position, remember, was_tried
from solitaire_env.engine.compile import kernel
from solitaire_env.evaluation import BoolArray, ByteArray, FloatArray, IntArray

SingleArray = npt.NDArray[np.float32]


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
    position = hash_position(t.seen, t.words, t.counters)
    best, best_score, best_fresh = -1, 0.0, False
    for action in range(len(mask)):
        if not mask[action]:
            continue
        score = _weigh(t, action)
        fresh = not was_tried(tried, position, action)
        if best < 0 or fresh > best_fresh or (fresh == best_fresh and score > best_score):
            best, best_score, best_fresh = action, score, fresh
    if best < 0:
        return 0
    remember(tried, position, best)
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
def weigh_actions(
    table: Table, observations: ByteArray, masks: BoolArray, scores: SingleArray
) -> None:
    """Write the weighed sum of each legal action in some games to `scores` (k, A) float32.

    -inf stands for all others.
    """
    t = table[0]
    for index in range(len(observations)):
        study(t, observations[index])
        for action in range(masks.shape[1]):
            legal = masks[index, action]
            scores[index, action] = _weigh(t, action) if legal else -np.inf


@entry
def score_actions(
    table: Table, observation: ByteArray, mask: BoolArray, tried: Words, scores: FloatArray
) -> None:
    """Write the weighed sum of each legal action not taken before here to `scores` (A,).

    -inf stands for all others. See `choose`; here is one game.
    """
    t = table[0]
    study(t, observation)
    position = hash_position(t.seen, t.words, t.counters)
    for action in range(len(mask)):
        scores[action] = -np.inf
        if mask[action] and not was_tried(tried, position, action):
            scores[action] = _weigh(t, action)


@entry
def is_obvious(table: Table, observation: ByteArray, action: int) -> bool:
    """Tell whether a legal action puts up a card that no other will need.

    Where several cards are drawn, one from the waste changes which come next: never obvious.
    """
    t = table[0]
    study(t, observation)
    describe(t, action)
    ordered = t.said[Feature.WASTE_UP.value] != 0 and t.draw > 1
    return t.said[Feature.SAFE.value] != 0 and not ordered


@entry
def note_action(table: Table, observation: ByteArray, action: int, tried: Words) -> None:
    """Remember an action taken in a position."""
    t = table[0]
    study(t, observation)
    remember(tried, hash_position(t.seen, t.words, t.counters), action)
