"""From a deal number to a table: the shuffle, the columns, the reserve, the stock."""

import numpy as np

from solitaire_env.cards import RANKS_PER_SUIT, UNKNOWN
from solitaire_env.engine.compile import kernel
from solitaire_env.engine.foundations import note_foundations
from solitaire_env.engine.generator import below, seed
from solitaire_env.engine.lowered import LoweredRules
from solitaire_env.engine.moves import settle_everything
from solitaire_env.engine.state import Game


@kernel
def deal_game(rules: LoweredRules, game: Game, deal: int) -> None:
    """Lay out deal number `deal` (0..2**63-1), the same cards for ever."""
    clear_table(rules, game)
    game.deal = deal
    shuffle(rules, game, deal)
    next_card = deal_tableau(rules, game)
    for cell in range(rules.reserve):
        game.reserve[cell] = game.deck[next_card + cell]
    deal_stock(rules, game, next_card + rules.reserve)
    settle_everything(rules, game)
    game.score = 0
    game.most_foundation_cards = game.foundation_cards


@kernel
def clear_table(rules: LoweredRules, game: Game) -> None:
    """Empty every pile, lay out Aces that start on the foundations, and set counters to zero."""
    game.tableau[:] = 0
    game.heights[:] = 0
    game.hidden[:] = 0
    game.hidden_cards[:] = 0
    for cell in range(rules.reserve):
        game.reserve[cell] = 0
    for card in range(rules.stock_cards):
        game.waste[card] = game.stock[card] = game.hidden_stock[card] = 0
    game.waste_height = game.stock_height = game.kings = 0
    game.foundations[:] = rules.aces_dealt
    note_foundations(rules, game)
    zero_counters(rules, game)


@kernel
def zero_counters(rules: LoweredRules, game: Game) -> None:
    """Start the counters of an episode."""
    game.deal = -1
    game.moves = game.score = game.streak = game.longest_streak = 0
    game.idle = game.steps = game.outcome = 0
    game.passes = 1
    game.redeals_left = rules.redeals
    game.foundation_cards = rules.aces_dealt * rules.suits * rules.decks


@kernel
def shuffle(rules: LoweredRules, game: Game, deal: int) -> int:
    """Fill `game.deck` with the shuffled deck of a deal; return how many cards it holds."""
    generator = game.random
    seed(game, np.uint64(deal))
    count = fill_deck(rules, game)
    shuffle_deck(game, count)
    game.random = generator
    return count


@kernel
def shuffle_deck(game: Game, count: int) -> None:
    """Shuffle the first cards of `game.deck`, each order as likely.

    Source: Fisher and Yates 1938, in Durstenfeld's form.
    """
    for last in range(count - 1, 0, -1):
        other = below(game, last + 1)
        card = game.deck[last]
        game.deck[last] = game.deck[other]
        game.deck[other] = card


@kernel
def fill_deck(rules: LoweredRules, game: Game) -> int:
    """Put the cards that are dealt in order, Aces left out where the foundations hold them."""
    count = 0
    for suit in range(rules.suits):
        for rank in range(1 + rules.aces_dealt, rules.ranks + 1):
            for _ in range(rules.decks):
                game.deck[count] = suit * RANKS_PER_SUIT + rank
                count += 1
    return count


@kernel
def dealt_height(rules: LoweredRules, pile: int) -> int:
    """Count the cards that a column is dealt."""
    return pile + 1 if rules.triangle else rules.rows


@kernel
def deal_tableau(rules: LoweredRules, game: Game) -> int:
    """Deal the columns, left to right; return how many cards that took."""
    taken = 0
    for pile in range(rules.piles):
        height = dealt_height(rules, pile)
        hidden = height - 1 if rules.top_face_up else 0
        for place in range(height):
            card = game.deck[taken + place]
            if place < hidden:
                game.hidden_cards[pile, place] = card
                card = UNKNOWN
            game.tableau[pile, place] = card
        game.heights[pile] = height
        game.hidden[pile] = hidden
        taken += height
    return taken


@kernel
def deal_stock(rules: LoweredRules, game: Game, first: int) -> None:
    """Lay the rest of the deck face down as the stock, its next card on top."""
    for place in range(rules.stock_cards):
        game.hidden_stock[rules.stock_cards - 1 - place] = game.deck[first + place]
        game.stock[place] = UNKNOWN
    game.stock_height = rules.stock_cards


@kernel
def determinize(rules: LoweredRules, game: Game, word: np.uint64) -> None:
    """Deal anew the cards that the player has not seen, each order as likely.

    The unseen cards are sorted before they are shuffled, so that nothing depends on where they
    really lie. Uses `game.deck` as scratch space and starts the generator from `word`.
    """
    seed(game, word)
    shuffle_deck(game, sort_unseen(rules, game))
    lay_unseen(rules, game)


@kernel
def sort_unseen(rules: LoweredRules, game: Game) -> int:
    """Gather the unseen cards in `game.deck`, lowest first; return how many there are."""
    count = 0
    for card in range(1, UNKNOWN):
        for _ in range(count_unseen(rules, game, card)):
            game.deck[count] = card
            count += 1
    return count


@kernel
def count_unseen(rules: LoweredRules, game: Game, card: int) -> int:
    """Count the copies of a card that lie face down or in a stock not seen yet."""
    count = 0
    for pile in range(rules.piles):
        for place in range(game.hidden[pile]):
            count += game.hidden_cards[pile, place] == card
    if game.passes == 1:
        for place in range(game.stock_height):
            count += game.hidden_stock[place] == card
    return count


@kernel
def lay_unseen(rules: LoweredRules, game: Game) -> None:
    """Put the cards of `game.deck` where the unseen cards lie."""
    taken = 0
    for pile in range(rules.piles):
        for place in range(game.hidden[pile]):
            game.hidden_cards[pile, place] = game.deck[taken]
            taken += 1
    if game.passes == 1:
        for place in range(game.stock_height):
            game.hidden_stock[place] = game.deck[taken]
            taken += 1
