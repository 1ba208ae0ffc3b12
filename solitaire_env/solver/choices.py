"""Which moves a search tries in a position."""

import numpy as np

from solitaire_env.cards import NO_CARD
from solitaire_env.engine.building import (
    CLASS,
    PLACE,
    RANK,
    SUIT,
    TAKES,
    builds_on,
    contains,
    fills_space,
    top_card,
    waste_card,
)
from solitaire_env.engine.compile import kernel, whole
from solitaire_env.engine.foundations import wanted
from solitaire_env.engine.lowered import SINGLE_CARDS, LoweredRules
from solitaire_env.engine.moves import count_to_move, leftmost_space
from solitaire_env.engine.outcome import playable
from solitaire_env.engine.sets import WORD, nth_member
from solitaire_env.engine.state import Game
from solitaire_env.solver.fingerprint import drawn_card
from solitaire_env.solver.memory import NONE, Int32Array

_NO_TURN = NONE
_ZERO, _ONE = np.uint64(0), np.uint64(1)


@kernel
def list_choices(
    rules: LoweredRules, game: Game, turned: bool, everything: bool, choices: Int32Array
) -> int:
    """Write what to try: (action, height of the waste it is played from); return how many.

    Args:
        rules: of the game.
        game: the position, its mask written.
        turned: whether any card that draws can bring may be played, and no draw is tried.
        everything: leave out nothing that could matter; else prune moves that seem idle.
        choices: (M, 2) where they are written.
    """
    safe = safe_action(rules, game)
    if safe != NONE:
        choices[0, 0], choices[0, 1] = safe, _NO_TURN
        return 1
    count = 0
    for word in range(len(game.mask_words)):
        members = game.mask_words[word]
        while members != _ZERO:
            action = word * WORD + nth_member(members, 0)
            members &= members - _ONE
            idle = turned and action == rules.stock_action
            if not idle and (everything or not is_shuffle(rules, game, action)):
                choices[count, 0], choices[count, 1] = action, _NO_TURN
                count += 1
    if turned:
        count = list_talon(rules, game, choices, count)
    return count


@kernel
def safe_action(rules: LoweredRules, game: Game) -> int:
    """Find a move to a foundation that loses nothing; NONE if there is none, or none is proved."""
    if rules.take_back:
        return NONE
    for pile in range(rules.piles):
        if is_safe(rules, game, top_card(game, pile)):
            return pile * rules.piles + pile
    if rules.draw == 1 and is_safe(rules, game, waste_card(rules, game)):
        return rules.waste_to_foundation
    for cell in range(rules.reserve):
        if is_safe(rules, game, whole(game.reserve[cell])):
            return rules.reserve_to_foundation + cell
    return NONE


@kernel
def is_safe(rules: LoweredRules, game: Game, card: int) -> bool:
    """Tell whether a card can go up, and no card will ever miss it or its foundation.

    Nothing can be laid on it any more, and its copies can go up as soon as they are free.
    """
    if card == NO_CARD or not contains(wanted(game), whole(PLACE[card])):
        return False
    rank = whole(RANK[card])
    for suit in range(rules.suits):
        needed = suit == whole(SUIT[card]) or contains(
            TAKES[rules.build, card], suit * CLASS + rank - 1
        )
        if needed and whole(game.foundations[suit, rules.decks - 1]) < rank - 1:
            return False
    return True


@kernel
def is_shuffle(rules: LoweredRules, game: Game, action: int) -> bool:
    """Tell whether a move takes cards off one that they fit on, and nothing comes of it at once."""
    if action >= rules.piles * rules.piles:
        return False
    source, target = action // rules.piles, action % rules.piles
    if source == target or game.heights[target] == 0:
        return False
    place = whole(game.heights[source]) - count_to_move(rules, game, source, target)
    if place <= whole(game.hidden[source]):
        return False
    head = whole(game.tableau[source, place])
    parent = whole(game.tableau[source, place - 1])
    if not builds_on(rules.build, head, parent) or contains(wanted(game), whole(PLACE[parent])):
        return False
    return not (
        improves_suits(rules, head, parent, top_card(game, target))
        or takes_another(rules, game, parent, source, target)
    )


@kernel
def improves_suits(rules: LoweredRules, head: int, parent: int, top: int) -> bool:
    """Tell whether a run grows by a move."""
    if rules.lift == SINGLE_CARDS:
        return False
    return builds_on(rules.lift, head, top) and not builds_on(rules.lift, head, parent)


@kernel
def takes_another(rules: LoweredRules, game: Game, parent: int, source: int, target: int) -> bool:
    """Tell whether a card that becomes free could take the top of another pile."""
    places = TAKES[rules.build, parent]
    for other in range(rules.foundation_source):
        if other != source and other != target and contains(places, whole(game.tops[other])):
            return True
    return False


@kernel
def list_talon(rules: LoweredRules, game: Game, choices: Int32Array, count: int) -> int:
    """Append the plays of cards that draws and redeals can bring to the top of the waste."""
    waste, stock = whole(game.waste_height), whole(game.stock_height)
    places = playable(rules, game)
    done = _ZERO
    for height in range(1, waste + stock + 1):
        brought = height % rules.draw == 0 or height == waste + stock
        brought = brought or (height > waste and (height - waste) % rules.draw == 0)
        if height == waste or not brought:
            continue
        card = drawn_card(game, waste, stock, height - 1)
        place = whole(PLACE[card])
        if not contains(places, place) or (rules.draw == 1 and contains(done, place)):
            continue
        done |= _ONE << np.uint64(place)
        count = list_plays(rules, game, card, height, choices, count)
    return count


@kernel
def list_plays(
    rules: LoweredRules, game: Game, card: int, height: int, choices: Int32Array, count: int
) -> int:
    """Append the plays of a card as if it lay on the waste."""
    place = whole(PLACE[card])
    if contains(wanted(game), place):
        choices[count, 0], choices[count, 1] = rules.waste_to_foundation, height
        count += 1
    space = leftmost_space(rules, game)
    for pile in range(rules.piles):
        below = top_card(game, pile)
        if builds_on(rules.build, card, below) or (pile == space and fills_space(rules, card)):
            choices[count, 0], choices[count, 1] = rules.waste_source * rules.piles + pile, height
            count += 1
    return count


@kernel
def turn_talon(rules: LoweredRules, game: Game, height: int) -> None:
    """Draw, or turn back, until the waste is so high."""
    waste, stock = whole(game.waste_height), whole(game.stock_height)
    while waste < height:
        stock -= 1
        game.waste[waste] = game.hidden_stock[stock]
        waste += 1
    while waste > height:
        waste -= 1
        game.hidden_stock[stock] = game.waste[waste]
        stock += 1
    game.waste_height = waste
    game.stock_height = stock
