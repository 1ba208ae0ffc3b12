"""Films of a game as animated pictures; they need Pillow (the extra `render`)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from solitaire_env.notation import Position
from solitaire_env.render.atlas import ByteArray, card_atlas
from solitaire_env.render.felts import FELT_COLORS
from solitaire_env.render.table import draw_table, table_layout
from solitaire_env.rulesheet import RuleSheet

_COLORS: Final = 64
_CHANNELS: Final = 3
_LAST_SECONDS: Final = 2.0


def save_gif(
    sheet: RuleSheet, positions: Sequence[Position], path: Path, felt: str, seconds: float
) -> None:
    """Write a film of some positions, half as large as their pictures; the last stays longer.

    Raises:
        ImportError: without Pillow.
    """
    image = _pillow()
    palette, nearest = _palette(image, sheet, felt)
    films = []
    for position in positions:
        red, green, blue = np.moveaxis(_halved(draw_table(sheet, position, felt)) >> 3, 2, 0)
        film = image.fromarray(nearest[red, green, blue])
        film.putpalette(palette)
        films.append(film)
    times = [round(seconds * 1000)] * (len(films) - 1) + [round(_LAST_SECONDS * 1000)]
    films[0].save(path, "GIF", save_all=True, append_images=films[1:], duration=times, loop=0)


def _palette(image: Any, sheet: RuleSheet, felt: str) -> tuple[list[int], ByteArray]:
    """Choose colours that suit the whole pack, and find the nearest for every colour.

    Returns:
        Red, green and blue of each; and (32, 32, 32) uint8: which is the nearest, by the five
        upper bits of red, green and blue.
    """
    atlas = card_atlas(table_layout(sheet).card_width, felt)
    cards = atlas.on_felt.reshape(-1, atlas.width, _CHANNELS)
    bare = np.full_like(cards, FELT_COLORS[felt])
    pack = image.fromarray(np.hstack([bare, cards])).quantize(_COLORS)
    levels = np.arange(32, dtype=np.uint8) * 8 + 4
    every = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), -1).reshape(1024, 32, 3)
    nearest = image.fromarray(every).quantize(palette=pack, dither=image.Dither.NONE)
    return pack.getpalette(), np.asarray(nearest, np.uint8).reshape(32, 32, 32)


def _halved(frame: ByteArray) -> ByteArray:
    """Average blocks of 2 x 2 pixels: (H, W, 3) to (H / 2, W / 2, 3)."""
    wide = frame.astype(np.uint16)
    total = wide[::2, ::2] + wide[1::2, ::2] + wide[::2, 1::2] + wide[1::2, 1::2]
    return (total >> 2).astype(np.uint8)


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise ImportError("a GIF needs Pillow: pip install 'solitaire-env[render]'") from None
    return Image
