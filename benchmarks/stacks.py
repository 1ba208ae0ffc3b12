"""Step the native batch, and each library's own vectorisation of single environments; steps/s.

Only `step` is timed, with actions that are given: legal ones of games that all go on, recorded
beforehand. Every contestant plays the same games, in runs that take turns, after one to warm up,
in this process or in one a game. Rates are by the clock: other jobs of a busy machine weigh on
them, most on those of many processes.
"""

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
import torch
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv
from tianshou.env import DummyVectorEnv, SubprocVectorEnv
from torchrl.envs import GymWrapper, ParallelEnv, SerialEnv

from solitaire_env import VARIANTS, env_id
from solitaire_env.bench.rates import Rate, check_seconds
from solitaire_env.bench.report import machine
from solitaire_env.cli.common import text_table
from solitaire_env.engine.generator import FIRST_TRAINING_DEAL
from solitaire_env.envs.options import whole_number
from solitaire_env.envs.wrappers import MaskInObservation
from solitaire_env.interop.batches import make_batch
from solitaire_env.interop.sb3 import make_vec_env
from solitaire_env.interop.tianshou import SolitaireTianshouEnv
from solitaire_env.interop.torchrl import SolitaireTorchRLEnv

STEPS = 30
"""Steps of a game; deals that end sooner under random play are left out."""


class Games(NamedTuple):
    """Games that are played again and again.

    Attributes:
        variant: the rule sheet's name.
        deals: (N,) numbers.
        actions: (STEPS, N) legal ones.
    """

    variant: str
    deals: np.ndarray
    actions: np.ndarray

    def first(self, count: int) -> "Games":
        """Give the first games alone."""
        return Games(self.variant, self.deals[:count], self.actions[:, :count])


class Table(NamedTuple):
    """What is timed: `deal` begins the games, `step` plays an action in each."""

    deal: Callable[[], object]
    step: Callable[[np.ndarray], object]
    close: Callable[[], object]


class Contestant(NamedTuple):
    """A row of the table."""

    library: str
    what: str
    games: Games
    make: Callable[[Games], Table]


class DealAgain(gym.Wrapper):
    """A single environment that always deals the same."""

    def __init__(self, env: gym.Env, deal: int) -> None:
        super().__init__(env)
        self.deal = deal

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Deal."""
        return self.env.reset(options={"deal": self.deal})


def record(variant: str, count: int) -> Games:
    """Play deals at random, and keep so many of those that last."""
    envs, rng = make_batch(variant, 4 * count), np.random.default_rng(0)
    deals = np.arange(FIRST_TRAINING_DEAL, FIRST_TRAINING_DEAL + 4 * count)
    envs.reset(options={"deals": deals})
    lasting, actions = np.ones(len(deals), np.bool_), []
    for _ in range(STEPS):
        masks = envs.unwrapped.action_masks()
        actions.append((rng.random(masks.shape) * masks).argmax(axis=1))
        _, _, terminated, truncated, _ = envs.step(actions[-1])
        over = terminated | truncated
        lasting &= ~over
        if over.any():
            envs.reset(options={"reset_mask": over})
    kept = np.flatnonzero(lasting)[:count]
    if len(kept) < count:
        raise ValueError(f"only {len(kept)} of {len(deals)} deals last {STEPS} steps")
    return Games(variant, deals[kept], np.stack(actions)[:, kept])


def single(variant: str, deal: int, masked: bool = False) -> gym.Env:
    """Make a single environment; `masked` puts the mask into the observation."""
    env = DealAgain(gym.make(f"solitaire_env:{env_id(VARIANTS[variant])}"), deal)
    return MaskInObservation(env) if masked else env


def singles(games: Games, **kwargs: Any) -> list[Callable[[], gym.Env]]:
    """List what makes the single environments."""
    return [partial(single, games.variant, deal, **kwargs) for deal in games.deals.tolist()]


def native(games: Games) -> Table:
    """Take `gym.make_vec`'s batch."""
    envs = make_batch(games.variant, len(games.deals))
    return Table(lambda: envs.reset(options={"deals": games.deals}), envs.step, envs.close)


def gymnasium_own(kind: Callable[..., Any], games: Games) -> Table:
    """Take Gymnasium's SyncVectorEnv or AsyncVectorEnv."""
    envs = kind(singles(games))
    return Table(envs.reset, envs.step, envs.close)


def sb3_native(games: Games) -> Table:
    """Take our VecEnv."""
    envs = make_vec_env(games.variant, len(games.deals))

    def deal() -> None:
        envs.set_options([{"deal": number} for number in games.deals.tolist()])
        envs.reset()

    return Table(deal, envs.step, envs.close)


def sb3_own(kind: Callable[..., Any], games: Games) -> Table:
    """Take Stable-Baselines3's DummyVecEnv or SubprocVecEnv."""
    envs = kind(singles(games))
    return Table(envs.reset, envs.step, envs.close)


def torchrl_table(env: Any, **options: Any) -> Table:
    """Step a TorchRL environment as its rollouts do."""
    now = {}

    def deal() -> None:
        now["table"] = env.reset(**options)

    def step(actions: np.ndarray) -> None:
        now["table"]["action"] = torch.as_tensor(actions)
        now["table"] = env.step(now["table"])["next"]

    return Table(deal, step, env.close)


