"""Tune the greedy player's weights by the cross-entropy method: `python -m agents.tune_greedy`.

Each generation plays a few dozen sets of weights, drawn around a mean, on the same fresh deals, and
moves mean and spread towards the best. A state file makes it go on where it stopped.
"""

import argparse
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from agents.greedy import GreedyPolicy, load_weights, weight_array
from agents.greedy_features import Feature
from solitaire_env.engine.generator import FIRST_TRAINING_DEAL
from solitaire_env.evaluation import Evaluation, evaluate

_ELITE = 0.25
_RATE = 0.7
_FLOOR = 0.08

Array = npt.NDArray[np.float64]


@dataclass
class Search:
    """The state of a search: mean and spread of each weight, in the order of `Feature`."""

    mean: list[float]
    spread: list[float]
    generation: int = 0


def worth(result: Evaluation, cards: int, win: float) -> float:
    """Value games: the share of cards on the foundations, plus so much a win."""
    return float((result.foundation_cards / cards + win * result.won).mean())


def names() -> list[str]:
    """List the features' names, as configurations write them."""
    return [feature.name.lower() for feature in Feature]


def start(variant: str) -> Search:
    """Begin a search at the weights that the game has now."""
    mean = weight_array(load_weights(variant))
    return Search(mean.tolist(), np.maximum(np.abs(mean) * 0.4, 0.6).tolist())


def generation(variant: str, search: Search, population: int, deals: int, win: float) -> str:
    """Play one generation and move the search; tell how it went."""
    rng = np.random.default_rng(search.generation)
    mean, spread = np.array(search.mean), np.array(search.spread)
    tries = mean + spread * rng.standard_normal((population, len(mean)))
    tries[0] = mean
    first = FIRST_TRAINING_DEAL + search.generation * deals
    results = [_play(variant, weights, range(first, first + deals)) for weights in tries]
    cards = int(max(result.foundation_cards.max() for result in results))
    values = np.array([worth(result, cards, win) for result in results])
    elite = tries[np.argsort(-values, kind="stable")[: max(2, int(population * _ELITE))]]
    search.mean = (mean + _RATE * (elite.mean(axis=0) - mean)).tolist()
    moved = spread + _RATE * (elite.std(axis=0) - spread)
    search.spread = np.maximum(moved, _FLOOR).tolist()
    search.generation += 1
    wins = [result.wins / deals for result in results]
    tried = f"best {max(wins):.3f}, all {np.mean(wins):.3f}"
    return f"{search.generation}: mean's wins {wins[0]:.3f}, {tried}"


def _play(variant: str, weights: Array, deals: range) -> Evaluation:
    named = dict(zip(names(), weights.tolist(), strict=True))
    return evaluate(GreedyPolicy(variant, named), variant, deals, num_envs=512)


def toml(search: Search) -> str:
    """Write the mean as a section of a configuration."""
    lines = [f"{name} = {value:.2f}" for name, value in zip(names(), search.mean, strict=True)]
    return "\n".join(["[greedy]", *lines]) + "\n"


def main(arguments: list[str] | None = None) -> None:
    """Tune as the command line says."""
    given = _parser().parse_args(arguments)
    path = given.folder / f"{given.variant}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    told = json.loads(path.read_text()) if path.exists() else asdict(start(given.variant))
    search, end = Search(**told), time.monotonic() + 60 * given.minutes
    while time.monotonic() < end:
        line = generation(given.variant, search, given.population, given.deals, given.win)
        print(line, flush=True)
        path.write_text(json.dumps(asdict(search)) + "\n", encoding="utf-8")
    print(toml(search))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m agents.tune_greedy", description=__doc__)
    parser.add_argument("--variant", required=True, help="as san-juan-hill")
    parser.add_argument("--minutes", type=float, default=5, help="how long; a later run goes on")
    parser.add_argument("--population", type=int, default=32, help="sets of weights a generation")
    parser.add_argument("--deals", type=int, default=96, help="deals a set of weights plays")
    parser.add_argument("--win", type=float, default=1.0, help="a win's worth beside all cards up")
    parser.add_argument("--folder", type=Path, default=Path("runs/greedy"), help="of state files")
    return parser


if __name__ == "__main__":
    main()
