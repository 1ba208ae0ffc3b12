"""All measurements of some variants, as rows and as what JSON can hold."""

import os
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import solitaire_env
from solitaire_env.bench import GameBytes, bytes_a_game, sheet_of
from solitaire_env.bench.rates import Rate, TaskContext, check_seconds, measure
from solitaire_env.bench.tasks import (
    adapter_task,
    batch_task,
    kernel_task,
    random_task,
    single_task,
    state_task,
    states_task,
)
from solitaire_env.envs.options import whole_number
from solitaire_env.rulesheet import RuleSheet

BATCH: Final = 1024
"""Games at once where actions are given, and where many states are copied."""

LIBRARIES: Final = ("numpy", "numba", "gymnasium")

MANY_GAMES: Final = 100_000

SPEED_HEADER: Final = (
    "variant", "what", "games", "threads",
    "best/s", "median/s", "worst/s", "ns each",
)  # fmt: skip
MEMORY_HEADER: Final = (
    "variant", "state", "observation", "mask", "bytes a game", "written a step",
    f"{MANY_GAMES:,} games",
)  # fmt: skip

Say = Callable[[str], object]


@dataclass(frozen=True)
class Case:
    """What to measure.

    Attributes:
        variant: the rule sheet's name.
        what: the measurement in words.
        unit: what is counted a second: "step" or "state".
        games: games at once.
        threads: threads that play them.
        task: makes what is timed.
    """

    variant: str
    what: str
    unit: str
    games: int
    threads: int
    task: Callable[[], TaskContext]

    @property
    def title(self) -> str:
        """The case in words: variant, what, games and threads."""
        return f"{self.variant}: {self.what}, games {self.games}, threads {self.threads}"


@dataclass(frozen=True)
class Result:
    """A case and its rate; None, with the reason, where it could not be measured."""

    case: Case
    rate: Rate | None
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """Give what JSON can hold: rates are in units a second."""
        case = self.case
        told = {name: getattr(case, name) for name in ("variant", "what", "unit", "games")}
        told["threads"] = case.threads
        return told | (asdict(self.rate) if self.rate else {"skipped": self.reason})


@dataclass
class Report:
    """What a run of measurements found.

    Attributes:
        seconds: duration of a run of a case.
        runs: runs of a case, after one to warm up.
        memory: bytes a game, by variant.
        results: the cases, as they were measured.
        machine: processor, versions and date.
    """

    seconds: float
    runs: int
    memory: dict[str, GameBytes]
    results: list[Result]
    machine: dict[str, Any] = field(default_factory=lambda: machine())

    def speed_rows(self) -> list[tuple[object, ...]]:
        """Give a row a measurement, see `SPEED_HEADER`."""
        return [
            (case.variant, case.what, case.games, case.threads, *_numbers(result.rate))
            for result in self.results
            for case in (result.case,)
        ]

    def memory_rows(self) -> list[tuple[object, ...]]:
        """Give a row a variant, see `MEMORY_HEADER`."""
        return [
            (name, *size[:3], size.total, size.step, f"{size.total * MANY_GAMES / 1e6:.0f} MB")
            for name, size in self.memory.items()
        ]

    def skipped(self) -> dict[str, str]:
        """Give what was not measured, with the reason."""
        return {result.case.what: result.reason for result in self.results if not result.rate}

    def to_json(self) -> dict[str, Any]:
        """Give all of it as what JSON can hold."""
        return {
            "machine": self.machine,
            "seconds": self.seconds,
            "runs": self.runs,
            "memory": {
                name: {**size._asdict(), "total": size.total} for name, size in self.memory.items()
            },
            "results": [result.to_json() for result in self.results],
        }


def bench(
    variants: Iterable[str],
    *,
    num_envs: Sequence[int],
    threads: Sequence[int] | None,
    seconds: float,
    runs: int,
    say: Say = lambda title: None,
) -> Report:
    """Measure some variants.

    Args:
        variants: names or ids.
        num_envs: games at once in random play.
        threads: threads in random play; None: one, and all cores.
        seconds: duration of a run.
        runs: runs of each case, after one to warm up.
        say: is told what is measured next.

    Raises:
        ValueError: for an unknown variant, or a number that is not accepted.
    """
    sheets = [sheet_of(variant) for variant in variants]
    counts = [whole_number("num_envs", count, 1, 2**31) for count in num_envs]
    cores = sorted({1, os.cpu_count() or 1}) if threads is None else threads
    workers = [whole_number("threads", count, 1, 1024) for count in cores]
    duration, times = check_seconds(seconds), whole_number("runs", runs, 1, 1000)
    results = [
        measured(case, duration, times, say)
        for sheet in sheets
        for case in cases(sheet, counts, workers)
    ]
    memory = {sheet.name: bytes_a_game(sheet.name) for sheet in sheets}
    return Report(duration, times, memory, results)


def measured(case: Case, seconds: float, runs: int, say: Say) -> Result:
    """Measure a case; one whose extra is not installed is skipped, with what to install."""
    say(case.title)
    try:
        return Result(case, measure(case.task(), seconds, runs))
    except ImportError as error:
        return Result(case, None, str(error))


def cases(sheet: RuleSheet, num_envs: Sequence[int], threads: Sequence[int]) -> Iterator[Case]:
    """List what is measured of a variant."""
    yield from random_cases(sheet, num_envs, threads)
    case = partial(Case, sheet.name, threads=1)
    single, given = partial(single_task, sheet), partial(batch_task, sheet, BATCH)
    yield case("Env.step, gym.make", "step", 1, task=partial(single, wrapped=True))
    yield case("Env.step, unwrapped", "step", 1, task=partial(single, wrapped=False))
    yield case("engine step", "step", BATCH, task=partial(kernel_task, sheet, BATCH))
    yield case("make_vec step", "step", BATCH, task=partial(given, own_buffers=False))
    yield case("make_vec step, out=", "step", BATCH, task=partial(given, own_buffers=True))
    yield case("SB3 step", "step", BATCH, task=partial(adapter_task, sheet, BATCH))
    for call in ("clone_state", "restore_state", "determinize"):
        yield case(call, "state", 1, task=partial(state_task, sheet, call))
    for call in ("clone_states", "restore_states"):
        yield case(call, "state", BATCH, task=partial(states_task, sheet, call, BATCH))


def random_cases(
    sheet: RuleSheet, num_envs: Sequence[int], threads: Sequence[int]
) -> Iterator[Case]:
    """List random play by games and threads, but never more threads than games."""
    for games in num_envs:
        for count in sorted({min(count, games) for count in threads}):
            task = partial(random_task, sheet, games, count)
            yield Case(sheet.name, "random play", "step", games, count, task)


def _numbers(rate: Rate | None) -> tuple[str, ...]:
    """Write a rate's numbers, aligned to the right."""
    if rate is None:
        return "skipped", "", "", ""
    rates = [f"{number:>12,.0f}" for number in (rate.best, rate.median, rate.worst)]
    return *rates, f"{1e9 / rate.best:>9,.1f}"


def machine() -> dict[str, Any]:
    """Describe the processor, the versions and the day; nothing tells whose machine it is."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        **{name: version(name) for name in LIBRARIES},
        "solitaire_env": solitaire_env.__version__,
        "date": datetime.now(UTC).date().isoformat(),
    }


def _processor() -> str:
    """Give the processor's model, as Linux names it where it does."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor()
