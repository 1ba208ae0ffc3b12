"""Stable-Baselines3: the native batch as a `VecEnv`, for MaskablePPO and its relatives."""

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from solitaire_env.interop.batches import full_id

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
    from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices
except ImportError as error:
    raise ImportError(
        "solitaire_env.interop.sb3 needs Stable-Baselines3: pip install 'solitaire-env[agents]'"
    ) from error

Info = dict[str, Any]

_COUNTERS = ("deal", "moves", "foundation_cards", "score")
_TOLD = (*_COUNTERS, "outcome")
_METHODS = ("action_masks", "render")


def make_vec_env(
    variant: str, num_envs: int = 1, seed: int | None = None, **kwargs: Any
) -> "SolitaireVecEnv":
    """Make the games of a variant side by side, as Stable-Baselines3 wants them.

    Args:
        variant: a rule sheet's name ("san-juan-hill") or an id ("solitaire_env/SanJuanHill-v0").
        num_envs: games side by side.
        seed: decides all deals; None: others each time.
        **kwargs: for `SolitaireVecEnv` (reward_scale) and the environment (reward,
            no_progress_limit, max_episode_steps, num_threads, ...).

    Raises:
        ValueError: for an unknown variant or an argument that the environment does not accept.
    """
    venv = SolitaireVecEnv(full_id(variant), num_envs, **kwargs)
    if seed is not None:
        venv.seed(seed)
    return venv


class SolitaireVecEnv(VecEnv):
    """The native batch in SAME_STEP: games that end are dealt anew within the step.

    The info of a game that ends holds `terminal_observation`, `TimeLimit.truncated`, `episode`
    ({"r", "l"}, as `Monitor` gives), `is_success`, the final deal, moves, foundation_cards and
    score, and, where the game itself ended, its `outcome`. All games that go on share one empty
    info, which must not be written to.

    Args:
        name: a registered id.
        num_envs: games side by side.
        reward_scale: rewards are multiplied by it; `episode["r"]` is not.
        **kwargs: for the environment.
    """

    def __init__(
        self, name: str, num_envs: int = 1, *, reward_scale: float = 1.0, **kwargs: Any
    ) -> None:
        self.envs: Any = gym.make_vec(name, num_envs, autoreset_mode="SameStep", **kwargs)
        self._batch: Any = self.envs.unwrapped
        self._scale = reward_scale
        self._attributes: dict[str, dict[int, Any]] = {}
        self._actions: npt.NDArray[np.int64] = np.zeros(num_envs, np.int64)
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, np.int64)
        self._going_on: Info = {}
        spaces = self._batch.single_observation_space, self._batch.single_action_space
        super().__init__(num_envs, *spaces)  # pyright: ignore[reportUnknownMemberType]

    def reset(self) -> npt.NDArray[np.uint8]:
        """Deal all games, with the seeds and options set before; (N, n) uint8, fresh."""
        seeds = self._seeds if any(seed is not None for seed in self._seeds) else None
        observations, infos = self.envs.reset(seed=seeds, options=self._reset_options_given())
        self.reset_infos = [_row_of(infos, _COUNTERS, row) for row in range(self.num_envs)]
        self._returns[:] = 0
        self._lengths[:] = 0
        self._reset_seeds()
        self._reset_options()
        return observations

    def _reset_options_given(self) -> dict[str, Any] | None:
        """Turn options a game into the batch's: all the same, or a deal each."""
        first = self._options[0]
        if all(options == first for options in self._options):
            return first or None
        if any(set(options) != {"deal"} for options in self._options):
            raise ValueError(f"options are {self._options}, accepted are the same, or a deal each")
        return {"deals": np.array([options["deal"] for options in self._options])}

    def step_async(self, actions: npt.NDArray[np.int64]) -> None:
        """Take note of one action a game, (N,)."""
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32], npt.NDArray[np.bool_], list[Info]]:
        """Play the actions; observations and rewards are fresh arrays."""
        observations, rewards, terminated, truncated, told = self.envs.step(self._actions)
        self._returns += rewards
        self._lengths += 1
        over = terminated | truncated
        infos = [self._going_on] * self.num_envs
        for row in np.flatnonzero(over).tolist():
            infos[row] = self._last_info(row, told, bool(truncated[row] and not terminated[row]))
        self._returns[over] = 0
        self._lengths[over] = 0
        return observations, (self._scale * rewards).astype(np.float32), over, infos

    def _last_info(self, row: int, told: dict[str, Any], truncated: bool) -> Info:
        final = told["final_info"]
        told_of = [name for name in _TOLD if name in final and final[f"_{name}"][row]]
        info = _row_of(final, told_of, row)
        info["terminal_observation"] = told["final_obs"][row]
        info["TimeLimit.truncated"] = truncated
        info["episode"] = {"r": float(self._returns[row]), "l": int(self._lengths[row])}
        info["is_success"] = info.get("outcome") == "won"
        return info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Tell which actions are legal: (N, A) bool, fresh."""
        return self._batch.action_masks()

    def close(self) -> None:
        """Release the games."""
        self.envs.close()

    def has_attr(self, attr_name: str) -> bool:
        """Tell whether every game has an attribute or method."""
        known = self._attributes.get(attr_name, {})
        return len(known) == self.num_envs or hasattr(self._batch, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Give an attribute of games; what `set_attr` did not set, they share.

        Raises:
            AttributeError: if a game has no such attribute.
        """
        known = self._attributes.get(attr_name, {})
        rows = self._rows(indices)
        return [known[row] if row in known else getattr(self._batch, attr_name) for row in rows]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Attach a value to games, for `get_attr`; the rules and the games stay as they are.

        Raises:
            AttributeError: for an attribute of the batch itself.
        """
        if hasattr(self._batch, attr_name):
            raise AttributeError(f"{attr_name} belongs to the whole batch: make a new one instead")
        values = dict.fromkeys(self._rows(indices), value)
        self._attributes[attr_name] = self._attributes.get(attr_name, {}) | values

    def env_method(
        self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any
    ) -> Any:
        """Call `action_masks`, which gives the (N, A) array itself, or `render`.

        Raises:
            AttributeError: for any other method.
        """
        if method_name not in _METHODS:
            raise AttributeError(f"env_method is {method_name!r}, accepted are {_METHODS}")
        method: Callable[..., Any] = getattr(self._batch, method_name)
        result = method(*args, **kwargs)
        if indices is None or result is None:
            return result
        return [result[row] for row in self._rows(indices)]

    def env_is_wrapped(
        self, wrapper_class: type[gym.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Tell that there are no wrappers, but what `Monitor` would give is in the infos."""
        return [wrapper_class is Monitor for _ in self._rows(indices)]

    def _rows(self, indices: VecEnvIndices) -> Sequence[int]:
        return [int(row) for row in self._get_indices(indices)]

    def get_images(self) -> Sequence[Any]:
        """Draw every game, where the render mode gives pictures."""
        return list(self._batch.render() or [])


def _row_of(infos: Info, names: Sequence[str], row: int) -> Info:
    """Take one game out of a batch's infos, as Python values."""
    return {name: infos[name][row : row + 1].tolist()[0] for name in names}
