"""RLlib: the games under its names, PPO that only plays legal actions, its networks as players.

`register_ray()` first; then `ppo_config("san-juan-hill")` is a `PPOConfig` of the new API stack
that trains on the native batch.
"""

# Ray has no place in the environment that is type-checked: it pins another Gymnasium.
# pyright: reportMissingImports=false, reportUntypedBaseClass=false

from collections.abc import Mapping
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any, Final

import gymnasium as gym
import numpy as np

from solitaire_env.envs.env import SolitaireEnv
from solitaire_env.envs.options import one_of, real_number
from solitaire_env.envs.registration import env_id, find_sheet, register, registered_sheets
from solitaire_env.envs.wrappers import MaskInObservation
from solitaire_env.policies import (
    BoolArray,
    ByteArray,
    GameStreams,
    IntArray,
    SeedArray,
    draw_actions,
)
from solitaire_env.rulesheet import RuleSheet

try:
    import torch as th
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.algorithms.ppo.ppo_catalog import PPOCatalog
    from ray.rllib.algorithms.ppo.torch.default_ppo_torch_rl_module import DefaultPPOTorchRLModule
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.rl_module import RLModule, RLModuleSpec
    from ray.rllib.env.env_context import EnvContext
    from ray.tune.registry import register_env
except ImportError as error:
    raise ImportError(
        "solitaire_env.interop.rllib needs RLlib, in a virtual environment of its own: "
        "pip install 'solitaire-env[ray]'"
    ) from error

Tensors = dict[str, Any]

ANY_VARIANT: Final = "solitaire_env"
"""The name under which `env_config["variant"]` says which game it is."""

MODULE_FOLDER: Final = Path("learner_group", "learner", "rl_module", "default_policy")
"""Where a checkpoint of an algorithm keeps the module."""

BYTE_WIDTH: Final = 8
"""Numbers that stand for a byte of the observation."""

SAMPLE_SECONDS: Final = 600
"""How long RLlib waits for an env runner, which compiles the rules where nobody has yet."""

CHUNK: Final = 64
"""Games that go through a network at once: always as many, so that no sum depends on the others."""


# Environments


def register_ray(*sheets: RuleSheet) -> list[str]:
    """Make the games known to RLlib by their ids, and as "solitaire_env" with a `variant`.

    Args:
        *sheets: sheets of your own beside those that are registered; Ray's workers get them too.

    Returns:
        The names.

    Raises:
        RuleSheetError: if another sheet has such an id.
    """
    for sheet in sheets:
        register(sheet)
    known = registered_sheets()
    for sheet in known:
        register_env(env_id(sheet), partial(_make, (sheet,), sheet.name))
    register_env(ANY_VARIANT, partial(_make, known, None))
    return [ANY_VARIANT, *map(env_id, known)]


def make_env(config: Mapping[str, Any]) -> Any:
    """Make the environment that a plain JSON `env_config` describes, with the mask observed.

    Args:
        config: `variant` (a name or an id) and keyword arguments of the environment: reward,
            no_progress_limit, max_episode_steps, ... RLlib adds `num_envs` where it wants a batch.

    Returns:
        A single environment, or the native batch: see `MaskInObservation`.

    Raises:
        ValueError: for a key or a value that is not accepted.
    """
    given = dict(config)
    # What RLlib adds comes in a plain dictionary; what a user wrote, in its EnvContext.
    games = None if isinstance(config, EnvContext) else given.pop("num_envs", None)
    for name in given:
        one_of("a key of env_config", name, _accepted())
    variant = given.pop("variant", None)
    name = env_id(find_sheet(_sheet_name(variant)))
    if games is None:
        return MaskInObservation(gym.make(name, disable_env_checker=True, **given))
    return MaskInObservation(gym.make_vec(name, num_envs=games, **given))


def _accepted() -> list[str]:
    return [*signature(SolitaireEnv).parameters, "max_episode_steps"]


def _sheet_name(variant: object) -> object:
    """Turn an id into the name of its sheet; names stay as they are."""
    return next((sheet.name for sheet in registered_sheets() if env_id(sheet) == variant), variant)


def _make(sheets: tuple[RuleSheet, ...], variant: str | None, config: Mapping[str, Any]) -> Any:
    """Make an environment in any of Ray's processes, which may not know the sheets yet."""
    for sheet in sheets:
        register(sheet)
    if variant is not None:
        if _sheet_name(config.get("variant", variant)) != variant:
            raise ValueError(
                f"variant is {config['variant']!r}, this name accepts {variant!r} only"
            )
        config["variant"] = variant  # type: ignore[index]
    return make_env(config)


# The module


class MaskedCatalog(PPOCatalog):
    """RLlib's own encoder and heads, for the numbers that a `MaskedPPOModule` makes of bytes."""

    def __init__(
        self, observation_space: Any, action_space: gym.Space[Any], model_config_dict: Any
    ) -> None:
        size = observation_space["observations"].shape[0] * BYTE_WIDTH
        seen = gym.spaces.Box(-np.inf, np.inf, (size,), np.float32)
        super().__init__(seen, action_space, model_config_dict)


