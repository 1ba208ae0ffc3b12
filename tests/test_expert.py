"""Expert iteration: games of a search as lessons for the network that guides it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import needs_module
from tests.tiny_runs import SAN_JUAN_HILL, tiny

for name in ("torch", "sb3_contrib", "scipy", "tensorboard", "tqdm", "safetensors"):
    needs_module(name)

import torch as th  # noqa: E402 - after the check that it is there

from agents import expert  # noqa: E402
from agents.config import Network, change_config  # noqa: E402
from agents.expert import Iteration, main  # noqa: E402
from agents.layout import layout_of_variant  # noqa: E402
from agents.lessons import read_lessons  # noqa: E402
from agents.teacher import Example  # noqa: E402
from agents.weights import load_network, new_network, save_network  # noqa: E402
from solitaire_env.evaluation import evaluate  # noqa: E402
from solitaire_env.policies import RandomPolicy  # noqa: E402
from solitaire_env.replay import Replay, ReplayError  # noqa: E402

SMALL = ("playouts=4", "width=2", "horizon=2", "games=3", "rounds=1")


@pytest.fixture
def start(tmp_path: Path) -> Path:
    """An untrained network to begin with."""
    th.manual_seed(0)
    path = tmp_path / "start.safetensors"
    network = new_network(SAN_JUAN_HILL, Network(pile=16, table=16))
    save_network(path, network, SAN_JUAN_HILL, config=tiny().to_dict(), moves=9, minutes=2.5)
    return path


def settings(start: Path, *changes: str) -> Any:
    """Configure rounds of some seconds."""
    own = [f"expert.{change}" for change in (f"start={start}", *SMALL)]
    return tiny(SAN_JUAN_HILL, *own, "run.validate_deals=3", *changes)


# Lessons


def test_lessons_are_what_was_played(tmp_path: Path) -> None:
    """Every move with a choice: what was seen, what was allowed, what was done, what came of it."""
    evaluate(RandomPolicy(), SAN_JUAN_HILL, range(3), record=tmp_path)
    config = change_config(tiny(), ["ppo.gamma=0.5", "env.reward_scale=0.25", "env.win_bonus=2"])
    paths = sorted(tmp_path.iterdir())
    lessons = read_lessons(paths, config)
    assert lessons.masks.gather(1, lessons.actions[:, None]).all()
    assert (lessons.masks.sum(dim=1) > 1).all()
    wanted = []
    for path in paths:
        game = Replay.load(path)
        cards = [step.told["foundation_cards"] for step in game.steps]
        gains = 0.25 * np.diff(cards)
        returns = [sum(gains[k:] * 0.5 ** np.arange(len(gains) - k)) for k in range(len(gains))]
        wanted.append((game.actions, returns))
    told = list(zip(lessons.actions.tolist(), lessons.returns.tolist(), strict=True))
    assert len(told) > 30
    for actions, returns in wanted:
        for action, value in zip(actions, returns, strict=True):
            if told and (told[0][0], pytest.approx(told[0][1], abs=1e-6)) == (action, value):
                told.pop(0)
    assert told == []


def test_a_win_is_worth_its_bonus(tmp_path: Path) -> None:
    """The last move of a game that was won, and nothing else, earns it."""
    from agents.registry import load_agent

    evaluate(load_agent("greedy", "big-bertha"), "big-bertha", [0], record=tmp_path)
    (path,) = tmp_path.iterdir()
    assert json.loads(path.read_text())["outcome"] == "won"
    changes = ["run.variant=big-bertha", "env.reward_scale=0", "env.win_bonus=2", "ppo.gamma=1"]
    lessons = read_lessons([path], change_config(tiny(), changes))
    assert (lessons.returns == 2).all()


def test_a_player_repeats_nothing_in_its_lessons(tmp_path: Path) -> None:
    """What was done in a position is a choice again only when nothing else is left there."""
    evaluate(RandomPolicy(), SAN_JUAN_HILL, range(20), record=tmp_path)
    lessons = read_lessons(sorted(tmp_path.iterdir()), tiny())
    counters = layout_of_variant(SAN_JUAN_HILL).places["counters"][0]
    seen = [row.tobytes() for row in lessons.observations[:, :counters].numpy()]
    done: dict[bytes, list[int]] = {}
    again = 0
    for position, mask, action in zip(seen, lessons.masks, lessons.actions, strict=True):
        earlier = done.setdefault(position, [])
        again += len(earlier)
        allowed = set(mask.nonzero()[:, 0].tolist())
        # The last one that was left was no choice, and is in no lesson.
        assert allowed.isdisjoint(earlier) or len(allowed - set(earlier)) <= 1
        earlier.append(int(action))
    assert again > 0


def test_other_files_are_no_lessons(tmp_path: Path) -> None:
    """The file is named."""
    path = tmp_path / "game.json"
    path.write_text("{}")
    with pytest.raises(ReplayError, match=r"game\.json"):
        read_lessons([path], tiny())


def test_an_example_is_what_was_done(tmp_path: Path) -> None:
    """As probabilities: 1 for the action taken."""
    evaluate(RandomPolicy(), SAN_JUAN_HILL, [0], record=tmp_path)
    lessons = read_lessons(tmp_path.iterdir(), tiny())
    wanted = Example().teach(lessons)
    assert wanted.sum() == len(lessons.actions)
    assert wanted.argmax(-1).tolist() == lessons.actions.tolist()


# Rounds


def test_a_round_plays_learns_and_validates(start: Path, tmp_path: Path) -> None:
    """Games of training deals, then a network that does more of what the search did."""
    config = settings(start, "expert.epochs=20", "expert.learning_rate=3e-3")
    rounds = Iteration(config, tmp_path / "run", 1, "the command")
    best = rounds.run()
    games = sorted((tmp_path / "run" / "games-0").iterdir())
    assert [json.loads(path.read_text())["deal"] for path in games] == [10**6 + k for k in range(3)]
    lessons = read_lessons(games, config)

    def agreement(path: Path) -> float:
        logits = load_network(path, SAN_JUAN_HILL)[0](lessons.observations)[0]
        done = logits.masked_fill(~lessons.masks, -1e4).argmax(-1) == lessons.actions
        return float(done.float().mean())

    assert agreement(rounds.network(1)) > agreement(rounds.network(0)) + 0.1
    _, about = load_network(best)
    assert about["validation"]["deals"] == 3
    assert about["minutes"] >= 2.5
    scores = [expert._score(rounds.network(number)) for number in (0, 1)]
    assert best.read_bytes() == rounds.network(int(scores[1] > scores[0])).read_bytes()


def test_games_that_are_there_are_not_played_again(start: Path, tmp_path: Path) -> None:
    """However many workers play: the missing one comes out as it was."""
    config = settings(start)
    first = Iteration(config, tmp_path / "run", 1)
    first.run()
    games = {path.name: path.read_bytes() for path in (tmp_path / "run" / "games-0").iterdir()}
    learnt = first.network(1).read_bytes()
    gone, *kept = sorted((tmp_path / "run" / "games-0").iterdir())
    gone.unlink()
    first.network(1).unlink()
    times = [path.stat().st_mtime_ns for path in kept]
    Iteration(config, tmp_path / "run", 2).run()
    assert [path.stat().st_mtime_ns for path in kept] == times
    assert {path.name: path.read_bytes() for path in (gone, *kept)} == games
    assert len(first.network(1).read_bytes()) == len(learnt)


def test_a_round_that_brings_nothing_is_the_last(
    start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The best network is then the one before it."""
    monkeypatch.setattr(expert, "_score", lambda path: 1.0)
    rounds = Iteration(settings(start, "expert.rounds=5"), tmp_path / "run", 1)
    assert rounds.run().read_bytes() == rounds.network(0).read_bytes()
    assert rounds.network(1).exists()
    assert not rounds.network(2).exists()


def test_what_can_not_be_run_is_refused(
    start: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the reason: no network, no worker, another game's network, a folder of other rounds."""
    with pytest.raises(ValueError, match="workers is 0"):
        Iteration(settings(start), tmp_path / "run", 0)
    with pytest.raises(ValueError, match="there is no network at"):
        Iteration(settings(tmp_path / "none.safetensors"), tmp_path / "run", 1)
    with pytest.raises(ValueError, match="plays another game"):
        Iteration(settings(start, "run.variant=arabella"), tmp_path / "run", 1)
    Iteration(settings(start), tmp_path / "run", 1)
    with pytest.raises(ValueError, match=r"expert\.width"):
        Iteration(settings(start, "expert.width=3"), tmp_path / "run", 1)
    with pytest.raises(SystemExit) as stopped:
        main(["configs/none.toml"])
    assert stopped.value.code == 2
    assert "no configuration at" in capsys.readouterr().err
