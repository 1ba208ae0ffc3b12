"""What a game's pages and films are made from."""

from dataclasses import dataclass
from typing import Any

from solitaire_env.notation import Move, Position


@dataclass(frozen=True)
class Step:
    """The table after a move, or at the start.

    Attributes:
        move: the move that led here; None at the start and after an illegal action.
        words: the move in words.
        position: the table.
        told: counters of `info`.
        outcome: how the game ended here, else "".
        value: what the player expected before the move, if it told.
        top: the moves that it weighed, in words, with their probabilities.
    """

    move: Move | None
    words: str
    position: Position
    told: dict[str, Any]
    outcome: str = ""
    value: float | None = None
    top: tuple[tuple[str, float], ...] = ()
