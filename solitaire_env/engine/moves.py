"""Carrying out a legal action: cards move, cards are turned up, Kings leave, events are counted."""

from solitaire_env.cards import NO_CARD
from solitaire_env.engine.building import (
    RANK,
    is_leaving_king,
    joined_run,
    king_group,
    note_cell,
    note_top,
    note_waste,
    run_length,
    top_card,
    waste_card,
)
from solitaire_env.engine.compile import kernel, whole
from solitaire_env.engine.foundations import put_up, take_down
from solitaire_env.engine.lowered import LoweredRules
from solitaire_env.engine.state import Game
from solitaire_env.rulesheet import UNLIMITED

LONGEST_STREAK_BONUS = 10
"""The bonus of a streak grows by a point a move up to this (rulings, "Streak")."""


@kernel
def play(rules: LoweredRules, game: Game, action: int, streaks: bool) -> None:
    """Carry out a legal action and count what it earns."""
    game.moves += 1
    game.idle += 1
    if action == rules.stock_action:
        draw_or_redeal(rules, game)
    elif action >= rules.group_to_space:
        group_to_space(rules, game, action - rules.group_to_space)
    else:
        from_source(rules, game, action, streaks)
    note_progress(game)


@kernel
def from_source(rules: LoweredRules, game: Game, action: int, streaks: bool) -> None:
    """Move from a source to a column or a foundation; a column aimed at itself means the latter."""
    single = action - rules.waste_to_foundation
    source = action // rules.piles if single < 0 else rules.waste_source + single
    target = action % rules.piles
    if single >= 0 or source == target:
        to_foundation(rules, game, source, streaks)
    elif source >= rules.foundation_source:
        take_back(rules, game, source - rules.foundation_source, target)
    elif source < rules.piles:
        move_group(rules, game, source, target, count_to_move(rules, game, source, target))
    else:
        card_to_tableau(rules, game, source, target)


@kernel
def note_progress(game: Game) -> None:
    """Forget idle moves at a new maximum of foundation cards."""
    if game.foundation_cards > game.most_foundation_cards:
        game.most_foundation_cards = game.foundation_cards
        game.idle = 0


@kernel
def draw_or_redeal(rules: LoweredRules, game: Game) -> None:
    """Draw, or turn the waste over when the stock is empty."""
    game.streak = 0
    if game.stock_height > 0:
        draw(rules, game)
    else:
        redeal(rules, game)


@kernel
def draw(rules: LoweredRules, game: Game) -> None:
    """Draw cards to the waste, one upon the other; the last draw takes what is left.

    Source: Pantagruel, 2.1, Law 4; rulings, "Redeal".
    """
    stock, waste = whole(game.stock_height), whole(game.waste_height)
    count = min(rules.draw, stock)
    for drawn in range(count):
        place = stock - 1 - drawn
        game.waste[waste + drawn] = game.hidden_stock[place]
        game.stock[place] = game.hidden_stock[place] = NO_CARD
    game.stock_height = stock - count
    game.waste_height = waste + count
    if rules.redeals != UNLIMITED:
        game.idle = 0
    settle_waste(rules, game)


@kernel
def redeal(rules: LoweredRules, game: Game) -> None:
    """Turn the waste over to be the stock again, in the same order as before."""
    height = whole(game.waste_height)
    for place in range(height):
        card = game.waste[height - 1 - place]
        game.stock[place] = game.hidden_stock[place] = card
    for place in range(height):
        game.waste[place] = NO_CARD
    game.stock_height = height
    game.waste_height = 0
    note_waste(rules, game)
    game.passes += 1
    if rules.redeals != UNLIMITED:
        game.redeals_left -= 1
    game.score += rules.points_redeal


@kernel
def group_to_space(rules: LoweredRules, game: Game, choice: int) -> None:
    """Move the top n cards of a column into the leftmost space."""
    source, count = choice // rules.max_group, choice % rules.max_group + 1
    move_group(rules, game, source, leftmost_space(rules, game), count)


@kernel
def leftmost_space(rules: LoweredRules, game: Game) -> int:
    """Find the first empty column; -1 where there is none.

    Source: rulings, "Renaming moves are not moves".
    """
    for pile in range(rules.piles):
        if game.heights[pile] == 0:
            return pile
    return -1


@kernel
def count_to_move(rules: LoweredRules, game: Game, source: int, target: int) -> int:
    """Count the cards that a move between columns takes: the target's top decides."""
    if game.heights[target] > 0:
        return whole(game.keys[target]) - whole(game.keys[source])
    return king_group(rules, game, source) if rules.king_space else 1


@kernel
def move_group(rules: LoweredRules, game: Game, source: int, target: int, count: int) -> None:
    """Move the top cards of a column onto another, in their order."""
    game.streak = 0
    start = whole(game.heights[source]) - count
    end = whole(game.heights[target])
    left = whole(game.runs[source]) - count
    run = joined_run(rules, game, target, whole(game.tableau[source, start]), count)
    for card in range(count):
        game.tableau[target, end + card] = game.tableau[source, start + card]
        game.tableau[source, start + card] = NO_CARD
    game.heights[source] = start
    game.heights[target] = end + count
    settle(rules, game, source, left)
    note_top(rules, game, target, run)


