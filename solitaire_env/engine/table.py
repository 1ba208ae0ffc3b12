"""Games of one rule sheet and the compiled kernels that play them: what environments stand on."""

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from solitaire_env.engine import batch
from solitaire_env.engine.compile import specialise
from solitaire_env.engine.lowered import LoweredRules, lower
from solitaire_env.engine.position import PositionError, load_position, position_of
from solitaire_env.engine.settings import settings_record
from solitaire_env.engine.state import (
    TOLD,
    BoolArray,
    ByteArray,
    FloatArray,
    Games,
    IntArray,
    MaskArray,
    bytes_of,
    masks_of,
    new_games,
    observation_size,
)
from solitaire_env.notation import Position
from solitaire_env.rulesheet import RuleSheet

_WORD = 2**64


class Kernels:
    """The kernels of `batch`, compiled for one game's rules when first asked for."""

    def __init__(self, rules: LoweredRules) -> None:
        self._rules = rules

    def __getattr__(self, name: str) -> Any:
        """Compile a kernel; later look-ups find it as a plain attribute."""
        if name.startswith("_"):
            raise AttributeError(name)
        compiled = specialise(getattr(batch, name), self._rules, *self._examples(name))
        setattr(self, name, compiled)
        return compiled

    def _examples(self, name: str) -> tuple[Any, ...]:
        """Give arguments of the types that a kernel takes."""
        games, settings = new_games(self._rules, 1), settings_record()
        numbers, flags = np.zeros(1, np.int64), np.zeros(1, np.bool_)
        bytes_, told = np.zeros((1, 1), np.uint8), np.zeros((TOLD, 1), np.int64)
        shown = (bytes_, bytes_.view(np.int8))
        words, reals = np.zeros(1, np.uint64), np.zeros(1)
        flags_out = (reals, flags, flags, flags, told)
        return {
            "seed_games": (games, numbers, words),
            "deal_games": (games, numbers, numbers),
            "complete_games": (games, numbers),
            "determinize_games": (games, numbers, words),
            "show_games": (games, settings, numbers, *shown, told),
            "step_games": (games, settings, numbers, flags, 0, 1, *shown, *flags_out),
            "deal_alone": (games, settings, 0, bytes_[0], shown[1][0]),
            "step_alone": (games, settings, 0, bytes_[0], shown[1][0]),
            "random_steps": (games, settings, 0, 1, 1, numbers, *shown, reals),
        }[name]


@cache
def kernels_of(rules: LoweredRules) -> Kernels:
    """Give the kernels of a game's rules; tables of the same rules share them."""
    return Kernels(rules)


