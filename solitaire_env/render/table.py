"""A position as a picture: a place for every pile, and cards blitted there.

The rule sheet tells how many piles there are and how deep a column can grow; everything else is
read from the position.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np

from solitaire_env.cards import RANKS, SUITS
from solitaire_env.notation import Position, face_down
from solitaire_env.render.atlas import (
    BACK,
    CROWNED,
    IVORY,
    SLOT,
    ByteArray,
    card_atlas,
    card_height,
    index_height,
    index_width,
    number_mask,
    paste,
)
from solitaire_env.render.felts import FELT_COLORS
from solitaire_env.render.shapes import FloatArray, rank_mask, rounded_mask, suit_mask
from solitaire_env.rulesheet import RuleSheet

Place = tuple[int, int]
"""Upper left corner of a card: row and column, pixels."""

WIDTH: Final = 1280
HEIGHT: Final = 800
_MARGIN: Final = 14
_GAP: Final = 14
_NARROWEST: Final = 74
"""Pixels that a column needs at least for a card on which the index can be read."""

_WIDEST: Final = 100
_FAN: Final = 3
"""Cards of the waste that are seen at most."""

_CHANNELS: Final = 3
EMPTY: Final = ""
"""What lies on a place where any card may come."""

STOCK: Final = "stock"
KINGS: Final = "kings"
_SLOTS: Final = {STOCK: EMPTY, KINGS: "K"}
"""Counted pile -> what is seen where it is empty."""

_CARDS: Final = {
    rank + suit: i * len(RANKS) + j + 1
    for i, suit in enumerate(SUITS)
    for j, rank in enumerate(RANKS)
}


@dataclass(frozen=True)
class Layout:
    """Where everything lies on the table of a rule sheet, pixels.

    Attributes:
        height: of the picture.
        width: of the picture.
        card_width: of a card.
        step: how far a card lies below the one that it overlaps.
        columns: places of the columns' bottom cards.
        reserve: places of the reserve cells.
        foundations: suit -> places of its foundations.
        kings: where Kings that leave are counted; None: they don't.
        stock: None without a stock.
        waste: None without a stock.
        fan: cards of the waste that are seen.
        fan_step: how far a card of the waste lies beside the one that it overlaps.
    """

    height: int
    width: int
    card_width: int
    step: int
    columns: tuple[Place, ...]
    reserve: tuple[Place, ...]
    foundations: dict[str, tuple[Place, ...]]
    kings: Place | None
    stock: Place | None
    waste: Place | None
    fan: int
    fan_step: int


@cache
def table_layout(sheet: RuleSheet) -> Layout:
    """Lay the table of a rule sheet out: the same places, and the same size, for every position."""
    piles = sheet.tableau.piles
    pitch = max(_NARROWEST, (WIDTH - _MARGIN) // piles)
    card = min(_WIDEST, pitch - pitch // 10)
    width = max(WIDTH, pitch * piles + _MARGIN)
    tall = card_height(card)
    across = _spread(piles, pitch, width, card)
    top = _MARGIN + (tall + _GAP) * (2 if sheet.reserve else 1)
    step, height = _step(sheet.depth, top, card)
    reserve = _spread(sheet.reserve, card + 8, width, card)
    return Layout(
        height=height,
        width=width + width % 2,
        card_width=card,
        step=step,
        columns=tuple((top, left) for left in across),
        reserve=tuple((_MARGIN + tall + _GAP, left) for left in reserve),
        stock=(_MARGIN, across[0]) if sheet.stock_cards else None,
        waste=(_MARGIN, across[0] + card + 8) if sheet.stock_cards else None,
        fan=min(_FAN, sheet.draw),
        fan_step=index_width(card),
        **_upper_right(sheet, width, card, across),
    )


def _spread(count: int, pitch: int, width: int, card: int) -> list[int]:
    """Centre a row of cards; lists their left edges."""
    if count > 1:
        pitch = min(pitch, (width - 2 * _MARGIN - card) // (count - 1))
    left = (width - (count - 1) * pitch - card) // 2
    return [left + place * pitch for place in range(count)]


def _step(depth: int, top: int, card: int) -> tuple[int, int]:
    """Choose how far cards overlap, and a picture high enough for the deepest column."""
    least = index_height(card) + 6
    room = HEIGHT - _MARGIN - top - card_height(card)
    step = min(2 * least, max(least, room // max(1, depth - 1)))
    height = max(HEIGHT, top + (depth - 1) * step + card_height(card) + _MARGIN)
    return step, height + height % 2


def _upper_right(sheet: RuleSheet, width: int, card: int, across: list[int]) -> dict[str, Any]:
    """Place the foundations, and the Kings' pile left of them."""
    suits, kings = SUITS[: sheet.suits], sheet.foundations.kings_leave
    count = len(suits) * sheet.decks + kings
    end = min(width - _MARGIN, across[-1] + card) - card
    fanned = (min(_FAN, sheet.draw) - 1) * index_width(card)
    start = across[0] + (2 * card + 32 + fanned if sheet.stock_cards else 0)
    pitch = min(card + 8, (end - start) // max(1, count - 1))
    places = [(_MARGIN, end - pitch * (count - 1 - place)) for place in range(count)]
    tops = places[kings:]
    return {
        "kings": places[0] if kings else None,
        "foundations": {
            suit: tuple(tops[i * sheet.decks : (i + 1) * sheet.decks])
            for i, suit in enumerate(suits)
        },
    }


def draw_table(sheet: RuleSheet, position: Position, felt: str) -> ByteArray:
    """Draw a position: a fresh (H, W, 3) uint8, H and W the same for every position of a sheet.

    Args:
        sheet: what the table is laid out for.
        position: as `env.unwrapped.position()` gives it.
        felt: "royal-crimson", "emerald-green" or "midnight-navy".
    """
    layout = table_layout(sheet)
    brush = _brush(layout.card_width, felt, layout.step)
    frame = np.empty((layout.height, layout.width * _CHANNELS), np.uint8)
    # Felt goes where cards come next: memory that was just written is written again much faster.
    bare, top, floor = _felt_row(layout.width, felt), layout.columns[0][0], _floor(layout, position)
    frame[floor:] = bare
    frame[top:floor] = bare
    for place, cards in zip(layout.columns, position["tableau"], strict=True):
        _draw_column(frame, brush, place, cards)
    frame[:top] = bare
    for place, card in zip(layout.reserve, position["reserve"], strict=True):
        _blit(frame, brush.alone[card or EMPTY], place)
    _draw_foundations(frame, brush, layout, position)
    if layout.stock and layout.waste:
        _draw_counted(frame, brush, layout.stock, STOCK, len(position["stock"]))
        _draw_waste(frame, brush, layout, layout.waste, position["waste"])
    return frame.reshape(layout.height, layout.width, _CHANNELS)


def _floor(layout: Layout, position: Position) -> int:
    """Give the row below the deepest column."""
    deepest = max(1, *map(len, position["tableau"]))
    return layout.columns[0][0] + (deepest - 1) * layout.step + card_height(layout.card_width)


@cache
def _felt_row(width: int, felt: str) -> ByteArray:
    """Give one row of felt, which stays in the processor's nearest cache: (width * 3,) uint8."""
    return np.tile(np.array(FELT_COLORS[felt], np.uint8), width)


def _blit(frame: ByteArray, image: ByteArray, place: Place) -> None:
    """Copy an image (h, w * 3) into a frame (H, W * 3), in place."""
    row, left = place[0], place[1] * _CHANNELS
    frame[row : row + image.shape[0], left : left + image.shape[1]] = image


@dataclass(frozen=True)
class _Brush:
    """What is seen of cards, by their names in a position: views of an atlas.

    Attributes:
        bottom: the upper strip of a column's bottom card.
        middle: the upper strip of a card between others.
        top: the whole of a card on top of others.
        alone: the whole of a card alone, and of empty places by what they wait for.
        height: of a card, pixels.
        width: of a card, pixels.
    """

    bottom: dict[str, ByteArray]
    middle: dict[str, ByteArray]
    top: dict[str, ByteArray]
    alone: dict[str, ByteArray]
    height: int
    width: int


@cache
def _brush(width: int, felt: str, step: int) -> _Brush:
    atlas = card_atlas(width, felt)
    alone, top = (_named(images) for images in (atlas.on_felt, atlas.on_card))
    bottom, middle = (
        {name: image[:step] for name, image in names.items()} for names in (alone, top)
    )
    alone |= {KINGS: atlas.on_felt[CROWNED], STOCK: atlas.on_felt[BACK]} | _slots(width, felt)
    return _Brush(bottom, middle, top, alone, atlas.height, width)


def _named(images: ByteArray) -> dict[str, ByteArray]:
    """Name the images of cards, lying face up and face down."""
    names = {card: images[number] for card, number in _CARDS.items()}
    return names | {face_down(card): images[BACK] for card in _CARDS}


def _draw_column(frame: ByteArray, brush: _Brush, place: Place, cards: list[str]) -> None:
    """Lay what is seen of each card below the other, in one go: a call a card is slow."""
    if len(cards) < 2:
        _blit(frame, brush.alone[cards[0] if cards else EMPTY], place)
        return
    middle = brush.middle
    parts = [middle[card] for card in cards]
    parts[0], parts[-1] = brush.bottom[cards[0]], brush.top[cards[-1]]
    height = (len(cards) - 1) * parts[0].shape[0] + brush.height
    row, left = place[0], place[1] * _CHANNELS
    np.concatenate(parts, out=frame[row : row + height, left : left + brush.width * _CHANNELS])


def _draw_foundations(frame: ByteArray, brush: _Brush, layout: Layout, position: Position) -> None:
    for suit, places in layout.foundations.items():
        for place, height in zip(places, position["foundations"][suit], strict=True):
            _blit(frame, brush.alone[RANKS[height - 1] + suit if height else suit], place)
    if layout.kings:
        _draw_counted(frame, brush, layout.kings, KINGS, position["kings"])


def _draw_counted(frame: ByteArray, brush: _Brush, place: Place, name: str, count: int) -> None:
    """Draw a pile with the number of its cards on a dark medal."""
    _blit(frame, brush.alone[name if count else _SLOTS[name]], place)
    if count:
        medal = _medal(count, index_height(brush.width))
        row = place[0] + round(brush.height * 0.76) - medal.shape[0] // 2
        _blit(frame, medal, (row, place[1] + (brush.width - medal.shape[1] // _CHANNELS) // 2))


def _draw_waste(
    frame: ByteArray, brush: _Brush, layout: Layout, place: Place, cards: list[str]
) -> None:
    """Fan the last cards of the waste."""
    row, left = place
    for index, card in enumerate(cards[-layout.fan :] or [EMPTY]):
        _blit(frame, brush.alone[card], (row, left + index * layout.fan_step))


@cache
def _medal(count: int, height: int) -> ByteArray:
    mask = number_mask(count, height)
    tall, wide = height + 10, mask.shape[1] + 14
    image = np.empty((tall, wide, _CHANNELS), np.float32)
    image[:] = (44, 30, 20)
    paste(image, mask, 5, 7, IVORY)
    return np.rint(image).astype(np.uint8).reshape(tall, -1)


def _slots(width: int, felt: str) -> dict[str, ByteArray]:
    """Draw what is seen of empty piles, by what they wait for: (height, width * 3) uint8 each."""
    size = width // 2
    marks: dict[str, FloatArray | None] = {suit: suit_mask(suit, size) for suit in SUITS}
    marks |= {EMPTY: None, _SLOTS[KINGS]: rank_mask("K", size)}
    return {name: _slot(width, felt, mark) for name, mark in marks.items()}


def _slot(width: int, felt: str, mark: FloatArray | None) -> ByteArray:
    """Draw a line around an empty place, and a sign in it."""
    height = card_height(width)
    image = np.empty((height, width, _CHANNELS), np.float32)
    image[:] = FELT_COLORS[felt]
    outline = rounded_mask(height, width, 0.5, width * 0.075)
    paste(image, outline * 0.10, 0, 0, (0, 0, 0))
    ring = outline - rounded_mask(height, width, 2.0, width * 0.06)
    paste(image, ring * 0.45, 0, 0, SLOT)
    if mark is not None:
        top, left = (height - mark.shape[0]) / 2, (width - mark.shape[1]) / 2
        paste(image, mark * 0.35, top, left, SLOT)
    return np.rint(image).astype(np.uint8).reshape(height, -1)
