"""The action table: what each number means, and moves in words, both ways."""

from functools import cache
from typing import NamedTuple

import numpy as np

from solitaire_env.cards import NO_CARD, SUITS, card_of, rank_of
from solitaire_env.engine.lowered import LoweredRules
from solitaire_env.engine.state import Game, masks_of
from solitaire_env.notation import (
    FOUNDATION,
    REDEAL,
    STOCK,
    WASTE,
    Move,
    card_text,
    cell,
    column,
    suit_foundations,
)

ANY_COUNT = 0
"""`Action.count` where the table, not the number, says how many cards move."""


class Action(NamedTuple):
    """An action number in words.

    Attributes:
        source: as in `Move`.
        target: as in `Move`; "space" for a group into the leftmost empty column.
        count: cards that move, or `ANY_COUNT`.
    """

    source: str
    target: str
    count: int  # pyright: ignore[reportIncompatibleMethodOverride]


SPACE = "space"


@cache
def action_table(rules: LoweredRules) -> tuple[Action, ...]:
    """List what each action number of a game means."""
    columns = [column(pile) for pile in range(rules.piles)]
    cells = [cell(index) for index in range(rules.reserve)]
    waste = [WASTE] if rules.stock_cards else []
    suits = [suit_foundations(suit) for suit in range(rules.suits)] if rules.take_back else []
    table = [
        Action(source, FOUNDATION if source == target else target, ANY_COUNT)
        for source in [*columns, *waste, *cells, *suits]
        for target in columns
    ]
    table += [Action(source, FOUNDATION, 1) for source in [*waste, *cells]]
    if rules.choose_group:
        counts = range(1, rules.max_group + 1)
        table += [Action(source, SPACE, count) for source in columns for count in counts]
    return (*table, *(Action(STOCK, WASTE, ANY_COUNT) for _ in waste))


def legal_actions(game: Game) -> list[int]:
    """List the action numbers that are legal."""
    return np.flatnonzero(masks_of(game)).tolist()


def move_of(rules: LoweredRules, table: tuple[Action, ...], game: Game, action: int) -> Move:
    """Put a legal action of this table into words."""
    source, target, count = table[action]
    if source == STOCK:
        return _stock_move(rules, game)
    if target == SPACE:
        return Move(source, _leftmost_space(game), count)
    if target == FOUNDATION or not source.startswith("T"):
        return Move(source, target, 1)
    return Move(source, target, _group_size(rules, game, int(source[1:]), int(target[1:])))


def _group_size(rules: LoweredRules, game: Game, source: int, target: int) -> int:
    """Count the cards of a legal move between columns: the target's top decides."""
    below = column_top(game, target)
    if below == NO_CARD and not rules.king_space:
        return 1
    rank = rank_of(below) if below != NO_CARD else rules.ranks + 1
    return rank - rank_of(column_top(game, source))


def column_top(game: Game, pile: int) -> int:
    """Give the top card of a column, or no card."""
    height = int(game.heights[pile])
    return int(game.tableau[pile, height - 1]) if height else NO_CARD


def _stock_move(rules: LoweredRules, game: Game) -> Move:
    stock = int(game.stock_height)
    if stock:
        return Move(STOCK, WASTE, min(rules.draw, stock))
    return Move(STOCK, REDEAL, int(game.waste_height))


def _leftmost_space(game: Game) -> str:
    return column(game.heights.tolist().index(0))


def action_of(rules: LoweredRules, table: tuple[Action, ...], game: Game, move: Move) -> int:
    """Find the number of a legal move; ValueError says why a move is not legal."""
    for action in legal_actions(game):
        if move_of(rules, table, game, action) == move:
            return action
    raise ValueError(f"{tuple(move)} is not legal: {_why_not(rules, table, game, move)}")


def _why_not(rules: LoweredRules, table: tuple[Action, ...], game: Game, move: Move) -> str:
    if game.outcome:
        return "the game is over"
    if move.source not in {action.source for action in table}:
        return f"there is no source {move.source!r} in this game"
    card = _available(game, move.source)
    if card is None:
        return f"{move.source} holds no card"
    moves = [move_of(rules, table, game, action) for action in legal_actions(game)]
    others = [str(other) for other in moves if other.source == move.source]
    return f"{card} of {move.source} goes {', '.join(others) if others else 'nowhere'} now"


def _available(game: Game, source: str) -> str | None:
    """Say what a source offers; None where it is empty."""
    if source == STOCK:
        return "the stock" if game.stock_height or game.waste_height else None
    if source.startswith(FOUNDATION):
        suit = SUITS.index(source[1])
        ranks = [height for height in game.foundations[suit].tolist() if height]
        return "/".join(card_text(card_of(suit, rank)) for rank in ranks) or None
    card = _available_card(game, source)
    return card_text(card) if card else None


def _available_card(game: Game, source: str) -> int:
    if source == WASTE:
        return int(game.waste[int(game.waste_height) - 1]) if game.waste_height else NO_CARD
    if source.startswith("R"):
        return int(game.reserve[int(source[1:])])
    return column_top(game, int(source[1:]))
