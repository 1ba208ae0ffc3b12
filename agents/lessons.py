"""Lessons: recorded games, played again for a network to learn from."""

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path

import gymnasium as gym
import numpy as np
import torch as th

from agents.config import Config
from agents.layout import layout_of
from agents.memory import LoopMemory
from agents.rollouts import Moves
from solitaire_env.envs.registration import env_id, find_sheet
from solitaire_env.replay import Replay


def read_lessons(paths: Iterable[Path], config: Config) -> Moves:
    """Note the moves of recorded games that had a choice, and what they led to.

    Moves that were made before in the same position are left out: they are no choice of ours.

    Args:
        paths: of records that `evaluate(record=...)` wrote, of the variant that is trained.
        config: of the training: what cards and wins are worth, now and a move later.

    Raises:
        ReplayError: for a record that is broken, or of other rules.
    """
    reader = _Reader(config)
    games = [reader.read(Replay.load(path)) for path in paths]
    return Moves(*(th.cat([getattr(game, part.name) for game in games]) for part in fields(Moves)))


class _Reader:
    """Plays recorded games again, one at a time."""

    def __init__(self, config: Config) -> None:
        sheet = find_sheet(config.run.variant)
        self._config = config
        self._env = gym.make(env_id(sheet), reward=config.env.reward).unwrapped
        self._memory = LoopMemory(layout_of(self._env))

    def read(self, game: Replay) -> Moves:
        """Note a game's moves that had a choice."""
        row, told = np.zeros(1, np.int64), []
        self._memory.reset(row)
        seen, info = self._env.reset(options=game.start)
        for action in game.actions:
            seen, legal = seen[None].copy(), info["action_mask"][None]
            mask = self._memory.untried(seen, legal, row)
            self._memory.note(seen, np.array([action]), row)
            after, reward, _, _, info = self._env.step(action)
            told.append((seen[0], mask[0], action, self._worth(float(reward), info)))
            seen = after
        return self._moves(*map(np.array, zip(*told, strict=True)))

    def _worth(self, reward: float, info: dict[str, object]) -> float:
        """Give what a step is worth in training."""
        env = self._config.env
        return env.reward_scale * reward + env.win_bonus * bool(info.get("is_success"))

    def _moves(
        self, seen: np.ndarray, masks: np.ndarray, actions: np.ndarray, worth: np.ndarray
    ) -> Moves:
        """Put a game's moves together, those left out that were no choice."""
        returns, ahead = np.zeros_like(worth), 0.0
        for step in reversed(range(len(worth))):
            returns[step] = ahead = worth[step] + self._config.ppo.gamma * ahead
        free = (masks.sum(axis=1) > 1) & masks[np.arange(len(actions)), actions]
        none = np.zeros(len(worth))
        parts = (seen, masks, actions, none, none, returns, none)
        return Moves(*(_tensor(part[free]) for part in parts))


def _tensor(part: np.ndarray) -> th.Tensor:
    return th.from_numpy(part.astype(np.float32) if part.dtype == np.float64 else part)
