"""Rollout search: it guesses no more than a player can know, and plays better than its rules."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from agents.greedy import make as make_greedy
from agents.guess import position_from_observation
from agents.search import make
from solitaire_env import VARIANTS, env_id, register
from solitaire_env.cards import UNKNOWN
from solitaire_env.evaluation import evaluate
from tests.helpers import every_variant, random_legal
from tests.tiny_games import TINY_GAMES, TINY_KLONDIKE

SHEETS = {sheet.name: sheet for sheet in [*VARIANTS.values(), *TINY_GAMES]}
every_game = pytest.mark.parametrize("name", SHEETS)


def game_of(name: str) -> Any:
    """Make a game's environment, registered first."""
    register(SHEETS[name])
    return gym.make(env_id(SHEETS[name])).unwrapped


def without_counters(env: Any, observation: np.ndarray) -> bytes:
    """Take the bytes of an observation that say where cards lie."""
    return np.delete(observation, env.fields["counters"].slice).tobytes()


@every_game
def test_a_guess_looks_as_the_game_does(name: str) -> None:
    """A position rebuilt from an observation is possible, and shows the same but for counters."""
    env, rng = game_of(name), np.random.default_rng(3)
    observation, _ = env.reset(options={"deal": 3000})
    for _ in range(40):
        observation, _, terminated, truncated, _ = env.step(random_legal(env.action_masks(), rng))
        if terminated or truncated:
            break
        guess = position_from_observation(SHEETS[name], observation, rng)
        state = env.clone_state()
        again, _ = env.reset(options={"position": guess})
        assert without_counters(env, again) == without_counters(env, observation)
        assert guess["passes"] == observation[env.fields["counters"].slice][0]
        env.restore_state(state)


@every_game
def test_guesses_differ_in_what_is_unseen_alone(name: str) -> None:
    """The generator decides, and nothing else does; open games have one guess."""
    env = game_of(name)
    observation, _ = env.reset(options={"deal": 3000})
    guesses = [
        position_from_observation(SHEETS[name], observation, np.random.default_rng(seed))
        for seed in (0, 1, 0)
    ]
    assert guesses[0] == guesses[2]
    assert (guesses[0] != guesses[1]) == bool((observation == UNKNOWN).any())


def test_choices_depend_on_the_seed_alone() -> None:
    """Not on how many games are played at once; chance comes from the evaluation's seed."""
    register(TINY_KLONDIKE)
    name = TINY_KLONDIKE.name
    results = [
        evaluate(make(name, playouts=12), name, range(12), num_envs=count, seed=seed)
        for count, seed in ((12, 1), (5, 1), (12, 2))
    ]
    np.testing.assert_array_equal(results[0].moves, results[1].moves)
    assert (results[0].moves != results[2].moves).any()


def test_search_beats_its_rules() -> None:
    """More cards go up than by the rules alone, on the same deals."""
    register(TINY_KLONDIKE)
    name, deals = TINY_KLONDIKE.name, range(60)
    rules = evaluate(make_greedy(name), name, deals)
    search = evaluate(make(name, playouts=32), name, deals)
    assert search.wins >= rules.wins
    assert search.foundation_cards.sum() > rules.foundation_cards.sum()


@pytest.mark.long
@every_variant
def test_search_plays_every_variant(name: str) -> None:
    """To the end, legally, with a small budget."""
    assert len(evaluate(make(name, playouts=8), name, range(2000, 2003)).deals) == 3


@pytest.mark.parametrize("option", ["playouts", "width"])
@pytest.mark.parametrize("value", [0, -1, 1.5, "many"])
def test_bad_budgets(option: str, value: Any) -> None:
    """Are refused by name."""
    with pytest.raises(ValueError, match=f"{option} is {value!r}, accepted"):
        make("san-juan-hill", **{option: value})
