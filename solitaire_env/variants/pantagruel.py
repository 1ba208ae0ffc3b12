"""Pantagruel Double Klondike: two decks, nine columns, and four ways through the stock."""

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

PANTAGRUEL_TURN1 = RuleSheet(
    name="pantagruel-turn1",
    title="Pantagruel Double Klondike, Turn-1",
    source="Pantagruel rule text, 2.6.1",
    decks=2,
    tableau=Tableau(
        piles=9,
        deal=Deal.TRIANGLE,
        face_up=FaceUp.TOP,
        build=Suits.ALTERNATE_COLOR,
        lift=Suits.ALTERNATE_COLOR,
        space=Space.KING,
    ),
    foundations=Foundations(take_back=True),
    stock=Stock(draw=1, redeals=UNLIMITED),
    ledger=Ledger(redeal=-20),
    limits=Limits(episode_steps=900, no_progress=64),
)

PANTAGRUEL_TURN3 = replace(
    PANTAGRUEL_TURN1,
    name="pantagruel-turn3",
    title="Pantagruel Double Klondike, Turn-3",
    source="Pantagruel rule text, 2.6.2",
    stock=Stock(draw=3, redeals=UNLIMITED),
    ledger=Ledger(),
    limits=Limits(episode_steps=800, no_progress=27),
    honour="Grand Solitaire Master of Pantagruel",
)

PANTAGRUEL_TOURNAMENT = replace(
    PANTAGRUEL_TURN3,
    name="pantagruel-tournament",
    title="Pantagruel Double Klondike, Tournament",
    source="Pantagruel rule text, 2.1, Law 4",
    stock=Stock(draw=3, redeals=3),
    honour="",
)

PANTAGRUEL_ROYAL = replace(
    PANTAGRUEL_TOURNAMENT,
    name="pantagruel-royal",
    title="Pantagruel Double Klondike, Strict Royal",
    source="Pantagruel rule text, 2.6.3",
    foundations=Foundations(),
    stock=Stock(draw=3, redeals=2),
    limits=Limits(episode_steps=700, no_progress=24),
)
