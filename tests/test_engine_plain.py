"""The engine's moves in little time, so that they can run without the compiler.

`make coverage` runs the tests marked `jit_off` with NUMBA_DISABLE_JIT=1, where coverage can see
into kernels. What the rules are is tested elsewhere, at length; here each line runs and each result
is checked.
"""

import pickle
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from solitaire_env import VARIANTS, RuleSheet
from solitaire_env.engine.actions import legal_actions
from solitaire_env.engine.compile import JIT
from solitaire_env.engine.position import PositionError
from solitaire_env.engine.settings import Illegal, Observability, Reward, settings_record
from solitaire_env.engine.state import Outcome
from solitaire_env.engine.table import Table
from solitaire_env.rulesheet import Stock
from tests.helpers import ending, every_variant
from tests.player import ROW, Player

pytestmark = pytest.mark.jit_off
without_compiler = pytest.mark.skipif(JIT, reason="for coverage: needs NUMBA_DISABLE_JIT=1")


def cards_in(position: dict[str, Any], sheet: RuleSheet) -> int:
    """Count the cards of a position."""
    piles = [*position["tableau"], position["stock"], position["waste"]]
    reserve = sum(card is not None for card in position["reserve"])
    heights = sum(sum(tops) for tops in position["foundations"].values())
    return sum(map(len, piles)) + reserve + heights + position["kings"]


@every_variant
def test_random_play_keeps_cards_and_mask(name: str) -> None:
    """No card is lost, and each mask is that of the position laid out afresh."""
    sheet = VARIANTS[name]
    player = Player(name, reward=int(Reward.LEDGER), streaks=1).deal(7)
    rng = np.random.default_rng(0)
    for _ in range(40):
        player.act(int(rng.choice(legal_actions(player.game))))
        position = player.table.position(0)
        assert cards_in(position, sheet) == sheet.cards
        if player.outcome != Outcome.NONE:
            break
        again = Player(name).lay(position)
        assert legal_actions(again.game) == legal_actions(player.game)


@pytest.mark.parametrize("name", ["san-juan-hill"] if JIT else VARIANTS)  # compiling it takes long
def test_the_engines_own_random_play(name: str) -> None:
    """Games go on through automatic deals, and what is shown belongs to the game in play."""
    settings = settings_record(no_progress_limit=5, seconds_per_move=2.0, max_episode_steps=15)
    table = Table(VARIANTS[name], 2, settings)
    rows = np.arange(2)
    table.seed(rows, [1, 2**70])
    table.deal(rows, np.array([-1, -1]))
    observations, masks = table.new_outputs()
    out = (np.zeros(2, np.int64), observations, masks, np.zeros(2))
    table.kernels.random_steps(table.rules, table.games, settings, 0, 2, 40, *out)
    shown, now = table.new_outputs()
    table.show(rows, shown, now, table.new_told())
    assert np.array_equal(shown, observations)
    assert np.array_equal(now, masks)
    assert (table.games.deal >= 1_000_000).all()
    assert (table.games.moves < 15).all()


@every_variant
def test_full_observation_shows_hidden_cards(name: str) -> None:
    """The player sees the same bytes, but for the cards that "full" shows."""
    player = Player(name).deal(3)
    full = Player(name, observability=int(Observability.FULL)).deal(3)
    for shown in (player, full):
        shown.table.show(ROW, shown.observation, shown.mask, shown.table.new_told())
    hidden = player.observation == 53
    assert np.array_equal(player.observation[~hidden], full.observation[~hidden])
    assert not (full.observation[hidden] == 53).any()
    assert hidden.sum() == player.game.hidden.sum() + player.game.stock_height


@every_variant
def test_determinize_keeps_what_is_seen(name: str) -> None:
    """The same cards lie there, those that were seen in their places."""
    player = Player(name).deal(5)
    position, other = player.table.position(0), player.table.determinize(0, 9)
    assert Counter(map(str.strip, str(other))) == Counter(map(str.strip, str(position)))
    assert (other == position) == (not position["stock"])
    assert [column[-1] for column in other["tableau"]] == [
        column[-1] for column in position["tableau"]
    ]


def talon_position(**rest: Any) -> dict[str, Any]:
    """Give a Pantagruel position: QH and KH on the table, the Kings of spades elsewhere."""
    return ending(VARIANTS["pantagruel-turn1"], [["QH"], ["KH"]], **rest)