class Table:
    """`count` games of one sheet, side by side.

    Rows are numbered 0..count-1. Arguments are trusted: environments check what users give.

    Attributes:
        sheet: the game's rules.
        rules: the same as the kernels read them.
        games: (count,) records, one row a game.
        settings: (1,) record, see `settings.SETTINGS`.
    """

    def __init__(self, sheet: RuleSheet, count: int, settings: npt.NDArray[Any]) -> None:
        self.sheet = sheet
        self.rules = lower(sheet)
        self.games: Games = new_games(self.rules, count)
        self.games.variant = _tag(sheet)
        self.settings = settings
        self.kernels = kernels_of(self.rules)
        self._sizes = (observation_size(self.rules), self.rules.num_actions)

    def new_outputs(self) -> tuple[ByteArray, MaskArray]:
        """Make room for observations (count, size) uint8 and masks (count, actions) int8."""
        count, (size, actions) = len(self.games), self._sizes
        return np.empty((count, size), np.uint8), np.empty((count, actions), np.int8)

    def new_told(self) -> IntArray:
        """Make room for what `info` tells of all games: (TOLD, count) int64."""
        return np.empty((TOLD, len(self.games)), np.int64)

    def seed(self, rows: IntArray, seeds: Sequence[int]) -> None:
        """Start the generators of rows, each from a whole number of any size from 0."""
        words = np.array([_fold(seed) for seed in seeds], np.uint64)
        self.kernels.seed_games(self.rules, self.games, rows, words)

    def deal(self, rows: IntArray, deals: IntArray) -> None:
        """Deal rows; `batch.ANY_DEAL` draws a deal number."""
        self.kernels.deal_games(self.rules, self.games, rows, deals)

    def load(self, rows: IntArray, position: object) -> None:
        """Lay out a position in rows; raise PositionError, the games unchanged, if it can't be."""
        fresh = Table(self.sheet, 1, self.settings)
        fresh._lay_out(position)
        for row in rows:
            generator = self.games[row].random
            self.games[row] = fresh.games[0]
            self.games[row].random = generator

    def _lay_out(self, position: object) -> None:
        """Fill a table of one game from a position."""
        row = np.zeros(1, np.int64)
        game = self.games[0]
        game.passes, game.deal, game.redeals_left = 1, -1, self.rules.redeals
        load_position(self.sheet, self.rules, game, position)
        self.kernels.complete_games(self.rules, self.games, row)
        if game.foundation_cards == self.rules.cards:
            raise PositionError("impossible position to start from: the game is won")
        if game.legal == 0:
            raise PositionError("impossible position to start from: no move is legal")

    def determinize(self, row: int, word: int) -> Position:
        """Give a row's position with the cards that its player has not seen dealt anew."""
        copy = Table(self.sheet, 1, self.settings)
        copy.games[0] = self.games[row]
        words = np.array([_fold(word)], np.uint64)
        self.kernels.determinize_games(self.rules, copy.games, np.zeros(1, np.int64), words)
        return copy.position(0)

    def show(
        self, rows: IntArray, observations: ByteArray, masks: MaskArray, told: IntArray
    ) -> None:
        """Write what rows show, see `batch.show_games`."""
        out = (observations, masks, told)
        self.kernels.show_games(self.rules, self.games, self.settings, rows, *out)

    def step(
        self,
        actions: IntArray,
        resets: BoolArray,
        rows: tuple[int, int],
        observations: ByteArray,
        masks: MaskArray,
        rewards: FloatArray,
        terminated: BoolArray,
        truncated: BoolArray,
        illegal: BoolArray,
        told: IntArray,
    ) -> None:
        """Step rows rows[0]..rows[1]-1, see `batch.step_games`."""
        out = (observations, masks, rewards, terminated, truncated, illegal, told)
        self.kernels.step_games(self.rules, self.games, self.settings, actions, resets, *rows, *out)

    def deal_alone(self, deal: int) -> tuple[ByteArray, MaskArray]:
        """Deal the first row; give fresh observation and mask."""
        out = self._new_row()
        self.kernels.deal_alone(self.rules, self.games, self.settings, deal, *out)
        return out

    def _new_row(self) -> tuple[ByteArray, MaskArray]:
        """Make room for what one game shows."""
        size, actions = self._sizes
        return np.empty(size, np.uint8), np.empty(actions, np.int8)

    def step_alone(
        self, action: int
    ) -> tuple[ByteArray, MaskArray, tuple[float, bool, bool, bool]]:
        """Step the first row: fresh observation and mask, and what `batch.step_alone` returns."""
        observation, mask = self._new_row()
        step = self.kernels.step_alone
        result = step(self.rules, self.games, self.settings, action, observation, mask)
        return observation, mask, result

    def is_over(self, rows: IntArray) -> BoolArray:
        """Tell which rows have ended, or have reached the step limit."""
        games, limit = self.games[rows], self.settings[0].max_episode_steps
        return (games.outcome != 0) | ((games.steps >= limit) & (limit > 0))

    def legal(self, rows: IntArray) -> ByteArray:
        """Tell of each action of rows whether it is legal: fresh (len(rows), actions) uint8."""
        return masks_of(self.games[rows])[:, : self.rules.num_actions]

    def position(self, row: int) -> Position:
        """Put a game's cards into words, all of them."""
        return position_of(self.sheet.name, self.games[row])

    def snapshot(self, rows: IntArray) -> ByteArray:
        """Copy rows as (len(rows), row size) bytes."""
        return bytes_of(self.games)[rows]

    def restore(self, rows: IntArray, states: ByteArray) -> None:
        """Overwrite rows with what `snapshot` gave; ValueError for states of another game."""
        tags = np.ascontiguousarray(states).view(self.games.dtype)["variant"]
        if (tags != _tag(self.sheet)).any():
            raise ValueError(f"a state is of another game than {self.sheet.name}")
        bytes_of(self.games)[rows] = states

    def __getstate__(self) -> tuple[RuleSheet, npt.NDArray[Any], ByteArray]:
        """Pickle the rules, the settings and the rows; kernels are found again."""
        return self.sheet, self.settings.copy(), bytes_of(self.games).copy()

    def __setstate__(self, state: tuple[RuleSheet, npt.NDArray[Any], ByteArray]) -> None:
        """Restore what was pickled."""
        sheet, settings, rows = state
        self.__init__(sheet, len(rows), settings.view(np.recarray))
        bytes_of(self.games)[:] = rows


@cache
def _tag(sheet: RuleSheet) -> int:
    """Give 64 bits that tell the states of one rule sheet from another's."""
    return _bits(repr(sheet).encode())


def _fold(seed: int) -> int:
    """Fold a whole number of any size from 0 into 64 bits, small ones as they are."""
    if seed < _WORD:
        return seed
    return _bits(seed.to_bytes((seed.bit_length() + 7) // 8, "little"))


def _bits(data: bytes) -> int:
    """Hash bytes to 64 bits."""
    return int.from_bytes(sha256(data).digest()[:8], "little")
