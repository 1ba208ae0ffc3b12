"""Small boards written as text, for tests that fit on a few lines."""

from dataclasses import replace

from solitaire_env.rulesheet import Deal, RuleSheet

from .cards import suits_of


def sized(sheet: RuleSheet, piles: int) -> RuleSheet:
    """Give a game fewer columns; where every card is dealt, longer ones."""
    rows = sheet.tableau.rows
    if sheet.stock is None and sheet.tableau.deal is Deal.ROWS:
        rows = (sheet.cards - sheet.reserve) // piles
    return replace(sheet, tableau=replace(sheet.tableau, piles=piles, rows=rows))


def board(
    sheet: RuleSheet,
    columns: str,
    *,
    up: str = "",
    reserve: str = "",
    stock: str = "",
    waste: str = "",
    kings: int = 0,
    passes: int = 1,
) -> tuple[RuleSheet, dict]:
    """Read a board, bottom cards first, and the game with as many columns.

    `columns` is "9S 8S | - | <TH> 4C"; `up` the heights on the foundations, "S3 S2 H1", the rest
    empty; a "-" in `reserve` is an empty cell. The pack need not be complete.
    """
    tableau = [[] if pile.strip() == "-" else pile.split() for pile in columns.split("|")]
    heights: dict[str, list[int]] = {suit: [] for suit in suits_of(sheet)}
    for pile in up.split():
        heights[pile[0]].append(int(pile[1:]))
    position = {
        "variant": sheet.name,
        "tableau": tableau,
        "reserve": [None if card == "-" else card for card in reserve.split()],
        "foundations": {
            suit: sorted(piles + [0] * (sheet.decks - len(piles)), reverse=True)
            for suit, piles in heights.items()
        },
        "kings": kings,
        "stock": stock.split(),
        "waste": waste.split(),
        "passes": passes,
    }
    return sized(sheet, len(tableau)), position
