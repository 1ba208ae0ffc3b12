"""Playouts: the rule-based player plays games on to their ends, inside the engine's own loop."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from agents.compiled import entry
from agents.greedy import greedy_table
from agents.greedy_board import Table
from agents.greedy_choice import decide, is_obvious, weigh_actions
from agents.memory import TRIED_SLOTS, Words
from solitaire_env.engine.batch import step_game
from solitaire_env.engine.lowered import LoweredRules, lower
from solitaire_env.engine.sets import spread_actions
from solitaire_env.engine.settings import Settings
from solitaire_env.engine.state import (
    BoolArray,
    ByteArray,
    FloatArray,
    Games,
    IntArray,
    MaskArray,
    Outcome,
    observation_size,
)
from solitaire_env.engine.table import Table as GameTable
from solitaire_env.envs.registration import find_sheet


class _Room(NamedTuple):
    """Scratch space: what the player remembers (slots,), sees (n,), and may do (A,)."""

    memory: Words
    seen: ByteArray
    mask: MaskArray


@entry
def play_out(
    rules: LoweredRules,
    games: Games,
    settings: Settings,
    firsts: IntArray,
    table: Table,
    tried: Words,
    owners: IntArray,
    room: _Room,
) -> None:
    """Play an action in each of some games, and then as the rule-based player does, to the end.

    Args:
        rules: of the game.
        games: (k,) records, which hold the results afterwards.
        settings: (1,) record.
        firsts: (k,) legal actions to begin with.
        table: (1,) record to study them on, see `greedy_board.table_of`.
        tried: (n, slots) what the player remembers before the first action.
        owners: (k,) which of these memories is a game's.
        room: to play in.
    """
    memory, seen, mask = room
    for index in range(len(firsts)):
        game, action = games[index], firsts[index]
        for slot in range(len(memory)):
            memory[slot] = tried[owners[index], slot]
        step_game(rules, game, settings[0], action, seen)
        while game.outcome == 0:
            spread_actions(rules, game.mask_words, mask)
            action = decide(table[0], seen, mask, memory)
            step_game(rules, game, settings[0], action, seen)


class GreedyInside:
    """The rule-based player within a search: see `search.Inside`; it plays games to their ends.

    A card that is safe to put up goes up without search.

    Args:
        variant: a rule sheet's name.
        weights: feature -> weight.
    """

    def __init__(self, variant: str, weights: Mapping[str, float]) -> None:
        rules = lower(find_sheet(variant))
        self._looks = greedy_table(rules, weights)
        self._room = _Room(
            np.zeros(TRIED_SLOTS, np.uint64),
            np.zeros(observation_size(rules), np.uint8),
            np.zeros(rules.num_actions, np.int8),
        )

    def rank(self, seen: ByteArray, masks: BoolArray) -> FloatArray:
        """Weigh actions: see `search.Inside`."""
        scores = np.empty(masks.shape, np.float32)
        weigh_actions(self._looks, np.ascontiguousarray(seen), masks, scores)
        return scores.astype(np.float64)

    def is_settled(self, seen: ByteArray, scores: FloatArray) -> BoolArray:
        """Tell where the best action puts up a card that no other will need."""
        best = zip(seen, scores.argmax(axis=1).tolist(), strict=True)
        return np.array([is_obvious(self._looks, *each) for each in best], np.bool_)

    def play_out(
        self, table: GameTable, firsts: IntArray, tried: Words, owners: IntArray
    ) -> FloatArray:
        """Play games to their ends: see `search.Inside`."""
        given = (firsts, self._looks, tried, owners, self._room)
        play_out(table.rules, table.games, table.settings, *given)
        return worth_of(table)


def worth_of(table: GameTable) -> FloatArray:
    """Give what games that are over are worth: the share of cards put up, and a win one more."""
    games = table.games
    return games.foundation_cards / table.rules.cards + (games.outcome == Outcome.WON)
