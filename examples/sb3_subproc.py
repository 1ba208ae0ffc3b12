"""Stable-Baselines3: sb3-contrib's MaskablePPO on single environments, each in a process.

Run it with `python -m examples.sb3_subproc`. The same model takes the native batch, which is many
times faster: `solitaire_env.interop.sb3.make_vec_env("san-juan-hill", num_envs=128)`.
"""

import argparse

import gymnasium as gym
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import SubprocVecEnv

from solitaire_env.comparison import beside_random, comparison_text
from solitaire_env.policies import ScoredPolicy

VARIANT = "san-juan-hill"
ENV_ID = "solitaire_env:solitaire_env/SanJuanHill-v0"
"""With the package's name before it, so that each new process registers the ids."""


def make_game() -> gym.Env:
    """Make a game; MaskablePPO finds its `action_masks`, as Gymnasium's wrappers pass them on."""
    return Monitor(gym.make(ENV_ID, illegal="raise"))


def train(steps: int, seed: int, num_envs: int = 2) -> MaskablePPO:
    """Train in as many processes as games."""
    envs = SubprocVecEnv([make_game] * num_envs, start_method="spawn")
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        n_steps=min(1024, max(2, steps // num_envs)),
        batch_size=256,
        n_epochs=4,
        learning_rate=lambda left: 1e-3 * left,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [256, 256]},
        seed=seed,
        device="cpu",
        verbose=1,
    )
    model.learn(steps)
    envs.close()
    return model


def main() -> None:
    """Train, then play the held-out deals beside random legal play."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=30_000, help="moves of training")
    parser.add_argument("--deals", type=int, default=1000, help="held-out deals, 0 and up")
    parser.add_argument("--seed", type=int, default=1, help="of deals, weights and chance")
    given = parser.parse_args()
    torch.set_num_threads(1)
    policy = train(given.steps, given.seed).policy

    @torch.no_grad()
    def score(observations: np.ndarray) -> np.ndarray:
        return policy.get_distribution(torch.as_tensor(observations)).distribution.logits.numpy()

    deals = range(given.deals)
    print(comparison_text(*beside_random(ScoredPolicy(score), VARIANT, deals, name="sb3")))


if __name__ == "__main__":
    main()
