"""Arguments, options, seeds and buffers that make no sense are refused, the game as it was."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from solitaire_env import VARIANTS
from solitaire_env.envs.options import OptionError
from solitaire_env.envs.vector_env import StepOut
from tests.helpers import bare, ending, make_vec, refused

ROYAL, JUAN = "pantagruel-royal", "san-juan-hill"


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
