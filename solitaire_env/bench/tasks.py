"""What there is to time: the engine, the environments, an adapter, copies of states.

Actions are drawn inside the engine, or were recorded beforehand: games are deterministic, so what
was legal once is legal again after the same start.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from itertools import cycle
from time import perf_counter
from typing import Any, Final, NamedTuple

import gymnasium as gym
import numpy as np

from solitaire_env.bench.rates import Task
from solitaire_env.engine.batch import ANY_DEAL
from solitaire_env.engine.state import BoolArray, ByteArray, IntArray
from solitaire_env.engine.table import Table
from solitaire_env.envs.buffers import StepOut, fresh_out
from solitaire_env.envs.options import check_settings, whole_number
from solitaire_env.envs.registration import env_id
from solitaire_env.envs.threads import Threads
from solitaire_env.rulesheet import RuleSheet

MIXING_STEPS: Final = 100
"""Random steps that bring games dealt together to different stages."""

TIMED_SECONDS: Final = 0.005
"""The clock is read no more often than this where a task can be cut at will."""

RECORDED_STEPS: Final = 65_536
"""About so many steps, of all games together, are recorded where actions are given."""

SINGLE_GAMES: Final = 20
"""Games that are recorded for the single environment, from deal 0 up."""

CALLS: Final = 100
"""Calls between two looks at the clock, where one takes microseconds."""


class Recording(NamedTuple):
    """Random legal play of a batch, to be repeated.

    Attributes:
        states: (N, row) uint8, where it starts.
        actions: (T, N) int64.
        resets: (T, N) bool, where NEXT_STEP deals anew in place of an action.
    """

    states: ByteArray
    actions: IntArray
    resets: BoolArray


def new_table(sheet: RuleSheet, num_envs: int) -> Table:
    """Make a table with the settings that an id's environments have."""
    settings = check_settings(
        sheet,
        reward="foundation",
        observability="player",
        illegal="noop",
        illegal_penalty=0.0,
        seconds_per_move=2.0,
        streaks=False,
        no_progress_limit=None,
        max_episode_steps=sheet.limits.episode_steps,
    )
    return Table(sheet, num_envs, settings)


def mixed_games(sheet: RuleSheet, num_envs: int) -> Table:
    """Deal games from the seeds 0, 1, ... and play them on, each to another stage."""
    table = new_table(sheet, num_envs)
    rows = np.arange(num_envs)
    table.seed(rows, range(num_envs))
    table.deal(rows, np.full(num_envs, ANY_DEAL))
    play_inside(table, fresh_out(table), MIXING_STEPS, (0, num_envs))
    return table


def play_inside(table: Table, out: StepOut, steps: int, rows: tuple[int, int]) -> None:
    """Play random legal actions inside the engine, in rows rows[0]..rows[1]-1."""
    actions = np.empty(len(out.rewards), np.int64)
    buffers = (actions, out.observations, out.action_mask, out.rewards)
    table.kernels.random_steps(table.rules, table.games, table.settings, *rows, steps, *buffers)


@contextmanager
def random_task(
    sheet: RuleSheet, num_envs: int, num_threads: int | None
) -> Generator[Task, None, None]:
    """Random legal play inside the engine, on threads."""
    with closing(Threads(num_threads, whole_number("num_envs", num_envs, 1, 2**31))) as threads:
        play = random_player(sheet, num_envs, threads)
        yield Task(partial(play, _steps_worth_timing(play)))


def random_player(sheet: RuleSheet, num_envs: int, threads: Threads) -> Callable[[int], int]:
    """Make a function that plays some random legal steps in each of N games, and counts them."""
    table = mixed_games(sheet, num_envs)
    out = fresh_out(table)

    def play(steps: int) -> int:
        threads.run(partial(play_inside, table, out, steps))
        return steps * num_envs

    return play


def _steps_worth_timing(play: Callable[[int], object]) -> int:
    """Double the number of steps until playing them takes `TIMED_SECONDS`."""
    steps, spent = 1, 0.0
    while spent < TIMED_SECONDS:
        start = perf_counter()
        play(steps)
        spent = perf_counter() - start
        steps *= 2
    return steps


@contextmanager
def single_task(sheet: RuleSheet, *, wrapped: bool) -> Generator[Task, None, None]:
    """`Env.step` of one game, as `gym.make` wraps it or unwrapped; resets are not timed."""
    made = gym.make(env_id(sheet))
    env = made if wrapped else made.unwrapped
    games = cycle([(deal, recorded_game(made, deal)) for deal in range(SINGLE_GAMES)])
    actions: Sequence[int] = ()

    def prepare() -> None:
        nonlocal actions
        deal, actions = next(games)
        env.reset(options={"deal": deal})

    def play() -> int:
        for action in actions:
            env.step(action)
        return len(actions)

    with closing(made):
        yield Task(play, prepare)


