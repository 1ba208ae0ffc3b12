"""How games end, in little time: see `test_engine_plain.py`."""

from typing import Any

import pytest

from solitaire_env import VARIANTS
from solitaire_env.engine.settings import Reward
from solitaire_env.engine.state import Outcome
from tests.helpers import ending
from tests.player import ROW, Player, san_juan_hill_jam
from tests.tiny_games import TINY_MEDLEY

pytestmark = pytest.mark.jit_off


LAST_MOVES = {
    "column": ("pantagruel-royal", {}, "T0"),
    "waste": ("pantagruel-royal", {"waste": ["KS"]}, "W"),
    "reserve": ("big-bertha", {"reserve": ["QS", *[None] * 13]}, "R0"),
}


@pytest.mark.parametrize("kind", LAST_MOVES)
def test_won_by_every_kind_of_last_move(kind: str) -> None:
    """The winning step terminates, earns its reward, and leaves no move."""
    name, rest, source = LAST_MOVES[kind]
    piles = [] if rest else [["KS"]]
    player = Player(name, reward=int(Reward.WIN), streaks=1).lay(
        ending(VARIANTS[name], piles, **rest)
    )
    assert player.play(source, "F") == 1.0
    assert player.outcome == Outcome.WON
    assert player.ended == (True, False)
    assert player.game.score == 10 + 598
    assert not player.mask.any()


def royal_jam(stock: list[str], waste: list[str]) -> dict[str, Any]:
    """Bury what is wanted face down under Kings and a Jack, but for the talon."""
    buried = [rank + suit for rank in "TJQ" for suit in "SHDC" for _ in range(2)]
    for card in ["JS", *stock, *waste]:
        buried.remove(card)
    tops = [*("K" + suit for suit in "SHDC" for _ in range(2)), "JS"]
    columns = [[f"<{buried.pop()}>" for _ in range(min(pile, len(buried)))] for pile in range(9)]
    assert not buried
    jam = [[*column, top] for column, top in zip(columns, tops, strict=True)]
    return ending(VARIANTS["pantagruel-royal"], jam, stock=stock, waste=waste)


def test_stuck_when_the_last_draw_brings_nothing() -> None:
    """No legal move at all is stuck, and terminates."""
    player = Player("san-juan-hill").lay(san_juan_hill_jam(["JH", "JD"]))
    assert player.moves() == ["stock -> W"]
    player.play("stock", "W")
    assert player.outcome == Outcome.DEAD
    last = Player("san-juan-hill").lay(
        {**san_juan_hill_jam(["JH", "JD"]), "stock": ["JH"], "waste": ["JD"]}
    )
    last.play("stock", "W")
    assert last.outcome == Outcome.STUCK
    assert last.ended == (True, False)


DEAD = [
    # stock, waste, whether the game is dead after the next draw
    (["JD", "JH", "JC"], [], True),
    (["TS", "JD", "JH", "JC"], [], False),
    (["JD", "TS", "JC"], ["JH"], False),
    (["JD", "JD", "JC", "JH", "JH", "JC"], [], True),
    (["TS", "JD", "JC", "JH", "JH", "JC"], [], False),
    (["JD", "JH", "JC"], ["JH", "JD", "TS", "JC"], False),
]


@pytest.mark.parametrize(("stock", "waste", "dead"), DEAD)
def test_dead_looks_at_every_card_that_can_still_show(
    stock: list[str], waste: list[str], dead: bool
) -> None:
    """Draws of this pass count, and those of a whole pass if a redeal is left."""
    player = Player("pantagruel-royal").lay(royal_jam(stock, waste))
    assert player.moves() == ["stock -> W (3)"]
    player.play("stock", "W", 3)
    assert (player.outcome == Outcome.DEAD) == dead
    assert player.ended == (dead, False)


@pytest.mark.parametrize(("second", "last", "dead"), [("KS", "QS", True), ("QS", "KS", False)])
def test_a_space_helps_only_what_may_go_there(second: str, last: str, dead: bool) -> None:
    """With an empty column the game lives as long as a King can still show."""
    royal = VARIANTS["pantagruel-royal"]
    player = Player(royal.name).lay(
        ending(royal, [["KS"], [second]], stock=[last, "QS", "JS", "JS"])
    )
    player.play("stock", "W", 3)
    assert (player.outcome == Outcome.DEAD) == dead


def test_no_progress_truncates() -> None:
    """Steps that change nothing for good are cut, and the game does not count as ended."""
    sheet = VARIANTS["san-juan-hill"]
    player = Player("san-juan-hill", no_progress_limit=2).lay(ending(sheet, [["KS", "QS"]]))
    player.play("T0", "T1")
    player.play("T1", "T0")
    assert player.outcome == Outcome.NO_PROGRESS
    assert player.ended == (False, True)
    assert player.table.is_over(ROW).tolist() == [True]


def test_a_king_that_will_leave_the_waste_is_a_change() -> None:
    """Not dead while a draw can bring a King that leaves by itself: the card below may be played.

    Found by a comparison with the reference at length; the last draw shows 2H, which goes up.
    """
    stock = "6S 5C 5H 3H 4D 2D 3C 6D 5D 3D 6H 2S 5S 3H 5S 6H 5D 4H 4S 2S"
    position = {
        "tableau": [
            ["4S"],
            ["5C", "4H", "3S"],
            ["<2C>", "<6D>", "4C"],
            ["<3C>", "4C"],
            ["<3D>", "<2H>", "<2C>", "<4D>", "3S"],
        ],
        "reserve": ["5H", None, None],
        "foundations": {"S": [1, 1], "H": [2, 1], "D": [2, 1], "C": [1, 1]},
        "kings": 3,
        "stock": stock.split(),
        "waste": [],
        "passes": 1,
    }
    player = Player("tiny-medley", TINY_MEDLEY).lay({"variant": "tiny-medley", **position})
    assert player.moves() == ["stock -> W (2)"]
    player.play("stock", "W", 2)
    assert player.outcome == Outcome.NONE


def test_the_step_limit_truncates() -> None:
    """The last step that is allowed ends the episode, and no outcome is told."""
    player = Player("san-juan-hill", max_episode_steps=2).deal(1)
    for over in (False, True):
        player.play("stock", "W")
        assert player.ended == (False, over)
        assert player.table.is_over(ROW).tolist() == [over]
    assert player.outcome == Outcome.NONE
