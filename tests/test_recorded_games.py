"""Games recorded from another program: the reference and the environments must play them alike."""

from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import pytest

from solitaire_env import VARIANTS, env_id
from solitaire_env.rulesheet import RuleSheet

from .recorded import Follower, names, recorded, won_games
from .reference.check import refusal
from .reference.game import ReferenceGame

ENDLESS = 10**9

every_recording = pytest.mark.parametrize("name", names())


class ReferencePlayer:
    """Plays on the slow reference."""

    def __init__(self, sheet: RuleSheet, **_: Any) -> None:
        self.sheet = sheet

    def start(self, position: dict) -> None:
        """Begin at a position."""
        self.game = ReferenceGame(self.sheet, position, no_progress_limit=ENDLESS)

    def legal(self) -> list[tuple[str, str, int]]:
        """List the legal moves."""
        return self.game.legal_moves()

    def position(self) -> dict:
        """Give the position."""
        return self.game.position()

    def play(self, move: tuple[str, str, int]) -> str | None:
        """Play a move; tell how the game ended, if it did."""
        self.game.play(move)
        return self.game.outcome


class EnvironmentPlayer:
    """Plays through the environment's public doors; keyword arguments go to `gym.make`."""

    def __init__(self, sheet: RuleSheet, **settings: Any) -> None:
        self.env = gym.make(env_id(sheet), **settings)
        self.table: Any = self.env.unwrapped

    def start(self, position: dict) -> None:
        """Begin at a position."""
        self.env.reset(options={"position": position})

    def legal(self) -> list[tuple[str, str, int]]:
        """List the legal moves."""
        return sorted(tuple(move) for move in self.table.legal_moves())

    def position(self) -> dict:
        """Give the position."""
        return self.table.position()

    def play(self, move: tuple[str, str, int]) -> str | None:
        """Play a move; tell how the game ended, if it did."""
        action = self.table.action_of(move)
        _, _, terminated, truncated, info = self.env.step(action)
        outcome = info.get("outcome")
        assert terminated == (outcome in ("won", "stuck", "dead"))
        return outcome or ("step limit" if truncated else None)


def endless(player: type, name: str) -> Any:
    """Make a player whose games no limit cuts."""
    limits = {"no_progress_limit": ENDLESS, "max_episode_steps": ENDLESS}
    return player(VARIANTS[name], **limits)


Visit = tuple[int, dict, list[tuple[str, str, int]], str | None]


def visits(player: Any, game: dict) -> Iterator[Visit]:
    """Play a recorded game, checking the position after each move that RULINGS allow.

    Where they leave a move out, or our game is over, it goes on from the recorded position.

    Yields:
        The step, the record of it, our legal moves, and how our game had just ended, if it had.
    """
    player.start(game["start"])
    ended = None
    for number, step in enumerate(game["steps"]):
        legal = player.legal()
        yield number, step, legal, ended
        move = step["move"] and tuple(step["move"])
        position = {"variant": game["variant"], **step["position"]}
        ended = None
        if move in legal:
            ended = player.play(move)
            assert player.position() == position, number
        if (ended or move not in legal) and step is not game["steps"][-1]:
            player.start(position)
    assert (ended == "won") == game["won"]


@pytest.mark.parametrize("player", [ReferencePlayer, EnvironmentPlayer])
@every_recording
def test_every_step(name: str, player: type) -> None:
    """Every recorded move list is ours, every next position too, and every win is won."""
    table = endless(player, name)
    for number, game in enumerate(recorded(name)):
        for step, record, legal, _ in visits(table, game):
            assert legal == [tuple(move) for move in record["legal"]], f"game {number} step {step}"


@every_recording
def test_a_game_that_we_call_over_stays_over(name: str) -> None:
    """Once the reference says stuck or dead, the record shows draws and redeals alone.

    Stuck games end there in the record, too; a dead one may be drawn on, to no avail.
    """
    table = endless(ReferencePlayer, name)
    for game in recorded(name):
        over = False
        for _, record, _, ended in visits(table, game):
            over = over or ended in ("dead", "stuck")
            assert not over or all(source == "stock" for source, _, _ in record["legal"])


@every_recording
def test_recorded_positions_are_possible(name: str) -> None:
    """The check of given positions accepts every position that the other program reached."""
    sheet = VARIANTS[name]
    for game in recorded(name):
        for step in game["steps"][::5]:
            reason = refusal(sheet, {"variant": name, **step["position"]})
            assert reason is None or reason.startswith(("won", "stuck"))


@pytest.mark.parametrize("player", [ReferencePlayer, EnvironmentPlayer])
@every_recording
def test_won_games_in_one_go(name: str, player: type) -> None:
    """A won game is won from its first position, without the moves that only rename columns."""
    for game in won_games(name):
        table = endless(player, name)
        table.start(game["start"])
        ended = None
        for move, position in Follower(game).moves():
            assert ended is None
            ended = table.play(move)
            assert table.position() == {"variant": name, **position}
        assert ended == "won"


def playable_wins(name: str) -> list[dict]:
    """List the won games to measure a variant's limits by: Tournament's are Turn-3's."""
    return won_games("pantagruel-turn3" if name == "pantagruel-tournament" else name)


def follow(player: Any, game: dict) -> str | None:
    """Play a won game as far as its moves are legal, and tell how it ended."""
    player.start({**game["start"], "variant": player.table.sheet.name})
    ended = None
    for move, _ in Follower(game).moves():
        if move not in player.legal():
            return "another variant"
        if ended := player.play(move):
            break
    return ended


@pytest.mark.parametrize("name", VARIANTS)
def test_default_limits_cut_no_won_game(name: str) -> None:
    """With default limits, the wrapper's steps included, every recorded win is won."""
    table = EnvironmentPlayer(VARIANTS[name])
    ends = [follow(table, game) for game in playable_wins(name)]
    assert "won" in ends
    assert set(ends) <= ({"won", "another variant"} if name.endswith("tournament") else {"won"})


def needs(name: str) -> tuple[int, int]:
    """Measure the longest won game, and the longest stretch without progress in one."""
    sheet = VARIANTS["pantagruel-turn3" if name == "pantagruel-tournament" else name]
    steps, idle = 0, 0
    for record in playable_wins(name):
        game = ReferenceGame(sheet, record["start"], no_progress_limit=ENDLESS)
        for move, _ in Follower(record).moves():
            game.play(move)
            idle = max(idle, game.idle)
        steps = max(steps, game.moves)
    return steps, idle


@pytest.mark.parametrize("name", VARIANTS)
def test_default_limits_are_tight(name: str) -> None:
    """A limit is at most three times what a won game needs, or just above a pass of the stock."""
    sheet = VARIANTS[name]
    steps, idle = needs(name)
    one_pass = -(-sheet.stock_cards // sheet.draw) + 1 if sheet.stock else 0
    assert steps < sheet.limits.episode_steps <= 3 * steps
    assert max(idle, one_pass) < sheet.limits.no_progress
    assert sheet.limits.no_progress <= max(3 * idle, 1.2 * one_pass)
