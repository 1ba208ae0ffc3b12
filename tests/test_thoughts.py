"""What players think: told before each move, kept in records, and never a part of the play."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.greedy import make as make_greedy
from solitaire_env import VARIANTS
from solitaire_env.cli import main
from solitaire_env.evaluation import RandomPolicy, evaluate
from solitaire_env.policies import TOP, Thinker, thoughts_of, weighed
from solitaire_env.records import Thought
from solitaire_env.replay import RecordGame, Replay
from tests.conftest import needs_module
from tests.helpers import every_variant, make, make_vec

SAN_JUAN_HILL = "san-juan-hill"
FEW = 6
SHORT = {"max_episode_steps": FEW}
"""As many steps as are needed to see a player think: networks are slow."""


def make_network(variant: str) -> Any:
    """Make a player of a network that has learnt nothing, which plays what it likes best."""
    needs_module("torch")
    needs_module("sb3_contrib")
    import torch as th

    from agents.config import Network
    from agents.layout import layout_of
    from agents.memory import LoopMemory
    from agents.ppo import NetworkPolicy
    from agents.weights import new_network

    th.manual_seed(5)
    network, layout = new_network(variant, Network(pile=16, table=16)), layout_of(make(variant))
    network.moves.source.weight.data *= 20
    value = lambda seen: network(seen)[1]  # noqa: E731 - as `make` gives it
    return NetworkPolicy(lambda seen: network(seen)[0], LoopMemory(layout), 0.0, value)


makers = pytest.mark.parametrize("maker", [make_greedy, make_network])


@makers
@every_variant
def test_the_likeliest_action_is_played(maker: Callable[[str], Any], name: str) -> None:
    """The first of a thought is what the player does next; all are legal, in order, below 1."""
    player, envs, rows = maker(name), make_vec(name, 3), np.arange(3)
    observations, infos = envs.reset(seed=4)
    player.reset(rows, rows.astype(np.uint64))
    for _ in range(FEW):
        masks = infos["action_mask"].astype(np.bool_)
        asked = rows[masks.any(axis=1)]
        thoughts = player.think(observations[asked], masks[asked], asked)
        actions = np.zeros(3, np.int64)
        actions[asked] = player.act(observations[asked], masks[asked], asked)
        for row, thought in zip(asked.tolist(), thoughts, strict=True):
            said, chances = zip(*thought.top, strict=True)
            assert said[0] == actions[row]
            assert masks[row, list(said)].all()
            assert list(chances) == sorted(chances, reverse=True)
            assert 0 < sum(chances) < 1.001
            assert 0 < len(said) <= TOP
        observations, _, _, _, infos = envs.step(actions)


@makers
def test_games_are_the_same_with_and_without_thoughts(
    maker: Callable[[str], Any], tmp_path: Path
) -> None:
    """Recording asks for thoughts, and changes no game; batches of any size record the same."""
    told = [
        evaluate(
            maker(SAN_JUAN_HILL), SAN_JUAN_HILL, range(3), num_envs=count, record=folder, **SHORT
        )
        for count, folder in ((3, None), (3, tmp_path / "three"), (1, tmp_path / "one"))
    ]
    assert told[0].to_json() == told[1].to_json() == told[2].to_json()
    for deal in range(3):
        file = f"{SAN_JUAN_HILL}-{deal}.json"
        assert (tmp_path / "one" / file).read_text() == (tmp_path / "three" / file).read_text()


@makers
def test_evaluations_keep_thoughts(maker: Callable[[str], Any], tmp_path: Path) -> None:
    """A record of `evaluate` has a thought before each move, and a page shows them."""
    player = maker(SAN_JUAN_HILL)
    evaluate(player, SAN_JUAN_HILL, [7], record=tmp_path, **SHORT)
    replay = Replay.load(tmp_path / f"{SAN_JUAN_HILL}-7.json")
    assert len(replay.thoughts) == len(replay.actions)
    for action, thought, step in zip(
        replay.actions, replay.thoughts, replay.steps[1:], strict=True
    ):
        assert thought is not None
        assert thought.top[0][0] == action
        assert step.top[0][0] == str(step.move)
        assert (step.value is None) == (maker is make_greedy)
    assert '"p":[["' in replay.to_html()


def test_players_without_thoughts_leave_none(tmp_path: Path) -> None:
    """Random play tells nothing, and its records hold nothing of the kind."""
    evaluate(RandomPolicy(), SAN_JUAN_HILL, [7], record=tmp_path)
    assert "policy" not in json.loads((tmp_path / f"{SAN_JUAN_HILL}-7.json").read_text())
    assert not isinstance(RandomPolicy(), Thinker)
    nothing = np.zeros((2, 1), np.uint8), np.ones((2, 1), np.bool_), np.arange(2)
    assert thoughts_of(RandomPolicy(), *nothing) == [None, None]


def test_watching_shows_and_keeps_thoughts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`watch` prints them with each table; `replay` of what it saved prints them again."""
    game = tmp_path / "game.json"
    words = ["watch", SAN_JUAN_HILL, "--agent", "agents.greedy:make", "--save", str(game)]
    assert main(words) == 0
    watched = capsys.readouterr().out
    assert "%  T" in watched
    assert main(["replay", str(game)]) == 0
    assert capsys.readouterr().out == watched
    assert all(Replay.load(game).thoughts)


