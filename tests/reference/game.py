"""The slow reference: one game in plain Python, written from the rule texts and RULINGS."""

import math
from typing import Any

from solitaire_env.rulesheet import UNLIMITED, Deal, FaceUp, RuleSheet

from .cards import RANK, RANKS, face_down, is_king, suits_of, turned_up
from .moves import Move, dead, legal_moves, won

TIME_LIMIT = 600
"""Seconds under which a won game earns a time bonus (Pantagruel 2.7)."""


class ReferenceGame:
    """One game from a given position, one legal move at a time.

    Args:
        sheet: the game's rules.
        position: where it starts; every counter starts at 0.
        reward: "foundation", "win" or "ledger".
        seconds_per_move: simulated seconds a move takes.
        streaks: whether streaks earn points.
        no_progress_limit: legal steps without progress that cut the game; None: the sheet's.
        illegal_penalty: taken from the reward of an illegal move.
    """

    def __init__(
        self,
        sheet: RuleSheet,
        position: dict,
        *,
        reward: str = "foundation",
        seconds_per_move: float = 2.0,
        streaks: bool = False,
        no_progress_limit: int | None = None,
        illegal_penalty: float = 0.0,
    ) -> None:
        self.sheet = sheet
        self.reward = reward
        self.seconds_per_move = seconds_per_move
        self.streaks = streaks
        self.limit = sheet.limits.no_progress if no_progress_limit is None else no_progress_limit
        self.illegal_penalty = illegal_penalty
        self.at = copied(position)
        self.outcome: str | None = None
        self.moves = self.score = self.idle = self.streak = self.longest_streak = 0
        self.most_cards = self.foundation_cards
        self._legal = legal_moves(sheet, self.at)

    @property
    def foundation_cards(self) -> int:
        """Count the cards on the foundations, dealt Aces and Kings that left included."""
        return self.at["kings"] + sum(map(sum, self.at["foundations"].values()))

    @property
    def elapsed(self) -> float:
        """Tell the simulated seconds of the game."""
        return self.seconds_per_move * self.moves

    def position(self) -> dict:
        """Give the position, in the package's format."""
        return {"variant": self.sheet.name, **copied(self.at)}

    def legal_moves(self) -> list[Move]:
        """List the legal moves, sorted; none once the game is over."""
        return [] if self.outcome else list(self._legal)

    def counters(self) -> dict[str, Any]:
        """Give the counters that an environment shows in its info."""
        return {
            "moves": self.moves,
            "passes": self.at["passes"],
            "redeals_left": self._redeals_left(),
            "foundation_cards": self.foundation_cards,
            "score": self.score,
            "elapsed": self.elapsed,
            "streak": self.streak,
            "longest_streak": self.longest_streak,
        }

    def play(self, move: Any) -> float:
        """Play a move and judge the end; an illegal one changes nothing. Returns the reward."""
        if self.outcome:
            raise ValueError(f"the game is over: {self.outcome}")
        cards, score, penalty = self.foundation_cards, self.score, 0.0
        if move in self._legal:
            self._perform(move)
            self._legal = legal_moves(self.sheet, self.at)
        else:
            penalty = self.illegal_penalty
        self.outcome = self._judge()
        if self.outcome == "won":
            self.score += self._time_bonus()
        earned = {
            "foundation": self.foundation_cards - cards,
            "win": self.outcome == "won",
            "ledger": self.score - score,
        }
        return float(earned[self.reward]) - penalty

    def _redeals_left(self) -> int:
        if self.sheet.stock is None:
            return 0
        redeals = self.sheet.stock.redeals
        return -1 if redeals == UNLIMITED else redeals - (self.at["passes"] - 1)

    def _judge(self) -> str | None:
        """Judge the end in the order of RULINGS: won, stuck, dead, then no progress."""
        if won(self.sheet, self.at):
            return "won"
        if not self._legal:
            return "stuck"
        if dead(self.sheet, self.at, self._legal):
            return "dead"
        return "no_progress" if self.idle >= self.limit else None

    def _time_bonus(self) -> int:
        """Earn the whole seconds left of ten minutes (RULINGS, Time bonus)."""
        return math.floor(TIME_LIMIT - self.elapsed) if self.elapsed < TIME_LIMIT else 0

    def _perform(self, move: Move) -> None:
        source, target, count = move
        if target == "redeal":
            self.at["stock"] = self.at["waste"][::-1]
            self.at["waste"] = []
            self.at["passes"] += 1
        elif source == "stock":
            for _ in range(count):
                self.at["waste"].append(self.at["stock"].pop())
        else:
            self._put(self._take(source, target, count), target)
        uncovered = settle(self.sheet, self.at)
        self._count(source, target, uncovered)

    def _take(self, source: str, target: str, count: int) -> list[str]:
        """Lift the cards of a move off their pile."""
        if source == "W":
            return [self.at["waste"].pop()]
        if source[0] == "F":
            return [self._take_back(source[1], target)]
        pile = int(source[1:])
        if source[0] == "R":
            card, self.at["reserve"][pile] = self.at["reserve"][pile], None
            return [card]
        column = self.at["tableau"][pile]
        cards, column[-count:] = column[-count:], []
        return cards

    def _take_back(self, suit: str, target: str) -> str:
        """Lift the foundation card that the column's top, or a space, calls for."""
        column = self.at["tableau"][int(target[1:])]
        rank = RANK[column[-1]] - 1 if column else self.sheet.ranks
        heights = self.at["foundations"][suit]
        heights.remove(rank)
        heights.append(rank - 1)
        heights.sort(reverse=True)
        return RANKS[rank - 1] + suit

    def _put(self, cards: list[str], target: str) -> None:
        """Lay the cards of a move on their new pile."""
        if target != "F":
            self.at["tableau"][int(target[1:])].extend(cards)
            return
        heights = self.at["foundations"][cards[0][1]]
        heights.remove(RANK[cards[0]] - 1)
        heights.append(RANK[cards[0]])
        heights.sort(reverse=True)

    def _count(self, source: str, target: str, uncovered: int) -> None:
        """Bring the counters up to date after a legal move."""
        new_most = self.foundation_cards > self.most_cards
        self.most_cards = max(self.most_cards, self.foundation_cards)
        self.moves += 1
        if target != "F":
            self.streak = 0
        elif new_most:
            self.streak += 1
        self.longest_streak = max(self.longest_streak, self.streak)
        self.score += self._points(source, target, new_most)
        self.score += uncovered * self.sheet.ledger.uncovered
        last_pass_draw = target == "W" and self.sheet.stock.redeals != UNLIMITED
        played = source[0] in "WR"
        progress = new_most or uncovered or played or last_pass_draw
        self.idle = 0 if progress else self.idle + 1

    def _points(self, source: str, target: str, new_most: bool) -> int:
        """Look a move up in the Royal Master Scoring Ledger (Pantagruel 2.7)."""
        ledger = self.sheet.ledger
        if target == "F":
            extends = self.streaks and new_most
            return ledger.to_foundation + (min(self.streak - 1, 10) if extends else 0)
        if target == "redeal":
            return ledger.redeal
        if source == "W":
            return ledger.waste_to_tableau
        return ledger.taken_back if source[0] == "F" else 0


