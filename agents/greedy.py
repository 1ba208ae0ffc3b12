"""A careful rule-based player: it weighs what every legal move does, and never goes in circles."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.greedy_board import table_of
from agents.greedy_choice import choose, score_actions
from agents.greedy_features import Feature
from agents.memory import TRIED_SLOTS, with_rows
from solitaire_env.engine.lowered import LoweredRules, lower
from solitaire_env.envs.registration import find_sheet
from solitaire_env.policies import (
    BoolArray,
    ByteArray,
    FloatArray,
    IntArray,
    SeedArray,
    weighed,
)
from solitaire_env.records import Thought

CONFIGS = Path(__file__).resolve().parent.parent / "configs"

DEFAULTS: dict[str, float] = {
    "column_up": 10,
    "waste_up": 10,
    "cell_up": 10,
    "safe": 10,
    "column_moves": -2,
    "column_to_space": -3,
    "waste_down": 1,
    "waste_to_space": 0,
    "cell_down": 1,
    "cell_to_space": -3,
    "takes_back": -8,
    "redeals": -6,
    "lead": -3,
    "twin_up": 0.5,
    "landing": -2,
    "uncovers": 5,
    "hidden": 1,
    "empties": 2,
    "empties_wanted": 2,
    "frees_up": 4,
    "frees_for_waste": 1.5,
    "frees_landing": 1,
    "frees_run": 1,
    "shorter": -1,
    "unburies": 3,
    "unblocks": 0.5,
    "breaks_run": -4,
    "leaves_parent": -2,
    "joins_run": 1.5,
    "run_length": 0.5,
    "buries": -3,
    "blocks": -0.7,
    "target_hidden": -0.5,
    "target_ordered": 0.5,
    "target_wanted": -1,
    "rank_moved": 1,
    "king_fills": 3,
    "space_run": 1,
    "spaces": 0.5,
    "space_rank": 1,
    "back_for_waste": 2,
    "back_for_run": 4,
    "draws": -1,
}
"""Feature -> weight, of a game without a configuration of its own; 0 for those left out."""


class GreedyPolicy:
    """Plays the legal action of the highest weighted sum of features; by itself it has no chance.

    What was tried in a position is tried there again only once everything else was.

    Args:
        variant: a rule sheet's name.
        weights: feature -> weight.
    """

    def __init__(self, variant: str, weights: Mapping[str, float]) -> None:
        rules = lower(find_sheet(variant))
        self._table = greedy_table(rules, weights)
        self._tried = np.zeros((0, TRIED_SLOTS), np.uint64)

    def reset(self, rows: IntArray, seeds: SeedArray) -> None:
        """Begin games: see `Policy`."""
        self._tried = with_rows(self._tried, rows)
        self._tried[rows] = 0

    def act(self, observations: ByteArray, masks: BoolArray, rows: IntArray) -> IntArray:
        """Choose actions: see `Policy`."""
        actions = np.zeros(len(rows), np.int64)
        choose(
            self._table,
            np.ascontiguousarray(observations),
            np.ascontiguousarray(masks, np.bool_),
            rows,
            self._tried,
            actions,
        )
        return actions

    def think(self, observations: ByteArray, masks: BoolArray, rows: IntArray) -> list[Thought]:
        """Tell what it thinks: see `Thinker`; a sum that is one higher is e times as probable."""
        games = zip(np.ascontiguousarray(observations), masks, self._tried[rows], strict=True)
        return weighed(np.array([untried_scores(self._table, *game) for game in games]))


def untried_scores(
    table: npt.NDArray[Any], seen: ByteArray, mask: BoolArray, tried: SeedArray
) -> FloatArray:
    """Weigh what was not tried in a position, or everything, if all was: (A,), -inf the others.

    Args:
        table: of `greedy_table`.
        seen: (n,) uint8, the observation.
        mask: (A,) bool.
        tried: (slots,) what the game remembers.
    """
    scores = np.empty(len(mask))
    score_actions(table, seen, mask, tried, scores)
    if np.isinf(scores).all():
        score_actions(table, seen, mask, np.zeros_like(tried), scores)
    return scores


def greedy_table(rules: LoweredRules, weights: Mapping[str, float]) -> npt.NDArray[Any]:
    """Make room to study the tables of a game, the weights filled in."""
    table = table_of(rules, len(Feature))
    table.weights = weight_array(weights)
    return table


def weight_array(weights: Mapping[str, float]) -> FloatArray:
    """Put weights in the order of `Feature`.

    Raises:
        ValueError: for a name that is no feature, or what is no number.
    """
    names = [feature.name.lower() for feature in Feature]
    for name, value in weights.items():
        if name not in names:
            raise ValueError(f"unknown feature {name!r}, accepted are {', '.join(names)}")
        if type(value) not in (int, float):
            raise ValueError(f"the weight of {name} is {value!r}, accepted are numbers")
    return np.array([weights.get(name, 0.0) for name in names], np.float64)


def load_weights(variant: str) -> dict[str, float]:
    """Read a game's weights: section [greedy] of its configuration, or the defaults."""
    path = CONFIGS / f"{variant}.toml"
    tables = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return tables.get("greedy", DEFAULTS)


def make(variant: str) -> GreedyPolicy:
    """Make the player of a variant."""
    return GreedyPolicy(variant, load_weights(variant))
