"""A recorded game as one HTML page: SVG table, slider, moves in words; no network."""

import json
import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any, Final

from solitaire_env.render.felts import FELT_COLORS
from solitaire_env.render.steps import Step
from solitaire_env.render.svg import Placed, felt_hex, placed, table_svg, unique_prefix
from solitaire_env.render.table import Layout, table_layout
from solitaire_env.rulesheet import RuleSheet

Change = list[Any]
"""[pile, how many of its signs stay, signs that come]"""

_UNSAFE: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
"""What could end a script within its text."""


def replay_page(sheet: RuleSheet, steps: Sequence[Step], title: str, felt: str) -> str:
    """Write a page of a game, from its tables alone.

    Args:
        sheet: what the table is laid out for.
        steps: the first table and one a move.
        title: of the page.
        felt: the table's colour at first.
    """
    fragment = replay_fragment(sheet, steps, title, felt)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
        f"<style>body{{margin:0;padding:12px;background:#f4eddc}}</style></head>"
        f"<body>{fragment}</body></html>\n"
    )


def replay_fragment(sheet: RuleSheet, steps: Sequence[Step], title: str, felt: str) -> str:
    """Write the part of the page that also a notebook can show; its ids are its own."""
    prefix = unique_prefix()
    table = table_svg(sheet, prefix, felt, "")
    names = {"ID": prefix + "game", "TITLE": escape(title), "TABLE": table}
    names["FELTS"] = "".join(_option(name, felt) for name in FELT_COLORS)
    names["LAST"] = str(len(steps) - 1)
    names["STYLE"] = _asset("page.css").replace("ROOT", f"#{prefix}game")
    names["SCRIPT"] = _asset("page.js").replace("DATA", _data(sheet, steps, prefix))
    # In one go: a title may hold what looks like a name.
    return re.sub(r"\[\[([A-Z]+)\]\]", lambda found: names[found[1]], _asset("page.html"))


def _asset(name: str) -> str:
    return files("solitaire_env.render").joinpath(name).read_text(encoding="utf-8")


def _option(name: str, chosen: str) -> str:
    selected = " selected" if name == chosen else ""
    return f'<option value="{felt_hex(name)}"{selected}>{name.replace("-", " ")}</option>'


def _data(sheet: RuleSheet, steps: Sequence[Step], prefix: str) -> str:
    """Write what the script needs as JSON that is safe within a script."""
    layout = table_layout(sheet)
    data = {
        "prefix": prefix,
        "scale": layout.card_width / 100,
        "piles": len(placed(layout, steps[0].position)),
        "steps": _steps(layout, steps),
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign, code in _UNSAFE.items():
        text = text.replace(sign, code)
    return text


def _steps(layout: Layout, steps: Sequence[Step]) -> list[dict[str, Any]]:
    """Tell each step by what it changes on the table."""
    told: list[dict[str, Any]] = []
    before: list[list[Placed]] = []
    for step in steps:
        after = placed(layout, step.position)
        told.append(_step(step, _changes(before or [[] for _ in after], after)))
        before = after
    return told


def _step(step: Step, changes: list[Change]) -> dict[str, Any]:
    counters = step.told
    line = (
        f"{counters['moves']} moves, {counters['foundation_cards']} cards on the foundations, "
        f"score {counters['score']}"
    )
    told: dict[str, Any] = {"c": changes, "w": step.words, "t": line}
    if step.outcome:
        told["o"] = step.outcome
    if step.value is not None:
        told["v"] = round(step.value, 4)
    if step.top:
        told["p"] = [[words, round(chance, 4)] for words, chance in step.top]
    return told


def _changes(before: list[list[Placed]], after: list[list[Placed]]) -> list[Change]:
    """List the piles that differ: how many signs stay, and which come."""
    changes: list[Change] = []
    for pile, (old, new) in enumerate(zip(before, after, strict=True)):
        same = [a == b for a, b in zip(old, new, strict=False)]
        stay = same.index(False) if False in same else len(same)
        if old != new:
            changes.append([pile, stay, new[stay:]])
    return changes
