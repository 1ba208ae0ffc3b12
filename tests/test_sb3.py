"""The Stable-Baselines3 door: what SB3 and sb3-contrib expect of a VecEnv."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from solitaire_env import VARIANTS, env_id
from tests.conftest import needs_module
from tests.helpers import every_variant

needs_module("torch")
needs_module("stable_baselines3")
needs_module("sb3_contrib")

from sb3_contrib import MaskablePPO  # noqa: E402 - after the check that it is there
from sb3_contrib.common.maskable.evaluation import evaluate_policy  # noqa: E402
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported  # noqa: E402
from stable_baselines3.common.env_checker import check_env  # noqa: E402
from stable_baselines3.common.monitor import Monitor  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor  # noqa: E402

from solitaire_env.interop.sb3 import SolitaireVecEnv, make_vec_env  # noqa: E402

SAN_JUAN_HILL = "san-juan-hill"


def choose(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Choose a legal action in each row."""
    return (rng.random(masks.shape) * masks).argmax(axis=1)


def singles(count: int, **kwargs: Any) -> DummyVecEnv:
    """Make SB3's own VecEnv of single environments."""
    name = env_id(VARIANTS[SAN_JUAN_HILL])
    return DummyVecEnv([lambda: Monitor(gym.make(name, **kwargs)) for _ in range(count)])


@every_variant
def test_sb3_checks_the_single_environment(name: str) -> None:
    """SB3's environment checker passes for every id."""
    check_env(gym.make(env_id(VARIANTS[name])), warn=True)


@every_variant
def test_games_are_played_through(name: str) -> None:
    """Shapes and types are those that SB3 works with."""
    venv = make_vec_env(name, 3, seed=1, max_episode_steps=20)
    rng = np.random.default_rng(0)
    assert venv.observation_space.contains(venv.reset()[0])
    for _ in range(30):
        observations, rewards, dones, infos = venv.step(choose(venv.action_masks(), rng))
        assert observations.shape == (3, *venv.observation_space.shape)
        assert (observations.dtype, rewards.dtype, dones.dtype) == (np.uint8, np.float32, bool)
        assert len(infos) == 3


def test_it_steps_as_sb3s_own_vecenv_of_single_games() -> None:
    """Same seeds, same actions: same observations, rewards, ends and final infos."""
    kwargs: dict[str, Any] = {"no_progress_limit": 8, "max_episode_steps": 30}
    ours, theirs = make_vec_env(SAN_JUAN_HILL, 4, **kwargs), singles(4, **kwargs)
    ours.seed(7)
    theirs.seed(7)
    rng = np.random.default_rng(0)
    np.testing.assert_array_equal(ours.reset(), theirs.reset())
    ends = 0
    for _ in range(200):
        masks = np.stack(theirs.env_method("action_masks"))
        np.testing.assert_array_equal(ours.env_method("action_masks"), masks)
        actions = choose(masks, rng)
        one, other = ours.step(actions), theirs.step(actions)
        for mine, reference in zip(one[:3], other[:3], strict=True):
            np.testing.assert_array_equal(mine, reference)
        for row in np.flatnonzero(one[2]):
            assert_same_end(one[3][row], other[3][row])
            ends += 1
    assert ends > 20


def assert_same_end(mine: dict[str, Any], reference: dict[str, Any]) -> None:
    """Compare the infos of a game that ended."""
    shared = ("deal", "moves", "foundation_cards", "score", "TimeLimit.truncated")
    assert {key: mine[key] for key in shared} == {key: reference[key] for key in shared}
    assert mine.get("outcome") == reference.get("outcome")
    assert mine["is_success"] == reference.get("is_success", False)
    np.testing.assert_array_equal(mine["terminal_observation"], reference["terminal_observation"])
    assert {key: mine["episode"][key] for key in "rl"} == {
        key: reference["episode"][key] for key in "rl"
    }


def test_games_that_go_on_share_one_empty_info() -> None:
    """Nobody pays for dicts that say nothing."""
    venv = make_vec_env(SAN_JUAN_HILL, 5, seed=0)
    venv.reset()
    infos = venv.step(venv.action_masks().argmax(axis=1))[3]
    assert infos[0] == {}
    assert all(info is infos[0] for info in infos)


def test_arrays_are_fresh() -> None:
    """What was returned before does not change."""
    venv = make_vec_env(SAN_JUAN_HILL, 2, seed=0)
    first = venv.reset()
    kept = first.copy()
    _, rewards, *_ = venv.step(venv.action_masks().argmax(axis=1))
    again = venv.step(venv.action_masks().argmax(axis=1))
    np.testing.assert_array_equal(first, kept)
    assert not np.shares_memory(rewards, again[1])


def test_seeds_decide_the_deals() -> None:
    """Row i takes seed + i, whatever the number of rows; without a seed deals are others."""
    few, many = make_vec_env(SAN_JUAN_HILL, 2, seed=5), make_vec_env(SAN_JUAN_HILL, 4, seed=5)
    np.testing.assert_array_equal(few.reset(), many.reset()[:2])
    assert not np.array_equal(few.reset(), make_vec_env(SAN_JUAN_HILL, 2).reset())


