"""The solver: wins that play, refutations that an exhaustive search shares, honest limits."""

import random

import gymnasium as gym
import pytest

from solitaire_env import VARIANTS, env_id
from solitaire_env.solver import Verdict, solve

from .helpers import every_variant
from .naive_search import naive_verdict
from .positions import ending


def wins(name: str, verdict: Verdict, start: dict) -> bool:
    """Tell whether a verdict's moves, played in a fresh environment, win."""
    env = gym.make(env_id(VARIANTS[name]), max_episode_steps=10**6, no_progress_limit=10**6)
    _, info = env.reset(options=start)
    for action, move in zip(verdict.actions, verdict.moves, strict=True):
        assert env.get_wrapper_attr("move_of")(action) == move
        info = env.step(action)[-1]
    return bool(info.get("is_success"))


@every_variant
def test_a_win_is_a_game_that_plays(name: str) -> None:
    """The moves of a solved position win, move by move, in words and in numbers."""
    at = ending(VARIANTS[name], random.Random(name), 40)
    verdict = solve(name, position=at, max_nodes=100_000)
    assert (verdict.status, verdict.limit) == ("solved", None)
    assert wins(name, verdict, {"position": at})


@every_variant
def test_a_small_position_gets_the_verdict_of_a_naive_search(name: str) -> None:
    """Solver and reference agree on what can be won."""
    rng, sheet = random.Random(f"{name} naive"), VARIANTS[name]
    for _ in range(10):
        at = ending(sheet, rng, rng.randint(4, 24))
        naive = naive_verdict(sheet, at, 500)
        assert naive in (None, solve(name, position=at).status)


def test_limits_are_named() -> None:
    """What was not decided says why."""
    assert solve("arabella", deal=1, max_nodes=50).limit == "max_nodes"
    with pytest.raises(ValueError, match="max_bytes"):
        solve("arabella", deal=1, max_bytes=1)
