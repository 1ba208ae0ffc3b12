"""TorchRL: the native batch as an `EnvBase`, its games in one dimension of the tensordicts."""

from typing import Any

import numpy as np

from solitaire_env.engine.state import IntArray
from solitaire_env.envs.options import check_seed
from solitaire_env.interop.batches import make_batch, step_rows

try:
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase
except ImportError as error:
    raise ImportError(
        "solitaire_env.interop.torchrl needs TorchRL: pip install 'solitaire-env[torchrl]'"
    ) from error

_ENDS = ("done", "terminated", "truncated")


class SolitaireTorchRLEnv(EnvBase):
    """The native batch, batch size (N,): collectors and `rollout` deal anew where games are over.

    A tensordict holds `observation` (N, n) uint8, `action_mask` (N, A) bool, `foundation_cards`
    and `deal` (N, 1) int64; after a step also `reward` (N, 1) float32, `done`, `terminated` and
    `truncated` (N, 1) bool. `rand_action` chooses legal actions. `reset` takes the batch's reset
    options as keywords, as `env.reset(deal=7)`.

    Args:
        variant: a rule sheet's name ("san-juan-hill") or an id ("solitaire_env/SanJuanHill-v0").
        num_envs: games side by side.
        device: of the tensors; the games are played on the processor.
        seed: decides all deals; None: others each time.
        **kwargs: for the environment (reward, no_progress_limit, max_episode_steps, ...).

    Raises:
        ValueError: for an unknown variant or an argument that the environment does not accept.
    """

    def __init__(
        self,
        variant: str,
        num_envs: int = 1,
        *,
        device: Any = None,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        self._envs = make_batch(variant, num_envs, **kwargs)
        super().__init__(device=device, batch_size=torch.Size([num_envs]))
        self._next_seed: int | None = None
        self._set_specs()
        if seed is not None:
            self._set_seed(seed)

    def _set_specs(self) -> None:
        size = self._envs.single_observation_space.shape[0]
        actions, games = int(self._envs.single_action_space.n), self.batch_size
        one = torch.Size([*games, 1])
        seen, mask = torch.Size([*games, size]), torch.Size([*games, actions])
        self.observation_spec = Composite(
            observation=Bounded(0, 255, seen, dtype=torch.uint8),
            action_mask=Binary(actions, mask, dtype=torch.bool),
            foundation_cards=Unbounded(one, dtype=torch.int64),
            deal=Unbounded(one, dtype=torch.int64),
            shape=games,
        ).to(self.device)
        self.action_spec = Categorical(actions, games, dtype=torch.int64).to(self.device)
        self.reward_spec = Unbounded(one).to(self.device)
        ends: dict[str, Any] = {name: Binary(1, one, dtype=torch.bool) for name in _ENDS}
        self.done_spec = Composite(ends, shape=games).to(self.device)

    @property
    def num_envs(self) -> int:
        """Games side by side."""
        return self._envs.num_envs

    def _set_seed(self, seed: int | None) -> None:
        self._next_seed = None if seed is None else check_seed(seed)

    def _reset(self, tensordict: TensorDictBase | None = None, **options: Any) -> TensorDict:
        rows = None if tensordict is None else tensordict.get("_reset", None)
        if rows is not None:
            options["reset_mask"] = rows.reshape(-1).cpu().numpy()
        observations, infos = self._envs.reset(seed=self._next_seed, options=options)
        self._next_seed = None
        none = np.zeros(self.num_envs, np.bool_)
        masks = self._envs.unwrapped.action_masks()
        return self._told(observations, masks, infos, dict.fromkeys(_ENDS, none))

    def _step(self, tensordict: TensorDictBase) -> TensorDict:
        given: Any = tensordict["action"]
        actions: IntArray = given.cpu().numpy()
        going = tensordict.get("_step", None)
        rows = np.ones(len(actions), np.bool_) if going is None else going.reshape(-1).cpu().numpy()
        observations, rewards, terminated, truncated, infos = step_rows(self._envs, actions, rows)
        ends = {"done": terminated | truncated, "terminated": terminated, "truncated": truncated}
        masks = infos["action_mask"].view(np.bool_)
        told = self._told(observations, masks, infos, ends)
        told["reward"] = torch.as_tensor(rewards, dtype=torch.float32, device=self.device)[:, None]
        return told

    def _told(
        self, observations: Any, masks: Any, infos: dict[str, Any], ends: dict[str, Any]
    ) -> TensorDict:
        columns = {name: infos[name] for name in ("foundation_cards", "deal")} | ends
        # Where a game is over no action is legal, and none could be drawn.
        drawn = masks | ~masks.any(axis=1, keepdims=True)
        actions: Any = self.action_spec
        actions.update_mask(torch.as_tensor(drawn, device=self.device))
        content = {"observation": observations, "action_mask": masks}
        content |= {name: column[:, None] for name, column in columns.items()}
        tensors = {name: torch.as_tensor(array) for name, array in content.items()}
        return TensorDict(tensors, batch_size=self.batch_size).to(self.device)

    def close(self, **kwargs: Any) -> None:
        """Release the games."""
        self._envs.close()
        super().close(**kwargs)
