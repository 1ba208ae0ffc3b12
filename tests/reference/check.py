"""Why a given position is impossible: DESIGN's list and RULINGS, "A given position"."""

from collections import Counter
from collections.abc import Iterator

from solitaire_env.rulesheet import UNLIMITED, Deal, FaceUp, RuleSheet

from .cards import RANK, builds, face_down, is_king, last_rank, pack, suits_of, turned_up
from .moves import legal_moves, won


def refusal(sheet: RuleSheet, position: dict) -> str | None:
    """Say why a position cannot be played; None if it can."""
    return next(faults(sheet, position), None)


def faults(sheet: RuleSheet, at: dict) -> Iterator[str]:
    """List what is wrong with a position, the most basic fault first."""
    yield from shape_faults(sheet, at)
    yield from foundation_faults(sheet, at)
    yield from census_faults(sheet, at)
    yield from column_faults(sheet, at)
    yield from king_faults(sheet, at)
    yield from pass_faults(sheet, at)
    if won(sheet, at):
        yield "won: every foundation is complete"
    elif not legal_moves(sheet, at):
        yield "stuck: no move is legal"


def shape_faults(sheet: RuleSheet, at: dict) -> Iterator[str]:
    """Count columns, cells and suits."""
    if len(at["tableau"]) != sheet.tableau.piles:
        yield f"{len(at['tableau'])} columns, not {sheet.tableau.piles}"
    if len(at["reserve"]) != sheet.reserve:
        yield f"{len(at['reserve'])} reserve cells, not {sheet.reserve}"
    if set(at["foundations"]) != set(suits_of(sheet)):
        yield f"foundations of {sorted(at['foundations'])}, not {suits_of(sheet)}"


def foundation_faults(sheet: RuleSheet, at: dict) -> Iterator[str]:
    """Foundations: one a suit and deck, tallest first, within reach, dealt Aces in place."""
    lowest = 1 if sheet.foundations.aces_dealt else 0
    for suit, heights in at["foundations"].items():
        if len(heights) != sheet.decks:
            yield f"{len(heights)} foundations of {suit}, not {sheet.decks}"
        if heights != sorted(heights, reverse=True):
            yield f"foundations of {suit} are not tallest first: {heights}"
        if not all(lowest <= height <= last_rank(sheet) for height in heights):
            yield f"foundations of {suit} out of reach: {heights}"


def census_faults(sheet: RuleSheet, at: dict) -> Iterator[str]:
    """Every card of the pack is there, once a deck; Kings that left have no suit any more."""
    loose = Counter(turned_up(card) for column in at["tableau"] for card in column)
    loose.update(card for card in at["reserve"] if card)
    loose.update(at["stock"])
    loose.update(at["waste"])
    wanted = set(pack(sheet))
    copies = sheet.decks
    left = 0
    for card in sorted(wanted):
        if sheet.foundations.kings_leave and is_king(sheet, card):
            left += copies - loose[card]
            if loose[card] > copies:
                yield f"{loose[card]} copies of {card}"
            continue
        up = sum(height >= RANK[card] for height in at["foundations"][card[1]])
        if loose[card] + up != copies:
            yield f"{loose[card] + up} copies of {card}, not {copies}"
    if at["kings"] != left:
        yield f"{at['kings']} Kings left the game, {left} are missing"
    if strange := set(loose) - wanted:
        yield f"cards of another pack: {sorted(strange)}"


def column_faults(sheet: RuleSheet, at: dict) -> Iterator[str]:
    """Each column is a prefix no longer than dealt and one built run on it.

    Where cards are dealt face down, only the first face-up card can be other than built: it was
    dealt so, turned up, or laid into the space.
    """
    for number, column in enumerate(at["tableau"]):
        dealt = dealt_height(sheet, number)
        hides = sheet.tableau.face_up is FaceUp.TOP
        down = sum(map(face_down, column))
        if any(map(face_down, column[down:])):
            yield f"T{number}: a face-down card lies on a face-up one"
            return
        if down > (dealt - 1 if hides else 0):
            yield f"T{number}: {down} cards face down, more than dealt so"
            return
        if column and down == len(column):
            yield f"T{number}: the top card is face down"
        base = down + 1 if hides else dealt
        for index in range(base, len(column)):
            if not builds(column[index], column[index - 1], sheet.tableau.build):
                pair = f"{column[index]} on {column[index - 1]}"
                yield f"T{number}: {pair} was neither dealt nor built"


def king_faults(sheet: RuleSheet, at: dict) -> Iterator[str]:
    """No King is available, or ever was, in a game where Kings leave; none leaves in another.

    A face-up King in a column was covered in the deal, as nothing is played on one.
    """
    if not sheet.foundations.kings_leave:
        if at["kings"]:
            yield "Kings do not leave in this game"
        return
    if at["waste"] and is_king(sheet, at["waste"][-1]):
        yield f"{at['waste'][-1]} is available and would have left"
    for card in at["reserve"]:
        if card and is_king(sheet, card):
            yield f"{card} is available and would have left"
    for number, column in enumerate(at["tableau"]):
        for index, card in enumerate(column):
            if face_down(card) or not is_king(sheet, card):
                continue
            if index >= covered(sheet, number) or index == len(column) - 1:
                yield f"T{number}: {card} was available and would have left"


def covered(sheet: RuleSheet, number: int) -> int:
    """Count the face-up cards of a column that the deal covers with another."""
    if sheet.tableau.face_up is FaceUp.TOP:
        return 0
    return dealt_height(sheet, number) - 1


def dealt_height(sheet: RuleSheet, number: int) -> int:
    """Count the cards dealt to a column."""
    return number + 1 if sheet.tableau.deal is Deal.TRIANGLE else sheet.tableau.rows


def pass_faults(sheet: RuleSheet, at: dict) -> Iterator[str]:
    """The pass is within the game's limit, and some line of draws leaves these cards."""
    cards = len(at["stock"]) + len(at["waste"])
    if sheet.stock is None:
        if cards or at["passes"] != 1:
            yield "this game has no stock, and one pass"
        return
    if at["passes"] < 1:
        yield f"pass {at['passes']}: passes count from 1"
    if sheet.stock.redeals != UNLIMITED and at["passes"] > sheet.stock.redeals + 1:
        yield f"pass {at['passes']}: there are {sheet.stock.redeals + 1}"
    dealt = sum(dealt_height(sheet, number) for number in range(sheet.tableau.piles))
    aces = sheet.decks * sheet.suits if sheet.foundations.aces_dealt else 0
    left = len(pack(sheet)) - dealt - sheet.reserve - aces
    if cards > left:
        yield "more cards in stock and waste than the deal left"
    begins = [left] if at["passes"] == 1 else range(1, left + 1)
    if not any(comes_of(sheet, at, first) for first in begins):
        yield f"pass {at['passes']}: no draws leave these cards in stock and waste"


def comes_of(sheet: RuleSheet, at: dict, first: int) -> bool:
    """Tell whether a pass that begins with so many cards in the stock can come to this.

    Each draw takes `draw` cards, the last one what is left; what was drawn lies in the waste or was
    played, so the waste may hold fewer.
    """
    if len(at["stock"]) + len(at["waste"]) > first:
        return False
    assert sheet.stock is not None
    return not at["stock"] or len(at["stock"]) in range(first, 0, -sheet.stock.draw)
