"""Two other forms of the observation, for single and for vector environments alike.

`UnpackObservation(env)` and `MaskInObservation(env)` take either kind.
"""

from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space

from solitaire_env.engine.state import Field

if TYPE_CHECKING:
    Wrapper = VectorWrapper[Any, Any, Any, Any, Any]
else:
    # Gymnasium 1.2's takes no type arguments.
    Wrapper = VectorWrapper

Batch = tuple[Any, Any, Any, Any, dict[str, Any]]


def _unpack(fields: dict[str, Field], observation: npt.NDArray[np.uint8]) -> dict[str, Any]:
    """Cut (n,) or (N, n) bytes into named arrays, copies of their parts."""
    lead = observation.shape[:-1]
    return {
        name: observation[..., field.slice].reshape(*lead, *field.shape).copy()
        for name, field in fields.items()
    }


def _unpacked_space(fields: dict[str, Field]) -> spaces.Dict:
    boxes: dict[str, spaces.Space[Any]] = {
        name: spaces.Box(0, 255, field.shape, np.uint8) for name, field in fields.items()
    }
    return spaces.Dict(boxes)


def _masked_space(observations: gym.Space[Any], actions: gym.Space[Any]) -> spaces.Dict:
    assert isinstance(actions, spaces.Discrete)
    mask = spaces.Box(0, 1, (int(actions.n),), np.int8)
    return spaces.Dict({"observations": observations, "action_mask": mask})


class UnpackObservation(gym.ObservationWrapper[Any, Any, Any], RecordConstructorArgs):
    """Observe a dict of named arrays (`env.unwrapped.fields`) in place of one row of bytes."""

    def __new__(cls, env: Any) -> Any:
        """Wrap a vector environment in the vector form."""
        return VectorUnpackObservation(env) if isinstance(env, VectorEnv) else super().__new__(cls)

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        """Wrap an environment of this package."""
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self._fields: dict[str, Field] = env.get_wrapper_attr("fields")
        self.observation_space = _unpacked_space(self._fields)

    def observation(self, observation: npt.NDArray[np.uint8]) -> dict[str, Any]:
        """Cut an observation into its fields."""
        return _unpack(self._fields, observation)


class MaskInObservation(gym.ObservationWrapper[Any, Any, Any], RecordConstructorArgs):
    """Observe `{"observations": ..., "action_mask": (A,) int8}`, the form that RLlib expects."""

    def __new__(cls, env: Any) -> Any:
        """Wrap a vector environment in the vector form."""
        return VectorMaskInObservation(env) if isinstance(env, VectorEnv) else super().__new__(cls)

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        """Wrap an environment of this package."""
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self.observation_space = _masked_space(env.observation_space, env.action_space)

    def observation(self, observation: Any) -> dict[str, Any]:
        """Put the mask beside an observation."""
        mask = self.get_wrapper_attr("action_masks")().view(np.int8)
        return {"observations": observation, "action_mask": mask}


class _VectorForm(Wrapper):
    """A vector wrapper of observations that also turns `final_obs`, so that it serves SAME_STEP."""

    def _set_space(self, single: gym.Space[Any]) -> None:
        self.single_observation_space = single
        self.observation_space = batch_space(single, self.num_envs)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        """Reset, see `SolitaireVectorEnv.reset`."""
        observations, infos = self.env.reset(seed=seed, options=options)
        return self.observations(observations), infos

    def step(self, actions: Any) -> Batch:
        """Step, see `SolitaireVectorEnv.step`."""
        observations, *rest, infos = self.env.step(actions)
        if "final_obs" in infos:
            final, masks = infos["final_obs"], infos["final_info"]["action_mask"]
            for row in np.flatnonzero(infos["_final_obs"]):
                final[row] = self.final(final[row], masks[row])
        return self.observations(observations), *rest, infos

    def observations(self, observations: Any) -> Any:
        """Turn the observations of all games."""
        raise NotImplementedError

    def final(self, observation: Any, mask: npt.NDArray[np.int8]) -> Any:
        """Turn the last observation of one game that is over."""
        raise NotImplementedError


class VectorUnpackObservation(_VectorForm):
    """Observe a dict of named arrays, (N, *shape) each, in place of rows of bytes."""

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        """Wrap a vector environment of this package."""
        super().__init__(env)
        self._fields: dict[str, Field] = env.unwrapped.fields  # type: ignore[attr-defined]
        self._set_space(_unpacked_space(self._fields))

    def observations(self, observations: Any) -> Any:
        """Cut observations into their fields."""
        return _unpack(self._fields, observations)

    def final(self, observation: Any, mask: npt.NDArray[np.int8]) -> Any:
        """Cut a last observation into its fields."""
        return _unpack(self._fields, observation)


class VectorMaskInObservation(_VectorForm):
    """Observe `{"observations": ..., "action_mask": (N, A) int8}`."""

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        """Wrap a vector environment of this package."""
        super().__init__(env)
        self._set_space(_masked_space(env.single_observation_space, env.single_action_space))

    def observations(self, observations: Any) -> Any:
        """Put the masks beside the observations."""
        masks = self.unwrapped.action_masks().view(np.int8)  # type: ignore[attr-defined]
        return {"observations": observations, "action_mask": masks}

    def final(self, observation: Any, mask: npt.NDArray[np.int8]) -> Any:
        """Put its mask beside a last observation."""
        return {"observations": observation, "action_mask": mask.copy()}
