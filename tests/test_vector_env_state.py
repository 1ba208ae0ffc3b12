"""The batch's states, copies and buffers; threads beside forked processes."""

import copy
import multiprocessing
import pickle
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from solitaire_env import VARIANTS
from solitaire_env.envs.vector_env import StepOut
from tests.helpers import bare, every_variant, make_vec, nearly_won, random_legal, same


def play(env: Any, steps: int, seed: int, **kwargs: Any) -> list[tuple]:
    """Play random legal actions; list what the steps gave."""
    rng, record = np.random.default_rng(seed), []
    for _ in range(steps):
        actions = np.array([random_legal(mask, rng) for mask in env.action_masks()])
        record.append(env.step(actions, **kwargs))
    return record


def new_out(env: Any) -> StepOut:
    """Make buffers full of rubbish for `step(out=...)`."""
    count, size = env.observation_space.shape
    return StepOut(
        np.full((count, size), 77, np.uint8),
        np.full((count, int(env.single_action_space.n)), 77, np.int8),
        np.full(count, 77.0),
        np.ones(count, np.bool_),
        np.ones(count, np.bool_),
    )


@every_variant
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_buffers_of_the_caller_are_written_and_returned(name: str, mode: str) -> None:
    """`step(actions, out=...)` gives the same results, in the arrays it was given."""
    env, other = (
        make_vec(name, 3, max_episode_steps=9, autoreset_mode=mode, no_progress_limit=5)
        for _ in range(2)
    )
    same(env.reset(seed=1), other.reset(seed=1))
    expected, out, rng = play(other, 30, 1), new_out(env), np.random.default_rng(1)
    for result in expected:
        actions = np.array([random_legal(mask, rng) for mask in env.action_masks()])
        given = env.step(actions, out=out)
        assert given[0] is out.observations
        assert given[1] is out.rewards
        assert given[2] is out.terminated
        assert given[3] is out.truncated
        same(given, result)
        assert np.array_equal(out.action_mask, result[4]["action_mask"])


def test_a_partial_reset_does_not_read_the_callers_buffers() -> None:
    """What the caller does to its buffers shows in no later observation."""
    env = make_vec("san-juan-hill", 2)
    env.reset(seed=1)
    out = new_out(env)
    kept = play(env, 1, 1, out=out)[0][0].copy()
    out.observations[:] = 99
    observations, _ = env.reset(options={"reset_mask": np.array([True, False])})
    assert np.array_equal(observations[1], kept[1])


@every_variant
def test_results_are_fresh_arrays(name: str) -> None:
    """Stored observations, masks, rewards and infos of earlier steps never change."""
    env = make_vec(name, 3, max_episode_steps=9)
    record = [env.reset(seed=2)]
    saved = [copy.deepcopy(record[0])]
    for result in play(env, 1, 2):
        record.append(result)
        saved.append(copy.deepcopy(result))
    play(env, 30, 3)
    env.reset(seed=3)
    same(record, saved)


@every_variant
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_restored_games_go_on_as_before(name: str, mode: str) -> None:
    """`restore_states` brings rows back, bytes, ends and later deals included; others stay."""
    env = make_vec(name, 4, autoreset_mode=mode, no_progress_limit=6)
    env.reset(seed=1)
    for _ in range(30):
        play(env, 1, 1)
        states = env.clone_states()
        assert states.dtype == np.uint8
        first = play(env, 5, 2)
        env.restore_states(None, states)
        same(env.clone_states(), states)
        same(play(env, 5, 2), first)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_a_row_cut_by_the_step_limit_is_restored_as_cut(mode: str) -> None:
    """A state taken after the step limit's step is over: NEXT_STEP deals it anew."""
    env = make_vec("san-juan-hill", 2, autoreset_mode=mode, max_episode_steps=3)
    env.reset(seed=1)
    play(env, 3, 1)
    states = env.clone_states()
    first = play(env, 4, 2)
    env.restore_states(None, states)
    same(play(env, 4, 2), first)