@kernel
def card_to_tableau(rules: LoweredRules, game: Game, source: int, target: int) -> None:
    """Move the waste's top card or a reserve card onto a column."""
    game.streak = 0
    if source == rules.waste_source and rules.stock_cards > 0:
        game.score += rules.points_waste_to_tableau
    put_on(rules, game, take(rules, game, source), target)


@kernel
def take_back(rules: LoweredRules, game: Game, suit: int, target: int) -> None:
    """Return a foundation's top card to a column, whose top says which rank.

    Source: Pantagruel, 2.9, "Card Reversal Rule"; rulings, "Take back".
    """
    game.streak = 0
    game.score += rules.points_taken_back
    below = top_card(game, target)
    rank = rules.ranks if below == NO_CARD else whole(RANK[below]) - 1
    put_on(rules, game, take_down(rules, game, suit, rank), target)


@kernel
def put_on(rules: LoweredRules, game: Game, card: int, target: int) -> None:
    """Put one card on a column."""
    height = whole(game.heights[target])
    run = joined_run(rules, game, target, card, 1)
    game.tableau[target, height] = card
    game.heights[target] = height + 1
    note_top(rules, game, target, run)


@kernel
def take(rules: LoweredRules, game: Game, source: int) -> int:
    """Take the available card of a column, the waste or a cell, and settle what it leaves."""
    if source < rules.piles:
        card = take_from_column(game, source)
        settle(rules, game, source, whole(game.runs[source]) - 1)
    elif source < rules.reserve_source:
        card = take_from_waste(rules, game)
        settle_waste(rules, game)
        game.idle = 0
    else:
        card = take_from_cell(rules, game, source - rules.reserve_source)
        game.idle = 0
    return card


@kernel
def take_from_column(game: Game, pile: int) -> int:
    """Take the top card of a column."""
    card = top_card(game, pile)
    game.heights[pile] -= 1
    game.tableau[pile, whole(game.heights[pile])] = NO_CARD
    return card


@kernel
def take_from_waste(rules: LoweredRules, game: Game) -> int:
    """Take the top card of the waste."""
    card = waste_card(rules, game)
    if rules.stock_cards > 0:
        game.waste_height -= 1
        game.waste[whole(game.waste_height)] = NO_CARD
    return card


@kernel
def take_from_cell(rules: LoweredRules, game: Game, cell: int) -> int:
    """Take the card of a reserve cell, which stays empty."""
    if rules.reserve == 0:
        return NO_CARD
    card = whole(game.reserve[cell])
    game.reserve[cell] = NO_CARD
    note_cell(rules, game, cell)
    return card


@kernel
def to_foundation(rules: LoweredRules, game: Game, source: int, streaks: bool) -> None:
    """Move the available card of a source to a foundation; a new maximum extends the streak.

    Source: Pantagruel, 1.4 and 2.7; rulings, "Streak".
    """
    put_up(rules, game, take(rules, game, source))
    points = rules.points_to_foundation
    if game.foundation_cards > game.most_foundation_cards:
        game.streak += 1
        game.longest_streak = max(game.longest_streak, game.streak)
        if streaks:
            points += min(game.streak - 1, LONGEST_STREAK_BONUS)
    game.score += points


@kernel
def settle(rules: LoweredRules, game: Game, pile: int, run: int) -> None:
    """Turn up a column's top card and let an available King leave, until neither happens.

    So many cards of its run are left as `run` says; if none, the new run is counted.
    """
    while turns_up(rules, game, pile) or king_leaves(rules, game, pile):
        run = 0
    if run <= 0:
        run = run_length(rules, game, pile)
    note_top(rules, game, pile, run)


@kernel
def turns_up(rules: LoweredRules, game: Game, pile: int) -> bool:
    """Turn up the top card of a column if it lies face down.

    Source: rulings, "Face-down cards".
    """
    height = whole(game.heights[pile])
    if rules.max_hidden == 0 or height == 0 or game.hidden[pile] < height:
        return False
    game.tableau[pile, height - 1] = game.hidden_cards[pile, height - 1]
    game.hidden_cards[pile, height - 1] = NO_CARD
    game.hidden[pile] = height - 1
    game.score += rules.points_uncovered
    game.idle = 0
    return True


@kernel
def king_leaves(rules: LoweredRules, game: Game, pile: int) -> bool:
    """Let a King on top of a column leave to the King pile.

    Source: Big Bertha, "Kings"; rulings, "Kings leave by themselves".
    """
    if not is_leaving_king(rules, top_card(game, pile)):
        return False
    take_from_column(game, pile)
    count_king(game)
    return True


@kernel
def count_king(game: Game) -> None:
    """Count a King that has left."""
    game.kings += 1
    game.foundation_cards += 1


@kernel
def settle_waste(rules: LoweredRules, game: Game) -> None:
    """Let Kings on top of the waste leave."""
    while is_leaving_king(rules, waste_card(rules, game)):
        take_from_waste(rules, game)
        count_king(game)
    note_waste(rules, game)


@kernel
def settle_everything(rules: LoweredRules, game: Game) -> None:
    """Settle a fresh table: columns, waste and reserve."""
    for pile in range(rules.piles):
        settle(rules, game, pile, 0)
    settle_waste(rules, game)
    for cell in range(rules.reserve):
        note_cell(rules, game, cell)
        if is_leaving_king(rules, whole(game.reserve[cell])):
            take_from_cell(rules, game, cell)
            count_king(game)
