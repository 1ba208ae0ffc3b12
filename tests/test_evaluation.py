"""Evaluation: each deal once, the same result however it is played, honest numbers."""

import json
import re
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from solitaire_env import VARIANTS, env_id
from solitaire_env.comparison import comparison_table, paired_bootstrap
from solitaire_env.deal_lists import read_deals
from solitaire_env.envs.options import IllegalActionError
from solitaire_env.evaluation import Evaluation, GameStreams, evaluate
from solitaire_env.policies import RandomPolicy
from tests.conftest import needs_module
from tests.helpers import every_variant, run_python

needs_module("scipy")

SAN_JUAN_HILL = "san-juan-hill"
ARRAYS = ("deals", "won", "foundation_cards", "score", "moves", "outcomes")


class Watcher(RandomPolicy):
    """Plays at random and keeps what it was shown."""

    def __init__(self) -> None:
        super().__init__()
        self.begun: list[tuple[int, int]] = []
        self.rows_seen = 0

    def reset(self, rows: np.ndarray, seeds: np.ndarray) -> None:
        """Take note of games that begin."""
        super().reset(rows, seeds)
        self.begun += zip(rows.tolist(), seeds.tolist(), strict=True)

    def act(self, observations: np.ndarray, masks: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Check what is shown."""
        assert observations.shape[0] == masks.shape[0] == len(rows) > 0
        assert observations.dtype == np.uint8
        assert masks.any(axis=1).all()
        self.rows_seen += len(rows)
        return super().act(observations, masks, rows)


class Lowest:
    """Plays the legal action of the lowest number."""

    def reset(self, rows: np.ndarray, seeds: np.ndarray) -> None:
        """Remember nothing."""

    def act(self, observations: np.ndarray, masks: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Choose the first legal action."""
        return masks.argmax(axis=1)


def assert_same(one: Evaluation, other: Evaluation) -> None:
    """Compare all arrays of two evaluations."""
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@every_variant
def test_the_number_of_games_at_once_changes_nothing(name: str) -> None:
    """A random player's games depend on deal and seed alone."""
    deals = range(10, 22)
    kwargs: dict[str, Any] = {"max_episode_steps": 60}
    whole = evaluate(RandomPolicy(), name, deals, num_envs=64, **kwargs)
    for num_envs in (1, 5):
        again = evaluate(RandomPolicy(), name, deals, num_envs=num_envs, **kwargs)
        assert_same(whole, again)


def test_nor_does_the_order_of_the_deals() -> None:
    """The same deals backwards give the same games backwards."""
    one = evaluate(RandomPolicy(), SAN_JUAN_HILL, range(20), num_envs=3)
    other = evaluate(RandomPolicy(), SAN_JUAN_HILL, range(19, -1, -1), num_envs=4)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name)[::-1])


def test_each_deal_is_begun_once() -> None:
    """As many games begin as there are deals, each with a seed of its own, and no idle row acts."""
    watcher = Watcher()
    result = evaluate(watcher, SAN_JUAN_HILL, range(30), num_envs=7)
    assert len(watcher.begun) == len({seed for _, seed in watcher.begun}) == 30
    assert {row for row, _ in watcher.begun} == set(range(7))
    assert watcher.rows_seen == result.moves.sum()


def test_it_agrees_with_the_single_environment() -> None:
    """A game played by hand, step by step, ends as the evaluation says."""
    result = evaluate(Lowest(), SAN_JUAN_HILL, [3, 11, 5], num_envs=2)
    for place, deal in enumerate([3, 11, 5]):
        env = gym.make(env_id(VARIANTS[SAN_JUAN_HILL]))
        _, info = env.reset(options={"deal": deal})
        over = False
        while not over:
            _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
            over = terminated or truncated
        assert result.foundation_cards[place] == info["foundation_cards"]
        assert result.moves[place] == info["moves"]
        assert result.score[place] == info["score"]
        assert result.outcomes[place] == info["outcome"]


