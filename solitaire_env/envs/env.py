"""One game of solitaire as a Gymnasium environment."""

import os
import sys
from typing import TYPE_CHECKING, Any, ClassVar, cast

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from solitaire_env.engine.actions import Action, action_of, action_table, legal_actions, move_of
from solitaire_env.engine.batch import ANY_DEAL
from solitaire_env.engine.settings import Illegal
from solitaire_env.engine.state import (
    COUNTERS,
    Field,
    MaskArray,
    Outcome,
    public_fields,
)
from solitaire_env.engine.table import Table
from solitaire_env.envs.infos import tell_one
from solitaire_env.envs.options import (
    RENDER_MODES,
    ActionError,
    IllegalActionError,
    OptionError,
    check_action,
    check_deal,
    check_look,
    check_reset_options,
    check_seed,
    check_settings,
)
from solitaire_env.envs.registration import find_sheet
from solitaire_env.notation import Move, Position, board_text, is_whole
from solitaire_env.render.table import draw_table
from solitaire_env.rulesheet import RuleSheet

if TYPE_CHECKING:
    from solitaire_env.render.window import Window

Observation = npt.NDArray[np.uint8]
Info = dict[str, Any]

_ROW = np.zeros(1, np.int64)
_OUTCOMES = [outcome.label for outcome in Outcome]
_RAISE = int(Illegal.RAISE)


def random_word(generator: np.random.Generator) -> int:
    """Draw 64 bits from a NumPy generator, the same for a seed under every NumPy."""
    return int(np.asarray(generator.bit_generator.random_raw(1)).reshape(()))


