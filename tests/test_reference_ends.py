"""The slow reference, rule by rule: points, streaks, progress and the end."""

from dataclasses import replace
from typing import Any

import pytest

from solitaire_env.rulesheet import RuleSheet, Stock

from .reference.boards import board
from .reference.game import player_view
from .small_boards import (
    ARABELLA,
    BERTHA,
    DRAW1,
    ROYAL,
    SAN_JUAN,
    TOURNAMENT,
    TURN1,
    TURN3,
    game,
    moves,
    played,
)


class TestLedger:
    """The Royal Master Scoring Ledger, Pantagruel 2.7."""

    @pytest.mark.parametrize(
        ("move", "points"),
        [
            (("W", "T0", 1), 5),
            (("W", "F", 1), 10),
            (("T1", "F", 1), 20),
            (("T2", "T0", 1), 0),
            (("T1", "T3", 1), 10),
            (("FH", "T3", 1), -15),
            (("stock", "W", 1), 0),
        ],
    )
    def test_points(self, move: tuple[str, str, int], points: int) -> None:
        """Waste to tableau 5, to foundation 10, card uncovered 10, taken back -15."""
        piles = {"waste": "4H", "stock": "2C", "up": "H3 D2 D1"}
        table = game(TURN3, "5S | <9C> 3D | 4H 4D | 4S", {"reward": "ledger"}, **piles)
        assert move in table.legal_moves()
        assert table.play(move) == table.score == points

    @pytest.mark.parametrize(("sheet", "points"), [(TURN1, -20), (TURN3, 0), (ROYAL, 0)])
    def test_a_redeal_costs_in_turn_1(self, sheet: RuleSheet, points: int) -> None:
        """-20 for every redeal in Turn-1, with no floor at 0."""
        table = game(sheet, "5S", {"reward": "ledger"}, waste="4H")
        assert table.play(("stock", "redeal", 1)) == table.score == points

    def test_a_reserve_card_earns_on_the_foundations_only(self) -> None:
        """RULINGS, Ledger: reserve to tableau earns 0."""
        assert played(BERTHA, "5S | 9C", ("R0", "T0", 1), reserve="4H 2C").score == 0
        assert played(BERTHA, "5S | 9C", ("R0", "F", 1), reserve="4H 2C", up="H3").score == 10

    def test_uncovering_pays_once(self) -> None:
        """A card turned up stays so and pays no more."""
        line = [("T0", "T1", 1), ("T1", "T0", 1)]
        table = played(TURN3, "<8C> 7D | 8S | 9C", line[0])
        assert (table.score, table.at["tableau"][0]) == (10, ["8C"])
        table.play(line[1])
        assert table.score == 10

    def test_a_game_adds_up(self) -> None:
        """The score is the sum of the ledger rewards."""
        table = game(TURN1, "5S | <9C> 3D | 4C", {"reward": "ledger"}, waste="4H 2C", up="D2")
        line = [("T1", "F", 1), ("FD", "T2", 1), ("T2", "F", 1), ("W", "T0", 1)]
        total = sum(table.play(move) for move in line if move in table.legal_moves())
        assert total == table.score == 10 + 10 - 15 + 10


class TestStreaks:
    """RULINGS, Streak."""

    UP = "S1 H1 D1 C1 S1 H1"

    def test_streaks_grow_by_one_a_move(self) -> None:
        """The n-th foundation move in a row earns 10 + min(n - 1, 10)."""
        cards = [rank + "S" for rank in "23456789TJQK"]
        table = game(SAN_JUAN, " ".join(cards[::-1]), {"streaks": True}, up="S1", waste="9H")
        scores = []
        for _ in cards:
            before = table.score
            table.play(("T0", "F", 1))
            scores.append(table.score - before)
        assert scores == [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 20]
        assert (table.streak, table.longest_streak) == (12, 12)

    def test_off_by_default_but_counted(self) -> None:
        """Without `streaks` a foundation move earns 10; the counters count all the same."""
        table = played(SAN_JUAN, "3S 2S | 9H", ("T0", "F", 1), ("T0", "F", 1), up="S1")
        assert (table.score, table.streak, table.longest_streak) == (20, 2, 2)

    def test_any_other_legal_move_ends_it(self) -> None:
        """Nothing else in between; an illegal action is nothing."""
        table = game(SAN_JUAN, "3S 2S | 9H", stock="5D 5C", up="S1")
        table.play(("T0", "F", 1))
        table.play(("T9", "F", 1))
        assert table.streak == 1
        table.play(("T0", "F", 1))
        table.play(DRAW1)
        assert (table.streak, table.longest_streak) == (0, 2)

    def test_a_take_back_cannot_farm_it(self) -> None:
        """Only a new maximum extends it; another foundation move earns 10 and leaves it."""
        table = game(TURN3, "3S 2S | 4H | 6C", {"streaks": True}, up="S1 D5")
        for move in [("T0", "F", 1), ("T0", "F", 1), ("FS", "T1", 1), ("T1", "F", 1)]:
            table.play(move)
        assert (table.score, table.streak, table.longest_streak) == (10 + 11 - 15 + 10, 0, 2)


