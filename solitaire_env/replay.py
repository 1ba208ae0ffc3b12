"""Games that play again bit for bit: from files, step by step, as pages and films."""

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from inspect import signature
from pathlib import Path
from typing import Any, Final, cast

import gymnasium as gym

from solitaire_env.envs.registration import find_sheet
from solitaire_env.notation import Move, Position, move_words
from solitaire_env.records import (
    ReplayError,
    Thought,
    check_record,
    game_record,
    read_text,
    read_thoughts,
    with_thoughts,
)
from solitaire_env.render.steps import Step
from solitaire_env.rulesheet import RuleSheet

_END: Final = ("foundation_cards", "score", "moves")
_TOLD: Final = (*_END, "passes", "redeals_left", "elapsed")
_BATCH_ONLY: Final = ("num_threads", "max_episode_steps")
_UNSAID: Final = ("step_limit", None)
"""Recorded outcomes that the game itself has no word for."""


@dataclass(frozen=True)
class Replay:
    """A recorded game: play it with `steps`, write it with `save`, show it with `to_html`.

    Attributes:
        record: see `records.game_record`; it may hold more, which is kept.
        thoughts: one an action, or none at all.

    Raises:
        ReplayError: for a record of another rule set, or that is none.
    """

    record: dict[str, Any] = field(repr=False)
    thoughts: tuple[Thought | None, ...] = ()

    def __post_init__(self) -> None:
        """Check the record; its actions are checked when they are played."""
        check_record(self.record)
        if self.thoughts and len(self.thoughts) != len(self.actions):
            raise ReplayError(f"{len(self.thoughts)} thoughts for {len(self.actions)} actions")

    @property
    def sheet(self) -> RuleSheet:
        """The rule sheet."""
        return find_sheet(self.record["variant"])

    @property
    def actions(self) -> list[int]:
        """Action numbers in the order of play."""
        return self.record["actions"]

    @property
    def start(self) -> dict[str, Any]:
        """What `reset` takes as options to lay the first table."""
        return {name: self.record[name] for name in ("deal", "position") if name in self.record}

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Every table of the game, the first one included.

        Raises:
            ReplayError: if the game does not go as it was recorded.
        """
        env = self._environment()
        try:
            _, info = env.reset(options=self.start)
        except ValueError as error:
            raise ReplayError(f"the game can't begin: {error}") from error
        return tuple(self._play(env, info))

    def _environment(self) -> Any:
        from solitaire_env.envs.env import SolitaireEnv

        kwargs: dict[str, Any] = {
            name: value for name, value in self.record["kwargs"].items() if name not in _BATCH_ONLY
        }
        kwargs["render_mode"] = None
        accepted = [name for name in signature(SolitaireEnv).parameters if name != "variant"]
        for name in kwargs:
            if name not in accepted:
                raise ReplayError(f"keyword {name!r} is none of {', '.join(accepted)}")
        try:
            return SolitaireEnv(self.record["variant"], **kwargs)
        except ValueError as error:
            raise ReplayError(f"the recorded keywords: {error}") from error

    def _play(self, env: Any, info: dict[str, Any]) -> Iterator[Step]:
        before = env.position()
        yield Step(None, "the deal" if "deal" in self.record else "the start", before, _told(info))
        for number, action in enumerate(self.actions):
            thought = self._thought(number)
            top = top_words(env, thought)
            try:
                move = self._choice(env, action)
                _, _, _, _, info = env.step(action)
            except ValueError as error:
                raise ReplayError(f"action {number} of the record: {error}") from error
            after = env.position()
            words = move_words(move, before, after) if move else f"action {action}: not legal"
            outcome = info.get("outcome", "")
            yield Step(move, words, after, _told(info), outcome, thought.value, top)
            before = after
        self._check_end(info)

    def _choice(self, env: Any, action: int) -> Move | None:
        """Put an action into words before it is played; None for an illegal one, if let pass."""
        legal = env.action_masks()
        illegal = 0 <= action < len(legal) and not legal[action]
        return None if illegal and "illegal" in self.record["kwargs"] else env.move_of(action)

    def _thought(self, number: int) -> Thought:
        return (self.thoughts[number] if self.thoughts else None) or Thought()

    def _check_end(self, info: dict[str, Any]) -> None:
        """Raise ReplayError unless the game ended as the record says."""
        for name in (*_END, "outcome"):
            told = self.record.get(name)
            known = name in self.record and not (name == "outcome" and told in _UNSAID)
            if known and told != info.get(name):
                raise ReplayError(f"{name} is {info.get(name)!r} at the end, recorded is {told!r}")

    def to_json(self) -> dict[str, Any]:
        """Give the record, thoughts included, as what JSON can hold."""
        return with_thoughts(self.record, self.thoughts)

    @staticmethod
    def from_json(told: object) -> "Replay":
        """Read what `to_json` gave, or `game_record`; raise ReplayError for anything else."""
        check_record(told)
        record = dict(cast("dict[str, Any]", told))
        return Replay(record, read_thoughts(record.pop("policy", [])))

    def save(self, path: str | Path) -> None:
        """Write the record to a file; one that ends in .gz is compressed."""
        data = (json.dumps(self.to_json()) + "\n").encode()
        Path(path).write_bytes(gzip.compress(data, mtime=0) if str(path).endswith(".gz") else data)

    @staticmethod
    def load(path: str | Path) -> "Replay":
        """Read a file that `save` or `evaluate(record=...)` wrote.

        Raises:
            ReplayError: naming the file and what is wrong with it.
        """
        try:
            return Replay.from_json(json.loads(read_text(Path(path))))
        except (OSError, EOFError, ValueError, RecursionError, zlib.error) as error:
            said = getattr(error, "strerror", None) or str(error)
            raise ReplayError(f"{str(path)!r} is no record of a game: {said}") from error

    def to_html(self, felt: str = "emerald-green") -> str:
        """Write one page that needs nothing else: table, slider, moves in words."""
        from solitaire_env.envs.options import check_look
        from solitaire_env.render.page import replay_page

        check_look(None, felt)
        return replay_page(self.sheet, self.steps, self._title(), felt)

    def save_gif(self, path: str | Path, felt: str = "emerald-green", seconds: float = 0.4) -> None:
        """Write a film of the game, half as large as the pictures; it needs Pillow.

        Args:
            path: of the file.
            felt: the table's colour.
            seconds: that each table is seen.
        """
        from solitaire_env.envs.options import check_look
        from solitaire_env.render.film import save_gif

        check_look(None, felt)
        save_gif(self.sheet, [step.position for step in self.steps], Path(path), felt, seconds)

    def _repr_html_(self) -> str:
        """Show the game in a notebook."""
        from solitaire_env.render.page import replay_fragment

        return replay_fragment(self.sheet, self.steps, self._title(), "emerald-green")

    def _title(self) -> str:
        start = f", deal {self.record['deal']}" if "deal" in self.record else ""
        return self.sheet.title + start


class RecordGame(gym.Wrapper[Any, Any, Any, Any]):
    """Records the game in play: `replay()` gives it, from the last reset on.

    It must lie within wrappers that end or change games, as `gym.make`'s do.
    """

    def __init__(self, env: gym.Env[Any, Any], **kwargs: Any) -> None:
        """Wrap an environment.

        Args:
            env: a single environment of this package.
            **kwargs: the keyword arguments that it was made with; those of `gym.make` are known.
        """
        super().__init__(env)
        spec = env.unwrapped.spec
        made = {} if spec is None else spec.kwargs
        self._kwargs = {name: made[name] for name in made if name != "variant"} | kwargs
        self._start: tuple[int, Position | None] | None = None
        self._actions: list[int] = []
        self._thoughts: list[Thought | None] = []
        self._illegal = False
        self._info: dict[str, Any] = {}

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """Begin a new record."""
        observation, self._info = self.env.reset(**kwargs)
        deal, base = int(self._info["deal"]), cast("Any", self.env.unwrapped)
        self._start = (deal, None if deal >= 0 else base.position())
        self._actions, self._thoughts, self._illegal = [], [], False
        return observation, self._info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Play an action and record it."""
        observation, reward, terminated, truncated, self._info = self.env.step(action)
        self._actions.append(int(action))
        self._thoughts.append(None)
        self._illegal |= "illegal_action" in self._info
        return observation, reward, terminated, truncated, self._info

    def think(self, value: float | None, top: Iterable[tuple[int, float]] = ()) -> None:
        """Note what the player thought before the last action; ValueError before the first."""
        self.note(Thought(value, tuple(top)))

    def note(self, thought: Thought | None) -> None:
        """Note a thought as `think` does."""
        if not self._thoughts:
            raise ValueError("no action was played that could have been thought about")
        self._thoughts[-1] = thought

    def replay(self) -> Replay:
        """Give the game so far; ValueError before the first reset."""
        if self._start is None:
            raise ValueError("no game is dealt: call reset first")
        name = cast("Any", self.env.unwrapped).sheet.name
        # Only a record that says "illegal" may hold illegal actions.
        kwargs = {**({"illegal": "noop"} if self._illegal else {}), **self._kwargs}
        record = game_record(name, self._start[0], self._actions, kwargs, self._start[1])
        end = {name: self._info[name] for name in (*_END, "outcome") if name in self._info}
        thoughts = tuple(self._thoughts) if any(self._thoughts) else ()
        return Replay(record | end, thoughts)


@dataclass(frozen=True)
class PositionView:
    """A position as a picture in a notebook.

    Attributes:
        position: as `env.unwrapped.position()` gives it.
        felt: the table's colour.
    """

    position: Position
    felt: str = "emerald-green"

    def to_svg(self) -> str:
        """Draw the table as an SVG element; ValueError for what is no position of a game."""
        from solitaire_env.engine.position import check_position
        from solitaire_env.envs.options import check_look
        from solitaire_env.render.svg import position_svg

        check_look(None, self.felt)
        told: object = self.position
        sheet = find_sheet(told.get("variant") if isinstance(told, Mapping) else told)
        return position_svg(sheet, check_position(sheet, told), self.felt)

    def _repr_html_(self) -> str:
        return self.to_svg()


def top_words(env: Any, thought: Thought) -> tuple[tuple[str, float], ...]:
    """Put the actions that are thought of into words, before any is played."""
    legal = env.action_masks()

    def words(action: int) -> str:
        known = action < len(legal) and legal[action]
        return str(env.move_of(action)) if known else f"action {action}"

    return tuple((words(action), chance) for action, chance in thought.top)


def _told(info: Mapping[str, Any]) -> dict[str, Any]:
    return {name: info[name] for name in _TOLD}
