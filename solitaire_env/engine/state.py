"""A game's state: one row of bytes that can be copied, compared, sent and stored as it is.

The first fields are what a player sees: an observation is a copy of them. Then come the hidden
cards, what is derived from both (kept, for speed, by the kernels that change a pile), the mask,
and counters of 64 bits.
"""

from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from solitaire_env.engine.lowered import LoweredRules

ByteArray = npt.NDArray[np.uint8]
MaskArray = npt.NDArray[np.int8]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
Games = Any
"""(N,) array of the record type that `game_dtype` gives."""

Game = Any
"""One record of `Games`, whose fields are attributes."""


class Outcome(IntEnum):
    """How a game ended. WON, STUCK, DEAD and ILLEGAL terminate it, NO_PROGRESS truncates it."""

    NONE = 0
    WON = 1
    STUCK = 2
    DEAD = 3
    NO_PROGRESS = 4
    ILLEGAL = 5

    @property
    def label(self) -> str:
        """The word that `info["outcome"]` holds."""
        return self.name.lower()


class Field(NamedTuple):
    """A part of the observation.

    Attributes:
        slice: where its bytes are.
        shape: their shape.
        meaning: what they say.
    """

    slice: slice
    shape: tuple[int, ...]
    meaning: str


@dataclass(frozen=True)
class _Public:
    name: str
    shape: tuple[int, ...]
    meaning: str


COUNTERS: Final = (
    "deal",
    "moves",
    "passes",
    "redeals_left",
    "foundation_cards",
    "score",
    "streak",
    "longest_streak",
)
"""What `info` tells of a game, in the order of the row's 64-bit counters."""

_SEEN_COUNTERS: Final = 5
"""Counters at the end of an observation; the row has them as 64-bit numbers."""

_MORE_COUNTERS: Final = ("outcome", "most_foundation_cards", "idle", "steps", "legal")

TOLD: Final = len(COUNTERS) + 1
"""Numbers that kernels write of each game for `info`: the counters, and the outcome."""


def public_fields(rules: LoweredRules) -> dict[str, Field]:
    """List what an observation holds: name -> place, shape and meaning."""
    fields: dict[str, Field] = {}
    start = 0
    for part in _public(rules):
        size = prod(part.shape)
        if size:
            shape = part.shape or (1,)
            fields[part.name] = Field(slice(start, start + size), shape, part.meaning)
        start += size
    return fields


@cache
def observation_size(rules: LoweredRules) -> int:
    """Count the bytes of an observation."""
    return sum(prod(part.shape) for part in _public(rules))


def _public(rules: LoweredRules) -> list[_Public]:
    cards = "0 none, 1..52 suit by suit (S H D C) from the Ace, 53 not seen"
    return [
        _Public("tableau", (rules.piles, rules.depth), f"columns, bottom card first: {cards}"),
        _Public("stock", (rules.stock_cards,), f"stock, next card to draw last: {cards}"),
        _Public("waste", (rules.stock_cards,), f"waste, bottom card first: {cards}"),
        _Public("heights", (rules.piles,), "cards in each column"),
        _Public("hidden", (rules.piles,), "face-down cards at the bottom of each column"),
        _Public("reserve", (rules.reserve,), f"reserve cells: {cards}"),
        _Public("foundations", (rules.suits, rules.decks), "heights a suit, tallest first"),
        _Public("kings", (), "Kings that have left to their own pile"),
        _Public("waste_height", (), "cards in the waste"),
        _Public("stock_height", (), "cards in the stock"),
        _Public(
            "counters",
            (_SEEN_COUNTERS,),
            "passes, redeals left (255 unlimited), moves without progress, streak, moves: "
            "each at most 255",
        ),
    ]


@cache
def game_dtype(rules: LoweredRules) -> np.dtype[Any]:
    """Build the record of a game: public, hidden, derived, mask, counters."""
    parts: list[tuple[str, str, tuple[int, ...]]] = [
        *((part.name, "u1", part.shape) for part in _public(rules)[:-1]),
        ("hidden_cards", "u1", (rules.piles, rules.max_hidden)),
        ("hidden_stock", "u1", (rules.stock_cards,)),
        ("deck", "u1", (rules.cards,)),
        *((name, "u1", (rules.lanes,)) for name in ("keys", "tops", "runs", "fills")),
        ("mask_words", "u8", (rules.mask_words,)),
    ]
    words = [(name, "i8") for name in (*COUNTERS, *_MORE_COUNTERS)]
    words += [("random", "u8"), ("foundation_places", "u8"), ("variant", "u8")]
    return _with_overlays(np.dtype([*parts, *words], align=True), rules)


def _with_overlays(plain: np.dtype[Any], rules: LoweredRules) -> np.dtype[Any]:
    """Name stretches of the row a second time: as bytes, or as what is copied whole."""
    fields: Any = plain.fields
    names: Any = plain.names
    overlays = {
        "observed": ("u1", observation_size(rules) - _SEEN_COUNTERS, names[0]),
        "told": ("i8", TOLD, COUNTERS[0]),
        "mask_bits": ("u1", 8 * rules.mask_words, "mask_words"),
    }
    places = {name: fields[name][:2] for name in names}
    for name, (kind, size, onto) in overlays.items():
        places[name] = np.dtype((kind, (size,))), fields[onto][1]
    layout: Any = {
        "names": list(places),
        "formats": [place[0] for place in places.values()],
        "offsets": [place[1] for place in places.values()],
        "itemsize": plain.itemsize,
    }
    record: Any = (np.record, np.dtype(layout, align=True))
    return np.dtype(record)


def new_games(rules: LoweredRules, count: int) -> Games:
    """Make rows for `count` games, all zero until they are dealt."""
    return np.zeros(count, game_dtype(rules)).view(np.recarray)


def masks_of(games: Games) -> ByteArray:
    """Tell of each action whether it is legal: fresh (N, 64 * words) uint8, 0 past the last action.

    Args:
        games: (N,) records, or one.
    """
    return np.unpackbits(games.mask_bits, axis=-1, bitorder="little")


def bytes_of(games: Games) -> ByteArray:
    """View the rows of games as an (N, row) uint8 array."""
    return games.view(np.ndarray).view(np.uint8).reshape(len(games), -1)
