"""The network: structured as the table is, one encoder for all piles, moves scored by their ends.

It is built from a `Layout` alone, so that it serves any game. In shapes, B are games, P piles, C
columns, E other targets and A actions.
"""

from typing import Any

import numpy as np
import torch as th
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.type_aliases import Schedule
from torch import nn
from torch.nn import functional

from agents.config import Network
from agents.distribution import FastMaskedDistribution
from agents.layout import Layout
from agents.reading import (
    CARDS,
    CODES,
    DEPTH,
    add_rows,
    card_traits,
    plan_of,
    read,
    standing_facts,
)

UNIT = 16
"""Counters are divided by it, after they are cut at four times as much."""


class LookUp(th.autograd.Function):
    """Sums rows of a table, a pile's at a time: PyTorch's embedding bag, with a fast gradient."""

    @staticmethod
    def forward(ctx: Any, table: th.Tensor, rows: th.Tensor, begins: th.Tensor) -> th.Tensor:
        """Give the sums (B * P, width) of rows (M,) of the table (ROWS, width)."""
        ctx.save_for_backward(rows, begins)
        ctx.shape = table.shape
        return functional.embedding_bag(rows, table, begins, mode="sum")

    @staticmethod
    def backward(ctx: Any, gradient: th.Tensor) -> tuple[th.Tensor, None, None]:  # type: ignore[override]
        """Give the table's gradient."""
        rows, begins = ctx.saved_tensors
        out = th.zeros(ctx.shape)
        values = gradient.float().cpu().contiguous()
        add_rows(rows.cpu().numpy(), begins.cpu().numpy(), values.numpy(), out.numpy())
        return out.to(gradient.device), None, None


class TableEncoder(BaseFeaturesExtractor):
    """Encodes observations (B, n): the piles in the light of the whole table, then the table.

    Args:
        observation_space: of one game.
        layout: of the game.
        sizes: of the layers.
    """

    traits: th.Tensor
    facts: th.Tensor

    def __init__(self, observation_space: spaces.Box, layout: Layout, sizes: Network) -> None:
        super().__init__(observation_space, len(layout.piles) * sizes.pile + sizes.table)
        self.layout, self.sizes = layout, sizes
        self._plan = plan_of(layout)
        self._made: th.Tensor | None = None
        self.register_buffer("traits", th.from_numpy(card_traits()), persistent=False)
        self.register_buffer("facts", th.from_numpy(standing_facts()), persistent=False)
        piles, rest = len(layout.piles), layout.size - layout.places["foundations"][0]
        self.card_own = nn.Embedding(CARDS, sizes.card)
        self.card_traits = nn.Linear(self.traits.shape[1], sizes.card, bias=False)
        self.card_in = _each_depth(sizes.card, sizes.pile)
        self.facts_in = _each_depth(self.facts.shape[1], sizes.pile)
        self.codes_in = nn.Parameter(th.randn(DEPTH * CODES, sizes.pile) * _FIRST_SCALE)
        self.pile_kind = nn.Parameter(th.zeros(piles, sizes.pile))
        self.table_in = nn.Linear(2 * sizes.pile + rest + 2 * CARDS, sizes.table)
        self.pile_out = nn.Linear(sizes.pile, sizes.pile)
        self.pile_context = nn.Linear(sizes.table, sizes.pile)

    def forward(self, observations: th.Tensor) -> th.Tensor:
        """Encode observations (B, n), bytes of any number type: (B, P * pile + table)."""
        seen = observations.to("cpu", th.uint8)
        device = self.traits.device
        rows, begins, counts = (
            th.from_numpy(part).to(device) for part in read(seen.numpy(), self._plan)
        )
        sums = LookUp.apply(self._looked_up(), rows, begins)
        piles = functional.relu(sums.view(len(seen), -1, self.sizes.pile) + self.pile_kind)
        # What follows the cards: foundations, heights and counters, in numbers of some units.
        rest = seen[:, self.layout.places["foundations"][0] :].to(device).float()
        rest = rest.clamp(max=4 * UNIT) / UNIT
        table = th.cat([piles.mean(dim=1), piles.amax(dim=1), rest, counts.flatten(1)], dim=1)
        table = functional.relu(self.table_in(table))
        piles = functional.relu(self.pile_out(piles) + self.pile_context(table).unsqueeze(1))
        return th.cat([piles.flatten(1), table], dim=1)

    def train(self, mode: bool = True) -> "TableEncoder":
        """Set the mode; what was made to be looked up in play may be out of date."""
        self._made = None
        return super().train(mode)

    def _looked_up(self) -> th.Tensor:
        """Give what is looked up: made once in play, anew at every step of learning."""
        if self.training or th.is_grad_enabled():
            return self._table()
        if self._made is None:
            self._made = self._table()
        return self._made

    def _table(self) -> th.Tensor:
        """Make what is looked up: (ROWS, pile)."""
        cards = self.card_own.weight + self.card_traits(self.traits)
        parts = (cards @ self.card_in, self.facts @ self.facts_in)
        return th.cat([*(part.flatten(0, 1) for part in parts), self.codes_in])


