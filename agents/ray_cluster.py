"""Shards of an evaluation as tasks of Ray, on this machine or on a cluster."""

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, Final

from agents.sharding import Run, Shard, Task, play
from solitaire_env.envs.options import whole_number
from solitaire_env.evaluation import Evaluation

RETRIES: Final = 3
"""How often a shard is played again whose worker was killed."""

LOCAL: Final = "local"
"""The address of a Ray that is started here, and ends with this process."""

MOST_WORKERS: Final = 2**20

_STORE_BYTES: Final = 100 * 2**20
"""Results are a few kilobytes: Ray's default would be a third of the memory."""


class ClusterError(RuntimeError):
    """Ray lost a shard for good, or the cluster."""


@contextmanager
def connected(address: str, processes: int | None = None) -> Iterator[Any]:
    """Connect to Ray, or start it, and give the module `ray`; disconnect, or stop it, at the end.

    Args:
        address: "local" starts Ray on this machine, "auto" finds the one that runs on it, else
            host:port of a head, or ray://host:port from outside the cluster.
        processes: of a Ray that is started here; None: one a processor.

    Raises:
        ImportError: if Ray is not installed.
        ValueError: if there is no such cluster, or `processes` is no whole number from 1.
    """
    ray = _import_ray()
    settings: dict[str, Any] = {}
    if processes is not None:
        whole_number("workers", processes, 1, MOST_WORKERS)
    if address == LOCAL:
        settings = {"num_cpus": processes or os.cpu_count(), "include_dashboard": False}
        settings["object_store_memory"] = _STORE_BYTES
    try:
        ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False, **settings)
    except (ConnectionError, ValueError, RuntimeError) as error:
        accepted = "local, auto, host:port or ray://host:port"
        raise ValueError(
            f"there is no Ray at {address!r}, accepted are {accepted}: {error}"
        ) from None
    try:
        yield ray
    finally:
        ray.shutdown()


def _import_ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise ImportError(
            "--ray needs Ray, in a virtual environment of its own: pip install 'solitaire-env[ray]'"
        ) from error
    return ray


def runner(ray: Any, workers: int | None = None) -> Run:
    """Give what plays shards on Ray.

    Args:
        ray: see `connected`.
        workers: shards at once at most; None: one a processor.

    Raises:
        ValueError: if `workers` is no whole number from 1.
    """
    if workers is None:
        workers = max(int(ray.cluster_resources().get("CPU", 1)), 1)
    count = whole_number("workers", workers, 1, MOST_WORKERS)
    return lambda task, shards, num_envs: _run(ray, task, shards, num_envs, count)


def _run(
    ray: Any, task: Task, shards: Sequence[Shard], num_envs: int, count: int
) -> Iterator[tuple[Shard, Evaluation]]:
    """Play shards, `count` at once, and give them as they are finished."""
    remote = ray.remote(num_cpus=1, max_retries=RETRIES)(play)
    waiting = iter(shards)
    running = {remote.remote(task, each, num_envs): each for each in islice(waiting, count)}
    while running:
        (done,), _ = ray.wait(list(running), num_returns=1)
        shard = running.pop(done)
        piece = _result(ray, done, shard)
        running |= {remote.remote(task, each, num_envs): each for each in islice(waiting, 1)}
        yield shard, piece


def _result(ray: Any, done: Any, shard: Shard) -> Evaluation:
    """Fetch a finished shard; errors of the player are raised as they were."""
    try:
        return ray.get(done)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    except ray.exceptions.RayError as error:
        raise ClusterError(
            f"shard {shard.number}, deals {shard.deals[0]} to {shard.deals[-1]}, was lost "
            f"{RETRIES + 1} times; with --shards the same command goes on: {error}"
        ) from None
