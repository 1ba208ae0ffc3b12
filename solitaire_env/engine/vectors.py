"""Many bytes at a time: LLVM's vectors, which it turns into instructions on every processor.

Each function stands twice: as the instructions it compiles to, and in plain Python for a run with
the compiler off. Sets are 64-bit words, a bit a member, the first lowest.
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from solitaire_env.engine.compile import JIT
from solitaire_env.engine.lowered import LoweredRules
from solitaire_env.engine.state import ByteArray, MaskArray

WORD = 64
"""Bits of a word."""

_BIT, _BYTE, _INDEX, _WORD = (ir.IntType(bits) for bits in (1, 8, 32, WORD))
_PREFIXES = range(1, 9)


def _constants(element: Any, values: Sequence[int]) -> Any:
    return ir.Constant(ir.VectorType(element, len(values)), list(values))


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, target: Any) -> Any:
    """Point to an array's data, read as values of type `target`."""
    data = make_array(array_type)(context, builder, array).data
    return builder.bitcast(data, target.as_pointer())


def _pick(builder: Any, vector: Any, lanes: Sequence[int]) -> Any:
    """Make a vector of chosen lanes of another."""
    return builder.shuffle_vector(vector, vector, _constants(_INDEX, lanes))


def _fill(builder: Any, number: Any, lanes: int) -> Any:
    """Make a vector of one number many times."""
    empty = ir.Constant(ir.VectorType(number.type, lanes), ir.Undefined)
    return _pick(builder, builder.insert_element(empty, number, _INDEX(0)), [0] * lanes)


def _as_bytes(builder: Any, members: Any, lanes: int) -> Any:
    """Spread a set over a vector of bytes, 1 for a member."""
    bits = builder.trunc(members, ir.IntType(lanes)) if lanes < WORD else members
    flags = builder.bitcast(bits, ir.VectorType(_BIT, lanes))
    return builder.zext(flags, ir.VectorType(_BYTE, lanes))


def _as_set(builder: Any, flags: Any) -> Any:
    """Gather a vector of bits in a word."""
    lanes = flags.type.count
    bits = builder.bitcast(flags, ir.IntType(lanes))
    return builder.zext(bits, _WORD) if lanes < WORD else bits


@intrinsic
def _members_at(_context: Any, rules: Any, members: Any, places: Any) -> Any:
    lanes = min(rules.rules.lanes, WORD)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _, members, places = arguments
        vector = ir.VectorType(_BYTE, lanes)
        found = builder.load(_pointer(context, builder, signature.args[2], places, vector), align=1)
        shifts = builder.zext(found, ir.VectorType(_WORD, lanes))
        shifted = builder.lshr(_fill(builder, members, lanes), shifts)
        return _as_set(builder, builder.trunc(shifted, ir.VectorType(_BIT, lanes)))

    return types.uint64(rules, types.uint64, places), generate


def _members_at_plain(rules: LoweredRules, members: np.uint64, places: ByteArray) -> np.uint64:
    lanes = range(min(rules.lanes, WORD))
    return np.uint64(sum((int(members) >> int(places[lane]) & 1) << lane for lane in lanes))


def _lane(rules: LoweredRules, source: int, deck: int) -> int:
    """Find where a source's card is kept: foundations offer one of each deck."""
    suit = source - rules.foundation_source
    return source if suit < 0 else rules.foundation_source + suit * rules.decks + deck


