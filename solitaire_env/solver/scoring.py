"""How good a position looks: a weighted count, less is better."""

from solitaire_env.cards import NO_CARD
from solitaire_env.engine.building import CLASS, PLACE, RANK, SUIT, builds_on, contains
from solitaire_env.engine.compile import kernel, whole
from solitaire_env.engine.foundations import wanted
from solitaire_env.engine.lowered import SINGLE_CARDS, LoweredRules
from solitaire_env.engine.state import Game
from solitaire_env.solver.memory import Int32Array, Memory, Weight

_FOUNDATION, _DEPTH = int(Weight.FOUNDATION), int(Weight.DEPTH)
_WASTE_DEPTH, _INVERSION = int(Weight.WASTE_DEPTH), int(Weight.INVERSION)
_HIDDEN, _SPACE, _LINK = int(Weight.HIDDEN), int(Weight.SPACE), int(Weight.LINK)
_BLOCKED, _TALON, _RESERVE = int(Weight.BLOCKED), int(Weight.TALON), int(Weight.RESERVE)
_UNSEEN = 1000
_PLACES = 64
_SUITS = 4


@kernel
def score_of(rules: LoweredRules, game: Game, memory: Memory) -> int:
    """Judge a position."""
    weights = memory.weights
    score = -weights[_FOUNDATION] * whole(game.foundation_cards)
    memory.depths[:] = _UNSEEN
    for pile in range(rules.piles):
        score += column_score(rules, game, pile, memory)
    if rules.stock_cards > 0:
        score += waste_score(rules, game, memory)
    for cell in range(rules.reserve):
        card = whole(game.reserve[cell])
        if card != NO_CARD:
            score += weights[_RESERVE]
            memory.depths[whole(PLACE[card])] = 0
    return score + weights[_DEPTH] * depth_of_wanted(rules, game, memory.depths)


@kernel
def depth_of_wanted(rules: LoweredRules, game: Game, depths: Int32Array) -> int:
    """Add up how deep the cards lie that are next on a foundation; what no pile shows is left."""
    places = wanted(game)
    total = 0
    for suit in range(rules.suits):
        for rank in range(1, rules.foundation_top + 1):
            place = suit * CLASS + rank
            if contains(places, place) and depths[place] < _UNSEEN:
                total += depths[place]
    return total


@kernel
def column_score(rules: LoweredRules, game: Game, pile: int, memory: Memory) -> int:
    """Judge a column, and note how deep its cards lie."""
    weights = memory.weights
    height, hidden = whole(game.heights[pile]), whole(game.hidden[pile])
    if height == 0:
        return -weights[_SPACE]
    relation = rules.build if rules.lift == SINGLE_CARDS else rules.lift
    links = blocked = below = 0
    memory.ranks[:_SUITS] = _UNSEEN
    for place in range(height):
        card = whole(
            game.hidden_cards[pile, place] if place < hidden else game.tableau[pile, place]
        )
        note_depth(memory.depths, card, height - 1 - place)
        suit, rank = whole(SUIT[card]), whole(RANK[card])
        if rank > memory.ranks[suit]:
            blocked += 1
        else:
            memory.ranks[suit] = rank
        if place > hidden and builds_on(relation, card, below):
            links += 1
        below = card
    return weights[_HIDDEN] * hidden - weights[_LINK] * links + weights[_BLOCKED] * blocked


@kernel
def note_depth(depths: Int32Array, card: int, above: int) -> None:
    """Note how many cards lie above a card, unless a copy lies higher."""
    place = whole(PLACE[card])
    if above < depths[place]:
        depths[place] = above


@kernel
def waste_score(rules: LoweredRules, game: Game, memory: Memory) -> int:
    """Judge the talon; a waste that will not be turned over is a column of its own."""
    weights, ranks = memory.weights, memory.ranks
    waste, stock = whole(game.waste_height), whole(game.stock_height)
    score = weights[_TALON] * (waste + stock)
    if game.redeals_left != 0:
        return score
    inversions = 0
    ranks[:] = 0
    for above in range(waste):
        card = whole(game.waste[waste - 1 - above])
        note_depth(memory.depths, card, above * weights[_WASTE_DEPTH] // 100)
        rank = whole(RANK[card])
        for higher in range(rank + 1, rules.ranks + 1):
            inversions += ranks[higher]
        ranks[rank] += 1
    return score + weights[_INVERSION] * inversions
