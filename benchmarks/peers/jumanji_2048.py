"""Jumanji's Game2048, compiled for the processor: random legal play of all games in one loop."""

from importlib.metadata import version

import jax
import jumanji
from jax import numpy as jnp
from jumanji.wrappers import AutoResetWrapper, VmapWrapper
from runner import GAMES, serve

STEPS = 20
env = VmapWrapper(AutoResetWrapper(jumanji.make("Game2048-v1")))


def one_step(_: int, carry: tuple) -> tuple:
    """Play a random legal action in every game."""
    state, timestep, key = carry
    key, choose = jax.random.split(key)
    logits = jnp.log(timestep.observation.action_mask)
    return *env.step(state, jax.random.categorical(choose, logits, axis=-1)), key


@jax.jit
def some_steps(*carry: object) -> tuple:
    """Play `STEPS` steps of all games."""
    return jax.lax.fori_loop(0, STEPS, one_step, carry)


def first_step(key: jax.Array) -> tuple:
    """Deal all games and play one step, so that the loop's types are those of a step."""
    state, timestep = env.reset(jax.random.split(key, GAMES))
    return one_step(0, (state, timestep, key))


carry = jax.jit(first_step)(jax.random.PRNGKey(0))


def play() -> int:
    """Play `STEPS` steps of all games, and wait for them."""
    global carry
    carry = jax.block_until_ready(some_steps(*carry))
    return STEPS * GAMES


timestep = carry[1]
written = (*timestep.observation, timestep.reward, timestep.step_type, timestep.discount)
serve(
    play,
    bytes_a_step=sum(array.nbytes for array in written) // GAMES,
    version=version("jumanji"),
)
