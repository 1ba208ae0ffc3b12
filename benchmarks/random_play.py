"""Steps a second of random legal play on one core, mask and observation written every step.

The best of several runs counts, the median stands beside it: the machine may be busy.
"""

from statistics import median
from time import perf_counter

import numpy as np

from solitaire_env import VARIANTS, RuleSheet
from solitaire_env.cli import text_table
from solitaire_env.engine.settings import settings_record
from solitaire_env.engine.table import Table

GAMES = 1024
STEPS = 200
RUNS = 9


def rates(sheet: RuleSheet) -> list[float]:
    """Measure a variant: steps a second of each run, after one to warm up."""
    settings = settings_record(no_progress_limit=sheet.limits.no_progress, seconds_per_move=2.0)
    table = Table(sheet, GAMES, settings)
    rows = np.arange(GAMES)
    table.seed(rows, range(GAMES))
    table.deal(rows, np.full(GAMES, -1))
    out = (*table.new_outputs(), np.zeros(GAMES))
    return [_rate(table, settings, out) for _ in range(RUNS + 1)][1:]


def _rate(table: Table, settings: object, out: tuple[object, ...]) -> float:
    start = perf_counter()
    table.kernels.random_steps(table.rules, table.games, settings, 0, GAMES, STEPS, *out)
    return GAMES * STEPS / (perf_counter() - start)


def main() -> None:
    """Print a table of all variants."""
    results = {name: rates(sheet) for name, sheet in VARIANTS.items()}
    rows = [
        (name, f"{max(found) / 1e6:.2f}", f"{median(found) / 1e6:.2f}")
        for name, found in results.items()
    ]
    print(f"random legal play, {GAMES} games, one core, million steps/s, best of {RUNS} runs")
    print(text_table(("variant", "best", "median"), rows))


if __name__ == "__main__":
    main()
