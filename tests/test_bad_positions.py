"""A position that no play can reach is refused: the message says which card, which pile and why."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from solitaire_env import VARIANTS
from solitaire_env.cards import RANKS, SUITS
from solitaire_env.engine.position import PositionError
from tests.helpers import bare, ending, every_variant, make_vec

ROYAL, TURN1 = "pantagruel-royal", "pantagruel-turn1"
BERTHA, JUAN, ARABELLA = "big-bertha", "san-juan-hill", "arabella"


def refuses(name: str, position: Any, *parts: str) -> None:
    """Assert that both forms refuse a position, naming all parts, with their games unchanged."""
    env, batch = bare(name), make_vec(name, 2)
    env.reset(seed=1)
    batch.reset(seed=1)
    before = env.clone_state(), batch.clone_states().tobytes()
    for each in (env, batch):
        with pytest.raises(PositionError) as caught:
            each.reset(options={"position": position})
        for part in ("impossible position", *parts):
            assert part in str(caught.value)
    assert before == (env.clone_state(), batch.clone_states().tobytes())


def dealt(name: str, deal: int = 3, **changes: Any) -> dict[str, Any]:
    """Give the position of a deal, with some keys changed."""
    env = bare(name)
    env.reset(options={"deal": deal})
    return env.position() | changes


@every_variant
@pytest.mark.parametrize("value", [None, 3, "won", [], [("tableau", [])]], ids=repr)
def test_what_is_no_dict(name: str, value: Any) -> None:
    """A position is a dict; the message lists its keys."""
    env = bare(name)
    env.reset(seed=1)
    state = env.clone_state()
    with pytest.raises(PositionError, match=r"is a dict with the keys \('variant', 'tableau'"):
        env.reset(options={"position": value})
    assert env.clone_state() == state


@every_variant
def test_keys(name: str) -> None:
    """Unknown and missing keys are named; a position of another game is refused."""
    refuses(name, dealt(name, hand=[]), "unknown keys ['hand']", "'stock'")
    for key in ("tableau", "foundations"):
        position = dealt(name)
        del position[key]
        refuses(name, position, f"['{key}'] missing")
    other = JUAN if name != JUAN else ARABELLA
    refuses(name, dealt(name, variant=other), repr(other), repr(name))


@every_variant
def test_shapes(name: str) -> None:
    """Piles are lists, as many as the game has."""
    sheet = VARIANTS[name]
    piles = sheet.tableau.piles
    refuses(name, dealt(name, tableau="T0"), "tableau is 'T0', not a list")
    refuses(name, dealt(name, tableau=[[]] * 3), f"tableau has 3 piles, this game {piles}")
    columns = dealt(name)["tableau"]
    refuses(name, dealt(name, tableau=["KS", *columns[1:]]), "T0 is 'KS', not a list of cards")
    refuses(name, dealt(name, tableau=[*columns[:-1], None]), f"T{piles - 1} is None")
    extra = [None] * (sheet.reserve + 1)
    refuses(name, dealt(name, reserve=extra), f"reserve has {sheet.reserve + 1} piles")
    refuses(name, dealt(name, stock="KS"), "stock is 'KS', not a list of cards")
    refuses(name, dealt(name, waste=None), "waste is None, not a list of cards")
    for value in (-1, 99, 1.0, True, "0"):
        refuses(name, dealt(name, kings=value), f"kings is {value!r}, accepted are whole numbers 0")


@every_variant
@pytest.mark.parametrize("text", ["1S", "TX", "", "sk", "10H", "<<KS>>", "??", "<??>", 7, None])
def test_what_is_no_card(name: str, text: Any) -> None:
    """What is no card is named with its pile and how a card is written."""
    position = dealt(name)
    position["tableau"][2][-1] = text
    refuses(name, position, "T2: ", "is no card: a rank of A23456789TJQK and a suit of SHDC")


@every_variant
def test_the_census(name: str) -> None:
    """A card that is there too often or too seldom is named with the piles where it lies."""
    decks = VARIANTS[name].decks
    position = dealt(name)
    first, second = (position["tableau"][pile][-1] for pile in (0, 1))
    assert first != second
    position["tableau"][1][-1] = first
    too_many = f"{first} is there {decks + 1} times"
    too_few = f"{second} is there {decks - 1} times"
    refuses(name, position, f", the decks hold {decks}")
    with pytest.raises(PositionError) as caught:
        bare(name).reset(options={"position": position})
    assert too_few in str(caught.value) or (
        too_many in str(caught.value) and "T0, T1" in str(caught.value)
    )


@every_variant
def test_a_card_that_lies_nowhere(name: str) -> None:
    """A card taken out of a column is missed."""
    position = dealt(name)
    card = position["tableau"][4].pop()
    found = VARIANTS[name].decks - 1
    refuses(name, position, f"{card} is there {found} times")


@every_variant
def test_foundations(name: str) -> None:
    """Foundations are a dict of heights, one a deck, within the game's bounds, tallest first."""
    sheet = VARIANTS[name]
    lowest, top = int(sheet.foundations.aces_dealt), sheet.foundation_top
    good = dealt(name)["foundations"]
    for wrong in ([], None, {"S": [0] * sheet.decks}, {**good, "X": good["S"]}):
        refuses(name, dealt(name, foundations=wrong), "foundations is", "['S', 'H', 'D', 'C']")
    for wrong in (0, [0] * (sheet.decks + 1), "00", None):
        changed = {**good, "H": wrong}
        refuses(name, dealt(name, foundations=changed), "foundations of H are", f"{sheet.decks} he")
    for height in (-1, top + 1, 0.0, None, True):
        changed = {**good, "D": [height] * sheet.decks}
        refuses(name, dealt(name, foundations=changed), "a foundation of D is", f"{lowest}..{top}")
    changed = {**good, "C": [lowest] * (sheet.decks - 1) + [lowest + 1]}
    refuses(name, dealt(name, foundations=changed), "foundations of C are", "not tallest first")