def test_options_name_deals() -> None:
    """One option for all games, or a deal each; anything else is refused."""
    venv = make_vec_env(SAN_JUAN_HILL, 2)
    venv.set_options({"deal": 3})
    venv.reset()
    assert [info["deal"] for info in venv.reset_infos] == [3, 3]
    venv.set_options([{"deal": 1}, {"deal": 2}])
    venv.reset()
    assert [info["deal"] for info in venv.reset_infos] == [1, 2]
    venv.set_options([{"deal": 1}, {}])
    with pytest.raises(ValueError, match="or a deal each"):
        venv.reset()


def test_training_never_sees_the_deals_of_evaluation() -> None:
    """Deals drawn by seeds and by automatic resets are from 1,000,000 up."""
    venv = make_vec_env(SAN_JUAN_HILL, 8, seed=0, max_episode_steps=5)
    venv.reset()
    deals = [info["deal"] for info in venv.reset_infos]
    for _ in range(50):
        infos = venv.step(venv.action_masks().argmax(axis=1))[3]
        deals += [info["deal"] for info in infos if info]
    assert min(deals) >= 1_000_000


def test_reward_scale_leaves_the_episodes_return() -> None:
    """Rewards are scaled, the statistics are not."""
    plain = make_vec_env(SAN_JUAN_HILL, 1, seed=0, max_episode_steps=60)
    scaled = make_vec_env(SAN_JUAN_HILL, 1, seed=0, max_episode_steps=60, reward_scale=0.1)
    plain.reset()
    scaled.reset()
    total, done, rng = 0.0, False, np.random.default_rng(1)
    while not done:
        actions = choose(plain.action_masks(), rng)
        rewards, dones, infos = plain.step(actions)[1:]
        small = scaled.step(actions)
        np.testing.assert_allclose(small[1], 0.1 * rewards)
        total, done = total + float(rewards[0]), bool(dones[0])
    assert infos[0]["episode"]["r"] == small[3][0]["episode"]["r"] == total


def test_masking_is_found() -> None:
    """sb3-contrib finds the masks, and gets the array itself."""
    venv = make_vec_env(SAN_JUAN_HILL, 3, seed=0)
    venv.reset()
    assert is_masking_supported(venv)
    np.testing.assert_array_equal(get_action_masks(venv), venv.action_masks())
    assert isinstance(venv.env_method("action_masks"), np.ndarray)
    assert len(venv.env_method("action_masks", indices=[0, 2])) == 2


def test_attributes() -> None:
    """What SB3 asks of attributes: shared ones, ones a game, missing ones."""
    venv = make_vec_env(SAN_JUAN_HILL, 3)
    assert venv.get_attr("render_mode") == [None] * 3
    assert venv.get_attr("sheet", indices=1)[0].name == SAN_JUAN_HILL
    venv.set_attr("label", "middle", indices=1)
    assert venv.get_attr("label", indices=[1]) == ["middle"]
    assert not venv.has_attr("label")
    venv.set_attr("label", "all")
    assert venv.has_attr("label")
    assert not venv.has_attr("nothing")
    with pytest.raises(AttributeError):
        venv.get_attr("nothing")
    with pytest.raises(AttributeError, match="whole batch"):
        venv.set_attr("sheet", None)
    with pytest.raises(AttributeError, match="action_masks"):
        venv.env_method("nothing")
    assert venv.env_is_wrapped(Monitor) == [True] * 3
    assert venv.env_is_wrapped(gym.wrappers.TimeLimit, indices=0) == [False]


def test_bad_arguments() -> None:
    """Unknown games and arguments are named."""
    with pytest.raises(ValueError, match="accepted are arabella"):
        make_vec_env("klondike", 2)
    with pytest.raises(ValueError, match="accepted are 'foundation'"):
        make_vec_env(SAN_JUAN_HILL, 2, reward="cards")


def test_maskable_ppo_learns_evaluates_and_is_loaded(tmp_path: Any) -> None:
    """The whole path: learn, save, load, evaluate, all with masks."""
    venv = make_vec_env(env_id(VARIANTS[SAN_JUAN_HILL]), 4, seed=0, illegal="raise")
    model = MaskablePPO("MlpPolicy", venv, n_steps=32, batch_size=64, n_epochs=1, seed=0)
    model.learn(256)
    model.save(tmp_path / "model.zip")
    again = MaskablePPO.load(tmp_path / "model.zip", venv)
    mean, _ = evaluate_policy(again, venv, n_eval_episodes=4, deterministic=False)
    assert 0 <= mean <= 96


def test_vec_monitor_goes_around_it() -> None:
    """SB3's wrappers copy infos before they write."""
    venv = VecMonitor(make_vec_env(SAN_JUAN_HILL, 2, seed=0, max_episode_steps=3))
    venv.reset()
    for _ in range(3):
        infos = venv.step(get_action_masks(venv).argmax(axis=1))[3]
    assert infos[0]["episode"]["l"] == 3


def test_close_and_pictures() -> None:
    """Rendering goes to the batch; closing closes it."""
    venv = SolitaireVecEnv(env_id(VARIANTS[SAN_JUAN_HILL]), 2, render_mode="ansi")
    venv.reset()
    assert len(venv.env_method("render")) == 2
    venv.close()