class MaskedPPOModule(DefaultPPOTorchRLModule):
    """RLlib's PPO module for `{"observations", "action_mask"}`: each byte is looked up in a table.

    What is illegal has probability 0, in play and in the loss alike.
    """

    def setup(self) -> None:
        """Make the table beside encoder and heads."""
        super().setup()
        self.bytes = th.nn.Embedding(256, BYTE_WIDTH)

    def _forward(self, batch: Tensors, **kwargs: Any) -> Tensors:
        return _masked(super()._forward(self._looked_up(batch), **kwargs), batch)

    def _forward_train(self, batch: Tensors, **kwargs: Any) -> Tensors:
        return _masked(super()._forward_train(self._looked_up(batch), **kwargs), batch)

    def compute_values(self, batch: Tensors, embeddings: Any = None) -> Any:
        """Value positions: (B,); `embeddings` are what the encoder made of them, if it did."""
        if embeddings is None:
            batch = self._looked_up(batch)
        return super().compute_values(batch, embeddings)

    def _looked_up(self, batch: Tensors) -> Tensors:
        seen = batch[Columns.OBS]["observations"].int()
        return {**batch, Columns.OBS: self.bytes(seen).flatten(start_dim=-2)}


def _masked(outputs: Tensors, batch: Tensors) -> Tensors:
    """Give illegal actions the lowest logit there is; a game that is over has no others."""
    logits = outputs[Columns.ACTION_DIST_INPUTS]
    illegal = batch[Columns.OBS]["action_mask"] == 0
    masked = logits.masked_fill(illegal, th.finfo(logits.dtype).min)
    return {**outputs, Columns.ACTION_DIST_INPUTS: masked}


def ppo_config(variant: str, model: Mapping[str, Any] | None = None, **env_config: Any) -> Any:
    """Configure PPO with masked actions on the native batch; go on with RLlib's own methods.

    Args:
        variant: a registered sheet's name.
        model: settings of RLlib's `DefaultModelConfig`, as `{"fcnet_hiddens": [256]}`.
        **env_config: see `make_env`.

    Returns:
        A `PPOConfig` of the new API stack.

    Raises:
        ValueError: for an unknown variant, and a key or value that is not accepted.
    """
    make_env({"variant": variant, **env_config}).close()
    spec = RLModuleSpec(
        module_class=MaskedPPOModule, catalog_class=MaskedCatalog, model_config=dict(model or {})
    )
    config = PPOConfig().environment(env_id(find_sheet(variant)), env_config=env_config)
    config = config.env_runners(
        gym_env_vectorize_mode=gym.VectorizeMode.VECTOR_ENTRY_POINT,
        sample_timeout_s=SAMPLE_SECONDS,
    )
    return config.rl_module(rl_module_spec=spec)


# The player


class ModulePolicy:
    """Plays what a `MaskedPPOModule` prefers: see `solitaire_env.evaluation.Policy`.

    Args:
        module: of an algorithm (`algo.get_module()`) or a checkpoint.
        temperature: 0 plays the most probable action, 1 draws as in training.

    Raises:
        ValueError: for a temperature below 0.
    """

    def __init__(self, module: Any, temperature: float = 1.0) -> None:
        self._module = module
        self._temperature = real_number("temperature", temperature)
        self._streams = GameStreams()

    def reset(self, rows: IntArray, seeds: SeedArray) -> None:
        """Begin games: see `Policy`."""
        self._streams.reset(rows, seeds)

    def act(self, observations: ByteArray, masks: BoolArray, rows: IntArray) -> IntArray:
        """Choose actions: see `Policy`."""
        logits = np.where(masks, self._logits(observations, masks), -np.inf)
        return draw_actions(logits, self._streams.draw(rows), self._temperature)

    def _logits(self, observations: ByteArray, masks: BoolArray) -> Any:
        """Ask the module of games, CHUNK at a time, the last filled up: (k, A) float64."""
        count = len(observations)
        pad = ((0, -count % CHUNK), (0, 0))
        seen, legal = th.as_tensor(np.pad(observations, pad)), th.as_tensor(np.pad(masks, pad))
        said = [
            self._ask(*pair) for pair in zip(seen.split(CHUNK), legal.split(CHUNK), strict=True)
        ]
        return th.cat(said)[:count].double().numpy()

    def _ask(self, seen: Any, legal: Any) -> Any:
        batch = {Columns.OBS: {"observations": seen, "action_mask": legal}}
        return self._module.forward_inference(batch)[Columns.ACTION_DIST_INPUTS].cpu()


def make(variant: str, checkpoint: str | Path, temperature: float = 1.0) -> ModulePolicy:
    """Make a player of an algorithm's checkpoint, for `agents.evaluate` and its like.

    Args:
        variant: a registered sheet's name.
        checkpoint: the folder that `algo.save_to_path` wrote. It runs code of its own: only load
            one that you trust.
        temperature: see `ModulePolicy`.

    Raises:
        ValueError: if there is no such checkpoint, or it is of another game.
    """
    folder = Path(checkpoint).absolute() / MODULE_FOLDER
    if not folder.is_dir():
        raise ValueError(f"there is no checkpoint of RLlib's PPO at {checkpoint}")
    # Sums on more threads are other sums.
    th.set_num_threads(1)
    module = RLModule.from_checkpoint(str(folder))
    wanted = make_env({"variant": variant})
    if (module.observation_space, module.action_space) != (
        wanted.observation_space,
        wanted.action_space,
    ):
        raise ValueError(f"{checkpoint} plays another game, its spaces are not those of {variant}")
    return ModulePolicy(module, temperature)
