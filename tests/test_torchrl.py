"""The TorchRL door: what TorchRL expects of an environment, and the same games as by hand."""

from typing import Any

import numpy as np
import pytest

from tests.conftest import needs_module
from tests.stacks import BAD_ARGUMENTS, DEALS, KWARGS, VARIANT, ByHand, run_example

torch = needs_module("torch")
needs_module("torchrl")

from torchrl.envs.utils import check_env_specs  # noqa: E402 - after the check that it is there

from solitaire_env.interop.torchrl import SolitaireTorchRLEnv  # noqa: E402


def test_torchrls_own_checker_passes() -> None:
    """Specs, shapes and types are what they are said to be."""
    check_env_specs(SolitaireTorchRLEnv(VARIANT, 3, seed=1))


def test_games_go_as_by_hand() -> None:
    """Same deals, same actions: same observations, masks, rewards and ends, in every game."""
    env, hand, rng = SolitaireTorchRLEnv(VARIANT, 3, **KWARGS), ByHand(), np.random.default_rng(0)
    table = env.reset(deals=DEALS)
    np.testing.assert_array_equal(table["observation"], hand.first)
    while hand.going.any():
        np.testing.assert_array_equal(table["action_mask"][hand.going], hand.masks()[hand.going])
        actions = hand.choose(rng)
        table["action"], table["_step"] = torch.as_tensor(actions), torch.as_tensor(hand.going)
        table = env.step(table)["next"]
        for row, (observation, reward, terminated, truncated, info) in hand.step(actions).items():
            np.testing.assert_array_equal(table["observation"][row], observation)
            assert table["reward"][row].item() == reward
            assert table["terminated"][row].item() == terminated
            assert table["truncated"][row].item() == truncated
            assert table["done"][row].item() == (terminated or truncated)
            assert table["foundation_cards"][row].item() == info["foundation_cards"]
            assert table["deal"][row].item() == DEALS[row]


@pytest.mark.parametrize("all_done", [False, True])
def test_random_rollouts_play_legal_actions(all_done: bool) -> None:
    """`illegal="raise"` has nothing to raise; games that end are dealt anew, or left alone."""
    env = SolitaireTorchRLEnv(VARIANT, 4, seed=2, **KWARGS)
    ended = {"break_when_any_done": False, "break_when_all_done": all_done}
    played = env.rollout(120, **ended)
    assert played["action_mask"].gather(-1, played["action"][..., None]).all()
    over = played["next", "done"].squeeze(-1)
    if all_done:
        assert over.any(1).all()
        assert played.shape[1] <= 50
    else:
        deals = played["deal"].squeeze(-1)
        assert over[:, :-1].sum() > 4
        assert torch.equal(deals[:, :-1] != deals[:, 1:], over[:, :-1])


def test_a_seed_decides_the_deals() -> None:
    """Game i is seeded with seed + i; training deals begin at 1,000,000."""
    first, second = (SolitaireTorchRLEnv(VARIANT, 3, seed=seed) for seed in (7, 8))
    deals = first.reset()["deal"]
    assert deals.min() >= 1_000_000
    assert torch.equal(deals[1:], second.reset()["deal"][:-1])
    first.set_seed(7)
    assert torch.equal(first.reset()["deal"], deals)


@pytest.mark.parametrize(("kwargs", "named"), BAD_ARGUMENTS)
def test_bad_arguments_are_named(kwargs: dict[str, Any], named: str) -> None:
    """The error says which argument, and what is accepted."""
    with pytest.raises(ValueError, match=named):
        SolitaireTorchRLEnv(**{"variant": VARIANT, **kwargs})


def test_bad_actions_and_options_are_named() -> None:
    """As the batch itself refuses them."""
    env = SolitaireTorchRLEnv(VARIANT, 2, illegal="raise")
    with pytest.raises(ValueError, match="a reset option is 'dealt'"):
        env.reset(dealt=3)
    table = env.reset(deal=3)
    table["action"] = (~table["action_mask"]).int().argmax(-1)
    with pytest.raises(ValueError, match="is illegal now"):
        env.step(table)


def test_the_example_prints_its_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Some moves of training are enough to reach it."""
    assert "torchrl" in run_example("torchrl_ppo", "--steps 4096 --deals 5", monkeypatch, capsys)
