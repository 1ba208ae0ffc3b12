"""Train MaskablePPO against the native batch: `python -m agents.train configs/NAME.toml`."""

import argparse
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch as th
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger, make_output_format
from tqdm import tqdm

from agents.config import Config, change_config, load_config
from agents.layout import layout_of
from agents.memory import LoopMemory
from agents.ppo import NetworkPolicy, new_model
from agents.runs import BEST, CHECKPOINT, best_cards, note_validation, open_run, save_model
from solitaire_env.evaluation import evaluate
from solitaire_env.interop.sb3 import SolitaireVecEnv, make_vec_env

FIRST_VALIDATION_DEAL = 1000


def train(config: Config, folder: Path, command: str = "") -> Path:
    """Train, or go on with a run that was interrupted.

    A run that goes on does so from its last checkpoint, with other deals and other chance than
    the uninterrupted run would have had: statistically the same, not bit for bit.

    Args:
        config: of the run.
        folder: of the run; made if need be.
        command: what was typed, to be kept with the run.

    Returns:
        The path of the last checkpoint.

    Raises:
        ConfigError: if the folder holds a run with other settings.
    """
    venv = make_games(config)  # first: nothing is kept of a run whose games can't be made
    resumed = open_run(folder, config, command)
    th.set_num_threads(config.run.threads)
    path = folder / CHECKPOINT
    model = MaskablePPO.load(path, venv, device="cpu") if resumed else new_model(config, venv)
    left = config.run.total_steps - model.num_timesteps
    if left > 0:
        # Else a run that goes on would draw the deals and the chance of its beginning again.
        model.set_random_seed(_seed_of(config.run.seed, model.num_timesteps))
        model.set_logger(_logger(folder, model.num_timesteps))
        model.learn(left, callback=Keeper(config, folder), reset_num_timesteps=False)
    venv.close()
    return path


def make_games(config: Config) -> SolitaireVecEnv:
    """Make the games that a configuration asks for."""
    env = config.env
    limits = {
        name: getattr(env, name)
        for name in ("no_progress_limit", "max_episode_steps")
        if getattr(env, name)
    }
    return make_vec_env(
        config.run.variant,
        env.num_envs,
        reward=env.reward,
        reward_scale=env.reward_scale,
        **limits,
    )


def _seed_of(seed: int, steps: int) -> int:
    return int(np.random.SeedSequence([seed, steps]).generate_state(1)[0])


def _logger(folder: Path, steps: int) -> Logger:
    """Log to TensorBoard and to a CSV file a start."""
    table = make_output_format("csv", str(folder), f"-from-{steps}")
    return Logger(str(folder), [table, make_output_format("tensorboard", str(folder))])


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
        self._saved = self._validated = self._from = self.num_timesteps
        self._best = best_cards(self._folder)
        self._bar: Any = tqdm(
            total=self._run.total_steps,
            initial=self.num_timesteps,
            desc=f"{self._run.variant} seed {self._run.seed}",
            unit="move",
            unit_scale=True,
            mininterval=0.5 if sys.stderr.isatty() else 15,
        )

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
        """Play the validation deals, never those of the test; keep the network if it did best."""
        deals = range(FIRST_VALIDATION_DEAL, FIRST_VALIDATION_DEAL + self._run.validate_deals)
        memory = LoopMemory(layout_of(self.training_env.envs))
        policy = NetworkPolicy(self.model.policy, memory, self._run.temperature)
        summary = evaluate(policy, self._run.variant, deals, seed=self._run.seed).summary()
        for name in ("foundation_cards", "win_rate", "moves"):
            self.logger.record(f"validation/{name}", summary[name])
        if summary["foundation_cards"] > self._best:
            self._best = summary["foundation_cards"]
            save_model(self._folder / BEST, self.model)
        note_validation(self._folder, self.num_timesteps, summary)
        self._validated = self.num_timesteps


def main(arguments: list[str] | None = None) -> None:
    """Train as the command line says."""
    parser = argparse.ArgumentParser(
        prog="python -m agents.train",
        description="Train an agent; the same command resumes a run that was interrupted.",
        epilog="example: python -m agents.train configs/san-juan-hill.toml "
        "--set ppo.learning_rate=3e-4 --seeds 0 1 2",
    )
    parser.add_argument("config", type=Path, help="a TOML file, as configs/san-juan-hill.toml")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE")
    parser.add_argument("--seeds", type=int, nargs="+", help="one run each, one after the other")
    parser.add_argument("--folder", type=Path, default=Path("runs"), help="where runs are kept")
    parser.add_argument("--name", help="of the run; the file's name if left out")
    given = parser.parse_args(arguments)
    command = shlex.join(["python", "-m", "agents.train", *(arguments or sys.argv[1:])])
    try:
        config = load_config(given.config, given.set)
        for seed in given.seeds or [config.run.seed]:
            config = change_config(config, [f"run.seed={seed}"])
            folder = given.folder / (given.name or given.config.stem) / f"seed-{seed}"
            print(f"trained: {train(config, folder, command)}")
    except ValueError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        parser.exit(130, "\ninterrupted: the same command goes on from the last checkpoint\n")


if __name__ == "__main__":
    main()
