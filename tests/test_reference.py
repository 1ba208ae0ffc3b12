"""The slow reference, rule by rule: which cards may move, and what a move does."""

import pytest

from solitaire_env.rulesheet import RuleSheet

from .reference.boards import board
from .reference.game import deal
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


class TestBuilding:
    """Which card lies on which."""

    def test_san_juan_hill_builds_down_in_suit(self) -> None:
        """San Juan Hill, Tableau: 10S goes on JS, not on JC; no higher card, no gap."""
        assert moves(SAN_JUAN, "TS | JS | JC | QS | JH", up="S1") == ["T0 T1 1", "T1 T3 1"]

    def test_arabella_builds_down_regardless_of_suit(self) -> None:
        """Arabella, Tableau: any 8 goes on any 9."""
        assert moves(ARABELLA, "8S | 9S | 9H | 7H") == ["T0 T1 1", "T0 T2 1", "T3 T0 1"]

    @pytest.mark.parametrize("sheet", [BERTHA, TURN1, ROYAL])
    def test_pantagruel_and_big_bertha_alternate_colours(self, sheet: RuleSheet) -> None:
        """Pantagruel, Law 2: a red 7 goes on a black 8, never on a red one."""
        columns = "7H | 8S | 8C" if sheet is not BERTHA else "7H | 8S | 8C | 8D | 8H"
        assert moves(sheet, columns) == ["T0 T1 1", "T0 T2 1"]

    def test_an_ace_goes_on_a_two(self) -> None:
        """RULINGS: an Ace may be built on a Two like any next lower rank."""
        assert moves(ROYAL, "AH | 2S", up="H1 H1") == ["T0 T1 1"]

    def test_nothing_goes_on_an_ace_and_no_king_on_anything(self) -> None:
        """Ranks do not turn the corner."""
        assert moves(ARABELLA, "KS | AS 2H | 4H 4S AD", up="D1 D1 D1") == ["T2 T1 1"]


class TestLifting:
    """How many cards move together."""

    def test_san_juan_hill_moves_single_cards(self) -> None:
        """San Juan Hill: only one card may be moved at a time."""
        assert moves(SAN_JUAN, "9S 8S | TS | 9S", up="S1") == ["T0 T2 1", "T2 T1 1"]

    def test_arabella_lifts_runs_in_suit_only(self) -> None:
        """Arabella: sequences in the same suit move together, mixed ones card by card."""
        assert moves(ARABELLA, "9S 8S 7S | TH | 2H") == ["T0 T1 3"]
        assert moves(ARABELLA, "9S 8H 7H | TH | 9D") == ["T0 T2 2", "T2 T1 1"]

    def test_any_part_of_a_run_moves_if_its_head_fits(self) -> None:
        """RULINGS, Groups: any number of cards off the top of a liftable run."""
        expected = ["T0 T1 3", "T0 T2 2", "T0 T3 1"]
        assert moves(TURN1, "2H 9S 8H 7S | TD | 9C | 8D") == [*expected, "T2 T1 1", "T3 T2 1"]

    def test_a_run_ends_where_a_card_does_not_fit(self) -> None:
        """A run is checked card by card: colour and rank."""
        assert moves(TURN1, "9S 8S 7H | TD | 9C") == ["T2 T1 1"]
        assert moves(TURN1, "9S 7H 6S | TD | 8C | 7D") == ["T0 T2 2", "T0 T3 1", "T3 T2 1"]

    def test_a_face_down_card_never_moves(self) -> None:
        """RULINGS: a hidden card is no part of a run, even where it would fit."""
        assert moves(TURN1, "<9S> 8H | TD | 9C") == ["T0 T2 1", "T2 T1 1"]

    def test_empty_columns_never_limit_a_group(self) -> None:
        """RULINGS: a long run moves without a space to help."""
        assert moves(TURN1, "<2D> QH JS TH 9S 8H 7S | KC") == ["T0 T1 6"]


