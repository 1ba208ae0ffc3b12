"""What a network must know of a game: where its observation holds what, what a move joins."""

from dataclasses import dataclass
from typing import Any

import gymnasium as gym

from solitaire_env.cards import SUITS
from solitaire_env.envs.registration import env_id, find_sheet


@dataclass(frozen=True)
class Layout:
    """A game's observation and actions, as read off its environment.

    Attributes:
        size: bytes of an observation.
        places: field name -> (first byte, byte after the last).
        shapes: field name -> shape.
        piles: names of the piles: columns, stock and waste, reserve cells, and the suits'
            foundations where cards may be taken back.
        targets: names of the targets: columns, then "F", "W" and spaces by the group's size.
        ends: (A, 2) pile and target of each action, as indices into both.
    """

    size: int
    places: dict[str, tuple[int, int]]
    shapes: dict[str, tuple[int, ...]]
    piles: tuple[str, ...]
    targets: tuple[str, ...]
    ends: tuple[tuple[int, int], ...]

    @property
    def columns(self) -> int:
        """Count the columns, which are the first piles and the first targets."""
        return self.shapes["tableau"][0]

    @property
    def others(self) -> tuple[str, ...]:
        """Name the targets that are no columns."""
        return self.targets[self.columns :]

    def start(self, pile: str) -> int:
        """Give the first byte of a pile; of a suit's foundations: of their heights."""
        if pile[0] == "T":
            return self.places["tableau"][0] + int(pile[1:]) * self.shapes["tableau"][1]
        if pile[0] == "R":
            return self.places["reserve"][0] + int(pile[1:])
        if pile[0] == "F":
            decks = self.shapes["foundations"][1]
            return self.places["foundations"][0] + SUITS.index(pile[1]) * decks
        return self.places["stock" if pile == "stock" else "waste"][0]

    def height_byte(self, pile: str) -> int:
        """Give the byte that counts the cards of a column, the stock or the waste."""
        if pile[0] == "T":
            return self.places["heights"][0] + int(pile[1:])
        return self.places["stock_height" if pile == "stock" else "waste_height"][0]


def layout_of(env: Any) -> Layout:
    """Read the layout off an environment, single or batch, through its wrappers."""
    fields, actions = env.unwrapped.fields, env.unwrapped.action_table
    piles = _piles(fields, {action.source for action in actions})
    columns = piles[: fields["tableau"].shape[0]]
    aims = [_target(action) for action in actions]
    targets = (*columns, *(aim for aim in dict.fromkeys(aims) if aim not in columns))
    sources = [action.source for action in actions]
    return Layout(
        size=max(field.slice.stop for field in fields.values()),
        places={name: (field.slice.start, field.slice.stop) for name, field in fields.items()},
        shapes={name: tuple(field.shape) for name, field in fields.items()},
        piles=piles,
        targets=targets,
        ends=tuple(zip(map(piles.index, sources), map(targets.index, aims), strict=True)),
    )


def layout_of_variant(variant: str) -> Layout:
    """Read the layout off a variant's environment; ValueError for an unknown one."""
    return layout_of(gym.make(env_id(find_sheet(variant))))


def _piles(fields: dict[str, Any], sources: set[str]) -> tuple[str, ...]:
    columns = [f"T{column}" for column in range(fields["tableau"].shape[0])]
    talon = ["stock", "W"] if "stock" in fields else []
    cells = [f"R{cell}" for cell in range(fields["reserve"].shape[0] if "reserve" in fields else 0)]
    suits = [f"F{suit}" for suit in SUITS if f"F{suit}" in sources]
    return (*columns, *talon, *cells, *suits)


def _target(action: Any) -> str:
    """Name a target; the size of a group into a space is part of its name."""
    return f"space{action.count}" if action.target == "space" else action.target
