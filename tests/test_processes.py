"""Batches and single games in forked and spawned processes, and on threads of a user's own."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

from solitaire_env import VARIANTS, env_id
from tests.conftest import needs_module
from tests.helpers import make_vec

WAIT = 120
"""Seconds after which a process counts as hung."""


def last_states(seed: int) -> bytes:
    """Step a batch on two threads; return its states."""
    env = make_vec("san-juan-hill", 64, num_threads=2)
    _, infos = env.reset(seed=seed)
    for _ in range(20):
        infos = env.step(infos["action_mask"].argmax(axis=1))[-1]
    states = env.clone_states().tobytes()
    env.close()
    return states


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_pool_of_processes(method: str) -> None:
    """Workers step batches of their own after the parent has stepped one, to the same states."""
    here = [last_states(seed) for seed in range(3)]
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        there = pool.map(last_states, range(3), timeout=WAIT)
        assert list(there) == here


def test_two_threads_step_two_batches() -> None:
    """A user's own threads share nothing but the compiled kernels."""
    alone = [last_states(seed) for seed in range(8)]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(last_states, range(8), timeout=WAIT)) == alone


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_subprocess_environments_of_stable_baselines3(method: str) -> None:
    """SubprocVecEnv of single games gives masks and steps, whatever starts its workers."""
    needs_module("stable_baselines3")
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import SubprocVecEnv

    last_states(0)
    workers = make_vec_env(
        "solitaire_env:" + env_id(VARIANTS["arabella"]),
        n_envs=2,
        seed=1,
        env_kwargs={"render_mode": None},
        vec_env_cls=SubprocVecEnv,
        vec_env_kwargs={"start_method": method},
    )
    workers.reset()
    for _ in range(5):
        masks = np.stack(workers.env_method("action_masks"))
        _, _, _, infos = workers.step(masks.argmax(axis=1))
        assert not any(info.get("illegal_action") for info in infos)
    workers.close()
