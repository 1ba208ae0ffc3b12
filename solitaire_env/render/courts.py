"""Jack, Queen and King as woodcuts: half a figure, drawn again upside down below."""

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from solitaire_env.render.shapes import FloatArray, Points, ellipse, filled, stroked

Layer = tuple[str, FloatArray]
"""A colour's name and where it goes: (height, width) 0..1."""

WIDTH: Final = 1.3
"""Of half a figure whose height is 1."""

_MIDDLE: Final = WIDTH / 2


def _mirrored(points: Points) -> Points:
    """Complete the left half of an outline by its mirror image."""
    return [*points, *((WIDTH - x, y) for x, y in reversed(points))]


_ROBE: Final = _mirrored([(0.0, 1.02), (0.06, 0.84), (0.22, 0.72), (0.48, 0.65)])
_COLLAR: Final = _mirrored([(0.42, 0.67), (0.5, 0.63), (_MIDDLE, 0.98)])
_FACE: Final = ellipse(_MIDDLE, 0.46, 0.15, 0.19)
_NECK: Final = _mirrored([(0.57, 0.6), (0.57, 0.74)])
_EYES: Final = [ellipse(_MIDDLE + side, 0.43, 0.026, 0.022) for side in (-0.065, 0.065)]
_FEATURES: Final = [
    [(_MIDDLE - 0.1, 0.385), (_MIDDLE - 0.03, 0.39)],
    [(_MIDDLE + 0.03, 0.39), (_MIDDLE + 0.1, 0.385)],
    [(_MIDDLE, 0.44), (_MIDDLE - 0.02, 0.51), (_MIDDLE + 0.01, 0.515)],
    [(_MIDDLE - 0.045, 0.565), (_MIDDLE + 0.045, 0.565)],
]

_HAIR: Final[dict[str, list[Points]]] = {
    "J": [_mirrored([(0.44, 0.64), (0.45, 0.36), (0.52, 0.24)])],
    "Q": [_mirrored([(0.34, 0.84), (0.36, 0.7), (0.42, 0.36), (0.52, 0.22)])],
    "K": [_mirrored([(0.46, 0.62), (0.45, 0.36), (0.52, 0.24)])],
}
_BEARD: Final = _mirrored([(0.5, 0.5), (0.52, 0.7), (0.58, 0.8), (_MIDDLE, 0.86)])
_BEARD_GAP: Final = _mirrored([(0.53, 0.45), (0.56, 0.545), (_MIDDLE, 0.53)])
_CROWN: Final = _mirrored(
    [(0.46, 0.3), (0.36, 0.02), (0.5, 0.14), (0.55, 0.0), (0.61, 0.13), (_MIDDLE, -0.02)]
)
_CORONET: Final = _mirrored([(0.47, 0.28), (0.42, 0.1), (0.54, 0.19), (_MIDDLE, 0.06)])
_CAP: Final = _mirrored([(0.4, 0.3), (0.36, 0.2), (0.46, 0.1), (_MIDDLE, 0.07)])
_PLUME: Final = [(0.8, 0.22), *ellipse(1.0, 0.22, 0.17, 0.17, 200, 330)]
_HATS: Final = {"J": ("robe", [_CAP]), "Q": ("gold", [_CORONET]), "K": ("gold", [_CROWN])}
_JEWELS: Final[dict[str, list[Points]]] = {
    "J": [],
    "Q": [ellipse(x, y, 0.04, 0.04) for x, y in ((0.42, 0.1), (_MIDDLE, 0.06), (0.88, 0.1))],
    "K": [ellipse(x, 0.23, 0.035, 0.035) for x in (0.53, _MIDDLE, 0.77)],
}
_ARMS: Final[dict[str, list[Points]]] = {
    "J": [[(0.12, 0.34), (0.12, 1.0)], [(0.04, 0.44), (0.12, 0.3), (0.2, 0.44)]],
    "Q": [[(1.12, 0.98), (1.12, 0.6)]],
    "K": [[(1.16, 0.3), (1.16, 1.0)], [(1.06, 0.78), (1.26, 0.78)]],
}
_BLOOM: Final = [
    ellipse(1.12 + x, 0.5 + y, 0.07, 0.07)
    for x, y in ((-0.07, 0.0), (0.07, 0.0), (0.0, -0.07), (0.0, 0.07))
]


