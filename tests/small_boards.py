"""Boards small enough to check by eye, for the tests of the slow reference."""

from typing import Any

from solitaire_env.rulesheet import RuleSheet
from solitaire_env.variants import VARIANTS

from .reference.boards import board
from .reference.game import ReferenceGame

BERTHA = VARIANTS["big-bertha"]
ARABELLA = VARIANTS["arabella"]
SAN_JUAN = VARIANTS["san-juan-hill"]
TURN1 = VARIANTS["pantagruel-turn1"]
TURN3 = VARIANTS["pantagruel-turn3"]
TOURNAMENT = VARIANTS["pantagruel-tournament"]
ROYAL = VARIANTS["pantagruel-royal"]

DRAW1 = ("stock", "W", 1)


def game(sheet: RuleSheet, columns: str, settings: dict | None = None, **piles: Any) -> Any:
    """Set up a reference game on a board."""
    return ReferenceGame(*board(sheet, columns, **piles), **(settings or {}))


def moves(sheet: RuleSheet, columns: str, **piles: Any) -> list[str]:
    """List the legal moves of a board as short text: "T0 T1 2"."""
    listed = game(sheet, columns, **piles).legal_moves()
    return [" ".join(map(str, move)) for move in listed]


def played(sheet: RuleSheet, columns: str, *line: tuple[str, str, int], **piles: Any) -> Any:
    """Play a line of legal moves on a board."""
    table = game(sheet, columns, **piles)
    for move in line:
        assert move in table.legal_moves()
        table.play(move)
    return table