def recorded_game(env: gym.Env[Any, Any], deal: int) -> list[int]:
    """Play a deal to its end, at random; return the actions."""
    rng = np.random.default_rng(deal)
    _, info = env.reset(options={"deal": deal})
    actions: list[int] = []
    over = False
    while not over:
        actions.append(int(rng.choice(np.flatnonzero(info["action_mask"]))))
        _, _, terminated, truncated, info = env.step(actions[-1])
        over = terminated or truncated
    return actions


def recording(envs: Any, sheet: RuleSheet) -> Recording:
    """Let a native batch play at random from `mixed_games`, and note how."""
    count = envs.num_envs
    steps = max(RECORDED_STEPS // count, 8)
    states = mixed_games(sheet, count).snapshot(np.arange(count))
    rng = np.random.default_rng(count)
    actions = np.zeros((steps, count), np.int64)
    resets = np.zeros((steps + 1, count), np.bool_)
    envs.restore_states(None, states)
    for step in range(steps):
        masks = envs.action_masks()
        actions[step] = (rng.random(masks.shape, np.float32) * masks).argmax(axis=1)
        _, _, terminated, truncated, _ = envs.step(actions[step])
        resets[step + 1] = terminated | truncated
    return Recording(states, actions, resets[:-1])


@contextmanager
def kernel_task(sheet: RuleSheet, num_envs: int) -> Generator[Task, None, None]:
    """The engine's step with actions given, on one thread."""
    with _batch(sheet, num_envs) as envs:
        played = recording(envs, sheet)
    table = new_table(sheet, num_envs)
    out = fresh_out(table)
    buffers: tuple[Any, ...] = (*out, np.zeros(num_envs, np.bool_), table.new_told())

    def play() -> int:
        for actions, resets in zip(played.actions, played.resets, strict=True):
            table.step(actions, resets, (0, num_envs), *buffers)
        return played.actions.size

    yield Task(play, partial(table.restore, np.arange(num_envs), played.states))


@contextmanager
def batch_task(
    sheet: RuleSheet, num_envs: int, *, own_buffers: bool
) -> Generator[Task, None, None]:
    """`step` of `make_vec`'s batch with actions given: fresh arrays, or a caller's buffers."""
    with _batch(sheet, num_envs) as envs:
        played = recording(envs, sheet)
        out = fresh_out(new_table(sheet, num_envs)) if own_buffers else None
        step = partial(envs.step, out=out)
        yield _given(step, envs, played)


@contextmanager
def adapter_task(sheet: RuleSheet, num_envs: int) -> Generator[Task, None, None]:
    """The Stable-Baselines3 adapter's step with actions given; ImportError without SB3."""
    from solitaire_env.interop.sb3 import make_vec_env

    with closing(make_vec_env(sheet.name, num_envs, seed=0, num_threads=1)) as adapter:
        adapter.reset()
        batch = adapter.envs.unwrapped
        yield _given(adapter.step, batch, recording(batch, sheet))


def _given(step: Callable[[IntArray], object], envs: Any, played: Recording) -> Task:
    """Repeat a recording of a batch through some `step`."""

    def play() -> int:
        for actions in played.actions:
            step(actions)
        return played.actions.size

    return Task(play, partial(envs.restore_states, None, played.states))


def _batch(sheet: RuleSheet, num_envs: int) -> closing[Any]:
    """Make a native batch on one thread, to be closed."""
    envs: Any = gym.make_vec(env_id(sheet), num_envs, num_threads=1)
    envs.reset(seed=0)
    return closing(envs)


@contextmanager
def state_task(sheet: RuleSheet, call: str) -> Generator[Task, None, None]:
    """`clone_state`, `restore_state` or `determinize` of a single environment."""
    env: Any = gym.make(env_id(sheet)).unwrapped
    env.reset(options={"deal": 0})
    arguments = {"restore_state": (env.clone_state(),), "determinize": (0,)}.get(call, ())
    yield _repeated(partial(getattr(env, call), *arguments), 1)


@contextmanager
def states_task(sheet: RuleSheet, call: str, num_envs: int) -> Generator[Task, None, None]:
    """`clone_states` or `restore_states` of all games of a batch."""
    with _batch(sheet, num_envs) as envs:
        arguments = (None, envs.clone_states()) if call == "restore_states" else ()
        yield _repeated(partial(getattr(envs, call), *arguments), num_envs)


def _repeated(call: Callable[[], object], units: int) -> Task:
    """Call something `CALLS` times between two looks at the clock."""

    def play() -> int:
        for _ in range(CALLS):
            call()
        return CALLS * units

    return Task(play)
