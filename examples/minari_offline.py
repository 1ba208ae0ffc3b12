"""Minari: write games as a dataset, read it back, and learn to play as they were played.

Run it with `python -m examples.minari_offline`. The dataset goes where Minari keeps its own:
`MINARI_DATASETS_PATH` names another place.
"""

import argparse

import minari
import numpy as np
import torch
from torch import nn

from agents.registry import load_agent
from solitaire_env.comparison import beside_random, comparison_text
from solitaire_env.engine.generator import FIRST_TRAINING_DEAL
from solitaire_env.interop.minari import policy_games, solver_games, write_dataset
from solitaire_env.policies import ScoredPolicy

VARIANT = "san-juan-hill"


def dataset_of(player: str, games: int) -> minari.MinariDataset:
    """Find the dataset of a player's games, or write it."""
    dataset_id = f"solitaire/{VARIANT}/{player}-{games}-games-v0"
    if dataset_id in minari.list_local_datasets():
        return minari.load_dataset(dataset_id)
    deals = range(FIRST_TRAINING_DEAL, FIRST_TRAINING_DEAL + games)
    if player == "solver":
        played = solver_games(VARIANT, deals)
    else:
        played = policy_games(load_agent(player, VARIANT), VARIANT, deals)
    write_dataset(dataset_id, played, algorithm_name=player, description=f"{VARIANT} by {player}")
    return minari.load_dataset(dataset_id)


class Net(nn.Module):
    """Logits of the actions, from the bytes of an observation."""

    def __init__(self, observations: int, actions: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(observations, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU()
        )
        self.actor = nn.Linear(256, actions)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Turn (B, n) uint8 into (B, A)."""
        return self.actor(self.layers(observations.float() / 53))  # cards are 0 to 53


def clone(dataset: minari.MinariDataset, steps: int, seed: int) -> Net:
    """Learn to choose what was chosen, among what was legal: so many moves, in batches of 256."""
    torch.manual_seed(seed)
    episodes = list(dataset.iterate_episodes())
    observations = torch.as_tensor(np.concatenate([each.observations[:-1] for each in episodes]))
    masks = torch.as_tensor(np.concatenate([each.infos["action_mask"][:-1] for each in episodes]))
    actions = torch.as_tensor(np.concatenate([each.actions for each in episodes]))
    net = Net(observations.shape[1], masks.shape[1])
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for done in range(0, steps, 256):
        rows = torch.randint(len(actions), (256,))
        logits = net(observations[rows]).masked_fill(masks[rows] == 0, -1e9)
        loss = nn.functional.cross_entropy(logits, actions[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if done % (400 * 256) == 0:
            agreed = (logits.argmax(1) == actions[rows]).float().mean()
            print(f"{done:,} moves: {agreed:.0%} chosen alike")
    return net


def main() -> None:
    """Write and learn, then play the held-out deals beside random legal play."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1_000_000, help="moves to learn from, in all")
    parser.add_argument("--games", type=int, default=1000, help="games in the dataset")
    parser.add_argument("--player", default="greedy", help="greedy, search or solver")
    parser.add_argument("--deals", type=int, default=1000, help="held-out deals, 0 and up")
    parser.add_argument("--seed", type=int, default=1, help="of weights and chance")
    given = parser.parse_args()
    torch.set_num_threads(1)
    dataset = dataset_of(given.player, given.games)
    print(f"{dataset.total_episodes} games, {dataset.total_steps:,} moves")
    net = clone(dataset, given.steps, given.seed)

    @torch.no_grad()
    def score(observations: np.ndarray) -> np.ndarray:
        return net(torch.as_tensor(observations)).numpy()

    deals = range(given.deals)
    print(comparison_text(*beside_random(ScoredPolicy(score), VARIANT, deals, name="cloned")))


if __name__ == "__main__":
    main()
