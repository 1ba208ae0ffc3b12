"""Instructions against plain Python, and what is kept of sources against their cards."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from solitaire_env import VARIANTS
from solitaire_env.engine import sets
from solitaire_env.engine.compile import JIT, entry, specialise
from solitaire_env.engine.lowered import LoweredRules, lower
from solitaire_env.engine.sets import PLAIN
from tests.helpers import random_legal
from tests.player import ROW, Player
from tests.test_every_variant import SHEETS, every_game

pytestmark = pytest.mark.skipif(not JIT, reason="the plain twins are all there is")

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]


@entry
def members_at(rules: LoweredRules, members: Words, places: Bytes, out: Words) -> None:
    """Call `sets.members_at`."""
    out[0] = sets.members_at(rules, members[0], places)


@entry
def write_column_actions(
    rules: LoweredRules, out: Words, keys: Bytes, runs: Bytes, fills: Bytes, pair: Words
) -> None:
    """Call `sets.write_column_actions`."""
    sets.write_column_actions(rules, out, keys, runs, fills, pair[0], pair[1])


@entry
def spread_actions(rules: LoweredRules, words: Words, out: Any) -> None:
    """Call `sets.spread_actions`."""
    sets.spread_actions(rules, words, out)


@entry
def members_of(_rules: LoweredRules, members: Words, out: Any) -> None:
    """List the members of a set by `count_members` and `nth_member`."""
    for nth in range(sets.count_members(members[0])):
        out[sets.any_row(nth)] = sets.nth_member(members[0], nth)


@cache
def compiled(function: Any, rules: LoweredRules, *kinds: type) -> Callable[..., None]:
    """Compile a function for arrays of these kinds."""
    return specialise(function, rules, *(np.zeros(1, kind) for kind in kinds))


def run(function: Any, rules: LoweredRules, *arguments: Any) -> None:
    """Call a function, compiled for these arguments."""
    kinds = (array.dtype.type for array in arguments)
    compiled(function, rules, *kinds)(rules, *arguments)


@every_game
def test_instructions_do_what_the_plain_twins_do(name: str) -> None:
    """On random bytes and sets, for every game's number of sources, columns and actions."""
    rules, rng = lower(SHEETS[name]), np.random.default_rng(5)
    for _ in range(50):
        places, keys, runs, fills = (
            rng.integers(0, bound, rules.lanes, np.uint8) for bound in (64, 62, 14, 2)
        )
        pair = rng.integers(0, 2**64, 2, np.uint64)
        found, words = np.zeros(1, np.uint64), np.full((2, rules.mask_words), 7, np.uint64)
        run(members_at, rules, pair, places, found)
        assert found[0] == PLAIN["members_at"](rules, pair[0], places)
        run(write_column_actions, rules, words[0], keys, runs, fills, pair)
        PLAIN["write_column_actions"](rules, words[1], keys, runs, fills, *pair)
        np.testing.assert_array_equal(words[0], words[1])
        flags = np.full((2, rules.num_actions), 9, np.int8)
        run(spread_actions, rules, words[0], flags[0])
        PLAIN["spread_actions"](rules, words[0], flags[1])
        np.testing.assert_array_equal(flags[0], flags[1])


@pytest.mark.parametrize("members", [1, 2**63, 2**64 - 1, 0x8000000100000001, 0xF0F0])
def test_members_of_a_set_are_found_by_their_number(members: int) -> None:
    """In order, from the lowest, none left out."""
    expected = [place for place in range(64) if members >> place & 1]
    out = np.full(64, -1)
    run(members_of, lower(VARIANTS["arabella"]), np.array([members], np.uint64), out)
    assert out[: len(expected)].tolist() == expected
    assert (out[len(expected) :] == -1).all()


@every_game
def test_what_is_kept_is_what_the_cards_say(name: str) -> None:
    """After every move the row is the one that is derived from its cards anew."""
    player, rng = Player(name, SHEETS[name]).deal(7), np.random.default_rng(2)
    for _ in range(400):
        if player.outcome:
            player.deal(int(rng.integers(1000)))
        player.act(random_legal(player.table.legal(ROW)[0], rng))
        if not player.outcome:
            kept = player.table.snapshot(ROW)
            player.table.kernels.complete_games(player.rules, player.table.games, ROW)
            np.testing.assert_array_equal(player.table.snapshot(ROW), kept)
