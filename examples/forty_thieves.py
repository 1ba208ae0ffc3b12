"""A fifth game from outside the package: a rule sheet, registered, and one game of it at random.

Run it with `python -m examples.forty_thieves`.
"""

import gymnasium as gym

import solitaire_env
from solitaire_env.rulesheet import Limits, RuleSheet, Space, Stock, Suits, Tableau

FORTY_THIEVES = RuleSheet(
    name="forty-thieves",
    title="Forty Thieves",
    source="common printed rules",
    decks=2,
    tableau=Tableau(piles=10, rows=4, build=Suits.SAME, space=Space.ANY),
    stock=Stock(draw=1, redeals=0),
    limits=Limits(episode_steps=600, no_progress=70),
)


def main() -> None:
    """Play deal 7 with random legal moves and print how it ended."""
    solitaire_env.register(FORTY_THIEVES)
    env = gym.make(solitaire_env.env_id(FORTY_THIEVES))
    env.action_space.seed(7)
    _, info = env.reset(seed=7, options={"deal": 7})
    over = False
    while not over:
        action = env.action_space.sample(info["action_mask"])
        _, _, terminated, truncated, info = env.step(action)
        over = terminated or truncated
    outcome = info.get("outcome", "cut by the step limit")
    print(f"deal {info['deal']}: {outcome} after {info['moves']} moves,")
    print(f"{info['foundation_cards']} of {FORTY_THIEVES.cards} cards on the foundations")


if __name__ == "__main__":
    main()
