"""The table as SVG: the pictures' cards as vectors, and where each one lies."""

from collections.abc import Iterable
from functools import cache
from html import escape
from typing import Final
from uuid import uuid4

from solitaire_env.cards import RANKS, SUITS
from solitaire_env.notation import Position, card_text, is_face_down, parse_card
from solitaire_env.render.atlas import (
    EDGE,
    GOLD,
    IVORY,
    PALE_GOLD,
    PIP_COLUMNS,
    PIPS,
    court_colors,
    suit_color,
)
from solitaire_env.render.courts import WIDTH, Hatch, Part, court_parts
from solitaire_env.render.felts import FELT_COLORS, Color
from solitaire_env.render.shapes import (
    RANK_STROKES,
    STROKE,
    SUIT_POLYGONS,
    Points,
    rank_width,
    rays,
)
from solitaire_env.render.table import Layout, Place, table_layout
from solitaire_env.rulesheet import RuleSheet

Placed = tuple[str, int, int]
"""A sign on the table and where: a card, `BACK`, `KINGS` or a number as "#65"; left, top."""

BACK: Final = "back"
KINGS: Final = "kings"

_PREFIX: Final = "PREFIX-"
_WIDE: Final = 100
_TALL: Final = 140
_INDEX: Final = 16.5
_BACK_COLOR: Final = (122, 20, 36)


def placed(layout: Layout, position: Position) -> list[list[Placed]]:
    """Tell what lies where, pile by pile, always as many piles; what lies lower comes first."""
    piles = [
        [_card(card, (top + index * layout.step, left)) for index, card in enumerate(cards)]
        for (top, left), cards in zip(layout.columns, position["tableau"], strict=True)
    ]
    cells = zip(layout.reserve, position["reserve"], strict=True)
    piles += [[_card(card, place)] if card else [] for place, card in cells]
    for suit, places in layout.foundations.items():
        heights = zip(places, position["foundations"][suit], strict=True)
        piles += [[_card(RANKS[height - 1] + suit, p)] if height else [] for p, height in heights]
    piles.append(_counted(layout, layout.kings, KINGS, position["kings"]))
    piles.append(_counted(layout, layout.stock, BACK, len(position["stock"])))
    piles.append(_fan(layout, position["waste"]))
    return piles


def _card(card: str, place: Place) -> Placed:
    """Name a card on the table, or raise ValueError for what is none."""
    name = BACK if is_face_down(card) else card_text(parse_card(card))
    return name, place[1], place[0]


def _counted(layout: Layout, place: Place | None, name: str, count: int) -> list[Placed]:
    if place is None or not count:
        return []
    middle = place[0] + round(layout.card_width * 1.06)
    return [
        (name, place[1], place[0]),
        (f"#{int(count)}", place[1] + layout.card_width // 2, middle),
    ]


def _fan(layout: Layout, cards: list[str]) -> list[Placed]:
    if layout.waste is None:
        return []
    row, left = layout.waste
    return [
        _card(card, (row, left + index * layout.fan_step))
        for index, card in enumerate(cards[-layout.fan :])
    ]


def unique_prefix() -> str:
    """Make a prefix for ids that no other picture on a page has."""
    return f"s{uuid4().hex[:10]}-"


def position_svg(sheet: RuleSheet, position: Position, felt: str = "emerald-green") -> str:
    """Draw a position as an SVG element that needs nothing else; its ids are its own."""
    prefix, layout = unique_prefix(), table_layout(sheet)
    signs = "".join(
        sign_svg(layout, prefix, *each) for pile in placed(layout, position) for each in pile
    )
    return table_svg(sheet, prefix, felt, signs)


def sign_svg(layout: Layout, prefix: str, name: str, left: int, top: int) -> str:
    """Draw a sign at its place."""
    scale = layout.card_width / _WIDE
    if not name.startswith("#"):
        place = f"translate({left} {top}) scale({scale:.3g})"
        return f'<use href="#{prefix}{name}" transform="{place}"/>'
    return (
        f'<text x="{left}" y="{top}" text-anchor="middle" dominant-baseline="middle" '
        f'font-family="sans-serif" font-weight="bold" font-size="18" stroke="#2c1e14" '
        f'stroke-width="6" paint-order="stroke" fill="{_hex(IVORY)}">{name[1:]}</text>'
    )


def table_svg(sheet: RuleSheet, prefix: str, felt: str, signs: str) -> str:
    """Draw felt and slots, with the cards' definitions, and signs on them."""
    layout, definitions = table_layout(sheet), card_definitions(prefix)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {layout.width} {layout.height}" '
        f'role="img" aria-label="{escape(sheet.title)}" style="width:100%;height:auto;'
        f'background:{felt_hex(felt)};border-radius:8px">'
        f"<defs>{definitions}</defs>{_slots(layout, prefix)}<g>{signs}</g></svg>"
    )


