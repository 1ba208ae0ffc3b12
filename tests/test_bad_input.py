"""What makes no sense is refused by a clear exception, and the game is as it was."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from solitaire_env import VARIANTS
from solitaire_env.envs.options import ActionError, OptionError
from solitaire_env.envs.vector_env import StepOut
from tests.helpers import bare, ending, every_variant, make, make_vec, nearly_won

ROYAL, JUAN = "pantagruel-royal", "san-juan-hill"


@contextmanager
def refused(env: Any, error: type[Exception], *parts: object) -> Iterator[None]:
    """Expect an exception whose message holds all parts, and a game that has not changed."""
    batch = hasattr(env, "clone_states")
    state = env.clone_states().tobytes() if batch else env.clone_state()
    with pytest.raises(error) as caught:
        yield
    for part in parts:
        assert str(part) in str(caught.value)
    assert state == (env.clone_states().tobytes() if batch else env.clone_state())


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


KEYWORDS: dict[str, list[Any]] = {
    "reward": ["points", "Win", 0, None, ["win"]],
    "observability": ["all", True, None],
    "illegal": ["ignore", "", None],
    "illegal_penalty": [-1.0, float("nan"), float("inf"), "1", None, True],
    "seconds_per_move": [-0.5, float("nan"), float("inf"), "2", None],
    "streaks": [1, "yes", None],
    "no_progress_limit": [0, -1, 1.5, True, "9"],
    "render_mode": ["rgb", "Human"],
    "felt": ["red", "emerald", None, 3],
}
BATCH_KEYWORDS: dict[str, list[Any]] = {
    "render_mode": ["human"],
    "num_threads": [0, -1, 1.5, True, "2"],
    "autoreset_mode": ["next_step", "NEXT_STEP", None, 1],
    "max_episode_steps": [0, -1, 1.5, True],
}


@pytest.mark.parametrize(
    ("keyword", "value"), [(key, value) for key, values in KEYWORDS.items() for value in values]
)
def test_keyword_arguments(keyword: str, value: Any) -> None:
    """A wrong keyword argument is named with its value and what is accepted, by both forms."""
    for door in (
        lambda **kwargs: bare(JUAN, **kwargs),
        lambda **kwargs: make_vec(JUAN, 2, **kwargs),
    ):
        with pytest.raises(OptionError) as caught:
            door(**{keyword: value})
        for part in (keyword, repr(value), "accepted are"):
            assert part in str(caught.value)


@pytest.mark.parametrize(
    ("keyword", "value"),
    [(key, value) for key, values in BATCH_KEYWORDS.items() for value in values],
)
def test_keyword_arguments_of_the_batch(keyword: str, value: Any) -> None:
    """The batch's own keyword arguments, too."""
    with pytest.raises(OptionError) as caught:
        make_vec(JUAN, 2, **{keyword: value})
    for part in (keyword, repr(value), "accepted are"):
        assert part in str(caught.value)


def test_unknown_names() -> None:
    """An unknown keyword, variant, id or number of games is refused, and what there is named."""
    with pytest.raises(TypeError, match="color"):
        bare(JUAN, color="red")
    with pytest.raises(ValueError, match=r"variant is 'klondike', accepted are .*san-juan-hill"):
        bare(JUAN, variant="klondike")
    with pytest.raises(ValueError, match="variant is 7"):
        make_vec(JUAN, 2, variant=7)
    with pytest.raises(gym.error.NameNotFound):
        gym.make("solitaire_env/Klondike-v0")
    for count in (0, -1, 1.5):
        with pytest.raises(OptionError, match="num_envs is"):
            make_vec(JUAN, count)


NO_DEALS = [-1, 2**63, 1.5, float("nan"), True, "3", None, [1]]


@pytest.mark.parametrize("deal", NO_DEALS, ids=repr)
def test_deal_numbers(deal: Any) -> None:
    """A deal is a whole number from 0 to 2^63 - 1."""
    for env in (bare(JUAN), make_vec(JUAN, 2)):
        env.reset(seed=1)
        with refused(env, OptionError, f"deal is {deal!r}", f"0..{2**63 - 1}"):
            env.reset(options={"deal": deal})


NOT_DEALS = [
    (np.array([1]), "(1,)"),
    (5, "()"),
    (np.array([1.0, 2.0]), "float64"),
    ([True, False], "bool"),
    (["1", "2"], "<U1"),
    ([-1, 2], "deal is -1"),
    (np.array([1, 2**63], np.uint64), f"deal is {2**63}"),
    ([[1], [2, 3]], "deals"),
]


