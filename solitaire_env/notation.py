"""Cards, moves and boards as text, both ways.

A position is a dict of JSON values; every pile is listed bottom card first:
`{"variant", "tableau", "reserve", "foundations", "kings", "stock", "waste", "passes"}`.
"""

from functools import cache
from itertools import zip_longest
from numbers import Integral
from typing import Any, Final, NamedTuple, TypeGuard

from solitaire_env.cards import NO_CARD, RANKS, SUITS, UNKNOWN, card_of, rank_of, suit_of

Position = dict[str, Any]

WASTE: Final = "W"
FOUNDATION: Final = "F"
STOCK: Final = "stock"
REDEAL: Final = "redeal"

_SYMBOLS: Final = dict(zip(SUITS, "♠♥♦♣", strict=True))
_RED: Final = "\033[31m"
_BLACK: Final = "\033[36m"
_PLAIN: Final = "\033[0m"


class Move(NamedTuple):
    """A move in words: `Move("T3", "T7", 4)` lifts four cards from column 3 to column 7.

    Attributes:
        source: "T3" a column, "R5" a reserve cell, "W" the waste, "FS" the foundations of
            spades, "stock".
        target: "T7" a column, "F" the foundations, "W" the waste (a draw), "redeal".
        count: cards that move.
    """

    source: str
    target: str
    count: int  # pyright: ignore[reportIncompatibleMethodOverride]

    def __str__(self) -> str:
        """Write the move on a line: `T3 -> T7 (4)`."""
        return f"{self.source} -> {self.target}" + (f" ({self.count})" if self.count > 1 else "")


def move_words(move: Move, before: Position, after: Position) -> str:
    """Put a move into words, by the positions before and after it.

    >>> move_words(Move("T3", "F", 1), {"tableau": [[], [], [], ["AS"]]}, {})
    'A♠ from T3 to the foundations'
    """
    source, target, count = move
    if target == REDEAL:
        return f"the waste is turned over: {count} cards"
    if source == STOCK:
        return "a card is drawn" if count == 1 else f"{count} cards are drawn"
    card = pretty_card(_moved(move, before, after))
    more = f" and {count - 1} more" if count > 1 else ""
    return f"{card}{more} from {_place(source)} to {_place(target)}"


def _moved(move: Move, before: Position, after: Position) -> str:
    """Find the card that a move lifts, the lowest of a group."""
    source = move.source
    if source == WASTE:
        return before["waste"][-1]
    if source.startswith(FOUNDATION):
        return after["tableau"][int(move.target[1:])][-1]
    index = int(source[1:])
    if source.startswith("R"):
        return before["reserve"][index]
    return before["tableau"][index][-move.count]


def _place(name: str) -> str:
    if name.startswith(FOUNDATION):
        return "the foundations"
    return "the waste" if name == WASTE else name


def pretty_card(text: str) -> str:
    """Write a card as people do.

    >>> pretty_card("TD")
    '10♦'
    """
    return ("10" if text[0] == "T" else text[0]) + _SYMBOLS[text[1]]


def column(index: int) -> str:
    """Name a column."""
    return f"T{index}"


def cell(index: int) -> str:
    """Name a reserve cell."""
    return f"R{index}"


def suit_foundations(suit: int) -> str:
    """Name the foundations of a suit, as the source of a move."""
    return FOUNDATION + SUITS[suit]


@cache
def card_text(card: int) -> str:
    """Write a card: `TD` is the ten of diamonds, `??` a card not seen.

    >>> card_text(card_of(2, 10))
    'TD'
    """
    if card == UNKNOWN:
        return "??"
    return RANKS[rank_of(card) - 1] + SUITS[suit_of(card)]


def parse_card(text: object) -> int:
    """Read a card; raise ValueError for anything but a rank of A23456789TJQK and a suit of SHDC.

    >>> card_text(parse_card("QH"))
    'QH'
    """
    if isinstance(text, str) and len(text) == 2 and text[0] in RANKS and text[1] in SUITS:
        return card_of(SUITS.index(text[1]), RANKS.index(text[0]) + 1)
    raise ValueError(f"{text!r} is no card: a rank of {RANKS} and a suit of {SUITS}, as 'TD'")


def is_whole(value: object) -> TypeGuard[int]:
    """Tell whether a value is a whole number, Python's or NumPy's; True is none.

    >>> is_whole(3), is_whole(True), is_whole(3.0)
    (True, False, False)
    """
    return isinstance(value, Integral) and not isinstance(value, bool)


def face_down(text: str) -> str:
    """Write a card that lies face down: `<TD>`."""
    return f"<{text}>"


def is_face_down(text: object) -> bool:
    """Tell whether a card is written as lying face down."""
    return isinstance(text, str) and text.startswith("<") and text.endswith(">")


def cell_text(card: int) -> str | None:
    """Write a reserve cell: its card, or None."""
    return None if card == NO_CARD else card_text(card)


def board_text(position: Position, *, color: bool = False) -> str:
    """Draw a position: stock and waste, foundations, reserve, then the columns side by side.

    Args:
        position: as `env.unwrapped.position()` gives it.
        color: paint red suits red.
    """
    lines = [_header(position, color)]
    if position["reserve"]:
        lines.append("reserve  " + " ".join(_face(card, color) for card in position["reserve"]))
    lines += ["", " ".join(f"{column(i):<3}" for i in range(len(position["tableau"])))]
    for row in zip_longest(*position["tableau"], fillvalue=""):
        lines.append(" ".join(_face(card, color) for card in row))
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _header(position: Position, color: bool) -> str:
    stock, waste = position["stock"], position["waste"]
    parts = []
    if stock or waste:
        top = _face(waste[-1], color).rstrip() if waste else "--"
        parts.append(f"stock {len(stock)}  waste {len(waste)} {top}  pass {position['passes']}")
    heights = position["foundations"]
    parts.append("foundations " + " ".join(_suit(s, heights[s], color) for s in heights))
    if position["kings"]:
        parts.append(f"kings {position['kings']}")
    return "  ".join(parts)


def _suit(suit: str, heights: list[int], color: bool) -> str:
    tops = "".join(RANKS[height - 1] if height else "-" for height in heights)
    return _paint(_SYMBOLS[suit] + tops, suit, color)


def _face(card: str | None, color: bool) -> str:
    if not card:
        return "   " if card == "" else "-- "
    if is_face_down(card):
        return "[] "
    return _paint(card[0] + _SYMBOLS[card[1]], card[1], color) + " "


def _paint(text: str, suit: str, color: bool) -> str:
    if not color:
        return text
    return (_RED if suit in "HD" else _BLACK) + text + _PLAIN
