"""A rule sheet that describes no game is refused: field, value, what is accepted."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pytest

from solitaire_env import VARIANTS, RuleSheet, RuleSheetError, register
from solitaire_env.rulesheet import Deal, Foundations, Ledger, Limits, Space, Stock, Suits

JUAN, TURN1 = VARIANTS["san-juan-hill"], VARIANTS["pantagruel-turn1"]
BERTHA = VARIANTS["big-bertha"]


def refuses(sheet: RuleSheet, changes: dict[str, Any], *parts: str) -> None:
    """Assert that a sheet with these changes is refused, the message naming all parts."""
    with pytest.raises(RuleSheetError) as caught:
        replace(sheet, **changes)
    for part in parts:
        assert part in str(caught.value)


def tableau(sheet: RuleSheet, **changes: Any) -> dict[str, Any]:
    """Give a change of a sheet's tableau."""
    return {"tableau": replace(sheet.tableau, **changes)}


@pytest.mark.parametrize(
    "name", ["", "Big-Bertha", "big bertha", "-a", "a-", "a--b", "1a", "é", "a\n"]
)
def test_names(name: str) -> None:
    """A name is lower-case words joined by hyphens."""
    refuses(JUAN, {"name": name}, repr(name), "lower-case words joined by hyphens")


@pytest.mark.parametrize(
    ("field", "values", "accepted"),
    [
        ("decks", (0, 5, -1, 1.5, "2", None), "1..4"),
        ("suits", (0, 5, 1.5), "1..4"),
        ("ranks", (1, 14, 1.5, None), "2..13"),
        ("reserve", (-1, 32, 0.5), "0..31"),
    ],
)
def test_numbers(field: str, values: tuple[Any, ...], accepted: str) -> None:
    """Counts are whole numbers in range."""
    for value in values:
        refuses(JUAN, {field: value}, "san-juan-hill", f"{field} is {value!r}", accepted)


def test_the_tableau() -> None:
    """Columns, rows, and a deal that the decks can fill."""
    for piles in (0, 33, 2.5):
        refuses(JUAN, tableau(JUAN, piles=piles), f"tableau.piles is {piles!r}", "1..32")
    for rows in (0, -1, 105, 1.5):
        refuses(JUAN, tableau(JUAN, rows=rows), f"tableau.rows is {rows!r}", "1..104")
    refuses(TURN1, tableau(TURN1, rows=3), "tableau.rows is 3", "0..0")
    refuses(TURN1, tableau(TURN1, piles=20), "the deal takes 106 cards more than the 104")
    refuses(JUAN, tableau(JUAN, rows=11), "the deal takes 14 cards more than the 104")


def test_lifting_must_not_break_building() -> None:
    """A run that may be lifted is one that may be built."""
    for build, lift in (
        (Suits.SAME, Suits.ANY),
        (Suits.SAME, Suits.ALTERNATE_COLOR),
        (Suits.ALTERNATE_COLOR, Suits.SAME),
        (Suits.ALTERNATE_COLOR, Suits.ANY),
    ):
        change = tableau(TURN1, build=build, lift=lift)
        refuses(TURN1, change, "tableau.lift is", lift.name, build.name)


def test_taking_back_needs_king_spaces() -> None:
    """Where any card fills a space, a take-back does not say which card it is."""
    change = tableau(TURN1, space=Space.ANY)
    refuses(TURN1, change, "foundations.take_back", "Space.KING")
    refuses(JUAN, {"foundations": Foundations(take_back=True)}, "foundations.take_back")


def test_the_stock() -> None:
    """A stock where cards are left, and only there; its draw and redeals in range."""
    refuses(JUAN, {"stock": None}, "the deal leaves 56 cards and stock is None")
    refuses(BERTHA, {"stock": Stock()}, "leaves no card for the stock")
    for draw in (0, -1, 57, 1.5):
        refuses(JUAN, {"stock": Stock(draw=draw)}, f"stock.draw is {draw!r}", "1..56")
    for redeals in (-2, 255, 0.5):
        refuses(JUAN, {"stock": Stock(redeals=redeals)}, f"stock.redeals is {redeals!r}", "254")


