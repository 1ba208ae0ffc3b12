"""Big Bertha: everything face up, fourteen reserve cards, and Kings that leave by themselves."""

from solitaire_env.rulesheet import Foundations, Limits, RuleSheet, Space, Suits, Tableau

BIG_BERTHA = RuleSheet(
    name="big-bertha",
    title="Big Bertha",
    source="Big Bertha rule text",
    decks=2,
    tableau=Tableau(
        piles=15,
        rows=6,
        build=Suits.ALTERNATE_COLOR,
        lift=Suits.ALTERNATE_COLOR,
        space=Space.ANY,
    ),
    reserve=14,
    foundations=Foundations(kings_leave=True),
    limits=Limits(episode_steps=540, no_progress=66),
)