@every_variant
@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64, np.uint64])
def test_whole_numbers_of_every_kind(name: str, kind: Callable[[int], Any]) -> None:
    """NumPy's whole numbers are heights, Kings and passes too; arrays of them are no lists."""
    position, env = dealt(name), bare(name)
    heights = {suit: list(map(kind, each)) for suit, each in position["foundations"].items()}
    numbers = {key: kind(position[key]) for key in ("kings", "passes")}
    env.reset(options={"position": {**position, "foundations": heights, **numbers}})
    assert repr(env.position()) == repr(position)
    heights["H"] = np.array(heights["H"])
    decks = VARIANTS[name].decks
    refuses(
        name,
        {**position, "foundations": heights},
        f"foundations of H are {heights['H']!r}, not {decks} heights in a list",
    )


def test_aces_that_are_dealt_stay() -> None:
    """San Juan Hill: no foundation is ever without its Ace."""
    good = dealt(JUAN)["foundations"]
    refuses(JUAN, dealt(JUAN, foundations={**good, "S": [1, 0]}), "a foundation of S is 0", "1..13")


@pytest.mark.parametrize("name", [n for n in VARIANTS if not VARIANTS[n].foundations.kings_leave])
def test_no_king_pile(name: str) -> None:
    """Where Kings do not leave there is no King pile."""
    refuses(name, dealt(name, kings=1), "kings is 1, accepted are whole numbers 0..0")


def test_kings_that_leave() -> None:
    """Big Bertha: no King is available, and each lies somewhere or is counted as gone."""
    sheet = VARIANTS[BERTHA]
    refuses(BERTHA, ending(sheet, [["QH"], ["QS", "KS"]]), "KS is available on T1")
    refuses(BERTHA, ending(sheet, [["QS"]], reserve=[None, "KH", *[None] * 12]), "KH", "R1")
    position = ending(sheet, [["KS", "QS"]])
    refuses(BERTHA, position | {"kings": 6}, "kings is 6 and 1 lie elsewhere, the decks hold 8")
    position = ending(sheet, [["KS", "KS", "KS", "QS"]]) | {"kings": 5}
    refuses(BERTHA, position, "KS is there 3 times (T0, T0, T0), the decks hold 2")
    on_a_king = [["JS", "JH", "JD", "JC", "QD", "KS", "QH"], ["QS"], ["QC"]]
    refuses(BERTHA, ending(sheet, on_a_king), "QH of T0 lies on KS")