def test_limits() -> None:
    """Limits are whole numbers from 1."""
    for value in (0, -1, 1.5, 2**40):
        limits = Limits(episode_steps=value, no_progress=5)
        refuses(JUAN, {"limits": limits}, f"limits.episode_steps is {value!r}", "1..")
        limits = Limits(episode_steps=5, no_progress=value)
        refuses(JUAN, {"limits": limits}, f"limits.no_progress is {value!r}", "1..")


@pytest.mark.parametrize("event", [each.name for each in fields(Ledger)])
def test_the_ledger(event: str) -> None:
    """Points are whole numbers that no episode can add up to more than a counter holds."""
    for value in ("x", 1.5, None, True, 1001, -1001, 2**62, 2**70, float("nan"), [1]):
        points = f"ledger.{event} is {value!r}, accepted are whole numbers -1000..1000"
        refuses(JUAN, {"ledger": Ledger(**{event: value})}, points)
    for value in (-1000, 0, 1000):
        assert getattr(replace(JUAN, ledger=Ledger(**{event: value})).ledger, event) == value


def numbers_of(part: Any, *path: str) -> Iterator[tuple[str, ...]]:
    """List the ways to every whole number that a sheet holds."""
    for each in fields(part):
        value = getattr(part, each.name)
        if is_dataclass(value):
            yield from numbers_of(value, *path, each.name)
        elif type(value) is int:
            yield (*path, each.name)


def changed(part: Any, path: tuple[str, ...], value: Any) -> Any:
    """Give a sheet, or a part of one, another value at the end of a way."""
    if len(path) > 1:
        value = changed(getattr(part, path[0]), path[1:], value)
    return replace(part, **{path[0]: value})


@pytest.mark.parametrize("path", list(numbers_of(TURN1)), ids=".".join)
@pytest.mark.parametrize(
    "value", ["1", 1.0, 1.5, None, True, False, 2**62, -(2**70), np.int64(1), [1], Suits.SAME]
)
def test_no_number_is_unchecked(path: tuple[str, ...], value: Any) -> None:
    """Every number of a sheet and its parts is checked: what is none, or too large, is named."""
    with pytest.raises(RuleSheetError) as caught:
        changed(TURN1, path, value)
    assert f"{'.'.join(path)} is {value!r}, accepted are whole numbers" in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        (tableau(JUAN, build="same"), "tableau.build is 'same'"),
        (tableau(JUAN, lift="same"), "tableau.lift is 'same'"),
        (tableau(JUAN, space="any"), "tableau.space is 'any'"),
        (tableau(JUAN, space=None), "tableau.space is None"),
        (tableau(JUAN, deal="rows"), "tableau.deal is 'rows'"),
        (tableau(JUAN, face_up="all"), "tableau.face_up is 'all'"),
        ({"decks": True}, "decks is True"),
        ({"name": 7}, "name"),
        ({"tableau": None}, "tableau is None"),
        ({"stock": 1}, "stock is 1"),
        ({"limits": None}, "limits is None"),
        ({"foundations": None}, "foundations is None"),
        ({"foundations": Foundations(take_back="no")}, "take_back is 'no'"),
        ({"ledger": None}, "ledger is None"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_fields_of_the_wrong_type(changes: dict[str, Any], part: str) -> None:
    """A field of the wrong type is named with its value."""
    refuses(JUAN, changes, part)


def test_every_sheet_that_exists_passes() -> None:
    """The games themselves, written again, are refused nothing."""
    for sheet in VARIANTS.values():
        assert replace(sheet) == sheet
        assert sheet.tableau.deal in Deal


def test_registering() -> None:
    """What is no sheet, and a second sheet of the same name, are refused; the same sheet is not."""
    with pytest.raises(RuleSheetError, match="'juan' is no RuleSheet"):
        register("juan")  # type: ignore[arg-type]
    assert register(JUAN) == "solitaire_env/SanJuanHill-v0"
    other = replace(JUAN, stock=Stock(draw=3))
    with pytest.raises(RuleSheetError, match=r"another sheet is registered as solitaire_env/SanJ"):
        register(other)


@pytest.mark.parametrize("name", ["sanjuanhill", "san-juanhill", "s-anjuan-hill"])
def test_ids_that_differ_in_capitals_only(name: str) -> None:
    """Big and small letters make no other id: `SanJuanHill` is taken, so is `Sanjuanhill`."""
    with pytest.raises(RuleSheetError, match=r"registered as solitaire_env/SanJuanHill-v0: rename"):
        register(replace(JUAN, name=name))