class TestSpaces:
    """What goes into an empty column."""

    @pytest.mark.parametrize("sheet", [ARABELLA, TURN1, ROYAL])
    def test_kings_only(self, sheet: RuleSheet) -> None:
        """Pantagruel, Law 3, and Arabella: only a King or a run headed by one."""
        suited = sheet is ARABELLA
        assert "W T1 1" in moves(sheet, "2H 5S | -", waste="KH")
        assert "W T1 1" not in moves(sheet, "2H 5S | -", waste="QH")
        columns = "2H KS QS JS | -" if suited else "2H KS QH JS | -"
        assert moves(sheet, columns) == ["T0 T1 3"]
        mixed = "2H KS QH JH | -" if suited else "2H KS QH JD | -"
        assert moves(sheet, mixed) == []

    def test_san_juan_hill_takes_any_single_card(self) -> None:
        """San Juan Hill: any single card may be moved to an empty pile."""
        assert moves(SAN_JUAN, "5S 4S | -", waste="9H", up="S1") == ["T0 T1 1", "W T1 1"]

    def test_big_bertha_takes_any_part_of_a_run(self) -> None:
        """Big Bertha: any card or group, as long as the player likes, also from the reserve."""
        expected = ["R1 T1 1", "T0 T1 1", "T0 T1 2", "T0 T1 3"]
        assert moves(BERTHA, "2C 9S 8H 7S | -", reserve="- 4H") == expected

    def test_a_king_headed_group_never_moves_where_kings_leave(self) -> None:
        """RULINGS, Big Bertha: a King is never played to the tableau, nor a group it heads."""
        assert moves(BERTHA, "KS QH JS | -") == ["T0 T1 1", "T0 T1 2"]

    @pytest.mark.parametrize("sheet", [SAN_JUAN, BERTHA, ARABELLA, TURN3])
    def test_renaming_is_no_move(self, sheet: RuleSheet) -> None:
        """RULINGS: a whole pile into an empty column changes nothing but names."""
        single = "QS" if sheet is BERTHA else "KS"
        assert moves(sheet, f"{single} | -", up="S1") == []
        if sheet in (ARABELLA, TURN3):
            run = "KS QS JS" if sheet is ARABELLA else "KS QH JS"
            assert moves(sheet, f"- | {run}") == []
        if sheet is BERTHA:
            assert moves(sheet, "QH JS TH | -") == ["T0 T1 1", "T0 T1 2"]

    def test_only_the_leftmost_space_is_a_target(self) -> None:
        """RULINGS: of several empty columns only the leftmost."""
        assert moves(SAN_JUAN, "5S 9H | - | - | 3D", waste="4C", up="S1") == ["T0 T1 1", "W T1 1"]
        back = ["FS T0 1"]
        assert moves(TURN1, "- | - | 2H 3H", up="S13") == back


class TestKingsLeave:
    """Big Bertha's Kings leave by themselves."""

    def test_from_the_deal(self) -> None:
        """Tops and reserve Kings leave with the deal, and those under them in turn."""
        sheet, _ = board(BERTHA, "- | - | -")
        kings = ["KS", "KH", "KD", "KC"] * 2
        others = [rank + suit for suit in "SHDC" for rank in "A23456789TJQ"] * 2
        on_top, buried, reserved = kings[:2], kings[2:4], kings[4:]
        at = deal(sheet, others[:28] + on_top + buried + others[28:86] + reserved + others[86:])
        assert at["kings"] == len(on_top) + len(reserved)
        assert [len(column) for column in at["tableau"]] == [28, 30, 30]
        assert at["reserve"] == [None] * 4 + others[86:]

    def test_a_chain_leaves_with_the_move_that_frees_it(self) -> None:
        """Every King laid bare goes, one after another, with one move and no points."""
        table = played(BERTHA, "2S KH KS 5D | 6C 2D", ("T0", "F", 1), up="D4 S3 C3", kings=3)
        assert table.at["tableau"] == [["2S"], ["6C", "2D"]]
        assert (table.at["kings"], table.score, table.moves, table.streak) == (5, 10, 1, 1)
        assert table.foundation_cards == 11 + 5

    def test_a_tableau_move_that_frees_a_king_counts_it(self) -> None:
        """A King that leaves is a foundation card of its own: the reward, not the ledger's."""
        table = game(BERTHA, "2S KH 5D | 6C")
        assert table.play(("T0", "T1", 1)) == 1.0
        assert (table.score, table.idle) == (0, 0)

    def test_kings_never_go_on_a_queens_foundation(self) -> None:
        """The foundations end with the Queen."""
        assert moves(BERTHA, "KS 2H | 4H", up="S12") == []


