"""What a network looks up of a table, against a slow reading of the same bytes."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from agents.layout import Layout, layout_of
from agents.reading import (
    CARDS,
    COPIES,
    DEPTH,
    KINSHIPS,
    NEIGHBOURS,
    PAIRS,
    RANKS_PER_SUIT,
    ROWS,
    STANDINGS,
    add_rows,
    plan_of,
    read,
)
from solitaire_env import VARIANTS, register
from solitaire_env.cards import UNKNOWN, card_of, is_red, rank_of, suit_of
from solitaire_env.envs.registration import env_id, find_sheet
from tests.helpers import random_legal
from tests.tiny_games import TINY_GAMES


def piles_of(layout: Layout, seen: dict[str, Any]) -> list[list[int]]:
    """List the cards of each pile, from its top."""
    piles = []
    for pile in layout.piles:
        if pile[0] == "T":
            column = seen["tableau"][int(pile[1:])]
            piles.append([int(card) for card in column if card][::-1])
        elif pile[0] == "R":
            piles.append([int(card) for card in seen["reserve"][int(pile[1:]) :][:1] if card])
        elif pile[0] == "F":
            suit = "SHDC".index(pile[1])
            piles.append([card_of(suit, int(rank)) for rank in seen["foundations"][suit] if rank])
        else:
            cards = seen["stock" if pile == "stock" else "waste"]
            piles.append([int(card) for card in cards if card][::-1])
    return piles


def slow_rows(layout: Layout, seen: dict[str, Any]) -> list[list[int]]:
    """List the rows of each pile by the words of agents/reading.py."""
    piles = dict(zip(layout.piles, piles_of(layout, seen), strict=True))
    open_cards = [card for name, pile in piles.items() for card in pile if name[0] != "F"]
    return [
        [
            row
            for depth, card in enumerate(pile)
            for row in rows_of(
                min(depth, DEPTH - 1),
                card,
                pile[depth + 1] if depth + 1 < len(pile) and name[0] != "F" else 0,
                open_cards.count(card),
                neighbours_of(card, name, piles),
                seen["foundations"],
            )
        ]
        for name, pile in piles.items()
    ]


def neighbours_of(card: int, home: str, piles: dict[str, list[int]]) -> int:
    """Tell of which kinships a card's next higher and lower ones lie on top of other piles."""
    bits = 0
    for name, pile in piles.items():
        if name == home or name == "stock" or name[0] == "F" or not pile or card == UNKNOWN:
            continue
        top = pile[0]
        if name[0] == "T" and rank_of(top) == rank_of(card) + 1:
            bits |= 1 << kinship_of(top, card)
        if rank_of(top) == rank_of(card) - 1:
            bits |= 1 << KINSHIPS + kinship_of(top, card)
    return bits


def kinship_of(one: int, other: int) -> int:
    """Give 0 for one suit, 1 for one colour, 2 for two."""
    same_color = is_red(one) == is_red(other)
    return 0 if suit_of(one) == suit_of(other) else 1 if same_color else 2


def rows_of(
    depth: int, card: int, below: int, copies: int, neighbours: int, foundations: Any
) -> list[int]:
    """List the rows of a card."""
    rows = [depth * CARDS + card]
    if card == UNKNOWN:
        return rows
    lower = [int(height) for height in foundations[suit_of(card)] if height < rank_of(card)]
    need = rank_of(card) - 1 - max(lower) if lower else RANKS_PER_SUIT
    standing = need * COPIES + min(copies, COPIES - 1)
    rows.append(DEPTH * CARDS + depth * STANDINGS + standing)
    rows.append(DEPTH * (CARDS + STANDINGS) + depth * NEIGHBOURS + neighbours)
    if below not in (0, UNKNOWN):
        step = rank_of(below) - rank_of(card) + RANKS_PER_SUIT - 1
        pair = step * KINSHIPS + kinship_of(below, card)
        rows.append(DEPTH * (CARDS + STANDINGS + NEIGHBOURS) + depth * PAIRS + pair)
    return rows


@pytest.mark.parametrize("name", [*VARIANTS, *(sheet.name for sheet in TINY_GAMES)])
def test_tables_are_read_as_they_lie(name: str) -> None:
    """Each pile gives its cards from the top, how each stands, how it follows the one under it."""
    for sheet in TINY_GAMES:
        register(sheet)
    env: Any = gym.make(env_id(find_sheet(name)))
    layout, rng = layout_of(env), np.random.default_rng(3)
    observation, info = env.reset(seed=1)
    for _ in range(150):
        seen = {
            part: observation[field.slice].reshape(field.shape)
            for part, field in env.unwrapped.fields.items()
        }
        rows, begins, counts = read(observation[None], plan_of(layout))
        expected = slow_rows(layout, seen)
        assert [part.tolist() for part in np.split(rows, begins[1:])] == expected
        assert rows.max(initial=0) < ROWS
        decks = layout.shapes["foundations"][1]
        piles = list(zip(layout.piles, piles_of(layout, seen), strict=True))
        cards = [card for name, pile in piles for card in pile if name[0] != "F"]
        shown = [pile[0] for name, pile in piles if pile and name[0] in "TWR"]
        for found, listed in zip(counts[0], (cards, shown), strict=True):
            seen_ones = [card for card in listed if card != UNKNOWN]
            np.testing.assert_allclose(found * decks, np.bincount(seen_ones, minlength=CARDS))
        observation, _, terminated, truncated, info = env.step(
            random_legal(info["action_mask"], rng)
        )
        if terminated or truncated:
            observation, info = env.reset()


def test_rows_get_what_their_piles_get() -> None:
    """The gradient of a sum: each pile's values once for every time that it looked a row up."""
    rows, begins = np.array([3, 1, 1, 2, 3]), np.array([0, 2, 2])
    values = np.array([[1, 2], [8, 9], [10, 20]], np.float32)
    out = np.zeros((5, 2), np.float32)
    add_rows(rows, begins, values, out)
    assert out.tolist() == [[0, 0], [11, 22], [10, 20], [11, 22], [0, 0]]
