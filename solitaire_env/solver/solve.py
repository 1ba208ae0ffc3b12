"""The solver's door: a verdict on a deal or a position, every win played before it is believed."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from solitaire_env.engine.lowered import lower
from solitaire_env.engine.state import new_games
from solitaire_env.envs.env import SolitaireEnv
from solitaire_env.envs.options import check_deal, check_seed, whole_number
from solitaire_env.envs.registration import find_sheet, register
from solitaire_env.notation import Move, Position
from solitaire_env.rulesheet import RuleSheet
from solitaire_env.solver.memory import NONE, Status, least_bytes
from solitaire_env.solver.search import Search, Step, Stopped

MAX_NODES: Final = 1_000_000
MAX_BYTES: Final = 400_000_000

FIRST_WIDTH: Final = 100
GLANCE: Final = 2_000
"""Nodes of the first look at everything: small positions end here."""

SHARE: Final = 0.8
"""The part of all nodes that the search for a win may take; the rest tries to refute."""

_ENDLESS: Final = 2**31


class ProofError(RuntimeError):
    """A line that a search found did not win when it was played: a fault of the solver."""


@dataclass(frozen=True)
class Verdict:
    """What is known of a position.

    Attributes:
        status: "solved": `actions` wins. "refuted": nothing wins. "unknown": a limit was reached.
            "interrupted": the search was stopped.
        actions: action numbers of a win, else empty.
        moves: the same in words.
        nodes: positions looked at.
        bytes: the most memory that a search held.
        limit: "max_nodes" or "max_bytes" for an unknown, else None.
        seconds: that it took, for information: no verdict depends on it.
    """

    status: str
    actions: tuple[int, ...]
    moves: tuple[Move, ...]
    nodes: int
    bytes: int
    limit: str | None
    seconds: float

    def __str__(self) -> str:
        """Write a line."""
        found = {
            "solved": f"solved in {len(self.moves)} moves",
            "refuted": "refuted: it can't be won",
            "unknown": f"unknown: {self.limit} was reached",
        }.get(self.status, self.status)
        return f"{found} ({self.nodes:,} nodes, {self.bytes / 1e6:.1f} MB, {self.seconds:.2f} s)"

    def to_json(self) -> dict[str, Any]:
        """Give plain JSON values; moves as lines of text."""
        return {**vars(self), "actions": list(self.actions), "moves": list(map(str, self.moves))}


def solve(
    variant: str | RuleSheet,
    *,
    deal: int | None = None,
    position: Position | None = None,
    max_nodes: int = MAX_NODES,
    max_bytes: int = MAX_BYTES,
    seed: int = 0,
    should_stop: Callable[[int], bool] | None = None,
) -> Verdict:
    """Say whether a deal or a position can be won, all cards known.

    Args:
        variant: a registered sheet's name, or a sheet, which is registered.
        deal: a deal's number; this or `position`.
        position: as `position()` of an environment gives it.
        max_nodes: positions to look at, from 1.
        max_bytes: of memory.
        seed: other than 0 searches a little differently. The same seed and limits give the same
            verdict, on any machine.
        should_stop: told the nodes so far, now and then; True ends the search as "interrupted", as
            does Ctrl-C.

    Raises:
        OptionError: naming the argument, its value and what is accepted.
        PositionError: for a position that no play can reach, or that is over.
        ProofError: if a win that was found can't be played.

    >>> verdict = solve("big-bertha", deal=0)
    >>> verdict.status
    'solved'
    """
    sheet = sheet_of(variant)
    check_limits(sheet, max_nodes, max_bytes, seed)
    env = endless(sheet)
    env.reset(options=_start(deal, position))
    rules = lower(sheet)
    games = new_games(rules, 1)
    games.view(np.ndarray).view(np.uint8)[:] = np.frombuffer(env.clone_state(), np.uint8)
    begun = time.perf_counter()
    search = Search(
        rules,
        games,
        max_bytes=max_bytes,
        seed=seed,
        should_stop=should_stop or (lambda _: False),
    )
    status, limit = _answer(search, max_nodes)
    line = _play(env, search.line()) if status == "solved" else []
    return Verdict(
        status=status,
        actions=tuple(action for action, _ in line),
        moves=tuple(move for _, move in line),
        nodes=search.nodes,
        bytes=search.bytes,
        limit=limit,
        seconds=time.perf_counter() - begun,
    )


def check_limits(sheet: RuleSheet, max_nodes: int, max_bytes: int, seed: int) -> None:
    """Raise OptionError unless limits and seed are accepted."""
    whole_number("max_nodes", max_nodes, 1, 2**62)
    whole_number("max_bytes", max_bytes, least_bytes(lower(sheet)), 2**50)
    check_seed(seed)


def sheet_of(variant: str | RuleSheet) -> RuleSheet:
    """Find a sheet by its name, or register one."""
    if isinstance(variant, RuleSheet):
        register(variant)
        return variant
    return find_sheet(variant)


def endless(sheet: RuleSheet) -> SolitaireEnv:
    """Make the environment that lines are played in: no number of moves ends a game."""
    return SolitaireEnv(sheet.name, no_progress_limit=_ENDLESS, illegal="raise")


def _start(deal: int | None, position: Position | None) -> dict[str, Any]:
    """Make the reset options of a start."""
    if (deal is None) == (position is None):
        raise ValueError(f"deal is {deal!r} and position is {position!r}: give one of them")
    return {"position": position} if deal is None else {"deal": check_deal(deal)}


def _answer(search: Search, max_nodes: int) -> tuple[str, str | None]:
    """Search; return the status and the limit that was reached."""
    try:
        limit = "max_nodes"
        for width, nodes in _attempts(search, max_nodes):
            status = search.run(width, nodes)
            if status == Status.WON:
                return "solved", None
            if status == Status.EXHAUSTED and width == 0:
                return "refuted", None
            limit = "max_bytes" if status == Status.FULL else "max_nodes"
    except (KeyboardInterrupt, Stopped):
        return "interrupted", None
    return "unknown", limit


def _attempts(search: Search, max_nodes: int) -> Iterator[tuple[int, int]]:
    """Give the width and the nodes of one search after the other; width 0 looks at everything."""
    yield 0, min(GLANCE, max_nodes)
    width, looked_at, most = FIRST_WIDTH, NONE, int(SHARE * max_nodes)
    while search.nodes < most and looked_at != search.expanded:
        looked_at = search.expanded if width > FIRST_WIDTH else NONE
        yield width, most - search.nodes
        width *= 2
    if search.nodes < max_nodes:
        yield 0, max_nodes - search.nodes


def _play(env: SolitaireEnv, line: list[Step]) -> list[tuple[int, Move]]:
    """Play a line through the environment; return all actions with their moves.

    Raises:
        ProofError: unless every move is legal and the game is won.
    """
    played: list[tuple[int, Move]] = []
    info: dict[str, Any] = {}
    game: Any = env.unwrapped
    stock = len(env.action_table) - 1
    for step in line:
        for action in _with_draws(game, step, stock):
            if not env.action_masks()[action]:
                raise ProofError(f"move {len(played)} of a win, action {action}, is illegal")
            played.append((action, env.move_of(action)))
            info = env.step(action)[-1]
    if info.get("outcome") != "won":
        raise ProofError(f"a win ends as {info.get('outcome')!r} after {len(played)} moves")
    return played


def _with_draws(env: SolitaireEnv, step: Step, stock: int) -> Iterator[int]:
    """Give the draws and redeals that bring the waste to a step's height, then its action."""
    while step.turn not in (NONE, len(env.position()["waste"])):
        yield stock
    yield step.action
