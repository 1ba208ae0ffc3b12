"""A position as a picture: a place for every pile, and cards blitted there.

The rule sheet tells how many piles there are and how deep a column can grow; everything else is
read from the position.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np

from solitaire_env.cards import RANKS, SUITS
from solitaire_env.notation import Position, is_face_down
from solitaire_env.render.atlas import (
    BACK,
    IVORY,
    KINGS,
    Atlas,
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
    atlas = card_atlas(layout.card_width, felt)
    frame = _empty_table(sheet, felt).copy()
    for place, cards in zip(layout.columns, position["tableau"], strict=True):
        _draw_column(frame, atlas, place, layout.step, cards)
    for place, card in zip(layout.reserve, position["reserve"], strict=True):
        if card:
            _blit(frame, atlas.on_felt[_CARDS[card]], place)
    _draw_foundations(frame, atlas, layout, position)
    if layout.stock and layout.waste:
        _draw_stock(frame, atlas, layout.stock, len(position["stock"]))
        _draw_waste(frame, atlas, layout, layout.waste, position["waste"])
    return frame.reshape(layout.height, layout.width, _CHANNELS)


def _number(card: str) -> int:
    return BACK if is_face_down(card) else _CARDS[card]


def _blit(frame: ByteArray, image: ByteArray, place: Place) -> None:
    """Copy an image (h, w * 3) into a frame (H, W * 3), in place."""
    row, left = place[0], place[1] * _CHANNELS
    frame[row : row + image.shape[0], left : left + image.shape[1]] = image


def _draw_column(frame: ByteArray, atlas: Atlas, place: Place, step: int, cards: list[str]) -> None:
    """Blit what is seen of each card: a strip, and the whole top card."""
    row, left = place
    images = atlas.on_felt
    for card in cards[:-1]:
        _blit(frame, images[_number(card), :step], (row, left))
        images, row = atlas.on_card, row + step
    if cards:
        _blit(frame, images[_number(cards[-1])], (row, left))


def _draw_foundations(frame: ByteArray, atlas: Atlas, layout: Layout, position: Position) -> None:
    for suit, places in layout.foundations.items():
        for place, height in zip(places, position["foundations"][suit], strict=True):
            if height:
                _blit(frame, atlas.on_felt[_CARDS[RANKS[height - 1] + suit]], place)
    if layout.kings and position["kings"]:
        _blit(frame, atlas.on_felt[KINGS], layout.kings)
        _draw_count(frame, atlas, layout.kings, position["kings"])


def _draw_stock(frame: ByteArray, atlas: Atlas, place: Place, count: int) -> None:
    """Draw the stock face down, with the number of its cards."""
    if count:
        _blit(frame, atlas.on_felt[BACK], place)
        _draw_count(frame, atlas, place, count)


def _draw_waste(
    frame: ByteArray, atlas: Atlas, layout: Layout, place: Place, cards: list[str]
) -> None:
    """Fan the last cards of the waste."""
    row, left = place
    for index, card in enumerate(cards[-layout.fan :]):
        _blit(frame, atlas.on_felt[_CARDS[card]], (row, left + index * layout.fan_step))


def _draw_count(frame: ByteArray, atlas: Atlas, place: Place, count: int) -> None:
    """Draw a number on a dark medal on the lower half of a card."""
    medal = _medal(count, index_height(atlas.width))
    row = place[0] + round(atlas.height * 0.76) - medal.shape[0] // 2
    _blit(frame, medal, (row, place[1] + (atlas.width - medal.shape[1] // _CHANNELS) // 2))


@cache
def _medal(count: int, height: int) -> ByteArray:
    mask = number_mask(count, height)
    tall, wide = height + 10, mask.shape[1] + 14
    image = np.empty((tall, wide, _CHANNELS), np.float32)
    image[:] = (44, 30, 20)
    paste(image, mask, 5, 7, IVORY)
    return np.rint(image).astype(np.uint8).reshape(tall, -1)


@cache
def _empty_table(sheet: RuleSheet, felt: str) -> ByteArray:
    """Draw the felt and a slot for every pile: (H, W * 3) uint8."""
    layout = table_layout(sheet)
    image = _felt(layout.height, layout.width, felt)
    plain = [*layout.columns, *layout.reserve, layout.stock, layout.waste]
    marks: list[tuple[Place | None, FloatArray | None]] = [(place, None) for place in plain]
    size = layout.card_width // 2
    for suit, places in layout.foundations.items():
        marks += [(place, suit_mask(suit, size)) for place in places]
    marks.append((layout.kings, rank_mask("K", size)))
    for place, mark in marks:
        if place:
            _draw_slot(image, place, layout.card_width, mark)
    return np.rint(image).astype(np.uint8).reshape(layout.height, -1)


def _felt(height: int, width: int, felt: str) -> FloatArray:
    """Weave a felt: its colour with a fine grain that no corner of a card shows."""
    grain = np.random.default_rng(0).integers(-2, 3, (height, width, 1))
    return (np.array(FELT_COLORS[felt]) + grain).clip(0, 255).astype(np.float32)


def _draw_slot(image: FloatArray, place: Place, card: int, mark: FloatArray | None) -> None:
    """Mark an empty pile's place: a line around it, and a sign."""
    height, (row, left) = card_height(card), place
    outline = rounded_mask(height, card, 0.5, card * 0.075)
    ring = outline - rounded_mask(height, card, 2.0, card * 0.06)
    paste(image, outline * 0.10, row, left, (0, 0, 0))
    paste(image, ring * 0.45, row, left, (226, 196, 120))
    if mark is not None:
        top = row + (height - mark.shape[0]) / 2
        paste(image, mark * 0.35, top, left + (card - mark.shape[1]) / 2, (226, 196, 120))
