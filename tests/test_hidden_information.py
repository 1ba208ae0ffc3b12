"""Nothing that a player has not seen shows: not in observations, masks or infos."""

import random
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solitaire_env import VARIANTS

from .positions import kinds
from .reference.cards import RANKS, SUITS, face_down
from .reference.check import refusal
from .reference.game import player_view
from .side_by_side import environment
from .tiny_games import TINY_KLONDIKE, TINY_MEDLEY

SHEETS = {sheet.name: sheet for sheet in [*VARIANTS.values(), TINY_KLONDIKE, TINY_MEDLEY]}
HIDING = [name for name, sheet in SHEETS.items() if sheet.stock]
UNKNOWN = 53

seeds = st.integers(0, 2**32 - 1)
every_hiding_game = pytest.mark.parametrize("name", HIDING)
quickly = settings(
    max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


@cache
def table(name: str, observability: str = "player") -> Any:
    """Make a game's environment, once."""
    return environment(SHEETS[name], observability=observability)


def some_position(name: str, rng: random.Random) -> dict:
    """Make a position of any kind that the game has."""
    _, make = rng.choice(kinds(SHEETS[name]))
    return make(SHEETS[name], rng)


def shown(result: tuple) -> tuple:
    """Take what a player sees of a step or reset, in bytes where it is an array."""
    observation, *rest, info = result
    seen = {key: value for key, value in info.items() if key not in ("deal", "action_mask")}
    return observation.tobytes(), info["action_mask"].tobytes(), rest, seen


def played(name: str, position: dict, actions: list[int] | random.Random) -> tuple:
    """Play listed actions, or random ones, mostly legal, as far as the game goes.

    Returns:
        The actions, what was shown after the reset and each of them, and the last position.
    """
    env = table(name)
    record, done = [shown(env.reset(options={"position": position}))], []
    given_actions = actions if isinstance(actions, list) else [None] * 12
    for action in given_actions:
        if action is None:
            action = some_action(env.unwrapped.action_masks(), actions)
        result = env.step(action)
        done.append(action)
        record.append(shown(result))
        if result[2] or result[3]:
            break
    return done, record, env.unwrapped.position()


def some_action(mask: np.ndarray, rng: random.Random) -> int:
    """Choose a legal action, seldom any."""
    legal = np.flatnonzero(mask).tolist()
    return rng.choice(legal) if legal and rng.random() < 0.9 else rng.randrange(len(mask))


def reshuffled(position: dict, last: dict, rng: random.Random) -> dict:
    """Permute the cards of a position that were still unseen in the last one of a game."""
    down = [sum(map(face_down, column)) for column in last["tableau"]]
    never_drawn = len(last["stock"]) if last["passes"] == 1 else 0
    faces = [
        card.strip("<>")
        for column, count in zip(position["tableau"], down, strict=True)
        for card in column[:count]
    ]
    faces += position["stock"][:never_drawn]
    rng.shuffle(faces)
    columns = [
        [f"<{faces.pop()}>" for _ in range(count)] + column[count:]
        for column, count in zip(position["tableau"], down, strict=True)
    ]
    stock = [faces.pop() for _ in range(never_drawn)] + position["stock"][never_drawn:]
    return {**position, "tableau": columns, "stock": stock}


@every_hiding_game
@quickly
@given(seed=seeds)
def test_permuting_unseen_cards_changes_nothing_shown(name: str, seed: int) -> None:
    """The same actions show the same, byte for byte, as long as neither game is dead.

    Cards that the actions lay bare stay in place; all others are permuted.
    """
    rng = random.Random(seed)
    position = some_position(name, rng)
    actions, first, last = played(name, position, rng)
    other = reshuffled(position, last, rng)
    assert player_view(SHEETS[name], other) == player_view(SHEETS[name], position)
    _, second, _ = played(name, other, actions)
    for step, (one, two) in enumerate(zip(first, second, strict=False)):
        assert one[0] == two[0], f"observation, step {step} of {actions} from {position}"
        if "dead" in (one[3].get("outcome"), two[3].get("outcome")):
            return
        assert one[1:] == two[1:], f"step {step} of {actions} from {position}"
    assert len(first) == len(second)


@every_hiding_game
@quickly
@given(seed=seeds)
def test_determinize_keeps_all_that_was_seen(name: str, seed: int) -> None:
    """`determinize` gives a possible position that looks the same, and leaves the game alone."""
    rng = random.Random(seed)
    _, _, position = played(name, some_position(name, rng), rng)
    env = table(name)
    guess = env.unwrapped.determinize(np.random.default_rng(seed))
    assert env.unwrapped.position() == position
    assert player_view(SHEETS[name], guess) == player_view(SHEETS[name], position)
    was, now = refusal(SHEETS[name], position), refusal(SHEETS[name], guess)
    assert now == was
    if now is None:
        observation, _ = env.reset(options={"position": guess})
        again, _ = env.reset(options={"position": position})
        assert observation.tobytes() == again.tobytes()


@every_hiding_game
def test_determinize_reshuffles_all_that_is_unseen(name: str) -> None:
    """Every unseen card moves; the same generator state gives the same guess."""
    env = table(name)
    env.reset(options={"deal": 1})
    guesses = [env.unwrapped.determinize(np.random.default_rng(seed)) for seed in range(60)]
    for pile in ["stock", *range(SHEETS[name].tableau.piles)]:
        piles = [at["stock"] if pile == "stock" else at["tableau"][pile] for at in guesses]
        for place, card in enumerate(piles[0]):
            if pile == "stock" or face_down(card):
                assert len({cards[place] for cards in piles}) > 1
    assert guesses[0] == env.unwrapped.determinize(np.random.default_rng(0))


@pytest.mark.parametrize("observability", ["player", "full"])
@pytest.mark.parametrize("name", SHEETS)
@quickly
@given(seed=seeds)
def test_observation_shows_what_it_says(name: str, observability: str, seed: int) -> None:
    """The form "player" shows what a player with a perfect memory knows, "full" every card."""
    rng = random.Random(seed)
    env = table(name, observability)
    env.reset(options={"position": some_position(name, rng)})
    for _ in range(rng.randint(0, 8)):
        action = some_action(env.unwrapped.action_masks(), rng)
        observation, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            break
        at = env.unwrapped.position()
        expected = player_view(SHEETS[name], at) if observability == "player" else laid_open(at)
        assert read(env, observation) == {key: expected[key] for key in read(env, observation)}


def laid_open(position: dict) -> dict:
    """Turn every card of a position up."""
    columns = [[card.strip("<>") for card in column] for column in position["tableau"]]
    return {**position, "tableau": columns}


def read(env: Any, observation: np.ndarray) -> dict:
    """Read cards and foundations out of an observation, through the table of its fields."""
    fields = env.unwrapped.fields
    seen = {
        name: observation[field.slice].reshape(field.shape).tolist()
        for name, field in fields.items()
    }
    heights = dict(zip(SUITS, seen["foundations"], strict=False))
    board: dict[str, Any] = {
        "tableau": [texts(column, height) for column, height in _columns(seen)],
        "foundations": heights,
        "kings": seen["kings"][0],
    }
    if "reserve" in seen:
        cells = [texts([card], 1)[0] if card else None for card in seen["reserve"]]
        board["reserve"] = cells
    for pile in ("stock", "waste"):
        if pile in seen:
            board[pile] = texts(seen[pile], seen[f"{pile}_height"][0])
    return board


def _columns(seen: dict) -> list[tuple[list[int], int]]:
    return list(zip(seen["tableau"], seen["heights"], strict=True))


def texts(cards: list[int], count: int) -> list[str]:
    """Name the first cards of a pile; what lies beyond must be empty."""
    assert not any(cards[count:])
    return [
        "??" if card == UNKNOWN else RANKS[(card - 1) % 13] + SUITS[(card - 1) // 13]
        for card in cards[:count]
    ]
