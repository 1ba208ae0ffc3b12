"""The pack of cards as pixels: ivory, gilded borders, crimson and ink; drawn once a size."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from solitaire_env.cards import RANKS, RED_SUITS, SUITS
from solitaire_env.render.courts import court_layers
from solitaire_env.render.felts import FELT_COLORS, Color
from solitaire_env.render.shapes import (
    FloatArray,
    rank_mask,
    rays,
    rounded_mask,
    stroked,
    suit_mask,
)

ByteArray = npt.NDArray[np.uint8]

IVORY: Final = (253, 247, 230)
CRIMSON: Final = (186, 16, 38)
INK: Final = (22, 20, 26)
GOLD: Final = (201, 158, 62)
SLOT: Final = (226, 196, 120)
PALE_GOLD: Final = (240, 212, 138)
EDGE: Final = (74, 56, 26)
SKIN: Final = (246, 222, 190)
SHADE: Final = (226, 212, 178)

BACK: Final = 0
"""Where the atlas has a card's back; cards 1..52 follow as in `cards`."""

CROWNED: Final = 53
"""Where the atlas has the face of a pile of Kings, whatever their suits."""

_RATIO: Final = 1.4
PIP_COLUMNS: Final = (0.27, 0.5, 0.73)
PIPS: Final[dict[str, tuple[tuple[int, float], ...]]] = {
    "2": ((1, 0.0), (1, 1.0)),
    "3": ((1, 0.0), (1, 0.5), (1, 1.0)),
    "4": ((0, 0.0), (2, 0.0), (0, 1.0), (2, 1.0)),
    "5": ((0, 0.0), (2, 0.0), (1, 0.5), (0, 1.0), (2, 1.0)),
    "6": ((0, 0.0), (2, 0.0), (0, 0.5), (2, 0.5), (0, 1.0), (2, 1.0)),
    "7": ((0, 0.0), (2, 0.0), (1, 0.25), (0, 0.5), (2, 0.5), (0, 1.0), (2, 1.0)),
    "8": ((0, 0.0), (2, 0.0), (1, 0.25), (0, 0.5), (2, 0.5), (1, 0.75), (0, 1.0), (2, 1.0)),
    "9": (*tuple((c, r / 3) for c in (0, 2) for r in range(4)), (1, 0.5)),
    "T": (*tuple((c, r / 3) for c in (0, 2) for r in range(4)), (1, 1 / 6), (1, 5 / 6)),
}
"""Rank -> (column, height) of each pip."""


@dataclass(frozen=True)
class Atlas:
    """A pack at one size, on one felt.

    Attributes:
        height: of a card, pixels.
        width: of a card, pixels.
        on_felt: (54, height, width * 3) uint8, round corners showing the felt.
        on_card: the same, upper corners showing the card that is overlapped.
    """

    height: int
    width: int
    on_felt: ByteArray
    on_card: ByteArray


def card_height(width: int) -> int:
    """Give the height of a card of a width."""
    return round(width * _RATIO)


def index_height(width: int) -> int:
    """Give the height of the rank in a card's corner."""
    return max(13, round(width * 0.165))


def index_width(width: int) -> int:
    """Give how much of a card's left side its rank and suit take, the widest rank's too."""
    tall = index_height(width)
    return 6 + _rank_sprite("T", tall).shape[1] + 2 + tall + 2


def paste(
    image: FloatArray, mask: FloatArray, top: float, left: float, color: Color | FloatArray
) -> None:
    """Lay a colour over an image (H, W, 3), in place, where a mask (h, w) says."""
    row, start = round(top), round(left)
    part = image[row : row + mask.shape[0], start : start + mask.shape[1]]
    cut = mask[: part.shape[0], : part.shape[1], None]
    part += (np.asarray(color, np.float32) - part) * cut


