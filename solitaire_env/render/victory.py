"""A won game's last seconds: the cards leap from the foundations across the table."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from solitaire_env.cards import RANKS, SUITS
from solitaire_env.notation import Position
from solitaire_env.render.atlas import Atlas, ByteArray, card_atlas
from solitaire_env.render.table import draw_table, table_layout
from solitaire_env.rulesheet import RuleSheet

FRAMES: Final = 60
_EVERY: Final = 4
_GRAVITY: Final = 2.2
_BOUNCE: Final = -0.78

Leap = tuple[int, float, float, float, float]
"""Card, row, column, and speed down and across, pixels and pixels a frame."""


def victory_frames(sheet: RuleSheet, position: Position, felt: str) -> Iterator[ByteArray]:
    """Draw the leaps after a win: `FRAMES` arrays (H, W, 3) uint8, one buffer drawn on anew."""
    atlas = card_atlas(table_layout(sheet).card_width, felt)
    frame = draw_table(sheet, position, felt)
    waiting = _leaps(sheet, position)
    flying: list[Leap] = []
    for index in range(FRAMES):
        if index % _EVERY == 0 and waiting:
            flying.append(waiting.pop(0))
        flying = [_fly(leap, frame.shape[0] - atlas.height) for leap in flying]
        for leap in flying:
            _stamp(frame, atlas, leap)
        yield frame


def _leaps(sheet: RuleSheet, position: Position) -> list[Leap]:
    """Take one card off each foundation after another, thrown alternately left and right."""
    places = table_layout(sheet).foundations
    piles = [
        (SUITS.index(suit) * len(RANKS) + height, place)
        for suit, heights in position["foundations"].items()
        for height, place in zip(heights, places[suit], strict=True)
        if height
    ]
    order = chain(piles[::-2], piles[::2])
    return [
        (card, row, left, -9.0 + index % 5 * 2, -7.0 - index % 4 * 4)
        for index, (card, (row, left)) in enumerate(order)
    ]


def _fly(leap: Leap, floor: int) -> Leap:
    card, row, left, down, across = leap
    row, down = row + down, down + _GRAVITY
    if row > floor:
        row, down = float(floor), down * _BOUNCE
    return card, row, left + across, down, across


def _stamp(frame: ByteArray, atlas: Atlas, leap: Leap) -> None:
    """Draw a leaping card, where it is on the table; it leaves its picture behind."""
    top, left = max(0, round(leap[1])), round(leap[2])
    image = atlas.on_felt[leap[0]].reshape(atlas.height, atlas.width, 3)[:, max(0, -left) :]
    part = frame[top : top + atlas.height, max(0, left) : max(0, left + atlas.width)]
    part[:] = image[: part.shape[0], : part.shape[1]]