def card_definitions(prefix: str) -> str:
    """Define the cards and their parts, to be used by ids that begin with a prefix."""
    return _definitions().replace(_PREFIX, prefix)


def felt_hex(felt: str) -> str:
    """Give a felt's colour as CSS has it."""
    return _hex(FELT_COLORS[felt])


def _hex(color: Color) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)


def _slots(layout: Layout, prefix: str) -> str:
    plain = [*layout.columns, *layout.reserve, layout.stock, layout.waste, layout.kings]
    marks = [(place, "") for place in plain if place]
    marks += [(place, suit) for suit, places in layout.foundations.items() for place in places]
    return "".join(_slot(place, layout.card_width, prefix, suit) for place, suit in marks)


def _slot(place: Place, width: int, prefix: str, suit: str) -> str:
    mark = _use(prefix, suit, 25, 45, 50) if suit else ""
    return (
        f'<g transform="translate({place[1]} {place[0]}) scale({width / _WIDE:.3g})" '
        f'color="#e2c478" opacity=".45"><rect x="1" y="1" width="98" height="138" rx="7" '
        f'fill="#0003" stroke="currentColor" stroke-width="1.6"/>{mark}</g>'
    )


@cache
def _definitions() -> str:
    """Define suits, ranks, figures and the 54 cards, their ids after `_PREFIX`."""
    parts = [_hatch_svg(_PREFIX, slope, period) for slope, period in sorted(_hatches())]
    parts += [_suit_svg(_PREFIX, suit) for suit in SUITS]
    parts += [_rank_svg(_PREFIX, rank) for rank in RANKS]
    parts += [_figure_svg(_PREFIX, rank, suit) for rank in "JQK" for suit in "SH"]
    parts += [_blank_svg(_PREFIX), _sun_svg(_PREFIX), _back_svg(_PREFIX), _kings_svg(_PREFIX)]
    parts += [_face_svg(_PREFIX, rank, suit) for suit in SUITS for rank in RANKS]
    return "".join(parts)


def _path(outlines: Iterable[Points], *, closed: bool) -> str:
    end = "Z" if closed else ""
    lines = ["L".join(f"{x:.3g} {y:.3g}" for x, y in points) for points in outlines]
    return "".join(f"M{line}{end}" for line in lines)


def _suit_svg(prefix: str, suit: str) -> str:
    path = _path(SUIT_POLYGONS[suit], closed=True)
    return f'<path id="{prefix}{suit}" d="{path}" fill="currentColor"/>'


def _rank_svg(prefix: str, rank: str) -> str:
    """Define a rank in a box of height 1, strokes included."""
    path, scale = _path(RANK_STROKES[rank], closed=False), 1 - STROKE
    return (
        f'<path id="{prefix}r{rank}" d="{path}" transform="translate({STROKE / 2} {STROKE / 2}) '
        f'scale({scale})" fill="none" stroke="currentColor" stroke-width="{STROKE / scale:.3g}" '
        f'stroke-linecap="round" stroke-linejoin="round"/>'
    )


