"""Threads that step slices of a batch: the kernels hold no lock, and share no row."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

from solitaire_env.envs.options import whole_number

GAMES_WORTH_THREADS = 4096
"""Below so many games one thread is faster than several."""

SLICES_A_THREAD = 4
"""More than one, so that a thread whose core is busy otherwise leaves work to the others."""


class Threads:
    """A pool of threads for `num_games` rows; one thread means none but the caller's.

    Forked children and copies make threads of their own when they first need them.
    """

    def __init__(self, num_threads: int | None, num_games: int) -> None:
        """Set the number of threads: None for one, or all cores where that pays.

        Raises:
            OptionError: for anything but None or a whole number 1..1024.
        """
        if num_threads is None:
            many = num_games >= GAMES_WORTH_THREADS
            num_threads = (os.cpu_count() or 1) if many else 1
        self.count = min(whole_number("num_threads", num_threads, 1, 1024), num_games)
        parts = 1 if self.count == 1 else min(SLICES_A_THREAD * self.count, num_games)
        edges = [num_games * part // parts for part in range(parts + 1)]
        self._slices = list(pairwise(edges))
        self._pool: tuple[int, ThreadPoolExecutor] | None = None

    def run(self, work: Callable[[tuple[int, int]], None]) -> None:
        """Call `work` with every slice (start, stop) of the rows, and wait."""
        if self.count == 1:
            work(self._slices[0])
        else:
            list(self._executor().map(work, self._slices))

    def _executor(self) -> ThreadPoolExecutor:
        """Give this process's threads: a forked child has none of its parent's."""
        if self._pool is None or self._pool[0] != os.getpid():
            self._pool = os.getpid(), ThreadPoolExecutor(self.count)
        return self._pool[1]

    def close(self) -> None:
        """Let this process's threads end."""
        if self._pool is not None and self._pool[0] == os.getpid():
            self._pool[1].shutdown(wait=False)
        self._pool = None

    def __getstate__(self) -> dict[str, object]:
        """Pickle and deepcopy: all but the threads."""
        return {**vars(self), "_pool": None}
