"""Search: try each promising move in guessed deals of the unseen, played on by another player."""

from typing import Protocol

import numpy as np

from agents.greedy import load_weights
from agents.greedy_playouts import GreedyInside
from agents.guess import position_from_observation
from agents.layout import layout_of_variant
from agents.memory import LoopMemory, Words
from solitaire_env.engine.settings import settings_record
from solitaire_env.engine.state import Games
from solitaire_env.engine.table import Table
from solitaire_env.envs.options import whole_number
from solitaire_env.envs.registration import find_sheet
from solitaire_env.policies import (
    BoolArray,
    ByteArray,
    FloatArray,
    GameStreams,
    IntArray,
    SeedArray,
)

_IDLE = 2
"""Place of the moves without progress among the counters of an observation."""

_TOGETHER = 32
"""Games whose searches play out together."""


class Inside(Protocol):
    """The player within a search."""

    def rank(self, seen: ByteArray, masks: BoolArray) -> FloatArray:
        """Score actions (k, A), the best highest, -inf what is not in masks (k, A) or not tried."""
        ...

    def is_settled(self, seen: ByteArray, scores: FloatArray) -> BoolArray:
        """Tell where the best of `rank` needs no search: (k,)."""
        ...

    def play_out(
        self, table: Table, firsts: IntArray, tried: Words, owners: IntArray
    ) -> FloatArray:
        """Play an action in each game of a table, and play on: what the games are worth then.

        Args:
            table: of k games, changed.
            firsts: (k,) legal actions.
            tried: (n, slots) what the player remembers of n real games.
            owners: (k,) which of these a game was guessed from.
        """
        ...


FEWEST = 4
"""Playouts that a choice between two moves needs; with less the other player chooses."""


