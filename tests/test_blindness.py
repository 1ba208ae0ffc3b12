"""No player of the package chooses by what it can't see: neither hidden cards nor their order."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from agents.registry import load_agent
from solitaire_env import VARIANTS
from solitaire_env.players import AGENTS
from tests.conftest import needs_module
from tests.helpers import make, random_legal

HIDING = [name for name, sheet in VARIANTS.items() if sheet.stock]
SMALL: dict[str, dict[str, Any]] = {
    "search": {"playouts": 24, "width": 4},
    "hindsight": {"playouts": 8, "nodes": 40},
    "ppo-search": {"playouts": 16, "width": 3, "horizon": 4},
}
"""Budgets that are spent in little time."""

SHUFFLES = 3
"""Ways to lay the unseen cards, beside the true one."""

AFTER = (3, 9, 15, 21, 27, 33)
"""Random moves after which players are asked."""


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("name", HIDING)
def test_hidden_cards_change_no_choice(name: str, agent: str) -> None:
    """The same seed chooses the same where the unseen cards lie otherwise, early and late."""
    if agent.startswith("ppo"):
        for module in ("torch", "sb3_contrib", "safetensors"):
            needs_module(module)
    player = load_agent(agent, name, **SMALL.get(agent, {}))
    env = make(name).unwrapped
    for hidden in alike(env):
        assert len({choice(player, env, position) for position in hidden}) == 1


@pytest.mark.parametrize("name", HIDING)
def test_a_player_that_peeks_is_found_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the test above is worth: a search that plays the true cards out chooses otherwise."""
    player = load_agent("search", name, **SMALL["search"])
    env = make(name).unwrapped
    truth = player._guessed

    def peek(games: Any, guesses: Any) -> Any:
        table = truth(games, guesses)
        state = np.frombuffer(env.clone_state(), np.uint8)
        table.games.view(np.ndarray).view(np.uint8).reshape(len(games), -1)[:] = state
        return table

    monkeypatch.setattr(player, "_guessed", peek)
    assert any(
        len({choice(player, env, position) for position in hidden}) > 1
        for seed in range(12)
        for hidden in alike(env, seed)
    )


def alike(env: Any, seed: int = 4) -> Iterator[list[dict[str, Any]]]:
    """Play at random; now and then give positions that look the same to a player."""
    rng = np.random.default_rng(seed)
    _, info = env.reset(options={"deal": 1500 + seed})
    for moves in range(AFTER[-1] + 1):
        if moves in AFTER:
            here = env.clone_state()
            hidden = [env.position(), *(env.determinize(rng) for _ in range(SHUFFLES))]
            assert len({str(position) for position in hidden}) == len(hidden)
            yield hidden
            env.restore_state(here)
        _, _, terminated, truncated, info = env.step(random_legal(info["action_mask"], rng))
        if terminated or truncated:
            return


def choice(player: Any, env: Any, position: dict[str, Any]) -> int:
    """Ask a player, seeded afresh, for its move in a position."""
    observation, info = env.reset(options={"position": position})
    player.reset(np.arange(1), np.array([7], np.uint64))
    mask = info["action_mask"].astype(np.bool_)
    return int(player.act(observation[None], mask[None], np.arange(1))[0])
