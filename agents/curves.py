"""Learning curves, as files that other programs read."""

from pathlib import Path

from stable_baselines3.common.logger import Logger, make_output_format


def new_logger(folder: Path, moves: int) -> Logger:
    """Log to TensorBoard and to a CSV file a start, which is named by the moves made before."""
    table = make_output_format("csv", str(folder), f"-from-{moves}")
    return Logger(str(folder), [table, make_output_format("tensorboard", str(folder))])
