"""What the tests of the doors to training libraries share: games by hand, and runs of examples."""

import sys
from importlib import import_module
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from solitaire_env import VARIANTS, env_id

VARIANT = "san-juan-hill"
DEALS = np.array([5, 6, 7])
KWARGS: dict[str, Any] = {"no_progress_limit": 12, "max_episode_steps": 50, "illegal": "raise"}
"""Games that end by both limits, one after the other."""


BAD_ARGUMENTS: list[tuple[dict[str, Any], str]] = [
    ({"variant": "klondike"}, "accepted are arabella"),
    ({"reward": "cards"}, "accepted are 'foundation'"),
    ({"num_envs": 0}, "num_envs is 0"),
    ({"seed": -1}, "seed is -1"),
]
"""What every door refuses, and what the error says."""


class ByHand:
    """Single environments, each stepped until it is over: what a door is compared with."""

    def __init__(self, deals: np.ndarray = DEALS) -> None:
        self.envs = [gym.make(env_id(VARIANTS[VARIANT]), **KWARGS) for _ in deals]
        pairs = zip(self.envs, deals.tolist(), strict=True)
        self.first = np.stack([env.reset(options={"deal": deal})[0] for env, deal in pairs])
        self.going = np.ones(len(deals), np.bool_)

    def masks(self) -> np.ndarray:
        """Give (N, A) bool."""
        return np.stack([env.get_wrapper_attr("action_masks")() for env in self.envs])

    def choose(self, rng: np.random.Generator) -> np.ndarray:
        """Choose a legal action in each game, whatever in those that are over."""
        masks = self.masks()
        return (rng.random(masks.shape) * masks).argmax(axis=1)

    def step(self, actions: np.ndarray) -> dict[int, tuple[Any, ...]]:
        """Step the games that go on: row -> observation, reward, terminated, truncated, info."""
        rows = np.flatnonzero(self.going).tolist()
        told = {row: self.envs[row].step(int(actions[row])) for row in rows}
        self.going[rows] = [not (told[row][2] or told[row][3]) for row in rows]
        return told


def run_example(
    name: str,
    arguments: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> str:
    """Run an example's `main` with some arguments; give the table that it prints."""
    monkeypatch.setattr(sys, "argv", [f"{name}.py", *arguments.split()])
    import_module(f"examples.{name}").main()
    printed = capsys.readouterr().out
    assert "99 % lower bound" in printed
    return printed
