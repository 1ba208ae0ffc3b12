"""Measure training end to end: stock MaskablePPO beside the native batch and our own loop.

The same network, the same settings, one thread, the loops in turns in one run. Stock: sb3-contrib's
MaskablePPO with its own distribution on Stable-Baselines3's DummyVecEnv of single environments.
Native: the same class on `SolitaireVecEnv`, with the fast distribution. Own: `agents.own_loop`.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import gymnasium as gym
import torch as th
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.distributions import make_masked_proba_distribution
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from agents.config import Config, load_config
from agents.learner import Learner
from agents.network import TableNetwork, TablePolicy
from agents.ppo import new_model
from agents.rollouts import Rollouts
from agents.sb3_loop import make_games
from agents.teacher import GreedyTeacher
from solitaire_env.bench.rates import Rate
from solitaire_env.describe import markdown_table
from solitaire_env.envs.registration import env_id, find_sheet

CONFIGS = Path(__file__).resolve().parent.parent / "configs"


class StockPolicy(TablePolicy):
    """Our network with sb3-contrib's own distribution."""

    def _build(self, lr_schedule: Callable[[float], float]) -> None:
        super()._build(lr_schedule)
        self.action_dist = make_masked_proba_distribution(self.action_space)


def moves_of(config: Config) -> int:
    """Count the moves between two updates."""
    return config.env.num_envs * config.ppo.n_steps


def stock(config: Config) -> Callable[[], None]:
    """Prepare stock MaskablePPO on single environments."""
    name = env_id(find_sheet(config.run.variant))
    games = [lambda: Monitor(gym.make(name)) for _ in range(config.env.num_envs)]
    model = new_model(config, make_games(config))
    stock = MaskablePPO(
        StockPolicy,
        DummyVecEnv(games),
        n_steps=config.ppo.n_steps,
        batch_size=config.ppo.batch_size,
        n_epochs=config.ppo.n_epochs,
        policy_kwargs=model.policy_kwargs,
        device="cpu",
    )
    return lambda: _learn(stock, config)


def native(config: Config) -> Callable[[], None]:
    """Prepare MaskablePPO on the native batch."""
    model = new_model(config, make_games(config))
    return lambda: _learn(model, config)


def _learn(model: MaskablePPO, config: Config) -> None:
    model.learn(moves_of(config), callback=_Quiet(), reset_num_timesteps=False)


class _Quiet(BaseCallback):
    def _on_step(self) -> bool:
        return True


def own(config: Config) -> Callable[[], None]:
    """Prepare our own loop."""
    rollouts = Rollouts(config, 0)
    network = TableNetwork(rollouts.layout, config.network)
    learner = Learner(network, config.ppo, GreedyTeacher(config.run.variant, 1.0))

    def iterate() -> None:
        learner.update(rollouts.play(network), config.ppo.learning_rate, 0.0)

    return iterate


def measure(config: Config, runs: int) -> dict[str, Rate]:
    """Let all loops take turns, after a warm-up: moves a second of each."""
    loops = {"stock": stock(config), "native batch": native(config), "own loop": own(config)}
    rates: dict[str, list[float]] = {name: [] for name in loops}
    for turn in range(runs + 1):
        for name, iterate in loops.items():
            began = time.process_time()
            iterate()
            if turn:
                rates[name].append(moves_of(config) / (time.process_time() - began))
    return {name: Rate.of(found) for name, found in rates.items()}


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variants", nargs="+", default=["san-juan-hill"])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE")
    given = parser.parse_args()
    th.set_num_threads(1)
    neutral = ["env.win_bonus=0", "imitation.steps=0", "imitation.fade=0"]
    for variant in given.variants:
        config = load_config(CONFIGS / f"{variant}.toml", [*neutral, *given.set])
        found = measure(config, given.runs)
        first = found["stock"]
        rows = [
            (
                f"{variant}, {name}",
                *(f"{number:,.0f}" for number in (rate.best, rate.median, rate.worst)),
                f"{rate.best / first.best:.1f} ({rate.median / first.median:.1f})",
            )
            for name, rate in found.items()
        ]
        header = ("", "Best, moves/s", "Median", "Worst", "Times stock (by medians)")
        print(markdown_table(header, rows))


if __name__ == "__main__":
    main()
