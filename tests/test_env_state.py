"""The single environment's state: copies, moves in words, observations and pictures."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from solitaire_env import VARIANTS, RuleSheet
from solitaire_env.cards import RANKS, SUITS, UNKNOWN
from solitaire_env.notation import Move, card_text
from tests.helpers import bare, ending, every_variant, make, play, random_legal, same

BOARD = """\
stock 2  waste 1 K♥  pass 1  foundations ♠KT ♥KJ ♦KQ ♣KJ

T0  T1  T2  T3  T4  T5  T6  T7  T8
Q♥  []                  K♦
J♠  K♣
"""
COLORED = """\
foundations \033[36m♠QJ\033[0m \033[31m♥QQ\033[0m \033[31m♦QQ\033[0m \033[36m♣QQ\033[0m  kings 8
reserve  --  \033[36mQ♠\033[0m  --  --  --  --  --  --  --  --  --  --  --  --

T0  T1  T2  T3  T4  T5  T6  T7  T8  T9  T10 T11 T12 T13 T14
"""


def walk(env: Any, seed: int, steps: int) -> Any:
    """Yield after every step of random legal play, deals anew after an end."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    for _ in range(steps):
        yield rng
        _, _, terminated, truncated, _ = env.step(random_legal(env.unwrapped.action_masks(), rng))
        if terminated or truncated:
            env.reset()


@every_variant
def test_a_restored_game_goes_on_as_before(name: str) -> None:
    """`restore_state` brings back every byte, counters and later deals included."""
    env = bare(name)
    for _ in walk(env, 1, 20):
        pass
    state = env.clone_state()
    assert isinstance(state, bytes)
    first = play(env, 250, np.random.default_rng(5))
    env.restore_state(state)
    assert env.clone_state() == state
    same(play(env, 250, np.random.default_rng(5)), first)


@every_variant
def test_a_state_moves_to_another_environment(name: str) -> None:
    """A state is plain bytes: any environment of the variant can go on from it."""
    env, other = bare(name), bare(name)
    env.reset(seed=2)
    other.restore_state(env.clone_state())
    same(play(other, 30, np.random.default_rng(5)), play(env, 30, np.random.default_rng(5)))


@every_variant
def test_an_end_can_be_taken_back(name: str) -> None:
    """A state from before the end can be restored after it."""
    env = bare(name)
    env.reset(options={"position": ending(VARIANTS[name], [[top_card(VARIANTS[name])]])})
    state, action = env.clone_state(), env.action_of(("T0", "F", 1))
    assert env.step(action)[2]
    env.restore_state(state)
    assert env.step(action)[4]["outcome"] == "won"


def top_card(sheet: RuleSheet) -> str:
    """Write a card that completes a foundation."""
    return RANKS[sheet.foundation_top - 1] + SUITS[0]


@every_variant
@pytest.mark.parametrize("way", ["pickle", "deepcopy"])
def test_copies_continue_identically(name: str, way: str) -> None:
    """A copy plays on exactly as its original would, step limit and later deals included."""
    env = make(name, max_episode_steps=30)
    for _ in walk(env, 3, 20):
        pass
    twin = pickle.loads(pickle.dumps(env)) if way == "pickle" else copy.deepcopy(env)
    before = env.unwrapped.clone_state()
    steps = [(e, np.random.default_rng(1)) for e in (env, twin)]
    for _ in range(60):
        results = []
        for each, rng in steps:
            results.append(each.step(random_legal(each.unwrapped.action_masks(), rng)))
            if results[-1][2] or results[-1][3]:
                results.append(each.reset())
        half = len(results) // 2
        same(results[:half], results[half:])
    assert env.unwrapped.clone_state() == twin.unwrapped.clone_state() != before


def test_an_undealt_environment_can_be_copied() -> None:
    """A copy made before any deal works like a new environment."""
    twin = pickle.loads(pickle.dumps(make("arabella")))
    same(twin.reset(seed=1), make("arabella").reset(seed=1))


@every_variant
def test_moves_and_action_numbers_are_inverse(name: str) -> None:
    """Each legal action is one move in words, and no two are the same; the mask lists them all."""
    env = bare(name)
    for _ in walk(env, 4, 120):
        legal = np.flatnonzero(env.action_masks()).tolist()
        moves = [env.move_of(action) for action in legal]
        assert moves == env.legal_moves()
        assert len(set(moves)) == len(moves)
        assert all(isinstance(move, Move) and type(move.count) is int for move in moves)
        assert [env.action_of(tuple(move)) for move in moves] == legal
        assert env.action_of(list(moves[0])) == legal[0]


@every_variant
def test_a_masked_action_is_no_move(name: str) -> None:
    """`move_of` a masked action and `action_of` an illegal move are ValueErrors that say why."""
    env = bare(name)
    env.reset(seed=5)
    masked = int(np.argmin(env.action_masks()))
    with pytest.raises(ValueError, match=f"action {masked} .* the mask forbids it"):
        env.move_of(masked)
    top = env.position()["tableau"][0][-1]
    with pytest.raises(ValueError, match=rf"\('T0', 'T0', 1\) is not legal: {top} of T0 goes"):
        env.action_of(("T0", "T0", 1))
    with pytest.raises(ValueError, match="there is no source 'X9' in this game"):
        env.action_of(("X9", "T0", 1))
    with pytest.raises(ValueError, match="is no move: give"):
        env.action_of("T0")


@every_variant
def test_after_the_end_there_are_no_moves(name: str) -> None:
    """`action_of` and `move_of` after the end say that the game is over."""
    env = bare(name)
    env.reset(options={"position": ending(VARIANTS[name], [[top_card(VARIANTS[name])]])})
    env.step(env.action_of(("T0", "F", 1)))
    with pytest.raises(ValueError, match="the game is over"):
        env.action_of(("T0", "F", 1))
    with pytest.raises(ValueError, match="the game is over"):
        env.move_of(0)


@every_variant
def test_fields_cover_the_observation_once(name: str) -> None:
    """Every byte of an observation belongs to one field, whose shape fits its slice."""
    env = bare(name)
    covered = np.zeros(env.observation_space.shape, int)
    for field in env.fields.values():
        covered[field.slice] += 1
        assert np.prod(field.shape) == field.slice.stop - field.slice.start
        assert field.meaning
    assert (covered == 1).all()


def decode(env: Any, observation: np.ndarray) -> dict[str, Any]:
    """Read a position from an observation by its fields; unseen cards as `??`."""
    part = {
        field: observation[where.slice].reshape(where.shape).tolist()
        for field, where in env.fields.items()
    }
    text = card_text
    columns = [
        [f"<{text(card)}>" if place < hidden else text(card) for place, card in enumerate(row)]
        for row, hidden in zip(part["tableau"], part["hidden"], strict=True)
    ]
    pairs = zip(columns, part["heights"], strict=True)
    return {
        "variant": env.sheet.name,
        "tableau": [column[:height] for column, height in pairs],
        "reserve": [text(card) if card else None for card in part.get("reserve", [])],
        "foundations": dict(zip(SUITS, part["foundations"], strict=True)),
        "kings": part["kings"][0],
        "stock": [text(card) for card in part.get("stock", []) if card],
        "waste": [text(card) for card in part.get("waste", []) if card],
        "passes": part["counters"][0],
    }


def unseen(position: dict[str, Any]) -> dict[str, Any]:
    """Cover what a player has not seen: face-down cards and a stock on its first pass."""
    columns = [["<??>" if c.startswith("<") else c for c in pile] for pile in position["tableau"]]
    stock = position["stock"]
    stock = ["??"] * len(stock) if position["passes"] == 1 else stock
    return {**position, "tableau": columns, "stock": stock}


@every_variant
def test_a_full_observation_is_the_position(name: str) -> None:
    """Under `observability="full"` the fields hold the whole position."""
    env = bare(name, observability="full")
    for _ in walk(env, 6, 150):
        observation = env.step(int(np.argmin(env.action_masks())))[0]
        assert decode(env, observation) == env.position()
        assert UNKNOWN not in observation[env.fields["tableau"].slice]


@every_variant
def test_a_players_observation_hides_what_is_unseen(name: str) -> None:
    """By default the fields hold the position, with face-down and undealt cards covered."""
    env = bare(name)
    for _ in walk(env, 6, 250):
        observation, _, terminated, truncated, _ = env.step(int(np.argmin(env.action_masks())))
        if not (terminated or truncated):
            assert decode(env, observation) == unseen(env.position())


def test_counters_saturate_in_the_observation_only() -> None:
    """After 300 moves the observation shows 255 moves, and info 300."""
    env = bare("pantagruel-turn1", no_progress_limit=1000)
    env.reset(options={"position": ending(env.sheet, [["KS"]], stock=["KH", "QH"])})
    for _ in range(300):
        stock_move = next(move for move in env.legal_moves() if move.source == "stock")
        observation, _, terminated, truncated, info = env.step(env.action_of(stock_move))
        assert (terminated, truncated) == (False, False)
    assert info["moves"] == 300
    assert info["passes"] > 60
    assert info["redeals_left"] == -1
    passes, redeals_left, idle, streak, moves = observation[env.fields["counters"].slice]
    assert (passes, redeals_left, idle, streak, moves) == (info["passes"], 255, 255, 0, 255)


def test_the_board_as_text() -> None:
    """`render_mode="ansi"`: stock, waste, foundations and columns, face-down cards covered."""
    env = bare("pantagruel-turn3", render_mode="ansi")
    tableau = [["QH", "JS"], ["<QS>", "KC"], [], [], [], [], ["KD"]]
    env.reset(options={"position": ending(env.sheet, tableau, stock=["KS", "QC"], waste=["KH"])})
    assert env.render() == BOARD


def test_red_suits_are_red_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Suits are in colour on a terminal, and plain where NO_COLOR is set or there is none."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    env = bare("big-bertha", render_mode="ansi")
    env.reset(options={"position": ending(env.sheet, [], reserve=[None, "QS"] + [None] * 12)})
    plain = env.render()
    assert "\033" not in plain
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert env.render() == COLORED
    monkeypatch.setenv("NO_COLOR", "1")
    assert env.render() == plain


@every_variant
def test_every_board_can_be_drawn(name: str) -> None:
    """A board shows as many cards as lie on it, at every step."""
    env = bare(name, render_mode="ansi")
    for _ in walk(env, 8, 60):
        position, text = env.position(), env.render()
        columns = text.split("\n\n", 1)[1].splitlines()[1:]
        shown = sum(len(line.split()) for line in columns)
        assert shown == sum(map(len, position["tableau"]))


def test_render_without_a_mode_warns() -> None:
    """`render()` without a render mode draws nothing and says what to do."""
    env = bare("san-juan-hill")
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None
