"""The game behind the page: one legality, exact undo, the clock, the ledger, what is told."""

import json
from collections.abc import Iterator
from itertools import chain, pairwise
from typing import Any

import numpy as np
import pytest

from solitaire_env import VARIANTS
from solitaire_env.envs.env import SolitaireEnv
from solitaire_env.notation import STOCK, Move
from solitaire_env.replay import Replay
from solitaire_env.rulesheet import RuleSheet
from solitaire_env.web.advice import Advisors
from solitaire_env.web.clock import Clock
from solitaire_env.web.game import MAX_MOVES, Game, RefusedError
from solitaire_env.web.messages import read_message, read_saved
from solitaire_env.web.view import table_view
from tests.helpers import every_variant
from tests.web_pages import WON, won_game

POSITIONS = 1000


def random_games(name: str, moves: int) -> Iterator[Game]:
    """Play random legal moves, dealing anew at an end; gives the game at every table."""
    rng = np.random.default_rng(1)
    game = Game(name, 0)
    for _ in range(moves):
        legal = list(game.moves())
        if not legal:
            game = Game(name, game.deal + 1)
            continue
        yield game
        game.play(int(rng.choice(legal)))


def drawn_games(name: str) -> Iterator[Game]:
    """Turn the stock over once, if there is one; gives the game at every table."""
    game = Game(name, 0)
    for _ in range(VARIANTS[name].stock_cards):
        draws = [action for action, move in game.moves().items() if move.source == STOCK]
        if not draws:
            return
        game.play(draws[0])
        yield game


