"""Games as text, one a variant, to be read and compared: the files in tests/golden.

`python -m tests.playthrough` writes them anew; read the difference before it is committed.
"""

import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym

from solitaire_env import VARIANTS, env_id
from solitaire_env.notation import Move, board_text

GOLDEN = Path(__file__).parent / "golden"
DEALS = (0, 1, 2, 10**6, 2**63 - 1)
MOVES = 25
COUNTERS = ("score", "foundation_cards", "passes", "streak")


def bare(name: str) -> Any:
    """Make a game's environment without wrappers."""
    return gym.make(env_id(VARIANTS[name]), streaks=True, reward="ledger").unwrapped


def choose(moves: list[Move], chance: random.Random) -> Move:
    """Choose a move: to the foundations where one can, else any, each as likely."""
    up = [move for move in moves if move.target == "F"]
    return (up or moves)[int(chance.random() * len(up or moves))]


def playthrough(name: str) -> str:
    """Play deal 0 of a game for a while, by a rule that is the same on every machine."""
    return "\n".join(_lines(name)) + "\n"


def _lines(name: str) -> Iterator[str]:
    env, chance = bare(name), random.Random(name)
    env.reset(options={"deal": 0})
    yield f"{VARIANTS[name].title}, deal 0\n\n{board_text(env.position())}"
    for number in range(1, MOVES + 1):
        moves = env.legal_moves()
        yield f"legal: {'; '.join(map(str, moves))}"
        move = choose(moves, chance)
        _, reward, terminated, truncated, info = env.step(env.action_of(move))
        told = "  ".join(f"{key} {info[key]}" for key in COUNTERS)
        yield f"{number}. {move}  [reward {reward:g}  {told}]"
        if number % 5 == 0 or terminated or truncated:
            yield f"\n{board_text(env.position())}"
        if terminated or truncated:
            yield f"{info['outcome']}"
            return


def deal_hashes(name: str) -> dict[str, str]:
    """Digest the positions of a few deals."""
    env, hashes = bare(name), {}
    for deal in DEALS:
        env.reset(options={"deal": deal})
        text = json.dumps(env.position(), sort_keys=True)
        hashes[str(deal)] = hashlib.sha256(text.encode()).hexdigest()
    return hashes


def write() -> None:
    """Write all golden files."""
    for name in VARIANTS:
        (GOLDEN / f"{name}.txt").write_text(playthrough(name), encoding="utf-8")
    hashes = {name: deal_hashes(name) for name in VARIANTS}
    (GOLDEN / "deals.json").write_text(json.dumps(hashes, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
