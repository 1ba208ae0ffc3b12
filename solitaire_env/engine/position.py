"""Positions in words to rows of state and back; the impossible is refused with the reason."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from solitaire_env.cards import NO_CARD, SUITS, UNKNOWN, card_of, rank_of, suit_of
from solitaire_env.engine.lowered import LoweredRules
from solitaire_env.engine.state import Game
from solitaire_env.notation import (
    Position,
    card_text,
    cell,
    cell_text,
    column,
    face_down,
    is_face_down,
    is_whole,
    parse_card,
)
from solitaire_env.rulesheet import UNLIMITED, RuleSheet

_DEFAULTS: dict[str, Any] = {"reserve": None, "kings": 0, "stock": [], "waste": [], "passes": 1}
_KEYS = ("variant", "tableau", "foundations", *_DEFAULTS)


class PositionError(ValueError):
    """A position that no play of the game can reach; it names the pile, the card and why."""


def position_of(name: str, game: Game) -> Position:
    """Put a game's cards into words.

    Returns:
        A dict of JSON values, every card shown: face-down ones in angle brackets.
    """
    # An array's fields are ten times as fast to look at as a record's.
    fields = np.asarray(game)
    stock = fields["hidden_stock"][: int(fields["stock_height"])].tolist()
    waste = fields["waste"][: int(fields["waste_height"])].tolist()
    return {
        "variant": name,
        "tableau": _tableau_text(fields),
        "reserve": [cell_text(card) for card in fields["reserve"].tolist()],
        "foundations": dict(zip(SUITS, fields["foundations"].tolist(), strict=False)),
        "kings": int(fields["kings"]),
        "stock": [card_text(card) for card in stock],
        "waste": [card_text(card) for card in waste],
        "passes": int(fields["passes"]),
    }


def _tableau_text(fields: npt.NDArray[Any]) -> list[list[str]]:
    """Put the columns into words."""
    names = ("heights", "hidden", "hidden_cards", "tableau")
    columns = zip(*(fields[name].tolist() for name in names), strict=True)
    return [
        [face_down(card_text(card)) for card in down[:under]]
        + [card_text(card) for card in up[under:height]]
        for height, under, down, up in columns
    ]


def load_position(sheet: RuleSheet, rules: LoweredRules, game: Game, position: object) -> None:
    """Check a position and lay it out in a cleared row (`complete_games` derives the rest).

    Raises:
        PositionError: naming the pile and card, if no play can reach it.
    """
    checked = check_position(sheet, position)
    for pile, cards in enumerate(checked["tableau"]):
        _lay_column(game, pile, cards)
    game.reserve[:] = [parse_card(text) if text else NO_CARD for text in checked["reserve"]]
    game.foundations[:] = [checked["foundations"][suit] for suit in SUITS[: rules.suits]]
    game.kings = checked["kings"]
    _lay_stock(game, checked)
    game.passes = checked["passes"]
    if rules.redeals != UNLIMITED:
        game.redeals_left = rules.redeals + 1 - checked["passes"]
    game.foundation_cards = game.most_foundation_cards = game.foundations.sum() + game.kings


def _lay_column(game: Game, pile: int, cards: list[str]) -> None:
    for place, text in enumerate(cards):
        if is_face_down(text):
            game.hidden_cards[pile, place] = parse_card(text[1:-1])
            game.tableau[pile, place] = UNKNOWN
        else:
            game.tableau[pile, place] = parse_card(text)
    game.heights[pile] = len(cards)
    game.hidden[pile] = sum(map(is_face_down, cards))


def _lay_stock(game: Game, checked: Position) -> None:
    stock = [parse_card(text) for text in checked["stock"]]
    waste = [parse_card(text) for text in checked["waste"]]
    game.hidden_stock[: len(stock)] = stock
    seen = checked["passes"] > 1
    game.stock[: len(stock)] = stock if seen else UNKNOWN
    game.waste[: len(waste)] = waste
    game.stock_height, game.waste_height = len(stock), len(waste)


def check_position(sheet: RuleSheet, position: object) -> Position:
    """Return a position with nothing left out, or raise `PositionError`."""
    if not isinstance(position, Mapping):
        raise PositionError(f"a position is a dict with the keys {_KEYS}, not {position!r}")
    unknown = set(position) - set(_KEYS)
    missing = {"tableau", "foundations"} - set(position)
    _require(not unknown, f"unknown keys {sorted(map(str, unknown))}, accepted are {_KEYS}")
    _require(not missing, f"{sorted(missing)} missing")
    whole = {"variant": sheet.name, **_DEFAULTS, **position}
    if whole["reserve"] is None:
        whole["reserve"] = [None] * sheet.reserve
    _require(whole["variant"] == sheet.name, f"it is of {whole['variant']!r}, not {sheet.name!r}")
    _check_shape(sheet, whole)
    _check_census(sheet, whole)
    for pile, cards in enumerate(whole["tableau"]):
        _check_column(sheet, pile, cards)
    _check_kings(sheet, whole)
    return whole


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise PositionError(f"impossible position: {message}")


def _check_shape(sheet: RuleSheet, position: Position) -> None:
    """Piles as many as the game has, numbers in range; numbers become plain ones."""
    for name, size in (("tableau", sheet.tableau.piles), ("reserve", sheet.reserve)):
        _require(_is_list(position[name]), f"{name} is {position[name]!r}, not a list")
        count = len(position[name])
        _require(count == size, f"{name} has {count} piles, this game {size}")
    for pile, cards in enumerate(position["tableau"]):
        _require(_is_list(cards), f"{column(pile)} is {cards!r}, not a list of cards")
    position["passes"] = _check_talon(sheet, position)
    position["foundations"] = _check_foundations(sheet, position["foundations"])
    position["kings"] = _check_number("kings", position["kings"], 0, _kings(sheet))


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _check_number(name: str, value: Any, lowest: int, highest: int) -> int:
    good = is_whole(value) and lowest <= value <= highest
    _require(good, f"{name} is {value!r}, accepted are whole numbers {lowest}..{highest}")
    return int(value)


def _kings(sheet: RuleSheet) -> int:
    return sheet.foundations.kings_leave * sheet.decks * sheet.suits


def _check_talon(sheet: RuleSheet, position: Position) -> int:
    """Check stock and waste; return the number of the pass."""
    for name in ("stock", "waste"):
        _require(_is_list(position[name]), f"{name} is {position[name]!r}, not a list of cards")
    count = len(position["stock"]) + len(position["waste"])
    most = sheet.stock_cards
    _require(count <= most, f"stock and waste hold {count} cards, dealt were {most}")
    highest = 2**31 if sheet.redeals == UNLIMITED else sheet.redeals + 1
    passes = _check_number("passes", position["passes"], 1, highest)
    if position["stock"]:
        _check_draws(sheet, len(position["stock"]), len(position["waste"]), passes)
    return passes


def _check_draws(sheet: RuleSheet, stock: int, waste: int, passes: int) -> None:
    """Full draws alone lead from a pass's first stock to one that still has cards.

    The first pass begins with all that the deal left. How much a later one begins with only play
    could tell: at most as much, and what the draws must have brought at least.
    """
    draw, dealt = sheet.draw, sheet.stock_cards
    if passes == 1:
        message = f"draws of {draw} from {dealt} cards never leave {stock} in the stock"
        _require((dealt - stock) % draw == 0, message)
    began = stock + ceil(waste / draw) * draw
    message = f"in draws of {draw}, stock {stock} and waste {waste} come of {began} cards or more"
    _require(began <= dealt, f"{message}, dealt were {dealt}")


def _check_foundations(sheet: RuleSheet, foundations: object) -> dict[str, list[int]]:
    suits = list(SUITS[: sheet.suits])
    shaped = isinstance(foundations, Mapping) and sorted(foundations) == sorted(suits)
    _require(shaped, f"foundations is {foundations!r}, not a dict of heights for {suits}")
    assert isinstance(foundations, Mapping)
    return {suit: _check_heights(sheet, suit, foundations[suit]) for suit in suits}


def _check_heights(sheet: RuleSheet, suit: str, given: Any) -> list[int]:
    name, lowest = f"foundations of {suit}", int(sheet.foundations.aces_dealt)
    shaped = _is_list(given) and len(given) == sheet.decks
    _require(shaped, f"{name} are {given!r}, not {sheet.decks} heights in a list")
    heights = [
        _check_number(f"a foundation of {suit}", height, lowest, sheet.foundation_top)
        for height in given
    ]
    tallest_first = heights == sorted(heights, reverse=True)
    _require(tallest_first, f"{name} are {given!r}, not tallest first")
    return heights


def _read(pile: str, text: object) -> int:
    try:
        return parse_card(text)
    except ValueError as error:
        raise PositionError(f"impossible position: {pile}: {error}") from None


def _check_census(sheet: RuleSheet, position: Position) -> None:
    """Every card of the decks lies somewhere, and no other."""
    places = _places(sheet, position)
    for card, piles in places.items():
        _require(_in_deck(sheet, card), f"{_named(card, piles)}, no card of this game")
    for suit in range(sheet.suits):
        for rank in range(1, sheet.ranks + 1):
            card = card_of(suit, rank)
            piles = places[card]
            leaves = sheet.foundations.kings_leave and rank == sheet.king
            if len(piles) > sheet.decks or (len(piles) < sheet.decks and not leaves):
                _require(False, f"{_named(card, piles)}, the decks hold {sheet.decks}")
    _check_king_census(sheet, position, places)


def _check_king_census(
    sheet: RuleSheet, position: Position, places: Mapping[int, list[str]]
) -> None:
    """Kings that leave lie somewhere or are counted as gone."""
    if sheet.foundations.kings_leave:
        lying = sum(len(piles) for card, piles in places.items() if rank_of(card) == sheet.king)
        total = lying + position["kings"]
        message = f"kings is {position['kings']} and {lying} lie elsewhere"
        _require(total == _kings(sheet), f"{message}, the decks hold {_kings(sheet)}")


def _named(card: int, piles: list[str]) -> str:
    """Say how often a card is there, and where: `TD is there 3 times (T1, R4, waste)`."""
    where = f" ({', '.join(piles)})" if piles else ""
    return f"{card_text(card)} is there {len(piles)} times{where}"


def _in_deck(sheet: RuleSheet, card: int) -> bool:
    return suit_of(card) < sheet.suits and rank_of(card) <= sheet.ranks


def _places(sheet: RuleSheet, position: Position) -> Mapping[int, list[str]]:
    """List for each card the piles where it lies, one entry a copy."""
    places: defaultdict[int, list[str]] = defaultdict(list)
    piles = {name: position[name] for name in ("stock", "waste")}
    for pile, texts in enumerate(position["tableau"]):
        piles[column(pile)] = [text[1:-1] if is_face_down(text) else text for text in texts]
    for index, text in enumerate(position["reserve"]):
        piles[cell(index)] = [] if text is None else [text]
    for name, texts in piles.items():
        for text in texts:
            places[_read(name, text)].append(name)
    for suit in range(sheet.suits):
        for height in position["foundations"][SUITS[suit]]:
            for rank in range(1, height + 1):
                places[card_of(suit, rank)].append("foundations")
    return places


def _check_column(sheet: RuleSheet, pile: int, texts: Sequence[str]) -> None:
    """A column is cards as dealt, then one built run; face down only as dealt, never on top."""
    name, hidden = column(pile), sum(map(is_face_down, texts))
    down = sheet.tableau.hidden()[pile]
    _require(hidden <= down, f"{name} has {hidden} cards face down, dealt were {down}")
    for below, card in pairwise(texts):
        turned = is_face_down(card) and not is_face_down(below)
        _require(not turned, f"{card} of {name} lies face down on {below}, which is face up")
    top_up = hidden < len(texts) or not texts
    _require(top_up, f"{texts[-1:]} on top of {name} lies face down")
    dealt = sheet.tableau.heights()[pile]
    first = hidden if down else max(dealt - 1, 0)
    for below, card in zip(texts[first:], texts[first + 1 :], strict=False):
        message = f"{card} of {name} lies on {below}, which is neither dealt so nor built"
        _require(_builds(sheet, parse_card(card), parse_card(below)), message)


def _builds(sheet: RuleSheet, card: int, below: int) -> bool:
    leaves = sheet.foundations.kings_leave and rank_of(below) == sheet.king
    return sheet.tableau.build.builds(card, below) and not leaves


def _check_kings(sheet: RuleSheet, position: Position) -> None:
    """Where Kings leave by themselves none is available."""
    if not sheet.foundations.kings_leave:
        return
    piles = {column(index): cards for index, cards in enumerate(position["tableau"])}
    tops = {name: cards[-1] for name, cards in piles.items() if cards}
    tops |= {cell(i): card for i, card in enumerate(position["reserve"]) if card is not None}
    if position["waste"]:
        tops["waste"] = position["waste"][-1]
    for name, text in tops.items():
        king = rank_of(parse_card(text)) == sheet.king
        _require(not king, f"{text} is available on {name}: it would have left")
