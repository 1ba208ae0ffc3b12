"""Compare evaluations: differences on the same deals, and a table of text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from solitaire_env.evaluation import Evaluation
from solitaire_env.statistics import bootstrap_means


@dataclass(frozen=True)
class PairedDifference:
    """Foundation cards of one policy less those of another, on the same deals.

    Attributes:
        deals: how many.
        mean: of the differences.
        low: its one-sided 99 % lower bound, by paired bootstrap.
        more: deals with more cards.
        fewer: deals with fewer cards.
    """

    deals: int
    mean: float
    low: float
    more: int
    fewer: int


def paired_bootstrap(one: Evaluation, other: Evaluation) -> PairedDifference:
    """Compare the foundation cards of two policies on the same deals.

    Raises:
        ValueError: if variant or deals differ.
    """
    if one.variant != other.variant or not np.array_equal(one.deals, other.deals):
        raise ValueError(f"{one.agent} and {other.agent} played other deals: nothing to pair")
    difference = one.foundation_cards - other.foundation_cards
    low = float(np.quantile(bootstrap_means(difference), 0.01))
    more, fewer = int((difference > 0).sum()), int((difference < 0).sum())
    return PairedDifference(len(difference), float(difference.mean()), low, more, fewer)


def comparison_table(evaluations: Sequence[Evaluation]) -> str:
    """Lay out evaluations as lines of text, one a policy, under a line of titles."""
    titles = ("agent", "deals", "wins", "win rate [95 %]", "cards [95 %]", "moves", "outcomes")
    rows = [titles, *(_table_row(evaluation.summary()) for evaluation in evaluations)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [_line(row, widths) for row in rows]
    return "\n".join(lines)


def _table_row(told: dict[str, Any]) -> tuple[str, ...]:
    rates = [100 * told[name] for name in ("win_rate", "wilson_low", "wilson_high")]
    cards = [told[f"foundation_cards{end}"] for end in ("", "_low", "_high")]
    outcomes = ", ".join(f"{outcome} {count}" for outcome, count in told["outcomes"].items())
    return (
        told["agent"],
        str(told["deals"]),
        str(told["wins"]),
        "{:.1f} % [{:.1f}, {:.1f}]".format(*rates),
        "{:.1f} [{:.1f}, {:.1f}]".format(*cards),
        f"{told['moves']:.1f}",
        outcomes,
    )


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    """Align a row: the first and last cell left, numbers right."""
    cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
    return "  ".join([row[0].ljust(widths[0]), *cells[1:-1], row[-1]])