def test_another_seed_plays_other_games() -> None:
    """The seed reaches the player."""
    one, other = (evaluate(RandomPolicy(), SAN_JUAN_HILL, range(9), seed=seed) for seed in (0, 1))
    assert not np.array_equal(one.moves, other.moves)


def test_a_step_limit_is_an_outcome() -> None:
    """Games cut by the step limit are told from those that ended themselves."""
    result = evaluate(RandomPolicy(), SAN_JUAN_HILL, range(5), max_episode_steps=4)
    assert result.outcomes.tolist() == ["step_limit"] * 5
    assert result.moves.tolist() == [4] * 5


def test_an_illegal_action_is_an_error() -> None:
    """A player that breaks the rules is not evaluated."""

    class Cheat(Lowest):
        def act(self, observations: np.ndarray, masks: np.ndarray, rows: np.ndarray) -> np.ndarray:
            return masks.argmin(axis=1)

    with pytest.raises(IllegalActionError):
        evaluate(Cheat(), SAN_JUAN_HILL, range(3))


def test_actions_of_another_shape_are_an_error() -> None:
    """A player that gives one action for all is not evaluated."""

    class Lazy(Lowest):
        def act(self, observations: np.ndarray, masks: np.ndarray, rows: np.ndarray) -> np.ndarray:
            return masks.argmax(axis=1)[:1]

    with pytest.raises(ValueError, match=r"accepted is \(3,\)"):
        evaluate(Lazy(), SAN_JUAN_HILL, range(3))


@pytest.mark.parametrize(
    ("deals", "message"),
    [
        ([], "empty"),
        (range(10**12), "deals are too many, accepted are 1,000,000 at once"),
        ([4, 5, 4], "deal 4 comes twice"),
        (7, "deals is 7, accepted is a list of deal numbers"),
        (None, "deals is None, accepted is a list of deal numbers"),
        *(
            (deals, f"deal is {deals[0]!r}, accepted are whole numbers 0..{2**63 - 1}")
            for deals in (
                [-1],
                [1.9],
                [2.0],
                ["3"],
                "3",
                [True],
                [None],
                [2**63],
                [2**70],
                [float("nan")],
                [[1]],
                np.array([1.0]),
                np.array([True]),
                np.array([2**63], np.uint64),
            )
        ),
    ],
    ids=repr,
)
def test_bad_lists_of_deals(deals: Any, message: str) -> None:
    """An empty list, a deal twice and what is no whole number in range are refused."""
    with pytest.raises(ValueError, match=re.escape(message)):
        evaluate(Lowest(), SAN_JUAN_HILL, deals)


def test_deals_of_every_kind() -> None:
    """Ranges, lists, arrays, generators: what counts are the numbers, up to the last deal."""
    numbers: list[Any] = [range(2), [0, 1], np.array([0, 1], np.uint8), (n for n in (0, 1))]
    for deals in numbers:
        result = evaluate(Lowest(), SAN_JUAN_HILL, deals, max_episode_steps=2)
        assert result.deals.tolist() == [0, 1]
        assert result.deals.dtype == np.int64
    last = evaluate(Lowest(), SAN_JUAN_HILL, [2**63 - 1], max_episode_steps=2)
    assert last.deals.tolist() == [2**63 - 1]


