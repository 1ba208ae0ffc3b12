"""The mask: which actions are legal now. Nothing else in the package says what is legal."""

import numpy as np

from solitaire_env.cards import NO_CARD, RANKS_PER_SUIT
from solitaire_env.engine.building import PLACE, build_key, contains, waste_card
from solitaire_env.engine.compile import kernel, store_word, whole
from solitaire_env.engine.foundations import place_bit, wanted
from solitaire_env.engine.lowered import LoweredRules
from solitaire_env.engine.moves import fills_space, king_group, leftmost_space
from solitaire_env.engine.state import Game
from solitaire_env.engine.words import first_bytes, fits_each, sum_bytes

_BYTES = 8


@kernel
def write_mask(rules: LoweredRules, game: Game) -> None:
    """Write a byte an action, 1 where it is legal, and count them in `game.legal`.

    Rows are written in whole words, whose zeros reach into what follows: keep the order.
    """
    space, up = leftmost_space(rules, game), wanted(game)
    for pile in range(rules.piles):
        mask_column(rules, game, pile, space, up)
    if rules.stock_cards > 0:
        mask_card(rules, game, rules.waste_source, waste_card(rules, game), space)
    for cell in range(rules.reserve):
        mask_card(rules, game, rules.reserve_source + cell, whole(game.reserve[cell]), space)
    if rules.take_back:
        for suit in range(rules.suits):
            mask_take_back(rules, game, suit, space)
    mask_ups(rules, game, up)
    if rules.choose_group:
        for pile in range(rules.piles):
            mask_groups(rules, game, pile, space)
    if rules.stock_cards > 0:
        game.mask[rules.stock_action] = may_draw_or_redeal(game)
    game.legal = count_legal(game)


@kernel
def count_legal(game: Game) -> int:
    """Count the legal actions; no byte of the sum overflows, as there are under 255 words."""
    words, total = game.mask_words, np.uint64(0)
    for word in range(len(words)):
        total += words[word]
    return sum_bytes(total)


@kernel
def mask_column(rules: LoweredRules, game: Game, pile: int, space: int, up: np.uint64) -> None:
    """Write where a column's cards may go: columns, a space, and, aimed at itself, up."""
    first, key, run = pile * rules.piles, whole(game.keys[pile]), whole(game.runs[pile])
    for word in range(rules.key_words):
        store_word(game.mask_room, first + _BYTES * word, fits_each(game.key_words[word], key, run))
    game.mask[first + pile] = contains(up, whole(game.tops[pile]))
    if rules.choose_group == 0 and space >= 0:
        game.mask[first + space] = run_fills_space(rules, game, pile)


@kernel
def run_fills_space(rules: LoweredRules, game: Game, pile: int) -> bool:
    """Tell whether some of a column's run, but not the whole column, may go into a space.

    Source: Pantagruel, 2.1, Law 3; Arabella, "Filling Empty Tableau Spaces".
    """
    count = king_group(rules, game, pile) if rules.king_space else 1
    return count <= whole(game.runs[pile]) and count < whole(game.heights[pile])


@kernel
def mask_card(rules: LoweredRules, game: Game, source: int, card: int, space: int) -> None:
    """Write which columns take a single card of waste or reserve, or none where there is none."""
    first, cards = source * rules.piles, min(card, 1)
    for word in range(rules.key_words):
        flags = fits_each(game.key_words[word], build_key(rules, card), cards)
        store_word(game.mask_room, first + _BYTES * word, flags)
    if space >= 0 and card != NO_CARD:
        game.mask[first + space] = fills_space(rules, card)


@kernel
def mask_take_back(rules: LoweredRules, game: Game, suit: int, space: int) -> None:
    """Write which columns a suit's foundations may give a card to; a King to a space.

    Source: Pantagruel, 2.9, "Card Reversal Rule"; rulings, "Take back".
    """
    first = (rules.foundation_source + suit) * rules.piles
    for word in range(rules.key_words):
        flags = np.uint64(0)
        for pile in range(rules.decks):
            rank = whole(game.foundations[suit, pile])
            card = suit * RANKS_PER_SUIT + rank if rank > rules.aces_dealt else NO_CARD
            flags |= fits_each(game.key_words[word], build_key(rules, card), min(card, 1))
        store_word(game.mask_room, first + _BYTES * word, flags)
    if space >= 0:
        kings = game.foundation_places & place_bit(suit, rules.ranks)
        game.mask[first + space] = kings != np.uint64(0)


@kernel
def mask_ups(rules: LoweredRules, game: Game, up: np.uint64) -> None:
    """Write whether the cards of waste and reserve go to a foundation."""
    if rules.stock_cards > 0:
        place = whole(PLACE[waste_card(rules, game)])
        game.mask[rules.waste_to_foundation] = contains(up, place)
    for cell in range(rules.reserve):
        place = whole(PLACE[game.reserve[cell]])
        game.mask[rules.reserve_to_foundation + cell] = contains(up, place)


@kernel
def mask_groups(rules: LoweredRules, game: Game, pile: int, space: int) -> None:
    """Write how many cards of a column may go into a space: never the whole column."""
    first = rules.group_to_space + pile * rules.max_group
    most = min(whole(game.runs[pile]), whole(game.heights[pile]) - 1) if space >= 0 else 0
    for count in range(0, rules.max_group, _BYTES):
        store_word(game.mask_room, first + count, first_bytes(most - count))


@kernel
def may_draw_or_redeal(game: Game) -> bool:
    """Tell whether a card can be drawn, or the waste turned over.

    Source: rulings, "Redeal".
    """
    return game.stock_height > 0 or (game.waste_height > 0 and game.redeals_left != 0)


@kernel
def clear_mask(game: Game) -> None:
    """Leave no action legal: the game is over."""
    game.mask_words[:] = np.uint64(0)
    game.legal = 0
