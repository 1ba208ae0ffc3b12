"""A masked choice among actions, faster than the general one where actions are many."""

import numpy as np
import torch as th
from sb3_contrib.common.maskable.distributions import MaskableDistribution, MaybeMasks
from torch import nn

MASKED = -1e4
"""Low enough that a masked action's probability is exactly 0, in single precision too."""


class FastMaskedDistribution(MaskableDistribution):
    """Probabilities of the legal actions.

    It does in three passes over the logits what `MaskableCategorical` does in seven: one
    softmax after masking, and one uniform number a row in place of a multinomial draw.

    Args:
        actions: number of actions A.
    """

    def __init__(self, actions: int) -> None:
        super().__init__()
        self.actions = actions
        self._logits = th.zeros(0, actions)
        self._log_probs = self._logits

    def proba_distribution_net(self, latent_dim: int) -> nn.Module:
        """Make the layer that gives logits (B, A)."""
        return nn.Linear(latent_dim, self.actions)

    def proba_distribution(self, action_logits: th.Tensor) -> "FastMaskedDistribution":
        """Take logits (B, A), all actions legal until `apply_masking`."""
        self._logits = action_logits.view(-1, self.actions)
        self._log_probs = th.log_softmax(self._logits, dim=-1)
        return self

    def apply_masking(self, masks: MaybeMasks) -> None:
        """Make actions impossible where masks (B, A) are false; None: all are possible."""
        logits = self._logits
        if masks is not None:
            legal = th.as_tensor(np.asarray(masks), device=logits.device).view(logits.shape)
            logits = th.where(legal.bool(), logits, MASKED)
        self._log_probs = th.log_softmax(logits, dim=-1)

    @property
    def logits(self) -> th.Tensor:
        """The log probabilities of all actions, (B, A)."""
        return self._log_probs

    def log_prob(self, actions: th.Tensor) -> th.Tensor:
        """Give the log probability of an action a row, (B,)."""
        return self._log_probs.gather(-1, actions.long().view(-1, 1)).squeeze(-1)

    def entropy(self) -> th.Tensor:
        """Give the entropy of each row, (B,)."""
        return -(self._log_probs.exp() * self._log_probs).sum(-1)

    def sample(self) -> th.Tensor:
        """Choose an action a row by its probability, (B,)."""
        sums = self._log_probs.exp().cumsum(-1)
        uniform = th.rand(len(sums), 1, device=sums.device)
        return th.searchsorted(sums, uniform * sums[:, -1:], right=True).squeeze(-1)

    def mode(self) -> th.Tensor:
        """Choose the most probable action a row, (B,)."""
        return self._log_probs.argmax(-1)

    def actions_from_params(
        self, action_logits: th.Tensor, deterministic: bool = False
    ) -> th.Tensor:
        """Choose actions (B,) from logits (B, A)."""
        return self.proba_distribution(action_logits).get_actions(deterministic)

    def log_prob_from_params(self, action_logits: th.Tensor) -> tuple[th.Tensor, th.Tensor]:
        """Choose actions from logits (B, A) and give their log probabilities, both (B,)."""
        actions = self.actions_from_params(action_logits)
        return actions, self.log_prob(actions)