@pytest.mark.parametrize(
    ("keyword", "value", "message"),
    [
        ("foo", 2, "a keyword argument is 'foo', accepted are 'reward', 'observability', "),
        ("autoreset_mode", "NextStep", "a keyword argument is 'autoreset_mode', accepted are"),
        ("illegal", "terminate", "illegal is 'terminate', accepted are 'raise', 'noop'"),
        ("vectorization_mode", "sync", "a keyword argument is 'vectorization_mode', accepted"),
        ("reward", "points", "reward is 'points', accepted are"),
        ("num_envs", 0, "num_envs is 0, accepted are whole numbers 1.."),
        ("num_envs", 1.5, "num_envs is 1.5, accepted are whole numbers 1.."),
        ("num_envs", "4", "num_envs is '4', accepted are whole numbers 1.."),
        ("seed", -1, "seed is -1, accepted are whole numbers from 0"),
        ("seed", 1.5, "seed is 1.5, accepted are whole numbers from 0"),
    ],
)
def test_bad_keyword_arguments(keyword: str, value: Any, message: str) -> None:
    """Unknown keywords, the evaluation's own ones and wrong values are named."""
    with pytest.raises(ValueError, match=re.escape(message)):
        evaluate(Lowest(), SAN_JUAN_HILL, [1], **{keyword: value})


def test_records_that_cannot_be_written(tmp_path: Path) -> None:
    """A folder that can't be made is an error before the first game."""
    (tmp_path / "taken").write_text("mine")
    watcher = Watcher()
    with pytest.raises(OSError, match="taken"):
        evaluate(watcher, SAN_JUAN_HILL, [1], record=tmp_path / "taken" / "games")
    assert watcher.begun == []


BAD_RANGES = ["", "3:3", "5:2", "a:b", "1:2:3", "-2:4", ":5", "1.5"]
BAD_RANGES += [str(2**63), f"0:{2**63 + 1}", f"{2**63}:{2**63 + 1}", "1" * 5000]


def test_deal_ranges() -> None:
    """A:B leaves B out; a number alone is one deal."""
    assert read_deals("5:8") == range(5, 8)
    assert read_deals("7") == range(7, 8)
    assert read_deals(str(2**63 - 1)) == range(2**63 - 1, 2**63)
    assert read_deals(f"5:{2**63}")[-1] == 2**63 - 1


@pytest.mark.parametrize("text", BAD_RANGES)
def test_bad_deal_ranges(text: str) -> None:
    """Anything else is refused, naming it."""
    with pytest.raises(ValueError, match="accepted are test, validation, A:B"):
        read_deals(text)


def test_json_and_table() -> None:
    """The JSON holds figures, circumstances and games; the table lines up."""
    result = evaluate(RandomPolicy(), SAN_JUAN_HILL, range(40), name="random", seed=3)
    told = json.loads(json.dumps(result.to_json()))
    assert told["deals"] == 40
    assert told["wins"] == sum(told["games"]["won"]) == result.wins
    assert told["wilson_low"] <= told["win_rate"] <= told["wilson_high"]
    low, high = told["foundation_cards_low"], told["foundation_cards_high"]
    assert low < told["foundation_cards"] < high
    assert sum(told["outcomes"].values()) == 40
    assert told["env_id"] == "solitaire_env/SanJuanHill-v0"
    assert (told["seed"], told["observability"]) == (3, "player")
    assert told["versions"]["solitaire_env"]
    lines = comparison_table([result, result]).splitlines()
    assert len(lines) == 3
    assert len({line.index("  ") for line in lines[1:]}) == 1
    assert lines[1].startswith("random")


def made_up(cards: np.ndarray, won: int = 0) -> Evaluation:
    """Make an evaluation with these foundation cards and some wins."""
    count = len(cards)
    zeros = np.zeros(count, np.int64)
    wins = np.arange(count) < won
    outcomes = np.where(wins, "won", "stuck")
    counts = (cards, zeros, zeros, outcomes, zeros)
    return Evaluation(SAN_JUAN_HILL, "made up", 0, {}, np.arange(count), wins, *counts)


