"""Stable-Baselines3's training loop: MaskablePPO against the native batch."""

import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch as th
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from agents.config import Config, ConfigError
from agents.curves import new_bar, new_logger
from agents.layout import layout_of
from agents.ppo import logits_of, new_model
from agents.runs import NETWORKS, last_validation, open_run, save_model
from agents.validation import validate
from solitaire_env.interop.sb3 import SolitaireVecEnv, make_vec_env

BEST, CHECKPOINT = NETWORKS[2:]


def train(config: Config, folder: Path, command: str = "") -> Path:
    """Train by Stable-Baselines3's loop: see `agents.train.train`.

    Returns:
        The path of the model that did best in validation, or of the last without validations.

    Raises:
        ConfigError: also for what only our own loop can do.
    """
    _check(config)
    venv = make_games(config)  # first: nothing is kept of a run whose games can't be made
    open_run(folder, config, command)
    th.set_num_threads(config.run.threads)
    path = folder / CHECKPOINT
    model = MaskablePPO.load(path, venv, device="cpu") if path.exists() else new_model(config, venv)
    left = config.run.total_steps - model.num_timesteps
    if left > 0:
        # Else a run that goes on would draw the deals and the chance of its beginning again.
        model.set_random_seed(_seed_of(config.run.seed, model.num_timesteps))
        model.set_logger(new_logger(folder, model.num_timesteps))
        model.learn(left, callback=Keeper(config, folder), reset_num_timesteps=False)
    venv.close()
    return folder / BEST if (folder / BEST).exists() else path


def _check(config: Config) -> None:
    """Refuse what only our own loop can do."""
    own = (config.run.start, config.env.win_bonus, config.imitation.steps, config.imitation.fade)
    if any(own):
        raise ConfigError("run.start, env.win_bonus and [imitation] need run.loop = 'own'")


def make_games(config: Config) -> SolitaireVecEnv:
    """Make the games that a configuration asks for."""
    env = config.env
    return make_vec_env(
        config.run.variant,
        env.num_envs,
        reward=env.reward,
        reward_scale=env.reward_scale,
        **env.limits(),
    )


def _seed_of(seed: int, steps: int) -> int:
    return int(np.random.SeedSequence([seed, steps]).generate_state(1)[0])


class Keeper(BaseCallback):
    """Watches over a run: progress bar, figures, checkpoints, validations, time.

    Args:
        config: of the run.
        folder: of the run.
    """

    def __init__(self, config: Config, folder: Path) -> None:
        super().__init__()
        self._run = config.run
        self._folder = folder
        self._ends: list[tuple[int, bool]] = []
        self._began = time.monotonic()

    def _on_training_start(self) -> None:
        self._saved = self._from = self.num_timesteps
        self._validated = last_validation(self._folder)
        self._bar: Any = new_bar(self._run, self.num_timesteps)

    def _on_step(self) -> bool:
        infos = self.locals["infos"]
        for row in np.flatnonzero(self.locals["dones"]):
            self._ends.append((infos[row]["foundation_cards"], infos[row]["is_success"]))
        minutes = (time.monotonic() - self._began) / 60
        return not self._run.minutes or minutes < self._run.minutes

    def _on_rollout_start(self) -> None:
        """Keep what the update before made, when it is time."""
        if self.num_timesteps - self._saved >= self._run.checkpoint_every:
            self._save()
        every = self._run.validate_every
        if every and self.num_timesteps - self._validated >= every:
            self._validate()

    def _on_rollout_end(self) -> None:
        self._bar.update(min(self.num_timesteps, self._run.total_steps) - self._bar.n)
        seconds = time.monotonic() - self._began
        self.logger.record("time/steps_per_second", (self.num_timesteps - self._from) / seconds)
        if self._ends:
            cards, wins = np.mean(self._ends, axis=0)
            self.logger.record("rollout/foundation_cards", cards)
            self.logger.record("rollout/win_rate", wins)
            self._bar.set_postfix(cards=f"{cards:.1f}", wins=f"{wins:.1%}", refresh=False)
            self._ends.clear()

    def _on_training_end(self) -> None:
        if self._run.validate_every and self._validated < self.num_timesteps:
            self._validate()
        self._save()
        self._bar.close()

    def _save(self) -> None:
        save_model(self._folder / CHECKPOINT, self.model)
        self._saved = self.num_timesteps

    def _validate(self) -> None:
        """Validate; keep the network if it did best."""
        network, layout = logits_of(self.model.policy), layout_of(self.training_env.envs)
        progress = (self._run, self._folder, self.logger, self.num_timesteps)
        keep = partial(save_model, self._folder / BEST, self.model)
        validate(*progress, network, layout, keep)
        self._validated = self.num_timesteps
