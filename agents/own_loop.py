"""Our own training loop: PPO, with imitation of the rule-based player first if so configured."""

import io
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch as th

from agents.config import Config
from agents.curves import new_bar, new_logger
from agents.learner import Learner
from agents.network import TableNetwork
from agents.rollouts import Rollouts
from agents.runs import NETWORKS, last_validation, open_run, write_whole
from agents.teacher import GreedyTeacher
from agents.transfer import take_over
from agents.validation import validate
from agents.weights import save_network

CHECKPOINT = "checkpoint.pt"
BEST, LAST = NETWORKS[:2]


def train(config: Config, folder: Path, command: str = "") -> Path:
    """Train by our own loop: see `agents.train.train`.

    Returns:
        The path of the network that did best in validation, or of the last without validations.

    Raises:
        ValueError: also if there is no such network to begin with.
    """
    th.set_num_threads(config.run.threads)
    trainer = Trainer(config, folder, command)
    trainer.run()
    return folder / (BEST if (folder / BEST).exists() else LAST)


class Trainer:
    """A training run: its network, its games, its folder.

    Args:
        config: of the run.
        folder: of the run.
        command: what was typed.
    """

    def __init__(self, config: Config, folder: Path, command: str) -> None:
        self._config, self._folder, self._command = config, folder, command
        self._moves, self._seconds = 0, 0.0
        th.manual_seed(config.run.seed)
        self._rollouts = Rollouts(config, config.run.seed)
        self._network = TableNetwork(self._rollouts.layout, config.network)
        if config.run.start:
            take_over(self._network, self._rollouts.layout, config.run.start)
        teacher = GreedyTeacher(config.run.variant, config.imitation.temperature)
        self._learner = Learner(self._network, config.ppo, teacher)
        open_run(folder, config, command)
        if (folder / CHECKPOINT).exists():
            self._resume()
        self._saved, self._validated = self._moves, last_validation(folder)

    def _resume(self) -> None:
        kept = th.load(self._folder / CHECKPOINT, weights_only=True)
        self._network.load_state_dict(kept["network"])
        self._learner.optimizer.load_state_dict(kept["optimizer"])
        self._moves, self._seconds = kept["moves"], kept["seconds"]
        # Else a run that goes on would draw the deals and the chance of its beginning again.
        words = np.random.SeedSequence([self._config.run.seed, self._moves]).generate_state(2)
        th.manual_seed(int(words[0]))
        self._rollouts = Rollouts(self._config, int(words[1]))

    def run(self) -> None:
        """Play and learn until all moves are played or the time is up."""
        run = self._config.run
        self._logger = new_logger(self._folder, self._moves)
        self._bar: Any = new_bar(run, self._moves)
        before, began = self._seconds, time.monotonic()
        while self._moves < run.total_steps and not self._is_late(self._seconds - before):
            self._iterate()
            self._seconds = before + time.monotonic() - began
            self._keep()
        self._finish()

    def _is_late(self, seconds: float) -> bool:
        """Tell whether this start has had its time: the same command takes the run up again."""
        return 0 < self._config.run.minutes <= seconds / 60

    def _iterate(self) -> None:
        """Play a rollout and learn from it."""
        before = time.monotonic()
        moves = self._rollouts.play(self._network)
        told = self._learner.update(moves, self._learning_rate(), self._imitation())
        self._moves += self._rollouts.moves
        spread = moves.returns.var()
        told["explained_variance"] = 1 - ((moves.returns - moves.values).var() / spread).item()
        for name, value in told.items():
            self._logger.record(f"train/{name}", value)
        self._logger.record("train/imitation", self._imitation())
        self._logger.record("train/learning_rate", self._learning_rate())
        speed = self._rollouts.moves / (time.monotonic() - before)
        self._logger.record("time/steps_per_second", speed)
        self._note_ends()
        self._logger.dump(self._moves)

    def _note_ends(self) -> None:
        self._bar.update(min(self._moves, self._config.run.total_steps) - self._bar.n)
        cards, won = self._rollouts.pop_ends()
        if len(cards):
            self._logger.record("rollout/foundation_cards", cards.mean())
            self._logger.record("rollout/win_rate", won.mean())
            wins = f"{won.mean():.1%}"
            self._bar.set_postfix(cards=f"{cards.mean():.1f}", wins=wins, refresh=False)

    def _learning_rate(self) -> float:
        ppo, done = self._config.ppo, self._moves / self._config.run.total_steps
        return ppo.learning_rate + done * (ppo.final_learning_rate - ppo.learning_rate)

    def _imitation(self) -> float:
        """Give the share of the teacher in what is learnt now."""
        imitation = self._config.imitation
        into = self._moves - imitation.steps
        if into < 0:
            return 1.0
        return max(0.0, 1 - into / imitation.fade) if imitation.fade else 0.0

    def _keep(self) -> None:
        """Save and validate when it is time."""
        run = self._config.run
        if self._moves - self._saved >= run.checkpoint_every:
            self._save()
        if run.validate_every and self._moves - self._validated >= run.validate_every:
            self._validate()

    def _finish(self) -> None:
        if self._config.run.validate_every and self._validated < self._moves:
            self._validate()
        self._save()
        self._export(LAST)
        self._bar.close()
        self._logger.close()

    def _save(self) -> None:
        buffer = io.BytesIO()
        kept = {
            "network": self._network.state_dict(),
            "optimizer": self._learner.optimizer.state_dict(),
            "moves": self._moves,
            "seconds": self._seconds,
        }
        th.save(kept, buffer)
        write_whole(self._folder / CHECKPOINT, buffer.getvalue())
        self._saved = self._moves

    def _export(self, name: str) -> None:
        run = self._config.run
        facts = {
            "config": self._config.to_dict(),
            "command": self._command,
            "moves": self._moves,
            "minutes": round(self._seconds / 60, 1),
            "temperature": run.temperature,
        }
        save_network(self._folder / name, self._network, run.variant, **facts)

    def _validate(self) -> None:
        """Validate; keep the network if it did best."""
        progress = (self._config.run, self._folder, self._logger, self._moves)
        network = (lambda seen: self._network(seen)[0], self._rollouts.layout)
        validate(*progress, *network, lambda: self._export(BEST))
        self._validated = self._moves
        self._save()
