"""The same deals, games and bytes for ever: golden hashes, an independent shuffle, no compiler."""

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from solitaire_env import VARIANTS, RuleSheet
from solitaire_env.cards import RANKS, SUITS
from solitaire_env.rulesheet import Deal
from tests.helpers import bare, every_variant, fingerprint, make_vec, run_python
from tests.playthrough import DEALS, GOLDEN, deal_hashes, playthrough

WORD = 2**64
REWRITE = "python -m tests.playthrough"


@every_variant
def test_deals_are_the_same_for_ever(name: str) -> None:
    """A deal number names one deal, on every machine, NumPy and version of this package."""
    golden = json.loads((GOLDEN / "deals.json").read_text(encoding="utf-8"))
    assert deal_hashes(name) == golden[name]


@every_variant
def test_a_game_reads_as_it_did(name: str) -> None:
    """Moves, rewards, counters and boards of a golden game; after a change of the rules rewrite."""
    golden = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    assert playthrough(name) == golden, f"if that is meant: {REWRITE}"


def mix(word: int) -> int:
    """Scatter the bits of a word, as splitmix64 does."""
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB % WORD
    return word ^ (word >> 31)


def words(seed: int) -> Iterator[int]:
    """Give splitmix64's numbers from a scattered seed."""
    state = mix((seed + 0x9E3779B97F4A7C15) % WORD)
    while True:
        state = (state + 0x9E3779B97F4A7C15) % WORD
        yield mix(state)


def below(bound: int, source: Iterator[int]) -> int:
    """Draw a number below a bound from the upper 32 bits, refusing what would bias it."""
    while True:
        product = (next(source) >> 32) * bound
        if product % 2**32 >= 2**32 % bound:
            return product // 2**32


def shuffled(sheet: RuleSheet, deal: int) -> list[str]:
    """Shuffle the cards that are dealt: Fisher and Yates, from the last card down."""
    ranks = RANKS[sheet.foundations.aces_dealt : sheet.ranks]
    deck = [rank + suit for suit in SUITS for rank in ranks for _ in range(sheet.decks)]
    source = words(deal)
    for last in range(len(deck) - 1, 0, -1):
        other = below(last + 1, source)
        deck[last], deck[other] = deck[other], deck[last]
    return deck


def expected_deal(sheet: RuleSheet, deal: int) -> dict[str, Any]:
    """Lay a shuffled deck out as the rule sheet says."""
    deck = iter(shuffled(sheet, deal))
    columns, kings = [], 0
    for pile in range(sheet.tableau.piles):
        height = pile + 1 if sheet.tableau.deal is Deal.TRIANGLE else sheet.tableau.rows
        columns.append([next(deck) for _ in range(height)])
    reserve: list[str | None] = [next(deck) for _ in range(sheet.reserve)]
    if sheet.foundations.kings_leave:
        for column in columns:
            while column and column[-1][0] == "K":
                column.pop()
                kings += 1
        kings += sum(card[0] == "K" for card in reserve if card)
        reserve = [None if card and card[0] == "K" else card for card in reserve]
    for column, hidden in zip(columns, sheet.tableau.hidden(), strict=True):
        column[:hidden] = [f"<{card}>" for card in column[:hidden]]
    return {
        "variant": sheet.name,
        "tableau": columns,
        "reserve": reserve,
        "foundations": {suit: [int(sheet.foundations.aces_dealt)] * sheet.decks for suit in SUITS},
        "kings": kings,
        "stock": [*deck][::-1],
        "waste": [],
        "passes": 1,
    }


@every_variant
def test_the_shuffle_is_splitmix_and_fisher_yates(name: str) -> None:
    """Deals agree with the published generator and shuffle, written anew in plain Python."""
    env = bare(name)
    for deal in (*DEALS, *range(100, 130), 2**32 - 1, 2**32, 2**62 + 12345):
        env.reset(options={"deal": deal})
        assert env.position() == expected_deal(VARIANTS[name], deal)


@every_variant
def test_seeds_draw_deals_by_splitmix(name: str) -> None:
    """Seeded deals are the generator's upper 63 bits, those kept for evaluation left out."""
    env = bare(name)
    for seed in (0, 1, 12345, 2**63):
        source = words(seed)
        drawn = [env.reset(seed=seed)[1]["deal"]] + [env.reset()[1]["deal"] for _ in range(3)]
        expected = [next(source) // 2 for _ in range(4)]
        assert drawn == [word + 1_000_000 for word in expected]


CRITICAL = {47: (14.1, 108.2), 51: (16.3, 114.1), 2303: (1990.0, 2641.1), 2703: (2365.0, 3068.0)}
"""Chi-square's bounds by degrees of freedom: one in a million lies below, one above."""


def chi_square(counts: np.ndarray, expected: np.ndarray | float) -> bool:
    """Tell whether counts agree with what is expected, neither too badly nor too well."""
    low, high = CRITICAL[counts.size - 1]
    return low < float(((counts - expected) ** 2 / expected).sum()) < high


def dealt_cards(name: str, deals: int) -> np.ndarray:
    """Give the cards of deals 0.. in the order of their places: (deals, places)."""
    env = make_vec(name, deals, observability="full", num_threads=1)
    observations, _ = env.reset(options={"deals": np.arange(deals)})
    parts = [observations[:, env.fields[part].slice] for part in ("tableau", "stock")]
    places = np.concatenate(parts, axis=1)
    return places[:, places.any(axis=0)]


@pytest.mark.parametrize(
    "name", [n for n in VARIANTS if VARIANTS[n].draw == 1 and VARIANTS[n].stock]
)
def test_every_card_is_as_likely_everywhere(name: str) -> None:
    """Over 20,000 deals each place shows each card as often; neighbours are independent."""
    sheet, deals = VARIANTS[name], 20_000
    cards = dealt_cards(name, deals)
    kinds = np.unique(cards)
    assert len(kinds) == 52 - 4 * sheet.foundations.aces_dealt
    ranks = np.searchsorted(kinds, cards)
    for place in ranks.T:
        assert chi_square(np.bincount(place, minlength=len(kinds)), deals / len(kinds))
    total = sheet.decks * len(kinds)
    pairs = np.full((len(kinds), len(kinds)), sheet.decks / (total - 1))
    np.fill_diagonal(pairs, (sheet.decks - 1) / (total - 1))
    for first, second in pairwise(ranks.T[:12]):
        counts = np.bincount(first * len(kinds) + second, minlength=pairs.size)
        assert chi_square(counts, (pairs * deals / len(kinds)).ravel())


@pytest.mark.parametrize("name", ["san-juan-hill", "pantagruel-turn1"])
def test_neighbouring_deals_are_independent(name: str) -> None:
    """A card says nothing of the card in the same place of the next deal."""
    cards = dealt_cards(name, 20_000)
    kinds = np.unique(cards)
    ranks = np.searchsorted(kinds, cards)
    for place in ranks.T[:12]:
        counts = np.bincount(place[:-1] * len(kinds) + place[1:], minlength=len(kinds) ** 2)
        assert chi_square(counts, (len(place) - 1) / len(kinds) ** 2)


def test_the_same_bytes_without_the_compiler() -> None:
    """With the JIT off the kernels run as plain Python, to the same last byte."""
    code = "from tests.helpers import VARIANTS, fingerprint\n"
    code += "for name in VARIANTS: print(name, fingerprint(name))"
    plain = run_python(code, NUMBA_DISABLE_JIT="1").stdout.split()
    assert dict(zip(plain[::2], plain[1::2], strict=True)) == {
        name: fingerprint(name) for name in VARIANTS
    }
