"""Outlines of suits, ranks and figures, as our own numbers; no font, no picture file.

Points are (x, y) in a box of height 1, y downwards. A polygon is filled, a stroke has round ends.
"""

import itertools
from collections.abc import Iterable, Sequence
from math import cos, pi, sin, tau
from typing import Final

import numpy as np
import numpy.typing as npt

Points = Sequence[tuple[float, float]]
FloatArray = npt.NDArray[np.float32]
BoolArray = npt.NDArray[np.bool_]

SAMPLES: Final = 4
"""Samples of a pixel each way: what smooths the edges."""

STROKE: Final = 0.15
"""Width of a rank's strokes."""


def ellipse(x: float, y: float, wide: float, tall: float, start: int = 0, end: int = 360) -> Points:
    """List points of an ellipse or a part of it; 0 degrees is right, 90 below."""
    steps = range(25)
    angles = [(start + (end - start) * step / (len(steps) - 1)) * tau / 360 for step in steps]
    return [(x + wide * cos(angle), y + tall * sin(angle)) for angle in angles]


def _heart(top: float, bottom: float) -> Points:
    """A heart between two heights; bottom above top turns it over."""
    points: list[tuple[float, float]] = []
    for step in range(48):
        t = step * tau / 48
        depth = 13 * cos(t) - 5 * cos(2 * t) - 2 * cos(3 * t) - cos(4 * t)
        points.append((0.5 + 0.46 * sin(t) ** 3, top + (bottom - top) * (12 - depth) / 29))
    return points


def _diamond() -> Points:
    """A rhombus whose sides bend in a little."""
    points: list[tuple[float, float]] = []
    for step in range(48):
        angle = step * tau / 48
        across, down = cos(angle), sin(angle)
        size = (abs(across) ** 1.15 + abs(down) ** 1.15) ** (-1 / 1.15)
        pinch = 1 - 0.1 * abs(sin(2 * angle))
        points.append((0.5 + 0.4 * across * size * pinch, 0.5 + 0.5 * down * size * pinch))
    return points


_STEM: Final = [(0.46, 0.5), (0.54, 0.5), (0.57, 0.82), (0.7, 0.98), (0.3, 0.98), (0.43, 0.82)]
_LEAVES: Final = [ellipse(x, y, 0.225, 0.225) for x, y in ((0.5, 0.24), (0.25, 0.6), (0.75, 0.6))]

SUIT_POLYGONS: Final[dict[str, list[Points]]] = {
    "S": [_heart(0.82, 0.0)[::-1], _STEM],
    "H": [_heart(0.03, 0.98)],
    "D": [_diamond()],
    "C": [*_LEAVES, [(0.4, 0.4), (0.6, 0.4), (0.6, 0.66), (0.4, 0.66)], _STEM],
}
"""Suit -> polygons in a box of width 1, all of a suit wound one way.

An SVG would leave a hole where two overlap that are not.
"""

_ZERO: Final = [ellipse(0.3, 0.5, 0.27, 0.5)]

RANK_STROKES: Final[dict[str, list[Points]]] = {
    "0": _ZERO,
    "1": [[(0.12, 0.18), (0.34, 0.0), (0.34, 1.0)]],
    "2": [[*ellipse(0.3, 0.29, 0.27, 0.29, 180, 385), (0.02, 1.0), (0.6, 1.0)]],
    "3": [
        [*ellipse(0.28, 0.26, 0.25, 0.26, 200, 450), (0.24, 0.52)],
        ellipse(0.28, 0.74, 0.29, 0.26, 270, 525),
    ],
    "4": [[(0.45, 1.0), (0.45, 0.0), (0.0, 0.7), (0.63, 0.7)]],
    "5": [
        [(0.54, 0.0), (0.1, 0.0), (0.07, 0.46)],
        [(0.07, 0.46), *ellipse(0.28, 0.68, 0.29, 0.32, 240, 515)],
    ],
    "6": [ellipse(0.3, 0.69, 0.28, 0.31), [*ellipse(0.36, 0.66, 0.34, 0.66, 180, 280)]],
    "7": [[(0.0, 0.0), (0.58, 0.0), (0.2, 1.0)]],
    "8": [ellipse(0.3, 0.25, 0.24, 0.25), ellipse(0.3, 0.75, 0.29, 0.25)],
    "9": [ellipse(0.3, 0.31, 0.28, 0.31), [*ellipse(0.24, 0.34, 0.34, 0.66, 0, 100)]],
    "A": [[(0.0, 1.0), (0.3, 0.0), (0.6, 1.0)], [(0.12, 0.66), (0.48, 0.66)]],
    "T": [
        [(0.0, 0.15), (0.14, 0.0), (0.14, 1.0)],
        ellipse(0.56, 0.5, 0.2, 0.5),
    ],
    "J": [[(0.5, 0.0), *ellipse(0.26, 0.72, 0.24, 0.28, 0, 165)], [(0.32, 0.0), (0.6, 0.0)]],
    "Q": [ellipse(0.3, 0.49, 0.29, 0.49), [(0.34, 0.7), (0.6, 1.02)]],
    "K": [
        [(0.06, 0.0), (0.06, 1.0)],
        [(0.56, 0.0), (0.08, 0.58)],
        [(0.22, 0.44), (0.6, 1.0)],
    ],
}
"""Rank or digit -> strokes in a box about 0.6 wide; the ten is one sign."""


