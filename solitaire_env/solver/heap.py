"""A heap of nodes, best score first, and a table of fingerprints."""

import numpy as np

from solitaire_env.engine.compile import entry, kernel, whole, wrapping_kernel
from solitaire_env.engine.lowered import LoweredRules
from solitaire_env.solver.memory import Memory, Now, WordArray

_OPEN = int(Now.OPEN)
_ZERO, _ONE = np.uint64(0), np.uint64(1)


@wrapping_kernel
def remember(table: WordArray, one: np.uint64, two: np.uint64) -> bool:
    """Add a fingerprint to a table, (slots, 2) with a power of 2 slots; tell whether it is new."""
    last = np.uint64(len(table) - 1)
    if one == _ZERO:
        one = _ONE  # zero marks a free slot
    slot = one & last
    while table[slot, 0] != _ZERO:
        if table[slot, 0] == one and table[slot, 1] == two:
            return False
        slot = (slot + _ONE) & last
    table[slot, 0], table[slot, 1] = one, two
    return True


@entry
def refill(rules: LoweredRules, table: WordArray, larger: WordArray) -> None:
    """Copy all fingerprints of a table to a larger, empty one."""
    for slot in range(len(table)):
        if table[slot, 0] != _ZERO:
            remember(larger, table[slot, 0], table[slot, 1])


@kernel
def is_better(memory: Memory, node: int, other: int) -> bool:
    """Tell whether a node comes before another: by score, the newer of equals."""
    score, other_score = memory.scores[node], memory.scores[other]
    return score < other_score or (score == other_score and node > other)


@kernel
def push(memory: Memory, node: int) -> None:
    """Add a node to the heap."""
    heap = memory.heap
    place = memory.now[_OPEN]
    memory.now[_OPEN] = place + 1
    while place > 0 and is_better(memory, node, whole(heap[(place - 1) // 2])):
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = node


@kernel
def pop_best(memory: Memory) -> int:
    """Take the best node off the heap."""
    heap = memory.heap
    best = whole(heap[0])
    count = memory.now[_OPEN] - 1
    memory.now[_OPEN] = count
    node = whole(heap[count])
    place, child = 0, 1
    while child < count:
        if child + 1 < count and is_better(memory, whole(heap[child + 1]), whole(heap[child])):
            child += 1
        if not is_better(memory, whole(heap[child]), node):
            break
        heap[place] = heap[child]
        place, child = child, 2 * child + 1
    heap[place] = node
    return best


@kernel
def pop_last(memory: Memory) -> int:
    """Take the last node off the heap, used as a stack."""
    memory.now[_OPEN] -= 1
    return whole(memory.heap[memory.now[_OPEN]])


@kernel
def sort_newest(memory: Memory, count: int) -> None:
    """Sort the last nodes of the stack so that the best comes off first."""
    heap = memory.heap
    end = memory.now[_OPEN]
    for place in range(end - count + 1, end):
        node, hole = whole(heap[place]), place
        while hole > end - count and is_better(memory, whole(heap[hole - 1]), node):
            heap[hole] = heap[hole - 1]
            hole -= 1
        heap[hole] = node