class Search:
    """The choice of a move in one game: rounds of trials, after which the better half is left.

    Args:
        game: (1,) record that looks as the game does.
        candidates: (k,) two actions or more, the other player's own choice first.
        playouts: games played on in all rounds together, at most; from `FEWEST`.
        rng: decides where the unseen cards lie.
    """

    def __init__(
        self, game: Games, candidates: IntArray, playouts: int, rng: np.random.Generator
    ) -> None:
        self.game = game
        self._first, self._others = candidates[0], candidates[1:]
        # As few moves are tried as leave each two playouts a round: one tells nothing of chance.
        while len(self._others) > 1 and self._least() > playouts:
            self._others = self._others[:-1]
        self._rounds, self._playouts, self._rng = self._halvings(), playouts, rng
        self._gains = np.zeros((len(self._others), 0))

    def _halvings(self) -> int:
        """Count the rounds until one other move is left, and that one's."""
        return int(np.ceil(np.log2(len(self._others)))) + 1

    def _least(self) -> int:
        """Count playouts of all rounds, two a move in each."""
        return 2 * self._halvings() * (len(self._others) + 1)

    @property
    def is_over(self) -> bool:
        """Tell whether all rounds were played."""
        return self._rounds == 0

    def trials(self) -> tuple[IntArray, SeedArray]:
        """Give what a round tries: (k,) actions and (k,) guesses of the unseen, as 64 bits."""
        moves = np.append(self._first, self._others)
        deals = self._playouts // self._rounds // len(moves)
        self._playouts -= deals * len(moves)
        self._rounds -= 1
        guesses = self._rng.integers(0, 2**64, deals, np.uint64)
        return np.repeat(moves, deals), np.tile(guesses, len(moves))

    def learn(self, worth: FloatArray) -> None:
        """Learn what the games of `trials` are worth (k,), and leave the better half."""
        values = worth.reshape(len(self._others) + 1, -1)
        self._gains = np.concatenate([self._gains, values[1:] - values[0]], axis=1)
        best = np.argsort(-self._gains.mean(axis=1), kind="stable")[: (len(self._others) + 1) // 2]
        self._others, self._gains = self._others[best], self._gains[best]

    def choice(self, doubt: float) -> int:
        """Give the best move, or the first unless the best gains more than standard errors."""
        gains = self._gains[0]
        error = gains.std(ddof=1) / np.sqrt(len(gains))
        return int(self._others[0] if gains.mean() > doubt * error else self._first)


class SearchPolicy:
    """Plays the move after which another player does best in guessed deals.

    The unseen cards are dealt anew, in the same ways for every move that is tried. Moves are tried
    in rounds, of which the better half is left, until one is; the other player's own choice stays
    in play, and gives way only to what is better beyond doubt. What was tried in a real position is
    tried there again only once everything else was.

    Args:
        variant: a rule sheet's name.
        inside: the other player.
        playouts: games played on for a choice, at most; below `FEWEST` there is no search.
        width: moves that are tried at most, the best by the other player; fewer where the playouts
            would not do.
        doubt: standard errors by which a move must be better than the other player's choice.

    Raises:
        ValueError: for a number out of range, by its name.
    """

    def __init__(
        self, variant: str, inside: Inside, playouts: int, width: int, doubt: float = 1.0
    ) -> None:
        self._sheet = find_sheet(variant)
        self._inside = inside
        self._playouts = whole_number("playouts", playouts, 1, 2**20)
        self._width = whole_number("width", width, 2, 2**20)
        self._doubt = doubt
        layout = layout_of_variant(variant)
        self._idle = layout.places["counters"][0] + _IDLE
        self._memory = LoopMemory(layout)
        self._streams = GameStreams()
        self._settings = settings_record(no_progress_limit=self._sheet.limits.no_progress)

    def reset(self, rows: IntArray, seeds: SeedArray) -> None:
        """Begin games: see `Policy`."""
        self._streams.reset(rows, seeds)
        self._memory.reset(rows)

    def act(self, observations: ByteArray, masks: BoolArray, rows: IntArray) -> IntArray:
        """Choose actions: see `Policy`."""
        chances = self._streams.draw(rows)
        scores = self._inside.rank(observations, self._memory.untried(observations, masks, rows))
        settled = self._inside.is_settled(observations, scores)
        actions = scores.argmax(axis=1)
        settled |= (np.isfinite(scores).sum(axis=1) < 2) | (self._playouts < FEWEST)
        unsure = np.flatnonzero(~settled)
        for first in range(0, len(unsure), _TOGETHER):
            some = unsure[first : first + _TOGETHER]
            searches = [self._begin(observations[i], scores[i], chances[i]) for i in some]
            self._search(searches, self._memory.of(rows[some]))
            actions[some] = [search.choice(self._doubt) for search in searches]
        self._memory.note(observations, actions, rows)
        return actions

    def _begin(self, seen: ByteArray, scores: FloatArray, chance: float) -> Search:
        """Begin to search for the move in a game."""
        best = np.argsort(-scores, kind="stable")[: self._width]
        rng = np.random.default_rng(int(chance * 2**53))
        table = Table(self._sheet, 1, self._settings)
        table.load(np.zeros(1, np.int64), position_from_observation(self._sheet, seen, rng))
        table.games.idle = seen[self._idle]
        return Search(table.games, best[np.isfinite(scores[best])], self._playouts, rng)

    def _search(self, searches: list[Search], tried: Words) -> None:
        """Play rounds of several searches together, until all are over."""
        while going := [place for place, search in enumerate(searches) if not search.is_over]:
            trials = [searches[place].trials() for place in going]
            owners = np.repeat(going, [len(moves) for moves, _ in trials])
            firsts, guesses = (np.concatenate(parts) for parts in zip(*trials, strict=True))
            games = np.concatenate([search.game for search in searches])[owners]
            worth = self._inside.play_out(self._guessed(games, guesses), firsts, tried, owners)
            for place in going:
                searches[place].learn(worth[owners == place])

    def _guessed(self, games: Games, guesses: SeedArray) -> Table:
        """Put games (k,) on a table, their unseen cards dealt anew by as many guesses."""
        table = Table(self._sheet, len(games), self._settings)
        table.games[:] = games
        table.kernels.determinize_games(table.rules, table.games, np.arange(len(games)), guesses)
        return table


def make(variant: str, playouts: int = 48, width: int = 8) -> SearchPolicy:
    """Make the player that searches with the rule-based one inside.

    Args:
        variant: a rule sheet's name.
        playouts: games played on for a choice, at most.
        width: moves tried for a choice, at most.
    """
    inside = GreedyInside(variant, load_weights(variant))
    return SearchPolicy(variant, inside, playouts, width)
