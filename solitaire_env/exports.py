"""Evaluations as files: JSON with everything, a table of the games as CSV or Parquet."""

import csv
import json
from importlib import import_module
from pathlib import Path
from typing import Any

from solitaire_env.evaluation import Evaluation

TABLES = (".csv", ".parquet")
"""What a table of games may be called."""


def load_evaluation(path: str | Path) -> Evaluation:
    """Read an evaluation from a JSON file that `agents.evaluate --json` wrote.

    Raises:
        ValueError: if it holds something else.
    """
    try:
        told = json.loads(Path(path).read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is no JSON file: {error}") from None
    if not isinstance(told, dict):
        raise ValueError(f"{path} holds no evaluation")
    try:
        return Evaluation.from_json(told)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def check_table(path: str | Path) -> None:
    """Raise ValueError unless a table of games can be called so, ImportError without pyarrow."""
    if Path(path).suffix not in TABLES:
        raise ValueError(f"the table is {str(path)!r}, accepted are names in {', '.join(TABLES)}")
    if Path(path).suffix == ".parquet":
        _pyarrow()


def write_games(evaluation: Evaluation, path: str | Path) -> None:
    """Write a line a game: .csv, or .parquet where pyarrow is installed.

    Raises:
        ValueError: for another name.
        ImportError: without pyarrow.
    """
    check_table(path)
    columns = {name: values.tolist() for name, values in evaluation.games().items()}
    if Path(path).suffix == ".parquet":
        _pyarrow().parquet.write_table(_pyarrow().table(columns), path)
        return
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(columns)
        table.writerows(zip(*columns.values(), strict=True))


def _pyarrow() -> Any:
    try:
        import_module("pyarrow.parquet")
    except ImportError as error:
        raise ImportError("a .parquet table needs pyarrow: pip install pyarrow") from error
    return import_module("pyarrow")
