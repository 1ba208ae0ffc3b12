"""Agents at the player's side: which there are, what they would play, and how surely."""

from collections.abc import Mapping
from time import monotonic
from typing import Final

import numpy as np

from solitaire_env.players import load_player
from solitaire_env.policies import BoolArray, ByteArray, Policy, thoughts_of
from solitaire_env.records import Thought
from solitaire_env.web.game import Moment, RefusedError

HINTS: Final = ("ppo", "greedy")
"""Whose choice a hint is: the first that can be loaded here."""

ASKED: Final = 64
"""Times that a player which does not tell its thoughts is asked for its choice, each with another
chance: a probability is the share of them."""

PATIENCE: Final = 0.5
"""Seconds after which a slow player is asked no more."""

_GAME: Final = np.zeros(1, np.int64)


class Advisor:
    """A player that looks at one game.

    It remembers the game as its own, and so does not go in circles. A table that it has seen gets
    the same answer again: the answer does not change when a move is undone.

    Args:
        name: what the page calls it.
        player: the policy; row 0 is the game's, others are asked once and forgotten.
    """

    def __init__(self, name: str, player: Policy) -> None:
        self.name = name
        self._player = player
        self._answers: dict[bytes, tuple[int, Thought | None]] = {}
        player.reset(_GAME, np.zeros(1, np.uint64))

    def choice(self, moment: Moment) -> int:
        """Give the action that it plays now."""
        return self._answer(moment)[0]

    def thought(self, moment: Moment) -> Thought:
        """Give what it thinks: the likeliest actions, each with its probability."""
        return self._answer(moment)[1] or Thought(top=self._sample(moment))

    def _answer(self, moment: Moment) -> tuple[int, Thought | None]:
        if moment.state not in self._answers:
            seen = _seen(moment, 1)
            thought = thoughts_of(self._player, *seen, _GAME)[0]
            self._answers[moment.state] = int(self._player.act(*seen, _GAME)[0]), thought
        return self._answers[moment.state]

    def _sample(self, moment: Moment) -> tuple[tuple[int, float], ...]:
        """Ask for its choice again and again, in rows where it remembers nothing."""
        counts = np.zeros(len(moment.info["action_mask"]), np.int64)
        start, size = monotonic(), 1
        while counts.sum() < ASKED and monotonic() - start < PATIENCE:
            first = 1 + int(counts.sum())
            rows = np.arange(first, min(first + size, ASKED + 1))
            self._player.reset(rows, rows.astype(np.uint64))
            actions = self._player.act(*_seen(moment, len(rows)), rows)
            counts += np.bincount(actions, minlength=len(counts))
            size *= 4
        shares = counts / counts.sum()
        likeliest = np.argsort(-shares, kind="stable")[: np.count_nonzero(counts)].tolist()
        return tuple((action, float(shares[action])) for action in likeliest)


def _seen(moment: Moment, rows: int) -> tuple[ByteArray, BoolArray]:
    """Give what a player sees, and the mask, the same in every row."""
    observations = np.repeat(moment.observation[None], rows, axis=0)
    masks = np.repeat(moment.info["action_mask"][None].astype(np.bool_), rows, axis=0)
    return observations, masks


class Advisors:
    """The players of one game, loaded when they are first asked.

    Args:
        variant: the game's name.
        agents: name -> what `load_player` takes.
        hints: names, the most trusted first.
    """

    def __init__(self, variant: str, agents: Mapping[str, str], hints: tuple[str, ...]) -> None:
        self._variant = variant
        self._agents = agents
        self._hints = hints
        self._loaded: dict[str, Advisor | RefusedError] = {}

    def find(self, name: str | None) -> Advisor:
        """Give a player by name; None: the one that gives hints.

        Raises:
            RefusedError: if it can't be loaded here.
        """
        if name is None and len(self._hints) == 1:
            name = self._hints[0]
        if name is not None:
            return self._load(name)
        for each in self._hints:
            try:
                return self._load(each)
            except RefusedError:
                continue
        raise RefusedError("no agent can be loaded here, so there is no hint")

    def _load(self, name: str) -> Advisor:
        if name not in self._agents:
            raise RefusedError(f"agent: accepted are {', '.join(self._agents)}")
        if name not in self._loaded:
            self._loaded[name] = self._try(name)
        found = self._loaded[name]
        if isinstance(found, RefusedError):
            raise found
        return found

    def _try(self, name: str) -> Advisor | RefusedError:
        try:
            return Advisor(name, load_player(self._agents[name], self._variant))
        except Exception as error:  # a player is anybody's code, and may fail in any way
            said = str(error).partition("\n")[0]
            return RefusedError(f"{name} can't play {self._variant} here: {said}")
