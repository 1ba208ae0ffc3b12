"""The native batch is Gymnasium's SyncVectorEnv of single environments, step for step."""

from collections import Counter
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from solitaire_env import VARIANTS, env_id
from tests.helpers import every_variant, make, make_vec, nearly_won, random_legal, same

every_mode = pytest.mark.parametrize("mode", list(AutoresetMode))
GAMES = 3


class Twins:
    """A native batch and Gymnasium's, always given the same and always found the same.

    Attributes:
        seen: how often each outcome came, and "cut" for a step limit.
    """

    def __init__(self, name: str, mode: AutoresetMode, **kwargs: Any) -> None:
        single = partial(gym.make, env_id(VARIANTS[name]), **kwargs)
        self.mode = mode
        self.sync = SyncVectorEnv([single] * GAMES, autoreset_mode=mode)
        self.native = make_vec(name, GAMES, autoreset_mode=mode, **kwargs)
        self.over = np.zeros(GAMES, np.bool_)
        self.masks = np.zeros((GAMES, int(self.native.single_action_space.n)), np.int8)
        self.seen: Counter[str] = Counter()

    def reset(self, seed: Any = None, options: dict[str, Any] | None = None) -> None:
        """Reset both; Gymnasium's takes `reset_mask` out of the options, so it gets a copy."""
        native = self.native.reset(seed=seed, options=options)
        expected = self.sync.reset(seed=seed, options=None if options is None else dict(options))
        same(native, expected)
        done = np.ones(GAMES, np.bool_) if options is None else options.get("reset_mask", True)
        self.over = self.over & ~done
        self.masks = np.where(
            native[1]["_action_mask"][:, None], native[1]["action_mask"], self.masks
        )

    def step(self, actions: np.ndarray) -> None:
        """Step both, and compare all that they give."""
        native, expected = self.native.step(actions), self.sync.step(actions)
        same(native, expected)
        _, _, terminated, truncated, info = native
        self.masks = info["action_mask"]
        ended = terminated | truncated
        told = info.get("final_info", info)
        outcomes = told.get("outcome", np.full(GAMES, None))[ended]
        self.seen.update(outcome or "cut" for outcome in outcomes)
        self.over = ended & (self.mode != AutoresetMode.SAME_STEP)

    def play(self, steps: int, rng: np.random.Generator, illegal: float = 0.0) -> None:
        """Play random actions; where the mode is DISABLED deal anew what is over."""
        for _ in range(steps):
            if self.over.any() and self.mode == AutoresetMode.DISABLED:
                self.reset(options={"reset_mask": self.over.copy()})
            self.step(self.choose(rng, illegal))

    def choose(self, rng: np.random.Generator, illegal: float) -> np.ndarray:
        """Choose legal actions, now and then any; in rows about to be dealt anew, nonsense."""
        actions = np.array([random_legal(mask, rng) for mask in self.masks])
        anything = rng.integers(self.masks.shape[1], size=GAMES)
        actions = np.where(rng.random(GAMES) < illegal, anything, actions)
        return np.where(self.over, 10**6 * (self.mode == AutoresetMode.NEXT_STEP), actions)


@every_variant
@every_mode
def test_ordinary_play(name: str, mode: AutoresetMode) -> None:
    """Equal over whole games, their ends, automatic resets, and actions that are illegal."""
    twins = Twins(name, mode, no_progress_limit=8)
    twins.reset(seed=1)
    twins.play(220, np.random.default_rng(1), illegal=0.1)
    assert twins.seen


@every_variant
@every_mode
def test_step_limits(name: str, mode: AutoresetMode) -> None:
    """Equal where the step limit cuts, illegal no-ops counted, rows out of step."""
    twins = Twins(name, mode, max_episode_steps=7, illegal_penalty=0.125, reward="ledger")
    twins.reset(seed=2)
    twins.play(5, np.random.default_rng(2), illegal=0.3)
    twins.reset(options={"reset_mask": np.array([True, False, False])})
    twins.play(40, np.random.default_rng(2), illegal=0.3)
    assert twins.seen["cut"] > 10


@every_variant
@every_mode
@pytest.mark.parametrize("limit", [None, 2])
def test_wins(name: str, mode: AutoresetMode, limit: int | None) -> None:
    """Equal over wins, also on the step limit's step, under every reward and with streaks."""
    for reward in ("foundation", "win", "ledger"):
        extra = {} if limit is None else {"max_episode_steps": limit}
        twins = Twins(name, mode, reward=reward, streaks=True, **extra)
        rng = np.random.default_rng(3)
        for seed in range(2):
            position = {"position": nearly_won(VARIANTS[name], 2)}
            twins.reset(seed=seed, options=position)
            up = twins.sync.envs[0].unwrapped.action_of
            first, second = up(("T0", "F", 1)), up(("T1", "F", 1))
            twins.step(np.array([first, first, second]))
            twins.step(np.array([second, second, second]))
            twins.play(4, rng)
        assert twins.seen["won"] >= 4


@every_variant
@every_mode
def test_illegal_actions_that_end_the_game(name: str, mode: AutoresetMode) -> None:
    """Equal under `illegal="terminate"`."""
    twins = Twins(name, mode, illegal="terminate", illegal_penalty=1.0)
    twins.reset(seed=4)
    twins.play(40, np.random.default_rng(4), illegal=0.4)
    assert twins.seen["illegal"]


@every_variant
@every_mode
def test_full_observations(name: str, mode: AutoresetMode) -> None:
    """Equal under `observability="full"`."""
    twins = Twins(name, mode, observability="full", seconds_per_move=0.3)
    twins.reset(seed=5)
    twins.play(60, np.random.default_rng(5))


