"""Felt and piles of cards laid into a frame, by a compiled kernel."""

from collections.abc import Callable
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from solitaire_env.engine.compile import entry, kernel, specialise

ByteArray = npt.NDArray[np.uint8]
IntArray = npt.NDArray[np.int64]

_BAND: Final = 32
"""Rows of a frame that are drawn together: they fit in the processor's near cache."""


@kernel
def _copy(line: ByteArray, left: int, image: ByteArray, size: int) -> None:
    """Copy the first bytes of an image's row to where they belong in a frame's."""
    for place in range(np.uint64(size)):
        # Unsigned, as a negative place would count from the end, which is slow to rule out.
        line[np.uint64(left) + np.uint64(place)] = image[np.uint64(place)]


@entry
def _blit(
    frame: ByteArray,
    bare: ByteArray,
    images: ByteArray,
    places: IntArray,
    counts: IntArray,
    cards: IntArray,
    step: int,
) -> None:
    """See `blit_piles`: band after band, so that each byte goes to far memory once."""
    for top in range(0, len(frame), _BAND):
        bottom = min(top + _BAND, len(frame))
        for row in range(top, bottom):
            _copy(frame[row], 0, bare, len(bare))
        first = 0
        for pile in range(len(counts)):
            upper, count = places[pile, 0], counts[pile]
            for card in range(first, first + count):
                ends = upper + (step if card + 1 < first + count else images.shape[1])
                for row in range(max(top, upper), min(bottom, ends)):
                    image = images[cards[card], row - upper]
                    _copy(frame[row], places[pile, 1], image, len(image))
                upper += step
            first += count


_Blit = Callable[[ByteArray, ByteArray, ByteArray, IntArray, IntArray, IntArray, int], None]


@cache
def _compiled() -> _Blit:
    rows, row, whole = np.empty((1, 1), np.uint8), np.empty(1, np.uint8), np.empty(1, np.int64)
    return specialise(_blit, rows, row, rows[None], whole[None], whole, whole, 1)


def blit_piles(
    frame: ByteArray,
    bare: ByteArray,
    images: ByteArray,
    places: IntArray,
    piles: list[list[int]],
    step: int,
) -> None:
    """Cover a frame with felt and lay piles on it, in place; of a card what is not overlapped.

    Args:
        frame: (H, W * 3), written whole.
        bare: (W * 3,) one row of felt.
        images: (n, h, w * 3) of cards.
        places: (at least len(piles), 2) row and byte of each pile's upper left corner.
        piles: numbers of images, bottom card first; later piles cover earlier ones.
        step: rows that a card lies below the one that it overlaps.

    Raises:
        ValueError: for more piles than places, where the kernel would write anywhere.
    """
    if len(piles) > len(places):
        raise ValueError(f"{len(piles)} piles, accepted are at most {len(places)}")
    counts = np.array([len(pile) for pile in piles], np.int64)
    cards = np.array([image for pile in piles for image in pile], np.int64)
    _compiled()(frame, bare, images, places, counts, cards, step)