def _hatches() -> set[tuple[float, float]]:
    parts = [part for rank in "JQK" for part in court_parts(rank)]
    return {(part.hatch.slope, part.hatch.period) for part in parts if part.hatch}


def _hatch_id(prefix: str, slope: float, period: float) -> str:
    return f"{prefix}h{slope:g}-{period:g}".replace(".", "_")


def _hatch_svg(prefix: str, slope: float, period: float) -> str:
    """Define lines for each colour that shades: gold, light and shade share their slope."""
    colors = court_colors("S")
    names = {
        part.color
        for rank in "JQK"
        for part in court_parts(rank)
        if part.hatch and part.hatch[:2] == (slope, period)
    }
    return "".join(
        f'<pattern id="{_hatch_id(prefix, slope, period)}{name}" width="{WIDTH}" '
        f'height="{period * max(1.0, slope):.3g}" patternUnits="userSpaceOnUse">'
        f'<path d="{_chevrons(slope, period)}" fill="none" stroke="{_hex(colors[name])}" '
        f'stroke-width="{period * 0.42:.3g}"/></pattern>'
        for name in sorted(names)
    )


def _chevrons(slope: float, period: float) -> str:
    """Draw a tile of the hatching: lines that rise to both sides, as often as the tile needs."""
    half, tall = WIDTH / 2, period * max(1.0, slope)
    drop = slope * half
    count = int(drop / tall) + 2
    lines: list[Points] = []
    for index in range(-1, count):
        middle = index * tall + tall / 2
        lines.append([(0.0, middle - drop), (half, middle), (WIDTH, middle - drop)])
    return _path(lines, closed=False)


def _figure_svg(prefix: str, rank: str, suit: str) -> str:
    """Define half a figure, in a box of height 1."""
    colors = court_colors(suit)
    parts = "".join(_part_svg(prefix, part, colors) for part in court_parts(rank))
    return f'<g id="{prefix}f{rank}{suit}">{parts}</g>'


def _part_svg(prefix: str, part: Part, colors: dict[str, Color]) -> str:
    if not part.outlines:
        return ""
    color = _hex(colors[part.color])
    path = _path(part.outlines, closed=not part.line)
    if part.line:
        return (
            f'<path d="{path}" fill="none" stroke="{color}" stroke-width="{part.line}" '
            f'stroke-linecap="round"/>'
        )
    return f'<path d="{path}" {_fill(prefix, part.hatch, part.color, color)}/>'


def _fill(prefix: str, hatch: Hatch | None, name: str, color: str) -> str:
    if hatch is None:
        return f'fill="{color}"'
    tile = _hatch_id(prefix, hatch.slope, hatch.period) + name
    return f'fill="url(#{tile})" opacity="{hatch.strength}"'


def _blank_svg(prefix: str) -> str:
    gold, pale = _hex(GOLD), _hex(PALE_GOLD)
    return (
        f'<linearGradient id="{prefix}gilt" x2="1" y2="1"><stop stop-color="{gold}"/>'
        f'<stop offset=".5" stop-color="{pale}"/><stop offset="1" stop-color="{gold}"/>'
        f'</linearGradient><g id="{prefix}blank"><rect width="100" height="140" rx="7.5" '
        f'fill="{_hex(EDGE)}"/><rect x=".9" y=".9" width="98.2" height="138.2" rx="6.8" '
        f'fill="url(#{prefix}gilt)"/><rect x="3.2" y="3.2" width="93.6" height="133.6" rx="5" '
        f'fill="{_hex(IVORY)}"/></g>'
    )


def _sun_svg(prefix: str) -> str:
    path = _path(rays(36, 0.36, 0.48), closed=False)
    return f'<path id="{prefix}sun" d="{path}" stroke="{_hex(GOLD)}" stroke-width=".018"/>'


def _use(prefix: str, name: str, x: float, y: float, scale: float, more: str = "") -> str:
    place = f"translate({x:.4g} {y:.4g}) scale({scale:.3g}){more}"
    return f'<use href="#{prefix}{name}" transform="{place}"/>'


