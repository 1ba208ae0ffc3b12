"""Shards on a local Ray of two processes: the same bytes, whatever happens to whom."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import needs_ray

needs_ray()

import psutil  # noqa: E402 - Ray brings it

from agents import evaluate as command  # noqa: E402
from agents import ray_cluster  # noqa: E402
from agents.ray_cluster import ClusterError, connected, runner  # noqa: E402
from agents.registry import load_agent  # noqa: E402
from agents.sharding import evaluate_sharded, new_task  # noqa: E402
from solitaire_env.evaluation import RandomPolicy, evaluate  # noqa: E402
from tests.helpers import ROOT  # noqa: E402

SAN_JUAN_HILL = "san-juan-hill"
DEALS = range(20, 44)
WAIT = 300
"""Seconds after which something counts as hung."""


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """Start Ray with two processes; in the end nothing of it is left."""
    with connected("local", 2) as module:
        yield module
        stop(module)


def stop(ray: Any) -> None:
    """Stop Ray, and wait until none of its processes is left."""
    processes = psutil.Process().children(recursive=True)
    ray.shutdown()
    assert psutil.wait_procs(processes, timeout=WAIT)[1] == []


def told(evaluation: Any) -> str:
    """Write an evaluation as the command line does."""
    return json.dumps(evaluation.to_json())


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_any_number_of_workers_gives_the_same_bytes(ray: Any, workers: int) -> None:
    """Nor do they differ from those of an evaluation without Ray: a network, from its file."""
    whole = evaluate(load_agent("ppo", SAN_JUAN_HILL), SAN_JUAN_HILL, DEALS, name="ppo", seed=1)
    task = new_task("ppo", SAN_JUAN_HILL, name="ppo", seed=1)
    shared = evaluate_sharded(task, DEALS, run=runner(ray, workers), size=3)
    assert told(shared) == told(whole)


def test_a_killed_worker_changes_nothing(ray: Any, tmp_path: Path) -> None:
    """Its shard is played again by another one, and counts once."""
    marker = tmp_path / "marker"
    task = new_task(
        "tests.ray_players:killed_once", SAN_JUAN_HILL, name="random", options={"marker": marker}
    )
    shared = evaluate_sharded(task, DEALS, run=runner(ray, 2), size=6, folder=tmp_path / "shards")
    assert marker.exists()
    assert told(shared) == told(evaluate(RandomPolicy(), SAN_JUAN_HILL, DEALS, name="random"))
    assert len(list((tmp_path / "shards").glob("shard-*.json"))) == 4


def test_a_shard_that_kills_every_worker_is_an_error(
    ray: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the shard; where the cause is gone, the same call goes on."""
    monkeypatch.setattr(ray_cluster, "RETRIES", 0)
    marker, deals = tmp_path / "marker", DEALS[:2]
    task = new_task(
        "tests.ray_players:killed_always", SAN_JUAN_HILL, name="random", options={"marker": marker}
    )
    settings: dict[str, Any] = {"run": runner(ray, 1), "size": 2, "folder": tmp_path / "shards"}
    with pytest.raises(ClusterError, match="shard 0, deals 20 to 21, was lost 1 times"):
        evaluate_sharded(task, deals, **settings)
    marker.touch()
    shared = evaluate_sharded(task, deals, **settings)
    assert told(shared) == told(evaluate(RandomPolicy(), SAN_JUAN_HILL, deals, name="random"))


def test_an_error_of_the_player_arrives_as_it_was(ray: Any) -> None:
    """And is not tried again."""
    task = new_task("tests.ray_players:broken", SAN_JUAN_HILL, name="broken")
    with pytest.raises(ValueError, match=r"^this player has no hands$"):
        evaluate_sharded(task, DEALS, run=runner(ray, 2))


@pytest.mark.parametrize("workers", [0, -1, 1.5])
def test_workers_are_a_whole_number(ray: Any, workers: Any) -> None:
    """The error says which are accepted."""
    with pytest.raises(ValueError, match=f"workers is {workers}, accepted are whole numbers"):
        runner(ray, workers)


@pytest.fixture(scope="module")
def started_ray_is_over(ray: Any) -> None:
    """Leave a process to one Ray at a time."""
    stop(ray)


def test_a_cluster_that_is_not_there(
    started_ray_is_over: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error names the address and what is accepted."""
    with pytest.raises(SystemExit):
        command.main(["--agent", "random", "--variant", SAN_JUAN_HILL, "--ray", "auto"])
    assert "there is no Ray at 'auto', accepted are local, auto" in capsys.readouterr().err


def test_a_killed_driver_is_gone_on_with(started_ray_is_over: None, tmp_path: Path) -> None:
    """The same command plays what is missing, to the bytes of an evaluation without Ray."""
    agent = ["--agent", "tests.ray_players:slow", "--variant", SAN_JUAN_HILL, "--deals", "0:24"]
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    more = ["--ray", "local", "--workers", "2", "--shards", str(tmp_path), "--shard-deals", "2"]
    arguments = [sys.executable, "-m", "agents.evaluate", *agent, "--json", str(first), *more]
    driver = subprocess.Popen(arguments, cwd=ROOT, stderr=subprocess.DEVNULL)
    kept = finished(tmp_path / "agent", 2)
    processes = psutil.Process(driver.pid).children(recursive=True)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    assert psutil.wait_procs(processes, timeout=WAIT)[1] == []
    kept |= finished(tmp_path / "agent", 2)
    assert len(kept) < 12
    assert not first.exists()

    again = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=True)
    assert f"{2 * len(kept)}/24" in again.stderr, "the bar begins where it was"
    assert {file: file.stat().st_mtime_ns for file in kept} == kept
    command.main([*agent, "--json", str(second)])
    assert first.read_bytes() == second.read_bytes()

    changed = [*arguments, "--seed", "1"]
    refused = subprocess.run(changed, cwd=ROOT, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "holds shards with another seed: 0, wanted is 1" in refused.stderr


def finished(folder: Path, least: int) -> dict[Path, int]:
    """Wait for so many finished shards; give the times when they were written."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        files = list(folder.glob("shard-*.json"))
        if len(files) >= least:
            return {file: file.stat().st_mtime_ns for file in files}
        time.sleep(0.05)
    raise TimeoutError(f"{folder} has fewer than {least} shards")
