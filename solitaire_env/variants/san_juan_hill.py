"""San Juan Hill: single cards, built down in suit, and one pass through the stock."""

from solitaire_env.rulesheet import Foundations, Limits, RuleSheet, Space, Stock, Suits, Tableau

SAN_JUAN_HILL = RuleSheet(
    name="san-juan-hill",
    title="San Juan Hill",
    source="San Juan Hill rule text",
    decks=2,
    tableau=Tableau(piles=10, rows=4, build=Suits.SAME, space=Space.ANY),
    foundations=Foundations(aces_dealt=True),
    stock=Stock(draw=1, redeals=0),
    limits=Limits(episode_steps=600, no_progress=60),
)
