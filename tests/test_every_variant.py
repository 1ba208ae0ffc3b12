"""Every game, from the rule sheets, walked side by side with the slow reference.

It loops over VARIANTS, so a game is tested when its file is in the folder; Forty Thieves and the
tiny games come from outside the package, by `register`.
"""

import random
from collections.abc import Callable

import pytest

from examples.forty_thieves import FORTY_THIEVES
from solitaire_env import VARIANTS, RuleSheet

from .positions import kinds, last_moves, passes_of
from .reference.check import refusal
from .side_by_side import Tally, environment, walk
from .tiny_games import TINY_GAMES

SHEETS = {sheet.name: sheet for sheet in [*VARIANTS.values(), FORTY_THIEVES, *TINY_GAMES]}

every_game = pytest.mark.parametrize("name", SHEETS)


def check_quotas(sheet: RuleSheet, tally: Tally, states: int) -> None:
    """Assert that the walk has seen enough of all that is rare in play."""
    assert tally.states >= states
    assert 5 * tally.late >= tally.states
    assert sum(tally.wins.values()) >= 100
    for last in last_moves(sheet):
        assert tally.wins[last] >= 10, f"wins by {last}"
    assert tally.kinds["nearly dead"] >= 10
    assert tally.outcomes["no_progress"] >= 5
    if sheet.stock is None:
        assert tally.outcomes["stuck"] >= 20
    else:
        check_stock_quotas(sheet, tally)


def check_stock_quotas(sheet: RuleSheet, tally: Tally) -> None:
    """Assert that last draws, every pass's end and dead games were seen."""
    assert tally.outcomes["dead"] >= 20
    for left in range(1, sheet.draw + 1):
        assert tally.stocks[left] >= 20, f"stock of {left}"
    limit = sheet.redeals + 1
    for passes in range(1, passes_of(sheet) + 1):
        redeal = passes != limit
        assert tally.pass_ends[passes, redeal] >= 10, f"end of pass {passes}"
        assert not tally.pass_ends[passes, True] or redeal


@every_game
def test_engine_is_reference(name: str) -> None:
    """Legal moves, positions, rewards, ends, counters and masks agree in ten thousand states."""
    check_quotas(SHEETS[name], walk(SHEETS[name], 10_000, seed=1), 10_000)


@pytest.mark.long
@every_game
def test_engine_is_reference_at_length(name: str) -> None:
    """The same in a hundred thousand other states."""
    check_quotas(SHEETS[name], walk(SHEETS[name], 100_000, seed=2), 100_000)


def _drop(at: dict, rng: random.Random) -> None:
    rng.choice(_piles(at)).pop()


def _double(at: dict, rng: random.Random) -> None:
    pile = rng.choice(_piles(at))
    pile.append(pile[0].strip("<>"))


def _exchange(at: dict, rng: random.Random) -> None:
    one, other = rng.choice(_piles(at)), rng.choice(_piles(at))
    first, second = rng.randrange(len(one)), rng.randrange(len(other))
    one[first], other[second] = other[second], one[first]


def _move(at: dict, rng: random.Random) -> None:
    source = rng.choice(_piles(at))
    card = source.pop(rng.randrange(len(source)))
    target = rng.choice([*at["tableau"], at["stock"], at["waste"]])
    target.insert(rng.randint(0, len(target)), card)


def _turn(at: dict, rng: random.Random) -> None:
    pile = rng.choice(_piles(at))
    number = rng.randrange(len(pile))
    card = pile[number]
    pile[number] = card.strip("<>") if card[0] == "<" else f"<{card}>"


def _foundation(at: dict, rng: random.Random) -> None:
    heights = rng.choice(list(at["foundations"].values()))
    heights[rng.randrange(len(heights))] += rng.choice([-1, 1])


def _reorder(at: dict, rng: random.Random) -> None:
    for heights in at["foundations"].values():
        rng.shuffle(heights)


def _kings(at: dict, rng: random.Random) -> None:
    at["kings"] += rng.choice([-1, 1])


def _passes(at: dict, rng: random.Random) -> None:
    at["passes"] += rng.choice([-1, 1, 2, 3])


def _draws(at: dict, rng: random.Random) -> None:
    """Draw any number of cards, or lay them back."""
    cards = at["stock"] + at["waste"][::-1]
    cut = rng.randint(0, len(cards))
    at["stock"], at["waste"] = cards[:cut], cards[cut:][::-1]


def _columns(at: dict, rng: random.Random) -> None:
    rng.shuffle(at["tableau"])


def _piles(at: dict) -> list[list[str]]:
    """List the piles that have cards; if none has, one that lies beside the table."""
    return [pile for pile in [*at["tableau"], at["stock"], at["waste"]] if pile] or [["KS"]]


CHANGES = [
    _drop,
    _double,
    _exchange,
    _move,
    _turn,
    _foundation,
    _reorder,
    _kings,
    _passes,
    _draws,
    _columns,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__.strip("_"))
@every_game
def test_positions_are_refused_alike(
    name: str, change: Callable[[dict, random.Random], None]
) -> None:
    """A changed position is refused by `reset` exactly when the reference says why."""
    sheet = SHEETS[name]
    env = environment(sheet)
    for number, (kind, make) in enumerate(kinds(sheet) * 2):
        rng = random.Random(f"{name} {number}")
        at = make(sheet, rng)
        change(at, rng)
        reason = refusal(sheet, at)
        try:
            env.reset(options={"position": at})
            accepted = True
        except ValueError:
            accepted = False
        assert accepted == (reason is None), f"{kind}: {reason}: {at}"