class TestFoundations:
    """Up in suit, one a deck; back only where the text says so."""

    def test_up_in_suit_from_the_ace(self) -> None:
        """A card goes on the next lower rank of its suit; Aces on an empty foundation."""
        columns = "AS | 3H | 4H | 6D"
        assert moves(TURN3, columns, up="H2 S7") == ["T0 F 1", "T1 F 1"]

    def test_any_twin_will_do_and_the_tallest_stands_first(self) -> None:
        """RULINGS: the first pile of height r - 1; heights are kept tallest first."""
        table = played(TURN3, "3H | 6D", ("T0", "F", 1), up="H2 H2")
        assert table.at["foundations"]["H"] == [3, 2]
        table = played(ARABELLA, "3H | 6D", ("T0", "F", 1), up="H9 H2 H1")
        assert table.at["foundations"]["H"] == [9, 3, 1]

    def test_last_twins_go_up_too(self) -> None:
        """The second pile of a suit is completed like the first."""
        assert moves(TURN3, "KH | 6D", up="H13 H12") == ["T0 F 1"]

    def test_take_back_where_it_fits(self) -> None:
        """Pantagruel 2.9: the top of either foundation of a suit may return where it fits."""
        listed = moves(TURN3, "8S | 4C | 9H | 3D", up="H7 H3 S8 S1", stock="2C")
        assert listed[:3] == ["FH T0 1", "FH T1 1", "FS T2 1"]
        assert listed[3:] == ["T0 T2 1", "T3 T1 1", "stock W 1"]

    def test_a_taken_back_card_leaves_its_own_pile(self) -> None:
        """The column's top says which rank comes back."""
        table = played(TURN3, "8S | 4C", ("FH", "T1", 1), up="H7 H3")
        assert table.at["foundations"]["H"] == [7, 2]
        assert table.at["tableau"][1] == ["4C", "3H"]

    def test_a_king_comes_back_into_a_space(self) -> None:
        """RULINGS, Kings only: from tableau, waste or foundation."""
        table = played(TURN1, "5S | -", ("FC", "T1", 1), up="C13")
        assert table.at["tableau"][1] == ["KC"]
        assert table.at["foundations"]["C"] == [12, 0]

    @pytest.mark.parametrize("sheet", [ARABELLA, SAN_JUAN, BERTHA, ROYAL])
    def test_no_take_back_elsewhere(self, sheet: RuleSheet) -> None:
        """RULINGS: foundation to tableau only in Turn-1, Turn-3 and Tournament."""
        assert moves(sheet, "8S | 8S | 8S", up="H7 S7 S1") == ["T0 F 1", "T1 F 1", "T2 F 1"]


class TestStock:
    """Draws, passes and redeals."""

    def test_draw_one_and_three(self) -> None:
        """Pantagruel, Law 4: one card, or three of which the last is on top."""
        assert played(TURN1, "5S", DRAW1, stock="2S 3S 4S").at["waste"] == ["4S"]
        table = played(TURN3, "5S", ("stock", "W", 3), stock="9S 2S 3S 4S")
        assert (table.at["waste"], table.at["stock"]) == (["4S", "3S", "2S"], ["9S"])

    @pytest.mark.parametrize("left", [1, 2, 3])
    def test_the_last_draw_takes_what_is_left(self, left: int) -> None:
        """RULINGS: even 1 or 2 cards."""
        stock = " ".join(["2S", "3S", "4S"][:left])
        assert moves(TURN3, "5C", stock=stock) == [f"stock W {left}"]

    def test_drawing_is_always_allowed(self) -> None:
        """RULINGS: texts that say "when no more moves are available" advise the player."""
        assert "stock W 1" in moves(SAN_JUAN, "2S | 5D", stock="3C", up="S1")

    def test_redeal_needs_an_empty_stock_a_waste_and_a_pass(self) -> None:
        """RULINGS, Redeal."""
        assert moves(TURN3, "5C", stock="9S", waste="KS") == ["stock W 1"]
        assert moves(TURN3, "5C", waste="KS 9S") == ["stock redeal 2"]
        assert moves(TURN3, "5C") == []
        assert moves(SAN_JUAN, "5C", waste="KS 9S", up="S1") == []
        assert moves(BERTHA, "5C") == []

    @pytest.mark.parametrize(("sheet", "passes"), [(ROYAL, 3), (TOURNAMENT, 4)])
    def test_passes(self, sheet: RuleSheet, passes: int) -> None:
        """RULINGS, Passes: Royal has 3 (2 redeals), Tournament 4 (3 redeals)."""
        again = ["stock redeal 2"]
        assert moves(sheet, "5C", waste="KS 9S", passes=passes - 1) == again
        assert moves(sheet, "5C", waste="KS 9S", passes=passes) == []

    @pytest.mark.parametrize("passes", [1, 2, 99])
    def test_turn_1_and_turn_3_redeal_without_end(self, passes: int) -> None:
        """RULINGS, Passes: unlimited."""
        assert moves(TURN1, "5C", waste="KS 9S", passes=passes) == ["stock redeal 2"]

    def test_a_redeal_turns_the_waste_over(self) -> None:
        """The same order as before, nothing drawn, a pass begun."""
        table = played(TURN1, "5C", ("stock", "redeal", 3), waste="4S 3S 2S")
        assert (table.at["stock"], table.at["waste"]) == (["2S", "3S", "4S"], [])
        assert (table.at["passes"], table.moves, table.score) == (2, 1, -20)

    def test_redeals_left(self) -> None:
        """DESIGN: -1 unlimited; 0 without a stock."""
        at_passes = [(TURN1, 7), (ROYAL, 1), (TOURNAMENT, 3), (SAN_JUAN, 1), (BERTHA, 1)]
        left = [
            game(sheet, "5C", passes=passes).counters()["redeals_left"]
            for sheet, passes in at_passes
        ]
        assert left == [-1, 2, 1, 0, 0]
