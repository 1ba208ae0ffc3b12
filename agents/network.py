"""The network: structured as the table is, one encoder for all piles, moves scored by their ends.

It is built from a `Layout` alone, so that it serves any game. In shapes, B are games, P piles,
K cards of a pile, C columns, E other targets and A actions.
"""

from functools import reduce
from typing import Any

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
from solitaire_env.cards import RANKS_PER_SUIT, SUITS, UNKNOWN

CARDS = UNKNOWN + 1
FACTS = 3
"""Numbers that say how a card stands in its game: see `TableEncoder._facts`."""


class TableEncoder(BaseFeaturesExtractor):
    """Encodes observations (B, n): the piles in the light of the whole table, then the table.

    Args:
        observation_space: of one game.
        layout: of the game.
        sizes: of the layers.
    """

    starts: th.Tensor
    slots: th.Tensor
    traits: th.Tensor
    ranks: th.Tensor

    def __init__(self, observation_space: spaces.Box, layout: Layout, sizes: Network) -> None:
        super().__init__(observation_space, len(layout.piles) * sizes.pile + sizes.table)
        self.layout, self.sizes = layout, sizes
        self._add_constants()
        self._add_layers()

    def _add_constants(self) -> None:
        ranks = th.arange(CARDS - 2) % RANKS_PER_SUIT
        suits = th.arange(CARDS - 2) // RANKS_PER_SUIT
        traits = th.cat([th.eye(RANKS_PER_SUIT)[ranks], th.eye(len(SUITS))[suits]], dim=1)
        self._constant("traits", functional.pad(traits, (0, 0, 1, 1)))
        self._constant("ranks", th.arange(1, RANKS_PER_SUIT + 1).view(-1, 1))
        self._constant("starts", th.tensor(self.layout.starts()))
        self._constant("slots", th.arange(self.layout.slots))

    def _constant(self, name: str, value: th.Tensor) -> None:
        self.register_buffer(name, value, persistent=False)

    def _add_layers(self) -> None:
        layout, sizes = self.layout, self.sizes
        piles, rest = len(layout.piles), layout.size - layout.places["foundations"][0]
        self.card_own = nn.Embedding(CARDS, sizes.card)
        self.card_traits = nn.Linear(self.traits.shape[1], sizes.card, bias=False)
        self.pile_in = nn.Linear(layout.slots * (sizes.card + FACTS) + 1, sizes.pile)
        self.pile_kind = nn.Parameter(th.zeros(piles, sizes.pile))
        self.table_in = nn.Linear(2 * sizes.pile + rest + CARDS, sizes.table)
        self.pile_out = nn.Linear(sizes.pile, sizes.pile)
        self.pile_context = nn.Linear(sizes.table, sizes.pile)

    def forward(self, observations: th.Tensor) -> th.Tensor:
        """Encode observations (B, n), bytes of any number type: (B, P * pile + table)."""
        seen = observations.long()
        heights = self._heights(seen)
        cards = self._cards(seen, heights)
        copies = self._copies(seen)
        piles = functional.relu(self._pile_sums(seen, heights, cards, copies) + self.pile_kind)
        # What follows the cards: foundations, heights and counters, in numbers of some units.
        rest = seen[:, self.layout.places["foundations"][0] :].clamp(max=64) / 16
        table = th.cat([piles.mean(dim=1), piles.amax(dim=1), rest, copies], dim=1)
        table = functional.relu(self.table_in(table))
        piles = functional.relu(self.pile_out(piles) + self.pile_context(table).unsqueeze(1))
        return th.cat([piles.flatten(1), table], dim=1)

    def _part(self, seen: th.Tensor, name: str) -> th.Tensor:
        first, end = self.layout.places[name]
        return seen[:, first:end]

    def _heights(self, seen: th.Tensor) -> th.Tensor:
        """Count the cards of each pile: (B, P)."""
        parts = [self._part(seen, "heights")]
        if "stock" in self.layout.places:
            parts += [self._part(seen, "stock_height"), self._part(seen, "waste_height")]
        if "reserve" in self.layout.places:
            parts.append(self._part(seen, "reserve").sign())
        if len(self.layout.piles) > self.layout.rows:
            parts.append(self._foundations(seen).sign().sum(-1))
        return th.cat(parts, dim=1)

    def _foundations(self, seen: th.Tensor) -> th.Tensor:
        """Give the foundations' heights: (B, suits, decks)."""
        return self._part(seen, "foundations").view(len(seen), -1, self.layout.decks)

    def _cards(self, seen: th.Tensor, heights: th.Tensor) -> th.Tensor:
        """Line the piles up at their tops: cards (B, P, K), 0 under the lowest."""
        heights = heights[:, : self.layout.rows].unsqueeze(-1)
        places = (self.starts.view(-1, 1) + heights - 1 - self.slots).clamp(min=0)
        cards = seen.gather(1, places.flatten(1)).view(places.shape)
        cards = cards * (self.slots < heights)
        if len(self.layout.piles) == self.layout.rows:
            return cards
        return th.cat([cards, self._foundation_tops(seen)], dim=1)

    def _foundation_tops(self, seen: th.Tensor) -> th.Tensor:
        """Give the top cards of each suit's foundations as a pile: (B, suits, K)."""
        tops = self._foundations(seen)
        first = RANKS_PER_SUIT * th.arange(tops.shape[1], device=seen.device).view(-1, 1)
        return functional.pad(tops + first * tops.sign(), (0, self.layout.slots - tops.shape[2]))

    def _copies(self, seen: th.Tensor) -> th.Tensor:
        """Count the copies of each card that lie open in the piles: (B, CARDS), a deck's is 1."""
        names = [name for name in ("tableau", "waste", "reserve") if name in self.layout.places]
        cards = th.cat([self._part(seen, name) for name in names], dim=1)
        counts = th.zeros(len(seen), CARDS, device=seen.device)
        counts.scatter_add_(1, cards, th.ones_like(cards, dtype=counts.dtype))
        counts[:, 0] = 0
        return counts / self.layout.decks

    def _pile_sums(
        self, seen: th.Tensor, heights: th.Tensor, cards: th.Tensor, copies: th.Tensor
    ) -> th.Tensor:
        """Encode each pile by itself: (B, P, pile)."""
        table = self.card_own.weight + self.card_traits(self.traits)
        facts = self._facts(seen, copies).view(-1, FACTS)
        games = CARDS * th.arange(len(seen), device=seen.device).view(-1, 1, 1)
        parts = functional.embedding(cards, table), functional.embedding(cards + games, facts)
        size = heights.unsqueeze(-1) / self.layout.slots
        return self.pile_in(th.cat([th.cat(parts, dim=-1).flatten(2), size], dim=-1))

    def _facts(self, seen: th.Tensor, copies: th.Tensor) -> th.Tensor:
        """Tell of each card: how far its foundation is, whether it is next, its open copies.

        Gives (B, CARDS, FACTS).
        """
        each = self.ranks - 1 - self._foundations(seen).unsqueeze(2)
        each = each.masked_fill(each < 0, RANKS_PER_SUIT)
        # Many times faster than a minimum along so short an axis.
        gaps = reduce(th.minimum, each.unbind(-1)).flatten(1)
        pads = (1, CARDS - 1 - gaps.shape[1])
        far, near = functional.pad(gaps / RANKS_PER_SUIT, pads), functional.pad(gaps == 0, pads)
        return th.stack([far, near.float(), copies], dim=-1)


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
        others = len(layout.targets) - layout.columns
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
