"""What steps earn, and what illegal actions do, told from small positions."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from solitaire_env import VARIANTS, RuleSheet, register
from solitaire_env.envs.options import IllegalActionError
from solitaire_env.rulesheet import Limits, Space, Suits, Tableau
from tests.helpers import bare, ending, every_variant, make, nearly_won

TURN1, TURN3 = "pantagruel-turn1", "pantagruel-turn3"


def start(name: str, position: dict[str, Any], **kwargs: Any) -> Any:
    """Make an environment and lay out a position."""
    env = bare(name, **kwargs)
    env.reset(options={"position": position})
    return env


def move(env: Any, source: str, target: str, count: int = 1) -> tuple:
    """Play a move in words."""
    return env.step(env.action_of((source, target, count)))


def win(env: Any, missing: int) -> list[float]:
    """Win from `nearly_won`, card by card; list the rewards."""
    rewards = []
    for _ in range(missing):
        up = next(each for each in env.legal_moves() if each.target == "F")
        rewards.append(move(env, *up)[1])
    return rewards


@every_variant
def test_three_kinds_of_reward(name: str) -> None:
    """Foundation counts cards, win is 1.0 once, ledger is points and the bonus for time left."""
    position = nearly_won(VARIANTS[name], 4)
    assert win(start(name, position), 4) == [1.0, 1.0, 1.0, 1.0]
    assert win(start(name, position, reward="win"), 4) == [0.0, 0.0, 0.0, 1.0]
    assert win(start(name, position, reward="ledger"), 4) == [10.0, 10.0, 10.0, 10.0 + 600 - 8]


@every_variant
@pytest.mark.parametrize(
    ("seconds", "bonus"),
    [(0.0, 600), (0.5, 599), (0.75, 598), (299.75, 0), (300.0, 0), (1e9, 0)],
)
def test_the_time_bonus(name: str, seconds: float, bonus: int) -> None:
    """A win in t < 600 simulated seconds earns floor(600 - t), in the score too."""
    env = start(name, nearly_won(VARIANTS[name], 2), reward="ledger", seconds_per_move=seconds)
    assert win(env, 2) == [10.0, 10.0 + bonus]
    env = start(name, nearly_won(VARIANTS[name], 2), seconds_per_move=seconds)
    move(env, "T0", "F")
    info = move(env, "T1", "F")[4]
    assert (info["score"], info["elapsed"]) == (20 + bonus, 2 * seconds)


@every_variant
def test_foundation_cards_are_a_recount(name: str) -> None:
    """`foundation_cards` counts Aces dealt there and Kings that left."""
    env = bare(name)
    _, info = env.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(200):
        position = env.position()
        up = sum(map(sum, position["foundations"].values())) + position["kings"]
        assert info["foundation_cards"] == up
        _, reward, terminated, truncated, info = env.step(
            int(rng.choice(np.flatnonzero(info["action_mask"])))
        )
        assert info["foundation_cards"] == up + reward
        if terminated or truncated:
            _, info = env.reset()


def test_kings_that_leave_count_but_earn_no_points() -> None:
    """Big Bertha: a King freed by a move leaves with it: two cards, ten points."""
    position = ending(VARIANTS["big-bertha"], [["KS", "QS"], ["QH"]])
    env = start("big-bertha", position)
    _, reward, _, _, info = move(env, "T0", "F")
    assert (reward, info["score"], env.position()["kings"]) == (2.0, 10, 8)


def test_a_reserve_card_onto_a_column_earns_nothing() -> None:
    """Big Bertha: reserve to tableau 0 points, reserve to foundation 10."""
    position = ending(VARIANTS["big-bertha"], [["QH"]], reserve=["JS", "QS", *[None] * 12])
    env = start("big-bertha", position, reward="ledger")
    assert move(env, "R0", "T0")[1] == 0.0
    env = start("big-bertha", position, reward="ledger")
    assert move(env, "R0", "F")[1] == 10.0


@pytest.mark.parametrize("name", [n for n in VARIANTS if VARIANTS[n].stock])
def test_the_waste_in_the_ledger(name: str) -> None:
    """Drawing earns nothing, waste to tableau 5, waste to foundation 10."""
    sheet = VARIANTS[name]
    position = ending(sheet, [["KS"]], stock=["KH"], waste=["QS"])
    assert move(start(name, position, reward="ledger"), "stock", "W")[1] == 0.0
    assert move(start(name, position, reward="ledger"), "W", "F")[1] == 10.0
    below = "KS" if sheet.tableau.build is not Suits.ALTERNATE_COLOR else "KH"
    position = ending(sheet, [[below], ["KS"]], waste=["QS"])
    assert move(start(name, position, reward="ledger"), "W", "T0")[1] == 5.0


@pytest.mark.parametrize("name", [n for n in VARIANTS if any(VARIANTS[n].tableau.hidden())])
def test_a_card_uncovered_earns_ten(name: str) -> None:
    """Turning up pays with the move that did it, once."""
    position = ending(VARIANTS[name], [["KH"], ["<KS>", "QS"], ["QH"]])
    env = start(name, position, reward="ledger")
    assert move(env, "T1", "T0")[1] == 10.0
    assert env.position()["tableau"][1] == ["KS"]
    env = start(name, position, reward="ledger")
    assert move(env, "T1", "F")[1] == 20.0


@pytest.mark.parametrize("name", [n for n in VARIANTS if VARIANTS[n].foundations.take_back])
def test_taking_back_costs(name: str) -> None:
    """Foundation to tableau: -15 points, one foundation card less."""
    position = ending(VARIANTS[name], [["KH"]])
    env = start(name, position, reward="ledger")
    assert move(env, "FS", "T1")[1] == -15.0
    env = start(name, position)
    _, reward, _, _, info = move(env, "FS", "T1")
    assert (reward, info["score"], env.position()["tableau"][1]) == (-1.0, -15, ["KS"])


@pytest.mark.parametrize(("name", "points"), [(TURN1, -20), (TURN3, 0), ("pantagruel-royal", 0)])
def test_a_redeal_costs_in_turn_1(name: str, points: int) -> None:
    """Each new pass costs 20 points in Turn-1, and nothing elsewhere."""
    position = ending(VARIANTS[name], [["QS"]], waste=["KS", "KH"])
    env = start(name, position)
    info = move(env, "stock", "redeal", 2)[4]
    assert (info["score"], info["passes"]) == (points, 2)
    assert env.position()["stock"] == ["KH", "KS"]


def test_redeals_left_counts_down() -> None:
    """Royal: three passes, two redeals; info says how many are left."""
    position = ending(VARIANTS["pantagruel-royal"], [["QS"]], waste=["KS", "KH"])
    env = start("pantagruel-royal", position)
    for left in (1, 0):
        info = move(env, "stock", "redeal", 2)[4]
        assert info["redeals_left"] == left
        info = move(env, "stock", "W", 2)[4]
    assert info["passes"] == 3
    with pytest.raises(ValueError, match="not legal"):
        env.action_of(("stock", "redeal", 2))


@every_variant
def test_streaks_earn_more_where_asked(name: str) -> None:
    """The n-th foundation move in a row earns 10 + min(n - 1, 10); off by default."""
    position = nearly_won(VARIANTS[name], 9)
    env = start(name, position, streaks=True, reward="ledger")
    assert win(env, 9)[:-1] == [float(10 + n) for n in range(8)]
    assert win(start(name, position, reward="ledger"), 9)[:-1] == [10.0] * 8


def test_a_streak_earns_at_most_ten_more() -> None:
    """From the eleventh move on a streak earns 20 a card; streak and longest streak count on."""
    env = start("big-bertha", nearly_won(VARIANTS["big-bertha"], 14), streaks=True)
    scores = [0]
    for _ in range(13):
        up = next(each for each in env.legal_moves() if each.target == "F")
        info = move(env, *up)[4]
        scores.append(info["score"])
    assert np.diff(scores).tolist() == [*range(10, 20), 20, 20, 20]
    assert (info["streak"], info["longest_streak"]) == (13, 13)


def test_other_moves_end_a_streak() -> None:
    """Any move but to the foundation ends a streak; the longest one stays in info."""
    position = ending(VARIANTS[TURN1], [["QS"], ["KS"], ["QH"], ["KH"]], waste=["KD"])
    env = start(TURN1, position, streaks=True)
    move(env, "T0", "F")
    info = move(env, "T1", "F")[4]
    assert (info["score"], info["streak"]) == (21, 2)
    info = move(env, "W", "T0")[4]
    assert (info["score"], info["streak"], info["longest_streak"]) == (26, 0, 2)
    assert move(env, "T2", "F")[4]["score"] == 36


def test_take_backs_can_not_farm_a_streak() -> None:
    """A foundation move that makes no new maximum earns 10 and leaves the streak as it is."""
    position = ending(VARIANTS[TURN1], [["QS"], ["KS"], ["QH"], ["KH"]])
    env = start(TURN1, position, streaks=True)
    move(env, "T0", "F")
    move(env, "T1", "F")
    move(env, "FS", "T0")
    info = move(env, "T0", "F")[4]
    assert (info["score"], info["streak"]) == (21 - 15 + 10, 0)
    info = move(env, "T2", "F")[4]
    assert (info["score"], info["streak"]) == (26, 1)


@every_variant
def test_an_illegal_action_changes_nothing(name: str) -> None:
    """By default: same board, mask and counters, the penalty, and `info["illegal_action"]`."""
    env = bare(name, illegal_penalty=0.25)
    observation, info = env.reset(seed=3)
    position = env.position()
    action = int(np.argmin(info["action_mask"]))
    after, reward, terminated, truncated, told = env.step(action)
    assert (reward, terminated, truncated) == (-0.25, False, False)
    assert told.pop("illegal_action") is True
    assert np.array_equal(after, observation)
    assert np.array_equal(told.pop("action_mask"), info.pop("action_mask"))
    assert told == info
    assert env.position() == position
    legal = int(np.argmax(env.action_masks()))
    assert "illegal_action" not in env.step(legal)[4]


@every_variant
def test_illegal_actions_count_towards_the_step_limit(name: str) -> None:
    """An agent that only tries what is illegal is cut by the step limit."""
    env = make(name, max_episode_steps=3)
    _, info = env.reset(seed=3)
    action = int(np.argmin(info["action_mask"]))
    assert [env.step(action)[3] for _ in range(3)] == [False, False, True]


@every_variant
def test_illegal_actions_can_raise(name: str) -> None:
    """`illegal="raise"`: an error that names the action and the legal ones, the game unchanged."""
    env = bare(name, illegal="raise")
    _, info = env.reset(seed=3)
    state, action = env.clone_state(), int(np.argmin(info["action_mask"]))
    with pytest.raises(IllegalActionError, match=f"action {action} .*legal are"):
        env.step(action)
    assert env.clone_state() == state
    env.step(int(np.argmax(info["action_mask"])))


@every_variant
def test_illegal_actions_can_end_the_game(name: str) -> None:
    """`illegal="terminate"`: terminated with outcome "illegal", the penalty, an empty mask."""
    env = bare(name, illegal="terminate", illegal_penalty=2.0)
    _, info = env.reset(seed=3)
    _, reward, terminated, truncated, info = env.step(int(np.argmin(info["action_mask"])))
    assert (reward, terminated, truncated) == (-2.0, True, False)
    assert (info["outcome"], info["is_success"]) == ("illegal", False)
    assert info["illegal_action"] is True
    assert not info["action_mask"].any()


HOPELESS = RuleSheet(
    name="test-hopeless",
    title="A game that is often over before it begins",
    source="none: made for tests",
    decks=1,
    suits=2,
    ranks=3,
    tableau=Tableau(piles=2, rows=3, build=Suits.SAME, space=Space.ANY),
    limits=Limits(episode_steps=50, no_progress=20),
)


@pytest.mark.parametrize("illegal", ["noop", "raise", "terminate"])
def test_a_deal_without_a_legal_move_is_stuck_at_its_first_step(illegal: str) -> None:
    """Its mask is empty from the start, and whatever the action, the game ends stuck."""
    env: Any = gym.make(register(HOPELESS), illegal=illegal).unwrapped
    stuck = 0
    for deal in range(30):
        _, info = env.reset(options={"deal": deal})
        if not info["action_mask"].any():
            assert env.legal_moves() == []
            _, reward, terminated, truncated, info = env.step(deal % env.action_space.n)
            assert (reward, terminated, truncated) == (0.0, True, False)
            assert (info["outcome"], info["is_success"], info["moves"]) == ("stuck", False, 0)
            stuck += 1
    assert stuck
