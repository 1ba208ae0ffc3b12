"""What is no action or move is refused by a clear exception, and the game is as it was."""

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from solitaire_env import VARIANTS
from solitaire_env.envs.options import ActionError
from tests.helpers import bare, every_variant, make, make_vec, nearly_won, refused

ROYAL, JUAN = "pantagruel-royal", "san-juan-hill"


NO_ACTIONS = [
    -1,
    10**6,
    2**63,
    -(2**70),
    0.0,
    1.5,
    float("nan"),
    float("inf"),
    np.float32(1),
    True,
    np.True_,
    None,
    "3",
    [1],
    (1,),
    {},
    1j,
    np.array([1, 2]),
    np.array([[1]]),
    np.array(1.0),
    np.array([np.nan]),
    np.array([True]),
    np.array([], int),
]


@pytest.mark.parametrize("action", NO_ACTIONS, ids=repr)
@pytest.mark.parametrize("illegal", ["noop", "raise", "terminate"])
def test_what_is_no_action_number(action: Any, illegal: str) -> None:
    """Out of range, fractional, NaN, boolean or wrongly shaped: an error in every mode."""
    env = bare(JUAN, illegal=illegal)
    env.reset(seed=1)
    with refused(env, ActionError, "accepted are whole numbers 0..111"):
        env.step(action)
    with refused(env, ActionError, "accepted are whole numbers 0..111"):
        env.move_of(action)


@every_variant
def test_the_first_number_out_of_range(name: str) -> None:
    """The table's last number is an action, the next is none; the message names both."""
    env = bare(name)
    env.reset(seed=1)
    count = int(env.action_space.n)
    env.step(count - 1)
    with refused(env, ActionError, f"action is {count}", f"0..{count - 1}"):
        env.step(count)


@pytest.mark.parametrize("kind", [int, np.int8, np.uint8, np.int64, np.uint64, np.array])
def test_whole_numbers_of_every_kind_are_actions(kind: Callable[[int], Any]) -> None:
    """Python's and NumPy's whole numbers, and arrays of one, are taken."""
    env = bare(JUAN)
    env.reset(seed=1)
    env.step(kind(5))
    env.step(np.array([5]))


def not_actions(count: int) -> dict[str, Any]:
    """List what is no array of actions for a batch of three."""
    return {
        "too few": [0, 1],
        "too many": [0, 1, 2, 3],
        "a column": [[0], [1], [2]],
        "one number": 3,
        "nothing": None,
        "text": ["0", "1", "2"],
        "fractions": [0.0, 1.0, 2.0],
        "NaN": np.array([0, np.nan, 1]),
        "booleans": [True, False, True],
        "objects": np.array([0, None, 1], object),
        "ragged": [[0], [1, 2], 3],
        "negative": [0, -1, 2],
        "too large": [0, 1, count],
        "far too large": np.array([0, 1, 2**64 - 1], np.uint64),
    }


@pytest.mark.parametrize("kind", not_actions(112))
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_what_is_no_array_of_actions(kind: str, mode: str) -> None:
    """The batch refuses wrong shapes, types and numbers before any game moves."""
    env = make_vec(JUAN, 3, autoreset_mode=mode)
    env.reset(seed=1)
    with refused(env, ActionError, "accepted are (3,) whole numbers 0..111"):
        env.step(not_actions(112)[kind])


def test_the_row_of_a_wrong_action_is_named() -> None:
    """A number out of range is named with its row."""
    env = make_vec(JUAN, 3)
    env.reset(seed=1)
    with refused(env, ActionError, "action 112 in row 2"):
        env.step([0, 1, 112])


@every_variant
def test_actions_after_the_end(name: str) -> None:
    """After a game-made end the single environment refuses to go on, and says what to do."""
    env = bare(name)
    env.reset(options={"position": nearly_won(VARIANTS[name], 1)})
    env.step(env.action_of(("T0", "F", 1)))
    with refused(env, ActionError, "after the end", "won", "reset"):
        env.step(0)
    env.reset(seed=1)
    env.step(0)


