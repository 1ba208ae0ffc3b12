"""TorchRL: masked PPO, a collector and the native batch as one environment of many games.

Run it with `python -m examples.torchrl_ppo`.
"""

import argparse

import numpy as np
import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import LazyTensorStorage, ReplayBuffer
from torchrl.data.replay_buffers.samplers import SamplerWithoutReplacement
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from solitaire_env.comparison import beside_random, comparison_text
from solitaire_env.interop.torchrl import SolitaireTorchRLEnv
from solitaire_env.policies import ScoredPolicy

VARIANT = "san-juan-hill"
NUM_ENVS = 128
FRAMES = 32 * NUM_ENVS
EPOCHS = 2
MINIBATCH = 512
LEARNING_RATE = 1e-3


class Scaled(nn.Module):
    """Bytes of an observation to numbers: cards are 0 to 53."""

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Turn uint8 into float32."""
        return observations.float() / 53


def network(observations: int, outputs: int) -> nn.Sequential:
    """Make a small network."""
    hidden = [nn.Linear(observations, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU()]
    return nn.Sequential(Scaled(), *hidden, nn.Linear(256, outputs))


def train(steps: int, seed: int) -> nn.Module:
    """Train; return the network that gives the logits."""
    torch.manual_seed(seed)
    env = SolitaireTorchRLEnv(VARIANT, NUM_ENVS, seed=seed, illegal="raise")
    size, actions = env.observation_spec["observation"].shape[-1], env.action_spec.n
    logits = network(size, actions)
    actor = ProbabilisticActor(
        TensorDictModule(logits, ["observation"], ["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        out_keys=["action"],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    critic = ValueOperator(network(size, 1), in_keys=["observation"])
    advantage = GAE(gamma=0.99, lmbda=0.95, value_network=critic)
    loss = ClipPPOLoss(
        actor, critic, entropy_coeff=0.01, critic_coeff=0.5, normalize_advantage=True
    )
    optimizer = torch.optim.Adam(loss.parameters(), lr=LEARNING_RATE)
    sampler = SamplerWithoutReplacement()
    buffer = ReplayBuffer(storage=LazyTensorStorage(FRAMES), sampler=sampler, batch_size=MINIBATCH)
    collector = Collector(env, actor, frames_per_batch=FRAMES, total_frames=max(steps, FRAMES))
    for done, data in enumerate(collector, 1):
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * max(0.0, 1 - done * FRAMES / steps)
        with torch.no_grad():
            advantage(data)
        buffer.extend(data.reshape(-1))
        for _ in range(EPOCHS * FRAMES // MINIBATCH):
            told = loss(buffer.sample())
            total = told["loss_objective"] + told["loss_critic"] + told["loss_entropy"]
            optimizer.zero_grad()
            total.backward()
            nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
            optimizer.step()
        if done % 10 == 0:
            ended = data["next", "done"]
            cards = data["next", "foundation_cards"][ended].float().mean()
            print(f"{done * FRAMES:,} moves: {cards:.1f} foundation cards a game")
    collector.shutdown()
    return logits


def main() -> None:
    """Train, then play the held-out deals beside random legal play."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200_000, help="moves of training")
    parser.add_argument("--deals", type=int, default=1000, help="held-out deals, 0 and up")
    parser.add_argument("--seed", type=int, default=1, help="of deals, weights and chance")
    given = parser.parse_args()
    torch.set_num_threads(1)
    logits = train(given.steps, given.seed)

    @torch.no_grad()
    def score(observations: np.ndarray) -> np.ndarray:
        return logits(torch.as_tensor(observations)).numpy()

    deals = range(given.deals)
    print(comparison_text(*beside_random(ScoredPolicy(score), VARIANT, deals, name="torchrl")))


if __name__ == "__main__":
    main()
