"""Let policies play named deals, each exactly once, and count.

A game's result depends on policy, variant, deal and seed alone: not on how many games are played
at once, nor on their order.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from pathlib import Path
from typing import Any, Final

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from solitaire_env.deal_lists import check_deals, list_hash
from solitaire_env.envs.registration import env_id, find_sheet
from solitaire_env.files import check_folder
from solitaire_env.policies import (
    BoolArray,
    ByteArray,
    FloatArray,
    GameStreams,
    IntArray,
    Policy,
    RandomPolicy,
    SeedArray,
    game_seeds,
    thoughts_of,
)
from solitaire_env.records import Thought, game_record, package_versions, with_thoughts
from solitaire_env.solved_deals import are_winnable
from solitaire_env.statistics import (
    bootstrap_interval,
    clopper_pearson_interval,
    wilson_interval,
)

__all__ = [
    "STEP_LIMIT",
    "BoolArray",
    "ByteArray",
    "Evaluation",
    "FloatArray",
    "GameStreams",
    "IntArray",
    "Policy",
    "RandomPolicy",
    "SeedArray",
    "evaluate",
]

STEP_LIMIT: Final = "step_limit"
"""The outcome of a game that reached the step limit, which `info` has no word for."""

_GAMES: Final = (
    "deals",
    "won",
    "foundation_cards",
    "score",
    "moves",
    "outcomes",
    "illegal_actions",
)
_IDLE: Final = -1


@dataclass(frozen=True)
class Evaluation:
    """What a policy made of a list of deals: arrays (D,), in the order of the list.

    Attributes:
        variant: the rule sheet's name.
        agent: what the policy is called in tables.
        seed: what the policy's chance came from.
        kwargs: the environment's keyword arguments.
        deals: int64 deal numbers.
        won: bool.
        foundation_cards: int64, at the end.
        score: int64.
        moves: int64.
        outcomes: "won", "stuck", "dead", "no_progress" or "step_limit".
        illegal_actions: int64, none unless `evaluate` was told to let them pass.
    """

    variant: str
    agent: str
    seed: int
    kwargs: dict[str, Any]
    deals: IntArray
    won: BoolArray
    foundation_cards: IntArray
    score: IntArray
    moves: IntArray
    outcomes: npt.NDArray[np.str_]
    illegal_actions: IntArray

    @property
    def wins(self) -> int:
        """Count the games won."""
        return int(self.won.sum())

    def summary(self) -> dict[str, Any]:
        """Sum up in numbers: means, and 95 % intervals by Wilson and by bootstrap."""
        wilson = wilson_interval(self.wins, len(self.deals))
        exact = clopper_pearson_interval(self.wins, len(self.deals))
        cards = bootstrap_interval(self.foundation_cards)
        return {
            "agent": self.agent,
            "variant": self.variant,
            "deals": len(self.deals),
            "wins": self.wins,
            "win_rate": self.wins / len(self.deals),
            "wilson_low": wilson[0],
            "wilson_high": wilson[1],
            "clopper_pearson_low": exact[0],
            "clopper_pearson_high": exact[1],
            "foundation_cards": float(self.foundation_cards.mean()),
            "foundation_cards_low": cards[0],
            "foundation_cards_high": cards[1],
            "moves": float(self.moves.mean()),
            "score": float(self.score.mean()),
            "outcomes": dict(Counter(self.outcomes.tolist()).most_common()),
            "illegal_actions": int(self.illegal_actions.sum()),
            **self._of_winnable(),
        }

    def _of_winnable(self) -> dict[str, Any]:
        """Count the deals that are known to be winnable, and the share of them that was won."""
        winnable = are_winnable(self.variant, self.deals)
        count = int(winnable.sum())
        share = float(self.won[winnable].mean()) if count else None
        return {"winnable_deals": count, "winnable_won": share}

    def to_json(self) -> dict[str, Any]:
        """Give summary, circumstances and games as what JSON can hold."""
        return {
            **self.summary(),
            "env_id": env_id(find_sheet(self.variant)),
            "kwargs": self.kwargs,
            "observability": self.kwargs.get("observability", "player"),
            "seed": self.seed,
            "deals_hash": list_hash(self.deals),
            "versions": package_versions(),
            "games": {name: values.tolist() for name, values in self.games().items()},
        }

    def games(self) -> dict[str, npt.NDArray[Any]]:
        """Give what is known of each game: name -> (D,) array."""
        return {name: getattr(self, name) for name in _GAMES}

    @staticmethod
    def from_json(told: Mapping[str, Any]) -> "Evaluation":
        """Read back what `to_json` gave.

        Raises:
            ValueError: if it is something else.
        """
        try:
            about = [told[name] for name in ("variant", "agent", "seed", "kwargs")]
            games: dict[str, Any] = {name: np.array(told["games"][name]) for name in _GAMES}
        except (KeyError, TypeError) as error:
            raise ValueError(f"this is no evaluation, it lacks {error}") from None
        _check_games(games)
        return Evaluation(*about, **games)


def _check_games(games: Mapping[str, npt.NDArray[Any]]) -> None:
    """Raise ValueError unless all columns are as long, and of the type that they should be."""
    for name, column in games.items():
        kind = {"won": "b", "outcomes": "U"}.get(name, "i")
        if column.dtype.kind != kind or column.shape != (len(games["deals"]),) or not len(column):
            raise ValueError(
                f"this is no evaluation: games.{name} is {column.dtype} {column.shape}"
            )


def evaluate(
    policy: Policy,
    variant: str,
    deals: Iterable[int],
    *,
    name: str = "policy",
    num_envs: int = 256,
    seed: int = 0,
    illegal: str = "raise",
    record: str | Path | None = None,
    **kwargs: Any,
) -> Evaluation:
    """Let a policy play each of some deals exactly once.

    Args:
        policy: the player.
        variant: a rule sheet's name, as "san-juan-hill".
        deals: their numbers, 0..2**63 - 1, each another.
        name: what to call the policy.
        num_envs: games side by side at most; changes the speed and nothing else.
        seed: what the policy's chance comes from.
        illegal: "raise" for an illegal action; "noop" leaves the game as it is and counts it.
        record: a folder for a JSON file a game (see `records.game_record`), with what the policy
            thinks if it tells (see `policies.Thinker`); None: none are kept.
        **kwargs: for the environment; `autoreset_mode` is the evaluation's own.

    Raises:
        ValueError: for an empty list, what is no deal number or comes twice, and an unknown variant
            or argument.
        OSError: if `record` can't be written; nothing is played then.
        IllegalActionError: if the policy chooses an illegal action.
    """
    numbers = check_deals(deals)
    seed, num_envs = _check_settings(seed, num_envs, illegal, kwargs)
    count = min(num_envs, len(numbers))
    envs = gym.make_vec(
        env_id(find_sheet(variant)), count, autoreset_mode="Disabled", illegal=illegal, **kwargs
    )
    # Only under "noop" may a record hold illegal actions.
    recorded = kwargs if illegal == "raise" else {**kwargs, "illegal": illegal}
    writer = None if record is None else _Recorder(Path(record), variant, recorded)
    table = _Table(envs, policy, numbers, seed, writer)
    table.play()
    envs.close()
    return Evaluation(variant, name, seed, kwargs, numbers, **table.results.arrays())


def _check_settings(
    seed: int, num_envs: int, illegal: str, kwargs: Mapping[str, Any]
) -> tuple[int, int]:
    """Check what is passed on, and return seed and number of games."""
    from solitaire_env.envs.options import check_seed, one_of, whole_number
    from solitaire_env.envs.vector_env import SolitaireVectorEnv

    own = ("variant", "num_envs", "illegal", "autoreset_mode")
    accepted = [name for name in signature(SolitaireVectorEnv).parameters if name not in own]
    for name in kwargs:
        one_of("a keyword argument", name, accepted)
    one_of("illegal", illegal, ("raise", "noop"))
    return check_seed(seed), whole_number("num_envs", num_envs, 1, 2**31)


@dataclass
class _Results:
    """The games' ends, by place in the list of deals."""

    count: int
    counters: dict[str, IntArray] = field(init=False)
    outcomes: list[str] = field(init=False)
    illegal: IntArray = field(init=False)

    def __post_init__(self) -> None:
        names = ("foundation_cards", "score", "moves")
        self.counters = {name: np.zeros(self.count, np.int64) for name in names}
        self.outcomes = [""] * self.count
        self.illegal = np.zeros(self.count, np.int64)

    def note(self, game: int, row: int, infos: Mapping[str, Any]) -> str:
        """Take note of a game that is over in a row; return how it ended."""
        for name, values in self.counters.items():
            values[game] = infos[name][row]
        ended = "_outcome" in infos and infos["_outcome"][row]
        self.outcomes[game] = infos["outcome"][row] if ended else STEP_LIMIT
        return self.outcomes[game]

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        outcomes = np.array(self.outcomes)
        ends = {"outcomes": outcomes, "won": outcomes == "won", "illegal_actions": self.illegal}
        return {**self.counters, **ends}