@pytest.mark.parametrize(("deals", "part"), NOT_DEALS, ids=str)
def test_lists_of_deal_numbers(deals: Any, part: str) -> None:
    """`deals` holds one deal number a game."""
    env = make_vec(JUAN, 2)
    env.reset(seed=1)
    with refused(env, OptionError, part):
        env.reset(options={"deals": deals})


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"deals": [1, 2]}, "'deals'"),
        ({"Deal": 1}, "'Deal'"),
        ({7: 1}, "7"),
        ({"deal": 1, "position": {}}, "exclude each other"),
        ([("deal", 1)], "accepted is a dict"),
        ("deal", "accepted is a dict"),
    ],
    ids=str,
)
def test_reset_options(options: Any, part: str) -> None:
    """An unknown reset option is named, with those there are; a deal and a position exclude."""
    env = bare(JUAN)
    env.reset(seed=1)
    with refused(env, OptionError, part, "deal"):
        env.reset(options=options)


@pytest.mark.parametrize("seed", [-1, 1.5, float("nan"), True, "3", [1]], ids=repr)
def test_seeds(seed: Any) -> None:
    """A seed is a whole number from 0."""
    env = bare(JUAN)
    env.reset(seed=1)
    with refused(env, OptionError, "seed is", repr(seed), "accepted are whole numbers from 0"):
        env.reset(seed=seed)


@pytest.mark.parametrize("seed", [-1, 1.5, True, "34", [1], [1, -2], [1, 2.5], [1, 2, 3]], ids=repr)
def test_seeds_of_a_batch(seed: Any) -> None:
    """A batch takes one seed or one a game."""
    env = make_vec(JUAN, 2)
    env.reset(seed=1)
    with refused(env, OptionError, "seed", "accepted are"):
        env.reset(seed=seed)


@pytest.mark.parametrize(
    "mask",
    [np.array([True]), np.array([1, 0]), [True, False], np.zeros(2, bool), True, "10"],
    ids=repr,
)
def test_reset_masks(mask: Any) -> None:
    """A reset mask is a bool array, one a game, with a True."""
    env = make_vec(JUAN, 2)
    env.reset(seed=1)
    with refused(env, OptionError, "reset_mask is", "(2,) bool with a True"):
        env.reset(options={"reset_mask": mask})


def test_states_that_are_none() -> None:
    """`restore_state(s)` takes what `clone_state(s)` gave, of the same variant."""
    env, batch = bare(JUAN), make_vec(JUAN, 2)
    env.reset(seed=1)
    batch.reset(seed=1)
    other = bare("arabella")
    other.reset(seed=1)
    for state in (other.clone_state(), env.clone_state()[:-1], b"", None, 3):
        with refused(env, OptionError, JUAN, "clone_state"):
            env.restore_state(state)
    states = batch.clone_states()
    for wrong in (states[:1], states[:, :-1], states.astype(int), None):
        with refused(batch, OptionError, "states are", "accepted is"):
            batch.restore_states(None, wrong)
    for indices in ([2], [-1], [0.5], 1, [[0]], ["0"]):
        with refused(batch, OptionError, "indices are", "0..1"):
            batch.clone_states(indices)


def test_buffers_that_do_not_fit() -> None:
    """`out` has the shapes and dtypes of fresh arrays, and can be written."""
    env = make_vec(JUAN, 2)
    observations, infos = env.reset(seed=1)
    flags = np.zeros(2, bool)
    good = StepOut(observations, infos["action_mask"], np.zeros(2), flags, flags.copy())
    frozen = np.zeros(2)
    frozen.flags.writeable = False
    wrong = {
        "observations": [
            observations[:1],
            observations.astype(int),
            np.asfortranarray(observations),
        ],
        "action_mask": [infos["action_mask"].astype(bool), None],
        "rewards": [np.zeros(2, np.float32), frozen, [0.0, 0.0]],
        "terminated": [np.zeros(2, np.uint8), np.zeros(4, bool)[::2]],
    }
    for name, arrays in wrong.items():
        for array in arrays:
            with refused(env, OptionError, f"out.{name}", "accepted is"):
                env.step([0, 0], out=good._replace(**{name: array}))
    for form in (5, tuple(good)[:3], list(good)):
        with refused(env, OptionError, "out is", "accepted is a StepOut"):
            env.step([0, 0], out=form)
    with refused(env, OptionError, "out.terminated and out.truncated share memory"):
        env.step([0, 0], out=good._replace(truncated=flags))
    env.step([0, 0], out=tuple(good))


def test_a_refused_reset_leaves_the_generator_alone() -> None:
    """After a refused reset with a seed the deals come as they would have."""
    env, other = bare(JUAN), bare(JUAN)
    env.reset(seed=1)
    other.reset(seed=1)
    with refused(env, ValueError, "impossible"):
        env.reset(seed=99, options={"position": ending(VARIANTS[JUAN], [["KS", "KS", "KS"]])})
    assert env.reset()[1]["deal"] == other.reset()[1]["deal"]
