"""Games of a few cards, for tests that want every rule within reach."""

from dataclasses import replace

from solitaire_env.rulesheet import (
    UNLIMITED,
    Deal,
    FaceUp,
    Foundations,
    Ledger,
    Limits,
    RuleSheet,
    Space,
    Stock,
    Suits,
    Tableau,
)

TINY_KLONDIKE = RuleSheet(
    name="tiny-klondike",
    title="Tiny Klondike",
    source="made up for the tests",
    decks=2,
    suits=2,
    ranks=6,
    tableau=Tableau(
        piles=4,
        deal=Deal.TRIANGLE,
        face_up=FaceUp.TOP,
        build=Suits.ALTERNATE_COLOR,
        lift=Suits.ALTERNATE_COLOR,
        space=Space.KING,
    ),
    foundations=Foundations(take_back=True),
    stock=Stock(draw=2, redeals=2),
    ledger=Ledger(redeal=-3),
    limits=Limits(episode_steps=200, no_progress=20),
)

TINY_BERTHA = RuleSheet(
    name="tiny-bertha",
    title="Tiny Bertha",
    source="made up for the tests",
    decks=1,
    suits=3,
    ranks=7,
    tableau=Tableau(piles=5, rows=3, build=Suits.ANY, lift=Suits.SAME, space=Space.ANY),
    reserve=6,
    foundations=Foundations(kings_leave=True),
    limits=Limits(episode_steps=200, no_progress=20),
)

TINY_MEDLEY = RuleSheet(
    name="tiny-medley",
    title="Tiny Medley",
    source="made up for the tests: rules that no printed game combines",
    decks=2,
    ranks=6,
    tableau=Tableau(
        piles=5,
        deal=Deal.TRIANGLE,
        face_up=FaceUp.TOP,
        build=Suits.ALTERNATE_COLOR,
        lift=Suits.ALTERNATE_COLOR,
        space=Space.ANY,
    ),
    reserve=3,
    foundations=Foundations(aces_dealt=True, kings_leave=True),
    stock=Stock(draw=2, redeals=UNLIMITED),
    limits=Limits(episode_steps=200, no_progress=30),
)

TINY_CELLS = RuleSheet(
    name="tiny-cells",
    title="Tiny Cells",
    source="made up for the tests: small enough to search whole",
    decks=1,
    suits=2,
    ranks=4,
    tableau=Tableau(
        piles=3,
        rows=2,
        build=Suits.ALTERNATE_COLOR,
        lift=Suits.ALTERNATE_COLOR,
        space=Space.KING,
    ),
    reserve=2,
    limits=Limits(episode_steps=100, no_progress=20),
)

TINY_COLUMNS = replace(
    TINY_CELLS,
    name="tiny-columns",
    title="Tiny Columns",
    source="made up for the tests: small enough to search whole, and won by care alone",
    ranks=6,
    tableau=replace(TINY_CELLS.tableau, piles=4, rows=3, space=Space.ANY),
    reserve=0,
)

TINY_GAMES = (TINY_KLONDIKE, TINY_BERTHA, TINY_MEDLEY)
