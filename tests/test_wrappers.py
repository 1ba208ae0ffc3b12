"""The two other forms of the observation, on single environments and on batches."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from solitaire_env import MaskInObservation, UnpackObservation
from tests.helpers import every_variant, make, make_vec

WRAPPERS = pytest.mark.parametrize("wrapper", [UnpackObservation, MaskInObservation])


def first_legal(infos: dict[str, Any]) -> Any:
    """Choose the first legal action of a game, or of each."""
    return np.asarray(infos["action_mask"]).argmax(-1)


@every_variant
def test_fields_are_cut_from_the_row(name: str) -> None:
    """Each field is its bytes in its shape, and inside the space that is told."""
    env = make(name)
    row, _ = env.reset(options={"deal": 7})
    unpacked = UnpackObservation(env)
    told, _ = unpacked.reset(options={"deal": 7})
    assert told in unpacked.observation_space
    assert told.keys() == env.unwrapped.fields.keys()
    for field, values in told.items():
        where, shape = env.unwrapped.fields[field][:2]
        assert values.tolist() == row[where].reshape(shape).tolist()


@every_variant
def test_the_mask_lies_beside_the_observation(name: str) -> None:
    """It is the mask of `info`, after each step."""
    env = MaskInObservation(make(name))
    told, info = env.reset(options={"deal": 7})
    for _ in range(5):
        assert told in env.observation_space
        assert told["action_mask"].tolist() == info["action_mask"].tolist()
        told, _, terminated, truncated, info = env.step(int(first_legal(info)))
        if terminated or truncated:
            return


@WRAPPERS
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_a_batch_is_turned_as_single_games_are(wrapper: Any, mode: str) -> None:
    """Game by game the same, also the last observation of a game that is over."""
    envs = wrapper(make_vec("san-juan-hill", 3, autoreset_mode=mode, max_episode_steps=4))
    deals = np.array([7, 8, 9])
    singles = [wrapper(make("san-juan-hill", max_episode_steps=4)) for _ in deals]
    told, infos = envs.reset(options={"deals": deals})
    alone = [
        env.reset(options={"deal": int(deal)})[0] for env, deal in zip(singles, deals, strict=True)
    ]
    for _ in range(4):
        assert told in envs.observation_space
        for row, one in enumerate(alone):
            assert all(np.array_equal(told[key][row], one[key]) for key in one)
        actions = first_legal(infos)
        told, _, _, truncated, infos = envs.step(actions)
        alone = [env.step(int(a))[0] for env, a in zip(singles, actions, strict=True)]
    assert truncated.all()
    last = infos["final_obs"] if mode == "SameStep" else None
    for row, one in enumerate(alone):
        shown = last[row] if last is not None else {key: told[key][row] for key in one}
        assert all(np.array_equal(shown[key], one[key]) for key in one)


@WRAPPERS
def test_a_wrapped_environment_keeps_its_contract(wrapper: Any) -> None:
    """A spec can be made again, and the bare environment is reached through it."""
    env = wrapper(make("arabella"))
    again = gym.make(gym.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert again.observation_space == env.observation_space
    assert again.unwrapped.sheet == env.unwrapped.sheet
