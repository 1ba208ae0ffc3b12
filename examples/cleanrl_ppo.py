"""PPO with action masks in one file, in the manner of CleanRL, on the native batch.

Run it with `python -m examples.cleanrl_ppo`; `--help` lists the arguments.
"""

import time
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import torch
import tyro
from torch import nn
from torch.distributions import Categorical

import solitaire_env
from solitaire_env.comparison import beside_random, comparison_text
from solitaire_env.policies import ScoredPolicy


@dataclass
class Args:
    """What can be set from the command line."""

    variant: str = "san-juan-hill"
    """a rule sheet's name"""
    steps: int = 300_000
    """moves of training, all games together"""
    deals: int = 1000
    """held-out deals that are played in the end: 0 and up"""
    seed: int = 1
    """of deals, weights and chance"""
    num_envs: int = 128
    """games side by side"""
    num_steps: int = 32
    """moves in each game between two updates"""
    epochs: int = 2
    """times that a move is learnt from"""
    minibatch: int = 512
    """moves in a gradient step"""
    learning_rate: float = 1e-3
    """of Adam at the start; it falls to zero in a straight line"""
    gamma: float = 0.99
    """what a reward is worth one move later"""
    gae_lambda: float = 0.95
    """between one step (0) and whole games (1) in estimating advantages"""
    clip: float = 0.2
    """how far an update may change an action's probability, relatively"""
    entropy: float = 0.01
    """weight of the entropy"""
    value: float = 0.5
    """weight of the value's error"""
    max_grad_norm: float = 0.5
    """longest gradient"""


class Agent(nn.Module):
    """Logits of the actions and the value of the position, from the bytes of an observation."""

    def __init__(self, observations: int, actions: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(observations, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU()
        )
        self.actor = nn.Linear(256, actions)
        self.critic = nn.Linear(256, 1)

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Turn (B, n) uint8 into logits (B, A) and values (B,)."""
        hidden = self.body(observations.float() / 53)  # cards are 0 to 53
        return self.actor(hidden), self.critic(hidden).squeeze(-1)


def masked(logits: torch.Tensor, masks: torch.Tensor) -> Categorical:
    """Give the distribution over legal actions alone."""
    return Categorical(logits=logits.masked_fill(~masks, -1e9), validate_args=False)


def main(args: Args) -> None:
    """Train, then play the held-out deals beside random legal play."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    env_id = solitaire_env.env_id(solitaire_env.VARIANTS[args.variant])
    envs = gym.make_vec(env_id, args.num_envs, autoreset_mode="SameStep", illegal="raise")
    agent = Agent(envs.single_observation_space.shape[0], int(envs.single_action_space.n))
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)

    shape = (args.num_steps, args.num_envs)
    observations = torch.zeros(*shape, *envs.single_observation_space.shape, dtype=torch.uint8)
    masks = torch.zeros(*shape, int(envs.single_action_space.n), dtype=torch.bool)
    actions = torch.zeros(shape, dtype=torch.int64)
    log_probs, values, rewards, ends = (torch.zeros(shape) for _ in range(4))

    seen, info = envs.reset(seed=args.seed)
    began, moves, cards = time.perf_counter(), 0, []
    updates = max(1, args.steps // (args.num_steps * args.num_envs))
    for update in range(updates):
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - update / updates)

        # Play.
        for step in range(args.num_steps):
            observations[step] = torch.as_tensor(seen)
            masks[step] = torch.as_tensor(info["action_mask"]).bool()
            with torch.no_grad():
                logits, values[step] = agent(observations[step])
                choice = masked(logits, masks[step])
                actions[step] = choice.sample()
                log_probs[step] = choice.log_prob(actions[step])
            seen, reward, terminated, truncated, info = envs.step(actions[step].numpy())
            rewards[step] = torch.as_tensor(reward)
            ends[step] = torch.as_tensor(terminated | truncated)
            if truncated.any():  # the game would have gone on: its last position counts
                cut = truncated & ~terminated
                last = torch.as_tensor(np.stack(info["final_obs"][cut]))
                with torch.no_grad():
                    rewards[step][torch.as_tensor(cut)] += args.gamma * agent(last)[1]
            if "final_info" in info:
                over = info["_final_info"]
                cards += info["final_info"]["foundation_cards"][over].tolist()
            moves += args.num_envs

        # Estimate advantages, from the last move back.
        advantages, advantage = torch.zeros(shape), torch.zeros(args.num_envs)
        with torch.no_grad():
            following = agent(torch.as_tensor(seen))[1]
        for step in reversed(range(args.num_steps)):
            going_on = 1 - ends[step]
            error = rewards[step] + args.gamma * following * going_on - values[step]
            advantage = error + args.gamma * args.gae_lambda * going_on * advantage
            advantages[step], following = advantage, values[step]
        returns = advantages + values

        # Learn.
        data = [observations, masks, actions, log_probs, advantages, returns]
        flat = [array.flatten(0, 1) for array in data]
        for _ in range(args.epochs):
            for rows in torch.randperm(len(flat[0])).split(args.minibatch):
                seen_rows, masks_rows, chosen, old, gain, target = (each[rows] for each in flat)
                logits, estimate = agent(seen_rows)
                choice = masked(logits, masks_rows)
                ratio = (choice.log_prob(chosen) - old).exp()
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
                policy_loss = -torch.min(gain * ratio, gain * clipped).mean()
                value_loss = 0.5 * (estimate - target).square().mean()
                loss = policy_loss + args.value * value_loss - args.entropy * entropy_of(choice)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()

        if cards and (update % 20 == 0 or update == updates - 1):
            speed = moves / (time.perf_counter() - began)
            print(f"{moves:,} moves, {speed:,.0f} a second: {np.mean(cards):.1f} cards a game")
            cards = []
    envs.close()

    @torch.no_grad()
    def score(played: np.ndarray) -> np.ndarray:
        return agent(torch.as_tensor(played))[0].numpy()

    deals = range(args.deals)
    print(comparison_text(*beside_random(ScoredPolicy(score), args.variant, deals, name="cleanrl")))


def entropy_of(choice: Categorical) -> torch.Tensor:
    """Give the mean entropy of choices; illegal actions, which have no chance, add nothing."""
    return -(choice.probs * choice.logits).sum(-1).mean()


if __name__ == "__main__":
    main(tyro.cli(Args))
