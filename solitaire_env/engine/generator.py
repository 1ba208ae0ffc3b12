"""The package's own generator: splitmix64 (Steele, Lea and Flood 2014, "Fast splittable ...").

One 64-bit word of state, the same numbers on every platform and NumPy for ever.
"""

import numpy as np

from solitaire_env.engine.compile import kernel, whole, wrapping_kernel
from solitaire_env.engine.state import Game

FIRST_TRAINING_DEAL = 1_000_000
LAST_DEAL = 2**63 - 1

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_LOW = np.int64(0xFFFFFFFF)
_TRAINING_DEALS = np.uint64(LAST_DEAL - FIRST_TRAINING_DEAL + 1)


@wrapping_kernel
def mix(word: np.uint64) -> np.uint64:
    """Scatter 64 bits so that neighbouring words have nothing in common."""
    word = (word ^ (word >> np.uint64(30))) * _MIX_1
    word = (word ^ (word >> np.uint64(27))) * _MIX_2
    return word ^ (word >> np.uint64(31))


@wrapping_kernel
def seed(game: Game, word: np.uint64) -> None:
    """Start a game's generator."""
    game.random = mix(word + _GAMMA)


@wrapping_kernel
def next_word(game: Game) -> np.uint64:
    """Draw 64 random bits from a game's generator."""
    game.random = game.random + _GAMMA
    return mix(game.random)


@kernel
def below(game: Game, bound: int) -> int:
    """Draw a whole number 0..bound-1, bound < 2**31, each exactly as likely.

    Source: Lemire 2019, "Fast random integer generation in an interval".
    """
    while True:
        product = whole(next_word(game) >> np.uint64(32)) * bound
        low = product & _LOW
        if low >= bound or low >= (_LOW + 1) % bound:
            return whole(product >> 32)


@kernel
def next_deal(game: Game) -> int:
    """Draw the number of a deal that is not kept for evaluation."""
    while True:
        word = next_word(game) >> np.uint64(1)
        if word < _TRAINING_DEALS:
            return whole(word) + FIRST_TRAINING_DEAL