def test_the_evaluation_command_keeps_thoughts(tmp_path: Path) -> None:
    """`agents.evaluate --record` does, too."""
    needs_module("torch")
    needs_module("scipy")
    from agents import evaluate as command

    words = ["--agent", "greedy", "--variant", "arabella", "--deals", "3:4"]
    command.main([*words, "--record", str(tmp_path)])
    assert all(Replay.load(tmp_path / "arabella-3.json").thoughts)


def test_sums_become_probabilities() -> None:
    """A score of one more is e times as probable; what is not weighed is not told."""
    thought = weighed(np.array([[0.0, -np.inf, 1.0]]), np.array([2.0]))[0]
    assert thought == Thought(2.0, ((2, 0.7311), (0, 0.2689)))
    assert weighed(np.array([[1e9, 0.0]]))[0] == Thought(None, ((0, 1.0),))


@pytest.mark.parametrize(
    ("value", "top"),
    [
        (float("nan"), ()),
        (float("inf"), ()),
        (10**400, ()),
        (True, ()),
        ("high", ()),
        (0.0, ((1.5, 0.5),)),
        (0.0, ((-1, 0.5),)),
        (0.0, ((True, 0.5),)),
        (0.0, ((1, 1.5),)),
        (0.0, ((1, float("nan")),)),
        (0.0, ((1, "half"),)),
    ],
)
def test_what_is_no_thought_is_refused(value: Any, top: Any) -> None:
    """Numbers that no record could hold are refused when they are told, not when they are saved."""
    with pytest.raises(ValueError, match="a thought"):
        Thought(value, top)


def test_thoughts_may_be_of_numpy(tmp_path: Path) -> None:
    """A player's own numbers are NumPy's: they are kept as Python's, which JSON can hold."""
    env = RecordGame(make(SAN_JUAN_HILL))
    _, info = env.reset(options={"deal": 1})
    env.step(info["action_mask"].argmax())
    env.think(np.float32(0.5), [(np.int64(3), np.float32(0.25))])
    env.replay().save(tmp_path / "game.json")
    assert Replay.load(tmp_path / "game.json").thoughts == (Thought(0.5, ((3, 0.25),)),)


def test_thoughts_need_a_move() -> None:
    """Before the first move there is nothing that a thought could be of, nor a game to give."""
    env = RecordGame(make(next(iter(VARIANTS))))
    with pytest.raises(ValueError, match="call reset first"):
        env.replay()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="no action was played"):
        env.think(0.5)
