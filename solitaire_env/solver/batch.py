"""Many deals on all cores, a line a deal, gone on with where it was interrupted."""

import json
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from solitaire_env.envs.options import check_deal, whole_number
from solitaire_env.envs.registration import find_sheet
from solitaire_env.files import check_file
from solitaire_env.solver.solve import MAX_BYTES, MAX_NODES, check_limits, endless, solve

Record = dict[str, Any]
"""A verdict as JSON values, with "variant", "deal", "length" and the limits it was made under."""


_NEEDED = ("variant", "deal", "status", "length", "actions", "max_nodes", "max_bytes", "seed")
_STATUSES = ("solved", "refuted", "unknown")
_HEAD = '{"variant": '
"""How the line of a verdict begins."""


class _Task(NamedTuple):
    variant: str
    deal: int
    max_nodes: int
    max_bytes: int
    seed: int


def solve_deals(
    variant: str,
    deals: Sequence[int],
    file: Path,
    *,
    jobs: int | None = None,
    max_nodes: int = MAX_NODES,
    max_bytes: int = MAX_BYTES,
    seed: int = 0,
    watch: Callable[[Iterable[Record], int], Iterable[Record]] | None = None,
) -> list[Record]:
    """Solve deals and append each verdict to a file of JSON lines as soon as it is there.

    Deals that the file has, solved or refuted or made under the same limits, are not solved again.
    Ctrl-C ends it; the same call goes on.

    Args:
        variant: a registered sheet's name.
        deals: their numbers.
        file: JSON lines; made where it is not there.
        jobs: processes, from 1; None: one a core.
        max_nodes: of a deal.
        max_bytes: of a deal.
        seed: of a deal.
        watch: passes on the verdicts that come, told how many there will be: a progress bar.

    Returns:
        The records of all `deals`, in their order.

    Raises:
        ValueError: for an argument that is not accepted, or a file that holds something else.
        OSError: if the file can't be written.
    """
    sheet = find_sheet(variant)
    check_limits(sheet, max_nodes, max_bytes, seed)
    numbers = [check_deal(deal) for deal in deals]
    count = (os.cpu_count() or 1) if jobs is None else whole_number("jobs", jobs, 1, 1024)
    check_file(file)
    known = read_records(file)
    tasks = [_Task(variant, deal, max_nodes, max_bytes, seed) for deal in dict.fromkeys(numbers)]
    tasks = [task for task in tasks if not _is_done(known, task)]
    _cut_off_tail(file)
    fresh = _solve_all(tasks, min(count, len(tasks)))
    with file.open("a", encoding="utf-8") as out:
        for record in watch(fresh, len(tasks)) if watch else fresh:
            out.write(json.dumps(record) + "\n")
            out.flush()
            known[record["variant"], record["deal"]] = record
    return [known[variant, deal] for deal in numbers]


def read_records(file: Path) -> dict[tuple[str, int], Record]:
    """Read the verdicts of a file of JSON lines by variant and deal; later ones count.

    A last line that was cut short is left out.

    Raises:
        ValueError: if the file holds something else.
    """
    known: dict[tuple[str, int], Record] = {}
    for number, line in enumerate(_lines(file)[:-1], 1):
        try:
            record = json.loads(line)
            missing = [name for name in _NEEDED if name not in record]
            if missing or record["status"] not in _STATUSES:
                raise ValueError(f"it lacks {', '.join(missing) or 'a status'}")
            known[record["variant"], record["deal"]] = record
        except (ValueError, TypeError) as error:
            raise ValueError(f"line {number} of {file} is no verdict: {error}") from None
    return known


def _lines(file: Path) -> list[str]:
    """Give the lines of a file, the last of which is empty or a verdict cut short."""
    lines = file.read_text(encoding="utf-8").split("\n") if file.exists() else [""]
    if not (lines[-1].startswith(_HEAD) or _HEAD.startswith(lines[-1])):
        raise ValueError(f"line {len(lines)} of {file} is no verdict: {lines[-1][:40]!r}")
    return lines


def _cut_off_tail(file: Path) -> None:
    """Cut off a last line that was cut short, so that the next verdict begins a line."""
    tail = _lines(file)[-1].encode()
    if tail:
        os.truncate(file, file.stat().st_size - len(tail))


def check_wins(records: Iterable[Record]) -> None:
    """Play the moves of solved deals; raise ValueError for a line that does not win."""
    for record in records:
        if record["status"] == "solved" and not _wins(record):
            deal, variant = record["deal"], record["variant"]
            raise ValueError(f"deal {deal} of {variant}: its line wins nothing")


def _wins(record: Record) -> bool:
    """Tell whether the line of a record wins its deal, in as many moves as it says."""
    env = endless(find_sheet(record["variant"]))
    info: dict[str, Any] = {}
    try:
        env.reset(options={"deal": record["deal"]})
        for action in record["actions"]:
            info = env.step(action)[-1]
    except ValueError:
        return False
    return info.get("outcome") == "won" and len(record["actions"]) == record["length"]


def _is_done(known: dict[tuple[str, int], Record], task: _Task) -> bool:
    """Tell whether a task has a verdict that trying again under its limits would not better."""
    record = known.get((task.variant, task.deal))
    if record is None:
        return False
    limits = all(record[name] == getattr(task, name) for name in ("max_nodes", "max_bytes", "seed"))
    return limits or record["status"] in ("solved", "refuted")


def _solve_all(tasks: list[_Task], jobs: int) -> Iterator[Record]:
    """Solve tasks, one process each of `jobs`, as they come."""
    if jobs <= 1:
        yield from map(_solve, tasks)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(_solve_quietly, tasks)


def _solve_quietly(task: _Task) -> Record:
    """Solve in a worker, where Ctrl-C is the parent's to report."""
    with suppress(KeyboardInterrupt):
        return _solve(task)
    raise SystemExit


def _solve(task: _Task) -> Record:
    limits: dict[str, Any] = {
        "max_nodes": task.max_nodes,
        "max_bytes": task.max_bytes,
        "seed": task.seed,
    }
    verdict = solve(task.variant, deal=task.deal, **limits)
    if verdict.status == "interrupted":
        raise KeyboardInterrupt
    named = {"variant": task.variant, "deal": task.deal, "length": len(verdict.actions)}
    return named | verdict.to_json() | limits