class TestWinning:
    """Every foundation complete."""

    FULL = "S13 S13 H13 H13 D13 D13 C13 C12"

    def last_move(self, **settings: Any) -> tuple[Any, float]:
        """Win a game of Turn-3 by its only move."""
        table = game(TURN3, "KC | -", settings, up=self.FULL)
        return table, table.play(("T0", "F", 1))

    def test_won(self) -> None:
        """All cards up: won, and no legal move remains, though take-backs would fit."""
        table, reward = self.last_move(reward="win")
        assert (table.outcome, reward, table.legal_moves()) == ("won", 1.0, [])

    def test_won_before_stuck(self) -> None:
        """RULINGS, The end: a won game with no move left is won."""
        up = "S13 S13 H13 H13 D13 D13 C13 C12"
        assert played(SAN_JUAN, "KC", ("T0", "F", 1), up=up).outcome == "won"

    def test_won_by_the_last_king_leaving(self) -> None:
        """Big Bertha: the King under the last Queen completes the game."""
        up = "S12 S12 H12 H12 D12 D12 C12 C11"
        table = played(BERTHA, "KH QC", ("T0", "F", 1), up=up, kings=7)
        assert (table.outcome, table.foundation_cards) == ("won", 104)

    def test_not_won_while_a_king_is_away(self) -> None:
        """Eight full foundations are not enough: the Kings count."""
        up = "S12 S12 H12 H12 D12 D12 C12 C11"
        assert played(BERTHA, "QC", ("T0", "F", 1), up=up, kings=7).outcome == "stuck"

    @pytest.mark.parametrize(
        ("seconds", "bonus"),
        [(2.0, 598), (0.0, 600), (0.5, 599), (599.5, 0), (599.0, 1), (600.0, 0), (9999.0, 0)],
    )
    def test_time_bonus(self, seconds: float, bonus: int) -> None:
        """RULINGS: floor(600 - t) for t < 600, in the score and the winning step's ledger."""
        table, reward = self.last_move(seconds_per_move=seconds, reward="ledger")
        assert reward == table.score == 10 + bonus
        assert table.elapsed == seconds

    def test_foundation_reward(self) -> None:
        """The change of the foundation cards, take-backs included."""
        table = game(TURN3, "3S | 4H | 9C", up="S2")
        line = [("T0", "F", 1), ("FS", "T1", 1), ("T1", "F", 1)]
        assert [table.play(move) for move in line] == [1.0, -1.0, 1.0]