@every_variant
def test_actions_after_the_end_in_disabled(name: str) -> None:
    """DISABLED refuses to step while games are over, by the game or the limit, and names them."""
    env = make_vec(name, 3, autoreset_mode="Disabled", max_episode_steps=2)
    env.reset(options={"position": nearly_won(VARIANTS[name], 2)})
    env.reset(seed=1, options={"reset_mask": np.array([True, False, True])})
    for _ in range(2):
        env.step(env.action_masks().argmax(axis=1))
    with refused(env, ActionError, "[0, 1, 2]", "reset_mask"):
        env.step([0, 0, 0])
    env.reset(options={"reset_mask": np.array([True, False, True])})
    with refused(env, ActionError, "[1]"):
        env.step([0, 0, 0])


@every_variant
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("limit", [None, 1])
def test_a_game_restored_after_its_end(name: str, mode: str, limit: int | None) -> None:
    """A state that is won, or cut, is never played on: NEXT_STEP deals anew, others refuse."""
    ended = make_vec(name, 1, autoreset_mode="Disabled", max_episode_steps=limit)
    ended.reset(options={"position": nearly_won(VARIANTS[name], 2 if limit else 1)})
    assert any(flag[0] for flag in ended.step(ended.action_masks().argmax(axis=1))[2:4])
    env = make_vec(name, 3, autoreset_mode=mode, reward="ledger", max_episode_steps=limit)
    env.reset(seed=1)
    env.restore_states([1], ended.clone_states())
    if mode == "NextStep":
        _, rewards, _, _, infos = env.step(env.action_masks().argmax(axis=1))
        assert (rewards[1], infos["moves"][1], infos["score"][1]) == (0.0, 0, 0)
        assert infos["deal"][1] >= 1_000_000
        return
    with refused(env, ActionError, "games [1] are over", "reset_mask"):
        env.step([0, 0, 0])
    env.reset(options={"reset_mask": np.array([False, True, False])})
    for _ in range(1 if mode == "Disabled" and limit else 3):
        env.step(env.action_masks().argmax(axis=1))


def test_the_batch_can_raise_for_illegal_actions() -> None:
    """`illegal="raise"` names row, action and what is legal, before any game moves."""
    env = make_vec(JUAN, 3, illegal="raise")
    env.reset(seed=1)
    actions = env.action_masks().argmax(axis=1)
    actions[1] = env.action_masks()[1].argmin()
    with refused(env, ActionError, f"action {actions[1]} in row 1", "legal are"):
        env.step(actions)


def test_before_the_first_deal() -> None:
    """Before `reset` every question about the game says to call it; wrappers say so as well."""
    env = bare(JUAN)
    questions: list[Callable[[], object]] = [
        lambda: env.step(0),
        env.position,
        env.clone_state,
        lambda: env.determinize(1),
        env.legal_moves,
        lambda: env.action_of(("stock", "W", 1)),
        lambda: env.move_of(0),
    ]
    for ask in questions:
        with pytest.raises(ActionError, match="no game is dealt: call reset first"):
            ask()
    assert not env.action_masks().any()
    batch = make_vec(JUAN, 2)
    questions = [lambda: batch.step([0, 0]), batch.positions, batch.clone_states]
    for ask in questions:
        with pytest.raises(ActionError, match="game 0 is not dealt: call reset first"):
            ask()
    batch.reset(options={"reset_mask": np.array([True, False])})
    assert batch.clone_states([0]).shape[0] == 1
    for ask in [*questions, lambda: batch.clone_states([0, 1])]:
        with pytest.raises(ActionError, match="game 1 is not dealt: call reset first"):
            ask()
    assert batch.action_masks().any(axis=1).tolist() == [True, False]
    with pytest.raises(gym.error.ResetNeeded):
        make(JUAN).step(0)


@pytest.mark.parametrize(
    "move",
    [
        (["T0"], "F", 1),
        ("T0", {}, 1),
        (None, None, None),
        ("T0", "F", [1]),
        ("T0", "F", 1.0),
        ("T0", "F", True),
        ("T0", "F"),
        "T0F",
        None,
    ],
    ids=repr,
)
def test_what_is_no_move(move: Any) -> None:
    """A move is two places and a whole number; anything else is a ValueError that shows one."""
    env = bare(JUAN)
    env.reset(seed=1)
    with refused(env, ValueError, repr(move), "give (source, target, count), as ('T0', 'F', 1)"):
        env.action_of(move)
    source, target, count = env.legal_moves()[0]
    assert env.action_of([source, target, np.int64(count)]) == env.action_masks().argmax()
