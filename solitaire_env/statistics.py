"""The statistics of evaluation: intervals from SciPy, which the extra `agents` brings."""

from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

_RESAMPLES: Final = 9999


def wilson_interval(wins: int, deals: int) -> tuple[float, float]:
    """Give the 95 % Wilson score interval of a win rate."""
    interval = _stats().binomtest(wins, deals).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)


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
