"""One update of a network from moves: PPO's, imitation's, or both."""

from collections import defaultdict

import torch as th
from torch.nn import functional

from agents.config import Ppo
from agents.distribution import FastMaskedDistribution
from agents.network import TableNetwork
from agents.rollouts import Moves
from agents.teacher import Teacher


class Learner:
    """Improves a network move by move.

    Args:
        network: what learns.
        ppo: its settings.
        teacher: whom it imitates.
    """

    def __init__(self, network: TableNetwork, ppo: Ppo, teacher: Teacher) -> None:
        self._network, self._ppo, self._teacher = network, ppo, teacher
        self.optimizer = th.optim.Adam(
            network.parameters(), ppo.learning_rate, eps=1e-5, fused=True
        )
        self._choice = FastMaskedDistribution(network.actions)

    def update(self, moves: Moves, learning_rate: float, imitation: float) -> dict[str, float]:
        """Learn from moves `ppo.n_epochs` times.

        Args:
            moves: of a rollout.
            learning_rate: of this update.
            imitation: share of the teacher in what is learnt, 0..1; the rest is PPO's.

        Returns:
            Means of what is worth a curve: losses, entropy, KL, share of clipped moves.
        """
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        spread, middle = th.std_mean(moves.advantages, correction=0)
        moves.advantages = (moves.advantages - middle) / (spread + 1e-8)
        told: dict[str, list[float]] = defaultdict(list)
        for _ in range(self._ppo.n_epochs):
            order = th.randperm(len(moves.actions))
            for batch in moves.take(order).split(self._ppo.batch_size):
                for name, value in self._learn(batch, imitation).items():
                    told[name].append(value)
        return {name: sum(values) / len(values) for name, values in told.items()}

    def _learn(self, moves: Moves, imitation: float) -> dict[str, float]:
        """Take one step down the gradient."""
        logits, values = self._network(moves.observations)
        self._choice.proba_distribution(logits).apply_masking(moves.masks)
        value_loss = functional.mse_loss(values, moves.returns)
        loss = self._ppo.vf_coef * value_loss
        told = {"value_loss": value_loss.item()} | self._watch(moves)
        if imitation > 0:
            regret = self._regret(moves)
            loss, told = loss + imitation * regret, told | {"imitation_loss": regret.item()}
        if imitation < 1:
            gain, more = self._gain(moves)
            loss, told = loss - (1 - imitation) * gain, told | more
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        th.nn.utils.clip_grad_norm_(self._network.parameters(), self._ppo.max_grad_norm)
        self.optimizer.step()
        return told

    def _regret(self, moves: Moves) -> th.Tensor:
        """Tell how far the network is from the teacher: cross-entropy."""
        wanted = self._teacher.teach(moves)
        return -(wanted * self._choice.logits).sum(-1).mean()

    def _gain(self, moves: Moves) -> tuple[th.Tensor, dict[str, float]]:
        """Give PPO's clipped objective with its entropy bonus, and the share of clipped moves.

        Source: Schulman et al. 2017, "Proximal Policy Optimization Algorithms", equation 7.
        """
        advantages, reach = moves.advantages, self._ppo.clip_range
        ratio = (self._choice.log_prob(moves.actions) - moves.log_probs).exp()
        clipped = ratio.clamp(1 - reach, 1 + reach)
        gain = th.minimum(ratio * advantages, clipped * advantages).mean()
        gain = gain + self._ppo.ent_coef * self._choice.entropy().mean()
        return gain, {"clip_fraction": (ratio != clipped).float().mean().item()}

    @th.no_grad()
    def _watch(self, moves: Moves) -> dict[str, float]:
        """Tell how sure the network is, and how far from the one that played: figures to watch."""
        change = self._choice.log_prob(moves.actions) - moves.log_probs
        kl = ((change.exp() - 1) - change).mean()
        return {"entropy": self._choice.entropy().mean().item(), "approx_kl": kl.item()}
