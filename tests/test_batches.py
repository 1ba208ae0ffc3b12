"""What the doors share: steps of some games of a batch, players by scores, tables beside random."""

import importlib
import sys

import numpy as np
import pytest

from solitaire_env.comparison import beside_random
from solitaire_env.evaluation import RandomPolicy, evaluate
from solitaire_env.interop.batches import make_batch, step_rows
from solitaire_env.policies import ScoredPolicy
from tests.stacks import DEALS, KWARGS, VARIANT, ByHand


def test_games_left_out_of_a_step_stay_as_they_are() -> None:
    """Over or not, generator included; the others step as they would alone."""
    envs, hand, rng = make_batch(VARIANT, 3, **KWARGS), ByHand(), np.random.default_rng(0)
    envs.reset(options={"deals": DEALS})
    over = 0
    for _ in range(200):
        rows = hand.going & (rng.random(3) < 0.7)
        if not rows.any():
            continue
        hand.going, going = rows.copy(), hand.going
        before = envs.unwrapped.clone_states()
        actions = hand.choose(rng)
        observations, _, terminated, truncated, _ = step_rows(envs, actions, rows)
        for row, told in hand.step(actions).items():
            np.testing.assert_array_equal(observations[row], told[0])
            assert (terminated[row], truncated[row]) == told[2:4]
            over += told[2] or told[3]
        hand.going |= going & ~rows
        after = envs.unwrapped.clone_states()
        np.testing.assert_array_equal(before[~rows], after[~rows])
    assert over == 3


def test_scores_are_probabilities_of_legal_actions() -> None:
    """An action that scores 2 more is e squared times as probable; illegal ones are impossible."""
    scores = np.array([0.0, 2.0, 50.0])
    policy = ScoredPolicy(lambda seen: np.tile(scores, (len(seen), 1)))
    rows = np.arange(20_000)
    policy.reset(rows, rows.astype(np.uint64))
    masks = np.tile([True, True, False], (len(rows), 1))
    chosen = policy.act(np.zeros((len(rows), 4), np.uint8), masks, rows)
    assert set(chosen.tolist()) == {0, 1}
    assert chosen.mean() == pytest.approx(np.exp(2) / (1 + np.exp(2)), abs=0.01)


@pytest.mark.parametrize(
    ("score", "named"),
    [
        (lambda seen: np.zeros((len(seen), 3)), "accepted are"),
        (lambda seen: np.full((len(seen), 112), np.nan), "not finite"),
    ],
)
def test_scores_that_mean_nothing_are_refused(score: object, named: str) -> None:
    """A wrong shape and numbers that are none are named."""
    with pytest.raises(ValueError, match=named):
        evaluate(ScoredPolicy(score), VARIANT, range(3))  # type: ignore[arg-type]


def test_a_scored_player_depends_on_the_deal_alone() -> None:
    """Not on how many games are played at once."""
    policies = [ScoredPolicy(lambda seen: np.zeros((len(seen), 112))) for _ in range(2)]
    one, other = (
        evaluate(policy, VARIANT, range(12), num_envs=count)
        for policy, count in zip(policies, (12, 5), strict=True)
    )
    np.testing.assert_array_equal(one.score, other.score)
    np.testing.assert_array_equal(one.moves, other.moves)


def test_beside_random_plays_the_same_deals() -> None:
    """The second evaluation is the random player's, with the same seed and arguments."""
    ours, random = beside_random(RandomPolicy(), VARIANT, range(20), name="ours", seed=3)
    assert (ours.agent, random.agent, random.seed) == ("ours", "random", 3)
    np.testing.assert_array_equal(ours.deals, random.deals)
    np.testing.assert_array_equal(ours.foundation_cards, random.foundation_cards)


@pytest.mark.parametrize("library", ["torchrl", "tianshou", "minari"])
def test_a_missing_library_says_what_to_install(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the extra."""
    door = f"solitaire_env.interop.{library}"
    monkeypatch.delitem(sys.modules, door, raising=False)
    monkeypatch.setitem(sys.modules, library, None)
    for name in [name for name in sys.modules if name.startswith(f"{library}.")]:
        monkeypatch.setitem(sys.modules, name, None)  # what is loaded is found without its package
    with pytest.raises(ImportError, match=rf"pip install 'solitaire-env\[{library}\]'"):
        importlib.import_module(door)
