"""How long a game has been played."""

from collections.abc import Callable
from time import monotonic


class Clock:
    """A clock that can stand still.

    Args:
        seconds: what it shows at first.
        now: tells the time.
    """

    def __init__(self, seconds: float = 0.0, now: Callable[[], float] = monotonic) -> None:
        self._seconds = seconds
        self._now = now
        self._since: float | None = None

    @property
    def seconds(self) -> float:
        """Seconds that it has run."""
        running = 0.0 if self._since is None else self._now() - self._since
        return self._seconds + running

    @property
    def runs(self) -> bool:
        """Tell whether it runs."""
        return self._since is not None

    def run(self, on: bool) -> None:
        """Let it run, or stop it."""
        self._seconds = self.seconds
        self._since = self._now() if on else None
