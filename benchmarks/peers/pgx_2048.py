"""Pgx's 2048, compiled for the processor: random legal play of all games in one loop."""

from importlib.metadata import version

import jax
import pgx
from jax import numpy as jnp
from pgx.experimental import auto_reset
from runner import GAMES, serve

STEPS = 20
env = pgx.make("2048")
step = auto_reset(env.step, env.init)


def one_step(_: int, carry: tuple) -> tuple:
    """Play a random legal action in every game."""
    state, key = carry
    key, choose, turn = jax.random.split(key, 3)
    actions = jax.random.categorical(choose, jnp.log(state.legal_action_mask), axis=-1)
    return jax.vmap(step)(state, actions, jax.random.split(turn, GAMES)), key


@jax.jit
def some_steps(state: pgx.State, key: jax.Array) -> tuple:
    """Play `STEPS` steps of all games."""
    return jax.lax.fori_loop(0, STEPS, one_step, (state, key))


key = jax.random.PRNGKey(0)
carry = jax.jit(jax.vmap(env.init))(jax.random.split(key, GAMES)), key


def play() -> int:
    """Play `STEPS` steps of all games, and wait for them."""
    global carry
    carry = jax.block_until_ready(some_steps(*carry))
    return STEPS * GAMES


state = carry[0]
written = (state.observation, state.legal_action_mask, state.rewards, state.terminated)
serve(
    play,
    bytes_a_step=sum(array.nbytes for array in written) // GAMES,
    version=version("pgx"),
)
