"""The statistics of evaluation: intervals from SciPy, which the extra `agents` brings."""

from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

_RESAMPLES: Final = 9999


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
