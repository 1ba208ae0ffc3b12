"""Games that a network plays for training, written straight into the learner's memory."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import gymnasium as gym
import numpy as np
import torch as th
from gymnasium.vector import AutoresetMode

from agents.config import Config
from agents.distribution import FastMaskedDistribution
from agents.layout import layout_of
from agents.memory import LoopMemory
from agents.network import TableNetwork
from solitaire_env.envs.buffers import StepOut
from solitaire_env.envs.registration import env_id, find_sheet
from solitaire_env.evaluation import FloatArray, IntArray


@dataclass
class Moves:
    """Moves of many games: (T, N, ...), or (B, ...) once they are taken apart.

    Attributes:
        observations: (n,) uint8.
        masks: (A,) bool, the actions that the player allowed itself.
        actions: int64.
        log_probs: float32, of the action when it was taken.
        values: float32, the network's.
        returns: float32, what the value should have been.
        advantages: float32.
    """

    observations: th.Tensor
    masks: th.Tensor
    actions: th.Tensor
    log_probs: th.Tensor
    values: th.Tensor
    returns: th.Tensor
    advantages: th.Tensor

    def flat(self) -> "Moves":
        """Take the games apart: (T * N, ...)."""
        return Moves(*(getattr(self, part.name).flatten(0, 1) for part in fields(self)))

    def take(self, indices: th.Tensor) -> "Moves":
        """Pick some moves."""
        return Moves(*(getattr(self, part.name)[indices] for part in fields(self)))

    def split(self, size: int) -> Iterator["Moves"]:
        """Take the moves in order, so many at a time."""
        parts = (getattr(self, part.name).split(size) for part in fields(self))
        return (Moves(*some) for some in zip(*parts, strict=True))


class Rollouts:
    """Many games side by side, played on from one rollout to the next.

    A player of these games allows itself no action twice in a position, as when it is tested.

    Args:
        config: of the run.
        seed: of the deals.
    """

    def __init__(self, config: Config, seed: int) -> None:
        self._config = config
        env = config.env
        self.envs: Any = gym.make_vec(
            env_id(find_sheet(config.run.variant)),
            env.num_envs,
            reward=env.reward,
            autoreset_mode=AutoresetMode.SAME_STEP,
            **env.limits(),
        )
        self.layout = layout_of(self.envs)
        self._memory = LoopMemory(self.layout)
        self._rows = np.arange(env.num_envs)
        self._make_room(config.ppo.n_steps, env.num_envs, self.envs.unwrapped.single_action_space.n)
        seen, infos = self.envs.reset(seed=seed)
        self._seen[-1], self._legal[-1] = th.as_tensor(seen), th.as_tensor(infos["action_mask"])
        self._memory.reset(self._rows)
        self._ended: list[tuple[int, bool]] = []

    @property
    def moves(self) -> int:
        """Count the moves of a rollout, those without a choice too."""
        return self._actions.numel()

    def _make_room(self, steps: int, games: int, actions: int) -> None:
        self._seen = th.empty((steps + 1, games, self.layout.size), dtype=th.uint8)
        self._legal = th.empty((steps + 1, games, actions), dtype=th.int8)
        self._masks = th.empty((steps, games, actions), dtype=th.bool)
        self._actions = th.empty((steps, games), dtype=th.int64)
        self._log_probs = th.empty((steps, games))
        self._values = th.empty((steps + 1, games))
        self._rewards = np.empty((steps, games))
        self._ends = np.empty((2, steps, games), np.bool_)
        self._choice = FastMaskedDistribution(actions)

    @th.no_grad()
    def play(self, network: TableNetwork) -> Moves:
        """Play `ppo.n_steps` moves in every game; give those that had a choice."""
        self._seen[0], self._legal[0] = self._seen[-1], self._legal[-1]
        network.eval()  # what it looks up is then made once
        for step in range(len(self._masks)):
            self._choose(step, network)
            self._step(step)
        self._values[-1] = network(self._seen[-1])[1]
        network.train()
        advantages = th.as_tensor(self._advantages(), dtype=th.float32)
        moves = Moves(
            self._seen[:-1],
            self._masks,
            self._actions,
            self._log_probs,
            self._values[:-1],
            advantages + self._values[:-1],
            advantages,
        ).flat()
        return moves.take(moves.masks.sum(dim=1) > 1)

    def _choose(self, step: int, network: TableNetwork) -> None:
        """Choose in every game; only where there is a choice is the network asked."""
        seen, masks = self._seen[step], self._masks[step]
        untried = self._memory.untried(seen.numpy(), self._legal[step].numpy(), self._rows)
        masks[:] = th.from_numpy(untried)
        actions = self._actions[step]
        actions[:] = masks.byte().argmax(dim=1)
        rows = masks.sum(dim=1).gt(1).nonzero().squeeze(1)
        if len(rows):
            logits, self._values[step, rows] = network(seen[rows])
            choice = self._choice.proba_distribution(logits)
            choice.apply_masking(masks[rows])
            actions[rows] = choice.sample()
            self._log_probs[step, rows] = choice.log_prob(actions[rows])
        self._memory.note(seen.numpy(), actions.numpy(), self._rows)

    def _step(self, step: int) -> None:
        after = (self._seen[step + 1].numpy(), self._legal[step + 1].numpy())
        out = StepOut(*after, self._rewards[step], *self._ends[:, step])
        infos = self.envs.step(self._actions[step].numpy(), out=out)[-1]
        self._rewards[step] *= self._config.env.reward_scale
        if "final_info" in infos:
            self._note_ends(step, infos["_final_info"], infos["final_info"])

    def _note_ends(self, step: int, over: Any, final: dict[str, Any]) -> None:
        """Reward wins; remember how games ended, and forget what was tried in them."""
        rows = np.flatnonzero(over)
        won = final["is_success"][rows] if "is_success" in final else np.zeros(len(rows), np.bool_)
        self._rewards[step, rows] += self._config.env.win_bonus * won
        cards = final["foundation_cards"][rows]
        self._ended += zip(cards.tolist(), won.tolist(), strict=True)
        self._memory.reset(rows)

    def _advantages(self) -> FloatArray:
        """Estimate how much better each action did than expected: (T, N).

        A move without a choice is part of the one before. A game that is cut for want of progress
        is worth nothing more, as when it is tested.

        Source: Schulman et al. 2016, "Generalized Advantage Estimation", equation 16.
        """
        ppo, values = self._config.ppo, self._values.numpy()
        goes_on, chosen = ~self._ends.any(axis=0), (self._masks.sum(dim=2) > 1).numpy()
        advantages = np.zeros_like(self._rewards)
        ahead = np.zeros(advantages.shape[1])
        for step in reversed(range(len(advantages))):
            left = ppo.gamma * goes_on[step]
            after = self._rewards[step] + left * values[step + 1]
            values[step] = np.where(chosen[step], values[step], after)
            ahead = left * ahead * np.where(chosen[step], ppo.gae_lambda, 1.0)
            ahead += after - values[step]
            advantages[step] = ahead
        return advantages

    def pop_ends(self) -> tuple[IntArray, IntArray]:
        """Give foundation cards and wins of the games that ended since this was last asked."""
        cards, won = np.array(self._ended, np.int64).reshape(-1, 2).T
        self._ended = []
        return cards, won
