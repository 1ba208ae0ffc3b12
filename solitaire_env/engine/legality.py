"""The mask: which actions are legal now. Nothing else in the package says what is legal."""

import numpy as np

from solitaire_env.cards import NO_CARD, RANKS_PER_SUIT
from solitaire_env.engine.building import RANK, fits, top_card, waste_card
from solitaire_env.engine.compile import kernel, whole
from solitaire_env.engine.foundations import goes_up, is_on_top
from solitaire_env.engine.lowered import LoweredRules
from solitaire_env.engine.moves import build_key, fills_space, king_group, leftmost_space
from solitaire_env.engine.state import Game


@kernel
def write_mask(rules: LoweredRules, game: Game) -> None:
    """Write a byte an action, 1 where it is legal, and count them in `game.legal`."""
    space = leftmost_space(rules, game)
    legal = 0
    for pile in range(rules.piles):
        legal += mask_column(rules, game, pile, space)
    if rules.stock_cards > 0:
        card = waste_card(rules, game)
        legal += mask_card(
            rules, game, rules.waste_source, card, rules.waste_to_foundation, space
        )
        game.mask[rules.stock_action] = may_draw_or_redeal(game)
        legal += game.mask[rules.stock_action]
    for cell in range(rules.reserve):
        source, up = rules.reserve_source + cell, rules.reserve_to_foundation + cell
        legal += mask_card(rules, game, source, whole(game.reserve[cell]), up, space)
    if rules.take_back:
        for suit in range(rules.suits):
            legal += mask_take_back(rules, game, suit, space)
    game.legal = legal


@kernel
def mask_targets(rules: LoweredRules, game: Game, source: int, key: int, cards: int) -> int:
    """Write which columns take a group; return how many."""
    first, legal = source * rules.piles, 0
    for target in range(rules.piles):
        good = fits(key, cards, whole(game.keys[target]))
        game.mask[first + target] = good
        legal += good
    return legal


@kernel
def mask_column(rules: LoweredRules, game: Game, pile: int, space: int) -> int:
    """Write the actions of a column; return how many are legal."""
    run, card = whole(game.runs[pile]), top_card(game, pile)
    legal = mask_targets(rules, game, pile, whole(game.keys[pile]), run)
    up = card != NO_CARD and goes_up(game, card)
    game.mask[pile * rules.piles + pile] = up
    if rules.choose_group:
        legal += mask_groups(rules, game, pile, space)
    elif space >= 0 and run > 0:
        good = run_fills_space(rules, game, pile)
        game.mask[pile * rules.piles + space] = good
        legal += good
    return legal + up


@kernel
def mask_groups(rules: LoweredRules, game: Game, pile: int, space: int) -> int:
    """Write how many cards of a column may go into a space: never the whole column."""
    first = rules.group_to_space + pile * rules.max_group
    most = min(whole(game.runs[pile]), whole(game.heights[pile]) - 1) if space >= 0 else 0
    for count in range(rules.max_group):
        game.mask[first + count] = count < most
    return max(most, 0)


@kernel
def run_fills_space(rules: LoweredRules, game: Game, pile: int) -> bool:
    """Tell whether some of a column's run, but not the whole column, may go into a space.

    Source: Pantagruel, 2.1, Law 3; Arabella, "Filling Empty Tableau Spaces".
    """
    count = king_group(rules, game, pile) if rules.king_space else 1
    return count <= whole(game.runs[pile]) and count < whole(game.heights[pile])


@kernel
def mask_card(
    rules: LoweredRules, game: Game, source: int, card: int, up_action: int, space: int
) -> int:
    """Write the actions of a single card of waste or reserve; return how many are legal."""
    there = card != NO_CARD
    legal = mask_targets(rules, game, source, build_key(rules, card), whole(there))
    up = there and goes_up(game, card)
    game.mask[up_action] = up
    if there and space >= 0:
        good = fills_space(rules, card)
        game.mask[source * rules.piles + space] = good
        legal += good
    return legal + up


@kernel
def mask_take_back(rules: LoweredRules, game: Game, suit: int, space: int) -> int:
    """Write which columns a suit's foundations may give a card to; return how many."""
    first, legal = (rules.foundation_source + suit) * rules.piles, 0
    for target in range(rules.piles):
        below = top_card(game, target)
        good = may_take_back(rules, game, suit, below, target == space)
        game.mask[first + target] = good
        legal += good
    return legal


@kernel
def may_take_back(
    rules: LoweredRules, game: Game, suit: int, below: int, leftmost: bool
) -> bool:
    """Tell whether a foundation of a suit has the card that goes on `below`, or a King for a space."""
    if below == NO_CARD:
        return leftmost and is_on_top(game, suit, rules.ranks)
    rank = whole(RANK[below]) - 1
    card = suit * RANKS_PER_SUIT + rank
    return (
        rank > rules.aces_dealt
        and is_on_top(game, suit, rank)
        and fits(build_key(rules, card), 1, build_key(rules, below))
    )


@kernel
def may_draw_or_redeal(game: Game) -> bool:
    """Tell whether a card can be drawn, or the waste turned over.

    Source: rulings, "Redeal".
    """
    return game.stock_height > 0 or (game.waste_height > 0 and game.redeals_left != 0)


@kernel
def clear_mask(rules: LoweredRules, game: Game) -> None:
    """Leave no action legal: the game is over."""
    for action in range(rules.num_actions):
        game.mask[action] = np.uint8(0)
    game.legal = 0
