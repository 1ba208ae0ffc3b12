"""Draw evaluations and training: `python -m agents.plot FILE.json ... --out FOLDER`."""

import argparse
import json
from pathlib import Path

from agents.runs import VALIDATION
from solitaire_env.evaluation import Evaluation
from solitaire_env.exports import load_evaluation
from solitaire_env.plots import (
    FORMATS,
    plot_budgets,
    plot_foundation_cards,
    plot_learning,
    plot_win_rates,
)


def main(arguments: list[str] | None = None) -> None:
    """Draw as the command line says."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if not (given.files or given.runs or given.budgets):
        parser.error("give files of agents.evaluate, --budgets or --runs")
    try:
        given.out.mkdir(parents=True, exist_ok=True)
        for kind in given.formats:
            _draw(given, kind)
    except (ValueError, ImportError, OSError) as error:
        parser.error(str(error))


def _draw(given: argparse.Namespace, kind: str) -> None:
    """Draw all that was asked for, in one format."""
    out = given.out
    if given.files:
        evaluations = [load_evaluation(file) for file in given.files]
        plot_win_rates(evaluations, out / f"win_rates.{kind}")
        plot_foundation_cards(evaluations, out / f"foundation_cards.{kind}")
    if given.budgets:
        plot_budgets(_by_playouts(given.budgets), out / f"budgets.{kind}")
    if given.runs:
        plot_learning([run / VALIDATION for run in given.runs], out / f"learning.{kind}")


def _by_playouts(files: list[Path]) -> dict[int, list[Evaluation]]:
    """Sort evaluations of searches by the playouts that they were given.

    Raises:
        ValueError: for a file that names none.
    """
    budgets: dict[int, list[Evaluation]] = {}
    for file in files:
        evaluation = load_evaluation(file)
        try:
            playouts = int(json.loads(file.read_text(encoding="utf-8"))["options"]["playouts"])
        except KeyError:
            raise ValueError(f"{file} was not played with --playouts") from None
        budgets.setdefault(playouts, []).append(evaluation)
    return budgets


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m agents.plot",
        description="Draw win rates, foundation cards and learning curves.",
        epilog="example: python -m agents.plot ppo.json greedy.json --out plots",
    )
    parser.add_argument("files", nargs="*", type=Path, help="JSON files of agents.evaluate")
    parser.add_argument(
        "--budgets", nargs="+", type=Path, default=[], help="the same, played with --playouts"
    )
    parser.add_argument("--runs", nargs="+", type=Path, default=[], help="folders of training runs")
    parser.add_argument("--out", type=Path, default=Path("plots"), help="folder (default: plots)")
    kinds = [kind.removeprefix(".") for kind in FORMATS]
    parser.add_argument("--formats", nargs="+", choices=kinds, default=["png", "svg"])
    return parser


if __name__ == "__main__":
    main()
