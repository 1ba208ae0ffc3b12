"""What several test files share: environments, positions near the end, other processes."""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from solitaire_env import VARIANTS, RuleSheet, env_id
from solitaire_env.cards import RANKS, SUITS

ROOT = Path(__file__).resolve().parent.parent

every_variant = pytest.mark.parametrize("name", VARIANTS)
"""Runs a test once a game of `VARIANTS`."""


def make(name: str, **kwargs: Any) -> gym.Env:
    """Make a game's environment as users do: with its step limit around it."""
    return gym.make(env_id(VARIANTS[name]), **kwargs)


def bare(name: str, **kwargs: Any) -> Any:
    """Make a game's environment without wrappers."""
    return make(name, **kwargs).unwrapped


def make_vec(name: str, count: int, **kwargs: Any) -> Any:
    """Make a native batch of a game."""
    return gym.make_vec(env_id(VARIANTS[name]), num_envs=count, **kwargs)


def random_legal(mask: np.ndarray, rng: np.random.Generator) -> int:
    """Choose a legal action, each as likely; 0 where none is legal."""
    legal = np.flatnonzero(mask)
    return int(rng.choice(legal)) if len(legal) else 0


def play(env: Any, steps: int, rng: np.random.Generator) -> list[tuple]:
    """Play random legal actions, dealing anew after an end; list what `reset` and `step` gave."""
    record = [env.reset()]
    for _ in range(steps):
        record.append(env.step(random_legal(env.unwrapped.action_masks(), rng)))
        if record[-1][2] or record[-1][3]:
            record.append(env.reset())
    return record


def ending(sheet: RuleSheet, tableau: list[list[str]], **rest: Any) -> dict[str, Any]:
    """Make a position of these cards, with all others on the foundations.

    Without `passes` it is of the first pass, or of the second if no draws leave such a stock in the
    first.
    """
    columns = tableau + [[] for _ in range(sheet.tableau.piles - len(tableau))]
    loose = [card.strip("<>") for column in columns for card in column]
    for pile in ("stock", "waste", "reserve"):
        loose += [card for card in rest.get(pile, []) if card is not None]
    count = Counter(loose)
    kings = RANKS[sheet.ranks - 1] if sheet.foundations.kings_leave else ""
    foundations = {
        suit: [
            sum(sheet.decks - count[rank + suit] > pile for rank in RANKS[: sheet.foundation_top])
            for pile in range(sheet.decks)
        ]
        for suit in SUITS[: sheet.suits]
    }
    left = sum(sheet.decks - count[kings + suit] for suit in foundations) if kings else 0
    stock = len(rest.get("stock", []))
    first = not stock or (sheet.stock_cards - stock) % sheet.draw == 0
    cards = {"tableau": columns, "foundations": foundations, "kings": left}
    return {**cards, "passes": 1 if first else 2, **rest}


def nearly_won(sheet: RuleSheet, missing: int) -> dict[str, Any]:
    """Make a position that lacks as many foundation cards, each alone in a column."""
    suits = SUITS[: sheet.suits]
    cards = [
        RANKS[sheet.foundation_top - 1 - index // len(suits)] + suits[index % len(suits)]
        for index in range(missing)
    ]
    return ending(sheet, [[card] for card in cards])


def same(first: Any, second: Any, where: str = "") -> None:
    """Assert that nested results are equal: types, dtypes, shapes, keys and values."""
    assert type(first) is type(second), where
    if isinstance(first, dict):
        assert first.keys() == second.keys(), where
        for key in first:
            same(first[key], second[key], f"{where}.{key}")
    elif isinstance(first, tuple | list):
        assert len(first) == len(second), where
        for index, pair in enumerate(zip(first, second, strict=True)):
            same(*pair, f"{where}[{index}]")
    elif isinstance(first, np.ndarray):
        assert (first.dtype, first.shape) == (second.dtype, second.shape), where
        if first.dtype == object:
            same(first.tolist(), second.tolist(), where)
        else:
            assert np.array_equal(first, second), f"{where}: {first} != {second}"
    else:
        assert first == second, where


def run_python(code: str, path: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh process that imports from `path`; its exit status must be 0."""
    environment = {**os.environ, "PYTHONPATH": str(path), "OMP_NUM_THREADS": "1", **variables}
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, env=environment, cwd=path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done


def fingerprint(name: str, steps: int = 40) -> str:
    """Digest all bytes of a batch of random games: states, observations, masks, rewards, ends."""
    env, rng = make_vec(name, 3, max_episode_steps=30, streaks=True), np.random.default_rng(1)
    digest = hashlib.sha256()
    env.reset(seed=1)
    for _ in range(steps):
        actions = [random_legal(mask, rng) for mask in env.action_masks()]
        observations, rewards, terminated, truncated, infos = env.step(np.array(actions))
        for part in (observations, rewards, terminated, truncated, infos["action_mask"]):
            digest.update(part.tobytes())
        digest.update(env.clone_states().tobytes())
    return digest.hexdigest()


@contextmanager
def refused(env: Any, error: type[Exception], *parts: object) -> Iterator[None]:
    """Expect an exception whose message holds all parts, and a game that has not changed."""
    batch = hasattr(env, "clone_states")
    state = env.clone_states().tobytes() if batch else env.clone_state()
    with pytest.raises(error) as caught:
        yield
    for part in parts:
        assert str(part) in str(caught.value)
    assert state == (env.clone_states().tobytes() if batch else env.clone_state())
