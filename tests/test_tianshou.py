"""The Tianshou door: what collectors expect of a vector environment, and games as by hand."""

from typing import Any

import numpy as np
import pytest

from tests.conftest import needs_module
from tests.stacks import BAD_ARGUMENTS, DEALS, KWARGS, VARIANT, ByHand, run_example

needs_module("torch")
needs_module("tianshou")

from tianshou.algorithm.random import (  # noqa: E402 - after the check that it is there
    MARLRandomDiscreteMaskedOffPolicyAlgorithm,
)
from tianshou.data import Batch, Collector, VectorReplayBuffer  # noqa: E402

from solitaire_env.interop.tianshou import SolitaireTianshouEnv  # noqa: E402


def collector(envs: SolitaireTianshouEnv) -> Collector:
    """Make Tianshou's collector with its own random player, which obeys masks."""
    algorithm = MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=envs.action_space[0])
    made = Collector(algorithm.policy, envs, VectorReplayBuffer(4000, len(envs)))
    made.reset()
    return made


def test_games_go_as_by_hand() -> None:
    """Same deals, same actions: same observations, masks, rewards and ends, in every game."""
    envs, hand = SolitaireTianshouEnv(VARIANT, 3, **KWARGS), ByHand()
    rng = np.random.default_rng(0)
    seen, infos = envs.reset(options={"deals": DEALS})
    np.testing.assert_array_equal(seen.obs, hand.first)
    np.testing.assert_array_equal([info["deal"] for info in infos], DEALS)
    while hand.going.any():
        ids, actions = np.flatnonzero(hand.going), hand.choose(rng)
        seen, rewards, terminated, truncated, infos = envs.step(actions[ids], ids)
        told = hand.step(actions)
        masks = hand.masks()
        for place, row in enumerate(ids.tolist()):
            np.testing.assert_array_equal(seen.obs[place], told[row][0])
            np.testing.assert_array_equal(seen.mask[place], masks[row])
            results = rewards[place], terminated[place], truncated[place]
            assert results == told[row][1:4]
            assert infos[place]["env_id"] == row
            assert infos[place]["foundation_cards"] == told[row][4]["foundation_cards"]


@pytest.mark.parametrize("amount", [{"n_episode": 6}, {"n_step": 200}, {"n_episode": 2}])
def test_collectors_play_legal_actions(amount: dict[str, int]) -> None:
    """`illegal="raise"` has nothing to raise, also where games wait for others to end."""
    made = collector(SolitaireTianshouEnv(VARIANT, 4, seed=1, **KWARGS))
    stats = made.collect(**amount)
    kept = made.buffer.sample_indices(0)
    batch = made.buffer[kept]
    assert batch.obs.mask[np.arange(len(kept)), batch.act].all()
    assert stats.n_collected_steps == len(kept)
    if "n_episode" in amount:
        assert stats.n_collected_episodes == amount["n_episode"]
        assert stats.lens.max() <= 50


def test_only_the_named_games_are_reset() -> None:
    """The others keep their deals; what comes back is of the named ones, in their order."""
    envs = SolitaireTianshouEnv(VARIANT, 3, seed=1)
    before = [info["deal"] for info in envs.reset()[1]]
    seen, infos = envs.reset([2, 0], options={"deal": 9})
    assert isinstance(seen, Batch)
    assert seen.obs.shape[0] == 2
    assert [(info["env_id"], info["deal"]) for info in infos] == [(2, 9), (0, 9)]
    draw = [int(envs.action_space[0].n) - 1]
    assert envs.step(draw, 1)[4][0]["deal"] == before[1]


def test_a_seed_decides_the_deals() -> None:
    """Game i is seeded with seed + i, once; training deals begin at 1,000,000."""
    first, second = (SolitaireTianshouEnv(VARIANT, 3, seed=seed) for seed in (7, 8))
    deals = [info["deal"] for info in first.reset()[1]]
    assert min(deals) >= 1_000_000
    assert [info["deal"] for info in second.reset()[1]][:-1] == deals[1:]
    assert [info["deal"] for info in first.reset()[1]] != deals
    assert first.seed([9, 7, 8]) == [[9], [7], [8]]
    assert [info["deal"] for info in first.reset()[1]][1:] == deals[:2]


def test_attributes() -> None:
    """Spaces are a game's; what is set for some games is theirs."""
    envs = SolitaireTianshouEnv(VARIANT, 2, render_mode="ansi")
    seen, _ = envs.reset()
    assert len(envs) == len(envs.action_space) == 2
    one = {"obs": seen.obs[0], "mask": seen.mask[0].astype(np.int8)}
    assert envs.observation_space[0].contains(one)
    envs.set_env_attr("label", "second", [1])
    assert envs.get_env_attr("label", 1) == ["second"]
    with pytest.raises(AttributeError, match="label"):
        envs.get_env_attr("label", 0)
    assert "reserve" not in envs.render()[0]
    envs.close()


@pytest.mark.parametrize(("kwargs", "named"), BAD_ARGUMENTS)
def test_bad_arguments_are_named(kwargs: dict[str, Any], named: str) -> None:
    """The error says which argument, and what is accepted."""
    with pytest.raises(ValueError, match=named):
        SolitaireTianshouEnv(**{"variant": VARIANT, **kwargs})


def test_bad_calls_are_named() -> None:
    """Numbers of games and of actions that don't fit."""
    envs = SolitaireTianshouEnv(VARIANT, 2)
    envs.reset()
    with pytest.raises(ValueError, match="ids are"):
        envs.reset([2])
    with pytest.raises(ValueError, match="actions are of shape"):
        envs.step([0], [0, 1])
    with pytest.raises(ValueError, match="seed has 1 entries"):
        envs.seed([1])


def test_the_example_prints_its_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Some moves of training are enough to reach it."""
    assert "tianshou" in run_example("tianshou_ppo", "--steps 512 --deals 5", monkeypatch, capsys)