class SolitaireEnv(gym.Env[Observation, int]):
    """A solitaire game of any rule sheet.

    ## Observation
    `Box(0, 255, (n,), uint8)`: the table as a player with a perfect memory knows it. `fields`
    tells what is where (name -> slice, shape, meaning). Cards are 0 none, 1..52 suit by suit
    (S H D C) from the Ace, 53 not seen. `observability="full"` shows every card.

    ## Actions
    `Discrete(A)`: the table `action_table` lists what each number means. `info["action_mask"]`
    (int8) and `action_masks()` (bool) say which are legal; all zero only when the game is over.

    ## Rewards
    "foundation": change of cards on the foundations (Kings that leave count). "win": 1.0 on the
    winning step. "ledger": change of the score.

    ## Episode end
    Terminated when won, stuck (no legal move) or dead (only draws are left and can't help);
    truncated after `no_progress_limit` moves without progress. `info["outcome"]` says which.

    ## Version history
    v0: first version.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as Gymnasium declares it
        "render_modes": list(RENDER_MODES),
        "render_fps": 4,
    }
    OPTIONS: ClassVar = ("deal", "position")

    def __init__(
        self,
        variant: str,
        *,
        reward: str = "foundation",
        observability: str = "player",
        illegal: str = "noop",
        illegal_penalty: float = 0.0,
        seconds_per_move: float = 2.0,
        streaks: bool = False,
        no_progress_limit: int | None = None,
        render_mode: str | None = None,
        felt: str = "emerald-green",
    ) -> None:
        """Set up an environment; deals follow at `reset`.

        Args:
            variant: a rule sheet's name, as "san-juan-hill".
            reward: "foundation", "win" or "ledger".
            observability: "player" or "full".
            illegal: what an illegal action does: "noop" leaves the game as it is, "raise" raises
                IllegalActionError, "terminate" ends the game.
            illegal_penalty: subtracted from the reward of an illegal action.
            seconds_per_move: simulated time, for the time bonus.
            streaks: foundation moves in a row earn more.
            no_progress_limit: moves in a row without progress that truncate; None: the sheet's.
            render_mode: None, "ansi" for text, "rgb_array" for (H, W, 3) uint8, the same size
                always, or "human" for a window.
            felt: the table's colour in pictures: "emerald-green", "royal-crimson" or
                "midnight-navy".

        Raises:
            OptionError: naming the argument, its value and what is accepted.
        """
        self.sheet: RuleSheet = find_sheet(variant)
        settings = check_settings(
            self.sheet,
            reward=reward,
            observability=observability,
            illegal=illegal,
            illegal_penalty=illegal_penalty,
            seconds_per_move=seconds_per_move,
            streaks=streaks,
            no_progress_limit=no_progress_limit,
        )
        check_look(render_mode, felt)
        self.metadata = {**type(self).metadata}  # type: ignore[misc]
        self.render_mode = render_mode
        self.felt = felt
        self._human = render_mode == "human"
        self._window: Window | None = None
        self._seconds = float(seconds_per_move)
        self._raises = illegal == "raise"
        self._attach(Table(self.sheet, 1, settings))
        size = self._table.new_outputs()[0].shape[1]
        self.observation_space = gym.spaces.Box(0, 255, (size,), np.uint8)
        self.action_space = gym.spaces.Discrete(self._table.rules.num_actions)  # type: ignore[assignment]
        self._seeded = False
        self._dealt = False
        self._over = True

    def _attach(self, table: Table) -> None:
        """Hold a table and what is looked up in it at every step."""
        self._table = table
        self._game: Any = table.games[0]
        self._counters = table.games.told[0]

    @property
    def fields(self) -> dict[str, Field]:
        """What an observation holds: name -> (slice, shape, meaning)."""
        return public_fields(self._table.rules)

    @property
    def action_table(self) -> tuple[Action, ...]:
        """What each action number means."""
        return action_table(self._table.rules)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Deal a game.

        Args:
            seed: decides this deal and, with unseeded resets after it, all that follow.
            options: {"deal": number} for a deal by its number, or {"position": position}.

        Raises:
            OptionError: for an unknown option or a value that is not accepted.
            PositionError: for a position that no play can reach, or that is over.
        """
        options = check_reset_options(options, self.OPTIONS)
        deal = check_deal(options["deal"]) if "deal" in options else ANY_DEAL
        seed = None if seed is None else check_seed(seed)
        if "position" in options:
            self._table.load(_ROW, options["position"])
        super().reset(seed=seed)
        self._seed(seed)
        self._dealt, self._over = True, False
        observation, mask = self._first(deal, "position" in options)
        if self._human:
            self.render()
        return observation, tell_one(self._counters, mask, self._seconds)

    def _first(self, deal: int, loaded: bool) -> tuple[Observation, MaskArray]:
        """Deal, unless a position is loaded already; observe the table (n,) and its mask (A,)."""
        if not loaded:
            return self._table.deal_alone(deal)
        observations, masks = self._table.new_outputs()
        self._table.show(_ROW, observations, masks, self._table.new_told())
        return observations[0], masks[0]

    def _seed(self, seed: int | None) -> None:
        if seed is None and not self._seeded:
            seed = random_word(np.random.default_rng())
        if seed is not None:
            self._table.seed(_ROW, [seed])
            self._seeded = True

    def step(self, action: int) -> tuple[Observation, float, bool, bool, Info]:
        """Play an action.

        Args:
            action: 0..A-1; what an illegal one does is up to `illegal`.

        Returns:
            Fresh observation (n,) uint8, reward, terminated, truncated and info.

        Raises:
            ActionError: for anything but an action number, before a reset and after the end.
            IllegalActionError: for a masked action under `illegal="raise"`.
        """
        number = self._check(action)
        observation, mask, result = self._table.step_alone(number)
        reward, terminated, truncated, illegal = result
        info = tell_one(self._counters, mask, self._seconds)
        if illegal:
            info["illegal_action"] = True
        self._over = terminated or truncated
        if self._over:
            outcome = self._counters[-1]
            info["outcome"] = _OUTCOMES[outcome]
            info["is_success"] = bool(outcome == Outcome.WON)
        if self._human:
            self.render()
        return observation, reward, terminated, truncated, info

    def _check(self, action: object) -> int:
        count = self._table.rules.num_actions
        is_number = type(action) is int and 0 <= action < count
        number = cast("int", action) if is_number else check_action(action, count)
        if self._over:
            self._refuse(number)
        if self._raises and self._game.legal and not self.action_masks()[number]:
            raise IllegalActionError(
                f"action {number} ({self.action_table[number]}) is illegal now; "
                f"legal are {legal_actions(self._game)}"
            )
        return number

    def _refuse(self, number: int) -> None:
        """Raise ActionError: no game is in play."""
        self._require_deal()
        outcome = _OUTCOMES[self._counters[-1]]
        raise ActionError(f"action {number} after the end: the game is {outcome}, call reset")

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Tell which actions are legal: (A,) bool, fresh; none before a reset or after the end.

        sb3-contrib looks for this name.
        """
        return self._table.legal(_ROW)[0].view(np.bool_)

    def legal_moves(self) -> list[Move]:
        """List the legal moves in words, in the order of their action numbers."""
        self._require_deal()
        return [self._move(action) for action in legal_actions(self._game)]

    def _move(self, action: int) -> Move:
        return move_of(self._table.rules, self.action_table, self._game, action)

    def action_of(self, move: tuple[str, str, int]) -> int:
        """Find the action number of a legal move; ValueError says why it is not legal."""
        self._require_deal()
        table = self.action_table
        return action_of(self._table.rules, table, self._game, _as_move(move))

    def move_of(self, action: int) -> Move:
        """Put a legal action into words; ValueError says why it is not legal."""
        self._require_deal()
        number = check_action(action, self._table.rules.num_actions)
        if not self.action_masks()[number]:
            over = "the game is over" if self._game.outcome else "the mask forbids it now"
            raise ValueError(f"action {number} ({self.action_table[number]}) is no move: {over}")
        return self._move(number)

    def position(self) -> Position:
        """Give the whole position, hidden cards too, as a dict that `reset` accepts."""
        self._require_deal()
        return self._table.position(0)

    def determinize(self, rng: np.random.Generator | int) -> Position:
        """Give a position with the unseen cards dealt anew, consistent with all that was seen.

        Args:
            rng: a generator, of which 64 bits are drawn, or a whole number.
        """
        self._require_deal()
        word = check_seed(rng) if not isinstance(rng, np.random.Generator) else random_word(rng)
        return self._table.determinize(0, word)

    def clone_state(self) -> bytes:
        """Copy the game's state, generator included, as bytes."""
        self._require_deal()
        return self._table.snapshot(_ROW).tobytes()

    def restore_state(self, state: bytes) -> None:
        """Return to a state that `clone_state` gave, of the same variant."""
        size = self._table.games.itemsize
        if not isinstance(state, bytes) or len(state) != size:
            raise OptionError(f"a state of {self.sheet.name} is {size} bytes of clone_state")
        self._table.restore(_ROW, np.frombuffer(state, np.uint8).reshape(1, -1))
        self._dealt = self._seeded = True
        self._over = bool(self._counters[-1])

    def _require_deal(self) -> None:
        if not self._dealt:
            raise ActionError("no game is dealt: call reset first")

    def render(self) -> str | npt.NDArray[np.uint8] | None:  # type: ignore[override]
        """Draw the table in the way that `render_mode` asks for.

        Returns:
            Text under "ansi", in colour on a terminal; a fresh (H, W, 3) uint8 under "rgb_array";
            None under "human", which shows a window at every step by itself.
        """
        if self.render_mode is None:
            gym.logger.warn('render() needs gym.make(..., render_mode="ansi")')
            return None
        if self.render_mode == "ansi":
            return board_text(self.position(), color=_wants_color())
        if self.render_mode == "rgb_array":
            return draw_table(self.sheet, self.position(), self.felt)
        self._show()
        return None

    def _show(self) -> None:
        """Show the table in the window, which opens at the first call."""
        from solitaire_env.render.window import Window

        position = self.position()
        if self._window is None:
            self._window = Window(self.sheet, self.felt)
        self._window.show(position, self._caption(), float(self.metadata["render_fps"]))
        if self._counters[-1] == Outcome.WON:
            self._window.celebrate(position)

    def _caption(self) -> str:
        told = dict(zip(COUNTERS, self._counters.tolist(), strict=False))
        seconds = int(self._seconds * told["moves"])
        time = f"{seconds // 60}:{seconds % 60:02}"
        cards = f"{told['foundation_cards']} of {self.sheet.cards} cards"
        return f"{self.sheet.title}: {told['moves']} moves, {time}, {cards}, {told['score']} points"

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        """Pickle and deepcopy: all but views into the table, and the window."""
        left_out = ("_game", "_counters", "_window")
        state = {name: value for name, value in vars(self).items() if name not in left_out}
        return state | {"_window": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore what was pickled."""
        self.__dict__.update(state)
        self._attach(self._table)


def _as_move(move: tuple[str, str, int]) -> Move:
    if isinstance(move, tuple | list) and len(move) == len(Move._fields):
        *places, count = move
        if all(isinstance(place, str) for place in places) and is_whole(count):
            return Move(*move)
    raise ValueError(f"{move!r} is no move: give (source, target, count), as ('T0', 'F', 1)")


def _wants_color() -> bool:
    return "NO_COLOR" not in os.environ and sys.stdout.isatty()