def copied(at: dict) -> dict:
    """Copy a position's piles and counts, leaving the variant's name aside."""
    return {
        "tableau": [list(column) for column in at["tableau"]],
        "reserve": list(at["reserve"]),
        "foundations": {suit: list(heights) for suit, heights in at["foundations"].items()},
        "kings": at["kings"],
        "stock": list(at["stock"]),
        "waste": list(at["waste"]),
        "passes": at["passes"],
    }


def settle(sheet: RuleSheet, at: dict) -> int:
    """Turn up columns' tops and let available Kings leave, until neither happens.

    Returns:
        How many cards were turned up.
    """
    uncovered = 0
    while True:
        for column in at["tableau"]:
            if column and face_down(column[-1]):
                column[-1] = turned_up(column[-1])
                uncovered += 1
        if not (sheet.foundations.kings_leave and one_leaves(sheet, at)):
            return uncovered


def one_leaves(sheet: RuleSheet, at: dict) -> bool:
    """Send one available King to the King pile: a pile's top, or in the reserve."""
    for pile in [*at["tableau"], at["waste"]]:
        if pile and is_king(sheet, pile[-1]):
            pile.pop()
            at["kings"] += 1
            return True
    for cell, card in enumerate(at["reserve"]):
        if card and is_king(sheet, card):
            at["reserve"][cell] = None
            at["kings"] += 1
            return True
    return False


def deal(sheet: RuleSheet, cards: list[str]) -> dict:
    """Deal shuffled cards, the first of the list first: columns, then reserve, then the stock."""
    aces = sheet.foundations.aces_dealt
    rest = [card for card in cards if not (aces and card[0] == "A")][::-1]
    heights = [
        number + 1 if sheet.tableau.deal is Deal.TRIANGLE else sheet.tableau.rows
        for number in range(sheet.tableau.piles)
    ]
    tableau = [[rest.pop() for _ in range(height)] for height in heights]
    if sheet.tableau.face_up is FaceUp.TOP:
        tableau = [[f"<{card}>" for card in column[:-1]] + column[-1:] for column in tableau]
    at = {
        "tableau": tableau,
        "reserve": [rest.pop() for _ in range(sheet.reserve)],
        "foundations": {suit: [int(aces)] * sheet.decks for suit in suits_of(sheet)},
        "kings": 0,
        "stock": rest,
        "waste": [],
        "passes": 1,
    }
    settle(sheet, at)
    return {"variant": sheet.name, **at}


def player_view(sheet: RuleSheet, position: dict) -> dict:
    """Show what a careful player with a perfect memory knows; "??" is a card never seen."""
    seen = {"variant": sheet.name, **copied(position)}
    seen["tableau"] = [
        ["??" if face_down(card) else card for card in column] for column in seen["tableau"]
    ]
    if seen["passes"] == 1:
        seen["stock"] = ["??"] * len(seen["stock"])
    return seen
