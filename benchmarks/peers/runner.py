"""What the runners share: answer "run SECONDS" on standard input with a JSON line of steps/s.

Importing it keeps standard output for the answers, and the process on one core. It is the standard
library alone, since each runner lives in a virtual environment of its own.
"""

import json
import os
import sys
from collections.abc import Callable
from time import perf_counter

GAMES = 1024
"""Games at once, where a peer plays several."""

_answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def serve(play: Callable[[], int], *, bytes_a_step: int, version: str, games: int = GAMES) -> None:
    """Tell that all is ready, then run as often as asked, until standard input ends.

    Args:
        play: plays a little and returns how many steps of all games together it did.
        bytes_a_step: bytes written a step of one game: observation, mask, reward and flags.
        version: of the library.
        games: games at once.
    """
    _answer(version=version, bytes=bytes_a_step, games=games)
    for line in sys.stdin:
        command, seconds = line.split()
        if command != "run":
            raise ValueError(f"command is {command!r}, accepted is run")
        _answer(rate=rate_of(play, float(seconds)))


def rate_of(play: Callable[[], int], seconds: float) -> float:
    """Play for some seconds; return steps a second."""
    start, done, spent = perf_counter(), 0, 0.0
    while spent < seconds:
        done += play()
        spent = perf_counter() - start
    return done / spent


def _answer(**values: float | str) -> None:
    print(json.dumps(values), file=_answers, flush=True)
