"""Gymnasium's SyncVectorEnv of this package's single environment. Argument: a variant's name.

Random legal actions are chosen from the masks with NumPy, for all games at once.
"""

import sys

import gymnasium as gym
import numpy as np
from runner import serve

from solitaire_env.bench import bytes_a_game, sheet_of
from solitaire_env.envs.registration import env_id

GAMES = 64
variant = sys.argv[1]
envs = gym.make_vec(env_id(sheet_of(variant)), GAMES, vectorization_mode="sync")
rng = np.random.default_rng(0)
masks = envs.reset(seed=0)[1]["action_mask"]


def play() -> int:
    """Step all games once."""
    global masks
    actions = (rng.random(masks.shape) * masks).argmax(axis=1)
    masks = envs.step(actions)[4]["action_mask"]
    return GAMES


serve(play, bytes_a_step=bytes_a_game(variant).step, version=gym.__version__, games=GAMES)