@every_variant
def test_a_column_is_as_dealt_and_one_run(name: str) -> None:
    """A card that is neither dealt on its neighbour nor built on it is named with both."""
    height = VARIANTS[name].tableau.heights()[0]
    cards = ["QS", "QH", "QD", "QC", "JS", "JH", "JD", "JC"][: height + 1]
    kings = [] if VARIANTS[name].foundations.kings_leave else ["KS", "KH", "KD", "KC"]
    columns = [cards, *([king] for king in kings)]
    below, card = cards[height - 1], cards[height]
    refuses(name, ending(VARIANTS[name], columns), f"{card} of T0 lies on {below}", "nor built")


@pytest.mark.parametrize("name", [ROYAL, TURN1])
def test_runs_alternate_in_colour(name: str) -> None:
    """A built run of one colour is refused where colours alternate."""
    refuses(name, ending(VARIANTS[name], [["KS", "QC"], ["KC"]]), "QC of T0 lies on KS")
    six = ["JH", "JD", "QH", "QD", "QC", "QS"]
    refuses(BERTHA, ending(VARIANTS[BERTHA], [[*six, "JC"]]), "JC of T0 lies on QS")


HIDDEN = [n for n in VARIANTS if any(VARIANTS[n].tableau.hidden())]


@pytest.mark.parametrize("name", HIDDEN)
def test_face_down_cards(name: str) -> None:
    """Cards lie face down only where dealt so, below all others, never on top."""
    sheet = VARIANTS[name]
    refuses(name, ending(sheet, [["<QS>", "KS"]]), "T0 has 1 cards face down, dealt were 0")
    columns = [["KS"], [], [], ["QH", "<KH>", "QS"]]
    refuses(name, ending(sheet, columns), "<KH> of T3 lies face down on QH, which is face up")
    columns = [["KS"], [], [], ["<QH>", "<KH>"]]
    refuses(name, ending(sheet, columns), "<KH>", "on top of T3 lies face down")


@pytest.mark.parametrize("name", [n for n in VARIANTS if n not in HIDDEN])
def test_no_card_is_face_down(name: str) -> None:
    """Where every card is dealt face up none is covered."""
    top = "KS" if not VARIANTS[name].foundations.kings_leave else "QS"
    position = ending(VARIANTS[name], [[f"<{top}>"]])
    refuses(name, position, "T0 has 1 cards face down, dealt were 0")


@every_variant
def test_stock_and_waste(name: str) -> None:
    """Stock and waste hold no more cards than the deal left; no card is covered there."""
    stock = VARIANTS[name].stock_cards
    position = dealt(name)
    position["waste"] = [*position["waste"], position["tableau"][0].pop()]
    refuses(name, position, f"stock and waste hold {stock + 1} cards, dealt were {stock}")
    if stock:
        position = dealt(name)
        position["stock"][0] = f"<{position['stock'][0]}>"
        refuses(name, position, "stock: ", "is no card")


def talon(name: str, stock: int, waste: int, passes: int) -> dict[str, Any]:
    """Give a position with so many of the highest cards in stock and waste, and one in a column."""
    sheet = VARIANTS[name]
    highest = [rank + suit for rank in RANKS[::-1] for suit in SUITS for _ in range(sheet.decks)]
    piles = {"stock": highest[1 : stock + 1], "waste": highest[stock + 1 : stock + waste + 1]}
    return ending(sheet, [highest[:1]], **piles, passes=passes)


THREE = pytest.mark.parametrize("name", [n for n in VARIANTS if VARIANTS[n].draw == 3])