def test_determinize_leaves_a_stock_once_seen() -> None:
    """After a redeal the order of the stock is known."""
    position = talon_position(stock=["KS", "KS"], waste=[], passes=2)
    player = Player("pantagruel-turn1").lay(position)
    assert player.table.determinize(0, 1) == player.table.position(0)


def test_draw_redeal_and_take_back() -> None:
    """The stock turns over in order; a foundation's card comes back and goes up again."""
    player = Player("pantagruel-turn1", reward=int(Reward.LEDGER))
    player.lay(talon_position(stock=["KS", "KS"]))
    assert player.play("stock", "W") == 0
    assert player.play("W", "T2") == 5
    assert player.play("T0", "T2") == 0
    assert player.table.position(0)["tableau"][2] == ["KS", "QH"]
    assert player.play("stock", "W") == 0
    assert player.play("stock", "redeal") == -20
    assert player.table.position(0)["stock"] == ["KS"]
    assert player.play("stock", "W") == 0
    assert player.play("W", "T0") == 5
    assert player.play("FS", "T1") == -15
    assert player.table.position(0)["tableau"][1] == ["KH", "QS"]
    assert player.play("T1", "F") == 10
    assert player.game.longest_streak == 0


def test_take_back_a_king_into_a_space() -> None:
    """An empty column takes the King of a complete foundation."""
    player = Player("pantagruel-turn1").lay(talon_position(stock=["KS", "KS"]))
    assert player.play("FC", "T2") == -1
    assert player.table.position(0)["tableau"][2] == ["KC"]


def test_runs_headed_by_a_king_fill_spaces() -> None:
    """Only the part of a column that a King heads goes into a space."""
    piles: list[list[str]] = [[] for _ in range(13)]
    piles[2], piles[3], piles[4], piles[12] = ["QD", "KH", "QH"], ["KS"], ["KC"], ["QC", "KD"]
    player = Player("arabella").lay(ending(VARIANTS["arabella"], piles))
    into_space = [move for move in player.moves() if "-> T0" in move]
    assert into_space == ["T2 -> T0 (2)", "T12 -> T0"]
    player.play("T2", "T0", 2)
    assert player.table.position(0)["tableau"][0] == ["KH", "QH"]


def test_kings_leave_and_groups_fill_spaces() -> None:
    """A freed King goes by itself; a space takes as much of a run as is wanted."""
    piles = [[], ["KS", "QH"], ["QD", "JS", "TD"], ["QS", "JD"]]
    reserve = ["QC", *[None] * 13]
    player = Player("big-bertha").lay(ending(VARIANTS["big-bertha"], piles, reserve=reserve))
    assert player.play("T1", "T0") == 1
    assert player.game.kings == 8
    assert [m for m in player.moves() if m.startswith("T2 -> T1")] == ["T2 -> T1", "T2 -> T1 (2)"]
    player.play("T2", "T1", 2)
    assert player.play("R0", "T4") == 0
    columns = player.table.position(0)["tableau"]
    assert columns[:5] == [["QH"], ["JS", "TD"], ["QD"], ["QS", "JD"], ["QC"]]


def test_a_fresh_deal_of_big_bertha_shows_no_king() -> None:
    """Kings on top and in the reserve are gone before the first move."""
    player = Player("big-bertha").deal(1)
    position = player.table.position(0)
    tops = [column[-1] for column in position["tableau"]] + position["reserve"]
    assert position["kings"] == position["reserve"].count(None) + sum(
        6 - len(column) for column in position["tableau"]
    )
    assert not any(top and top.startswith("K") for top in tops)


def test_streaks_earn_more() -> None:
    """The n-th foundation move in a row earns n - 1 points on top."""
    sheet = VARIANTS["pantagruel-royal"]
    piles = [["KS"], ["QS"], ["KH"]]
    player = Player("pantagruel-royal", reward=int(Reward.LEDGER), streaks=1, seconds_per_move=1e3)
    player.lay(ending(sheet, piles))
    assert [player.play(source, "F") for source in ("T1", "T0", "T2")] == [10, 11, 12]
    assert player.game.longest_streak == 3


def test_uncovering_earns_points() -> None:
    """A face-down card that becomes the top is turned up."""
    sheet = VARIANTS["pantagruel-turn3"]
    player = Player("pantagruel-turn3", reward=int(Reward.LEDGER))
    player.lay(ending(sheet, [["QS"], ["<KD>", "KS"]]))
    player.play("T0", "F")
    assert player.play("T1", "F") == 20
    assert player.table.position(0)["tableau"][1] == ["KD"]


