"""The colours that a table can have."""

from typing import Final

Color = tuple[int, int, int]
"""Red, green and blue, 0..255."""

FELT_COLORS: Final[dict[str, Color]] = {
    "royal-crimson": (112, 22, 36),
    "emerald-green": (16, 92, 62),
    "midnight-navy": (22, 34, 74),
}

FELTS: Final = tuple(FELT_COLORS)
DEFAULT_FELT: Final = "emerald-green"
