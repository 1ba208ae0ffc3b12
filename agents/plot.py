"""Draw evaluations and training: `python -m agents.plot FILE.json ... --out FOLDER`."""

import argparse
from pathlib import Path

from agents.runs import VALIDATION
from solitaire_env.exports import load_evaluation
from solitaire_env.plots import FORMATS, plot_foundation_cards, plot_learning, plot_win_rates


def main(arguments: list[str] | None = None) -> None:
    """Draw as the command line says."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if not given.files and not given.runs:
        parser.error("give files of agents.evaluate, or --runs")
    try:
        given.out.mkdir(parents=True, exist_ok=True)
        for kind in given.formats:
            _draw(given.files, given.runs, given.out, kind)
    except (ValueError, ImportError, OSError) as error:
        parser.error(str(error))


def _draw(files: list[Path], runs: list[Path], out: Path, kind: str) -> None:
    """Draw all that was asked for, in one format."""
    if files:
        evaluations = [load_evaluation(file) for file in files]
        plot_win_rates(evaluations, out / f"win_rates.{kind}")
        plot_foundation_cards(evaluations, out / f"foundation_cards.{kind}")
    if runs:
        plot_learning([run / VALIDATION for run in runs], out / f"learning.{kind}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m agents.plot",
        description="Draw win rates, foundation cards and learning curves.",
        epilog="example: python -m agents.plot greedy.json random.json --out plots",
    )
    parser.add_argument("files", nargs="*", type=Path, help="JSON files of agents.evaluate")
    parser.add_argument("--runs", nargs="+", type=Path, default=[], help="folders of training runs")
    parser.add_argument("--out", type=Path, default=Path("plots"), help="folder (default: plots)")
    kinds = [kind.removeprefix(".") for kind in FORMATS]
    parser.add_argument("--formats", nargs="+", choices=kinds, default=["png", "svg"])
    return parser


if __name__ == "__main__":
    main()
