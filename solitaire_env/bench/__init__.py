"""Speed and memory: steps a second of the engine, the environments and their neighbours."""

from typing import NamedTuple

import gymnasium as gym

from solitaire_env.bench.rates import check_seconds, rate_of
from solitaire_env.bench.tasks import new_table, random_task
from solitaire_env.envs.buffers import fresh_out
from solitaire_env.envs.registration import find_sheet
from solitaire_env.rulesheet import RuleSheet

__all__ = ["GameBytes", "bytes_a_game", "random_play", "sheet_of"]


class GameBytes(NamedTuple):
    """Bytes that one game takes in a batch.

    Attributes:
        state: the engine's row.
        observation: uint8, written every step.
        mask: one byte an action, written every step.
        step: all that a step of the batch writes: observation, mask, reward and two flags.
    """

    state: int
    observation: int
    mask: int
    step: int

    @property
    def total(self) -> int:
        """What a game keeps in memory: its row, and one set of observation and mask."""
        return self.state + self.observation + self.mask


def random_play(
    id: str, num_envs: int = 1024, num_threads: int | None = 1, seconds: float = 1.0
) -> float:
    """Measure random legal play inside the engine.

    The games' own generators draw the actions, each legal one as likely; every step writes
    observation and mask; games that end are dealt anew.

    Args:
        id: an environment's id ("solitaire_env/SanJuanHill-v0") or its variant's name.
        num_envs: games at once.
        num_threads: threads that share the games; None: as `make_vec` chooses.
        seconds: how long to play, at least.

    Returns:
        Steps a second, of all games together.

    Raises:
        ValueError: for an unknown id, or a number that is not accepted.
    """
    duration = check_seconds(seconds)
    with random_task(sheet_of(id), num_envs, num_threads) as task:
        return rate_of(task, duration)


def bytes_a_game(id: str) -> GameBytes:
    """Count the bytes that a game of a variant takes; ValueError for an unknown id."""
    table = new_table(sheet_of(id), 1)
    out = fresh_out(table)
    step = sum(part.nbytes for part in out)
    return GameBytes(table.games.itemsize, out.observations.nbytes, out.action_mask.nbytes, step)


def sheet_of(id: object) -> RuleSheet:
    """Find a rule sheet by id or name; ValueError lists the names there are."""
    spec = gym.registry.get(id.rpartition(":")[2]) if isinstance(id, str) else None
    return find_sheet(spec.kwargs.get("variant", id) if spec else id)