@every_variant
@every_mode
def test_partial_resets(name: str, mode: AutoresetMode) -> None:
    """Equal after resets of some rows: others keep their observation, and their info is absent."""
    twins, rng = Twins(name, mode), np.random.default_rng(6)
    twins.reset(seed=[7, 8, 9])
    for turn in range(6):
        twins.play(3, rng)
        mask = np.array([turn % 2 == 0, turn % 3 == 0, True])
        seed = [None, 20 + turn, None] if turn % 2 else None
        options = {"reset_mask": mask} | ({"deal": turn} if turn % 3 == 1 else {})
        twins.reset(seed=seed, options=options)
        assert "reset_mask" in options


@every_mode
def test_a_reset_before_an_automatic_reset(mode: AutoresetMode) -> None:
    """A row that is over and reset by hand is not dealt anew once more."""
    twins, rng = Twins("san-juan-hill", mode, max_episode_steps=4), np.random.default_rng(7)
    twins.reset(seed=3)
    for _ in range(4):
        twins.play(4, rng)
        twins.reset(options={"reset_mask": np.array([True, False, True])})
        twins.play(1, rng)


@every_variant
@every_mode
def test_threads_change_no_byte(name: str, mode: AutoresetMode) -> None:
    """1, 2 and 4 threads give the same results and the same states."""
    batches = [
        make_vec(name, 10, num_threads=threads, autoreset_mode=mode, max_episode_steps=12)
        for threads in (1, 2, 4)
    ]
    resets = [batch.reset(seed=3) for batch in batches]
    rng = np.random.default_rng(3)
    masks = resets[0][1]["action_mask"]
    for _ in range(11 if mode == AutoresetMode.DISABLED else 40):
        actions = np.array([random_legal(mask, rng) for mask in masks])
        results = [batch.step(actions) for batch in batches]
        same(results[1], results[0])
        same(results[2], results[0])
        masks = results[0][-1]["action_mask"]
        if (results[0][2] | results[0][3]).any() and mode == AutoresetMode.DISABLED:
            break
    states = [batch.clone_states() for batch in batches]
    same(states, [states[0]] * 3)
    for batch in batches:
        batch.close()


@every_variant
def test_the_batch_comes_through_make_vec(name: str) -> None:
    """`gym.make_vec` gives the native batch, with the sheet's step limit and spaces as single."""
    batch, single = make_vec(name, 4), make(name)
    assert type(batch).__name__ == "SolitaireVectorEnv"
    assert batch.spec.max_episode_steps == VARIANTS[name].limits.episode_steps
    assert batch.single_observation_space == single.observation_space
    assert batch.single_action_space == single.action_space
    assert batch.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    observations, infos = batch.reset(seed=1)
    assert observations in batch.observation_space
    assert infos["action_mask"].shape == (4, single.action_space.n)
    assert np.array_equal(batch.action_masks(), infos["action_mask"].astype(bool))
    assert batch.action_masks().dtype == np.bool_


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_autoreset_modes_are_spelt_either_way(mode: AutoresetMode) -> None:
    """The enum and its value mean the same; the value keeps the spec JSON."""
    spelt = make_vec("arabella", 1, autoreset_mode=mode.value)
    assert spelt.metadata["autoreset_mode"] is mode
    assert make_vec("arabella", 1, autoreset_mode=mode).metadata["autoreset_mode"] is mode
    assert make_vec("arabella", 1).metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert mode.value in spelt.spec.to_json()


def test_seeds_may_be_given_one_a_game() -> None:
    """`reset(seed=n)` seeds game i with n + i; a list seeds each game; None leaves one alone."""
    env = make_vec("san-juan-hill", 3)
    deals = env.reset(seed=5)[1]["deal"].tolist()
    assert env.reset(seed=[7, 6, 5])[1]["deal"].tolist() == deals[::-1]
    single = make("san-juan-hill")
    assert deals == [single.reset(seed=5 + row)[1]["deal"] for row in range(3)]
    env.reset(seed=[1, 2, 3])
    following = env.reset()[1]["deal"].tolist()
    env.reset(seed=[1, 2, 3])
    assert env.reset(seed=[None, 9, None])[1]["deal"].tolist()[::2] == following[::2]


def test_unseeded_batches_differ() -> None:
    """Without a seed the games of a batch, and batches, play different deals, none kept."""
    deals = [make_vec("san-juan-hill", 50).reset()[1]["deal"].tolist() for _ in range(2)]
    assert len(set(deals[0] + deals[1])) == 100
    assert min(deals[0] + deals[1]) >= 1_000_000


@every_variant
def test_deals_are_named_one_a_game(name: str) -> None:
    """`options={"deals": ...}` deals each game its own; with a reset_mask only those named."""
    env, single = make_vec(name, 3), make(name)
    _, infos = env.reset(options={"deals": np.array([5, 0, 2**63 - 1])})
    assert infos["deal"].tolist() == [5, 0, 2**63 - 1]
    for deal, position in zip((5, 0, 2**63 - 1), env.positions(), strict=True):
        single.reset(options={"deal": deal})
        assert single.unwrapped.position() == position
    mask = np.array([False, True, False])
    _, infos = env.reset(options={"deals": np.array([1, 2, 3]), "reset_mask": mask})
    assert infos["deal"].tolist() == [0, 2, 0]
    assert infos["_deal"].tolist() == mask.tolist()
    single.reset(options={"deal": 2})
    assert env.positions()[1] == single.unwrapped.position()