def _back_svg(prefix: str) -> str:
    return (
        f'<pattern id="{prefix}lattice" width="16" height="16" patternUnits="userSpaceOnUse">'
        f'<path d="M0 0L16 16M16 0L0 16" stroke="{_hex(GOLD)}" stroke-width="1.2"/>'
        f'<circle cx="8" cy="0" r="1.8" fill="{_hex(PALE_GOLD)}"/>'
        f'<circle cx="8" cy="16" r="1.8" fill="{_hex(PALE_GOLD)}"/></pattern>'
        f'<g id="{prefix}{BACK}"><use href="#{prefix}blank"/><g id="{prefix}panel">'
        f'<rect x="6" y="6" width="88" height="128" rx="4" fill="{_hex(_BACK_COLOR)}"/>'
        f'<rect x="6" y="6" width="88" height="128" rx="4" fill="url(#{prefix}lattice)"/></g></g>'
    )


def _kings_svg(prefix: str) -> str:
    sun, sign = _use(prefix, "sun", 5, 5, 90), _use(prefix, "rK", 38, 32, 36)
    return (
        f'<g id="{prefix}{KINGS}" color="{_hex(GOLD)}"><use href="#{prefix}blank"/>{sun}{sign}</g>'
    )


def _face_svg(prefix: str, rank: str, suit: str) -> str:
    sign = _use(prefix, f"r{rank}", 6, 5, _INDEX)
    across = 8 + _INDEX * rank_width(rank) * (1 - STROKE / 2)
    index = sign + _use(prefix, suit, across, 5, _INDEX)
    middle = _middle_svg(prefix, rank, suit)
    color = _hex(suit_color(suit))
    return (
        f'<g id="{prefix}{rank}{suit}" color="{color}"><use href="#{prefix}blank"/>'
        f"{middle}{index}</g>"
    )


def _middle_svg(prefix: str, rank: str, suit: str) -> str:
    if rank == "A":
        return _use(prefix, "sun", 9, 40, 82) + _use(prefix, suit, 27, 58, 46)
    if rank in PIPS:
        return "".join(_pip_svg(prefix, suit, *pip) for pip in PIPS[rank])
    return _court_svg(prefix, rank, suit)


def _pip_svg(prefix: str, suit: str, column: int, row: float) -> str:
    size, x, y = 18.5, _WIDE * PIP_COLUMNS[column], _TALL * (0.335 + 0.52 * row)
    if row > 0.5:
        return _use(prefix, suit, x + size / 2, y + size / 2, -size)
    return _use(prefix, suit, x - size / 2, y - size / 2, size)


def _court_svg(prefix: str, rank: str, suit: str) -> str:
    """Draw a framed figure twice, the second upside down."""
    half, left, top = _TALL * 0.355, 11.0, _TALL * 0.225
    across = half * WIDTH
    left = (_WIDE - across) / 2
    figure = f"f{rank}{'S' if suit in 'SC' else 'H'}"
    pip = 69.0 if rank == "J" else left + 3
    clip = f'<clipPath id="{prefix}c{rank}{suit}"><rect width="{WIDTH}" height="1"/></clipPath>'
    clipped = (
        f'<g id="{prefix}g{rank}{suit}"><g clip-path="url(#{prefix}c{rank}{suit})">'
        f'<use href="#{prefix}{figure}"/></g></g>'
    )
    upper = f'<g transform="translate({left:.4g} {top:.4g}) scale({half:.4g})">{clipped}</g>'
    lower = _use(prefix, f"g{rank}{suit}", left + across, top + 2 * half, -half)
    pips = _use(prefix, suit, pip, top + 3, 15)
    pips += _use(prefix, suit, _WIDE - pip, top + 2 * half - 3, -15)
    frame = (
        f'<rect x="{left:.4g}" y="{top:.4g}" width="{across:.4g}" height="{2 * half:.4g}" '
        f'fill="none" stroke="{_hex(GOLD)}"/>'
    )
    return clip + upper + lower + pips + frame