class Hatch(NamedTuple):
    """Parallel lines, as a woodcutter shades: their slope, period and strength."""

    slope: float
    period: float
    strength: float


class Part(NamedTuple):
    """Some outlines of a figure in one colour.

    Attributes:
        color: "robe", "gold", "ink", "skin", "light" or "shade".
        outlines: in a box of height 1 and width `WIDTH`.
        line: width of their strokes; 0: they are filled.
        hatch: shades what they fill; None: plain.
    """

    color: str
    outlines: Sequence[Points]
    line: float = 0.0
    hatch: Hatch | None = None


@cache
def court_parts(rank: str) -> tuple[Part, ...]:
    """List the parts of half a figure ("J", "Q" or "K"), the lowest first."""
    hair, (hat_color, hat) = _HAIR[rank], _HATS[rank]
    closed = [[*points, points[0]] for points in hat]
    return (
        Part("shade", [_GROUND], hatch=Hatch(0.0, 0.09, 1.0)),
        Part("gold", _ARMS[rank], 0.06),
        *_EXTRAS[rank],
        Part("robe", [_ROBE]),
        Part("light", [_ROBE], hatch=Hatch(1.0, 0.115, 0.8)),
        Part("ink", hair),
        Part("gold", hair, hatch=Hatch(3.0, 0.085, 0.75)),
        Part("gold", [_COLLAR]),
        Part("ink", [_COLLAR], 0.03),
        Part("skin", [_NECK, _FACE]),
        Part("ink", [_FACE], 0.03),
        *(_BEARDED if rank == "K" else ()),
        Part("ink", _EYES),
        Part("ink", _FEATURES, 0.026),
        Part(hat_color, hat),
        Part("ink", closed, 0.03),
        *([Part("gold", [_PLUME], 0.07)] if rank == "J" else []),
        Part("robe", _JEWELS[rank]),
    )


_GROUND: Final = [(0.0, 0.0), (WIDTH, 0.0), (WIDTH, 1.02), (0.0, 1.02)]
_BEARDED: Final = (
    Part("ink", [_BEARD]),
    Part("gold", [_BEARD], hatch=Hatch(4.0, 0.07, 0.6)),
    Part("skin", [_BEARD_GAP]),
)
_FLOWER: Final = (Part("robe", _BLOOM), Part("gold", [ellipse(1.12, 0.5, 0.05, 0.05)]))
_EXTRAS: Final[dict[str, tuple[Part, ...]]] = {"J": (), "Q": _FLOWER, "K": ()}


@cache
def court_layers(rank: str, height: int, width: int) -> tuple[Layer, ...]:
    """Draw half of a court card's figure, bottom layer first, `height` pixels high.

    Args:
        rank: "J", "Q" or "K".
        height: of half the figure.
        width: of the figure, about `WIDTH` times the height.
    """
    return tuple((part.color, _mask(part, height, width)) for part in court_parts(rank))


def _mask(part: Part, height: int, width: int) -> FloatArray:
    if part.line:
        return stroked(part.outlines, part.line, height, width)
    mask = filled(part.outlines, height, width)
    return mask if part.hatch is None else mask * _hatching(height, width, part.hatch)


def _hatching(height: int, width: int, hatch: Hatch) -> FloatArray:
    """Draw the lines of a hatch: (height, width) 0..1."""
    x, y = np.meshgrid(np.arange(width) / height, np.arange(height) / height)
    period = hatch.period * max(1.0, hatch.slope)
    phase = (y + hatch.slope * np.abs(x - _MIDDLE)) / period % 1
    return (np.clip(1.6 - np.abs(phase - 0.5) * 6, 0, 1) * hatch.strength).astype(np.float32)
