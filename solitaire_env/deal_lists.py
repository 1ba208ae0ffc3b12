"""Lists of deals: by name or range, checked, and with a hash that says which were played."""

from collections.abc import Iterable
from hashlib import sha256
from itertools import islice
from typing import Final

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]

DEAL_LISTS: Final = {"test": range(1000), "validation": range(1000, 2000)}
"""Lists with a name: the one to report, and the one to choose between players by."""

MOST_DEALS: Final = 1_000_000
"""Deals of a list, at most."""


def read_deals(text: str) -> range:
    """Read a list of deals: its name, "A:B" for A..B-1, or a single number.

    Raises:
        ValueError: for anything else.
    """
    from solitaire_env.engine.generator import LAST_DEAL

    if text in DEAL_LISTS:
        return DEAL_LISTS[text]
    first, colon, last = text.partition(":")
    try:
        deals = range(int(first), int(last) if colon else int(first) + 1)
    except ValueError:
        deals = range(0)
    if not deals or deals[0] < 0 or deals[-1] > LAST_DEAL:
        names = ", ".join(DEAL_LISTS)
        raise ValueError(
            f"deals are {text!r}, accepted are {names}, A:B with A < B, or one number, "
            f"of 0..{LAST_DEAL}"
        )
    return deals


def check_deals(deals: Iterable[int]) -> IntArray:
    """Return deal numbers as (D,) int64.

    Raises:
        ValueError: for an empty list, more than `MOST_DEALS`, what is no deal number, and a number
            that comes twice.
    """
    from solitaire_env.envs.options import check_deal

    try:
        given = list(islice(deals, MOST_DEALS + 1))
    except TypeError:
        raise ValueError(f"deals is {deals!r}, accepted is a list of deal numbers") from None
    if len(given) > MOST_DEALS:
        raise ValueError(f"deals are too many, accepted are {MOST_DEALS:,} at once")
    numbers = np.array([check_deal(deal) for deal in given], np.int64)
    if not len(numbers):
        raise ValueError("deals is empty, accepted are one or more deal numbers")
    values, counts = np.unique(numbers, return_counts=True)
    if (counts > 1).any():
        raise ValueError(f"deal {values[counts > 1][0]} comes twice, accepted is each deal once")
    return numbers


def list_hash(deals: IntArray) -> str:
    """Give 12 hexadecimal digits that name a list of deals in its order."""
    return sha256(deals.astype("<i8").tobytes()).hexdigest()[:12]
