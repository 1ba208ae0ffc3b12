"""The vocabulary of a rule sheet: a game in ten to fifteen lines that read like its printed rules.

A sheet says everything that tells one game from another. It checks itself when it is made, so a
sheet that exists can be dealt.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from enum import IntEnum
from typing import Any, Final, cast, get_args, get_type_hints

from solitaire_env.cards import RANKS_PER_SUIT, SUITS, is_red, rank_of, suit_of

UNLIMITED: Final = -1
"""Redeals without end."""

MAX_PILES: Final = 32
MAX_DECKS: Final = 4
MAX_RESERVE: Final = 31
MAX_POINTS: Final = 1000
"""Of one event, either sign: the points of an episode of 2**31 steps stay a 64-bit number."""


class RuleSheetError(ValueError):
    """A rule sheet that describes no game; it names the field, its value and what is accepted."""


class Suits(IntEnum):
    """How the suits of two cards that lie on each other must be related."""

    ANY = 0
    SAME = 1
    ALTERNATE_COLOR = 2

    def implies(self, other: "Suits") -> bool:
        """Tell whether two cards so related are always related as `other` says."""
        return other in (Suits.ANY, self)

    def builds(self, card: int, below: int) -> bool:
        """Tell whether a card 1..52 may lie on another: next lower rank, suits so related."""
        related = {
            Suits.ANY: True,
            Suits.SAME: suit_of(card) == suit_of(below),
            Suits.ALTERNATE_COLOR: is_red(card) != is_red(below),
        }
        return rank_of(below) == rank_of(card) + 1 and related[self]


class Space(IntEnum):
    """What may go into an empty column: anything that can be lifted, or only what a King heads."""

    ANY = 0
    KING = 1


class Deal(IntEnum):
    """The shape of the tableau: columns of equal height, or the n-th column n cards high."""

    ROWS = 0
    TRIANGLE = 1


class FaceUp(IntEnum):
    """Which tableau cards are dealt face up."""

    ALL = 0
    TOP = 1


@dataclass(frozen=True, kw_only=True)
class Tableau:
    """The columns: how they are dealt and what may be built on them.

    Attributes:
        piles: number of columns.
        deal: their shape; `rows` is the height of `Deal.ROWS`.
        build: a card goes on one of the next higher rank whose suit is so related.
        lift: a run whose suits are so related moves together; None: cards move singly.
        space: what may go into an empty column.
    """

    piles: int
    deal: Deal = Deal.ROWS
    rows: int = 0
    face_up: FaceUp = FaceUp.ALL
    build: Suits
    lift: Suits | None = None
    space: Space

    def heights(self) -> tuple[int, ...]:
        """Count the cards dealt to each column, left to right."""
        if self.deal is Deal.TRIANGLE:
            return tuple(range(1, self.piles + 1))
        return (self.rows,) * self.piles

    def hidden(self) -> tuple[int, ...]:
        """Count the cards dealt face down to each column, left to right."""
        if self.face_up is FaceUp.TOP:
            return tuple(max(0, height - 1) for height in self.heights())
        return (0,) * self.piles


@dataclass(frozen=True, kw_only=True)
class Foundations:
    """One foundation a suit and deck, built up in suit from the Ace.

    Attributes:
        aces_dealt: the Aces lie there from the start.
        kings_leave: a King that is available leaves at once to a pile of its own, so that the
            foundations end one rank lower and no King is ever played.
        take_back: the top card of a foundation may return to the tableau.
    """

    aces_dealt: bool = False
    kings_leave: bool = False
    take_back: bool = False


@dataclass(frozen=True, kw_only=True)
class Stock:
    """The cards left after the deal: `draw` at a time, the waste turned over `redeals` times."""

    draw: int = 1
    redeals: int = 0


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """Points an event earns, -1000..1000 (Pantagruel, section 2.7)."""

    waste_to_tableau: int = 5
    to_foundation: int = 10
    uncovered: int = 10
    taken_back: int = -15
    redeal: int = 0


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Where endless play is cut: steps of an episode, and steps in a row without progress."""

    episode_steps: int
    no_progress: int


