"""Tianshou: the native batch as a vector environment, with masks as Tianshou looks for them."""

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from solitaire_env.engine.state import BoolArray, FloatArray, IntArray
from solitaire_env.envs.options import check_seed
from solitaire_env.interop.batches import make_batch, step_rows

try:
    from tianshou.data import Batch
    from tianshou.env import BaseVectorEnv
except ImportError as error:
    raise ImportError(
        "solitaire_env.interop.tianshou needs Tianshou 2: pip install 'solitaire-env[tianshou]'"
    ) from error

Ids = int | Sequence[int] | IntArray | None
Infos = npt.NDArray[np.object_]


class SolitaireTianshouEnv(BaseVectorEnv):
    """The native batch: collectors deal anew where games are over.

    An observation is `Batch(obs=(k, n) uint8, mask=(k, A) bool)`; an info a dict a game, with
    `env_id`, `deal` and `foundation_cards`. `reset` takes the batch's reset options as
    `reset(options={"deal": 7})`.

    Args:
        variant: a rule sheet's name ("san-juan-hill") or an id ("solitaire_env/SanJuanHill-v0").
        num_envs: games side by side.
        seed: decides all deals; None: others each time.
        **kwargs: for the environment (reward, no_progress_limit, max_episode_steps, ...).

    Raises:
        ValueError: for an unknown variant or an argument that the environment does not accept.
    """

    def __init__(
        self, variant: str, num_envs: int = 1, *, seed: int | None = None, **kwargs: Any
    ) -> None:
        # Tianshou's own constructor makes a worker a game; here one batch holds them all.
        self._envs = make_batch(variant, num_envs, **kwargs)
        self.env_num: int = self._envs.num_envs
        self.workers = []
        self.is_async = self.is_closed = False
        self._seeds: list[int | None] = [None] * self.env_num
        self._attributes: dict[str, dict[int, Any]] = {}
        if seed is not None:
            self.seed(seed)

    def seed(self, seed: int | list[int] | None = None) -> list[list[int] | None]:
        """Seed the deals from each game's next reset on.

        Args:
            seed: game i gets seed + i; or one a game.
        """
        self._assert_is_not_closed()
        if isinstance(seed, list) and len(seed) != self.env_num:
            raise ValueError(f"seed has {len(seed)} entries, accepted are {self.env_num}")
        first = 0 if seed is None or isinstance(seed, list) else check_seed(seed)
        given = seed if isinstance(seed, list) else range(first, first + self.env_num)
        self._seeds = [None] * self.env_num if seed is None else list(given)
        return [None if each is None else [each] for each in self._seeds]

    def reset(self, env_id: Ids = None, **kwargs: Any) -> tuple[Any, Infos]:
        """Deal anew in some games, or in all.

        Args:
            env_id: which; None: all.
            **kwargs: seed and options, as the batch takes them.
        """
        self._assert_is_not_closed()
        rows = self._rows(env_id)
        chosen = np.zeros(self.env_num, np.bool_)
        chosen[rows] = True
        seed = kwargs.pop("seed", None)
        options = {**(kwargs.pop("options", None) or {}), "reset_mask": chosen}
        seeds = self._taken_seeds(chosen) if seed is None else seed
        observations, infos = self._envs.reset(seed=seeds, options=options, **kwargs)
        masks = self._envs.unwrapped.action_masks()
        return _observed(observations, masks, rows), _told(infos, rows)

    def _taken_seeds(self, chosen: BoolArray) -> list[int | None]:
        """Give the seeds that wait for a reset, and let them wait no longer."""
        pairs = list(zip(self._seeds, chosen.tolist(), strict=True))
        self._seeds = [None if taken else seed for seed, taken in pairs]
        return [seed if taken else None for seed, taken in pairs]

    def step(
        self, action: Any, id: Ids = None
    ) -> tuple[Any, FloatArray, BoolArray, BoolArray, Infos]:
        """Play an action in some games, or in all.

        Args:
            action: (k,) whole numbers.
            id: which games; None: all.

        Raises:
            ValueError: for another number of actions, and for what is no action number.
        """
        self._assert_is_not_closed()
        rows, given = self._rows(id), np.asarray(action)
        if given.shape != rows.shape:
            raise ValueError(f"actions are of shape {given.shape}, accepted is {rows.shape}")
        actions, chosen = np.zeros(self.env_num, given.dtype), np.zeros(self.env_num, np.bool_)
        actions[rows], chosen[rows] = given, True
        observations, *results, infos = step_rows(self._envs, actions, chosen)
        rewards, terminated, truncated = (result[rows] for result in results)
        masks = infos["action_mask"].view(np.bool_)
        told = _told(infos, rows)
        return _observed(observations, masks, rows), rewards, terminated, truncated, told

    def _rows(self, ids: Ids) -> IntArray:
        rows = np.arange(self.env_num) if ids is None else np.atleast_1d(np.asarray(ids))
        if rows.dtype.kind not in "iu" or ((rows < 0) | (rows >= self.env_num)).any():
            raise ValueError(f"ids are {ids!r}, accepted are 0..{self.env_num - 1}")
        return rows

    def get_env_attr(self, key: str, id: Ids = None) -> list[Any]:
        """Give an attribute of games; what `set_env_attr` did not set, they share."""
        self._assert_is_not_closed()
        known = self._attributes.get(key, {})
        rows = self._rows(id).tolist()
        return [known[row] if row in known else self._shared(key) for row in rows]

    def _shared(self, key: str) -> Any:
        """Give an attribute as a single game has it."""
        batch = self._envs.unwrapped
        if key == "observation_space":
            mask = gym.spaces.MultiBinary(int(batch.single_action_space.n))
            return gym.spaces.Dict({"obs": batch.single_observation_space, "mask": mask})
        return getattr(batch, {"action_space": "single_action_space"}.get(key, key))

    def set_env_attr(self, key: str, value: Any, id: Ids = None) -> None:
        """Attach a value to games, for `get_env_attr`; the rules and the games stay as they are."""
        self._assert_is_not_closed()
        values = dict.fromkeys(self._rows(id).tolist(), value)
        self._attributes[key] = self._attributes.get(key, {}) | values

    def render(self, **kwargs: Any) -> list[Any]:
        """Draw every game, where the render mode is "ansi" or "rgb_array"."""
        self._assert_is_not_closed()
        return list(self._envs.render(**kwargs) or [])

    def close(self) -> None:
        """Release the games."""
        self._assert_is_not_closed()
        self._envs.close()
        self.is_closed = True


def _observed(observations: Any, masks: BoolArray, rows: IntArray) -> Any:
    return Batch(obs=observations[rows], mask=masks[rows])


def _told(infos: dict[str, Any], rows: IntArray) -> Infos:
    """Give the infos of some games as dicts of Python values."""
    columns = (rows, infos["deal"][rows], infos["foundation_cards"][rows])
    told = np.empty(len(rows), object)
    told[:] = [
        {"env_id": row, "deal": deal, "foundation_cards": cards}
        for row, deal, cards in zip(*(column.tolist() for column in columns), strict=True)
    ]
    return told
