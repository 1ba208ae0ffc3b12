"""The mask: which actions are legal now. Nothing else in the package says what is legal.

A set of columns is a 64-bit word, a bit a column, and so is a set of up to 64 of anything else. The
mask is the sets of all sources in a row: a string of bits, one an action.
"""

import numpy as np

from solitaire_env.engine.building import contains
from solitaire_env.engine.compile import kernel, whole, wrapping_kernel
from solitaire_env.engine.foundations import wanted
from solitaire_env.engine.lowered import LoweredRules
from solitaire_env.engine.sets import (
    WORD,
    count_members,
    members_at,
    write_column_actions,
)
from solitaire_env.engine.state import Game

_NONE, _ONE = np.uint64(0), np.uint64(1)


@kernel
def write_mask(rules: LoweredRules, game: Game) -> None:
    """Write which actions are legal, in the order of their numbers, and how many are."""
    space = leftmost_space_set(rules, game)
    ups = members_at(rules, wanted(game), game.tops)
    words, columns = game.mask_words, rules.sources * rules.piles
    write_column_actions(rules, words, game.keys, game.runs, game.fills, ups, space)
    word, end = words[columns // WORD], columns
    singles = rules.foundation_source - rules.piles
    word, end = append(game, word, end, ups >> np.uint64(rules.piles), singles)
    if rules.choose_group:
        for pile in range(rules.piles):
            counts = group_counts(rules, game, pile, space)
            word, end = append(game, word, end, counts, rules.max_group)
    if rules.stock_cards > 0:
        word, end = append(game, word, end, np.uint64(may_draw_or_redeal(game)), 1)
    words[end // WORD] = word
    game.legal = count_legal(game)


@kernel
def append(
    game: Game, word: np.uint64, end: int, members: np.uint64, count: int
) -> tuple[np.uint64, int]:
    """Append a set of `count` actions, at most 32, to the mask of which `end` bits are written.

    The bits that fill no word yet are in `word`. Returned are word and end for what comes next.
    """
    used = end % WORD
    word |= members << np.uint64(used)
    if used + count >= WORD:
        game.mask_words[end // WORD] = word
        word = members >> np.uint64(WORD - used)
    return word, end + count


@kernel
def count_legal(game: Game) -> int:
    """Count the legal actions."""
    total = 0
    for word in range(len(game.mask_words)):
        total += count_members(game.mask_words[word])
    return total


@kernel
def is_legal(game: Game, action: int) -> bool:
    """Tell whether an action is legal."""
    return contains(game.mask_words[action // WORD], action % WORD)


@wrapping_kernel
def leftmost_space_set(rules: LoweredRules, game: Game) -> np.uint64:
    """Give the set of the first empty column alone; none where no column is empty.

    Source: rulings, "Renaming moves are not moves".
    """
    columns = (_ONE << np.uint64(rules.piles)) - _ONE
    spaces = members_at(rules, _ONE, game.keys) & columns
    return spaces & (~spaces + _ONE)


@kernel
def group_counts(rules: LoweredRules, game: Game, pile: int, space: np.uint64) -> np.uint64:
    """Give the set of numbers of cards, from 1, that may go into a space: never a whole column."""
    if space == _NONE:
        return _NONE
    most = min(whole(game.runs[pile]), max(whole(game.heights[pile]) - 1, 0))
    return (_ONE << np.uint64(most)) - _ONE


@kernel
def may_draw_or_redeal(game: Game) -> bool:
    """Tell whether a card can be drawn, or the waste turned over.

    Source: rulings, "Redeal".
    """
    return game.stock_height > 0 or (game.waste_height > 0 and game.redeals_left != 0)


@kernel
def clear_mask(game: Game) -> None:
    """Leave no action legal: the game is over."""
    game.mask_words[:] = _NONE
    game.legal = 0
