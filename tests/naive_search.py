"""Whether a small position can be won, by trying every move of the slow reference game."""

import json
import random
from dataclasses import replace
from typing import Any

from solitaire_env.cards import RANKS, SUITS
from solitaire_env.rulesheet import UNLIMITED, FaceUp, RuleSheet

from .helpers import ending
from .reference.check import refusal
from .reference.game import ReferenceGame

MOST_CARDS = 24
NARROW = 5

_ENDLESS = 10**9


def naive_verdict(sheet: RuleSheet, position: dict[str, Any], most: int) -> str | None:
    """Say "solved" or "refuted"; None if that takes more than so many positions."""
    start = ReferenceGame(sheet, position, no_progress_limit=_ENDLESS)
    seen, waiting = {_key(sheet, start)}, [start]
    while waiting:
        game = waiting.pop()
        for move in sorted(game.legal_moves(), key=lambda move: move[1] == "F"):
            after = ReferenceGame(sheet, game.position(), no_progress_limit=_ENDLESS)
            after.play(move)
            if after.outcome == "won":
                return "solved"
            key = _key(sheet, after)
            if key not in seen and not after.outcome:
                seen.add(key)
                waiting.append(after)
        if len(seen) > most:
            return None
    return "refuted"


def _key(sheet: RuleSheet, game: ReferenceGame) -> str:
    """Write a position; passes only where they are limited."""
    at = game.position()
    if sheet.stock is None or sheet.redeals == UNLIMITED:
        del at["passes"]
    return json.dumps(at)


def narrow(sheet: RuleSheet) -> RuleSheet:
    """Give a game five columns: few cards then often can't be won, as they seldom can't on all."""
    tableau = sheet.tableau
    rows = tableau.rows if sheet.stock else tableau.rows * tableau.piles // NARROW
    fewer = replace(tableau, piles=NARROW, rows=rows)
    return replace(sheet, name=f"narrow-{sheet.name}", title=f"Narrow {sheet.title}", tableau=fewer)


def crowded(sheet: RuleSheet, rng: random.Random) -> dict[str, Any]:
    """Lay out at most `MOST_CARDS` cards, of few foundations, over as many columns as can be.

    Cards of few suits that lie in each other's way on a full table: often nothing wins.
    """
    while True:
        cards = _loose(sheet, rng)
        rng.shuffle(cards)
        talon = rng.randint(0, min(8, len(cards) // 2, sheet.stock_cards))
        stock = rng.randint(0, talon)
        piles: dict[str, Any] = {"stock": cards[:stock], "waste": cards[stock:talon]}
        cards = cards[talon:]
        cells = rng.randint(0, min(sheet.reserve, 4))
        piles["reserve"] = [*cards[:cells], *[None] * (sheet.reserve - cells)]
        position = ending(sheet, _columns(sheet, rng, cards[cells:]), **piles)
        if sheet.redeals > 0 and rng.random() < 0.5:
            position["passes"] = sheet.redeals + 1
        if refusal(sheet, position) is None:
            return position


def _loose(sheet: RuleSheet, rng: random.Random) -> list[str]:
    """Take cards off some foundations, and Kings that leave from where they went."""
    suits = SUITS[: sheet.suits]
    names = [(suit, pile) for suit in suits for pile in range(sheet.decks)]
    heights = dict.fromkeys(rng.sample(names, rng.randint(1, 4)), sheet.foundation_top)
    lowest = int(sheet.foundations.aces_dealt)
    kings = rng.randint(0, 3) if sheet.foundations.kings_leave else 0
    cards = rng.sample([RANKS[sheet.ranks - 1] + suit for suit in suits], kings)
    for _ in range(rng.randint(4, MOST_CARDS - kings)):
        left = [name for name, height in heights.items() if height > lowest]
        if not left:
            break
        name = rng.choice(left)
        cards.append(RANKS[heights[name] - 1] + name[0])
        heights[name] -= 1
    return cards


def _columns(sheet: RuleSheet, rng: random.Random, cards: list[str]) -> list[list[str]]:
    """Lay a card in each column, then the others where the deal had room."""
    heights = sheet.tableau.heights()
    first = rng.sample(range(len(heights)), len(heights))
    rest = [pile for pile, height in enumerate(heights) for _ in range(height - 1)]
    order = first + rng.sample(rest, len(rest))
    columns: list[list[str]] = [[] for _ in heights]
    for card, pile in zip(cards, order, strict=False):
        columns[pile].append(card)
    if sheet.tableau.face_up is FaceUp.TOP:
        return [[f"<{card}>" for card in column[:-1]] + column[-1:] for column in columns]
    return columns
