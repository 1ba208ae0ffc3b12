"""Many games side by side as one Gymnasium vector environment, stepped by the engine itself."""

from collections.abc import Sequence
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from solitaire_env.engine.actions import Action, action_table
from solitaire_env.engine.batch import ANY_DEAL
from solitaire_env.engine.state import (
    BoolArray,
    ByteArray,
    Field,
    FloatArray,
    IntArray,
    MaskArray,
    public_fields,
)
from solitaire_env.engine.table import Table
from solitaire_env.envs.buffers import StepOut, check_out, fresh_out
from solitaire_env.envs.env import random_word
from solitaire_env.envs.infos import Infos, pick, tell, tell_ends, tell_illegal
from solitaire_env.envs.options import (
    BATCH_RENDER_MODES,
    ActionError,
    IllegalActionError,
    OptionError,
    check_actions,
    check_autoreset_mode,
    check_deal,
    check_deals,
    check_look,
    check_reset_options,
    check_seed,
    check_settings,
    read_array,
    whole_number,
)
from solitaire_env.envs.registration import find_sheet
from solitaire_env.envs.threads import Threads
from solitaire_env.notation import Position, board_text
from solitaire_env.render.table import draw_table
from solitaire_env.rulesheet import RuleSheet


class SolitaireVectorEnv(VectorEnv[ByteArray, IntArray, npt.NDArray[Any]]):
    """`num_envs` games of one variant: `SolitaireEnv`, game by game, at the engine's speed.

    Takes the keyword arguments of `SolitaireEnv`, and these. Results never depend on the number
    of threads.

    Args:
        num_envs: games side by side.
        max_episode_steps: steps that truncate an episode; None: no limit. `gym.make_vec` puts
            the variant's own in, unless another is given.
        autoreset_mode: Gymnasium's enum or its value, as "NextStep".
        num_threads: None: one, or all cores from `threads.GAMES_WORTH_THREADS` games up.

    Raises:
        OptionError: naming the argument, its value and what is accepted.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as Gymnasium declares it
        "render_modes": list(BATCH_RENDER_MODES),
        "render_fps": 4,
    }
    OPTIONS: ClassVar = ("deal", "deals", "position", "reset_mask")

    def __init__(
        self,
        variant: str,
        num_envs: int = 1,
        *,
        reward: str = "foundation",
        observability: str = "player",
        illegal: str = "noop",
        illegal_penalty: float = 0.0,
        seconds_per_move: float = 2.0,
        streaks: bool = False,
        no_progress_limit: int | None = None,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        num_threads: int | None = None,
        render_mode: str | None = None,
        felt: str = "emerald-green",
    ) -> None:
        self.sheet: RuleSheet = find_sheet(variant)
        self.num_envs = whole_number("num_envs", num_envs, 1, 2**31)
        settings = check_settings(
            self.sheet,
            reward=reward,
            observability=observability,
            illegal=illegal,
            illegal_penalty=illegal_penalty,
            seconds_per_move=seconds_per_move,
            streaks=streaks,
            no_progress_limit=no_progress_limit,
            max_episode_steps=max_episode_steps,
        )
        check_look(render_mode, felt, BATCH_RENDER_MODES)
        self.autoreset_mode = check_autoreset_mode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = render_mode
        self.felt = felt
        self._threads = Threads(num_threads, self.num_envs)
        self.num_threads = self._threads.count
        self._seconds = float(seconds_per_move)
        self._raises = illegal == "raise"
        self._table = Table(self.sheet, self.num_envs, settings)
        self._set_spaces()
        self._rows = np.arange(self.num_envs)
        self._seeded = False
        self._dealt = np.zeros(self.num_envs, np.bool_)
        self._over = np.zeros(self.num_envs, np.bool_)
        self._none = np.zeros(self.num_envs, np.bool_)
        self._next_step = self.autoreset_mode == AutoresetMode.NEXT_STEP
        self._same_step = self.autoreset_mode == AutoresetMode.SAME_STEP
        self._all_dealt = False

    def _set_spaces(self) -> None:
        size = self._table.new_outputs()[0].shape[1]
        self.single_observation_space = gym.spaces.Box(0, 255, (size,), np.uint8)
        self.single_action_space = gym.spaces.Discrete(self._table.rules.num_actions)
        self.observation_space = _batch_of(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    @property
    def fields(self) -> dict[str, Field]:
        """What an observation holds: name -> (slice, shape, meaning)."""
        return public_fields(self._table.rules)

    @property
    def action_table(self) -> tuple[Action, ...]:
        """What each action number means."""
        return action_table(self._table.rules)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[ByteArray, Infos]:
        """Deal all games, or those that `options["reset_mask"]` (N,) bool names.

        Args:
            seed: game i gets seed + i; or one a game.
            options: reset_mask, and one of deal (a number), deals ((N,) numbers) or position.

        Returns:
            Fresh observations (N, n) uint8, unchanged where nothing was reset, and infos, which
            are absent (`_key` False) there.

        Raises:
            OptionError: for an unknown option or a value that is not accepted.
            PositionError: for a position that no play can reach, or that is over.
        """
        checked = check_reset_options(options, self.OPTIONS)
        mask = _reset_mask(checked, self.num_envs)
        deals = self._deals(checked)
        seeds = _seeds(seed, self.num_envs)
        rows = self._rows[mask]
        if "position" in checked:
            self._table.load(rows, checked["position"])
        if seed is not None and not isinstance(seed, Sequence | np.ndarray):
            super().reset(seed=int(seed))
        self._seed(rows, [seeds[row] for row in rows])
        if "position" not in checked:
            self._table.deal(rows, deals[rows])
        self._dealt[rows], self._over[rows] = True, False
        observations, masks, told = self._show()
        return observations, tell(told, masks, self._seconds, mask)

    def _show(self) -> tuple[ByteArray, MaskArray, IntArray]:
        """Give what all games show now: fresh observations, masks, and what is told."""
        observations, masks = self._table.new_outputs()
        told = self._table.new_told()
        self._table.show(self._rows, observations, masks, told)
        return observations, masks, told

    def _deals(self, options: dict[str, Any]) -> IntArray:
        if "deals" in options:
            return check_deals(options["deals"], self.num_envs)
        deal = check_deal(options["deal"]) if "deal" in options else ANY_DEAL
        return np.full(self.num_envs, deal, np.int64)

    def _seed(self, rows: IntArray, seeds: list[int | None]) -> None:
        if not self._seeded:
            generator = np.random.default_rng()
            words = [random_word(generator) for _ in range(self.num_envs)]
            self._table.seed(self._rows, words)
            self._seeded = True
        given = [index for index, seed in enumerate(seeds) if seed is not None]
        self._table.seed(rows[given], [seed for seed in seeds if seed is not None])

    def step(
        self, actions: IntArray, out: StepOut | None = None
    ) -> tuple[ByteArray, FloatArray, BoolArray, BoolArray, Infos]:
        """Play one action in each game.

        Args:
            actions: (N,) whole numbers; ignored where NEXT_STEP deals a new game.
            out: buffers to write and return in place of fresh arrays.

        Returns:
            Observations (N, n) uint8, rewards (N,) float64, terminated and truncated (N,) bool,
            and infos.

        Raises:
            ActionError: for anything but action numbers, before a reset, and for a game that is
                over, unless NEXT_STEP deals it anew. No game has changed then.
            IllegalActionError: for a masked action under `illegal="raise"`.
        """
        resets = self._over if self._next_step else self._none
        numbers = self._check(actions, resets)
        out = fresh_out(self._table) if out is None else check_out(out, self._table)
        illegal, told = np.empty(self.num_envs, np.bool_), self._table.new_told()
        self._run(numbers, resets, (*out, illegal, told))
        self._over = out.terminated | out.truncated
        infos = self._finish(out, illegal, told)
        return out.observations, out.rewards, out.terminated, out.truncated, infos

    def _check(self, actions: object, resets: BoolArray) -> IntArray:
        count = self._table.rules.num_actions
        numbers = check_actions(actions, self.num_envs, count, resets)
        if not self._all_dealt:
            self._require_deal(self._rows)
            self._all_dealt = True
        if not self._next_step and self._over.any():
            over = self._rows[self._over].tolist()
            raise ActionError(f"games {over} are over: reset them first, with a reset_mask")
        if self._raises:
            self._refuse_illegal(numbers, resets)
        return numbers

    def _refuse_illegal(self, numbers: IntArray, resets: BoolArray) -> None:
        masks = self._table.legal(self._rows)
        illegal = (masks[self._rows, numbers] == 0) & masks.any(axis=1) & ~resets
        if illegal.any():
            row = int(np.argmax(illegal))
            legal = np.flatnonzero(masks[row]).tolist()
            raise IllegalActionError(
                f"action {numbers[row]} in row {row} is illegal now; legal are {legal}"
            )

    def _run(self, numbers: IntArray, resets: BoolArray, buffers: tuple[Any, ...]) -> None:
        """Step all games, in slices on threads; the kernels hold no lock."""

        def run(rows: tuple[int, int]) -> None:
            self._table.step(numbers, resets, rows, *buffers)

        self._threads.run(run)

    def _finish(self, out: StepOut, illegal: BoolArray, told: IntArray) -> Infos:
        """Tell of the step, after dealing anew where SAME_STEP does."""
        over = self._over
        if self._same_step and over.any():
            return self._deal_anew(out, illegal, told)
        infos = tell(told, out.action_mask, self._seconds)
        tell_illegal(infos, illegal)
        tell_ends(infos, told, over)
        return infos

    def _deal_anew(self, out: StepOut, illegal: BoolArray, told: IntArray) -> Infos:
        """Deal anew where games are over, and tell of these games as of those that ended."""
        over = self._over
        final = tell(told, out.action_mask, self._seconds, over)
        tell_illegal(final, illegal & over)
        tell_ends(final, told, over)
        last = pick(out.observations, over)
        rows = self._rows[over]
        self._table.deal(rows, np.full(len(rows), ANY_DEAL))
        self._table.show(rows, out.observations, out.action_mask, told)
        infos = tell(told, out.action_mask, self._seconds)
        tell_illegal(infos, illegal & ~over)
        infos |= {"final_obs": last, "_final_obs": over}
        infos |= {"final_info": final, "_final_info": over.copy()}
        self._over = self._none.copy()
        return infos

    def action_masks(self) -> BoolArray:
        """Tell which actions are legal: (N, A) bool, fresh; none in games that are not dealt."""
        return self._table.legal(self._rows).view(np.bool_)

    def positions(self) -> list[Position]:
        """Give every game's whole position, hidden cards too."""
        self._require_deal(self._rows)
        return [self._table.position(row) for row in range(self.num_envs)]

    def clone_states(self, indices: Sequence[int] | IntArray | None = None) -> ByteArray:
        """Copy the states of games, generators included: (len(indices), row size) uint8."""
        rows = self._indices(indices)
        self._require_deal(rows)
        return self._table.snapshot(rows)

    def restore_states(self, indices: Sequence[int] | IntArray | None, states: ByteArray) -> None:
        """Return games to states that `clone_states` gave, of the same variant."""
        rows = self._indices(indices)
        shape = (len(rows), self._table.games.itemsize)
        array = read_array(states)
        if array.shape != shape or array.dtype != np.uint8:
            raise OptionError(f"states are {array.shape} {array.dtype}, accepted is {shape} uint8")
        self._table.restore(rows, array)
        self._dealt[rows] = self._seeded = True
        self._over[rows] = self._table.is_over(rows)

    def _require_deal(self, rows: IntArray) -> None:
        dealt = self._dealt[rows]
        if not dealt.all():
            raise ActionError(f"game {rows[np.argmin(dealt)]} is not dealt: call reset first")

    def _indices(self, indices: Sequence[int] | IntArray | None) -> IntArray:
        if indices is None:
            return self._rows
        rows = read_array(indices)
        whole = rows.ndim == 1 and (rows.dtype.kind in "iu" or rows.size == 0)
        if not whole or (rows < 0).any() or (rows >= self.num_envs).any():
            raise OptionError(f"indices are {indices!r}, accepted are 0..{self.num_envs - 1}")
        return rows.astype(np.int64)

    def render(self) -> tuple[str, ...] | tuple[ByteArray, ...] | None:  # type: ignore[override]
        """Draw every table: plain text under "ansi", (H, W, 3) uint8 under "rgb_array"."""
        if self.render_mode is None:
            gym.logger.warn('render() needs gym.make_vec(..., render_mode="ansi")')
            return None
        positions = self.positions()
        if self.render_mode == "ansi":
            return tuple(board_text(position) for position in positions)
        return tuple(draw_table(self.sheet, position, self.felt) for position in positions)

    def close_extras(self, **_: Any) -> None:
        """Stop the threads."""
        self._threads.close()


