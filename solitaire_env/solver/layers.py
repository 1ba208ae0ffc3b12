"""The kernel that searches: best first inside a layer, or everything there is.

A layer is what a number of draws, or of talon cards played, leads to. A few of the best positions
enter each; draws feed the next. With a width of 0 there are no layers and nothing is left out.
"""

from solitaire_env.engine.compile import entry, kernel, whole
from solitaire_env.engine.legality import write_mask
from solitaire_env.engine.lowered import LoweredRules
from solitaire_env.engine.moves import play
from solitaire_env.engine.state import Game, Games
from solitaire_env.rulesheet import UNLIMITED
from solitaire_env.solver.choices import list_choices, turn_talon
from solitaire_env.solver.fingerprint import fingerprint
from solitaire_env.solver.heap import pop_best, pop_last, push, remember, sort_newest
from solitaire_env.solver.memory import NONE, SLOT, Memory, Now, Plan, Status
from solitaire_env.solver.packing import pack, unpack
from solitaire_env.solver.scoring import score_of

_NODES, _EXPANDED, _OPEN = int(Now.NODES), int(Now.EXPANDED), int(Now.OPEN)
_LAYER, _LEFT, _WON = int(Now.LAYER), int(Now.LEFT), int(Now.WON)
_WIDTH, _MAX_BYTES, _NODE_SIZE = int(Plan.WIDTH), int(Plan.MAX_BYTES), int(Plan.NODE_SIZE)
_PAUSED, _HAS_WON = int(Status.PAUSED), int(Status.WON)
_EXHAUSTED, _FULL, _CROWDED = int(Status.EXHAUSTED), int(Status.FULL), int(Status.CROWDED)
_NONE = NONE

EXPANSIONS = 3
"""Nodes looked at in a layer, for each that enters."""

LAST_EXPANSIONS = 40
"""The same in the last layer."""

STRATUM = 4
"""At most so great a part of a layer's nodes, 1 in 4, has the same number of foundation cards."""


@entry
def search(rules: LoweredRules, games: Games, memory: Memory, turned: bool, expansions: int) -> int:
    """Look at nodes until one wins, none is left, memory is full, or enough were looked at.

    Args:
        rules: of the game.
        games: (2,) to play on. With no node yet, the first is where the search begins.
        memory: of the search, and where it is.
        turned: whether the talon is looked at as `Talon.TURNED`.
        expansions: pause after so many nodes.

    Returns:
        A `Status`.
    """
    now, everything = memory.now, memory.plan[_WIDTH] == 0
    if now[_NODES] == 0:
        plant(rules, games[0], memory, turned)
    for _ in range(expansions):
        if not has_next(rules, memory, turned, everything):
            return _EXHAUSTED
        room = room_left(memory)
        if room != _PAUSED:
            return room
        expand(rules, games, memory, turned, everything)
        if now[_WON] != _NONE:
            return _HAS_WON
    return _PAUSED


@kernel
def room_left(memory: Memory) -> int:
    """Tell whether a node can be looked at: `Status.PAUSED` if so, else what is missing."""
    nodes = memory.now[_NODES] + len(memory.choices)
    size = memory.plan[_NODE_SIZE]
    if nodes * size + len(memory.table) * SLOT > memory.plan[_MAX_BYTES]:
        return _FULL
    if 2 * nodes <= len(memory.table):
        return _PAUSED
    larger = 2 * len(memory.table) * SLOT
    return _CROWDED if nodes * size + larger <= memory.plan[_MAX_BYTES] else _FULL


@kernel
def plant(rules: LoweredRules, game: Game, memory: Memory, turned: bool) -> None:
    """Make the first node."""
    one, two = fingerprint(rules, game, turned)
    remember(memory.table, one, two)
    pack(rules, game, memory.rows[0])
    memory.parents[0] = memory.links[0] = _NONE
    memory.scores[0] = 0
    memory.cards[0] = game.foundation_cards
    memory.now[_NODES] = 1
    if memory.plan[_WIDTH] == 0:
        memory.heap[0] = 0
        memory.now[_OPEN] = 1
        memory.now[_LAYER] = 0
    else:
        layer = layer_of(rules, game, turned)
        memory.layers[layer] = 0
        memory.now[_LAYER] = layer - 1


