"""Measuring speed and memory: what is measured is right, whatever the machine's mood."""

import json
import platform
import sys
from contextlib import AbstractContextManager, closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solitaire_env import VARIANTS, env_id
from solitaire_env.bench import bytes_a_game, random_play, sheet_of
from solitaire_env.bench.rates import Rate, Task, measure, rate_of
from solitaire_env.bench.report import Case, bench, cases, machine, measured
from solitaire_env.bench.tasks import (
    adapter_task,
    batch_task,
    kernel_task,
    mixed_games,
    new_table,
    play_inside,
    random_task,
    recorded_game,
    recording,
    single_task,
)
from solitaire_env.cli import main
from solitaire_env.envs.buffers import fresh_out
from solitaire_env.envs.threads import Threads
from tests.conftest import needs_module
from tests.helpers import every_variant, make, make_vec

SHEET = VARIANTS["san-juan-hill"]
MANY = 100_000
SMALL = ("--seconds", "0.01", "--runs", "1", "--num-envs", "2", "--threads", "1")


def played(context: AbstractContextManager[Task]) -> int:
    """Play a task once; return how many steps it counts."""
    with context as task:
        task.prepare()
        return task.play()


@every_variant
def test_random_play_gives_steps_a_second(name: str) -> None:
    """A name and an id measure the same game, with and without threads."""
    for id in (name, env_id(VARIANTS[name]), f"solitaire_env:{env_id(VARIANTS[name])}"):
        assert random_play(id, num_envs=4, num_threads=2, seconds=0.01) > 0


@pytest.mark.parametrize("id", ["spider", "solitaire_env/Spider-v0", "CartPole-v1", "", 7, None])
def test_unknown_id_is_answered_with_those_there_are(id: Any) -> None:
    """The message has the id and every variant."""
    with pytest.raises(ValueError, match=f"{id!r}, accepted are arabella, .*san-juan-hill"):
        random_play(id, 4, 1, 0.01)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("num_envs", value) for value in (0, -1, 1.5, True, "4", None)),
        *(("num_threads", value) for value in (0, 2.0, 1025)),
        *(("seconds", value) for value in (0, -1, float("inf"), float("nan"), "1", None)),
    ],
)
def test_wrong_numbers_are_named(name: str, value: Any) -> None:
    """The message has the argument, its value and what is accepted."""
    with pytest.raises(ValueError, match=f"{name} is {value!r}, accepted are"):
        random_play("arabella", **{"num_envs": 4, "num_threads": 1, "seconds": 0.01, name: value})


@every_variant
def test_threads_do_not_change_the_games(name: str) -> None:
    """The same random steps lead to the same states and outputs on one thread and on three."""
    results = []
    for count in (1, 3):
        table = mixed_games(VARIANTS[name], 7)
        out = fresh_out(table)
        with closing(Threads(count, 7)) as threads:
            threads.run(partial(play_inside, table, out, 50))
        results.append((*out[:3], table.snapshot(np.arange(7))))
    for one, three in zip(*results, strict=True):
        np.testing.assert_array_equal(one, three)


def test_random_play_writes_what_the_games_show() -> None:
    """After in-engine play the outputs are those that `show` writes."""
    table = mixed_games(SHEET, 5)
    out = fresh_out(table)
    play_inside(table, out, 50, (0, 5))
    shown = table.new_outputs()
    table.show(np.arange(5), *shown, table.new_told())
    np.testing.assert_array_equal(out.observations, shown[0])
    np.testing.assert_array_equal(out.action_mask, shown[1])


@every_variant
def test_recorded_actions_are_legal_when_repeated(name: str) -> None:
    """The same start leads to the same play, with new deals among it."""
    envs = make_vec(name, 300)
    envs.reset(seed=5)
    told = recording(envs, VARIANTS[name])
    ends = envs.clone_states()
    assert told.actions.shape == told.resets.shape
    assert told.resets.any()
    envs.restore_states(None, told.states)
    for actions in told.actions:
        assert "illegal_action" not in envs.step(actions)[-1]
    np.testing.assert_array_equal(envs.clone_states(), ends)


def test_the_engine_repeats_what_the_batch_played() -> None:
    """Actions and resets of a recording lead the bare engine to the batch's states."""
    envs = make_vec("arabella", 200)
    envs.reset(seed=5)
    told = recording(envs, VARIANTS["arabella"])
    table = new_table(VARIANTS["arabella"], 200)
    table.restore(np.arange(200), told.states)
    out = (*table.new_outputs(), np.zeros(200), *np.zeros((3, 200), np.bool_), table.new_told())
    for actions, resets in zip(told.actions, told.resets, strict=True):
        table.step(actions, resets, (0, 200), *out)
    np.testing.assert_array_equal(table.snapshot(np.arange(200)), envs.clone_states())


def test_a_recorded_game_ends_with_its_last_action() -> None:
    """A single game is played to its end, and no further, each time."""
    env = make("big-bertha")
    actions = recorded_game(env, 3)
    env.reset(options={"deal": 3})
    ends = [env.step(action)[2:4] for action in actions]
    assert any(ends[-1])
    assert not any(map(any, ends[:-1]))


def test_tasks_count_their_steps() -> None:
    """A play of T steps of N games counts T x N."""
    assert played(random_task(SHEET, 6, 2)) % 6 == 0
    assert played(single_task(SHEET, wrapped=True)) == played(single_task(SHEET, wrapped=False))
    assert played(kernel_task(SHEET, 4096)) == 16 * 4096
    assert played(batch_task(SHEET, 4096, own_buffers=False)) == 16 * 4096
    assert played(batch_task(SHEET, 4096, own_buffers=True)) == 16 * 4096


