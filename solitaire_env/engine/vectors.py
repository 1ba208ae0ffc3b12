"""Many bytes at a time: LLVM's vectors, which it turns into instructions on every processor.

What each function does is said in `sets.py`, in plain Python.
"""

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from solitaire_env.engine.lowered import LoweredRules, lanes_of

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
def members_at(_context: Any, rules: Any, members: Any, places: Any) -> Any:
    """Give the instructions of `sets.members_at`."""
    lanes = min(rules.rules.lanes, WORD)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _, members, places = arguments
        vector = ir.VectorType(_BYTE, lanes)
        found = builder.load(_pointer(context, builder, signature.args[2], places, vector), align=1)
        shifts = builder.zext(found, ir.VectorType(_WORD, lanes))
        shifted = builder.lshr(_fill(builder, members, lanes), shifts)
        return _as_set(builder, builder.trunc(shifted, ir.VectorType(_BIT, lanes)))

    return types.uint64(rules, types.uint64, places), generate


def _by_deck(rules: LoweredRules, sources: Sequence[int]) -> list[list[int]]:
    """List where the first card of each source is kept, then the second where one has it, ..."""
    lanes = [lanes_of(rules, source) for source in sources]
    most = max(map(len, lanes))
    return [[kept[min(deck, len(kept) - 1)] for kept in lanes] for deck in range(most)]


@intrinsic
def write_column_actions(
    _context: Any, rules: Any, words: Any, keys: Any, runs: Any, fills: Any, ups: Any, space: Any
) -> Any:
    """Give the instructions of `sets.write_column_actions`."""
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
            sources = [action // game.piles for action in actions]
            found: Any = None
            for lanes in _by_deck(game, sources):
                key = builder.sub(_pick(builder, keys, targets), _pick(builder, above_keys, lanes))
                fits = builder.icmp_unsigned("<", key, _pick(builder, runs, lanes))
                fill = builder.and_(_pick(builder, fills, lanes), _pick(builder, spaces, targets))
                fits = builder.or_(fits, builder.trunc(fill, fits.type))
                found = builder.or_(found, fits) if found else fits
            itself = [int(s == t) for s, t in zip(sources, targets, strict=True)]
            up = builder.and_(_pick(builder, ups, sources), _constants(_BYTE, itself))
            found = builder.or_(found, builder.trunc(up, found.type))
            bits = builder.and_(_as_set(builder, found), _WORD(2 ** min(count - first, WORD) - 1))
            builder.store(bits, builder.gep(words, [_INDEX(first // WORD)]))
        return context.get_dummy_value()

    return types.void(rules, words, keys, runs, fills, types.uint64, types.uint64), generate


@intrinsic
def spread_actions(_context: Any, rules: Any, words: Any, out: Any) -> Any:
    """Give the instructions of `sets.spread_actions`."""

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


@intrinsic
def count_members(_context: Any, members: Any) -> Any:
    """Give the instructions of `sets.count_members`."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


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
def nth_member(_context: Any, members: Any, nth: Any) -> Any:
    """Give the instructions of `sets.nth_member`."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        members, nth = arguments
        first = builder.mul(_prefixes_up_to(builder, members, nth, 8), _WORD(8))
        below = builder.and_(members, builder.not_(builder.shl(_WORD(2**WORD - 1), first)))
        nth = builder.sub(nth, builder.ctpop(below))
        place = _prefixes_up_to(builder, builder.lshr(members, first), nth, 1)
        return builder.add(first, place)

    return types.int64(types.uint64, types.int64), generate


@intrinsic
def any_row(_context: Any, _row: Any) -> Any:
    """Give the instructions of `sets.any_row`: none, which the compiler does not look into."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        same = ir.FunctionType(_WORD, [_WORD])
        return builder.asm(same, "", "=r,0", arguments, side_effect=False)

    return types.int64(types.int64), generate
