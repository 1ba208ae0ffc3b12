"""Players of many games at once: what they are asked, and what they may tell of their thoughts."""

from collections.abc import Callable, Sequence
from typing import Final, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from solitaire_env.records import Thought

ByteArray = npt.NDArray[np.uint8]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
SeedArray = npt.NDArray[np.uint64]
FloatArray = npt.NDArray[np.float64]

TOP: Final = 5
"""Actions of a thought at most."""

_LEAST: Final = 0.0005
"""A probability below it is not told: it would be 0.0 %."""

_GAMMA: Final = np.uint64(0x9E3779B97F4A7C15)


@runtime_checkable
class Policy(Protocol):
    """A player of many games at once, each in a row of its own.

    It sees what a player sees, and never a deal's number. What it remembers of a game it keeps
    itself, by row. Chance must come from the seeds (`GameStreams` helps).
    """

    def reset(self, rows: IntArray, seeds: SeedArray) -> None:
        """Learn that new games begin in rows (k,), each with a seed of its own (k,) uint64."""
        ...

    def act(self, observations: ByteArray, masks: BoolArray, rows: IntArray) -> IntArray:
        """Choose an action in some games.

        Args:
            observations: (k, n) uint8.
            masks: (k, A) bool, a legal action in each.
            rows: (k,) which games these are.

        Returns:
            (k,) action numbers, all legal.
        """
        ...


@runtime_checkable
class Thinker(Protocol):
    """A policy that can tell what it thinks; recorders keep it."""

    def think(self, observations: ByteArray, masks: BoolArray, rows: IntArray) -> Sequence[Thought]:
        """Tell a thought a game, in the games that it is to act in next; changes nothing.

        The arguments are those of `Policy.act`.
        """
        ...


def thoughts_of(
    policy: Policy, observations: ByteArray, masks: BoolArray, rows: IntArray
) -> Sequence[Thought | None]:
    """Give what a policy thinks in some games, None in each if it does not tell."""
    if not isinstance(policy, Thinker):
        return [None] * len(rows)
    return policy.think(observations, masks, rows)


def weighed(scores: FloatArray, values: FloatArray | None = None) -> list[Thought]:
    """Make thoughts of what actions score, each e times as probable for a score of one more.

    Args:
        scores: (k, A), -inf for actions that are not weighed, but not for all of a game.
        values: (k,) what is expected of the games; None: nothing is told.
    """
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    likeliest = np.argsort(-chances, axis=1, kind="stable")[:, :TOP]
    told = [None] * len(scores) if values is None else values.tolist()
    return [_thought(*each) for each in zip(chances, likeliest, told, strict=True)]


def _thought(chances: FloatArray, likeliest: IntArray, value: float | None) -> Thought:
    """Tell a game's likeliest actions, in as many digits as are read."""
    top = [(action, round(float(chances[action]), 4)) for action in likeliest.tolist()]
    kept = tuple(pair for pair in top if pair[1] >= _LEAST)
    return Thought(None if value is None else round(value, 4), kept)


class GameStreams:
    """Random numbers that a game owns: they depend on its seed and on how many it drew before."""

    def __init__(self) -> None:
        self._words: dict[int, np.uint64] = {}

    def reset(self, rows: IntArray, seeds: SeedArray) -> None:
        """Start the streams of rows (k,) from seeds (k,)."""
        self._words.update(zip(rows.tolist(), seeds, strict=True))

    def draw(self, rows: IntArray) -> FloatArray:
        """Draw a number from [0, 1) in each of rows (k,); (k,) float64."""
        words = np.array([self._words[row] for row in rows.tolist()], np.uint64) + _GAMMA
        self._words.update(zip(rows.tolist(), words, strict=True))
        return (_mix(words) >> np.uint64(11)).astype(np.float64) * 2.0**-53


class RandomPolicy:
    """Plays any legal action, each as likely; a game's choices depend on its seed alone."""

    def __init__(self) -> None:
        self._streams = GameStreams()

    def reset(self, rows: IntArray, seeds: SeedArray) -> None:
        """Begin games: see `Policy`."""
        self._streams.reset(rows, seeds)

    def act(self, observations: ByteArray, masks: BoolArray, rows: IntArray) -> IntArray:
        """Choose actions: see `Policy`."""
        counts = masks.sum(axis=1)
        chosen = np.floor(self._streams.draw(rows) * counts).astype(np.int64)
        return (masks.cumsum(axis=1) > chosen[:, None]).argmax(axis=1)


def draw_actions(scores: FloatArray, chances: FloatArray, temperature: float = 1.0) -> IntArray:
    """Draw an action a game, (k,): e times as probable for a score that is a temperature higher.

    Args:
        scores: (k, A), -inf for what is impossible.
        chances: (k,) from [0, 1).
        temperature: from 0, which takes the highest score.
    """
    if temperature == 0:
        return scores.argmax(axis=1)
    highest = scores.max(axis=1, keepdims=True)
    sums = np.exp((scores - highest) / temperature).cumsum(axis=1)
    return (sums > (chances * sums[:, -1])[:, None]).argmax(axis=1)


class ScoredPolicy:
    """Draws legal actions by what a function gives them, as a network's logits: no memory.

    Args:
        score: observations (k, n) uint8 to scores (k, A); an action is e times as probable for a
            score of one more, and impossible where it is illegal.
    """

    def __init__(self, score: Callable[[ByteArray], npt.ArrayLike]) -> None:
        self._score = score
        self._streams = GameStreams()

    def reset(self, rows: IntArray, seeds: SeedArray) -> None:
        """Begin games: see `Policy`."""
        self._streams.reset(rows, seeds)

    def act(self, observations: ByteArray, masks: BoolArray, rows: IntArray) -> IntArray:
        """Choose actions: see `Policy`.

        Raises:
            ValueError: for scores of another shape, or none that is finite in a game.
        """
        scores = np.asarray(self._score(observations), np.float64)
        if scores.shape != masks.shape:
            raise ValueError(f"scores are {scores.shape}, accepted are {masks.shape}")
        scores = np.where(masks, scores, -np.inf)
        if not np.isfinite(scores.max(axis=1)).all():
            raise ValueError("scores of legal actions are not finite, accepted is one that is")
        return draw_actions(scores, self._streams.draw(rows))


def random_player(variant: str) -> RandomPolicy:
    """Make the random player, which is the same for every variant."""
    return RandomPolicy()


def _mix(words: SeedArray) -> SeedArray:
    """Scatter 64-bit words (splitmix64's finalizer), so that neighbours have nothing in common."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def game_seeds(seed: int, deals: IntArray) -> SeedArray:
    """Give each deal a seed of its own, from which the deal's number can't be told."""
    start = _mix(np.array([seed % 2**64], np.uint64) + _GAMMA)
    return _mix(start + (deals.astype(np.uint64) + np.uint64(1)) * _GAMMA)