@THREE
@pytest.mark.parametrize(("stock", "waste"), [(58, 1), (58, 0), (57, 2), (4, 0), (3, 9), (1, 0)])
def test_a_first_stock_that_draws_of_three_never_leave(name: str, stock: int, waste: int) -> None:
    """59 cards less full draws are 56, 53 .. 5, 2 or none."""
    message = f"draws of 3 from 59 cards never leave {stock} in the stock"
    refuses(name, talon(name, stock, waste, 1), message)


@THREE
@pytest.mark.parametrize(
    ("stock", "waste", "began"), [(58, 1, 61), (57, 1, 60), (57, 2, 60), (48, 11, 60)]
)
def test_a_later_stock_that_is_too_high(name: str, stock: int, waste: int, began: int) -> None:
    """The waste needs full draws: with these the pass began with more than the deal left."""
    message = f"stock {stock} and waste {waste} come of {began} cards or more, dealt were 59"
    refuses(name, talon(name, stock, waste, 2), "in draws of 3", message)


@THREE
@pytest.mark.parametrize(
    ("stock", "waste", "passes"),
    [
        *((59 - 3 * draws, waste, 1) for draws in (1, 7, 19) for waste in (0, 1, 3 * draws)),
        *((0, waste, 1) for waste in (1, 58, 59)),
        *((stock, 59 - stock, 2) for stock in (59, 56, 2, 0)),
        *((stock, waste, 2) for stock, waste in [(58, 0), (50, 8), (3, 5), (1, 0), (1, 57)]),
    ],
)
def test_stocks_that_draws_of_three_leave(name: str, stock: int, waste: int, passes: int) -> None:
    """What play can come to is laid out, however many of the drawn cards were played."""
    env = bare(name)
    env.reset(options={"position": talon(name, stock, waste, passes)})
    position = env.position()
    assert (len(position["stock"]), len(position["waste"])) == (stock, waste)


@every_variant
def test_passes(name: str) -> None:
    """Passes are within the game's limit."""
    sheet = VARIANTS[name]
    most = 2**31 if sheet.redeals < 0 else sheet.redeals + 1
    for passes in (0, -1, most + 1, 1.0, True, None):
        refuses(name, dealt(name, passes=passes), f"passes is {passes!r}", f"1..{most}")
    if sheet.stock_cards and most < 9:
        env = bare(name)
        _, info = env.reset(options={"position": dealt(name, passes=most)})
        assert info["redeals_left"] == 0


@every_variant
def test_a_game_that_is_won(name: str) -> None:
    """A position that is already won is refused."""
    refuses(name, ending(VARIANTS[name], []), "the game is won")


def test_a_game_that_is_stuck() -> None:
    """A position without a legal move is refused."""
    columns = [[f"Q{suit}", f"K{suit}"] for suit in "HHDDCC"]
    columns += [["TS", "QS", "KS"], ["TS", "QS", "KS"], ["JS"], ["JS"]]
    refuses(JUAN, ending(VARIANTS[JUAN], columns), "no move is legal")
    bare(JUAN).reset(options={"position": ending(VARIANTS[JUAN], [*columns[:-2], ["JS", "JS"]])})


@every_variant
def test_what_may_be_left_out(name: str) -> None:
    """Only tableau and foundations must be given; tuples do for lists."""
    env = bare(name)
    position = ending(VARIANTS[name], [["QS"], ["QH"]] if name == BERTHA else [["KS"], ["KH"]])
    least = {key: position[key] for key in ("tableau", "foundations")}
    least |= {"kings": 8} if name == BERTHA else {}
    env.reset(options={"position": least})
    whole = env.position()
    least["tableau"] = tuple(map(tuple, least["tableau"]))
    env.reset(options={"position": least})
    assert env.position() == whole
    assert set(whole) == set(dealt(name))


@every_variant
def test_a_position_given_is_left_alone(name: str) -> None:
    """`reset` changes nothing in the caller's position, nor does play."""
    position = dealt(name)
    before = copy.deepcopy(position)
    env = bare(name)
    env.reset(options={"position": position})
    env.step(int(np.argmax(env.action_masks())))
    assert position == before
