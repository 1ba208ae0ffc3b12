"""Compare evaluations: differences on the same deals, and a table of text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from solitaire_env.deal_lists import list_hash
from solitaire_env.evaluation import Evaluation, evaluate
from solitaire_env.policies import Policy, RandomPolicy
from solitaire_env.statistics import bootstrap_means, mcnemar_exact


@dataclass(frozen=True)
class PairedDifference:
    """Foundation cards of one policy less those of another, on the same deals.

    Attributes:
        deals: how many.
        mean: of the differences.
        interval: its 95 % interval, by paired bootstrap.
        low: its one-sided 99 % lower bound, by the same.
        more: deals with more cards.
        fewer: deals with fewer cards.
    """

    deals: int
    mean: float
    interval: tuple[float, float]
    low: float
    more: int
    fewer: int


def paired_bootstrap(one: Evaluation, other: Evaluation) -> PairedDifference:
    """Compare the foundation cards of two policies on the same deals.

    Raises:
        ValueError: if variant or deals differ.
    """
    _check_paired(one, other)
    difference = one.foundation_cards - other.foundation_cards
    low, first, last = np.quantile(bootstrap_means(difference), (0.01, 0.025, 0.975)).tolist()
    more, fewer = int((difference > 0).sum()), int((difference < 0).sum())
    mean = float(difference.mean())
    return PairedDifference(len(difference), mean, (first, last), low, more, fewer)


@dataclass(frozen=True)
class PairedWins:
    """Who won which of the same deals.

    Attributes:
        both: deals that both won.
        only_one: deals that only the first won.
        only_other: deals that only the second won.
        neither: deals that nobody won.
        p_value: of McNemar's exact test, two-sided, that both win equally often.
    """

    both: int
    only_one: int
    only_other: int
    neither: int
    p_value: float


def paired_wins(one: Evaluation, other: Evaluation) -> PairedWins:
    """Compare the wins of two policies on the same deals.

    Raises:
        ValueError: if variant or deals differ.
    """
    _check_paired(one, other)
    only_one, only_other = int((one.won & ~other.won).sum()), int((~one.won & other.won).sum())
    both, neither = int((one.won & other.won).sum()), int((~one.won & ~other.won).sum())
    return PairedWins(both, only_one, only_other, neither, mcnemar_exact(only_one, only_other))


def _check_paired(one: Evaluation, other: Evaluation) -> None:
    if one.variant != other.variant or not np.array_equal(one.deals, other.deals):
        raise ValueError(f"{one.agent} and {other.agent} played other deals: nothing to pair")


def beside_random(
    policy: Policy, variant: str, deals: Iterable[int], *, name: str = "policy", **kwargs: Any
) -> tuple[Evaluation, Evaluation]:
    """Let a policy, then the random legal player, play each of some deals: see `evaluate`.

    `print(comparison_text(*beside_random(...)))` prints the table.

    Args:
        policy: the player.
        variant: a rule sheet's name, as "san-juan-hill".
        deals: their numbers, each another.
        name: what to call the policy.
        **kwargs: for both evaluations.

    Raises:
        ValueError: see `evaluate`.
        IllegalActionError: if the policy chooses an illegal action.
    """
    numbers = list(deals)
    ours = evaluate(policy, variant, numbers, name=name, **kwargs)
    return ours, evaluate(RandomPolicy(), variant, numbers, name="random", **kwargs)


def comparison_text(one: Evaluation, other: Evaluation) -> str:
    """Put two evaluations of the same deals side by side, and how they differ, in words.

    Raises:
        ValueError: if variant or deals differ.
    """
    if one.agent == other.agent:
        other = replace(other, agent=f"{other.agent} (2)")
    cards, wins = paired_bootstrap(one, other), paired_wins(one, other)
    return (
        f"{one.variant}, deals {one.deals[0]} to {one.deals[-1]} (list {list_hash(one.deals)}), "
        f"{_circumstances(one, other)}\n"
        f"{comparison_table([one, other])}\n"
        f"{one.agent} - {other.agent}, the same deals: {cards.mean:+.2f} foundation cards a deal "
        f"(99 % lower bound {cards.low:+.2f}); more on {cards.more}, fewer on {cards.fewer}\n"
        f"won by both {wins.both}, only by {one.agent} {wins.only_one}, only by {other.agent} "
        f"{wins.only_other}, by neither {wins.neither}; McNemar's exact p = {wins.p_value:.2g}"
        f"{_winnable_text(one, other)}"
    )


def _circumstances(one: Evaluation, other: Evaluation) -> str:
    """Say with which seed, and seeing what, two policies played: once, if it is the same."""
    said = {f"seed {played.seed}, {_seen(played)}": played.agent for played in (other, one)}
    if len(said) == 1:
        return next(iter(said))
    return "; ".join(f"{agent} with {words}" for words, agent in reversed(said.items()))


def _seen(played: Evaluation) -> str:
    full = played.kwargs.get("observability", "player") == "full"
    return "all cards known" if full else "what a player sees"


def _winnable_text(one: Evaluation, other: Evaluation) -> str:
    """Say how many of the deals known to be winnable were won, if any is known."""
    told, others = one.summary(), other.summary()
    if not told["winnable_deals"]:
        return ""
    return (
        f"\nof {told['winnable_deals']} deals that are known to be winnable, {one.agent} won "
        f"{100 * told['winnable_won']:.1f} %, {other.agent} {100 * others['winnable_won']:.1f} %"
    )


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
