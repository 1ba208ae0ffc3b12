"""A card is one small int: 0 no card, 1..52 suit by suit from the Ace, 53 a card not seen."""

from typing import Final

NO_CARD: Final = 0
UNKNOWN: Final = 53
"""Stands in an observation for a card that the player has not seen."""

RANKS: Final = "A23456789TJQK"
SUITS: Final = "SHDC"
RED_SUITS: Final = "HD"
RANKS_PER_SUIT: Final = len(RANKS)


def card_of(suit: int, rank: int) -> int:
    """Number the card of a suit (0..3, as in `SUITS`) and a rank (1 the Ace .. 13 the King)."""
    return suit * RANKS_PER_SUIT + rank


def suit_of(card: int) -> int:
    """Tell the suit of a card 1..52: an index into `SUITS`."""
    return (card - 1) // RANKS_PER_SUIT


def rank_of(card: int) -> int:
    """Tell the rank of a card 1..52: 1 the Ace .. 13 the King."""
    return (card - 1) % RANKS_PER_SUIT + 1


def is_red(card: int) -> bool:
    """Tell whether a card 1..52 is of Hearts or Diamonds."""
    return SUITS[suit_of(card)] in RED_SUITS