_FIRST_SCALE = 0.05


def _each_depth(width: int, pile: int) -> nn.Parameter:
    """Make a layer for every depth of a pile: (DEPTH, width, pile)."""
    return nn.Parameter(th.randn(DEPTH, width, pile) / (width * DEPTH) ** 0.5)


class MoveScorer(nn.Module):
    """Scores every action by its pile and its target: (B, A) logits from the encoder's output.

    Args:
        layout: of the game.
        sizes: of the layers.
    """

    places: th.Tensor

    def __init__(self, layout: Layout, sizes: Network) -> None:
        super().__init__()
        self.shape = len(layout.piles), sizes.pile
        self.columns = layout.columns
        self.source = nn.Linear(sizes.pile, sizes.match)
        self.target = nn.Linear(sizes.pile, sizes.match)
        others = len(layout.others)
        self.others = nn.Parameter(th.randn(others, sizes.match) / sizes.match**0.5)
        self.others_bias = nn.Parameter(th.zeros(others))
        places = th.tensor([pile * len(layout.targets) + aim for pile, aim in layout.ends])
        self.register_buffer("places", places, persistent=False)
        # Small first logits: the untrained network plays nearly at random.
        nn.init.normal_(self.source.weight, std=0.1 / sizes.pile**0.5)

    def forward(self, encoded: th.Tensor) -> th.Tensor:
        """Score the actions: (B, A)."""
        count, width = self.shape
        piles = encoded[:, : count * width].view(-1, count, width)
        sources = self.source(piles)
        onto = sources @ self.target(piles[:, : self.columns]).transpose(1, 2)
        scores = th.cat([onto, sources @ self.others.T + self.others_bias], dim=-1)
        return scores.flatten(1).index_select(1, self.places)


class ValueHead(nn.Module):
    """Estimates the return to come: (B, 1) from the encoder's output.

    Args:
        sizes: of the layers.
    """

    def __init__(self, sizes: Network) -> None:
        super().__init__()
        self.table = sizes.table
        self.layers = nn.Sequential(
            nn.Linear(sizes.table, sizes.table), nn.ReLU(), nn.Linear(sizes.table, 1)
        )

    def forward(self, encoded: th.Tensor) -> th.Tensor:
        """Estimate the values: (B, 1)."""
        return self.layers(encoded[:, -self.table :])


class TableNetwork(nn.Module):
    """The whole network: observations (B, n) uint8 to logits (B, A) and values (B,).

    Args:
        layout: of the game.
        sizes: of the layers.
    """

    def __init__(self, layout: Layout, sizes: Network) -> None:
        super().__init__()
        self.sizes = sizes
        self.actions = len(layout.ends)
        seen = spaces.Box(0, 255, (layout.size,), np.uint8)
        self.encoder = TableEncoder(seen, layout, sizes)
        self.moves = MoveScorer(layout, sizes)
        self.value = ValueHead(sizes)

    def forward(self, observations: th.Tensor) -> tuple[th.Tensor, th.Tensor]:
        """Give logits (B, A), of illegal actions too, and values (B,)."""
        encoded = self.encoder(observations)
        return self.moves(encoded), self.value(encoded).squeeze(-1)


class TablePolicy(MaskableActorCriticPolicy):
    """The network as sb3-contrib's MaskablePPO takes it.

    Args:
        observation_space: of one game.
        action_space: of one game.
        lr_schedule: of the optimizer.
        layout: of the game.
        sizes: of the layers.
        **kwargs: for `MaskableActorCriticPolicy`.
    """

    def __init__(
        self,
        observation_space: spaces.Box,
        action_space: spaces.Discrete,
        lr_schedule: Schedule,
        layout: Layout,
        sizes: Network,
        **kwargs: Any,
    ) -> None:
        self._layout, self._sizes = layout, sizes
        kwargs |= {
            "net_arch": [],
            "features_extractor_class": TableEncoder,
            "features_extractor_kwargs": {"layout": layout, "sizes": sizes},
        }
        super().__init__(observation_space, action_space, lr_schedule, **kwargs)

    def _build(self, lr_schedule: Schedule) -> None:
        """Make the heads and the optimizer; the encoder's output goes to both as it is."""
        self._build_mlp_extractor()
        self.action_dist = FastMaskedDistribution(int(self.action_space.n))
        self.action_net = MoveScorer(self._layout, self._sizes)
        self.value_net = ValueHead(self._sizes)
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )
