"""Cards as text: the rank, then the suit ("TD"); in angle brackets where face down ("<TD>")."""

from solitaire_env.rulesheet import RuleSheet, Suits

RANKS = "A23456789TJQK"
SUITS = "SHDC"
RANK = {rank + suit: number for number, rank in enumerate(RANKS, start=1) for suit in SUITS}
"""Card -> 1 (the Ace) .. 13. A face-down card has no entry: whoever asks for one peeks."""


def suits_of(sheet: RuleSheet) -> str:
    """Name the suits in play."""
    return SUITS[: sheet.suits]


def pack(sheet: RuleSheet) -> list[str]:
    """List every card in play, all decks together."""
    deck = [rank + suit for suit in suits_of(sheet) for rank in RANKS[: sheet.ranks]]
    return deck * sheet.decks


def is_king(sheet: RuleSheet, card: str) -> bool:
    """Tell whether a face-up card has the highest rank, whatever its number."""
    return RANK[card] == sheet.ranks


def last_rank(sheet: RuleSheet) -> int:
    """Tell the rank that completes a foundation (Big Bertha: the Queen, else the King)."""
    return sheet.ranks - 1 if sheet.foundations.kings_leave else sheet.ranks


def face_down(card: str) -> bool:
    """Tell whether a card lies face down."""
    return card[0] == "<"


def turned_up(card: str) -> str:
    """Give the face of a card, however it lies."""
    return card.strip("<>")


def red(card: str) -> bool:
    """Tell whether a card is of Hearts or Diamonds."""
    return card[1] in "HD"


def builds(lower: str, upper: str, suits: Suits) -> bool:
    """Tell whether a card is of the next lower rank, and its suit related as the game says."""
    if RANK[lower] + 1 != RANK[upper]:
        return False
    if suits is Suits.SAME:
        return lower[1] == upper[1]
    return suits is Suits.ANY or red(lower) != red(upper)