class TestEnds:
    """Stuck, dead and without progress."""

    def test_stuck(self) -> None:
        """No legal move at all."""
        table = played(SAN_JUAN, "5S | 9H", DRAW1, stock="4D", up="S1")
        assert (table.outcome, table.legal_moves()) == ("stuck", [])

    def test_a_deal_without_a_move_ends_at_its_first_step(self) -> None:
        """RULINGS: the mask is empty and any action ends it "stuck"."""
        table = game(BERTHA, "5S | 9S", {"illegal_penalty": 0.5})
        assert (table.legal_moves(), table.outcome) == ([], None)
        assert table.play(None) == -0.5
        assert table.outcome == "stuck"

    def test_dead_under_draw_one(self) -> None:
        """No card of the stock has a play; the waste counts only with a redeal left."""
        table = played(SAN_JUAN, "5S | 9H", DRAW1, stock="4D 4C 4D", up="S1")
        assert table.outcome == "dead"
        table = played(SAN_JUAN, "5S | 9H", DRAW1, stock="4D 4S 4C 4D", up="S1")
        assert table.outcome is None
        assert played(ARABELLA, "5S | TH", DRAW1, stock="2D 3C", waste="4H 2C").outcome == "dead"
        assert played(TURN1, "5S | TH", DRAW1, stock="2D 3C", waste="4H 2C").outcome is None

    def test_a_dead_position_shows_its_draws_and_ends_at_its_first_step(self) -> None:
        """RULINGS, A given position: also when the step is illegal."""
        table = game(SAN_JUAN, "5S | 9H", stock="4D 4C", up="S1")
        assert table.legal_moves() == [DRAW1]
        table.play(None)
        assert (table.outcome, table.moves) == ("dead", 0)

    def test_dead_under_draw_three(self) -> None:
        """Draw-3 counts only the cards on which draws end, of this pass and a whole one."""
        draw = ("stock", "W", 3)
        hidden_play = "2C 2D 4H 2C 2D 2C 2D 2C 2D"
        assert played(ROYAL, "5S | TH", draw, stock=hidden_play, passes=3).outcome == "dead"
        seen_play = "2C 2D 2C 4H 2C 2D 2D 2C 2D"
        assert played(ROYAL, "5S | TH", draw, stock=seen_play, passes=3).outcome is None

    def test_a_short_last_draw_counts(self) -> None:
        """The last draw of a pass ends on the bottom card, whatever it takes."""
        table = played(ROYAL, "5S | TH", ("stock", "W", 3), stock="4H 2C 2D 2C 2D", passes=3)
        assert table.outcome is None
        table = played(ROYAL, "5S | TH", ("stock", "W", 3), stock="2C 4H 2D 2C 2D", passes=3)
        assert table.outcome == "dead"

    def test_a_redeal_brings_other_cards_up(self) -> None:
        """With a redeal left the stops of a whole pass count, from the waste's bottom."""
        line = ("stock", "W", 1)
        piles = {"stock": "2C", "waste": "2D 2C 4H 2D"}
        assert played(ROYAL, "5S | TH", line, passes=2, **piles).outcome is None
        assert played(ROYAL, "5S | TH", line, passes=3, **piles).outcome == "stuck"
        piles = {"stock": "2C", "waste": "2D 4H 2C 2D"}
        assert played(ROYAL, "5S | TH", line, passes=2, **piles).outcome == "dead"

    def test_not_dead_while_the_tableau_moves(self) -> None:
        """Only draws and redeals may be left."""
        table = played(SAN_JUAN, "5S | 6S | 9H", DRAW1, stock="4D 4C", up="S1")
        assert table.outcome is None

    def test_kings_in_the_stock_keep_a_game_with_a_space_alive(self) -> None:
        """A play into a space is a play."""
        assert played(TURN1, "5S | -", DRAW1, stock="KD 3C").outcome is None
        assert played(TURN1, "5S | 7S", DRAW1, stock="KD 3C").outcome == "dead"


