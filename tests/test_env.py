"""The single environment as Gymnasium and its users meet it: doors, types, deals, limits."""

import json
import warnings
from functools import partial

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env

from solitaire_env import VARIANTS, env_id
from tests.helpers import (
    bare,
    every_variant,
    make,
    nearly_won,
    play,
    random_legal,
    run_python,
    same,
)

COUNTERS = ("deal", "moves", "passes", "redeals_left", "foundation_cards", "score")
STREAKS = ("streak", "longest_streak")
KEYS = {*COUNTERS, *STREAKS, "elapsed", "action_mask"}
KWARGS = {
    "reward": "ledger",
    "observability": "full",
    "illegal": "terminate",
    "illegal_penalty": 0.5,
    "seconds_per_move": 1.5,
    "streaks": True,
    "no_progress_limit": 9,
    "render_mode": "ansi",
    "felt": "midnight-navy",
}
QUALIFIED = "solitaire_env:solitaire_env/SanJuanHill-v0"


@every_variant
@pytest.mark.parametrize("doors", ["unwrapped", "made"])
def test_gymnasiums_checker_passes(name: str, doors: str) -> None:
    """Every environment keeps Gymnasium's contract, bare and behind its wrappers, unwarned."""
    env = make(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*is different from the unwrapped version")
        check_env(env.unwrapped if doors == "unwrapped" else env)


def test_the_ids_are_those_of_the_contract() -> None:
    """One id a variant, in the package's namespace."""
    names = "BigBertha Arabella SanJuanHill PantagruelTurn1 PantagruelTurn3"
    names += " PantagruelTournament PantagruelRoyal"
    expected = {f"solitaire_env/{name}-v0" for name in names.split()}
    assert {env_id(sheet) for sheet in VARIANTS.values()} == expected
    assert expected <= set(gym.registry)


def test_a_fresh_process_needs_no_import() -> None:
    """`gym.make("package:id")` imports the package itself."""
    code = f"import gymnasium; env = gymnasium.make({QUALIFIED!r}); "
    code += "print(env.reset(seed=3)[1]['deal'])"
    assert int(run_python(code).stdout) == make("san-juan-hill").reset(seed=3)[1]["deal"]


def test_a_spawned_worker_needs_no_import() -> None:
    """The id works in workers that share nothing with their parent."""
    workers = gym.vector.AsyncVectorEnv([partial(gym.make, QUALIFIED)] * 2, context="spawn")
    observations, infos = workers.reset(seed=3)
    workers.close()
    env = make("san-juan-hill")
    for row in range(2):
        observation, info = env.reset(seed=3 + row)
        same(observations[row], observation)
        assert infos["deal"][row] == info["deal"]


@every_variant
def test_the_spec_survives_json(name: str) -> None:
    """A spec written as JSON and read again makes the same environment."""
    env = make(name, **KWARGS)
    spec = EnvSpec.from_json(env.spec.to_json())
    assert spec == env.spec
    assert spec.max_episode_steps == VARIANTS[name].limits.episode_steps
    again = gym.make(spec)
    rngs = np.random.default_rng(0), np.random.default_rng(0)
    env.reset(seed=1)
    again.reset(seed=1)
    same(play(env, 20, rngs[0]), play(again, 20, rngs[1]))


def test_keyword_arguments_are_json_and_take_effect() -> None:
    """Every keyword argument is a JSON value, and has its default where it is left out."""
    assert json.loads(json.dumps(KWARGS)) == KWARGS
    env = bare("pantagruel-turn1", **KWARGS)
    assert (env.render_mode, env.felt) == ("ansi", "midnight-navy")
    plain = bare("pantagruel-turn1")
    assert (plain.render_mode, plain.felt) == (None, "emerald-green")
    assert plain.metadata["render_modes"] == ["ansi", "rgb_array", "human"]


def test_metadata_belongs_to_the_instance() -> None:
    """Changing an environment's metadata changes no other's."""
    first, second = bare("arabella"), bare("arabella")
    first.metadata["render_fps"] = -1
    assert second.metadata["render_fps"] != -1


@every_variant
def test_results_have_exact_python_types(name: str) -> None:
    """No NumPy scalar where Python's bool, float or int is promised; info has its keys, no more."""
    env = make(name)
    rng = np.random.default_rng(2)
    observation, info = env.reset(seed=2)
    for _ in range(300):
        assert observation.dtype == np.uint8
        assert observation.shape == env.observation_space.shape
        assert {key for key in info if key not in ("outcome", "is_success")} == KEYS
        assert all(type(info[key]) is int for key in COUNTERS + STREAKS)
        assert type(info["elapsed"]) is float
        assert info["elapsed"] == 2.0 * info["moves"]
        assert info["action_mask"].dtype == np.int8
        assert info["action_mask"].shape == (env.action_space.n,)
        action = random_legal(info["action_mask"], rng)
        observation, reward, terminated, truncated, info = env.step(action)
        assert type(reward) is float
        assert type(terminated) is bool
        assert type(truncated) is bool
        if terminated or truncated:
            assert type(info["outcome"]) is str
            assert type(info["is_success"]) is bool
            observation, info = env.reset()


@every_variant
def test_arrays_are_fresh_at_every_step(name: str) -> None:
    """What an agent stores never changes, and what it scribbles on changes no game."""
    env = make(name)
    observation, info = env.reset(seed=4)
    rng = np.random.default_rng(4)
    stored = []
    for _ in range(30):
        stored.append((observation, observation.copy(), info["action_mask"]))
        stored[-1] += (info["action_mask"].copy(),)
        observation, _, terminated, truncated, info = env.step(random_legal(stored[-1][2], rng))
        if terminated or truncated:
            observation, info = env.reset()
    for observation, copy, mask, mask_copy in stored:
        assert np.array_equal(observation, copy)
        assert np.array_equal(mask, mask_copy)
    before = env.unwrapped.clone_state()
    info["action_mask"][:] = 1
    env.unwrapped.action_masks()[:] = True
    assert env.unwrapped.clone_state() == before


@every_variant
def test_a_seed_decides_the_deals(name: str) -> None:
    """A seed decides its deal and those of the unseeded resets after it; other seeds, others."""
    env, other = make(name), make(name)
    deals = [env.reset(seed=11)[1]["deal"]] + [env.reset()[1]["deal"] for _ in range(5)]
    assert deals == [other.reset(seed=11)[1]["deal"]] + [other.reset()[1]["deal"] for _ in range(5)]
    assert len(set(deals)) == 6
    seeds = [*range(50), 2**32, 2**63, 2**100]
    firsts = {env.reset(seed=seed)[1]["deal"] for seed in seeds}
    assert len(firsts) == 53


def test_unseeded_resets_differ() -> None:
    """Without a seed no two environments play the same deals."""
    deals = [bare("san-juan-hill").reset()[1]["deal"] for _ in range(5)]
    assert len(set(deals)) == 5


def test_streams_leave_the_deals_kept_for_evaluation_alone() -> None:
    """Seeded and unseeded streams draw deals from 1,000,000 up."""
    env = bare("san-juan-hill")
    deals = [env.reset(seed=seed)[1]["deal"] for seed in range(500)]
    deals += [env.reset()[1]["deal"] for _ in range(500)]
    fresh = bare("san-juan-hill")
    deals += [fresh.reset()[1]["deal"] for _ in range(100)]
    assert min(deals) >= 1_000_000
    assert max(deals) < 2**63
    assert len(set(deals)) == len(deals)


@every_variant
def test_a_deal_number_names_one_deal(name: str) -> None:
    """`options={"deal": n}` deals n whatever was seeded or played before, and says so."""
    env = bare(name)
    for deal in (0, 1, 999_999, 2**63 - 1):
        observation, info = env.reset(seed=5, options={"deal": deal})
        assert info["deal"] == deal
        position = env.position()
        env.step(random_legal(info["action_mask"], np.random.default_rng(0)))
        again, info = env.reset(options={"deal": np.int64(deal)})
        assert env.position() == position
        same(again, observation)
        assert type(info["deal"]) is int


def test_a_seed_with_a_deal_decides_what_follows() -> None:
    """A named deal uses up nothing of the seed's stream."""
    env = bare("san-juan-hill")
    env.reset(seed=8, options={"deal": 1})
    following = env.reset()[1]["deal"]
    assert following == env.reset(seed=8)[1]["deal"]


@every_variant
def test_a_position_can_be_dealt_again(name: str) -> None:
    """`position()` through JSON and `reset` is the same game: board, mask, moves; counters at 0."""
    env, other = bare(name), bare(name)
    _, info = env.reset(seed=6)
    rng = np.random.default_rng(6)
    for _ in range(150):
        _, _, terminated, truncated, info = env.step(random_legal(info["action_mask"], rng))
        if terminated or truncated:
            _, info = env.reset()
        position = env.position()
        _, fresh = other.reset(options={"position": json.loads(json.dumps(position))})
        assert other.position() == position
        assert other.legal_moves() == env.legal_moves()
        for key in ("passes", "redeals_left", "foundation_cards"):
            assert fresh[key] == info[key]
        same(fresh["action_mask"], info["action_mask"])
    assert (fresh["deal"], fresh["moves"], fresh["score"], fresh["elapsed"]) == (-1, 0, 0, 0.0)


@every_variant
def test_the_step_limit_is_gymnasiums_own(name: str) -> None:
    """TimeLimit truncates, without an outcome and with the mask as it is."""
    env = make(name, max_episode_steps=3)
    _, info = env.reset(options={"deal": 3})
    for step in range(1, 4):
        action = int(np.argmax(info["action_mask"]))
        _, _, terminated, truncated, info = env.step(action)
        assert (terminated, truncated) == (False, step == 3)
    assert not {"outcome", "is_success"} & set(info)
    assert info["action_mask"].any()


@every_variant
def test_a_win_on_the_limits_step_is_both(name: str) -> None:
    """A win on the last step allowed is terminated and truncated."""
    env = make(name, max_episode_steps=2)
    env.reset(options={"position": nearly_won(VARIANTS[name], 2)})
    for column in ("T0", "T1"):
        action = env.unwrapped.action_of((column, "F", 1))
        _, _, terminated, truncated, info = env.step(action)
    assert (terminated, truncated) == (True, True)
    assert (info["outcome"], info["is_success"]) == ("won", True)


@every_variant
def test_the_mask_is_zero_only_at_the_end(name: str) -> None:
    """While a game lasts some action is legal; when it has ended itself none is."""
    env = bare(name)
    rng = np.random.default_rng(7)
    _, info = env.reset(seed=7)
    for _ in range(400):
        assert np.array_equal(info["action_mask"], env.action_masks())
        _, _, terminated, truncated, info = env.step(random_legal(info["action_mask"], rng))
        assert info["action_mask"].any() != (terminated or truncated)
        if terminated or truncated:
            assert env.legal_moves() == []
            assert info["outcome"] in ("stuck", "dead", "won", "no_progress")
            assert truncated == (info["outcome"] == "no_progress")
            _, info = env.reset()


@every_variant
def test_the_no_progress_limit_truncates(name: str) -> None:
    """A limit of one step without progress ends the game, truncated, with its outcome."""
    env = bare(name, no_progress_limit=1)
    rng = np.random.default_rng(1)
    for seed in range(40):
        _, info = env.reset(seed=seed)
        truncated = terminated = False
        while not (truncated or terminated):
            _, _, terminated, truncated, info = env.step(random_legal(info["action_mask"], rng))
        if truncated:
            assert (info["outcome"], info["is_success"]) == ("no_progress", False)
            assert not terminated
            return
    pytest.fail("no game was cut")


def test_closing_twice_is_allowed() -> None:
    """`close` may be called again."""
    env = make("san-juan-hill")
    env.close()
    env.close()