def _batch_of(single: gym.spaces.Box, count: int) -> gym.spaces.Box:
    """Make the space of many games' observations; its bounds, all alike, are kept once.

    Gymnasium would keep four bytes for every byte of an observation.
    """
    batch: Any = batch_space(single, 1)
    for name in ("low", "high", "bounded_below", "bounded_above"):
        setattr(batch, name, np.broadcast_to(getattr(batch, name), (count, *single.shape)))
    batch._shape = (count, *single.shape)
    return batch


def _reset_mask(options: dict[str, Any], count: int) -> BoolArray:
    mask = options.get("reset_mask")
    if mask is None:
        return np.ones(count, np.bool_)
    array = isinstance(mask, np.ndarray) and mask.dtype == np.bool_ and mask.shape == (count,)
    if not array or not mask.any():
        raise OptionError(f"reset_mask is {mask!r}, accepted is ({count},) bool with a True")
    return mask


def _seeds(seed: int | Sequence[int | None] | None, count: int) -> list[int | None]:
    if seed is None:
        return [None] * count
    if not isinstance(seed, Sequence | np.ndarray):
        first = check_seed(seed)
        return [first + row for row in range(count)]
    if len(seed) != count:
        raise OptionError(f"seed has {len(seed)} entries, accepted are {count}, one a game")
    return [None if each is None else check_seed(each) for each in seed]