def _lanes(rules: LoweredRules, actions: Sequence[int]) -> list[list[int]]:
    """List where the cards of actions' sources are kept, for each deck that makes a difference."""
    sources = [action // rules.piles for action in actions]
    decks = rules.decks if sources[-1] >= rules.foundation_source else 1
    return [[_lane(rules, source, deck) for source in sources] for deck in range(decks)]


@intrinsic
def _write_column_actions(
    _context: Any, rules: Any, words: Any, keys: Any, runs: Any, fills: Any, ups: Any, space: Any
) -> Any:
    game: LoweredRules = rules.rules
    count = game.sources * game.piles

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _, words, *vectors, ups, space = arguments
        words = _pointer(context, builder, signature.args[1], words, _WORD)
        vector = ir.VectorType(_BYTE, game.lanes)
        keys, runs, fills = (
            builder.load(_pointer(context, builder, array_type, array, vector), align=1)
            for array_type, array in zip(signature.args[2:5], vectors, strict=True)
        )
        above_keys = builder.add(keys, _constants(_BYTE, [1] * game.lanes))
        ups, spaces = (_as_bytes(builder, each, min(game.lanes, WORD)) for each in (ups, space))
        for first in range(0, count + 1, WORD):
            actions = [min(first + lane, count - 1) for lane in range(WORD)]
            targets = [action % game.piles for action in actions]
            found: Any = None
            for lanes in _lanes(game, actions):
                key = builder.sub(_pick(builder, keys, targets), _pick(builder, above_keys, lanes))
                fits = builder.icmp_unsigned("<", key, _pick(builder, runs, lanes))
                fill = builder.and_(_pick(builder, fills, lanes), _pick(builder, spaces, targets))
                fits = builder.or_(fits, builder.trunc(fill, fits.type))
                found = builder.or_(found, fits) if found else fits
            itself = [int(a // game.piles == t) for a, t in zip(actions, targets, strict=True)]
            sources = [action // game.piles for action in actions]
            up = builder.and_(_pick(builder, ups, sources), _constants(_BYTE, itself))
            found = builder.or_(found, builder.trunc(up, found.type))
            bits = builder.and_(_as_set(builder, found), _WORD(2 ** min(count - first, WORD) - 1))
            builder.store(bits, builder.gep(words, [_INDEX(first // WORD)]))
        return context.get_dummy_value()

    return types.void(rules, words, keys, runs, fills, types.uint64, types.uint64), generate


def _write_column_actions_plain(
    rules: LoweredRules,
    words: Any,
    keys: ByteArray,
    runs: ByteArray,
    fills: ByteArray,
    ups: np.uint64,
    space: np.uint64,
) -> None:
    bits, count = 0, rules.sources * rules.piles
    for action in range(count):
        source, target = divmod(action, rules.piles)
        legal = source == target and int(ups) >> source & 1
        for (lane,) in _lanes(rules, [action]):
            fits = (int(keys[target]) - int(keys[lane]) - 1) % 256 < int(runs[lane])
            legal = legal or fits or (fills[lane] and int(space) >> target & 1)
        bits |= bool(legal) << action
    for word in range(count // WORD + 1):
        words[word] = bits >> WORD * word & 2**WORD - 1


@intrinsic
def _spread_actions(_context: Any, rules: Any, words: Any, out: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words = _pointer(context, builder, signature.args[1], arguments[1], _WORD)
        out = _pointer(context, builder, signature.args[2], arguments[2], _BYTE)
        for first in range(0, rules.rules.num_actions, WORD):
            bits = builder.load(builder.gep(words, [_INDEX(first // WORD)]))
            lanes = min(rules.rules.num_actions - first, WORD)
            flags = _pick(builder, _as_bytes(builder, bits, WORD), range(lanes))
            place = builder.gep(out, [_INDEX(first)])
            builder.store(flags, builder.bitcast(place, flags.type.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(rules, words, out), generate


def _spread_actions_plain(rules: LoweredRules, words: Any, out: MaskArray) -> None:
    out[:] = np.unpackbits(words.view(np.uint8), bitorder="little")[: rules.num_actions]


@intrinsic
def _count_members(_context: Any, members: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


def _count_members_plain(members: np.uint64) -> int:
    return int(members).bit_count()


def _prefixes_up_to(builder: Any, word: Any, nth: Any, bits: int) -> Any:
    """Count the prefixes of 1, 2, ... 8 times `bits` of a word that hold at most `nth` members."""
    masks = _constants(_WORD, [2 ** (bits * prefix) - 1 for prefix in _PREFIXES])
    prefixes = builder.and_(_fill(builder, word, len(_PREFIXES)), masks)
    count = ir.FunctionType(prefixes.type, [prefixes.type])
    count = get_or_insert_function(builder.module, count, "llvm.ctpop.v8i64")
    nths = _fill(builder, nth, len(_PREFIXES))
    few = builder.icmp_unsigned("<=", builder.call(count, [prefixes]), nths)
    return builder.ctpop(_as_set(builder, few))


@intrinsic
def _nth_member(_context: Any, members: Any, nth: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        members, nth = arguments
        first = builder.mul(_prefixes_up_to(builder, members, nth, 8), _WORD(8))
        below = builder.and_(members, builder.not_(builder.shl(_WORD(2**WORD - 1), first)))
        nth = builder.sub(nth, builder.ctpop(below))
        place = _prefixes_up_to(builder, builder.lshr(members, first), nth, 1)
        return builder.add(first, place)

    return types.int64(types.uint64, types.int64), generate


def _nth_member_plain(members: np.uint64, nth: int) -> int:
    return [place for place in range(WORD) if int(members) >> place & 1][nth]


members_at = cast(
    "Callable[[LoweredRules, np.uint64, Any], np.uint64]",
    _members_at if JIT else _members_at_plain,
)
"""Give the set of lanes whose place, of (lanes,) uint8 below 64, is a member of a set."""

write_column_actions = cast(
    "Callable[[LoweredRules, Any, Any, Any, Any, np.uint64, np.uint64], None]",
    _write_column_actions if JIT else _write_column_actions_plain,
)
"""Write to `words`, (n,) uint64, which sources go to which columns: bit source * piles + column.

A source goes to a column if the column's key is 1 to `runs` above its own; to itself, if it is one
of `ups`; to one of `space`, if it is one that `fills`. A suit's foundations go where any of them
does. Zeros follow, to the end of the last word.
"""

spread_actions = cast(
    "Callable[[LoweredRules, Any, MaskArray], None]",
    _spread_actions if JIT else _spread_actions_plain,
)
"""Write a set of actions, as words, to `out`, (actions,) int8: 1 for a member, 0 for others."""

count_members = cast("Callable[[np.uint64], int]", _count_members if JIT else _count_members_plain)
"""Count the members of a set."""

nth_member = cast("Callable[[np.uint64, int], int]", _nth_member if JIT else _nth_member_plain)
"""Find the place of the nth member, from 0, of a set that has so many."""
