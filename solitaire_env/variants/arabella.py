"""Arabella: three decks in a triangle, built regardless of suit, moved in suit."""

from solitaire_env.rulesheet import Deal, Limits, RuleSheet, Space, Stock, Suits, Tableau

ARABELLA = RuleSheet(
    name="arabella",
    title="Arabella",
    source="Arabella rule text",
    decks=3,
    tableau=Tableau(
        piles=13, deal=Deal.TRIANGLE, build=Suits.ANY, lift=Suits.SAME, space=Space.KING
    ),
    stock=Stock(draw=1, redeals=0),
    limits=Limits(episode_steps=1000, no_progress=70),
)
