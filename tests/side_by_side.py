"""The engine and the slow reference, walked side by side through the environment's doors."""

import json
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym
import numpy as np

import solitaire_env
from solitaire_env.rulesheet import RuleSheet

from .positions import Maker, kinds
from .reference.cards import RANKS, pack, turned_up
from .reference.check import refusal
from .reference.game import ReferenceGame

ENDLESS = 10**9
TERMINAL = ("won", "stuck", "dead")

SETTINGS: list[dict[str, Any]] = [
    {},
    {"reward": "win", "illegal_penalty": 0.25},
    {"reward": "ledger", "no_progress_limit": ENDLESS},
    {"reward": "ledger", "streaks": True, "seconds_per_move": 7.5},
    {"reward": "foundation", "no_progress_limit": 4, "illegal_penalty": 0.5},
]
"""Keyword arguments that environment and reference share; the walks take turns with them."""


def environment(sheet: RuleSheet, **settings: Any) -> gym.Env:
    """Make a game's environment without a step limit, registering the game where needed."""
    if solitaire_env.env_id(sheet) not in gym.registry:
        solitaire_env.register(sheet)
    return gym.make(
        solitaire_env.env_id(sheet),
        max_episode_steps=ENDLESS,
        disable_env_checker=True,
        **settings,
    )


def census(at: dict) -> Counter[str]:
    """Count every card of a position; Kings that left are missing, as they have no suit."""
    cards = [card for pile in (at["stock"], at["waste"], at["reserve"]) for card in pile if card]
    cards += [turned_up(card) for column in at["tableau"] for card in column]
    cards += [
        rank + suit
        for suit, heights in at["foundations"].items()
        for height in heights
        for rank in RANKS[:height]
    ]
    return Counter(cards)


@dataclass
class Tally:
    """What was seen on the way: the quotas of the test are about these."""

    states: int = 0
    late: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str | None] = field(default_factory=Counter)
    wins: Counter[str] = field(default_factory=Counter)
    stocks: Counter[int] = field(default_factory=Counter)
    pass_ends: Counter[tuple[int, bool]] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)