@every_variant
def test_some_rows_may_be_cloned(name: str) -> None:
    """A state goes into any row of any batch of the variant, and into a single environment."""
    env, other, single = make_vec(name, 3), make_vec(name, 2), bare(name)
    env.reset(seed=4)
    play(env, 6, 4)
    positions = env.positions()
    states = env.clone_states([2, 0])
    assert states.shape[0] == 2
    other.restore_states(np.array([0, 1]), states)
    assert other.positions() == [positions[2], positions[0]]
    env.restore_states([1], states[:1])
    assert env.positions() == [positions[0], positions[2], positions[2]]
    single.restore_state(states[0].tobytes())
    assert single.position() == positions[2]


@every_variant
@pytest.mark.parametrize("way", ["pickle", "deepcopy"])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_copies_continue_identically(name: str, way: str, mode: str) -> None:
    """A copy plays on exactly as its original would: pending resets, seeds, limits, threads."""
    env = make_vec(name, 4, max_episode_steps=7, num_threads=2, autoreset_mode=mode)
    env.reset(seed=5)
    play(env, 7, 5)
    twin = pickle.loads(pickle.dumps(env)) if way == "pickle" else copy.deepcopy(env)
    same(play(twin, 20, 6), play(env, 20, 6))
    mask = {"reset_mask": np.array([True, False, True, False])}
    same(twin.reset(options=mask), env.reset(options=mask))
    same(twin.clone_states(), env.clone_states())
    env.close()
    twin.close()


@every_variant
def test_positions_go_in_and_out(name: str) -> None:
    """`positions()` lists every game's position; `reset` lays one out in all games."""
    env = make_vec(name, 3)
    env.reset(options={"position": nearly_won(VARIANTS[name], 3)})
    assert env.positions()[0]["tableau"] == nearly_won(VARIANTS[name], 3)["tableau"]
    assert env.positions() == [env.positions()[0]] * 3
    env.reset(seed=1)
    play(env, 10, 1)
    position = env.positions()[1]
    _, infos = env.reset(options={"position": position})
    assert env.positions() == [position] * 3
    assert infos["deal"].tolist() == [-1, -1, -1]


def test_games_of_one_position_draw_their_own_deals_later() -> None:
    """Laying out one position in all games leaves each its own generator."""
    env = make_vec("san-juan-hill", 4, autoreset_mode=AutoresetMode.SAME_STEP)
    env.reset(seed=1, options={"position": nearly_won(VARIANTS["san-juan-hill"], 1)})
    up = np.flatnonzero(env.action_masks()[0])[0]
    infos = env.step(np.full(4, up))[4]
    assert infos["final_info"]["outcome"].tolist() == ["won"] * 4
    assert len(set(infos["deal"].tolist())) == 4


def test_a_fork_after_threads_does_not_hang() -> None:
    """A child forked after threads were used can step the batch, and makes its own threads."""
    env = make_vec("san-juan-hill", 64, num_threads=2)
    env.reset(seed=1)
    play(env, 3, 1)
    results = multiprocessing.get_context("fork").SimpleQueue()

    def child() -> None:
        results.put(play(env, 3, 2)[-1])

    process = multiprocessing.get_context("fork").Process(target=child, daemon=True)
    process.start()
    process.join(60)
    hung = process.is_alive()
    if hung:
        process.kill()
    assert not hung
    same(results.get(), play(env, 3, 2)[-1])
    env.close()


def test_closing_stops_the_threads_and_may_be_repeated() -> None:
    """After `close` no thread of the batch is left; closing again is allowed."""
    import threading

    before = threading.active_count()
    env = make_vec("san-juan-hill", 8, num_threads=4)
    env.reset(seed=1)
    play(env, 2, 1)
    assert threading.active_count() > before
    env.close()
    env.close()
    for thread in threading.enumerate()[before:]:
        thread.join(10)
    assert threading.active_count() <= before


def test_boards_of_a_batch_as_text() -> None:
    """`render_mode="ansi"` draws every table, plain, as the single environment does."""
    env, single = (
        make_vec("arabella", 2, render_mode="ansi"),
        bare("arabella", render_mode="ansi"),
    )
    env.reset(options={"deals": np.array([3, 4])})
    single.reset(options={"deal": 4})
    boards = env.render()
    assert len(boards) == 2
    assert boards[1] == single.render()