def torchrl_native(games: Games) -> Table:
    """Take our EnvBase."""
    return torchrl_table(SolitaireTorchRLEnv(games.variant, len(games.deals)), deals=games.deals)


def torchrl_single(make: Callable[[], gym.Env]) -> GymWrapper:
    """Wrap a single environment as TorchRL does."""
    return GymWrapper(make(), categorical_action_encoding=True)


def torchrl_own(kind: Callable[..., Any], games: Games) -> Table:
    """Take TorchRL's SerialEnv or ParallelEnv."""
    makers = [partial(torchrl_single, make) for make in singles(games, masked=True)]
    return torchrl_table(kind(len(makers), makers))


def tianshou_table(envs: Any, **kwargs: Any) -> Table:
    """Step a Tianshou environment as its collectors do."""
    return Table(lambda: envs.reset(**kwargs), envs.step, envs.close)


def tianshou_native(games: Games) -> Table:
    """Take our BaseVectorEnv."""
    envs = SolitaireTianshouEnv(games.variant, len(games.deals))
    return tianshou_table(envs, options={"deals": games.deals})


def tianshou_own(kind: Callable[..., Any], games: Games) -> Table:
    """Take Tianshou's DummyVectorEnv or SubprocVectorEnv."""
    return tianshou_table(kind(singles(games, masked=True)))


OTHERS = {
    "Gymnasium": (native, gymnasium_own, gym.vector.SyncVectorEnv, gym.vector.AsyncVectorEnv),
    "Stable-Baselines3": (sb3_native, sb3_own, DummyVecEnv, SubprocVecEnv),
    "TorchRL": (torchrl_native, torchrl_own, SerialEnv, ParallelEnv),
    "Tianshou": (tianshou_native, tianshou_own, DummyVectorEnv, SubprocVectorEnv),
}
"""Library -> our door, what takes its own, in one process, in many."""


def contestants(libraries: Sequence[str], games: Games, processes: int) -> list[Contestant]:
    """List who is measured, ours first in each library."""
    listed = []
    for library in libraries:
        ours, theirs, inside, outside = OTHERS[library]
        listed.append(Contestant(library, "native batch", games, ours))
        listed.append(Contestant(library, inside.__name__, games, partial(theirs, inside)))
        few = games.first(processes)
        listed.append(Contestant(library, outside.__name__, few, partial(theirs, outside)))
    return listed


def rate_of(table: Table, games: Games, seconds: float) -> float:
    """Play the games until so many seconds were spent stepping; give steps a second."""
    spent, count = 0.0, 0
    while spent < seconds:
        table.deal()
        began = perf_counter()
        for actions in games.actions:
            table.step(actions)
        spent += perf_counter() - began
        count += games.actions.size
    return count / spent


def measure(listed: Sequence[Contestant], seconds: float, runs: int) -> list[Rate]:
    """Let all take turns, after a run to warm up."""
    tables = [contestant.make(contestant.games) for contestant in listed]
    told: list[list[float]] = [[] for _ in listed]
    for _ in range(runs + 1):
        for place, (table, contestant) in enumerate(zip(tables, listed, strict=True)):
            told[place].append(rate_of(table, contestant.games, seconds))
    for table in tables:
        table.close()
    return [Rate.of(rates[1:]) for rates in told]


def rows_of(listed: Sequence[Contestant], rates: Sequence[Rate]) -> list[tuple[object, ...]]:
    """Lay out the rates; each library's are compared with ours in that library."""
    rows, ours = [], rates[0]
    for (library, what, games, _), rate in zip(listed, rates, strict=True):
        if what == "native batch":
            ours = rate
        times = f"{ours.best / rate.best:.1f} ({ours.median / rate.median:.1f})"
        numbers = (f"{number:,.0f}" for number in (rate.best, rate.median))
        rows.append((library, what, len(games.deals), *numbers, times))
    return rows


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variant", choices=VARIANTS, default="san-juan-hill")
    parser.add_argument("--libraries", nargs="+", choices=OTHERS, default=list(OTHERS))
    parser.add_argument("--games", type=int, default=128, help="side by side in one process")
    parser.add_argument("--processes", type=int, default=4, help="with a game each")
    parser.add_argument("--seconds", type=float, default=0.2, help="duration of a run")
    parser.add_argument("--runs", type=int, default=9, help="runs of each")
    given = parser.parse_args()
    torch.set_num_threads(1)
    games = record(given.variant, whole_number("games", given.games, 1, 100_000))
    processes = whole_number("processes", given.processes, 1, len(games.deals))
    listed = contestants(given.libraries, games, processes)
    runs = whole_number("runs", given.runs, 1, 1000)
    rates = measure(listed, check_seconds(given.seconds), runs)
    print(", ".join(f"{name} {value}" for name, value in machine().items()))
    header = ("library", "what", "games", "best", "median", "native is faster by best (median)")
    print(text_table(header, rows_of(listed, rates)))


if __name__ == "__main__":
    main()
