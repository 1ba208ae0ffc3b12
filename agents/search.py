"""Rollout search: try each promising move in guessed deals of the unseen, played on by rules."""

from collections.abc import Mapping

import numpy as np

from agents.greedy import greedy_table, load_weights, untried_scores
from agents.greedy_choice import is_obvious, note_action
from agents.greedy_playouts import play_out
from agents.guess import position_from_observation
from agents.memory import TRIED_SLOTS
from solitaire_env.engine.lowered import lower
from solitaire_env.engine.settings import settings_record
from solitaire_env.engine.state import Games, Outcome, new_games, observation_size
from solitaire_env.engine.table import Table
from solitaire_env.envs.options import whole_number
from solitaire_env.envs.registration import find_sheet
from solitaire_env.evaluation import (
    BoolArray,
    ByteArray,
    FloatArray,
    GameStreams,
    IntArray,
    SeedArray,
)

_IDLE = 2
"""Place of the moves without progress among the counters of an observation."""


class SearchPolicy:
    """Plays the move after which the rule-based player does best in guessed deals.

    The unseen cards are dealt anew, in the same ways for every move that is tried. Moves are tried
    in rounds, of which the better half is left, until one is; the rule-based player's own choice
    stays in play, and gives way only to what is better beyond doubt. A card that is safe to put up
    goes up at once. What was tried in a real position is tried there again only once everything
    else was.

    Args:
        variant: a rule sheet's name.
        playouts: games played on for a choice.
        width: moves that are tried at most, the best by the rules.
        win: what a win is worth beside all cards on the foundations.
        doubt: standard errors by which a move must be better than the rule-based choice.
        horizon: moves after which a playout is left as it is.
        weights: of the rule-based player, feature -> weight; None: as configured.

    Raises:
        ValueError: for a number out of range, by its name.
    """

    def __init__(
        self,
        variant: str,
        playouts: int = 64,
        width: int = 8,
        win: float = 1.0,
        doubt: float = 1.0,
        horizon: int = 1000,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        self._sheet = find_sheet(variant)
        self._rules = lower(self._sheet)
        self._playouts = whole_number("playouts", playouts, 1, 2**20)
        self._width = whole_number("width", width, 1, 2**20)
        self._horizon = whole_number("horizon", horizon, 1, 2**20)
        self._win, self._doubt = win, doubt
        self._looks = greedy_table(
            self._rules, load_weights(variant) if weights is None else weights
        )
        self._memory = np.zeros(TRIED_SLOTS, np.uint64)
        self._tried: dict[int, SeedArray] = {}
        self._streams = GameStreams()
        settings = settings_record(no_progress_limit=self._sheet.limits.no_progress)
        self._table = Table(self._sheet, 1, settings)

    def reset(self, rows: IntArray, seeds: SeedArray) -> None:
        """Begin games: see `Policy`."""
        self._streams.reset(rows, seeds)
        self._tried.update((row, np.zeros(TRIED_SLOTS, np.uint64)) for row in rows.tolist())

    def act(self, observations: ByteArray, masks: BoolArray, rows: IntArray) -> IntArray:
        """Choose actions: see `Policy`."""
        chances = self._streams.draw(rows)
        games = zip(observations, masks, rows.tolist(), chances.tolist(), strict=True)
        return np.array([self._choose(*game) for game in games], np.int64)

    def _choose(self, seen: ByteArray, mask: BoolArray, row: int, chance: float) -> int:
        tried = self._tried[row]
        candidates = self._candidates(seen, mask, tried)
        action = int(candidates[0])
        obvious = is_obvious(self._looks, seen, action)
        if len(candidates) > 1 and not obvious:
            rng = np.random.default_rng(int(chance * 2**53))
            action = self._search(seen, candidates, tried, rng)
        note_action(self._looks, seen, action, tried)
        return action

    def _candidates(self, seen: ByteArray, mask: BoolArray, tried: SeedArray) -> IntArray:
        """List the moves to try, the best by the rules first."""
        scores = untried_scores(self._looks, seen, mask, tried)
        best = np.argsort(-scores, kind="stable")[: self._width]
        return best[np.isfinite(scores[best])]

    def _search(
        self, seen: ByteArray, candidates: IntArray, tried: SeedArray, rng: np.random.Generator
    ) -> int:
        """Try moves in rounds, halving those that are left beside the first; give the best."""
        game = self._lay_out(seen, rng)
        first, others = candidates[:1], candidates[1:]
        values = np.zeros((self._rules.num_actions, 0))
        rounds = int(np.ceil(np.log2(len(others)))) + 1
        for _ in range(rounds):
            left = np.concatenate([first, others])
            deals = max(2, self._playouts // rounds // len(left))
            fresh = np.full((len(values), deals), np.nan)
            fresh[left] = self._try(game, left, deals, tried, rng)
            values = np.concatenate([values, fresh], axis=1)
            gains = values[others] - values[first]
            order = np.argsort(-gains.mean(axis=1), kind="stable")
            others, best = others[order[: (len(others) + 1) // 2]], gains[order[0]]
        error = best.std(ddof=1) / np.sqrt(len(best))
        return int(others[0] if best.mean() > self._doubt * error else first[0])

    def _lay_out(self, seen: ByteArray, rng: np.random.Generator) -> Games:
        """Make a game, (1,) record, that looks as this one does."""
        position = position_from_observation(self._sheet, seen, rng)
        self._table.load(np.zeros(1, np.int64), position)
        self._table.games.idle = seen[int(self._looks.counters[0]) + _IDLE]
        return self._table.games

    def _try(
        self,
        game: Games,
        candidates: IntArray,
        deals: int,
        tried: SeedArray,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Play moves out in as many guessed deals: values (moves, deals)."""
        table, count = self._table, len(candidates) * deals
        games = new_games(self._rules, count)
        games[:] = game
        guesses = np.tile(rng.integers(0, 2**64, deals, np.uint64), len(candidates))
        table.kernels.determinize_games(self._rules, games, np.arange(count), guesses)
        play_out(
            self._rules,
            games,
            table.settings,
            np.repeat(candidates, deals),
            self._horizon,
            self._looks,
            tried,
            self._memory,
            np.zeros(observation_size(self._rules), np.uint8),
            np.zeros(self._rules.num_actions, np.int8),
        )
        won = games.outcome == Outcome.WON
        values = games.foundation_cards / self._rules.cards + self._win * won
        return values.reshape(len(candidates), deals)


def make(variant: str, playouts: int = 64, width: int = 8) -> SearchPolicy:
    """Make the player of a variant; `playouts` a move, of at most `width` moves."""
    return SearchPolicy(variant, playouts, width)