@kernel
def layer_of(rules: LoweredRules, game: Game, turned: bool) -> int:
    """Give the layer of a position: cards drawn, or talon cards played where draws are free."""
    stock = whole(game.stock_height)
    if turned:
        return rules.stock_cards - stock - whole(game.waste_height)
    if rules.redeals == UNLIMITED:
        return 0
    done = rules.redeals - whole(game.redeals_left)
    return done * rules.stock_cards + rules.stock_cards - stock


@kernel
def has_next(rules: LoweredRules, memory: Memory, turned: bool, everything: bool) -> bool:
    """Tell whether a node is to be looked at, opening the next layer when one is through."""
    now = memory.now
    if everything:
        return now[_OPEN] > 0
    while now[_OPEN] == 0 or now[_LEFT] == 0:
        now[_LAYER] += 1
        if now[_LAYER] >= len(memory.layers):
            return False
        if memory.layers[now[_LAYER]] != _NONE:
            open_layer(memory)
    return True


@kernel
def open_layer(memory: Memory) -> None:
    """Let the best nodes that wait in a layer enter it, not too many of a kind."""
    now, width = memory.now, memory.plan[_WIDTH]
    now[_OPEN] = 0
    node = whole(memory.layers[now[_LAYER]])
    while node != _NONE:
        push(memory, node)
        node = whole(memory.links[node])
    memory.strata[:] = 0
    entered = 0
    while now[_OPEN] > 0 and entered < width:
        node = pop_best(memory)
        stratum = memory.cards[node]
        if memory.strata[stratum] * STRATUM < width:
            memory.strata[stratum] += 1
            memory.chosen[entered] = node
            entered += 1
    for place in range(entered):
        memory.heap[place] = memory.chosen[place]
    now[_OPEN] = entered
    last = now[_LAYER] == len(memory.layers) - 1
    now[_LEFT] = width * (LAST_EXPANSIONS if last else EXPANSIONS)


@kernel
def expand(
    rules: LoweredRules, games: Games, memory: Memory, turned: bool, everything: bool
) -> None:
    """Look at a node: make the positions that its moves lead to, and keep the new ones."""
    now = memory.now
    now[_EXPANDED] += 1
    now[_LEFT] -= 1
    node = pop_last(memory) if everything else pop_best(memory)
    first = now[_NODES]
    unpack(rules, memory.rows[node], games[0])
    write_mask(rules, games[0])
    count = list_choices(rules, games[0], turned, everything, memory.choices)
    for choice in range(count):
        games[1] = games[0]
        game = games[1]
        action, turn = memory.choices[choice, 0], memory.choices[choice, 1]
        if turn != _NONE:
            turn_talon(rules, game, turn)
        play(rules, game, action, False)
        one, two = fingerprint(rules, game, turned)
        if remember(memory.table, one, two):
            keep(rules, game, memory, node, action, turn)
            wait(rules, game, memory, turned, everything)
        if game.foundation_cards == rules.cards:
            return
    if everything:
        sort_newest(memory, now[_NODES] - first)


@kernel
def keep(
    rules: LoweredRules, game: Game, memory: Memory, parent: int, action: int, turn: int
) -> None:
    """Make a node of a position."""
    node = memory.now[_NODES]
    memory.now[_NODES] = node + 1
    pack(rules, game, memory.rows[node])
    memory.parents[node] = parent
    memory.actions[node] = action
    memory.turns[node] = turn
    memory.cards[node] = game.foundation_cards
    memory.scores[node] = score_of(rules, game, memory)
    if game.foundation_cards == rules.cards:
        memory.now[_WON] = node


@kernel
def wait(rules: LoweredRules, game: Game, memory: Memory, turned: bool, everything: bool) -> None:
    """Put the newest node where it waits to be looked at."""
    now = memory.now
    node = now[_NODES] - 1
    if everything:
        memory.heap[now[_OPEN]] = node
        now[_OPEN] += 1
        return
    layer = layer_of(rules, game, turned)
    if layer == now[_LAYER]:
        push(memory, node)
    else:
        memory.links[node] = memory.layers[layer]
        memory.layers[layer] = node
