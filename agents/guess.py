"""What the table may look like, given what a player sees: a position with the unseen filled in."""

from collections import Counter
from typing import Any

import numpy as np

from solitaire_env.cards import NO_CARD, SUITS, UNKNOWN, card_of, rank_of
from solitaire_env.engine.lowered import lower
from solitaire_env.engine.state import public_fields
from solitaire_env.evaluation import ByteArray
from solitaire_env.notation import Position, card_text, face_down
from solitaire_env.rulesheet import RuleSheet

Seen = dict[str, Any]


def position_from_observation(
    sheet: RuleSheet, observation: ByteArray, rng: np.random.Generator
) -> Position:
    """Rebuild a position from an observation, the unseen cards laid out in any order, as likely.

    Args:
        sheet: the game's rules.
        observation: (n,) uint8.
        rng: decides where the unseen cards lie.

    Returns:
        A position for `reset(options={"position": ...})`. Moves without progress are not part of
        it, nor, past 254, how many passes there were.
    """
    seen = _read(sheet, observation)
    unseen = rng.permutation(_unseen(sheet, seen, rng)).tolist()
    columns = [
        [
            face_down(card_text(unseen.pop())) if card == UNKNOWN else card_text(card)
            for card in cards[:height]
        ]
        for cards, height in zip(seen["tableau"], seen["heights"], strict=True)
    ]
    stock = [unseen.pop() if card == UNKNOWN else card for card in _cards(seen, "stock")]
    cells = [card_text(card) if card else None for card in seen.get("reserve", [])]
    return {
        "variant": sheet.name,
        "tableau": columns,
        "reserve": cells,
        "foundations": dict(zip(SUITS, seen["foundations"], strict=False)),
        "kings": seen["kings"][0],
        "stock": [card_text(card) for card in stock],
        "waste": [card_text(card) for card in _cards(seen, "waste")],
        "passes": seen["counters"][0],
    }


def _read(sheet: RuleSheet, observation: ByteArray) -> Seen:
    """Read the fields of an observation: nested lists of ints."""
    return {
        name: observation[field.slice].reshape(field.shape).tolist()
        for name, field in public_fields(lower(sheet)).items()
    }


def _cards(seen: Seen, pile: str) -> list[int]:
    """List the cards of stock or waste."""
    return seen[pile][: seen[f"{pile}_height"][0]] if pile in seen else []


def _unseen(sheet: RuleSheet, seen: Seen, rng: np.random.Generator) -> list[int]:
    """List the cards of the decks that are not seen, lowest first.

    Of Kings that left it is not seen which they were: any of the Kings not seen.
    """
    left = Counter(
        {
            card_of(suit, rank): sheet.decks
            for suit in range(sheet.suits)
            for rank in range(1, sheet.ranks + 1)
        }
    )
    left.subtract(_seen_cards(seen))
    unseen = sorted(card for card in left.elements() if card not in (NO_CARD, UNKNOWN))
    kings = [place for place, card in enumerate(unseen) if rank_of(card) == sheet.king]
    gone = set(rng.choice(kings, seen["kings"][0], replace=False).tolist()) if kings else set()
    return [card for place, card in enumerate(unseen) if place not in gone]


def _seen_cards(seen: Seen) -> list[int]:
    """List every card that lies open, foundations included."""
    cards = [card for column in seen["tableau"] for card in column]
    for pile in ("stock", "waste", "reserve"):
        cards += seen.get(pile, [])
    for suit, heights in enumerate(seen["foundations"]):
        cards += [card_of(suit, rank) for height in heights for rank in range(1, height + 1)]
    return cards
