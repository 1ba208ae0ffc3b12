"""The reference's check of given positions, one impossible position a rule."""

import random
from collections.abc import Callable

import pytest

from solitaire_env.rulesheet import RuleSheet
from solitaire_env.variants import VARIANTS

from .reference.boards import board
from .reference.cards import pack
from .reference.check import column_faults, king_faults, pass_faults, refusal
from .reference.game import ReferenceGame, deal

SAN_JUAN = VARIANTS["san-juan-hill"]
BERTHA = VARIANTS["big-bertha"]
ROYAL = VARIANTS["pantagruel-royal"]
TURN3 = VARIANTS["pantagruel-turn3"]
ARABELLA = VARIANTS["arabella"]


def fresh(sheet: RuleSheet, seed: int = 1) -> dict:
    """Deal a game that has a legal move."""
    cards = pack(sheet)
    random.Random(seed).shuffle(cards)
    return deal(sheet, cards)


def refused(sheet: RuleSheet, change: Callable[[dict], object]) -> str | None:
    """Change a fresh deal and ask why it is refused."""
    at = fresh(sheet)
    change(at)
    return refusal(sheet, at)


@pytest.mark.parametrize("name", VARIANTS)
def test_positions_of_play_are_accepted(name: str) -> None:
    """Every position that play reaches is possible, to the end of the game."""
    rng = random.Random(name)
    sheet = VARIANTS[name]
    game = ReferenceGame(sheet, fresh(sheet), no_progress_limit=10**9)
    for _ in range(150):
        assert refusal(sheet, game.position()) is None
        game.play(rng.choice(game.legal_moves()))
        if game.outcome:
            break


def test_census() -> None:
    """Every card of the pack is there as often as there are decks."""
    assert "copies" in refused(SAN_JUAN, lambda at: at["stock"].pop())
    assert "copies" in refused(SAN_JUAN, lambda at: at["stock"].append("5S"))
    assert "copies" in refused(SAN_JUAN, lambda at: at["foundations"].update(S=[2, 1]))
    swap = "KS" if fresh(TURN3)["stock"][0] != "KS" else "QS"
    assert "copies" in refused(TURN3, lambda at: at["stock"].__setitem__(0, swap))


def test_kings_that_left_are_counted() -> None:
    """Big Bertha: Kings elsewhere and Kings that left make eight."""
    assert "Kings" in refused(BERTHA, lambda at: at.update(kings=at["kings"] + 1))
    assert "Kings" in refused(TURN3, lambda at: at.update(kings=1))


def test_foundations_are_sorted_and_in_reach() -> None:
    """Tallest first, one a deck, no higher than the last rank."""
    assert "tallest" in refused(ARABELLA, lambda at: at["foundations"].update(S=[0, 1, 0]))
    assert "of S" in refused(ARABELLA, lambda at: at["foundations"].update(S=[0, 0]))
    assert "reach" in refused(BERTHA, lambda at: at["foundations"].update(S=[13, 0]))
    assert "foundations" in refused(BERTHA, lambda at: at["foundations"].pop("C"))


def test_a_dealt_ace_stays() -> None:
    """San Juan Hill: every foundation holds its Ace."""
    assert "reach" in refused(SAN_JUAN, lambda at: at["foundations"].update(S=[1, 0]))


def test_shape() -> None:
    """As many columns and reserve cells as the game has."""
    assert "columns" in refused(SAN_JUAN, lambda at: at["tableau"].append([]))
    assert "reserve" in refused(SAN_JUAN, lambda at: at["reserve"].append(None))
    assert "reserve" in refused(BERTHA, lambda at: at["reserve"].pop())


@pytest.mark.parametrize(
    ("sheet", "columns", "possible"),
    [
        (SAN_JUAN, "5S 9H 4C 4D", True),
        (SAN_JUAN, "5S 9H 4C 7D 6D", True),
        (SAN_JUAN, "9H 5S", True),
        (SAN_JUAN, "5S 9H 4C 7D 6S", False),
        (SAN_JUAN, "5S 9H 4C 7D 6D 4D", False),
        (ARABELLA, "5S 4H", True),
        (ARABELLA, "5S 9H", False),
        (ARABELLA, "5S | 9H 4S 3D", True),
        (ARABELLA, "5S | 9H 4S 4D", False),
        (TURN3, "5S 4H | <9H> 8S 7D", True),
        (TURN3, "5S 4C", False),
        (TURN3, "5S | 9H 8S 7H 6C", True),
        (TURN3, "5S | 5H | <9H> 8S 2H", False),
    ],
)
def test_columns(sheet: RuleSheet, columns: str, possible: bool) -> None:
    """A prefix no longer than dealt, and one built run on it."""
    cut, at = board(sheet, columns)
    assert (not list(column_faults(cut, at))) == possible


