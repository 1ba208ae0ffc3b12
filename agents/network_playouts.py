"""A network within a search: it ranks moves, plays guessed games on, and says what they promise."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
import torch as th

from agents.chunks import in_chunks
from agents.greedy import load_weights
from agents.greedy_playouts import GreedyInside, worth_of
from agents.layout import layout_of_variant
from agents.memory import LoopMemory, Words
from agents.network import TableNetwork
from agents.stepping import Stepper
from solitaire_env.engine.state import Games, Outcome
from solitaire_env.engine.table import Table
from solitaire_env.envs.options import whole_number
from solitaire_env.policies import BoolArray, ByteArray, FloatArray, IntArray

SETTLED: Final = 0.99
"""Probability of an action that needs no search."""

CHUNK: Final = 128
"""Games that go through the network at once."""

UNLIKELY: Final = 0.005
"""Probability below which an action is not tried."""


class _Choice(NamedTuple):
    """The next move in many games (k,), which is not made yet.

    Attributes:
        rows: (r,) games that are not over.
        open: (r,) actions to choose among.
        actions: (k,) the chosen ones, 0 where games are over.
        expected: (r,) what the network expects.
    """

    rows: IntArray
    open: IntArray
    actions: IntArray
    expected: FloatArray


class NetworkInside:
    """A trained network within a search: see `search.Inside`.

    Games are played on a few moves, always the most probable, side by side; then they are worth
    the cards on the foundations and what the network expects, in the units of its training.

    Args:
        variant: a rule sheet's name.
        network: observations (B, n) uint8 to logits (B, A) and values (B,).
        config: of the network's training, sections and keys.
        horizon: moves after which the network's expectation stands for the rest.

    Raises:
        ValueError: for a number out of range, by its name.
    """

    _SHORTEST = 1

    def __init__(
        self, variant: str, network: TableNetwork, config: dict[str, Any], horizon: int
    ) -> None:
        self._network = lambda seen: th.column_stack(network(seen))
        self._card, self._win = config["env"]["reward_scale"], config["env"]["win_bonus"]
        self._horizon = whole_number("horizon", horizon, self._SHORTEST, 2**20)
        self._memory = LoopMemory(layout_of_variant(variant))

    def rank(self, seen: ByteArray, masks: BoolArray) -> FloatArray:
        """Give the logarithms of the probabilities: see `search.Inside`."""
        scores = np.where(masks, self._ask(seen)[0], -np.inf)
        scores -= np.logaddexp.reduce(scores, axis=1, keepdims=True)
        return np.where(scores < np.log(UNLIKELY), -np.inf, scores)

    def is_settled(self, seen: ByteArray, scores: FloatArray) -> BoolArray:
        """Tell where the network has hardly a doubt."""
        return scores.max(axis=1) > np.log(SETTLED)

    def play_out(
        self, table: Table, firsts: IntArray, tried: Words, owners: IntArray
    ) -> FloatArray:
        """Play games on: see `search.Inside`."""
        games, worth = table.games, np.full(len(firsts), np.nan)
        for choice in self._play_on(table, firsts, tried, owners):
            rows = choice.rows
            # What is expected where there is no choice was never trained.
            free = (choice.open > 1) | np.isnan(worth[rows])
            worth[rows[free]] = (self._earned(games)[rows] + choice.expected)[free]
        return np.where(games.outcome == 0, worth, self._earned(games))

    def _play_on(
        self, table: Table, firsts: IntArray, tried: Words, owners: IntArray
    ) -> Iterator[_Choice]:
        """Play the horizon's moves, and tell what the network would do after each."""
        games, stepper, actions = table.games, Stepper(table), firsts
        self._memory.fill(tried[owners])
        for _ in range(self._horizon):
            seen, masks = stepper.step(actions)
            rows = np.flatnonzero(games.outcome == 0)
            if not len(rows):
                break
            untried = self._memory.untried(seen[rows], masks[rows], rows)
            logits, expected = self._ask(seen[rows])
            actions = np.zeros(len(firsts), np.int64)
            actions[rows] = np.where(untried, logits, -np.inf).argmax(axis=1)
            self._memory.note(seen[rows], actions[rows], rows)
            yield _Choice(rows, untried.sum(axis=1), actions, expected)

    def _earned(self, games: Games) -> FloatArray:
        """Give what games brought so far, (k,), in the units of the network's training."""
        return self._card * games.foundation_cards + self._win * (games.outcome == Outcome.WON)

    def _ask(self, seen: ByteArray) -> tuple[FloatArray, FloatArray]:
        """Ask the network: logits (k, A) and values (k,)."""
        said = in_chunks(self._network, seen, CHUNK)
        return said[:, :-1], said[:, -1]


class FinishedInside(NetworkInside):
    """A network whose games the rule-based player brings to their ends: see `search.Inside`.

    Then they are worth what they are to that player. With a horizon of 0 moves the network says
    which moves are tried, and nothing else.

    Args:
        variant: a rule sheet's name.
        network: see `NetworkInside`.
        config: see `NetworkInside`.
        horizon: moves by the network, before the other's.
    """

    _SHORTEST = 0

    def __init__(
        self, variant: str, network: TableNetwork, config: dict[str, Any], horizon: int
    ) -> None:
        super().__init__(variant, network, config, horizon)
        self._finisher = GreedyInside(variant, load_weights(variant))

    def is_settled(self, seen: ByteArray, scores: FloatArray) -> BoolArray:
        """Tell where the network has hardly a doubt, or puts up a card that no other will need."""
        return super().is_settled(seen, scores) | self._finisher.is_settled(seen, scores)

    def play_out(
        self, table: Table, firsts: IntArray, tried: Words, owners: IntArray
    ) -> FloatArray:
        """Play games to their ends: see `search.Inside`."""
        actions = firsts
        for choice in self._play_on(table, firsts, tried, owners):
            actions = choice.actions
        rows = np.flatnonzero(table.games.outcome == 0)
        rest = Table(table.sheet, len(rows), table.settings)
        rest.games[:] = table.games[rows]
        memories = self._memory.of(rows)
        self._finisher.play_out(rest, actions[rows], memories, np.arange(len(rows)))
        table.games[rows] = rest.games
        return worth_of(table)
