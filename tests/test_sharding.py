"""Evaluations in shards: the same bytes, nothing counted twice, and no mixing of settings."""

import importlib
import importlib.util
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import evaluate as command
from agents.sharding import (
    SETTINGS,
    Shard,
    Task,
    evaluate_sharded,
    join,
    new_task,
    play,
    play_here,
    split,
)
from solitaire_env.evaluation import Evaluation, evaluate
from solitaire_env.policies import RandomPolicy
from tests.conftest import needs_module

needs_module("scipy")

SAN_JUAN_HILL = "san-juan-hill"
DEALS = (7, 3, 12, 5, 4, 40, 8, 9, 2, 11)


class Recorder:
    """Plays shards here, last first, and notes which; breaks down after so many."""

    def __init__(self, most: int = 100) -> None:
        self.most = most
        self.played: list[int] = []

    def __call__(
        self, task: Task, shards: Sequence[Shard], num_envs: int
    ) -> Iterator[tuple[Shard, Evaluation]]:
        """Play them: see `agents.sharding.Run`."""
        for shard in reversed(shards):
            if len(self.played) == self.most:
                raise ConnectionError("the cluster is gone")
            self.played.append(shard.number)
            yield shard, play(task, shard, num_envs)


def random_task(**changes: Any) -> Task:
    """Describe the random player on San Juan Hill."""
    return replace(new_task("random", SAN_JUAN_HILL, name="random", seed=3), **changes)


def told(evaluation: Evaluation) -> str:
    """Write an evaluation as the command line does."""
    return json.dumps(evaluation.to_json())


def whole() -> str:
    """Evaluate without shards."""
    return told(evaluate(RandomPolicy(), SAN_JUAN_HILL, DEALS, name="random", seed=3))


@pytest.mark.parametrize("size", [1, 3, 5, 10, 99])
def test_shards_hold_each_deal_once_in_order(size: int) -> None:
    """Put one after the other, the shards are the list."""
    shards = split(np.array(DEALS), size)
    assert sum((shard.deals for shard in shards), ()) == DEALS
    assert [shard.number for shard in shards] == list(range(len(shards)))
    assert max(len(shard.deals) for shard in shards) == min(size, len(DEALS))


@pytest.mark.parametrize("size", [1, 4, 99])
@pytest.mark.parametrize("num_envs", [1, 256])
def test_shards_change_nothing(size: int, num_envs: int) -> None:
    """Whatever the shards and their order, the result is that of an evaluation without any."""
    for run in (play_here, Recorder()):
        shared = evaluate_sharded(random_task(), DEALS, run=run, size=size, num_envs=num_envs)
        assert told(shared) == whole()


def test_a_shard_that_comes_twice_counts_once() -> None:
    """A worker that was thought to be lost may answer after all."""

    def twice(*given: Any) -> Iterator[tuple[Shard, Evaluation]]:
        for each in play_here(*given):
            yield from (each, each)

    assert told(evaluate_sharded(random_task(), DEALS, run=twice, size=3)) == whole()


def test_a_missing_shard_is_an_error() -> None:
    """As is one that holds other deals."""
    shards = split(np.array(DEALS), 5)
    pieces = {shard.number: play(random_task(), shard, 8) for shard in shards}
    assert told(join(shards, pieces)) == whole()
    with pytest.raises(ValueError, match="shard 1 is missing"):
        join(shards, {0: pieces[0]})
    with pytest.raises(ValueError, match="shard 1 is missing, or holds other deals"):
        join(shards, {0: pieces[0], 1: pieces[0]})


def test_it_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    """What is finished is not played again, and what was half written does no harm."""
    first, second, third = Recorder(most=2), Recorder(), Recorder()
    with pytest.raises(ConnectionError):
        evaluate_sharded(random_task(), DEALS, run=first, size=3, folder=tmp_path)
    (tmp_path / "shard-00001.json.part").write_text('{"settings": "')
    seen: list[tuple[int, int]] = []

    def watch(results: Any, total: int, played: int) -> Any:
        seen.append((total, played))
        return results

    result = evaluate_sharded(
        random_task(), DEALS, run=second, size=3, folder=tmp_path, watch=watch
    )
    assert (first.played, second.played) == ([3, 2], [1, 0])
    assert seen == [(10, 4)]
    assert told(result) == whole()
    again = evaluate_sharded(random_task(), DEALS, run=third, size=3, folder=tmp_path)
    assert (told(again), third.played) == (whole(), [])


