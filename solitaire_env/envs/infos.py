"""What `info` tells of one game; of a batch: an array a key and, as `_key`, which games have it."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from solitaire_env.engine.state import COUNTERS, BoolArray, IntArray, MaskArray, Outcome

Infos = dict[str, Any]

_KEYS: Final = (*COUNTERS, "elapsed", "action_mask")
_PRESENT: Final = tuple(f"_{key}" for key in _KEYS)
_MOVES: Final = COUNTERS.index("moves")
_OUTCOMES: Final = np.array([outcome.label for outcome in Outcome], object)


def tell(
    told: IntArray, masks: MaskArray, seconds_per_move: float, present: BoolArray | None = None
) -> Infos:
    """Tell of all games, or of those present; zeros elsewhere.

    Args:
        told: (TOLD, N) int64, what the engine writes; the infos keep it.
        masks: (N, A) int8; likewise.
        seconds_per_move: simulated.
        present: (N,) bool.
    """
    if present is None:
        have = np.ones((len(_KEYS), len(masks)), np.bool_)
    else:
        have = np.tile(present, (len(_KEYS), 1))
        told, masks = told * present, masks * present[:, None]
    values = (*told[: len(COUNTERS)], seconds_per_move * told[_MOVES], masks)
    return dict(zip(_KEYS, values, strict=True)) | dict(zip(_PRESENT, have, strict=True))


def tell_one(told: IntArray, mask: MaskArray, seconds_per_move: float) -> Infos:
    """Tell of one game: (TOLD,) int64 and (A,) int8, which the info keeps.

    The names of `COUNTERS` once more: a literal is three times as fast as pairing them here.
    """
    deal, moves, passes, redeals, cards, score, streak, longest, _ = told.tolist()
    return {
        "deal": deal,
        "moves": moves,
        "passes": passes,
        "redeals_left": redeals,
        "foundation_cards": cards,
        "score": score,
        "streak": streak,
        "longest_streak": longest,
        "elapsed": seconds_per_move * moves,
        "action_mask": mask,
    }


def tell_ends(infos: Infos, told: IntArray, over: BoolArray) -> None:
    """Add how those games ended, of the ones that are over, that no step limit cut."""
    codes = told[-1] * over
    rows = np.flatnonzero(codes)
    if len(rows):
        outcomes = np.full(len(codes), None, object)
        outcomes[rows] = _OUTCOMES[codes[rows]]
        ended = codes != 0
        infos |= {"outcome": outcomes, "_outcome": ended}
        infos |= {"is_success": codes == Outcome.WON, "_is_success": ended.copy()}


def tell_illegal(infos: Infos, illegal: BoolArray) -> None:
    """Add which games' actions were illegal, if any were."""
    if illegal.any():
        infos |= {"illegal_action": illegal.copy(), "_illegal_action": illegal.copy()}


def pick(values: npt.NDArray[Any], present: BoolArray) -> npt.NDArray[Any]:
    """Copy the rows of those present into an array of objects, None elsewhere."""
    picked = np.full(len(values), None, object)
    for row in np.flatnonzero(present):
        picked[row] = values[row].copy()
    return picked
