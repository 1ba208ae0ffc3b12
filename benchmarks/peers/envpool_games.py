"""EnvPool, one thread: CartPole-v1 or Play2048-v1, as the argument says.

Actions are random, and for 2048 legal by its mask: chosen with NumPy, for all games at once.
"""

import sys
from importlib.metadata import version

import envpool
import numpy as np
from runner import GAMES, serve

name = sys.argv[1]
envs = envpool.make_gymnasium(name, num_envs=GAMES, num_threads=1, seed=0)
rng = np.random.default_rng(0)
actions = envs.action_space.n
observations, info = envs.reset()
everything = np.ones((GAMES, actions), np.bool_)


def play() -> int:
    """Step all games once."""
    global info
    masks = info.get("legal_action_mask", everything)
    chosen = (rng.random(masks.shape, np.float32) * masks).argmax(axis=1)
    info = envs.step(chosen.astype(np.int32))[4]
    return GAMES


outputs = (*envs.step(np.zeros(GAMES, np.int32))[:4], info.get("legal_action_mask", everything[:0]))
serve(
    play,
    bytes_a_step=sum(array.nbytes for array in outputs) // GAMES,
    version=version("envpool"),
)