@pytest.mark.parametrize(
    ("changes", "deals", "size", "name"),
    [
        ({"seed": 4}, DEALS, 3, "seed: 3, wanted is 4"),
        ({"variant": "arabella"}, DEALS, 3, "variant: 'san-juan-hill', wanted is 'arabella'"),
        ({"agent": "greedy"}, DEALS, 3, "agent: 'random', wanted is 'greedy'"),
        ({"options": {"width": 2}}, DEALS, 3, "options: {}, wanted is {'width': 2}"),
        ({"files": {"net.zip": "ab"}}, DEALS, 3, "files"),
        ({"source": "ab"}, DEALS, 3, "source"),
        ({"versions": {"numpy": "0"}}, DEALS, 3, "versions"),
        ({}, DEALS[:9], 3, "deals: 10, wanted is 9"),
        ({}, DEALS[::-1], 3, "deals_hash"),
        ({}, DEALS, 4, "shard_deals: 3, wanted is 4"),
    ],
)
def test_other_settings_are_refused(
    tmp_path: Path, changes: dict[str, Any], deals: tuple[int, ...], size: int, name: str
) -> None:
    """A folder holds the shards of one evaluation, and the error names what differs."""
    evaluate_sharded(random_task(), DEALS, size=3, folder=tmp_path)
    with pytest.raises(ValueError, match="holds shards with another") as caught:
        evaluate_sharded(random_task(**changes), deals, size=size, folder=tmp_path)
    assert name in str(caught.value)


def test_what_is_no_shard_of_it_is_refused(tmp_path: Path) -> None:
    """A file from another folder, one that was cut, and a folder of other things."""
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    evaluate_sharded(random_task(), DEALS, size=5, folder=ours)
    evaluate_sharded(random_task(seed=4), DEALS, size=5, folder=theirs)
    file = ours / "shard-00001.json"
    content = file.read_text()
    for wrong, message in (
        ((theirs / file.name).read_text(), "no shard of this evaluation"),
        ((ours / "shard-00000.json").read_text(), "no shard of this evaluation"),
        ("[]", "holds no shard"),
        (content[:-20], "is no JSON"),
    ):
        file.write_text(wrong)
        with pytest.raises(ValueError, match=message) as caught:
            evaluate_sharded(random_task(), DEALS, size=5, folder=ours)
        assert str(file) in str(caught.value)
    (ours / SETTINGS).unlink()
    with pytest.raises(ValueError, match="something else than shards"):
        evaluate_sharded(random_task(), DEALS, size=5, folder=ours)


def test_a_worker_that_is_not_the_same_refuses() -> None:
    """Other versions or other code would give other games under the same name."""
    for changes in ({"versions": {"numpy": "0.1"}}, {"source": "ab"}):
        with pytest.raises(ValueError, match=f"this worker has another {next(iter(changes))}"):
            play(random_task(**changes), Shard(0, (1,)), 1)


def test_a_network_is_known_by_its_content(tmp_path: Path) -> None:
    """The path alone would not tell that it has been trained on."""
    checkpoint = tmp_path / "net"
    checkpoint.mkdir()
    (checkpoint / "weights").write_text("one")
    options = {"checkpoint": checkpoint}
    before = new_task("ppo", SAN_JUAN_HILL, name="ppo", options=options)
    assert before == new_task("ppo", SAN_JUAN_HILL, name="ppo", options=options)
    assert before.options == {"checkpoint": str(checkpoint)}
    (checkpoint / "weights").write_text("two")
    assert before != new_task("ppo", SAN_JUAN_HILL, name="ppo", options=options)


# The command line


def test_the_command_gives_the_same_bytes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Table and JSON, with shards and without; a second call reads them."""
    given = ["--agent", "greedy", "--variant", SAN_JUAN_HILL, "--deals", "0:9", "--json"]
    needs_module("tqdm")
    shards = ["--shards", str(tmp_path / "shards"), "--shard-deals", "4"]
    printed = []
    for number, more in enumerate(([], shards, shards)):
        command.main([*given, str(tmp_path / f"{number}.json"), *more])
        printed.append(capsys.readouterr().out)
    one, *others = [(tmp_path / f"{number}.json").read_bytes() for number in range(3)]
    assert others == [one, one]
    assert printed[1:] == printed[:1] * 2
    assert len(list((tmp_path / "shards" / "agent").glob("shard-*.json"))) == 3


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--workers", "2"], "--workers is for --ray"),
        (["--shards", "x", "--record", "y"], "leave --ray and --shards out"),
        (["--shards", "x", "--shard-deals", "0"], "shard_deals is 0"),
    ],
)
def test_what_makes_no_sense_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    more: list[str],
    message: str,
) -> None:
    """The error says what goes together."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        command.main(["--agent", "random", "--variant", SAN_JUAN_HILL, *more])
    assert message in " ".join(capsys.readouterr().err.split())


@pytest.mark.skipif(importlib.util.find_spec("ray") is not None, reason="ray is installed")
def test_without_ray_the_error_says_what_to_install(capsys: pytest.CaptureFixture[str]) -> None:
    """Both doors name the extra."""
    with pytest.raises(SystemExit):
        command.main(["--agent", "random", "--variant", SAN_JUAN_HILL, "--ray", "local"])
    assert "pip install 'solitaire-env[ray]'" in capsys.readouterr().err
    with pytest.raises(ImportError, match=r"solitaire-env\[ray\]"):
        importlib.import_module("solitaire_env.interop.rllib")
