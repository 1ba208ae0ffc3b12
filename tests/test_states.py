"""States belong to one game."""

import gymnasium as gym
import pytest

import solitaire_env


def test_a_state_of_another_game_is_refused() -> None:
    """Turn-1 and Turn-3 rows are equally long: still the one's state is not the other's."""
    turn1 = gym.make("solitaire_env/PantagruelTurn1-v0").unwrapped
    turn3 = gym.make("solitaire_env/PantagruelTurn3-v0").unwrapped
    assert isinstance(turn1, solitaire_env.SolitaireEnv)
    assert isinstance(turn3, solitaire_env.SolitaireEnv)
    turn1.reset(seed=1)
    turn3.reset(seed=1)
    before = turn3.clone_state()
    with pytest.raises(ValueError, match="pantagruel-turn3"):
        turn3.restore_state(turn1.clone_state())
    assert turn3.clone_state() == before


def test_long_seeds_deal_differently() -> None:
    """Seeds beyond 64 bits are folded, not cut: neighbours and their sums differ."""
    env = gym.make("solitaire_env/SanJuanHill-v0")
    seeds = (0, 1, 2**64, 2**64 + 1, 2**128 - 1)
    deals = [env.reset(seed=seed)[1]["deal"] for seed in seeds]
    assert len(set(deals)) == len(seeds)
