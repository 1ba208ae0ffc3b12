"""The statistics of evaluation: intervals from SciPy, which the extra `agents` brings."""

from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

_RESAMPLES: Final = 9999

_TAIL: Final = 1e-12
"""Numbers of discordant pairs that are less likely are left out of a power."""


def wilson_interval(wins: int, deals: int) -> tuple[float, float]:
    """Give the 95 % Wilson score interval of a win rate."""
    return _proportion_interval(wins, deals, "wilson")


def clopper_pearson_interval(wins: int, deals: int) -> tuple[float, float]:
    """Give the 95 % Clopper-Pearson (exact) interval of a win rate."""
    return _proportion_interval(wins, deals, "exact")


def _proportion_interval(wins: int, deals: int, method: str) -> tuple[float, float]:
    interval = _stats().binomtest(wins, deals).proportion_ci(method=method)
    return float(interval.low), float(interval.high)


def mcnemar_exact(only_one: int, only_other: int) -> float:
    """Give the two-sided p-value of McNemar's exact test, from the two counts of discordant pairs.

    Source: McNemar 1947, "Note on the sampling error of the difference between correlated
    proportions or percentages".
    """
    pairs = only_one + only_other
    return float(_stats().binomtest(only_one, pairs).pvalue) if pairs else 1.0


def mcnemar_power(only_one: float, only_other: float, deals: int) -> float:
    """Give the chance that McNemar's exact test tells two players apart: p at most 0.05.

    Args:
        only_one: the share of deals that only the first wins.
        only_other: the share that only the other wins; both together are at most 1.
        deals: how many both play.

    Raises:
        ValueError: for shares that are none, and fewer than one deal.
    """
    discordant = only_one + only_other
    if min(only_one, only_other) < 0 or not 0 < discordant <= 1 or deals < 1:
        raise ValueError(
            f"shares are {only_one} and {only_other} of {deals} deals, accepted are shares from 0, "
            f"together above 0 and at most 1, of one deal or more"
        )
    binom = _stats().binom
    fewest, most = binom.ppf((_TAIL, 1 - _TAIL), deals, discordant)
    pairs = np.arange(fewest, most + 1)
    # The most pairs of one kind at which the test still says that the other kind is commoner.
    few = binom.ppf(0.025, pairs, 0.5)
    few -= binom.cdf(few, pairs, 0.5) > 0.025
    told = binom.cdf(few, pairs, only_one / discordant)
    told += binom.cdf(few, pairs, only_other / discordant)
    return float((binom.pmf(pairs, deals, discordant) * told).sum())


def deals_needed(only_one: float, only_other: float, power: float = 0.8) -> int:
    """Give how many deals two players must play to be told apart, to the next ten.

    Args:
        only_one: see `mcnemar_power`.
        only_other: as above; the shares must differ.
        power: the chance that McNemar's exact test then has, 0.05 < power < 1.

    Raises:
        ValueError: for shares that are equal or none, and a power that is out of range.
    """
    if only_one == only_other or not 0.05 < power < 1:
        raise ValueError(
            f"shares are {only_one} and {only_other}, power is {power}, accepted are two shares "
            f"that differ and a power between 0.05 and 1"
        )
    low, high = 0, 10
    while mcnemar_power(only_one, only_other, high) < power:
        low, high = high, 2 * high
    while high - low > 10:
        middle = (low + high) // 20 * 10
        enough = mcnemar_power(only_one, only_other, middle) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high


def bootstrap_interval(values: npt.NDArray[Any]) -> tuple[float, float]:
    """Give the 95 % percentile bootstrap interval of a mean; values (D,)."""
    means = bootstrap_means(values)
    return float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


def bootstrap_means(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Give the means of resamples of values, the same ones at every call."""
    if len(values) < 2 or (values == values[0]).all():
        return np.array([float(values.mean())])
    result = _stats().bootstrap(
        (values,), np.mean, n_resamples=_RESAMPLES, batch=500, method="percentile", rng=0
    )
    return cast("npt.NDArray[np.float64]", result.bootstrap_distribution)


def _stats() -> Any:
    try:
        from scipy import stats
    except ImportError as error:
        raise ImportError(
            "the intervals of solitaire_env.statistics need SciPy: "
            "pip install 'solitaire-env[agents]'"
        ) from error
    return stats
