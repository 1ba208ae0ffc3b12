"""The recorded games of tests/data, and a way to follow one move by move."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"


@cache
def recorded(name: str) -> list[dict]:
    """Read the recorded games of a variant."""
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def names() -> list[str]:
    """Name the variants with recorded games."""
    return sorted(path.name.split(".")[0] for path in DATA.glob("*.jsonl.gz"))


def won_games(name: str) -> list[dict]:
    """List the recorded games of a variant that were won."""
    return [game for game in recorded(name) if game["won"]]


@dataclass
class Follower:
    """Plays a recorded game without the moves that RULINGS leave out.

    Those only rename columns, so the recorded game's column c is our column `ours[c]`.
    """

    game: dict
    ours: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.ours = list(range(len(self.game["start"]["tableau"])))

    def moves(self) -> Iterator[tuple[tuple[str, str, int], dict]]:
        """List the moves to play, each with the position that must follow."""
        before = self.game["start"]
        for step in self.game["steps"]:
            if move := self._translated(before, step["move"]):
                yield move, self.renamed(step["position"])
            before = step["position"]

    def renamed(self, position: dict) -> dict:
        """Put the columns of a recorded position where they lie for us."""
        columns: list[list[str]] = [[] for _ in self.ours]
        for theirs, ours in enumerate(self.ours):
            columns[ours] = position["tableau"][theirs]
        return {**position, "tableau": columns}

    def _translated(self, before: dict, move: list | None) -> tuple[str, str, int] | None:
        if move is None:
            return None
        source, target, count = move
        if target[0] != "T":
            return self._source(source), target, count
        column = int(target[1:])
        if not before["tableau"][column]:
            if source[0] == "T" and count == len(before["tableau"][int(source[1:])]):
                self._swap(self.ours[int(source[1:])], self.ours[column])
                return None
            spaces = [place for place, cards in enumerate(before["tableau"]) if not cards]
            self._swap(min(self.ours[space] for space in spaces), self.ours[column])
        return self._source(source), f"T{self.ours[column]}", count

    def _source(self, source: str) -> str:
        return f"T{self.ours[int(source[1:])]}" if source[0] == "T" else source

    def _swap(self, first: int, second: int) -> None:
        other = {first: second, second: first}
        self.ours = [other.get(column, column) for column in self.ours]
