"""Positions as short rows of bytes, and back.

A row holds the foundations, Kings that left, redeals left, heights of stock and waste, the waste
and the stock, the reserve, then each column's height, face-down cards and cards.
"""

from solitaire_env.engine.building import note_sources
from solitaire_env.engine.compile import kernel, whole
from solitaire_env.engine.foundations import note_foundations
from solitaire_env.engine.lowered import LoweredRules
from solitaire_env.engine.state import ByteArray, Game
from solitaire_env.rulesheet import UNLIMITED


@kernel
def pack(rules: LoweredRules, game: Game, row: ByteArray) -> None:
    """Write a game's cards to a row."""
    end = 0
    for suit in range(rules.suits):
        for pile in range(rules.decks):
            row[end] = game.foundations[suit, pile]
            end += 1
    row[end] = game.kings
    row[end + 1] = game.redeals_left if rules.redeals != UNLIMITED else 0
    row[end + 2] = game.waste_height
    row[end + 3] = game.stock_height
    end += 4
    for place in range(whole(game.waste_height)):
        row[end] = game.waste[place]
        end += 1
    for place in range(whole(game.stock_height)):
        row[end] = game.hidden_stock[place]
        end += 1
    for cell in range(rules.reserve):
        row[end] = game.reserve[cell]
        end += 1
    for pile in range(rules.piles):
        end = pack_column(game, pile, row, end)


@kernel
def pack_column(game: Game, pile: int, row: ByteArray, end: int) -> int:
    """Write a column to a row from `end`; return where it ends."""
    height, hidden = whole(game.heights[pile]), whole(game.hidden[pile])
    row[end] = height
    row[end + 1] = hidden
    end += 2
    for place in range(hidden):
        row[end + place] = game.hidden_cards[pile, place]
    for place in range(hidden, height):
        row[end + place] = game.tableau[pile, place]
    return end + height


@kernel
def unpack(rules: LoweredRules, row: ByteArray, game: Game) -> None:
    """Lay out a row's position; cards above a pile's height are left as they were."""
    end = 0
    cards = 0
    for suit in range(rules.suits):
        for pile in range(rules.decks):
            game.foundations[suit, pile] = row[end]
            cards += whole(row[end])
            end += 1
    game.kings = row[end]
    game.foundation_cards = cards + whole(row[end])
    game.redeals_left = whole(row[end + 1]) if rules.redeals != UNLIMITED else UNLIMITED
    game.waste_height = row[end + 2]
    game.stock_height = row[end + 3]
    end = unpack_talon(game, row, end + 4)
    for cell in range(rules.reserve):
        game.reserve[cell] = row[end]
        end += 1
    for pile in range(rules.piles):
        end = unpack_column(game, pile, row, end)
    note_foundations(rules, game)
    note_sources(rules, game)


@kernel
def unpack_talon(game: Game, row: ByteArray, end: int) -> int:
    """Lay out waste and stock from a row; return where they end."""
    for place in range(whole(game.waste_height)):
        game.waste[place] = row[end]
        end += 1
    for place in range(whole(game.stock_height)):
        game.hidden_stock[place] = row[end]
        end += 1
    return end


@kernel
def unpack_column(game: Game, pile: int, row: ByteArray, end: int) -> int:
    """Lay out a column from a row; return where it ends."""
    height, hidden = whole(row[end]), whole(row[end + 1])
    game.heights[pile] = height
    game.hidden[pile] = hidden
    end += 2
    for place in range(hidden):
        game.hidden_cards[pile, place] = row[end + place]
    for place in range(hidden, height):
        game.tableau[pile, place] = row[end + place]
    return end + height
