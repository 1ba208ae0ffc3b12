"""A game that a person plays: moves, undo and redo, clock and ledger.

The engine decides everything. A game is a line of moments, each a snapshot of the engine; undo and
redo go to and fro on it, and a move cuts off what was undone.
"""

from dataclasses import dataclass
from secrets import randbelow
from typing import Any, Final, NamedTuple

from solitaire_env.engine.outcome import TIME_FOR_BONUS
from solitaire_env.envs.env import Info, Observation, SolitaireEnv
from solitaire_env.envs.options import ActionError
from solitaire_env.notation import Move, Position, move_words
from solitaire_env.records import game_record
from solitaire_env.replay import Replay
from solitaire_env.rulesheet import RuleSheet
from solitaire_env.web.clock import Clock

MAX_MOVES: Final = 5000
"""Of a game, undone ones included."""

RANDOM_DEALS: Final = 1_000_000
"""A deal that nobody named is one of the first million: numbers that people can remember."""

PATIENCE: Final = 2**31
"""Moves without progress that the table allows: it cuts no game off."""


class RefusedError(ValueError):
    """What was asked for can't be had; it says why."""


class Moment(NamedTuple):
    """The table after a move.

    Attributes:
        state: the engine's snapshot.
        observation: what an agent sees.
        info: what the environment tells.
        action: what led here; None at the deal.
        by_agent: whether the agent chose it.
    """

    state: bytes
    observation: Observation
    info: Info
    action: int | None
    by_agent: bool


@dataclass(frozen=True)
class Ledger:
    """What a won game earned.

    Attributes:
        base: by the moves alone.
        bonus: for the time.
        streaks: for foundation moves in a row.
    """

    base: int
    bonus: int
    streaks: int

    @property
    def total(self) -> int:
        """The score."""
        return self.base + self.bonus + self.streaks