@cache
def card_atlas(width: int, felt: str) -> Atlas:
    """Draw the pack, `width` pixels a card."""
    faces, alpha = _pack(width), rounded_mask(card_height(width), width, 0, _radius(width))
    beneath = np.empty_like(faces[1])
    beneath[:] = FELT_COLORS[felt]
    on_felt = _merged(faces, alpha, beneath)
    top = len(beneath) // 2
    beneath[:top] = faces[1][top - 1]
    return Atlas(len(alpha), width, on_felt, _merged(faces, alpha, beneath))


def _merged(faces: FloatArray, alpha: FloatArray, beneath: FloatArray) -> ByteArray:
    """Lay faces (54, h, w, 3) on what is beneath; the result has its pixels side by side."""
    merged = beneath + (faces - beneath) * alpha[None, :, :, None]
    flat = merged.reshape(*merged.shape[:2], -1)
    return np.ascontiguousarray(np.clip(np.rint(flat), 0, 255).astype(np.uint8))


def _radius(width: int) -> float:
    return width * 0.075


@cache
def _pack(width: int) -> FloatArray:
    """Draw the back, the 52 faces and the Kings' pile: (54, h, w, 3) float32 0..255."""
    faces = [_face(rank, suit, width) for suit in SUITS for rank in RANKS]
    return np.stack([_back(width), *faces, _crowned(width)])


def _blank(width: int) -> FloatArray:
    """Give a card without a face, to draw on."""
    return _blank_card(width).copy()


@cache
def _blank_card(width: int) -> FloatArray:
    """Draw a dark edge, a gilded border, ivory."""
    height = card_height(width)
    image = np.empty((height, width, 3), np.float32)
    image[:] = EDGE
    paste(image, rounded_mask(height, width, 0.8, _radius(width)), 0, 0, _gilt(height, width))
    inner = rounded_mask(height, width, 3.0, _radius(width) - 2)
    paste(image, inner, 0, 0, IVORY)
    return image


def _gilt(height: int, width: int) -> FloatArray:
    """Shine gold along the diagonal: (height, width, 3)."""
    x, y = np.meshgrid(np.arange(width) / width, np.arange(height) / height)
    shine = (0.5 + 0.5 * np.sin((x + y) * 7.0))[..., None]
    return (np.array(GOLD) * (1 - shine) + np.array(PALE_GOLD) * shine).astype(np.float32)


def suit_color(suit: str) -> Color:
    """Give a suit's colour."""
    return CRIMSON if suit in RED_SUITS else INK


def _face(rank: str, suit: str, width: int) -> FloatArray:
    image = _blank(width)
    if rank == "A":
        _draw_ace(image, suit)
    elif rank in PIPS:
        _draw_pips(image, rank, suit)
    else:
        _draw_court(image, rank, suit)
    _draw_index(image, rank, suit)
    return image


def _draw_index(image: FloatArray, rank: str, suit: str) -> None:
    """Draw rank and suit side by side in the upper left corner."""
    tall = index_height(image.shape[1])
    sign = _rank_sprite(rank, tall)
    paste(image, sign, 5, 6, suit_color(suit))
    paste(image, _suit_sprite(suit, tall), 5, 6 + sign.shape[1] + 2, suit_color(suit))


def _draw_pips(image: FloatArray, rank: str, suit: str) -> None:
    height, width = image.shape[:2]
    size = round(width * 0.185)
    sprite = _suit_sprite(suit, size)
    for column, row in PIPS[rank]:
        middle = height * (0.335 + 0.52 * row)
        turned = sprite[::-1, ::-1] if row > 0.5 else sprite
        left = width * PIP_COLUMNS[column] - size / 2
        paste(image, turned, middle - size / 2, left, suit_color(suit))


def _draw_ace(image: FloatArray, suit: str) -> None:
    """Draw one large suit before a sun of gilded rays."""
    height, width = image.shape[:2]
    sun = round(width * 0.82)
    top, left = height * 0.58 - sun / 2, (width - sun) / 2
    paste(image, stroked(rays(36, 0.36, 0.48), 0.016, sun, sun), top, left, GOLD)
    paste(image, stroked(rays(12, 0.34, 0.5), 0.026, sun, sun), top, left, GOLD)
    size = round(width * 0.46)
    top, left = height * 0.58 - size / 2, (width - size) / 2
    paste(image, suit_mask(suit, size), top, left, suit_color(suit))


