"""One game on an engine's table, played by moves in words."""

from typing import Any

import numpy as np

from solitaire_env import VARIANTS, RuleSheet
from solitaire_env.engine.actions import action_of, action_table, legal_actions, move_of
from solitaire_env.engine.settings import settings_record
from solitaire_env.engine.state import Outcome
from solitaire_env.engine.table import Table
from solitaire_env.notation import Move
from tests.helpers import ending

ROW = np.zeros(1, np.int64)


class Player:
    """One game on a table of its own, played by moves in words."""

    def __init__(self, name: str, sheet: RuleSheet | None = None, **settings: float) -> None:
        chosen = {"no_progress_limit": 999, "seconds_per_move": 2.0, **settings}
        self.table = Table(sheet or VARIANTS[name], 1, settings_record(**chosen))
        self.rules = self.table.rules
        self.names = action_table(self.rules)
        self.observation, self.mask = self.table.new_outputs()
        self.ended = (False, False)

    @property
    def game(self) -> Any:
        """The row."""
        return self.table.games[0]

    @property
    def outcome(self) -> Outcome:
        """How the game ended, or NONE."""
        return Outcome(int(self.game.outcome))

    def deal(self, number: int) -> "Player":
        """Deal by number."""
        self.table.deal(ROW, np.array([number]))
        return self

    def lay(self, position: dict[str, Any]) -> "Player":
        """Lay out a position."""
        self.table.load(ROW, position)
        return self

    def act(self, action: int) -> float:
        """Play an action number and return its reward."""
        reward, flags = np.zeros(1), np.zeros((4, 1), np.bool_)
        terminated, truncated, illegal, resets = flags
        told = self.table.new_told()
        out = (self.observation, self.mask, reward, terminated, truncated, illegal, told)
        self.table.step(np.array([action]), resets, (0, 1), *out)
        self.ended = (bool(terminated[0]), bool(truncated[0]))
        return float(reward[0])

    def play(self, source: str, target: str, count: int = 1) -> float:
        """Play a move in words and return its reward."""
        return self.act(action_of(self.rules, self.names, self.game, Move(source, target, count)))

    def moves(self) -> list[str]:
        """List the legal moves in words."""
        game = self.game
        return [str(move_of(self.rules, self.names, game, a)) for a in legal_actions(game)]


def san_juan_hill_jam(stock: list[str]) -> dict[str, Any]:
    """Bury the Tens that are wanted under Kings; some Jacks and Tens lie in the stock."""
    kings = [["T" + suit, "Q" + suit, "K" + suit] for suit in "SHDC" for _ in range(2)]
    jacks = [["JS", "JS"], ["JH", "JD", "JC", "JC"]]
    position = ending(VARIANTS["san-juan-hill"], kings + jacks, stock=stock)
    assert sum(map(sum, position["foundations"].values())) == 72
    return position
