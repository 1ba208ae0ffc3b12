"""A network inside a search: it guesses what a player can't see, and values games as it should."""

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from tests.conftest import needs_module

for name in ("torch", "sb3_contrib", "scipy", "safetensors"):
    needs_module(name)

import torch as th  # noqa: E402 - after the check that it is there

from agents.config import Config, Network  # noqa: E402
from agents.greedy import load_weights  # noqa: E402
from agents.greedy_playouts import GreedyInside  # noqa: E402
from agents.layout import layout_of  # noqa: E402
from agents.memory import TRIED_SLOTS, LoopMemory  # noqa: E402
from agents.network_playouts import CHUNK, FinishedInside, NetworkInside  # noqa: E402
from agents.ppo import make as make_alone  # noqa: E402
from agents.ppo_search import make  # noqa: E402
from agents.registry import load_agent  # noqa: E402
from agents.search import Search  # noqa: E402
from agents.weights import load_network, new_network, save_network  # noqa: E402
from solitaire_env import VARIANTS, env_id  # noqa: E402
from solitaire_env.engine.settings import settings_record  # noqa: E402
from solitaire_env.engine.table import Table  # noqa: E402
from solitaire_env.evaluation import evaluate  # noqa: E402

GAME = "san-juan-hill"


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An untrained network of a variant, as a file: small, and with opinions."""
    th.manual_seed(5)
    network = new_network(GAME, Network(pile=16, table=16, match=8))
    with th.no_grad():
        network.moves.source.weight.mul_(8)
    path = tmp_path_factory.mktemp("network") / "net.safetensors"
    save_network(path, network, GAME, config=Config().to_dict())
    return path


def test_choices_depend_on_the_seed_alone(checkpoint: Path) -> None:
    """Not on how many games are played at once."""
    results = [
        evaluate(
            make(GAME, playouts=12, horizon=3, checkpoint=checkpoint),
            GAME,
            range(4),
            num_envs=count,
            seed=seed,
            max_episode_steps=25,
        )
        for count, seed in ((4, 1), (3, 1), (4, 2))
    ]
    cards = [result.foundation_cards.tolist() for result in results]
    assert cards[0] == cards[1] != cards[2]
    assert len(results[0].deals) == 4


def test_playouts_are_those_of_a_naive_player(checkpoint: Path) -> None:
    """Most probable moves, none twice in a position; then cards, and what the network expects."""
    horizon, count = 6, 5
    network, about = load_network(checkpoint, GAME)
    inside = NetworkInside(GAME, network, about["config"], horizon)
    table = Table(VARIANTS[GAME], count, settings_record(no_progress_limit=200))
    table.seed(np.arange(count), range(count))
    table.deal(np.arange(count), np.arange(1600, 1600 + count))
    states = [table.games[row : row + 1].tobytes() for row in range(count)]
    firsts = table.legal(np.arange(count)).argmax(axis=1)
    tried = np.zeros((1, TRIED_SLOTS), np.uint64)
    worth = inside.play_out(table, firsts, tried, np.zeros(count, np.int64))
    naive = [
        played_out(network, state, int(first), horizon)
        for state, first in zip(states, firsts, strict=True)
    ]
    np.testing.assert_allclose(worth, naive, rtol=1e-5)
    assert len(set(naive)) > 1


def played_out(network: Any, state: bytes, action: int, horizon: int) -> float:
    """Play a game out on the single environment."""
    env: Any = gym.make(env_id(VARIANTS[GAME])).unwrapped
    env.reset(options={"deal": 0})
    env.restore_state(state)
    memory, row, worth = LoopMemory(layout_of(env)), np.arange(1), 0.0
    memory.reset(row)
    for _ in range(horizon):
        observation, _, terminated, truncated, info = env.step(action)
        cards = 0.02 * info["foundation_cards"]
        if terminated or truncated:
            return cards
        mask = memory.untried(observation[None], info["action_mask"][None], row)
        with th.no_grad():
            logits, value = network(th.from_numpy(observation[None]))
        action = int(np.where(mask, logits.numpy(), -np.inf).argmax())
        memory.note(observation[None], np.array([action]), row)
        if mask.sum() > 1 or not worth:
            worth = cards + value.item()
    return worth


def test_a_network_without_a_doubt_is_not_asked_twice(checkpoint: Path) -> None:
    """What is nearly certain is settled, what is improbable is not tried, the rest is searched."""
    network, about = load_network(checkpoint, GAME)
    inside = NetworkInside(GAME, network, about["config"], 4)
    scores = np.log([[0.995, 0.005, 1e-9], [0.6, 0.39, 0.01]])
    assert inside.is_settled(np.zeros((2, 1), np.uint8), scores).tolist() == [True, False]
    env: Any = gym.make(env_id(VARIANTS[GAME])).unwrapped
    observation, info = env.reset(options={"deal": 1700})
    mask = info["action_mask"].astype(np.bool_)
    ranked = inside.rank(np.tile(observation, (CHUNK + 1, 1)), np.tile(mask, (CHUNK + 1, 1)))
    with th.no_grad():
        logits = network(th.from_numpy(observation[None]))[0][0].double()
    told = th.log_softmax(logits.masked_fill(~th.from_numpy(mask), -th.inf), 0).numpy()
    seen = np.isfinite(ranked[-1])
    np.testing.assert_allclose(ranked[-1][seen], told[seen], rtol=1e-5)
    assert (told[~seen] < np.log(0.005)).all()
    np.testing.assert_array_equal(ranked[0], ranked[-1])


@pytest.mark.parametrize("playouts", [4, 5, 8, 23, 48, 64, 200])
@pytest.mark.parametrize("moves", [2, 3, 5, 8])
def test_the_budget_is_kept_and_used(playouts: int, moves: int) -> None:
    """No more playouts than asked for, and most of them: two a move and round or more."""
    game, rng = Table(VARIANTS[GAME], 1, settings_record()).games, np.random.default_rng(1)
    search, played = Search(game, np.arange(moves), playouts, rng), 0
    while not search.is_over:
        actions, _ = search.trials()
        assert min(np.unique(actions, return_counts=True)[1]) >= 2
        played += len(actions)
        search.learn(rng.random(len(actions)))
    assert 0.5 * playouts < played <= playouts
    assert search.choice(1.0) in range(moves)


def test_rounds_halve_and_the_first_stays() -> None:
    """All share the guesses of a round; the best gains more than chance, or the first is played."""
    game, rng = Table(VARIANTS[GAME], 1, settings_record()).games, np.random.default_rng(1)
    search = Search(game, np.array([9, 3, 5, 8]), 48, rng)
    worth = {9: 0.0, 3: 1.0, 5: 2.0, 8: 0.5}
    counts = []
    while not search.is_over:
        moves, guesses = search.trials()
        counts.append(len(set(moves.tolist())))
        each = guesses.reshape(counts[-1], -1)
        assert (each == each[0]).all()
        search.learn(np.array([worth[move] for move in moves.tolist()]))
    assert counts == [4, 3, 2]
    assert search.choice(1.0) == 5
    doubtful = Search(game, np.array([9, 3]), 16, rng)
    doubtful.trials()
    doubtful.learn(np.array([0, 0, 0, 0, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, 0.0]))
    assert doubtful.choice(1.0) == 9


def test_below_the_fewest_playouts_the_network_chooses(checkpoint: Path) -> None:
    """One playout compares nothing: the network alone plays the same games."""
    played = [
        evaluate(player, GAME, range(3), max_episode_steps=30)
        for player in (
            make(GAME, playouts=1, checkpoint=checkpoint),
            make_alone(GAME, checkpoint=checkpoint, temperature=0),
        )
    ]
    np.testing.assert_array_equal(played[0].foundation_cards, played[1].foundation_cards)
    np.testing.assert_array_equal(played[0].score, played[1].score)


def test_rules_finish_what_the_network_would_try(checkpoint: Path) -> None:
    """With finish="greedy" and no horizon moves are the network's, playouts the rules'."""
    network, about = load_network(checkpoint, GAME)
    alone = NetworkInside(GAME, network, about["config"], 4)
    finished = FinishedInside(GAME, network, about["config"], 0)
    env: Any = gym.make(env_id(VARIANTS[GAME])).unwrapped
    observation, info = env.reset(options={"deal": 1700})
    seen, masks = observation[None], info["action_mask"][None].astype(np.bool_)
    np.testing.assert_array_equal(finished.rank(seen, masks), alone.rank(seen, masks))
    rules = GreedyInside(GAME, load_weights(GAME))
    worth = [finished_worth(inside)[0] for inside in (finished, rules)]
    np.testing.assert_array_equal(*worth)


def test_rules_finish_what_the_network_began(checkpoint: Path) -> None:
    """The network's moves first, then the rule-based player's, none twice in a position."""
    horizon = 3
    network, about = load_network(checkpoint, GAME)
    inside = FinishedInside(GAME, network, about["config"], horizon)
    worth, starts = finished_worth(inside)
    for told, (state, first) in zip(worth, starts, strict=True):
        env: Any = gym.make(env_id(VARIANTS[GAME]), no_progress_limit=200).unwrapped
        env.reset(options={"deal": 0})
        env.restore_state(state)
        rules, memory, row = load_agent("greedy", GAME), LoopMemory(layout_of(env)), np.arange(1)
        rules.reset(row, np.zeros(1, np.uint64))
        memory.reset(row)
        action, over, moves = first, False, 0
        while not over:
            observation, _, terminated, truncated, info = env.step(action)
            over, moves = terminated or truncated, moves + 1
            if over:
                break
            legal = info["action_mask"][None].astype(np.bool_)
            untried = memory.untried(observation[None], legal, row)
            if moves <= horizon:
                with th.no_grad():
                    logits = network(th.from_numpy(observation[None]))[0].numpy()
                action = int(np.where(untried, logits, -np.inf).argmax())
            else:
                action = int(rules.act(observation[None], untried, row)[0])
            memory.note(observation[None], np.array([action]), row)
        assert told == info["foundation_cards"] / 104 + (info.get("outcome") == "won")


def finished_worth(inside: Any) -> tuple[np.ndarray, list[tuple[bytes, int]]]:
    """Play three games to their ends; give their worth, and how they began."""
    table = Table(VARIANTS[GAME], 3, settings_record(no_progress_limit=200))
    table.seed(np.arange(3), range(3))
    table.deal(np.arange(3), np.arange(1600, 1603))
    firsts = table.legal(np.arange(3)).argmax(axis=1)
    states = [table.games[row : row + 1].tobytes() for row in range(3)]
    tried = np.zeros((1, TRIED_SLOTS), np.uint64)
    worth = inside.play_out(table, firsts, tried, np.zeros(3, np.int64))
    assert (table.games.outcome != 0).all()
    return worth, list(zip(states, firsts.tolist(), strict=True))


def test_bad_finishes(checkpoint: Path) -> None:
    """Are refused by name."""
    with pytest.raises(ValueError, match="finish is 'chance', accepted"):
        make(GAME, finish="chance", checkpoint=checkpoint)
    with pytest.raises(ValueError, match="horizon is -1, accepted"):
        make(GAME, finish="greedy", horizon=-1, checkpoint=checkpoint)
    make(GAME, finish="greedy", horizon=0, checkpoint=checkpoint)


@pytest.mark.parametrize("option", [{"playouts": 0}, {"width": 1}, {"playouts": 2.5}])
def test_bad_budgets(option: dict[str, Any], checkpoint: Path) -> None:
    """A choice needs two moves."""
    ((name, value),) = option.items()
    with pytest.raises(ValueError, match=f"{name} is {value!r}, accepted"):
        make(GAME, **option, checkpoint=checkpoint)


@pytest.mark.parametrize("value", [0, -3, 2.5, "far"])
def test_bad_horizons(value: Any, checkpoint: Path) -> None:
    """Are refused by name."""
    with pytest.raises(ValueError, match=f"horizon is {value!r}, accepted"):
        make(GAME, horizon=value, checkpoint=checkpoint)