@dataclass(frozen=True, kw_only=True)
class RuleSheet:
    """One game. Raises `RuleSheetError` when it describes none.

    Attributes:
        name: lower-case words joined by hyphens; the environment's id is made from it.
        title: the name as people write it.
        source: the text that the sheet was written from.
        decks: packs of `suits` times `ranks` cards, from the Ace up.
        reserve: cards dealt face up beside the tableau, each available, never refilled.
        stock: None where every card is dealt.
        honour: a title that the winner earns.
    """

    name: str
    title: str
    source: str
    decks: int
    suits: int = len(SUITS)
    ranks: int = RANKS_PER_SUIT
    tableau: Tableau
    reserve: int = 0
    foundations: Foundations = Foundations()
    stock: Stock | None = None
    ledger: Ledger = field(default_factory=Ledger)
    limits: Limits
    honour: str = ""

    def __post_init__(self) -> None:
        """Refuse a sheet that describes no game."""
        for says_wrong, message in self._checks():
            if says_wrong:
                raise RuleSheetError(f"rule sheet {self.name!r}: {message}")

    @property
    def cards(self) -> int:
        """Cards in play, all decks together."""
        return self.decks * self.suits * self.ranks

    @property
    def piles_per_suit(self) -> int:
        """Foundations of one suit: one a deck."""
        return self.decks

    @property
    def foundation_top(self) -> int:
        """The rank that completes a foundation."""
        return self.ranks - self.foundations.kings_leave

    @property
    def king(self) -> int:
        """The highest rank, which is called King whatever its number."""
        return self.ranks

    @property
    def depth(self) -> int:
        """The tallest that a column can grow: the deepest deal and a run to the lowest rank."""
        unplayable = self.foundations.aces_dealt + self.foundations.kings_leave
        return max(*self.tableau.heights(), 1) + self.ranks - 1 - unplayable

    @property
    def stock_cards(self) -> int:
        """Cards that the deal leaves for the stock."""
        dealt = sum(self.tableau.heights()) + self.reserve
        return self.cards - dealt - self.foundations.aces_dealt * self.decks * self.suits

    @property
    def draw(self) -> int:
        """Cards drawn at a time; 0 without a stock."""
        return self.stock.draw if self.stock else 0

    @property
    def redeals(self) -> int:
        """Times that the waste may be turned over; `UNLIMITED` without end."""
        return self.stock.redeals if self.stock else 0

    @property
    def choose_group(self) -> bool:
        """Tell whether the player chooses how much of a run goes into a space."""
        return self.tableau.lift is not None and self.tableau.space is Space.ANY

    @property
    def camel_name(self) -> str:
        """The name as part of an environment's id: `big-bertha` gives `BigBertha`."""
        return "".join(word.capitalize() for word in self.name.split("-"))

    def _checks(self) -> Iterator[tuple[bool, str]]:
        for name, value, kinds in _typed_fields(self):
            accepted = " or ".join(getattr(kind, "__name__", "None") for kind in kinds)
            yield not _is_of(value, kinds), f"{name} is {value!r}, accepted is {accepted}"
        yield (
            not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", self.name),
            "name must be lower-case words joined by hyphens, as in 'big-bertha'",
        )
        yield from self._check_range("decks", self.decks, 1, MAX_DECKS)
        yield from self._check_range("suits", self.suits, 1, len(SUITS))
        yield from self._check_range("ranks", self.ranks, 2, RANKS_PER_SUIT)
        yield from self._check_tableau()
        yield from self._check_range("reserve", self.reserve, 0, MAX_RESERVE)
        yield from self._check_stock()
        for event in fields(self.ledger):
            points = getattr(self.ledger, event.name)
            yield from self._check_range(f"ledger.{event.name}", points, -MAX_POINTS, MAX_POINTS)
        yield from self._check_range("limits.episode_steps", self.limits.episode_steps, 1, 2**31)
        yield from self._check_range("limits.no_progress", self.limits.no_progress, 1, 2**31)

    def _check_tableau(self) -> Iterator[tuple[bool, str]]:
        tableau = self.tableau
        yield from self._check_range("tableau.piles", tableau.piles, 1, MAX_PILES)
        lowest = 1 if tableau.deal is Deal.ROWS else 0
        highest = self.cards if tableau.deal is Deal.ROWS else 0
        yield from self._check_range("tableau.rows", tableau.rows, lowest, highest)
        yield (
            tableau.lift is not None and not tableau.lift.implies(tableau.build),
            f"tableau.lift is {tableau.lift!r}: a lifted run would break build {tableau.build!r}",
        )
        yield (
            self.foundations.take_back and tableau.space is not Space.KING,
            "foundations.take_back needs tableau.space Space.KING: the space says which card",
        )

    def _check_stock(self) -> Iterator[tuple[bool, str]]:
        left = self.stock_cards
        yield left < 0, f"the deal takes {-left} cards more than the {self.cards} there are"
        yield (
            self.stock is None and left > 0,
            f"the deal leaves {left} cards and stock is None: add a Stock or deal them",
        )
        if self.stock is not None:
            yield left == 0, "the deal leaves no card for the stock: stock must be None"
            yield from self._check_range("stock.draw", self.stock.draw, 1, left)
            yield from self._check_range("stock.redeals", self.stock.redeals, UNLIMITED, 254)

    def _check_range(
        self, name: str, value: int, lowest: int, highest: int
    ) -> Iterator[tuple[bool, str]]:
        within = type(value) is int and lowest <= value <= highest
        yield not within, f"{name} is {value!r}, accepted are whole numbers {lowest}..{highest}"


def _typed_fields(part: object, prefix: str = "") -> Iterator[tuple[str, object, tuple[type, ...]]]:
    """List the fields of a sheet, and of its parts, that are no numbers: name, value, types."""
    hints = get_type_hints(type(part))
    for each in fields(cast("Any", part)):
        value, name = getattr(part, each.name), prefix + each.name
        kinds: tuple[type, ...] = get_args(hints[each.name]) or (hints[each.name],)
        if kinds != (int,):
            yield name, value, kinds
        if is_dataclass(value):
            yield from _typed_fields(value, f"{name}.")


def _is_of(value: object, kinds: tuple[type, ...]) -> bool:
    """Tell whether a value is of one of these types; True is no number."""
    return isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))
