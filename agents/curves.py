"""What is seen of a run while it goes on: curves that other programs read, and a bar."""

import sys
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import Logger, make_output_format
from tqdm import tqdm

from agents.config import Run


def new_logger(folder: Path, moves: int) -> Logger:
    """Log to TensorBoard and to a CSV file a start, which is named by the moves made before."""
    table = make_output_format("csv", str(folder), f"-from-{moves}")
    return Logger(str(folder), [table, make_output_format("tensorboard", str(folder))])


def new_bar(run: Run, moves: int) -> Any:
    """Show how many moves of a run are made."""
    return tqdm(
        total=run.total_steps,
        initial=moves,
        desc=f"{run.variant} seed {run.seed}",
        unit="move",
        unit_scale=True,
        mininterval=0.5 if sys.stderr.isatty() else 15,
    )