class Walk:
    """One game, stepped on both sides; any difference is an AssertionError that says where."""

    def __init__(self, sheet: RuleSheet, env: gym.Env, tally: Tally, **settings: Any) -> None:
        self.sheet, self.env, self.tally = sheet, env, tally
        self.table: Any = env.unwrapped
        self.settings = settings
        self.pack = Counter(pack(sheet))
        self.step = 0

    def start(self, where: str, options: dict) -> None:
        """Begin a game from `reset` options."""
        self.where, self.step, self.last = where, 0, None
        _, self.info = self.env.reset(options=options)
        self.begin = options.get("position") or self.table.position()
        reason = refusal(self.sheet, self.begin)
        possible = reason is None or ("deal" in options and reason.startswith("stuck"))
        assert possible, f"{where}: {reason}: {self.begin}"
        self.game = ReferenceGame(self.sheet, self.begin, **self.settings)
        self._compare()

    def play(self, move: tuple[str, str, int] | None, action: int) -> None:
        """Take a step on both sides; `move` is None for an illegal action."""
        self.step, self.last = self.step + 1, move or f"illegal action {action}"
        kings = self.game.at["kings"]
        expected = self.game.play(move)
        _, reward, terminated, truncated, self.info = self.env.step(action)
        ended = self.game.outcome
        self._same("type of reward", type(reward), float)
        self._same("reward", reward, expected)
        self._same("terminated", terminated, ended in TERMINAL)
        self._same("truncated", truncated, ended == "no_progress")
        self._same("illegal_action", bool(self.info.get("illegal_action")), move is None)
        self._compare()
        self.tally.outcomes[ended] += 1
        if move:
            self.tally.sources[f"{move[0][0]} to {move[1][0]}"] += 1
        if ended == "won":
            names = {"T": "tableau", "W": "waste", "R": "reserve", "s": "stock"}
            left = self.game.at["kings"] > kings
            self.tally.wins["king" if left else names[move[0][0]]] += 1

    def _compare(self) -> None:
        at = self.table.position()
        for key, value in self.game.position().items():
            self._same(f"position {key}", at.get(key), value)
        listed = [tuple(move) for move in self.table.legal_moves()]
        self._same("legal moves", sorted(listed), self.game.legal_moves())
        self._compare_masks(listed)
        for key, value in self.game.counters().items():
            self._same(f"info {key}", self.info[key], value)
        self._same("outcome", self.info.get("outcome"), self.game.outcome)
        won = self.game.outcome == "won" if self.game.outcome else None
        self._same("is_success", self.info.get("is_success"), won)
        self._take_census(at)
        self._count(at)

    def _compare_masks(self, listed: list[tuple[str, str, int]]) -> None:
        """The mask allows the listed moves; both ways between moves and actions, now and then."""
        mask = self.info["action_mask"]
        self._same("mask dtype", mask.dtype, np.dtype(np.int8))
        self._same("action_masks()", self.table.action_masks().tolist(), (mask != 0).tolist())
        legal = np.flatnonzero(mask).tolist()
        self._same("number of legal actions", len(legal), len(listed))
        self.actions = dict(zip(listed, legal, strict=True))
        if self.tally.states % 20 == 0:
            for move, action in self.actions.items():
                self._same(f"action_of {move}", self.table.action_of(move), action)
                self._same(f"move_of {action}", tuple(self.table.move_of(action)), move)

    def _take_census(self, at: dict) -> None:
        count = census(at)
        lost = self.pack - count
        self._same("doubled cards", count - self.pack, Counter())
        self._same("lost cards", sum(lost.values()), at["kings"])
        self._same("lost cards", {card[0] for card in lost} <= {RANKS[self.sheet.ranks - 1]}, True)

    def _count(self, at: dict) -> None:
        stock, waste = len(at["stock"]), len(at["waste"])
        self.tally.states += 1
        used_up = self.sheet.stock is not None and not stock
        half = 2 * self.game.foundation_cards >= self.sheet.cards
        self.tally.late += used_up or half
        self.tally.stocks[stock] += 1
        if used_up and waste:
            redeal = any(target == "redeal" for _, target, _ in self.game.legal_moves())
            self.tally.pass_ends[at["passes"], redeal] += 1

    def _same(self, what: str, engine: Any, reference: Any) -> None:
        if engine == reference:
            return
        raise AssertionError(
            f"{self.where}, step {self.step} after {self.last}: {what}\n"
            f"engine    {engine}\nreference {reference}\n"
            f"settings {self.settings}\nstart {json.dumps(self.begin)}\n"
            f"now, by the reference {json.dumps(self.game.position())}"
        )


def walk(sheet: RuleSheet, states: int, seed: int) -> Tally:
    """Walk both sides from positions of every kind until so many states were compared."""
    tally = Tally()
    walks = [Walk(sheet, environment(sheet, **how), tally, **how) for how in SETTINGS]
    makers: list[tuple[str, Maker | None]] = [*kinds(sheet), ("deal", None)]
    number = 0
    while tally.states < states:
        kind, make = makers[number % len(makers)]
        rng = random.Random(f"{sheet.name} {seed} {number}")
        how = walks[number // len(makers) % len(walks)]
        where = f"{sheet.name}, seed {seed}, start {number} ({kind})"
        how.start(where, {"position": make(sheet, rng)} if make else {"deal": rng.randrange(2**63)})
        tally.kinds[kind] += 1
        _play_on(how, rng, 1.0 if kind.startswith("won") else rng.choice([0.0, 0.5, 0.95]))
        number += 1
    return tally


def _play_on(walk: Walk, rng: random.Random, eager: float) -> None:
    """Play a while: eagerly to the foundations or at random, now and then an illegal action."""
    for _ in range(rng.choice([8, 20, 60])):
        if walk.game.outcome:
            return
        if not walk.actions or rng.random() < 0.03:
            illegal = np.flatnonzero(walk.info["action_mask"] == 0)
            walk.play(None, rng.choice(illegal.tolist()))
            continue
        home = [move for move in walk.actions if move[1] == "F"]
        moves = home if home and rng.random() < eager else list(walk.actions)
        move = rng.choice(moves)
        walk.play(move, walk.actions[move])