def test_intervals_are_those_of_the_books() -> None:
    """Wilson's and the exact interval of 10 in 100; a bootstrap that agrees with the normal one."""
    rng = np.random.default_rng(0)
    told = made_up(rng.integers(10, 60, size=100), won=10).summary()
    assert told["wilson_low"] == pytest.approx(0.0552, abs=1e-4)
    assert told["wilson_high"] == pytest.approx(0.1744, abs=1e-4)
    assert told["clopper_pearson_low"] == pytest.approx(0.0490, abs=1e-4)
    assert told["clopper_pearson_high"] == pytest.approx(0.1762, abs=1e-4)
    cards = made_up(rng.normal(30, 8, size=2000).round().astype(np.int64)).summary()
    half = (cards["foundation_cards_high"] - cards["foundation_cards_low"]) / 2
    assert half == pytest.approx(1.96 * 8 / np.sqrt(2000), rel=0.05)


def test_paired_bootstrap() -> None:
    """The bound is below the mean, above zero where one player is better on each deal."""
    rng = np.random.default_rng(0)
    worse = rng.integers(10, 60, size=300)
    better = worse + rng.integers(-1, 5, size=300)
    pair = paired_bootstrap(made_up(better), made_up(worse))
    assert 0 < pair.low < pair.mean == (better - worse).mean()
    assert pair.more + pair.fewer < pair.deals == 300
    assert paired_bootstrap(made_up(worse), made_up(worse)).low == 0
    with pytest.raises(ValueError, match="nothing to pair"):
        paired_bootstrap(made_up(worse), made_up(worse[:50]))


def test_records_play_again(tmp_path: Path) -> None:
    """Each game is kept once, and its actions lead to its end."""
    result = evaluate(RandomPolicy(), SAN_JUAN_HILL, range(6), num_envs=4, record=tmp_path)
    assert len(list(tmp_path.iterdir())) == 6
    for place, deal in enumerate(range(6)):
        record = json.loads((tmp_path / f"{SAN_JUAN_HILL}-{deal}.json").read_text())
        assert len(record["actions"]) == result.moves[place] == record["moves"]
        env = gym.make(record["env_id"], illegal="raise", **record["kwargs"])
        env.reset(options={"deal": record["deal"]})
        for action in record["actions"]:
            info = env.step(action)[4]
        assert info["outcome"] == record["outcome"]
        assert info["foundation_cards"] == record["foundation_cards"]


def test_streams_belong_to_games() -> None:
    """A row's numbers do not depend on who else draws, and are spread evenly."""
    rows, seeds = np.arange(3), np.array([5, 6, 7], np.uint64)
    together, alone = GameStreams(), GameStreams()
    together.reset(rows, seeds)
    alone.reset(rows[1:2], seeds[1:2])
    first = [together.draw(rows)[1] for _ in range(1000)]
    assert first == [alone.draw(rows[1:2])[0] for _ in range(1000)]
    assert 0 <= min(first) < 0.01
    assert 0.99 < max(first) < 1
    assert abs(np.mean(first) - 0.5) < 0.03


def test_random_play_is_uniform() -> None:
    """Every legal action is as likely."""
    policy, rows = RandomPolicy(), np.arange(6000)
    policy.reset(rows, rows.astype(np.uint64))
    masks = np.tile(np.array([False, True, True, False, True]), (6000, 1))
    counts = np.bincount(policy.act(np.zeros((6000, 1), np.uint8), masks, rows), minlength=5)
    assert counts[[0, 3]].tolist() == [0, 0]
    assert (abs(counts[[1, 2, 4]] - 2000) < 200).all()


def test_without_scipy_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games are played without SciPy; intervals say what to install."""
    result = evaluate(Lowest(), SAN_JUAN_HILL, range(3))
    monkeypatch.setitem(__import__("sys").modules, "scipy", None)
    with pytest.raises(ImportError, match="agents"):
        result.summary()


def test_evaluation_imports_nothing_heavy() -> None:
    """Neither PyTorch nor SciPy is loaded before it is needed."""
    code = (
        "import sys, solitaire_env.evaluation; "
        "print(sorted({'torch', 'scipy', 'agents'} & set(sys.modules)))"
    )
    assert run_python(code).stdout.strip() == "[]"
