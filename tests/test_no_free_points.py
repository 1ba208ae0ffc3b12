"""No loop of moves gains points: whatever returns to the same cards has earned nothing."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from solitaire_env import VARIANTS
from tests.helpers import bare, ending, every_variant, random_legal

PANTAGRUEL = [name for name in VARIANTS if any(VARIANTS[name].tableau.hidden())]
Edges = list[tuple[int, int, int]]
"""Moves between numbered boards: from, to, points."""


def explore(env: Any, boards: int, *, streaks: bool = False) -> Edges:
    """Follow every move from the board in play, and on from there, until so many are known.

    Args:
        env: shows everything, so that an observation without its counters names the board. The
            pass is a counter: one more is no other board, or no redeal could close a loop.
        boards: how many to find.
        streaks: tell boards of another streak, or another maximum of foundation cards, apart.
    """
    cards = slice(0, env.fields["counters"].slice.start)
    known: dict[tuple[bytes, int, int], int] = {}
    edges: Edges = []
    waiting = [(0, env.clone_state(), 0)]
    for number, state, most in waiting:
        env.restore_state(state)
        for action in np.flatnonzero(env.action_masks()).tolist():
            env.restore_state(state)
            observation, points, terminated, truncated, info = env.step(action)
            up = max(most, info["foundation_cards"]) if streaks else 0
            name = observation[cards].tobytes(), up, info["streak"] if streaks else 0
            if not (terminated or truncated) and name not in known and len(known) < boards:
                known[name] = len(known) + 1
                waiting.append((known[name], env.clone_state(), up))
            if not (terminated or truncated) and name in known:
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


def start(name: str, **kwargs: Any) -> Any:
    """Make an environment to explore."""
    endless = {"reward": "ledger", "observability": "full", "no_progress_limit": 10**6}
    return bare(name, **endless, **kwargs)


def midgames(name: str, count: int) -> Iterator[Any]:
    """Give an environment in the middle of as many random games."""
    env = start(name)
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


@pytest.mark.parametrize("name", PANTAGRUEL)
def test_no_loop_gains_with_redeals_and_take_backs(name: str) -> None:
    """From small boards, over draws, redeals and take-backs until they come round."""
    env = start(name)
    for position in endings(name):
        env.reset(options={"position": position})
        edges = explore(env, 400)
        assert loops(edges)
        assert not gains(edges)


@pytest.mark.parametrize("name", PANTAGRUEL)
def test_no_loop_gains_again_and_again_with_streaks(name: str) -> None:
    """With streaks a card may pay for its new maximum, once; no loop pays every time round."""
    env = start(name, streaks=True)
    for position in endings(name):
        env.reset(options={"position": position})
        edges = explore(env, 400, streaks=True)
        assert loops(edges)
        assert not gains(edges)