def _draw_court(image: FloatArray, rank: str, suit: str) -> None:
    """Draw a framed figure, and the same figure upside down."""
    height, width = image.shape[:2]
    half, across = round(height * 0.355), round(width * 0.78)
    top, left = round(height * 0.225), round((width - across) / 2)
    figure = _figure(rank, suit, half, across)
    image[top : top + half, left : left + across] = figure
    image[top + half : top + 2 * half, left : left + across] = figure[::-1, ::-1]
    _frame(image[top - 1 : top + 2 * half + 1, left - 1 : left + across + 1])


def _figure(rank: str, suit: str, half: int, across: int) -> FloatArray:
    colors = court_colors(suit)
    image = np.empty((half, across, 3), np.float32)
    image[:] = IVORY
    for name, mask in court_layers(rank, half, across):
        paste(image, mask, 0, 0, colors[name])
    size = round(across * 0.2)
    left = across - size - 3 if rank == "J" else 3
    paste(image, _suit_sprite(suit, size), 3, left, suit_color(suit))
    return image


def court_colors(suit: str) -> dict[str, Color]:
    """Name the colours of a suit's court cards: black suits wear blue."""
    return {
        "robe": suit_color(suit) if suit in RED_SUITS else (30, 38, 78),
        "gold": GOLD,
        "ink": INK,
        "skin": SKIN,
        "light": PALE_GOLD,
        "shade": SHADE,
    }


def _frame(part: FloatArray) -> None:
    for line in (part[0], part[-1], part[:, 0], part[:, -1]):
        line[:] = GOLD


def _back(width: int) -> FloatArray:
    """Draw the back: a gilded lattice on crimson."""
    image = _blank(width)
    height = len(image)
    x, y = np.meshgrid(np.arange(width) - width / 2 + 0.5, np.arange(height) - height / 2 + 0.5)
    pitch = width / 6
    lattice = np.minimum(*(np.abs((d / pitch + 0.5) % 1 - 0.5) for d in (x + y, x - y))) * pitch
    knots = np.hypot(*(np.abs((d / pitch) % 1 - 0.5) * pitch for d in (x + y, x - y)))
    panel = rounded_mask(height, width, 6.0, _radius(width) - 3)
    paste(image, panel, 0, 0, (122, 20, 36))
    paste(image, panel * np.clip(1.6 - lattice, 0, 1).astype(np.float32), 0, 0, GOLD)
    paste(image, panel * np.clip(pitch * 0.2 - knots, 0, 1).astype(np.float32), 0, 0, PALE_GOLD)
    return image


def _crowned(width: int) -> FloatArray:
    """Draw the face of a pile of Kings: a golden sign in a sun."""
    image = _blank(width)
    height, sun, tall = len(image), round(width * 0.9), round(width * 0.36)
    top = height * 0.36 - sun / 2
    paste(image, stroked(rays(36, 0.34, 0.48), 0.016, sun, sun), top, (width - sun) / 2, GOLD)
    sign = _rank_sprite("K", tall)
    paste(image, sign, height * 0.36 - tall / 2, (width - sign.shape[1]) / 2, GOLD)
    return image


@cache
def _rank_sprite(sign: str, height: int) -> FloatArray:
    return rank_mask(sign, height)


@cache
def _suit_sprite(suit: str, size: int) -> FloatArray:
    return suit_mask(suit, size)


def number_mask(number: int, height: int) -> FloatArray:
    """Draw a number: (height, its width) 0..1."""
    parts: Sequence[FloatArray] = [_rank_sprite(digit, height) for digit in str(number)]
    gap = np.zeros((height, 1), np.float32)
    return np.hstack([piece for part in parts for piece in (part, gap)])