def test_the_adapter_is_timed_too() -> None:
    """The Stable-Baselines3 door repeats a recording of its own kind of automatic reset."""
    needs_module("stable_baselines3")
    assert played(adapter_task(SHEET, 4096)) == 16 * 4096


def test_a_missing_extra_is_skipped_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Stable-Baselines3 the row says so; nothing else is lost."""
    monkeypatch.delitem(sys.modules, "solitaire_env.interop.sb3", raising=False)
    monkeypatch.setitem(sys.modules, "stable_baselines3.common.monitor", None)
    case = Case("san-juan-hill", "SB3 step", "step", 8, 1, partial(adapter_task, SHEET, 8))
    result = measured(case, 0.01, 1, lambda title: None)
    assert result.rate is None
    assert "solitaire-env[agents]" in result.to_json()["skipped"]


def test_a_rate_is_best_median_and_worst() -> None:
    """Runs are summed up, the first one left out as a warm-up."""
    assert Rate.of([3.0, 1.0, 2.0]) == Rate(3.0, 2.0, 1.0, 3)
    plays = []
    rate = measure(random_task(SHEET, 2, 1), 0.001, 2)
    assert rate.best >= rate.median >= rate.worst > 0
    assert rate_of(Task(lambda: plays.append(0) or 5, lambda: plays.append(1)), 1e-9) > 0
    assert plays == [1, 0]


@every_variant
def test_bytes_a_game(name: str) -> None:
    """What is counted is what the arrays take."""
    size = bytes_a_game(name)
    table = new_table(sheet_of(name), 3)
    observations, masks = table.new_outputs()
    assert size.state * 3 == table.games.nbytes
    assert (size.observation * 3, size.mask * 3) == (observations.nbytes, masks.nbytes)
    assert size.total == size.state + size.observation + size.mask
    assert size.step == size.observation + size.mask + 8 + 2


@every_variant
def test_a_hundred_thousand_games_fit_in_200_mb(name: str) -> None:
    """Rows, observations and masks of 100,000 games take under 200 million bytes."""
    table = new_table(VARIANTS[name], MANY)
    outputs = table.new_outputs()
    assert table.games.nbytes + sum(array.nbytes for array in outputs) < 200e6


def test_every_case_has_its_own_title() -> None:
    """Threads beyond the games are no case of their own."""
    listed = [case.title for case in cases(SHEET, (1, 64), (1, 2, 4))]
    assert len(listed) == len(set(listed))
    random = [title for title in listed if "random play" in title]
    assert random == [
        f"san-juan-hill: random play, games {games}, threads {threads}"
        for games, threads in ((1, 1), (64, 1), (64, 2), (64, 4))
    ]


def test_the_machine_is_described_but_not_named() -> None:
    """Processor, versions and date; no host name."""
    told = machine()
    assert {"processor", "cores", "python", "numpy", "numba", "gymnasium", "date"} <= set(told)
    assert platform.node() not in map(str, told.values())


def test_bench_prints_tables(capsys: pytest.CaptureFixture[str]) -> None:
    """One line a measurement and one a variant; what is measured is told on standard error."""
    needs_module("stable_baselines3")
    assert main(["bench", "san-juan-hill", *SMALL]) == 0
    out, err = capsys.readouterr()
    speed, memory = out.split("\n\n")[1:]
    header, *lines = speed.splitlines()
    assert header.split()[:3] == ["variant", "what", "games"]
    assert len(lines) == len(err.splitlines()) == len(list(cases(SHEET, (2,), (1,))))
    total = bytes_a_game("san-juan-hill").total
    assert memory.split()[-1] == "MB"
    assert str(total) in memory.splitlines()[1].split()


@pytest.mark.parametrize("to_file", [False, True])
def test_bench_writes_json(
    to_file: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every rate is there, above 0, with its circumstances."""
    path = tmp_path / "speed.json"
    assert main(["bench", "arabella", *SMALL, "--json", str(path) if to_file else "-"]) == 0
    out = capsys.readouterr().out
    told = json.loads(path.read_text() if to_file else out)
    assert out.startswith("processor" if to_file else "{")
    assert (told["seconds"], told["runs"]) == (0.01, 1)
    assert told["memory"]["arabella"] == {
        **bytes_a_game("arabella")._asdict(),
        "total": bytes_a_game("arabella").total,
    }
    rates = [result for result in told["results"] if "skipped" not in result]
    assert {result["variant"] for result in rates} == {"arabella"}
    assert all(result["best"] >= result["median"] >= result["worst"] > 0 for result in rates)


@pytest.mark.parametrize(
    "words",
    [
        ("spider",),
        ("--seconds", "0"),
        ("--runs", "0"),
        ("--num-envs", "0"),
        ("--threads", "0"),
        ("--json", "no/such/folder/speed.json"),
        ("--json", "tests"),
        ("--json", "pyproject.toml/speed.json"),
    ],
)
def test_bench_refuses_before_it_measures(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """What is not accepted is named, and nothing has been measured for it."""
    assert main(["bench", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert words[-1] in err


def test_all_variants_can_be_measured_by_id() -> None:
    """The report names games by variant, whatever they were asked for by."""
    report = bench([env_id(SHEET)], num_envs=[2], threads=None, seconds=0.001, runs=1)
    assert {result.case.variant for result in report.results} == {"san-juan-hill"}
