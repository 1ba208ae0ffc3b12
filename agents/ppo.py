"""MaskablePPO: the model that training begins with, and trained networks as players."""

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import torch as th
from sb3_contrib import MaskablePPO
from stable_baselines3.common.utils import LinearSchedule

from agents import network_path
from agents.chunks import Asked, in_chunks
from agents.config import Config
from agents.layout import layout_of
from agents.memory import LoopMemory
from agents.network import TablePolicy
from agents.runs import best_network, temperature_of
from agents.weights import load_network
from solitaire_env.envs.registration import env_id, find_sheet
from solitaire_env.policies import (
    BoolArray,
    ByteArray,
    FloatArray,
    GameStreams,
    IntArray,
    SeedArray,
    draw_actions,
    weighed,
)
from solitaire_env.records import Thought

CHUNK = 64
"""Games that go through the network at once."""


class NetworkPolicy:
    """Plays what a network prefers, but never the same action twice in the same position.

    Args:
        network: observations (B, n) uint8 to logits (B, A).
        memory: of the game's positions.
        temperature: 0 plays the most probable action; 1 draws by the network's probabilities;
            in between, the probable ones become more so.
        value: observations (B, n) to values (B,), for `think`; None: it tells none.
    """

    def __init__(
        self,
        network: Asked,
        memory: LoopMemory,
        temperature: float,
        value: Asked | None = None,
    ) -> None:
        self._network = network
        self._value = value
        self._memory = memory
        self._temperature = temperature
        self._streams = GameStreams()

    def reset(self, rows: IntArray, seeds: SeedArray) -> None:
        """Begin games: see `Policy`."""
        self._memory.reset(rows)
        self._streams.reset(rows, seeds)

    def act(self, observations: ByteArray, masks: BoolArray, rows: IntArray) -> IntArray:
        """Choose actions: see `Policy`."""
        logits = self._logits(observations, masks, rows)
        actions = draw_actions(logits, self._streams.draw(rows), self._temperature)
        self._memory.note(observations, actions, rows)
        return actions

    def think(self, observations: ByteArray, masks: BoolArray, rows: IntArray) -> list[Thought]:
        """Tell the network's own probabilities of what it did not try here: see `Thinker`."""
        values = None if self._value is None else in_chunks(self._value, observations, CHUNK)
        return weighed(self._logits(observations, masks, rows), values)

    def _logits(self, observations: ByteArray, masks: BoolArray, rows: IntArray) -> FloatArray:
        """Ask the network: (k, A), -inf for what is illegal or was tried in the same position."""
        untried = self._memory.untried(observations, masks, rows)
        return np.where(untried, in_chunks(self._network, observations, CHUNK), -np.inf)


def make(
    variant: str,
    checkpoint: str | Path | None = None,
    temperature: float | None = None,
    folder: str | Path | None = None,
) -> NetworkPolicy:
    """Make a player of a saved network.

    Args:
        variant: a rule sheet's name.
        checkpoint: a .safetensors file, or a .zip that MaskablePPO saved; None: see `folder`.
        temperature: see `NetworkPolicy`; None: as the run's configuration says, else 1.
        folder: of runs, the best of which plays; None: the network that comes with the agents.

    Raises:
        ValueError: if there is no such network, it is of another game, or the temperature is
            below 0.
    """
    if temperature is not None and not temperature >= 0:
        raise ValueError(f"temperature is {temperature}, accepted are numbers from 0")
    path = _find(variant, checkpoint, folder)
    # As with the chunks: sums on more threads are other sums.
    th.set_num_threads(1)
    env = gym.make(env_id(find_sheet(variant)))
    if path.suffix == ".zip":
        policy, told = _load_zip(path, env, variant), temperature_of(path)
        logits, value = logits_of(policy), values_of(policy)
    else:
        network, about = load_network(path, variant)
        told = about.get("temperature", 1.0)
        logits, value = lambda seen: network(seen)[0], lambda seen: network(seen)[1]
    memory = LoopMemory(layout_of(env))
    return NetworkPolicy(logits, memory, told if temperature is None else temperature, value)


def _find(variant: str, checkpoint: str | Path | None, folder: str | Path | None) -> Path:
    if checkpoint is not None and folder is not None:
        raise ValueError(f"checkpoint is {checkpoint} and folder is {folder}: give one of them")
    if checkpoint is not None:
        return Path(checkpoint)
    if folder is not None:
        return best_network(Path(folder), variant)
    return network_path(variant)


def _load_zip(path: Path, env: Any, variant: str) -> Any:
    if not path.is_file():
        raise ValueError(f"there is no network at {path}")
    model = MaskablePPO.load(path, device="cpu")
    spaces = model.observation_space, model.action_space
    if spaces != (env.observation_space, env.action_space):
        raise ValueError(f"{path} plays another game: {spaces} are not the spaces of {variant}")
    return model.policy


def logits_of(policy: Any) -> Asked:
    """Make a function that gives the logits of a policy of Stable-Baselines3 or sb3-contrib."""
    policy.set_training_mode(False)

    def logits(observations: th.Tensor) -> th.Tensor:
        choice = policy.get_distribution(observations.to(policy.device))
        # A distribution of ours has logits itself; the libraries' have another inside.
        return choice.logits if hasattr(choice, "logits") else choice.distribution.logits

    return logits


def values_of(policy: Any) -> Asked:
    """Make a function that gives the values of a policy of Stable-Baselines3 or sb3-contrib."""
    policy.set_training_mode(False)
    return lambda observations: policy.predict_values(observations.to(policy.device)).squeeze(-1)


def new_model(config: Config, venv: Any) -> MaskablePPO:
    """Make the model that training begins with.

    Args:
        config: of the run.
        venv: a `SolitaireVecEnv`.
    """
    ppo = config.ppo
    return MaskablePPO(
        TablePolicy,
        venv,
        learning_rate=LinearSchedule(ppo.learning_rate, ppo.final_learning_rate, 1.0),
        n_steps=ppo.n_steps,
        batch_size=ppo.batch_size,
        n_epochs=ppo.n_epochs,
        gamma=ppo.gamma,
        gae_lambda=ppo.gae_lambda,
        clip_range=ppo.clip_range,
        ent_coef=ppo.ent_coef,
        vf_coef=ppo.vf_coef,
        max_grad_norm=ppo.max_grad_norm,
        policy_kwargs={"layout": layout_of(venv.envs), "sizes": config.network},
        seed=config.run.seed,
        device="cpu",
    )
