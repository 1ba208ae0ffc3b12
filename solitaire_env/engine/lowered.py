"""A rule sheet as the kernels read it: plain ints, and where each kind of action begins."""

from dataclasses import dataclass, fields
from functools import cache

from solitaire_env.rulesheet import RuleSheet

SINGLE_CARDS = -1
"""`LoweredRules.lift` of a game whose cards move one at a time."""


@dataclass(frozen=True, kw_only=True)
class LoweredRules:
    """The ints of a rule sheet. Every field is a constant of the compiled kernels.

    Sources of a move are numbered columns first, then the waste, the reserve cells and, where
    taking back is allowed, the foundations of each suit. `waste_source`, `reserve_source` and
    `foundation_source` are where each kind begins. Actions: source times column, then
    `waste_to_foundation`, `reserve_to_foundation`, `group_to_space` and `stock_action`. What is
    kept of sources has room for `lanes`: there each pile of a suit's foundations is one.
    """

    piles: int
    depth: int
    max_hidden: int
    triangle: int
    rows: int
    top_face_up: int
    build: int
    lift: int
    king_space: int
    choose_group: int
    max_group: int
    reserve: int
    decks: int
    suits: int
    ranks: int
    cards: int
    foundation_top: int
    aces_dealt: int
    kings_leave: int
    take_back: int
    stock_cards: int
    draw: int
    redeals: int
    points_waste_to_tableau: int
    points_to_foundation: int
    points_uncovered: int
    points_taken_back: int
    points_redeal: int
    sources: int
    waste_source: int
    reserve_source: int
    foundation_source: int
    waste_to_foundation: int
    reserve_to_foundation: int
    group_to_space: int
    stock_action: int
    num_actions: int
    lanes: int
    mask_words: int

    def __reduce__(self) -> tuple[object, tuple[int, ...]]:
        """Pickle as bare ints, so that numba's cache finds equal rules in any process."""
        return _restore, tuple(getattr(self, field.name) for field in fields(self))


def _restore(*values: int) -> LoweredRules:
    names = (field.name for field in fields(LoweredRules))
    return LoweredRules(**dict(zip(names, values, strict=True)))


def lanes_of(rules: LoweredRules, source: int) -> list[int]:
    """List where the cards that a source offers are kept: foundations offer one of each deck."""
    suit = source - rules.foundation_source
    if suit < 0:
        return [source]
    first = rules.foundation_source + suit * rules.decks
    return list(range(first, first + rules.decks))


@cache
def lower(sheet: RuleSheet) -> LoweredRules:
    """Turn a rule sheet into the ints that the kernels are compiled for."""
    tableau, foundations, ledger = sheet.tableau, sheet.foundations, sheet.ledger
    max_group = sheet.ranks - foundations.kings_leave
    return LoweredRules(
        piles=tableau.piles,
        depth=sheet.depth,
        max_hidden=max(tableau.hidden()),
        triangle=int(tableau.deal),
        rows=tableau.rows,
        top_face_up=int(tableau.face_up),
        build=int(tableau.build),
        lift=SINGLE_CARDS if tableau.lift is None else int(tableau.lift),
        king_space=int(tableau.space),
        choose_group=int(sheet.choose_group),
        max_group=max_group,
        reserve=sheet.reserve,
        decks=sheet.decks,
        suits=sheet.suits,
        ranks=sheet.ranks,
        cards=sheet.cards,
        foundation_top=sheet.foundation_top,
        aces_dealt=int(foundations.aces_dealt),
        kings_leave=int(foundations.kings_leave),
        take_back=int(foundations.take_back),
        stock_cards=sheet.stock_cards,
        draw=sheet.draw,
        redeals=sheet.redeals,
        points_waste_to_tableau=ledger.waste_to_tableau,
        points_to_foundation=ledger.to_foundation,
        points_uncovered=ledger.uncovered,
        points_taken_back=ledger.taken_back,
        points_redeal=ledger.redeal,
        **_numbering(sheet, max_group),
    )


def _numbering(sheet: RuleSheet, max_group: int) -> dict[str, int]:
    piles, waste = sheet.tableau.piles, int(sheet.stock is not None)
    reserve_source = piles + waste
    foundation_source = reserve_source + sheet.reserve
    sources = foundation_source + sheet.foundations.take_back * sheet.suits
    available = foundation_source + sheet.foundations.take_back * sheet.suits * sheet.decks
    waste_to_foundation = sources * piles
    reserve_to_foundation = waste_to_foundation + waste
    group_to_space = reserve_to_foundation + sheet.reserve
    stock_action = group_to_space + sheet.choose_group * piles * max_group
    return {
        "sources": sources,
        "waste_source": piles,
        "reserve_source": reserve_source,
        "foundation_source": foundation_source,
        "waste_to_foundation": waste_to_foundation,
        "reserve_to_foundation": reserve_to_foundation,
        "group_to_space": group_to_space,
        "stock_action": stock_action,
        "num_actions": stock_action + waste,
        "lanes": next(lanes for lanes in (16, 32, 64, 128) if available <= lanes),
        "mask_words": (stock_action + waste) // 64 + 1,
    }
