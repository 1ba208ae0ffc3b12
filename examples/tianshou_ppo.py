"""Tianshou 2: masked PPO and a collector on the native batch.

Run it with `python -m examples.tianshou_ppo`.
"""

import argparse
from typing import Any

import numpy as np
import torch
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import ProbabilisticActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.trainer import OnPolicyTrainerParams
from tianshou.utils.net.common import AbstractDiscreteActor
from torch import nn
from torch.distributions import Categorical

from solitaire_env.comparison import beside_random, comparison_text
from solitaire_env.interop.tianshou import SolitaireTianshouEnv
from solitaire_env.policies import ScoredPolicy

VARIANT = "san-juan-hill"
NUM_ENVS = 128
FRAMES = 32 * NUM_ENVS


def network(observations: int, outputs: int) -> nn.Sequential:
    """Make a small network."""
    hidden = [nn.Linear(observations, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU()]
    return nn.Sequential(*hidden, nn.Linear(256, outputs))


def scaled(observations: np.ndarray) -> torch.Tensor:
    """Turn bytes into numbers: cards are 0 to 53."""
    return torch.as_tensor(observations).float() / 53


class MaskedActor(AbstractDiscreteActor):
    """Logits of the legal actions; those of the others are so low that none is ever drawn."""

    def __init__(self, observations: int, actions: int) -> None:
        super().__init__(actions)
        self.net = network(observations, actions)

    def get_preprocess_net(self) -> nn.Module:
        """Give what a critic might share: nothing."""
        return nn.Identity()

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """Turn `{"obs", "mask"}` into logits (B, A)."""
        illegal = ~torch.as_tensor(obs.mask)
        return self.net(scaled(obs.obs)).masked_fill(illegal, -1e9), state


class Critic(nn.Module):
    """The value of a position."""

    def __init__(self, observations: int) -> None:
        super().__init__()
        self.net = network(observations, 1)

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> torch.Tensor:
        """Turn `{"obs", "mask"}` into values (B, 1)."""
        return self.net(scaled(obs.obs))


def train(steps: int, seed: int) -> nn.Module:
    """Train; return the network that gives the logits."""
    torch.manual_seed(seed)
    envs = SolitaireTianshouEnv(VARIANT, NUM_ENVS, seed=seed, illegal="raise")
    size, actions = envs.observation_space[0]["obs"].shape[0], int(envs.action_space[0].n)
    actor = MaskedActor(size, actions)
    policy = ProbabilisticActorPolicy(
        actor=actor,
        dist_fn=lambda logits: Categorical(logits=logits, validate_args=False),
        action_space=envs.action_space[0],
        action_scaling=False,
    )
    algorithm = PPO(
        policy=policy,
        critic=Critic(size),
        optim=AdamOptimizerFactory(lr=1e-3),
        max_grad_norm=0.5,
        max_batchsize=FRAMES,
    )
    collector = Collector(
        policy, envs, VectorReplayBuffer(FRAMES, NUM_ENVS), raise_on_nan_in_buffer=False
    )
    algorithm.run_training(
        OnPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=steps,
            collection_step_num_env_steps=min(FRAMES, steps),
            batch_size=512,
            update_step_num_repetitions=2,
        )
    )
    envs.close()
    return actor.net


def main() -> None:
    """Train, then play the held-out deals beside random legal play."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200_000, help="moves of training")
    parser.add_argument("--deals", type=int, default=1000, help="held-out deals, 0 and up")
    parser.add_argument("--seed", type=int, default=1, help="of deals, weights and chance")
    given = parser.parse_args()
    torch.set_num_threads(1)
    net = train(given.steps, given.seed)

    @torch.no_grad()
    def score(observations: np.ndarray) -> np.ndarray:
        return net(scaled(observations)).numpy()

    deals = range(given.deals)
    print(comparison_text(*beside_random(ScoredPolicy(score), VARIANT, deals, name="tianshou")))


if __name__ == "__main__":
    main()