def test_redeals_are_counted() -> None:
    """Three passes are two redeals; then the waste stays."""
    royal = VARIANTS["pantagruel-royal"]
    player = Player(royal.name).lay(ending(royal, [["KH"]], waste=["KS"]))
    for left in (1, 0):
        player.play("stock", "redeal")
        assert player.game.redeals_left == left
        player.play("stock", "W")
    assert player.game.passes == 3
    assert player.moves() == ["T0 -> F", "W -> T1", "W -> F"]


def test_illegal_actions_do_nothing_or_end() -> None:
    """An illegal action costs its penalty; under "terminate" it ends the game too."""
    player = Player("san-juan-hill", illegal_penalty=0.5).deal(2)
    illegal = int(np.argmin(player.table.legal(ROW)[0]))
    assert player.act(illegal) == -0.5
    assert player.game.moves == 0
    strict = Player("san-juan-hill", illegal=int(Illegal.TERMINATE)).deal(2)
    strict.act(illegal)
    assert strict.outcome == Outcome.ILLEGAL
    assert strict.ended == (True, False)


def test_a_row_resets_within_a_step() -> None:
    """A row that is told to reset deals anew and ignores its action."""
    player = Player("arabella").deal(2)
    flags = np.zeros((4, 1), np.bool_)
    flags[3] = True
    out = (player.observation, player.mask, np.ones(1), *flags[:3], player.table.new_told())
    player.table.step(ROW, flags[3], (0, 1), *out)
    assert player.game.deal >= 1_000_000
    assert out[2][0] == 0


def test_copies_continue_alike() -> None:
    """A snapshot and a pickled table play on as the first one does."""
    player = Player("pantagruel-turn3").deal(4)
    copy = pickle.loads(pickle.dumps(player.table))
    state = player.table.snapshot(ROW)
    player.act(player.rules.stock_action)
    assert copy.position(0) != player.table.position(0)
    player.table.restore(ROW, state)
    assert copy.position(0) == player.table.position(0)
    with pytest.raises(ValueError, match="another game than pantagruel-turn1"):
        Player("pantagruel-turn1").table.restore(ROW, state)


@without_compiler
def test_a_sheet_of_four_ranks_counts_its_own_king() -> None:
    """A tiny game's highest rank is its King, in a space as elsewhere."""
    full = VARIANTS["pantagruel-royal"]
    tiny = replace(
        full,
        name="tiny",
        decks=1,
        suits=2,
        ranks=4,
        tableau=replace(full.tableau, piles=2),
        stock=replace(full.stock, draw=1),
    )
    player = Player("tiny", tiny).lay(ending(tiny, [[], ["<3H>", "4S"]], stock=["4H"]))
    assert player.moves() == ["T1 -> T0", "T1 -> F", "stock -> W"]


@without_compiler
def test_kings_leave_from_the_waste_too() -> None:
    """Where Kings leave by themselves, one that is drawn goes, and the card below is free."""
    bertha = VARIANTS["big-bertha"]
    tableau = replace(bertha.tableau, rows=5)
    sheet = replace(bertha, name="drawn", tableau=tableau, stock=Stock(draw=3, redeals=1))
    player = Player("drawn", sheet).lay(
        ending(sheet, [["QH", "JH"]], stock=["KS", "QS", "QC", "KH"][::-1])
    )
    assert player.play("stock", "W", 3) == 0
    assert player.table.position(0)["waste"][-1] == "QC"
    assert player.play("stock", "W", 1) == 1
    with pytest.raises(PositionError, match="KS is available on waste"):
        player.lay(ending(sheet, [["QH"]], waste=["KS"]))


def test_the_doors_of_a_single_game_do_what_the_batchs_do() -> None:
    """Dealing and stepping the first row alone shows and returns the same, legal or not."""
    alone, batch = Player("pantagruel-turn1"), Player("pantagruel-turn1").deal(4)
    observation, mask = alone.table.deal_alone(4)
    assert np.array_equal(mask, batch.table.legal(ROW)[0])
    for nth in range(20):
        legal = np.flatnonzero(mask)
        action = int(legal[nth % len(legal)]) if nth % 5 else int(np.argmin(mask))
        observation, mask, (reward, *ended, illegal) = alone.table.step_alone(action)
        assert reward == batch.act(action)
        assert tuple(ended) == batch.ended
        assert illegal == (nth % 5 == 0)
        assert np.array_equal(observation, batch.observation[0])
        assert np.array_equal(mask, batch.mask[0])
        assert np.array_equal(alone.table.snapshot(ROW), batch.table.snapshot(ROW))
