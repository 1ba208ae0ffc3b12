"""Something to time, and what timing it gives."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import NamedTuple

from solitaire_env.envs.options import OptionError, real_number


@dataclass(frozen=True)
class Rate:
    """Steps, or states, a second.

    The best of some runs says what the code can do; the others, how quiet the machine was.

    Attributes:
        best: of the fastest run.
        median: of the run in the middle.
        worst: of the slowest run.
        runs: how many runs there were.
    """

    best: float
    median: float
    worst: float
    runs: int

    @classmethod
    def of(cls, rates: Sequence[float]) -> "Rate":
        """Sum up the rates of some runs."""
        return cls(max(rates), median(rates), min(rates), len(rates))


class Task(NamedTuple):
    """Something to time, again and again.

    Attributes:
        play: what is timed; it returns how many steps, or states, it did.
        prepare: called before each `play`, untimed.
    """

    play: Callable[[], int]
    prepare: Callable[[], object] = lambda: None


TaskContext = AbstractContextManager[Task]
"""Makes what a task needs, and closes it in the end."""


def check_seconds(seconds: object) -> float:
    """Return a duration in seconds, or raise OptionError unless it is a finite number above 0."""
    try:
        number = real_number("seconds", seconds)
    except OptionError:
        number = 0.0
    if number == 0:
        raise OptionError(f"seconds is {seconds!r}, accepted are finite numbers above 0")
    return number


def rate_of(task: Task, seconds: float) -> float:
    """Time a task for some seconds; return what it did a second."""
    done, spent = 0, 0.0
    while spent < seconds:
        task.prepare()
        start = perf_counter()
        done += task.play()
        spent += perf_counter() - start
    return done / spent


def measure(context: TaskContext, seconds: float, runs: int) -> Rate:
    """Time a task in `runs` runs of some seconds each, after one to warm up."""
    with context as task:
        rate_of(task, seconds)
        return Rate.of([rate_of(task, seconds) for _ in range(runs)])
