"""Plots of evaluations and of training as PNG, SVG or PDF; they need the extra `plot`."""

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from solitaire_env.evaluation import Evaluation

FORMATS = (".png", ".svg", ".pdf")
"""What a plot's file may be called."""

_BARS = ("variant", "agent")
_RATES = ("wilson_low", "win_rate", "wilson_high")


def plot_win_rates(evaluations: Sequence[Evaluation], path: str | Path) -> None:
    """Draw a bar an evaluation, with its 95 % Wilson interval: by variant, a colour an agent.

    Raises:
        ValueError: for no evaluations, or a file of another kind than `FORMATS`.
        ImportError: without Matplotlib.
    """
    told = [each.summary() for each in _some(evaluations)]
    variants, agents = (list(dict.fromkeys(each[key] for each in told)) for key in _BARS)
    width = 0.8 / len(agents)

    def draw(axes: Any) -> None:
        for place, agent in enumerate(agents):
            own = [each for each in told if each["agent"] == agent]
            left = [variants.index(each["variant"]) - 0.4 + place * width for each in own]
            low, rates, high = ([100 * each[key] for each in own] for key in _RATES)
            around = [np.subtract(rates, low), np.subtract(high, rates)]
            axes.bar(left, rates, width, yerr=around, align="edge", capsize=2, label=agent)
        names = [variant.replace("-", "\n") for variant in variants]
        axes.set_xticks(range(len(variants)), names, fontsize="small")
        axes.set_ylabel("deals won, %, with 95 % interval")
        axes.set_ylim(bottom=0)
        axes.legend(fontsize="small")

    _save(draw, path)


def plot_foundation_cards(evaluations: Sequence[Evaluation], path: str | Path) -> None:
    """Draw how many foundation cards the games of each evaluation ended with.

    Raises:
        ValueError: for no evaluations, or a file of another kind than `FORMATS`.
        ImportError: without Matplotlib.
    """
    chosen = _some(evaluations)

    def draw(axes: Any) -> None:
        most = max(int(each.foundation_cards.max()) for each in chosen)
        for each in chosen:
            label = f"{each.agent}, {each.variant}"
            bins = range(most + 2)
            axes.hist(each.foundation_cards, bins=bins, density=True, histtype="step", label=label)
        axes.set_xlabel("foundation cards at the end")
        axes.set_ylabel("share of the deals")
        axes.legend(fontsize="small")

    _save(draw, path)


def plot_budgets(budgets: Mapping[int, Sequence[Evaluation]], path: str | Path) -> None:
    """Draw win rates by playouts a choice, a line a player of a variant, with 95 % intervals.

    Args:
        budgets: playouts -> evaluations of searches that had so many.
        path: the plot's file.

    Raises:
        ValueError: for no evaluations, or a file of another kind than `FORMATS`.
        ImportError: without Matplotlib.
    """
    lines: dict[str, list[tuple[float, ...]]] = {}
    for playouts in _some(sorted(budgets)):
        for each in budgets[playouts]:
            told = each.summary()
            rates = [100 * told[name] for name in _RATES]
            lines.setdefault(f"{each.agent}, {each.variant}", []).append((playouts, *rates))

    def draw(axes: Any) -> None:
        for label, points in lines.items():
            playouts, low, rates, high = zip(*points, strict=True)
            (line,) = axes.plot(playouts, rates, marker="o", markersize=4, label=label)
            axes.fill_between(playouts, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
        axes.set_xscale("log", base=4)
        axes.set_xlabel("playouts a choice")
        axes.set_ylabel("deals won, %, with 95 % interval")
        axes.set_ylim(bottom=0)
        axes.legend(fontsize="small")

    _save(draw, path)


def plot_learning(tables: Sequence[str | Path], path: str | Path) -> None:
    """Draw the foundation cards of validations by steps, a line a run.

    Args:
        tables: `validation.csv` of runs, named by their last two folders.
        path: the plot's file.

    Raises:
        ValueError: for no tables, or a file of another kind than `FORMATS`.
        ImportError: without Matplotlib.
    """
    runs = {"/".join(Path(table).parts[-3:-1]): _columns(Path(table)) for table in _some(tables)}

    def draw(axes: Any) -> None:
        for name, columns in runs.items():
            steps = [float(step) / 1e6 for step in columns["steps"]]
            cards = [float(count) for count in columns["foundation_cards"]]
            axes.plot(steps, cards, marker="o", markersize=3, label=name)
        axes.set_xlabel("million steps")
        axes.set_ylabel("foundation cards on the validation deals")
        axes.legend(fontsize="small")

    _save(draw, path)


def _some(given: Sequence[Any]) -> Sequence[Any]:
    if not given:
        raise ValueError("there is nothing to plot, accepted are one or more")
    return given


def _columns(path: Path) -> dict[str, list[str]]:
    """Read a table with titles: title -> its column."""
    with path.open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    return {title: [line[title] for line in lines] for title in lines[0]} if lines else {}


def _save(draw: Callable[[Any], None], path: str | Path) -> None:
    """Draw on a new figure and write it."""
    if Path(path).suffix not in FORMATS:
        raise ValueError(f"the plot is {str(path)!r}, accepted are names in {', '.join(FORMATS)}")
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("plots need Matplotlib: pip install 'solitaire-env[plot]'") from error
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    draw(figure.subplots())
    figure.savefig(path, dpi=150)
