"""128 bits that stand for a position, the same for positions that play alike.

Columns are a multiset, and so is the reserve: what is hashed of each is added up. Copies of a card
are the same card. What is left out follows from the rest, the foundations for one.
"""

import numpy as np

from solitaire_env.engine.compile import kernel, whole, wrapping_kernel
from solitaire_env.engine.generator import mix
from solitaire_env.engine.lowered import LoweredRules
from solitaire_env.engine.state import Game
from solitaire_env.rulesheet import UNLIMITED

_HIDDEN = 64
_ONES = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))
_FACTORS = (np.uint64(0xD6E8FEB86659FD93), np.uint64(0xA0761D6478BD642F))
_SHIFT = np.uint64(32)
_START, _OTHER_START = _ONES
_FACTOR, _OTHER_FACTOR = _FACTORS
_TALON, _RESERVE = 1000, 2000
_ZERO = np.uint64(0)


@wrapping_kernel
def first_link(word: np.uint64, value: int) -> np.uint64:
    """Add a value to the first half of a chain."""
    word = (word ^ np.uint64(value)) * _FACTOR
    return word ^ (word >> _SHIFT)


@wrapping_kernel
def second_link(word: np.uint64, value: int) -> np.uint64:
    """Add a value to the second half of a chain."""
    word = (word + np.uint64(value)) * _OTHER_FACTOR
    return word ^ (word >> _SHIFT)


@wrapping_kernel
def fingerprint(rules: LoweredRules, game: Game, turned: bool) -> tuple[np.uint64, np.uint64]:
    """Give the fingerprint of a position.

    Args:
        rules: of the game.
        game: the position.
        turned: whether the talon is looked at as `Talon.TURNED`.
    """
    one, two = _ZERO, _ZERO
    for pile in range(rules.piles):
        height = whole(game.heights[pile])
        if height > 0:
            first, second = column_print(game, pile, height)
            one += mix(first)
            two += mix(second)
    for cell in range(rules.reserve):
        value = _RESERVE + whole(game.reserve[cell])
        one += mix(first_link(_START, value))
        two += mix(second_link(_OTHER_START, value))
    if rules.stock_cards > 0:
        first, second = talon_print(rules, game, turned)
        one += mix(first)
        two += mix(second)
    return one, two


@kernel
def column_print(game: Game, pile: int, height: int) -> tuple[np.uint64, np.uint64]:
    """Give what a column adds to the fingerprint, before it is mixed."""
    first, second = _START, _OTHER_START
    hidden = whole(game.hidden[pile])
    for place in range(hidden):
        card = whole(game.hidden_cards[pile, place]) + _HIDDEN
        first, second = first_link(first, card), second_link(second, card)
    for place in range(hidden, height):
        card = whole(game.tableau[pile, place])
        first, second = first_link(first, card), second_link(second, card)
    return first, second


@wrapping_kernel
def talon_print(rules: LoweredRules, game: Game, turned: bool) -> tuple[np.uint64, np.uint64]:
    """Give what stock and waste add to the fingerprint, before it is mixed.

    Turned over without end, cards drawn singly can come in any order; several at a time they come
    in theirs, and a waste of whole draws is as good as none.
    """
    waste, stock = whole(game.waste_height), whole(game.stock_height)
    height = waste
    if turned and (rules.draw == 1 or waste % rules.draw == 0 or stock == 0):
        height = 0
    redeals = whole(game.redeals_left) if rules.redeals != UNLIMITED else 0
    value = _TALON + 256 * height + redeals * 65536
    first, second = first_link(_START, value), second_link(_OTHER_START, value)
    if turned and rules.draw == 1:
        for place in range(waste + stock):
            card = drawn_card(game, waste, stock, place)
            first += mix(first_link(_START, card))
            second += mix(second_link(_OTHER_START, card))
    else:
        for place in range(waste + stock):
            card = drawn_card(game, waste, stock, place)
            first, second = first_link(first, card), second_link(second, card)
    return first, second


@kernel
def drawn_card(game: Game, waste: int, stock: int, place: int) -> int:
    """Give the card at a place of the talon, in the order in which a pass draws them."""
    if place < waste:
        return whole(game.waste[place])
    return whole(game.hidden_stock[stock - 1 - (place - waste)])
