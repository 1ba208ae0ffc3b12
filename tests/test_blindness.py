"""No player of the package chooses by what it can't see: neither hidden cards nor their order."""

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
    "search": {"playouts": 8, "width": 3},
    "hindsight": {"playouts": 8, "nodes": 40},
    "ppo-search": {"playouts": 16, "width": 3, "horizon": 4},
}
"""Budgets that are spent in little time."""

SHUFFLES = 3


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("name", HIDING)
def test_hidden_cards_change_no_choice(name: str, agent: str) -> None:
    """The same seed chooses the same where the unseen cards lie otherwise, early and late."""
    if agent.startswith("ppo"):
        for module in ("torch", "sb3_contrib", "safetensors"):
            needs_module(module)
    player = load_agent(agent, name, **SMALL.get(agent, {}))
    env, rng = make(name).unwrapped, np.random.default_rng(4)
    _, info = env.reset(options={"deal": 1500})
    for moves in (3, 20):
        for _ in range(moves):
            _, _, _, _, info = env.step(random_legal(info["action_mask"], rng))
        here = env.clone_state()
        hidden = [env.position(), *(env.determinize(rng) for _ in range(SHUFFLES))]
        assert len({str(position) for position in hidden}) == len(hidden)
        assert len({choice(player, env, position) for position in hidden}) == 1
        env.restore_state(here)


def choice(player: Any, env: Any, position: dict[str, Any]) -> int:
    """Ask a player, seeded afresh, for its move in a position."""
    observation, info = env.reset(options={"position": position})
    player.reset(np.arange(1), np.array([7], np.uint64))
    mask = info["action_mask"].astype(np.bool_)
    return int(player.act(observation[None], mask[None], np.arange(1))[0])