class TestProgress:
    """RULINGS, Endless shuffling."""

    SHUFFLE = (("T0", "T1", 1), ("T1", "T0", 1))

    def shuffled(self, limit: int, steps: int, sheet: RuleSheet = SAN_JUAN, **piles: Any) -> Any:
        """Move one card to and fro."""
        piles = {"up": "S1", **piles}
        table = game(sheet, "9S 8S | 9S | 4C", {"no_progress_limit": limit}, **piles)
        for step in range(steps):
            table.play(self.SHUFFLE[step % 2])
        return table

    def test_cut_at_the_limit(self) -> None:
        """Idle steps reach the limit: truncated, as its own outcome."""
        assert self.shuffled(4, 3).outcome is None
        assert self.shuffled(4, 4).outcome == "no_progress"
        assert self.shuffled(4, 4).legal_moves() == []

    def test_the_limit_is_the_sheets_by_default(self) -> None:
        """`no_progress_limit=None` reads the rule sheet."""
        assert game(SAN_JUAN, "5S | 9H", up="S1").limit == SAN_JUAN.limits.no_progress

    def test_illegal_actions_are_no_steps(self) -> None:
        """An illegal action changes no idle count."""
        table = self.shuffled(4, 3)
        table.play(None)
        assert (table.idle, table.outcome) == (3, None)

    @pytest.mark.parametrize(
        ("move", "idle"),
        [
            (("W", "T2", 1), 0),
            (("T3", "F", 1), 0),
            (("T4", "F", 1), 0),
            (("T5", "T6", 1), 0),
            (("FH", "T7", 1), 3),
            (("stock", "W", 3), 3),
        ],
    )
    def test_progress(self, move: tuple[str, str, int], idle: int) -> None:
        """A waste card played, a new maximum, a card uncovered; no take-back, no draw."""
        columns = "9S 8H | 9S | 4C | 2D | 4H | <2H> 7D | 8C | 4S | 5D"
        piles = {"waste": "3H", "stock": "2C 2C 2C 5C", "up": "H3 D1"}
        table = game(TURN3, columns, None, **piles)
        for step in self.SHUFFLE:
            table.play(step)
        assert table.idle == 2
        assert move in table.legal_moves()
        table.play(move)
        assert table.idle == idle

    def test_a_reserve_card_played_is_progress(self) -> None:
        """RULINGS: a reserve card played, be it to the tableau."""
        table = played(BERTHA, "9S 8H | 9S", *self.SHUFFLE, ("R0", "T0", 1), reserve="7S")
        assert table.idle == 0

    @pytest.mark.parametrize(
        ("sheet", "idle"), [(SAN_JUAN, 0), (TOURNAMENT, 0), (TURN3, 1), (TURN1, 1)]
    )
    def test_a_draw_that_cannot_come_again_is_progress(self, sheet: RuleSheet, idle: int) -> None:
        """Any draw with limited passes; with unlimited passes none."""
        draw = ("stock", "W", min(2, sheet.draw))
        assert played(sheet, "9S", draw, stock="2C 8S", up="S1").idle == idle

    @pytest.mark.parametrize("sheet", [TOURNAMENT, TURN3])
    def test_a_redeal_is_none(self, sheet: RuleSheet) -> None:
        """RULINGS: a redeal is no progress."""
        assert played(sheet, "9S", ("stock", "redeal", 2), waste="2C 8H").idle == 1

    def test_going_up_again_is_none(self) -> None:
        """Only a new maximum counts, not a card taken back and returned."""
        line = [("FH", "T0", 1), ("T0", "F", 1)]
        assert played(TURN3, "4C | 9S", *line, up="H3").idle == 2


class TestIllegal:
    """An illegal action changes nothing."""

    @pytest.mark.parametrize("move", [None, ("T0", "T1", 2), ("W", "F", 1), ("stock", "W", 3)])
    def test_nothing_changes(self, move: Any) -> None:
        """State, counters, streak and clock stay; the reward is the penalty."""
        table = game(TURN1, "3S 2S | 4H", {"illegal_penalty": 0.25}, stock="5C 3D", up="S1")
        table.play(("T0", "F", 1))
        before = table.position(), table.counters(), table.idle
        assert table.play(move) == -0.25
        assert (table.position(), table.counters(), table.idle) == before

    def test_no_step_after_the_end(self) -> None:
        """A game that is over refuses further moves."""
        table = played(SAN_JUAN, "5S | 9H", DRAW1, stock="4D", up="S1")
        with pytest.raises(ValueError, match="stuck"):
            table.play(DRAW1)


class TestPlayerView:
    """What a careful player with a perfect memory knows."""

    def test_first_pass(self) -> None:
        """Face-down cards and the stock never seen are unknown."""
        sheet, at = board(TURN3, "<9H> 8S | 7D", stock="2C 3C", waste="4C")
        seen = player_view(sheet, at)
        assert seen["tableau"] == [["??", "8S"], ["7D"]]
        assert (seen["stock"], seen["waste"]) == (["??", "??"], ["4C"])

    def test_later_passes(self) -> None:
        """From the second pass on the whole stock order is known."""
        sheet, at = board(TURN3, "<9H> 8S", stock="2C 3C", passes=2)
        assert player_view(sheet, at)["stock"] == ["2C", "3C"]


def test_user_sheet_with_limited_redeals() -> None:
    """The reference serves any sheet: here San Juan Hill with two redeals."""
    sheet = replace(SAN_JUAN, name="again", stock=Stock(draw=2, redeals=2))
    assert moves(sheet, "5S | 9H", waste="KS 9S", up="S1", passes=2) == ["stock redeal 2"]
    assert moves(sheet, "5S | 9H", waste="KS 9S", up="S1", passes=3) == []
