"""Random legal play inside the engine, by variant."""

from collections.abc import Callable

from solitaire_env import VARIANTS
from solitaire_env.bench.tasks import random_player
from solitaire_env.envs.threads import Threads

GAMES = 1024
STEPS = 50


class RandomPlay:
    """Time `STEPS` steps of `GAMES` games on one thread."""

    params = list(VARIANTS)  # noqa: RUF012 - as asv looks for it
    param_names = ("variant",)
    number = 1
    rounds = 6
    repeat = (3, 20, 1.0)
    warmup_time = 0.2
    timeout = 300

    def setup(self, variant: str) -> None:
        """Deal and mix the games, and compile."""
        threads = Threads(1, GAMES)
        self.play: Callable[[int], int] = random_player(VARIANTS[variant], GAMES, threads)

    def time_steps(self, variant: str) -> None:
        """Play."""
        self.play(STEPS)
