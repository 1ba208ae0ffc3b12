"""Draw what a step costs against games at once and against threads, into docs/_static/.

Random legal play inside the engine, mask and observation written every step; cost is wall-clock
time divided by steps of all games together.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")

from matplotlib import pyplot as plt

from solitaire_env import VARIANTS, RuleSheet
from solitaire_env.bench.rates import check_seconds, measure
from solitaire_env.bench.report import machine
from solitaire_env.bench.tasks import random_task
from solitaire_env.envs.options import whole_number

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "_static"
GAMES = (1, 4, 16, 64, 256, 1024, 4096, 16384)
MANY = 8192
"""Games at once where threads are compared."""

Cost = Callable[[RuleSheet, int], float]


def thread_counts() -> list[int]:
    """List 1, 2, 4, ... and the number of cores."""
    cores = os.cpu_count() or 1
    return sorted({2**power for power in range(cores.bit_length()) if 2**power <= cores} | {cores})


def draw(name: str, label: str, counts: Iterable[int], cost: Cost) -> None:
    """Measure a curve a variant and save the figure as `name`.svg."""
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    places = list(counts)
    for variant, sheet in VARIANTS.items():
        print(f"{name}: {variant}", file=sys.stderr)
        costs = [cost(sheet, count) for count in places]
        axes.plot(places, costs, marker="o", markersize=4, label=variant)
    axes.set_xscale("log", base=2)
    axes.set_xticks(places, [str(place) for place in places])
    axes.set_ylim(bottom=0)
    axes.set_xlabel(label)
    axes.set_ylabel("ns a step")
    axes.set_title(f"{machine()['processor']}, best of the runs", fontsize="small")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    FOLDER.mkdir(exist_ok=True)
    figure.savefig(FOLDER / f"{name}.svg", metadata={"Date": None})


def main() -> None:
    """Measure and draw both plots."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.3, help="duration of a run")
    parser.add_argument("--runs", type=int, default=5, help="runs of each point")
    arguments = parser.parse_args()
    seconds = check_seconds(arguments.seconds)
    runs = whole_number("runs", arguments.runs, 1, 1000)

    def cost(sheet: RuleSheet, games: int, threads: int) -> float:
        return 1e9 / measure(random_task(sheet, games, threads), seconds, runs).best

    mpl.rcParams["svg.hashsalt"] = "solitaire_env"  # the same figures give the same file
    draw("cost-by-games", "games at once, one thread", GAMES, lambda sheet, n: cost(sheet, n, 1))
    label = f"threads, {MANY} games at once"
    draw("cost-by-threads", label, thread_counts(), lambda sheet, n: cost(sheet, MANY, n))


if __name__ == "__main__":
    main()
