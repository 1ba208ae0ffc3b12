"""What the engine says and refuses, in little time: see `test_engine_plain.py`."""

import pickle
from typing import Any

import numpy as np
import pytest

from solitaire_env import VARIANTS
from solitaire_env.engine.batch import random_action
from solitaire_env.engine.compile import JIT
from solitaire_env.engine.generator import below, next_deal
from solitaire_env.engine.moves import take_from_cell, take_from_waste
from solitaire_env.engine.position import PositionError
from solitaire_env.engine.state import Outcome, public_fields
from tests.helpers import ending
from tests.player import ROW, Player, san_juan_hill_jam

pytestmark = pytest.mark.jit_off

without_compiler = pytest.mark.skipif(JIT, reason="calls kernels alone: needs NUMBA_DISABLE_JIT=1")


def test_fields_cover_the_observation() -> None:
    """Every byte of an observation belongs to one field, in order."""
    player = Player("big-bertha")
    fields = public_fields(player.rules).values()
    assert [field.slice.start for field in fields] == [
        0,
        *(field.slice.stop for field in fields),
    ][:-1]
    assert [*fields][-1].slice.stop == player.observation.shape[1]
    assert all(np.prod(f.shape) == f.slice.stop - f.slice.start for f in fields)


def test_outcomes_and_rules_have_stable_forms() -> None:
    """An outcome's word is its name; lowered rules survive a pickle."""
    assert [outcome.label for outcome in Outcome][:3] == ["none", "won", "stuck"]
    rules = Player("arabella").rules
    assert pickle.loads(pickle.dumps(rules)) == rules


def unmix(word: int) -> int:
    """Undo the generator's mixing, so that a test can choose what is drawn next."""
    for shift, factor in ((31, 0x94D049BB133111EB), (27, 0xBF58476D1CE4E5B9), (30, 1)):
        whole = word
        for _ in range(3):
            whole = word ^ (whole >> shift)
        word = whole * pow(factor, -1, 2**64) % 2**64
    return word


def set_next_word(player: Player, word: int) -> None:
    """Make the game's generator draw this word next."""
    player.game.random = np.uint64((unmix(word) - 0x9E3779B97F4A7C15) % 2**64)


@without_compiler
def test_the_generator_refuses_what_would_bias() -> None:
    """A word outside an even share is drawn again, as is a deal kept for evaluation."""
    player = Player("arabella").deal(0)
    set_next_word(player, 0)
    assert below(player.game, 3) in (0, 1, 2)
    assert player.game.random != np.uint64(0)
    set_next_word(player, 2**64 - 1)
    assert next_deal(player.game) >= 1_000_000
    set_next_word(player, 0)
    assert next_deal(player.game) == 1_000_000


@without_compiler
def test_kernels_answer_for_piles_that_a_game_lacks() -> None:
    """What one game compiles away still has an answer: no card, action 0."""
    stockless, reserveless = Player("big-bertha").deal(0), Player("arabella").deal(0)
    assert take_from_waste(stockless.rules, stockless.game) == 0
    assert take_from_cell(reserveless.rules, reserveless.game, 0) == 0
    reserveless.game.legal = 0
    assert random_action(reserveless.game) == 0


REFUSED = [
    ({"tableau": [], "foundations": {}}, "tableau has 0 piles"),
    (["QH"], "a position is a dict"),
    (ending(VARIANTS["san-juan-hill"], [["10S"]]), "T0: '10S' is no card"),
    (ending(VARIANTS["san-juan-hill"], [["KS"]]) | {"waste": ["KS", "KS"]}, "KS"),
    (ending(VARIANTS["san-juan-hill"], []), "the game is won"),
]


@pytest.mark.parametrize(("position", "reason"), REFUSED)
def test_impossible_positions_are_refused(position: Any, reason: str) -> None:
    """The message says what is wrong, and the game goes on unchanged."""
    player = Player("san-juan-hill").deal(1)
    before = player.table.snapshot(ROW)
    with pytest.raises(PositionError, match=reason):
        player.lay(position)
    assert np.array_equal(player.table.snapshot(ROW), before)


def test_a_stuck_position_is_refused() -> None:
    """An episode needs a first move."""
    jam = {**san_juan_hill_jam(["JH", "JD"]), "stock": [], "waste": ["JD", "JH"]}
    with pytest.raises(PositionError, match="no move is legal"):
        Player("san-juan-hill").lay(jam)


def test_kernels_are_looked_up_by_their_own_names() -> None:
    """A private name is no kernel, so that copying and pickling ask in vain."""
    assert not hasattr(Player("arabella").table.kernels, "__wrapped__")


NOT_LEGAL = [
    (("X", "T0", 1), "there is no source 'X'"),
    (("R1", "F", 1), "R1 holds no card"),
    (("R0", "T9", 1), "QC of R0 goes R0 -> T2, R0 -> F now"),
]


@pytest.mark.parametrize(("move", "reason"), NOT_LEGAL)
def test_a_move_that_is_not_legal_is_refused_with_the_reason(
    move: tuple[str, str, int], reason: str
) -> None:
    """The message says what the source could do instead."""
    position = ending(VARIANTS["big-bertha"], [["QH"], ["QD"]], reserve=["QC", *[None] * 13])
    player = Player("big-bertha").lay(position)
    with pytest.raises(ValueError, match=reason):
        player.play(*move)


def test_the_reasons_of_a_stock_game() -> None:
    """Foundations, waste and stock are named by what they offer, and so is the end."""
    player = Player("pantagruel-turn1").lay(
        ending(VARIANTS["pantagruel-turn1"], [["KH"], ["<QS>", "KS"]], waste=["QH"])
    )
    refusals = {
        ("FS", "T1"): "KS/JS of FS goes FS -> T2 now",
        ("T1", "T0"): "KS of T1 goes T1 -> T2 now",
        ("W", "T0"): "QH of W goes W -> T1, W -> F now",
        ("stock", "W"): "the stock of stock goes stock -> redeal now",
    }
    for (source, target), reason in refusals.items():
        with pytest.raises(ValueError, match=reason):
            player.play(source, target)
    player.play("W", "F")
    with pytest.raises(ValueError, match="stock holds no card"):
        player.play("stock", "W")
    player.play("T0", "F")
    player.play("T1", "T0")
    player.play("T1", "F")
    player.play("T0", "F")
    with pytest.raises(ValueError, match="the game is over"):
        player.play("T1", "F")