@every_variant
def test_one_legality(name: str) -> None:
    """In 1,000 positions the page's moves, the mask and `legal_moves()` are the same set."""
    for game in random_games(name, POSITIONS // len(VARIANTS) + 50):
        told = table_view(game)["moves"]
        env = SolitaireEnv(name)
        env.reset(options={"position": game.position()})
        assert [move["action"] for move in told] == np.flatnonzero(env.action_masks()).tolist()
        assert list(game.moves().values()) == env.legal_moves()
        assert [move["count"] for move in told] == [move.count for move in env.legal_moves()]


def kind_of(move: Move) -> tuple[str, str]:
    """Name the kind of a move by the piles that it joins."""
    return move.source[0], move.target[0]


def kinds_of(sheet: RuleSheet) -> set[tuple[str, str]]:
    """List the kinds of moves that a game has."""
    kinds = {("T", "T"), ("T", "F")}
    if sheet.stock:
        kinds |= {("s", "W"), ("W", "T"), ("W", "F")}
    if sheet.redeals:
        kinds |= {("s", "r")}
    if sheet.reserve:
        kinds |= {("R", "T"), ("R", "F")}
    if sheet.foundations.take_back:
        kinds |= {("F", "T")}
    return kinds


@every_variant
def test_undo_is_exact(name: str) -> None:
    """After a move of any kind undo gives the same bytes, and redo those after the move."""
    kinds = set()
    for game in chain(random_games(name, 400), drawn_games(name)):
        before = game.moment.state
        for action, move in game.moves().items():
            if kind_of(move) in kinds:
                continue
            kinds.add(kind_of(move))
            game.play(action)
            after = game._env.clone_state()
            game.undo()
            assert game._env.clone_state() == before
            game.redo()
            assert game._env.clone_state() == after
            game.undo()
    assert kinds == kinds_of(VARIANTS[name])


def test_undo_everything() -> None:
    """All moves of a won game can be undone, back to the deal, and played again."""
    game = won_game()
    states = [game.moment.state]
    while game.can_undo:
        game.undo()
        states.append(game.moment.state)
    assert game.moment.state == Game(WON["variant"], WON["deal"]).moment.state
    for state in reversed(states[:-1]):
        game.redo()
        assert game.moment.state == state
    assert game.outcome == "won"
    with pytest.raises(RefusedError, match="nothing to redo"):
        game.redo()


def test_a_move_cuts_off_what_was_undone() -> None:
    """After undo another move begins another line."""
    game = won_game(10)
    game.undo()
    game.play(next(iter(game.moves())))
    assert not game.can_redo


def test_refusals_change_nothing() -> None:
    """Illegal actions, undo at the deal and moves after the end leave the state as it is."""
    for game, wrong in ((Game(WON["variant"], WON["deal"]), range(128)), (won_game(), range(3))):
        state, legal = game.moment.state, set(game.moves())
        for action in {*wrong, 10**6} - legal:
            with pytest.raises(RefusedError, match="not legal"):
                game.play(action)
        assert game.moment.state == state
    with pytest.raises(RefusedError, match="nothing to undo"):
        Game(WON["variant"], 1).undo()


def test_a_game_has_an_end() -> None:
    """More moves than a page can send back are refused."""
    game = Game("pantagruel-turn1", 1)
    game._line *= MAX_MOVES + 1
    game._now = MAX_MOVES
    with pytest.raises(RefusedError, match="at most 5000"):
        game.play(127)


def test_hidden_cards_stay_on_the_server() -> None:
    """The page is told no face-down card, none of the stock, and of the waste what is seen."""
    view = table_view(Game("pantagruel-turn3", 4))
    piles = {pile["id"]: pile for pile in view["piles"]}
    assert piles["T8"]["cards"][:-1] == ["back"] * 8
    assert piles["stock"]["cards"] == ["back"]
    assert piles["stock"]["count"] == 59
    assert json.dumps(view)


def test_the_clock_runs_while_one_plays() -> None:
    """It starts with the first move, stands still while nobody looks, and stops at the win."""
    time = [0.0]
    game = Game(WON["variant"], WON["deal"], Clock(now=lambda: time[0]))
    game.watch(True)
    time[0] += 50
    assert game.clock.seconds == 0
    for action in WON["actions"][:-1]:
        game.play(action)
    time[0] += 100
    game.watch(False)
    time[0] += 1000
    game.watch(True)
    time[0] += 0.5
    game.play(WON["actions"][-1])
    time[0] += 1000
    assert game.clock.seconds == pytest.approx(100.5)
    assert game.ledger is not None
    assert game.ledger.bonus == 499


@pytest.mark.parametrize(("seconds", "bonus"), [(0.0, 600), (599.0, 1), (600.0, 0), (9e6, 0)])
def test_the_ledger_is_the_engines(seconds: float, bonus: int) -> None:
    """Base, time bonus and streaks are what an environment with these keywords scores."""
    game = won_game(len(WON["actions"]) - 1)
    game.clock = Clock(seconds)
    game.play(WON["actions"][-1])
    assert game.ledger is not None
    assert game.ledger.bonus == bonus
    env = SolitaireEnv(WON["variant"], seconds_per_move=600.0)
    env.reset(options={"deal": WON["deal"]})
    for action in WON["actions"]:
        info = env.step(action)[4]
    assert game.ledger.base == info["score"]
    assert game.ledger.streaks > 0
    assert game.score == game.ledger.base + game.ledger.bonus + game.ledger.streaks


def test_the_replay_plays_again(tmp_path: Any) -> None:
    """What is downloaded is a record, to the same score; also of a game in play."""
    for game in (won_game(), won_game(20)):
        game.replay().save(tmp_path / "game.json")
        replay = Replay.load(tmp_path / "game.json")
        assert replay.steps[-1].told["score"] == game.score
        assert replay.steps[-1].outcome == game.outcome


def test_the_honour_is_turn_threes() -> None:
    """A won game of Turn-3 earns the title; whose moves were an agent's is said."""
    game = won_game(len(WON["actions"]) - 1)
    game.play(WON["actions"][-1], by_agent=True)
    end = table_view(game)["end"]
    assert end["honour"] == "Grand Solitaire Master of Pantagruel"
    assert end["by_agent"] == 1


def test_a_kept_game_is_restored() -> None:
    """From what the page keeps the same game rises, undone moves and clock included."""
    game = won_game(50)
    game.clock = Clock(12.5)
    game.undo()
    saved = read_saved(json.loads(json.dumps(game.to_json())))
    assert saved is not None
    again = Game.from_json(saved)
    assert again.moment.state == game.moment.state
    assert again.to_json() == game.to_json()


def test_a_forged_game_is_refused() -> None:
    """A kept game with an illegal move is refused."""
    saved = won_game(5).to_json() | {"actions": [127, 126, 125]}
    with pytest.raises(RefusedError, match="not legal"):
        Game.from_json(read_saved(saved) or {})


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "[]",
        "null",
        "{}",
        '{"do": 1}',
        '{"do": ["move"]}',
        '{"do": "__class__"}',
        '{"do": "move", "at": 1}',
        '{"do": "move", "at": 1, "action": true}',
        '{"do": "move", "at": 1, "action": -1}',
        '{"do": "move", "at": 1, "action": 1.5}',
        '{"do": "move", "at": "1", "action": 1}',
        '{"do": "move", "at": NaN, "action": 1}',
        '{"do": "deal", "at": 1, "variant": "../../etc/passwd"}',
        '{"do": "deal", "at": 1, "variant": "arabella", "deal": 7}',
        '{"do": "deal", "at": 1, "variant": "arabella", "deal": "-1"}',
        '{"do": "deal", "at": 1, "variant": "arabella", "deal": "9223372036854775808"}',
        '{"do": "deal", "at": 1, "variant": "arabella", "deal": "\\u0667"}',
        '{"do": "replay", "at": 1, "felt": "</style>"}',
        '{"do": "advise", "at": 1, "agent": {}}',
        '{"do": "open", "variant": "arabella", "saved": {"variant": "arabella"}}',
        '{"do": "move", "at": 1, "action": ' + "9" * 5000 + "}",
        "[" * 100_000,
        " " * 70_000,
    ],
)
def test_messages_of_no_page_are_refused(text: str | None) -> None:
    """What is no message of ours is refused, saying what is accepted."""
    with pytest.raises(RefusedError, match=r"accepted|a message is"):
        read_message(text)


def test_every_move_says_where_it_goes() -> None:
    """Its piles exist; taken back cards come from a foundation that has them."""
    for game in random_games("pantagruel-turn1", 300):
        view = table_view(game)
        tops = {pile["id"]: pile["cards"][-1:] for pile in view["piles"]}
        for move in view["moves"]:
            assert move["from"]
            assert move["to"]
            for first, second in pairwise(move["from"]):
                assert tops[first] == tops[second]


def test_without_agents_there_is_no_hint() -> None:
    """Where none can be loaded it is said; the next of the list helps where one can."""
    agents = {"gone": "nowhere:make", "odd": "os:getcwd", "random": "random"}
    with pytest.raises(RefusedError, match="no agent can be loaded"):
        Advisors("arabella", agents, ("gone", "odd")).find(None)
    assert Advisors("arabella", agents, ("gone", "random")).find(None).name == "random"
