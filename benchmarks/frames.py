"""Draw one table again and again: by this package, Pillow, pygame and matplotlib; frames a second.

Each frame is a fresh (H, W, 3) uint8 and a full redraw. The others get the cards as images cut to
what is seen of them, and the felt with its slots as one image; their pictures must be ours, but for
the number on the stock. All draw on one thread, in runs that take turns, after one to warm up.

Rates are by the processor time of the thread, as other jobs of a busy machine take turns with it;
the last but one column is the best by the clock.
"""

import argparse
import os
import sys
from collections.abc import Callable
from importlib import import_module
from time import perf_counter, thread_time
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from solitaire_env import VARIANTS, env_id
from solitaire_env.bench.rates import Rate, check_seconds
from solitaire_env.bench.report import machine
from solitaire_env.cli.common import text_table
from solitaire_env.envs.options import whole_number
from solitaire_env.render.atlas import BACK, CROWNED, card_atlas
from solitaire_env.render.felts import DEFAULT_FELT
from solitaire_env.render.svg import BACK as BACK_SIGN
from solitaire_env.render.svg import KINGS, placed
from solitaire_env.render.table import draw_table, table_layout

Frame = npt.NDArray[np.uint8]
Drawer = Callable[[], Frame]

_CARDS = [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"]
_NUMBERS = {BACK_SIGN: BACK, KINGS: CROWNED} | {card: i + 1 for i, card in enumerate(_CARDS)}


class Sprite(NamedTuple):
    """What is seen of a card (h, w, 3), and its upper left corner."""

    image: Frame
    row: int
    left: int


def dealt(variant: str, deal: int) -> Any:
    """Deal a game whose environment draws."""
    env: Any = gym.make(env_id(VARIANTS[variant]), render_mode="rgb_array").unwrapped
    env.reset(options={"deal": deal})
    return env


def sprites(env: Any) -> list[Sprite]:
    """List felt and slots, then the cards, those below first."""
    layout, position = table_layout(env.sheet), env.position()
    bare = draw_table(env.sheet, _bare(position), DEFAULT_FELT)
    piles = placed(layout, position)
    columns = len(layout.columns)
    found = [Sprite(bare, 0, 0)]
    for column in piles[:columns]:
        for place, sign in enumerate(column):
            seen = layout.step if place + 1 < len(column) else layout.height
            found.append(_sprite(layout.card_width, *sign, covers=place > 0, seen=seen))
    others = [sign for pile in piles[columns:] for sign in pile if sign[0] in _NUMBERS]
    return found + [_sprite(layout.card_width, *sign) for sign in others]


def _bare(position: dict[str, Any]) -> dict[str, Any]:
    """Take all cards off a table."""
    none = {"stock": [], "waste": [], "kings": 0, "tableau": [[] for _ in position["tableau"]]}
    none["reserve"] = [None for _ in position["reserve"]]
    none["foundations"] = {
        suit: [0 for _ in piles] for suit, piles in position["foundations"].items()
    }
    return position | none


def _sprite(
    width: int, name: str, left: int, row: int, covers: bool = False, seen: int = 800
) -> Sprite:
    atlas = card_atlas(width, DEFAULT_FELT)
    image = (atlas.on_card if covers else atlas.on_felt)[_NUMBERS[name]]
    whole = image.reshape(atlas.height, atlas.width, 3)
    return Sprite(np.ascontiguousarray(whole[:seen]), row, left)


def by_pillow(parts: list[Sprite]) -> Drawer:
    """Draw with Pillow."""
    from PIL import Image

    images = [(Image.fromarray(part.image), (part.left, part.row)) for part in parts]

    def draw() -> Frame:
        picture = Image.new("RGB", images[0][0].size)
        for image, corner in images:
            picture.paste(image, corner)
        return np.array(picture)

    return draw


def by_pygame(parts: list[Sprite]) -> Drawer:
    """Draw with pygame-ce, and read the surface as Gymnasium's own environments do."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    import pygame

    height, width = parts[0].image.shape[:2]
    surface = pygame.Surface((width, height), depth=32)
    blits = [
        (pygame.surfarray.make_surface(part.image.swapaxes(0, 1)), (part.left, part.row))
        for part in parts
    ]
    ready = [(image.convert(surface), corner) for image, corner in blits]

    def draw() -> Frame:
        surface.blits(ready, doreturn=False)
        return np.ascontiguousarray(pygame.surfarray.pixels3d(surface).swapaxes(0, 1))

    return draw


def by_matplotlib(parts: list[Sprite]) -> Drawer:
    """Draw with matplotlib, without axes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    height, width = parts[0].image.shape[:2]
    figure = Figure(figsize=(width / 100, height / 100), dpi=100)
    canvas = FigureCanvasAgg(figure)

    def draw() -> Frame:
        figure.clear()
        for part in parts:
            bottom = height - part.row - part.image.shape[0]
            figure.figimage(part.image, part.left, bottom)
        canvas.draw()
        return np.ascontiguousarray(np.asarray(canvas.buffer_rgba())[:, :, :3])

    return draw


OTHERS = {
    "Pillow": ("PIL", by_pillow),
    "pygame-ce": ("pygame", by_pygame),
    "matplotlib": ("matplotlib", by_matplotlib),
}
"""Library -> its module, and what makes its drawer."""


def drawers(variant: str, deal: int) -> dict[str, Drawer]:
    """Make what draws one table, by name: ours, and the others that are installed."""
    env = dealt(variant, deal)
    position, parts = env.position(), sprites(env)
    found: dict[str, Drawer] = {
        "draw_table(position)": lambda: draw_table(env.sheet, position, DEFAULT_FELT),
        "env.render()": env.render,
    }
    for name, (module, maker) in OTHERS.items():
        try:
            found[f"{name} {import_module(module).__version__}"] = maker(parts)
        except ImportError:
            print(f"{name} is not installed", file=sys.stderr)
    return found


def differing(drawer: Drawer, other: Drawer) -> float:
    """Give the share of pixels in which two pictures differ."""
    return float((drawer() != other()).any(axis=2).mean())


def rates(found: dict[str, Drawer], seconds: float, runs: int) -> dict[str, tuple[Rate, Rate]]:
    """Measure all in turns, so that what else the machine does falls on each alike.

    Returns:
        Name -> frames a second of the thread's processor time, and by the clock.
    """
    told: dict[str, list[tuple[float, float]]] = {name: [] for name in found}
    for _ in range(runs + 1):
        for name, drawer in found.items():
            told[name].append(rate_of(drawer, seconds))
    pairs = {name: zip(*values[1:], strict=True) for name, values in told.items()}
    return {name: (Rate.of(next(pair)), Rate.of(next(pair))) for name, pair in pairs.items()}


def rate_of(drawer: Drawer, seconds: float) -> tuple[float, float]:
    """Draw for some seconds; give frames a second of the thread's time, and of the clock's."""
    count, used, clock = 0, thread_time(), perf_counter()
    while perf_counter() - clock < seconds:
        drawer()
        count += 1
    return count / (thread_time() - used), count / (perf_counter() - clock)


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variant", choices=VARIANTS, default="arabella", help="what is dealt")
    parser.add_argument("--deal", type=int, default=7, help="its number")
    parser.add_argument("--seconds", type=float, default=0.2, help="duration of a run")
    parser.add_argument("--runs", type=int, default=9, help="runs of each")
    arguments = parser.parse_args()
    seconds = check_seconds(arguments.seconds)
    runs = whole_number("runs", arguments.runs, 1, 1000)
    found = drawers(arguments.variant, arguments.deal)
    ours = found["draw_table(position)"]
    rows = [
        (
            name,
            *(f"{value:.1f}" for value in (used.best, used.median, used.worst, clock.best)),
            f"{differing(found[name], ours):.2%}",
        )
        for name, (used, clock) in rates(found, seconds, runs).items()
    ]
    print(", ".join(f"{name} {value}" for name, value in machine().items()))
    shape = ours().shape
    print(f"{arguments.variant}, deal {arguments.deal}: {shape[1]} x {shape[0]}, frames a second")
    print(text_table(("drawn by", "best", "median", "worst", "by the clock", "other pixels"), rows))


if __name__ == "__main__":
    main()
