"""The Minari door: games written, read back, and compared with the environment by hand."""

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from solitaire_env import VARIANTS, env_id
from solitaire_env.evaluation import RandomPolicy
from tests.conftest import needs_module
from tests.stacks import VARIANT, run_example

minari = needs_module("minari")
needs_module("h5py")

from solitaire_env.interop.minari import (  # noqa: E402 - after the check that it is there
    policy_games,
    solver_games,
    write_dataset,
)

DATASET = "solitaire/san-juan-hill/random-v0"
METADATA = {"algorithm_name": "random", "author": "a", "author_email": "b", "description": "c"}


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep datasets where the test ends."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))


@pytest.fixture(scope="module")
def games() -> list[dict[str, Any]]:
    """Record some random games."""
    return policy_games(RandomPolicy(), VARIANT, [7, 3, 5])


@pytest.mark.filterwarnings("ignore:.code_permalink")
def test_episodes_are_the_games(games: list[dict[str, Any]]) -> None:
    """What is read back is what the environment shows when the actions are played by hand."""
    write_dataset(DATASET, games, **METADATA)
    dataset = minari.load_dataset(DATASET)
    episodes = list(dataset.iterate_episodes())
    assert [game["deal"] for game in games] == [7, 3, 5]
    assert dataset.total_steps == sum(len(game["actions"]) for game in games)
    for game, episode in zip(games, episodes, strict=True):
        assert_played(game, episode)


def assert_played(game: dict[str, Any], episode: Any) -> None:
    """Compare an episode with the game by hand."""
    env = gym.make(env_id(VARIANTS[VARIANT]))
    observation, info = env.reset(options={"deal": game["deal"]})
    assert episode.actions.tolist() == game["actions"]
    for step, action in enumerate(game["actions"]):
        np.testing.assert_array_equal(episode.observations[step], observation)
        np.testing.assert_array_equal(episode.infos["action_mask"][step], info["action_mask"])
        assert episode.infos["action_mask"][step][action] == 1
        observation, *results, info = env.step(action)
        told = episode.rewards, episode.terminations, episode.truncations
        assert [column[step] for column in told] == results
    np.testing.assert_array_equal(episode.observations[-1], observation)
    assert episode.infos["foundation_cards"][-1] == game["foundation_cards"]
    assert not episode.infos["action_mask"][-1].any() or episode.truncations[-1]


@pytest.mark.filterwarnings("ignore:.code_permalink")
def test_the_environment_comes_back(games: list[dict[str, Any]]) -> None:
    """Minari makes the same environment from what the dataset holds."""
    write_dataset(DATASET, games[:1], **METADATA)
    env = minari.load_dataset(DATASET).recover_environment()
    assert env.unwrapped.sheet.name == VARIANT
    assert env.spec is not None
    assert env.spec.id == env_id(VARIANTS[VARIANT])


@pytest.mark.filterwarnings("ignore:.code_permalink")
def test_solved_games_are_won() -> None:
    """A dataset of the solver's games ends each on the winning step; unsolved deals are left."""
    found = list(solver_games("big-bertha", [0, 1], max_nodes=20_000))
    assert found
    dataset = write_dataset("solitaire/big-bertha/solver-v0", found, **METADATA)
    for episode in dataset.iterate_episodes():
        assert episode.terminations[-1]
        assert episode.infos["foundation_cards"][-1] == VARIANTS["big-bertha"].cards
    assert not list(solver_games("big-bertha", [0], max_nodes=1))


def test_what_makes_no_dataset_is_refused(games: list[dict[str, Any]], tmp_path: Path) -> None:
    """No games, games of two kinds, games that break off or can't be, and files that are none."""
    short = {**games[0], "actions": games[0]["actions"][:5]}
    other = {**games[0], "kwargs": {"reward": "win"}}
    illegal = {**games[0], "actions": [*games[0]["actions"][:5], 112]}
    bad: list[tuple[list[Any], str]] = [
        ([], "games is empty"),
        ([games[0], other], "accepted is one kind"),
        ([short], "is not over after its 5 actions"),
        ([illegal], "action 5 of the game"),
        ([tmp_path / "none.json"], "is no record of a game"),
        ([{"deal": 3}], "it lacks"),
    ]
    for given, named in bad:
        with pytest.raises(ValueError, match=named):
            write_dataset(DATASET, given, **METADATA)
    assert not minari.list_local_datasets()


@pytest.mark.filterwarnings("ignore:.code_permalink")
def test_a_dataset_is_never_overwritten(games: list[dict[str, Any]]) -> None:
    """A name that is taken is named."""
    write_dataset(DATASET, games[:1], **METADATA)
    with pytest.raises(ValueError, match=f"dataset_id is '{DATASET}'"):
        write_dataset(DATASET, games, **METADATA)


@pytest.mark.filterwarnings("ignore")
def test_the_example_prints_its_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Some moves are enough to reach it; a second run reads the dataset of the first."""
    needs_module("torch")
    arguments = "--steps 256 --games 2 --deals 5"
    for _ in range(2):
        assert "cloned" in run_example("minari_offline", arguments, monkeypatch, capsys)
    assert list(minari.list_local_datasets()) == ["solitaire/san-juan-hill/greedy-2-games-v0"]