class Game:
    """One game at the table.

    Args:
        variant: a rule sheet's name.
        deal: its number; None: any.
        clock: measures the play.

    Attributes:
        variant: the rule sheet's name.
        deal: the deal's number.
        clock: runs while `watched`, from the first move until the end.
        ledger: of a won game, else None.
    """

    def __init__(self, variant: str, deal: int | None = None, clock: Clock | None = None) -> None:
        self.variant = variant
        self.deal = randbelow(RANDOM_DEALS) if deal is None else deal
        self.clock = clock or Clock()
        self.ledger: Ledger | None = None
        self._watched = False
        self._env = _environment(variant)
        self._probe = _environment(variant)
        # A seed, so that the same game has the same bytes everywhere.
        observation, info = self._env.reset(seed=0, options={"deal": self.deal})
        self._probe.reset(options={"deal": self.deal})
        self._line = [Moment(self._env.clone_state(), observation, info, None, False)]
        self._now = 0

    @property
    def sheet(self) -> RuleSheet:
        """The rule sheet."""
        return self._env.sheet

    @property
    def moment(self) -> Moment:
        """The table as it lies."""
        return self._line[self._now]

    @property
    def played(self) -> list[Moment]:
        """The moments that led here, without the deal."""
        return self._line[1 : self._now + 1]

    @property
    def can_undo(self) -> bool:
        """Tell whether there is a move to take back."""
        return self._now > 0

    @property
    def can_redo(self) -> bool:
        """Tell whether there is a move to play again."""
        return self._now + 1 < len(self._line)

    @property
    def outcome(self) -> str:
        """How the game ended, else ""."""
        return self.moment.info.get("outcome", "")

    @property
    def score(self) -> int:
        """The ledger's points."""
        return self.ledger.total if self.ledger else self.moment.info["score"]

    def position(self) -> Position:
        """Give the whole position."""
        return self._env.position()

    def moves(self) -> dict[int, Move]:
        """List the legal moves: action number -> move."""
        actions = self._env.action_masks().nonzero()[0].tolist()
        return dict(zip(actions, self._env.legal_moves(), strict=True))

    def after(self, action: int) -> Position:
        """Give the position after a legal action, which is not played."""
        self._probe.restore_state(self.moment.state)
        self._probe.step(action)
        return self._probe.position()

    def last_words(self) -> str:
        """Put the last move into words."""
        action = self.moment.action
        if action is None:
            return f"deal {self.deal}"
        self._probe.restore_state(self._line[self._now - 1].state)
        move, before = self._probe.move_of(action), self._probe.position()
        return move_words(move, before, self.position())

    def play(self, action: int, *, by_agent: bool = False) -> None:
        """Play an action.

        Raises:
            RefusedError: if it is not legal; nothing has changed then.
        """
        if self._now >= MAX_MOVES:
            raise RefusedError(f"a game has at most {MAX_MOVES} moves: undo some, or deal anew")
        try:
            observation, _, _, _, info = self._env.step(action)
        except ActionError:
            raise RefusedError("that move is not legal now") from None
        del self._line[self._now + 1 :]
        self._line.append(Moment(self._env.clone_state(), observation, info, action, by_agent))
        self.go_to(self._now + 1)

    def undo(self) -> None:
        """Take the last move back; RefusedError if there is none."""
        if not self.can_undo:
            raise RefusedError("there is nothing to undo")
        self.go_to(self._now - 1)

    def redo(self) -> None:
        """Play again what was undone; RefusedError if there is nothing."""
        if not self.can_redo:
            raise RefusedError("there is nothing to redo")
        self.go_to(self._now + 1)

    def go_to(self, place: int) -> None:
        """Go to a moment of the game: 0 is the deal."""
        self._now = place
        self._env.restore_state(self.moment.state)
        self._wind()
        won = self.outcome == "won"
        self.ledger = self._sum_up() if won else None

    def watch(self, on: bool) -> None:
        """Learn whether anybody looks at the table: without, the clock stands still."""
        self._watched = on
        self._wind()

    def _wind(self) -> None:
        self.clock.run(self._watched and self.can_undo and not self.outcome)

    def _sum_up(self) -> Ledger:
        """Let the engine play the game again, for what each part of the ledger earns."""
        base = self._final_score(streaks=False)
        with_streaks = self._final_score()
        total = self._final_score(seconds_per_move=self._pace)
        return Ledger(base, total - with_streaks, with_streaks - base)

    @property
    def _pace(self) -> float:
        """Seconds a move: what the engine takes the time from."""
        return self.clock.seconds / max(1, self._now)

    def _final_score(
        self, *, seconds_per_move: float = TIME_FOR_BONUS, streaks: bool = True
    ) -> int:
        env = _environment(self.variant, seconds_per_move=seconds_per_move, streaks=streaks)
        _, info = env.reset(options={"deal": self.deal})
        for action in self._actions():
            _, _, _, _, info = env.step(action)
        return info["score"]

    def _actions(self) -> list[int]:
        """List the actions that led here."""
        return [moment.action for moment in self.played if moment.action is not None]

    def replay(self) -> Replay:
        """Give the game so far as a record that plays again, to the same score."""
        kwargs = {"streaks": True, "seconds_per_move": self._pace, "no_progress_limit": PATIENCE}
        actions = self._actions()
        record = game_record(self.variant, self.deal, actions, kwargs)
        end = {"score": self.score, "moves": len(actions)}
        return Replay(record | end | ({"outcome": self.outcome} if self.outcome else {}))

    def to_json(self) -> dict[str, Any]:
        """Give what `from_json` restores the game from."""
        line = self._line[1:]
        return {
            "variant": self.variant,
            "deal": str(self.deal),
            "actions": [moment.action for moment in line],
            "by_agent": [place for place, moment in enumerate(line) if moment.by_agent],
            "now": self._now,
            "seconds": self.clock.seconds,
        }

    @staticmethod
    def from_json(told: dict[str, Any]) -> "Game":
        """Play a game again that `to_json` told of, its moves judged as any others.

        Args:
            told: checked by `messages.read_saved`.

        Raises:
            RefusedError: if a move is illegal.
        """
        game = Game(told["variant"], told["deal"], Clock(told["seconds"]))
        by_agent = set(told["by_agent"])
        for place, action in enumerate(told["actions"]):
            game.play(action, by_agent=place in by_agent)
        game.go_to(min(told["now"], len(told["actions"])))
        return game


def _environment(
    variant: str, *, seconds_per_move: float = TIME_FOR_BONUS, streaks: bool = True
) -> SolitaireEnv:
    """Make an environment that hurries nobody; at its pace no time bonus is earned."""
    return SolitaireEnv(
        variant,
        illegal="raise",
        seconds_per_move=seconds_per_move,
        streaks=streaks,
        no_progress_limit=PATIENCE,
    )