@pytest.mark.parametrize(
    ("columns", "fault"),
    [
        ("<5S> 4H", "more than dealt"),
        ("5H | <9H> <4S> 3H", "more than dealt"),
        ("5H | 9H | <9H> <4S>", "top card"),
        ("5H | 9H | 9H <8S> 7H", "face-up one"),
    ],
)
def test_face_down_cards(columns: str, fault: str) -> None:
    """Face down only where dealt so, below all face-up cards, never a pile's top."""
    cut, at = board(TURN3, columns)
    assert fault in next(column_faults(cut, at))


def test_no_card_is_face_down_where_all_are_dealt_face_up() -> None:
    """San Juan Hill and the others deal every tableau card face up."""
    cut, at = board(SAN_JUAN, "<5S> 4H")
    assert "more than dealt" in next(column_faults(cut, at))


@pytest.mark.parametrize(
    "piles", [{"columns": "5S KH"}, {"columns": "5S", "reserve": "2C KD"}, {"columns": "KS"}]
)
def test_no_king_is_available(piles: dict) -> None:
    """Big Bertha: a King on top of a pile or in the reserve would have left."""
    cut, at = board(BERTHA, **piles)
    assert "would have left" in next(king_faults(cut, at))
    assert not list(king_faults(*board(BERTHA, "KH 5S", reserve="- 2C")))


def test_no_king_was_available() -> None:
    """Big Bertha: six cards are dealt to a column; a card on a sixth that is a King was played."""
    buried, played = fresh(BERTHA), fresh(BERTHA)
    buried["tableau"][0] = ["2S", "2S", "2S", "2S", "KH", "5S"]
    played["tableau"][0] = ["2S", "2S", "2S", "2S", "5S", "KH", "QS"]
    assert not list(king_faults(BERTHA, buried))
    assert "would have left" in next(king_faults(BERTHA, played))


@pytest.mark.parametrize(
    ("sheet", "passes"), [(ROYAL, 4), (ROYAL, 0), (SAN_JUAN, 2), (BERTHA, 2), (TURN3, 0)]
)
def test_passes_are_within_the_limit(sheet: RuleSheet, passes: int) -> None:
    """Royal has three passes, games without a redeal one."""
    assert "pass" in refused(sheet, lambda at: at.update(passes=passes))


def test_allowed_passes() -> None:
    """Royal's third pass, any of Turn-3."""
    assert refused(ROYAL, lambda at: at.update(passes=3)) is None
    assert refused(TURN3, lambda at: at.update(passes=100)) is None


def test_stock_is_no_larger_than_dealt() -> None:
    """Cards of the tableau never come into the stock."""
    assert "more cards" in refused(SAN_JUAN, lambda at: at["stock"].append(at["tableau"][0].pop()))


@pytest.mark.parametrize(
    ("passes", "stock", "played", "possible"),
    [
        (1, 59, 0, True),
        (1, 58, 0, False),
        (1, 56, 0, True),
        (1, 56, 3, True),
        (1, 3, 0, False),
        (1, 2, 0, True),
        (1, 1, 5, False),
        (1, 0, 5, True),
        (2, 58, 1, True),
        (2, 58, 0, False),
        (2, 57, 1, False),
        (2, 57, 2, True),
        (2, 50, 1, True),
        (2, 48, 0, False),
        (2, 47, 0, True),
        (2, 1, 5, True),
    ],
)
def test_draws_of_three(passes: int, stock: int, played: int, possible: bool) -> None:
    """59 cards, less full draws but for the last; of a later pass, 59 or less."""
    at = fresh(TURN3)
    cards = at["stock"][played:]
    piles = {"stock": cards[:stock], "waste": cards[stock:]}
    faults = list(pass_faults(TURN3, {**at, **piles, "passes": passes}))
    assert (not faults) == possible, faults


def test_won_is_refused() -> None:
    """RULINGS, A given position: one already won; but not one a card short of it."""
    spaces = " | ".join("-" * 9)
    up = "S13 S13 H13 H13 D13 D13 C13"
    assert refusal(*board(SAN_JUAN, f"- | {spaces}", up=f"{up} C13")).startswith("won")
    assert refusal(*board(SAN_JUAN, f"KC | {spaces}", up=f"{up} C12")) is None


def test_stuck_is_refused() -> None:
    """RULINGS, A given position: one without a legal move."""
    tops = ["3S", "5S", "7S", "9S", "3H", "5H", "7H", "9H", "3D", "5D"]
    rest = [card for card in pack(SAN_JUAN) if card[0] != "A"]
    for card in [*tops, "7D", "2C"]:
        rest.remove(card)
    columns = [" ".join([*rest[3 * n : 3 * n + 3], top]) for n, top in enumerate(tops)]
    piles = {"columns": " | ".join(columns), "up": "S1 S1 H1 H1 D1 D1 C1 C1"}
    waste = " ".join(rest[30:])
    assert refusal(*board(SAN_JUAN, waste=f"{waste} 7D 2C", **piles)) is None
    assert refusal(*board(SAN_JUAN, waste=f"2C {waste} 7D", **piles)).startswith("stuck")