class _Table:
    """Rows of a batch that take the next deal of a list as soon as a game is over."""

    def __init__(
        self, envs: Any, policy: Policy, deals: IntArray, seed: int, recorder: "_Recorder | None"
    ) -> None:
        self.results = _Results(len(deals))
        self._envs = envs
        self._policy = policy
        self._deals = deals
        self._seed = seed
        self._recorder = recorder
        self._dealt = 0
        self._games = np.full(envs.num_envs, _IDLE)
        self._observations = np.zeros(0, np.uint8)

    def play(self) -> None:
        """Play until every deal is over."""
        over = np.ones(len(self._games), np.bool_)
        while self._deal(over):
            over = self._step()

    def _deal(self, over: BoolArray) -> bool:
        """Deal anew in rows that are over; tell whether any game of the list is in play."""
        if not over.any():
            return True
        rows = np.flatnonzero(over)
        fresh = rows[: len(self._deals) - self._dealt]
        self._games[rows] = _IDLE
        self._games[fresh] = np.arange(self._dealt, self._dealt + len(fresh))
        self._dealt += len(fresh)
        if (self._games == _IDLE).all():
            return False
        # An idle row plays some deal or other, unnoticed: the batch steps all rows.
        options = {"reset_mask": over, "deals": self._deals[self._games]}
        self._observations, _ = self._envs.reset(options=options)
        self._policy.reset(fresh, game_seeds(self._seed, self._deals[self._games[fresh]]))
        return True

    def _step(self) -> BoolArray:
        """Play an action in every row; tell which are over."""
        masks: BoolArray = self._envs.unwrapped.action_masks()
        actions = masks.argmax(axis=1)
        rows = np.flatnonzero((self._games != _IDLE) & masks.any(axis=1))
        if len(rows):
            self._ask(masks[rows], rows)
            actions[rows] = self._choose(masks[rows], rows)
        self._observations, _, terminated, truncated, infos = self._envs.step(actions)
        over = terminated | truncated
        self._note(actions, over & (self._games != _IDLE), infos)
        return over

    def _ask(self, masks: BoolArray, rows: IntArray) -> None:
        """Record what the policy thinks before it acts."""
        if self._recorder:
            thoughts = thoughts_of(self._policy, self._observations[rows], masks, rows)
            self._recorder.think(self._games[rows], thoughts)

    def _choose(self, masks: BoolArray, rows: IntArray) -> IntArray:
        actions = np.asarray(self._policy.act(self._observations[rows], masks, rows))
        if actions.shape != rows.shape or actions.dtype.kind not in "iu":
            raise ValueError(
                f"the policy gave {actions.shape} {actions.dtype}, accepted is {rows.shape} int64"
            )
        return actions

    def _note(self, actions: IntArray, over: BoolArray, infos: Mapping[str, Any]) -> None:
        if self._recorder:
            self._recorder.add(self._games, actions)
        if "illegal_action" in infos:
            playing = infos["illegal_action"] & (self._games != _IDLE)
            self.results.illegal[self._games[playing]] += 1
        for row in np.flatnonzero(over).tolist():
            game = int(self._games[row])
            self.results.note(game, row, infos)
            if self._recorder:
                end = {name: values[game].item() for name, values in self.results.counters.items()}
                end["outcome"] = self.results.outcomes[game]
                self._recorder.write(game, int(self._deals[game]), end)


class _Recorder:
    """Writes each game to a file once it is over."""

    def __init__(self, folder: Path, variant: str, kwargs: dict[str, Any]) -> None:
        self._folder = folder
        self._variant = variant
        self._kwargs = kwargs
        self._actions: dict[int, list[int]] = {}
        self._thoughts: dict[int, list[Thought | None]] = {}
        self._latest: dict[int, Thought | None] = {}
        check_folder(folder)

    def think(self, games: IntArray, thoughts: Sequence[Thought | None]) -> None:
        self._latest = dict(zip(games.tolist(), thoughts, strict=True))

    def add(self, games: IntArray, actions: IntArray) -> None:
        for game, action in zip(games.tolist(), actions.tolist(), strict=True):
            self._actions.setdefault(game, []).append(action)
            self._thoughts.setdefault(game, []).append(self._latest.get(game))

    def write(self, game: int, deal: int, end: dict[str, Any]) -> None:
        record = game_record(self._variant, deal, self._actions.pop(game), self._kwargs)
        told = with_thoughts(record | end, self._thoughts.pop(game))
        path = self._folder / f"{self._variant}-{deal}.json"
        path.write_text(json.dumps(told) + "\n", encoding="utf-8")