def rank_width(sign: str) -> float:
    """Give a sign's width, strokes included, where its height without them is 1."""
    return max(x for stroke in RANK_STROKES[sign] for x, _ in stroke) + STROKE


def filled(polygons: Iterable[Points], height: int, width: int) -> FloatArray:
    """Cover pixels with polygons in a box `height` pixels high: (height, width) 0..1."""
    x, y = _samples(height, width)
    inside = np.zeros(x.shape, np.bool_)
    for points in polygons:
        box = _box(points, 0, height)
        inside[box] |= _inside(x[box], y[box], points)
    return _pooled(inside)


def stroked(strokes: Iterable[Points], width_of_line: float, height: int, width: int) -> FloatArray:
    """Cover pixels with lines of a width in a box `height` pixels high: (height, width) 0..1."""
    x, y = _samples(height, width)
    near = np.zeros(x.shape, np.bool_)
    for points in strokes:
        for start, end in itertools.pairwise(points):
            box = _box((start, end), width_of_line, height)
            squares = _distance_squared(x[box], y[box], start, end)
            near[box] |= squares <= (width_of_line / 2) ** 2
    return _pooled(near)


def rank_mask(sign: str, height: int) -> FloatArray:
    """Draw a rank or digit `height` pixels high: (height, its width) 0..1."""
    scale = 1 - STROKE
    shift = STROKE / 2
    strokes: list[Points] = [
        [(x * scale + shift, y * scale + shift) for x, y in points] for points in RANK_STROKES[sign]
    ]
    width = round(height * (rank_width(sign) * scale + shift))
    return stroked(strokes, STROKE, height, width)


def suit_mask(suit: str, size: int) -> FloatArray:
    """Draw a suit: (size, size) 0..1."""
    return filled(SUIT_POLYGONS[suit], size, size)


def rounded_mask(height: int, width: int, inset: float, radius: float) -> FloatArray:
    """Cover a rectangle with round corners, `inset` pixels inside: (height, width) 0..1."""
    x, y = _samples(height, width)
    x, y = x * height, y * height
    across = np.abs(x - width / 2) - (width / 2 - inset - radius)
    down = np.abs(y - height / 2) - (height / 2 - inset - radius)
    outside = np.hypot(np.maximum(across, 0), np.maximum(down, 0))
    return _pooled((outside <= radius) & (np.maximum(across, down) <= radius))


def rays(count: int, inner: float, outer: float) -> list[Points]:
    """List the strokes of a sun around (0.5, 0.5)."""
    angles = [step * 2 * pi / count for step in range(count)]
    return [
        [(0.5 + size * cos(angle), 0.5 + size * sin(angle)) for size in (inner, outer)]
        for angle in angles
    ]


def _samples(height: int, width: int) -> tuple[FloatArray, FloatArray]:
    x = (np.arange(width * SAMPLES, dtype=np.float32) + 0.5) / (SAMPLES * height)
    y = (np.arange(height * SAMPLES, dtype=np.float32) + 0.5) / (SAMPLES * height)
    across, down = np.meshgrid(x, y)
    return across.astype(np.float32), down.astype(np.float32)


def _box(points: Points, margin: float, height: int) -> tuple[slice, slice]:
    """Give the rows and columns of samples that points, and a margin around, can touch."""
    lines = [sorted(values) for values in zip(*points, strict=True)]
    across, down = (
        slice(
            max(0, int((line[0] - margin) * height * SAMPLES)),
            max(0, int((line[-1] + margin) * height * SAMPLES) + 2),
        )
        for line in lines
    )
    return down, across


def _pooled(inside: BoolArray) -> FloatArray:
    height, width = inside.shape[0] // SAMPLES, inside.shape[1] // SAMPLES
    return inside.reshape(height, SAMPLES, width, SAMPLES).mean((1, 3), dtype=np.float32)


def _inside(x: FloatArray, y: FloatArray, points: Points) -> BoolArray:
    """Count crossings of a ray to the left: odd inside."""
    inside = np.zeros(x.shape, np.bool_)
    for (x1, y1), (x2, y2) in zip(points, [*points[1:], points[0]], strict=True):
        if y1 != y2:
            inside ^= ((y1 > y) != (y2 > y)) & (x > (x2 - x1) * (y - y1) / (y2 - y1) + x1)
    return inside


def _distance_squared(
    x: FloatArray, y: FloatArray, start: tuple[float, float], end: tuple[float, float]
) -> FloatArray:
    across, down = end[0] - start[0], end[1] - start[1]
    length = across**2 + down**2 or 1.0
    along = np.clip(((x - start[0]) * across + (y - start[1]) * down) / length, 0, 1)
    return np.square(x - start[0] - along * across) + np.square(y - start[1] - along * down)
