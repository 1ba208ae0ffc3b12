"""A position as a picture: a place for every pile, and cards blitted there.

The rule sheet tells how many piles there are and how deep a column can grow; everything else is
read from the position.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
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
from solitaire_env.render.blitting import IntArray, blit_piles
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

_PACK: Final = CROWNED + 1
"""Images of an atlas."""

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

    @cached_property
    def places(self) -> IntArray:
        """List row and byte of where every pile lies, in the order in which they are drawn.

        Columns, reserve, foundations, Kings, stock, and each card of the waste that is seen.
        """
        piles = [*self.columns, *self.reserve, *chain.from_iterable(self.foundations.values())]
        piles += [place for place in (self.kings, self.stock) if place]
        if self.waste:
            row, left = self.waste
            piles += [(row, left + card * self.fan_step) for card in range(self.fan)]
        return np.array(piles, np.int64) * (1, _CHANNELS)


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
    brush = _brush(layout.card_width, felt)
    frame = np.empty((layout.height, layout.width * _CHANNELS), np.uint8)
    piles = _piles(layout, brush, position)
    bare = _felt_row(layout.width, felt)
    blit_piles(frame, bare, brush.images, layout.places, piles, layout.step)
    if layout.stock:
        _draw_count(frame, layout, layout.stock, len(position["stock"]))
    if layout.kings:
        _draw_count(frame, layout, layout.kings, position["kings"])
    return frame.reshape(layout.height, layout.width, _CHANNELS)


@cache
def _felt_row(width: int, felt: str) -> ByteArray:
    """Give one row of felt: (width * 3,) uint8."""
    return np.tile(np.array(FELT_COLORS[felt], np.uint8), width)


@dataclass(frozen=True)
class _Brush:
    """What is seen of cards, by their names in a position.

    Attributes:
        images: (n, height, width * 3) uint8.
        alone: numbers of the images of cards alone, and of empty places by what they wait for.
        covering: numbers of the images of cards that lie on others.
    """

    images: ByteArray
    alone: dict[str, int]
    covering: dict[str, int]

    def column(self, cards: list[str]) -> list[int]:
        """List the images of a column's cards."""
        if not cards:
            return [self.alone[EMPTY]]
        return [self.alone[cards[0]], *map(self.covering.__getitem__, cards[1:])]


@cache
def _brush(width: int, felt: str) -> _Brush:
    atlas, slots = card_atlas(width, felt), _slots(width, felt)
    alone = _named(0) | {KINGS: CROWNED, STOCK: BACK}
    alone |= {name: 2 * _PACK + place for place, name in enumerate(slots)}
    images = np.concatenate([atlas.on_felt, atlas.on_card, np.stack(list(slots.values()))])
    return _Brush(images, alone, _named(_PACK))


def _named(first: int) -> dict[str, int]:
    """Number the images of cards, lying face up and face down, of an atlas that begins so."""
    names = {card: first + number for card, number in _CARDS.items()}
    return names | {face_down(card): first + BACK for card in _CARDS}


def _piles(layout: Layout, brush: _Brush, position: Position) -> list[list[int]]:
    """List the images of all piles, in the order of `Layout.places`."""
    alone = brush.alone
    piles = [brush.column(cards) for cards in position["tableau"]]
    piles += [[alone[card or EMPTY]] for card in position["reserve"]]
    for suit in layout.foundations:
        heights = position["foundations"][suit]
        piles += [[alone[RANKS[height - 1] + suit if height else suit]] for height in heights]
    if layout.kings:
        piles.append([alone[KINGS if position["kings"] else _SLOTS[KINGS]]])
    if layout.stock:
        piles.append([alone[STOCK if position["stock"] else _SLOTS[STOCK]]])
        piles += [[alone[card]] for card in position["waste"][-layout.fan :] or [EMPTY]]
    return piles


def _draw_count(frame: ByteArray, layout: Layout, place: Place, count: int) -> None:
    """Write the number of a pile's cards on it, on a dark medal."""
    if not count:
        return
    medal = _medal(count, index_height(layout.card_width))
    tall, wide = medal.shape[0], medal.shape[1] // _CHANNELS
    row = place[0] + round(card_height(layout.card_width) * 0.76) - tall // 2
    left = (place[1] + (layout.card_width - wide) // 2) * _CHANNELS
    frame[row : row + tall, left : left + medal.shape[1]] = medal


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
