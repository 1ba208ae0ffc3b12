"""No loop of moves gains points: whatever returns to the same cards has earned nothing."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from solitaire_env import VARIANTS
from tests.helpers import bare, ending, every_variant, random_legal

TAKE_BACK = [name for name in VARIANTS if VARIANTS[name].foundations.take_back]
Edges = list[tuple[int, int, int]]
"""Moves between numbered boards: from, to, points."""


def board(env: Any) -> str:
    """Name what lies where; a pass more is no other board, or no redeal could close a loop."""
    return json.dumps({**env.position(), "passes": 0})


def explore(env: Any, boards: int) -> Edges:
    """Follow every move from the board in play, and on from there, until so many are known."""
    known, edges = {board(env): 0}, []
    waiting = [(0, env.clone_state())]
    for number, state in waiting:
        env.restore_state(state)
        for action in np.flatnonzero(env.action_masks()):
            env.restore_state(state)
            _, points, terminated, truncated, _ = env.step(int(action))
            if terminated or truncated:
                continue
            name = board(env)
            if name not in known and len(known) < boards:
                known[name] = len(known)
                waiting.append((known[name], env.clone_state()))
            if name in known:
                edges.append((number, known[name], int(points)))
    return edges


def gains(edges: Edges) -> bool:
    """Tell whether some loop of moves earns points (Bellman and Ford's search, for a best path)."""
    source, target, points = np.array(edges or [(0, 0, 0)]).T
    best = np.zeros(max(source.max(), target.max()) + 1)
    for _ in range(len(best) + 1):
        before = best.copy()
        np.maximum.at(best, target, best[source] + points)
        if np.array_equal(best, before):
            return False
    return True


def loops(edges: Edges) -> bool:
    """Tell whether any move leads back to a board found before."""
    return any(target <= source for source, target, _ in edges)


def test_the_search_finds_a_loop_that_gains() -> None:
    """The search itself works: a loop of +10 and -9 gains, one of +10 and -10 does not."""
    assert gains([(0, 1, 5), (1, 2, 10), (2, 1, -9)])
    assert not gains([(0, 1, 5), (1, 2, 10), (2, 1, -10)])
    assert not gains([(0, 1, 1000), (1, 2, 1000)])


def midgames(name: str, count: int, **kwargs: Any) -> Iterator[Any]:
    """Give an environment in the middle of as many random games."""
    env, rng = bare(name, reward="ledger", no_progress_limit=10**6, **kwargs), None
    for seed in range(count):
        rng = np.random.default_rng(seed)
        env.reset(seed=seed)
        for _ in range(int(rng.integers(5, 90))):
            state = env.clone_state()
            if any(env.step(random_legal(env.action_masks(), rng))[2:4]):
                env.restore_state(state)
                break
        yield env


@every_variant
def test_no_loop_gains_in_the_middle_of_games(name: str) -> None:
    """From boards of random games, over all moves nearby."""
    found = 0
    for env in midgames(name, 6):
        edges = explore(env, 120)
        found += loops(edges)
        assert not gains(edges)
    assert found


def endings(name: str) -> list[dict[str, Any]]:
    """Give boards with few cards, where redeals and take-backs come round soon."""
    sheet = VARIANTS[name]
    return [
        ending(sheet, [["KS", "QH"], ["KH"]], stock=["QS", "KD"], waste=["QD"]),
        ending(sheet, [["KH"], ["KD", "QC"]], stock=["QH", "JH", "KC"]),
        ending(sheet, [["KH"], ["<QH>", "KD"], ["<KC>", "<QC>", "QS"]], waste=["KS"]),
        ending(sheet, [["KS"], ["KC"], ["<KH>", "QD"], ["KD"]], stock=["QC"], waste=["QS", "JD"]),
    ]


def with_stock(name: str) -> bool:
    """Tell whether a game can be laid out as `endings` are."""
    return any(VARIANTS[name].tableau.hidden())


@pytest.mark.parametrize("name", [name for name in VARIANTS if with_stock(name)])
def test_no_loop_gains_with_redeals_and_take_backs(name: str) -> None:
    """From small boards, over draws, redeals and take-backs until they come round."""
    env = bare(name, reward="ledger", no_progress_limit=10**6)
    for position in endings(name):
        env.reset(options={"position": position})
        edges = explore(env, 500)
        assert loops(edges)
        assert not gains(edges)


@pytest.mark.parametrize("name", TAKE_BACK)
def test_no_loop_gains_again_and_again_with_streaks(name: str) -> None:
    """With streaks a loop may pay for its new maximum of cards, once; never twice."""
    env = bare(name, reward="ledger", streaks=True, no_progress_limit=10**6)
    env.reset(options={"position": endings(name)[0]})
    rng = np.random.default_rng(1)
    for _ in range(300):
        action = random_legal(env.action_masks(), rng)
        state = env.clone_state()
        if any(env.step(action)[2:4]):
            env.restore_state(state)
    edges = explore_with_streaks(env, 300)
    assert loops(edges)
    assert not gains(edges)


def explore_with_streaks(env: Any, boards: int) -> Edges:
    """Explore after every card has been up once, so that no move makes a new maximum."""
    return explore(env, boards)
