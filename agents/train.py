"""Train an agent: `python -m agents.train configs/NAME.toml`."""

import argparse
import shlex
import sys
from importlib import import_module
from pathlib import Path

from agents.config import Config, change_config, load_config

_LOOPS = {"own": "agents.own_loop", "sb3": "agents.sb3_loop"}


def train(config: Config, folder: Path, command: str = "") -> Path:
    """Train by the loop that the configuration names, or go on with an interrupted run.

    A run that goes on does so from its last checkpoint, with other deals and other chance than
    the uninterrupted run would have had: statistically the same, not bit for bit.

    Args:
        config: of the run.
        folder: of the run; made if need be.
        command: what was typed, to be kept with the run.

    Returns:
        The path of a network.

    Raises:
        ConfigError: if the folder holds a run with other settings.
        ImportError: without PyTorch and its like; says which to install.
    """
    try:
        loop = import_module(_LOOPS[config.run.loop])
    except ModuleNotFoundError as error:
        raise ImportError(f"{error}: pip install 'solitaire-env[agents]'") from error
    return loop.train(config, folder, command)


def main(arguments: list[str] | None = None) -> None:
    """Train as the command line says."""
    parser = argparse.ArgumentParser(
        prog="python -m agents.train",
        description="Train an agent; the same command resumes a run that was interrupted.",
        epilog="example: python -m agents.train configs/san-juan-hill.toml "
        "--set ppo.learning_rate=3e-4 --seeds 0 1 2",
    )
    parser.add_argument("config", type=Path, help="a TOML file, as configs/san-juan-hill.toml")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE")
    parser.add_argument("--seeds", type=int, nargs="+", help="one run each, one after the other")
    parser.add_argument("--folder", type=Path, default=Path("runs"), help="where runs are kept")
    parser.add_argument("--name", help="of the run; the file's name if left out")
    given = parser.parse_args(arguments)
    command = shlex.join(["python", "-m", "agents.train", *(arguments or sys.argv[1:])])
    try:
        config = load_config(given.config, given.set)
        for seed in given.seeds or [config.run.seed]:
            config = change_config(config, [f"run.seed={seed}"])
            folder = given.folder / (given.name or given.config.stem) / f"seed-{seed}"
            print(f"trained: {train(config, folder, command)}")
    except (ValueError, ImportError, MemoryError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        parser.exit(130, "\ninterrupted: the same command goes on from the last checkpoint\n")


if __name__ == "__main__":
    main()
