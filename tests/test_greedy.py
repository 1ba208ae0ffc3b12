"""The rule-based player: it takes what is obvious, sees what a player sees, and never circles."""

from typing import Any

import numpy as np
import pytest

from agents.greedy import DEFAULTS, GreedyPolicy, load_weights, make, weight_array
from agents.registry import load_agent
from solitaire_env import VARIANTS, register
from solitaire_env.evaluation import evaluate
from tests.helpers import bare, ending, every_variant, make_vec, nearly_won
from tests.tiny_games import TINY_GAMES, TINY_KLONDIKE

ROW = np.zeros(1, np.int64)
HIDING = [name for name, sheet in VARIANTS.items() if sheet.stock]


def chosen(name: str, position: dict[str, Any]) -> tuple[str, str]:
    """Tell what the player does first in a position: source and target."""
    env, player = bare(name), make(name)
    observation, _ = env.reset(options={"position": position})
    player.reset(ROW, ROW.astype(np.uint64))
    action = player.act(observation[None], env.action_masks()[None].astype(bool), ROW)[0]
    return env.action_table[action][:2]


@every_variant
def test_the_last_cards_go_up(name: str) -> None:
    """With nothing else to do, a card that may go up does."""
    source, target = chosen(name, nearly_won(VARIANTS[name], 3))
    assert (source[0], target) == ("T", "F")


@pytest.mark.parametrize("name", [name for name in HIDING if "pantagruel" in name])
def test_a_card_goes_up_before_anything_is_drawn(name: str) -> None:
    """It is safe: no card that it could hold is left."""
    position = ending(VARIANTS[name], [[], ["<KD>", "QH"]], stock=["KC", "KS", "KH"])
    assert chosen(name, position) == ("T1", "F")


@pytest.mark.parametrize("name", [name for name in HIDING if "pantagruel" in name])
def test_a_card_is_turned_up_and_no_run_shuffled(name: str) -> None:
    """Of two Queens that fit the King, the one that hides a card moves, not the one on a King."""
    columns = [["KS"], ["<KD>", "QH"], ["KC", "QD"]]
    position = ending(VARIANTS[name], columns, stock=["JH", "JD", "QS", "QC", "KH"])
    assert chosen(name, position) == ("T1", "T0")


@pytest.mark.parametrize("name", [name for name in HIDING if "pantagruel" in name])
def test_a_draw_is_better_than_a_pointless_shuffle(name: str) -> None:
    """A Jack that lies on one Queen need not lie on another."""
    columns = [["KS", "QH", "JS"], ["KC", "QD"]]
    stock = ["KH", "JH", "KD", "JD", "QC", "QS", "TS"]
    position = ending(VARIANTS[name], columns, stock=stock)
    assert chosen(name, position) == ("stock", "W")


@every_variant
def test_no_action_is_repeated_in_a_position(name: str) -> None:
    """Not until every other one was tried there; positions are what is seen but the counters."""
    games, player = make_vec(name, 8, autoreset_mode="Disabled"), make(name)
    rows = np.arange(8)
    observations, _ = games.reset(options={"deals": 3000 + rows})
    player.reset(rows, rows.astype(np.uint64))
    counters, taken = games.unwrapped.fields["counters"].slice, {}
    over = np.zeros(8, np.bool_)
    while not over.any():
        masks = games.unwrapped.action_masks()
        actions = player.act(observations, masks, rows)
        for row, action in enumerate(actions):
            position = (row, np.delete(observations[row], counters).tobytes())
            before = taken.setdefault(position, set())
            assert action not in before or before >= set(np.flatnonzero(masks[row]))
            before.add(action)
        observations, _, terminated, truncated, _ = games.step(actions)
        over = terminated | truncated


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        *(("greedy", name) for name in HIDING),
        ("search", HIDING[-1]),
        *(pytest.param("search", name, marks=pytest.mark.long) for name in HIDING[:-1]),
    ],
)
def test_unseen_cards_change_no_choice(agent: str, name: str) -> None:
    """What looks the same is played the same with the same seed, wherever the unseen cards lie."""
    env, rng = bare(name), np.random.default_rng(5)
    options = {"playouts": 8} if agent == "search" else {}
    players = [load_agent(agent, name, **options) for _ in range(2)]
    for player in players:
        player.reset(ROW, np.array([9], np.uint64))
    env.reset(options={"deal": 3000})
    for _ in range(4):
        position, guess = env.position(), env.determinize(rng)
        actions = []
        for player, at in zip(players, (position, guess), strict=True):
            observation, _ = env.reset(options={"position": at})
            mask = env.action_masks().astype(bool)
            actions.append(int(player.act(observation[None], mask[None], ROW)[0]))
        assert actions[0] == actions[1]
        env.reset(options={"position": position})
        for _ in range(9):
            env.step(int(rng.choice(np.flatnonzero(env.action_masks()))))


@pytest.mark.parametrize("name", ["big-bertha", "pantagruel-turn1"])
def test_it_plays_well(name: str) -> None:
    """Most games of these two are won; which of them depends on deals and weights alone."""
    one, other = (evaluate(make(name), name, range(2000, 2040), num_envs=n) for n in (40, 7))
    assert one.wins >= 28
    np.testing.assert_array_equal(one.moves, other.moves)


@pytest.mark.parametrize("sheet", TINY_GAMES, ids=lambda sheet: sheet.name)
def test_it_plays_any_game(sheet: Any) -> None:
    """A game without weights of its own is played by the defaults."""
    register(sheet)
    result = evaluate(make(sheet.name), sheet.name, range(20))
    floor = evaluate(load_agent("random", sheet.name), sheet.name, range(20))
    assert result.foundation_cards.sum() > floor.foundation_cards.sum()


@every_variant
def test_every_variant_has_weights_of_its_own(name: str) -> None:
    """In its configuration, every feature by name."""
    assert load_weights(name) is not DEFAULTS
    assert np.isfinite(weight_array(load_weights(name))).all()


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"luck": 1.0}, "unknown feature 'luck', accepted are column_up"),
        ({"safe": "very"}, "the weight of safe is 'very', accepted are numbers"),
    ],
)
def test_bad_weights(weights: dict[str, Any], message: str) -> None:
    """Are refused by name."""
    register(TINY_KLONDIKE)
    with pytest.raises(ValueError, match=message):
        GreedyPolicy(TINY_KLONDIKE.name, weights)
