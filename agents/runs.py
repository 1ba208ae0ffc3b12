"""The folder of a training run: what is kept there, written so that it is whole at any moment."""

import csv
import io
import json
import os
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from agents.config import Config, ConfigError, config_of, differences
from solitaire_env.envs.registration import find_sheet

NETWORKS = ("best.safetensors", "last.safetensors", "best.zip", "checkpoint.zip")
"""Files of a run that hold a network, the better ones first: of our own loop, of SB3's."""

RUN = "run.json"
VALIDATION = "validation.csv"

_MAY_CHANGE = (
    "run.total_steps",
    "run.minutes",
    "run.checkpoint_every",
    "run.temperature",
    "run.threads",
)
_PACKAGES = ("solitaire_env", "gymnasium", "numpy", "torch", "stable_baselines3", "sb3_contrib")


class Model(Protocol):
    """What can be saved to a file object."""

    def save(self, path: io.BytesIO) -> None:
        """Write everything."""
        ...


def open_run(folder: Path, config: Config, command: str) -> None:
    """Make a run's folder, or find it again, and note the command.

    Raises:
        ConfigError: if the folder holds a run with other settings.
    """
    path = folder / RUN
    told: dict[str, Any] = {"commands": []}
    if path.exists():
        told = json.loads(path.read_text(encoding="utf-8"))
        _check_same(folder, config_of(told["config"]), config)
    told["config"] = config.to_dict()
    told["seed"] = config.run.seed
    told["commands"].append(command)
    told["versions"] = {package: version(package) for package in _PACKAGES}
    write_whole(path, json.dumps(told, indent=2).encode() + b"\n")


def _check_same(folder: Path, before: Config, now: Config) -> None:
    changed = [name for name in differences(before, now) if name not in _MAY_CHANGE]
    if changed:
        raise ConfigError(
            f"{folder} holds a run with another {', '.join(changed)}: "
            "resume it with its own settings, or give --name or --folder for a new one"
        )


def save_model(path: Path, model: Model) -> None:
    """Save a model, whole or not at all."""
    buffer = io.BytesIO()
    model.save(buffer)
    write_whole(path, buffer.getvalue())


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that others never see half written, whenever the process is killed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(path.name + ".part")
    with scratch.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    scratch.replace(path)


def note_validation(folder: Path, steps: int, summary: dict[str, Any]) -> None:
    """Add a line to the table of validations."""
    names = ("deals", "wins", "foundation_cards", "foundation_cards_low", "foundation_cards_high")
    path = folder / VALIDATION
    rows = path.read_text(encoding="utf-8") if path.exists() else ",".join(("steps", *names)) + "\n"
    rows += ",".join(map(str, (steps, *(summary[name] for name in names)))) + "\n"
    write_whole(path, rows.encode())


def score_of(summary: Mapping[str, Any], variant: str) -> float:
    """Tell how good a validation is: the share of wins, and that of the cards put up."""
    wins, cards = float(summary["wins"]), float(summary["foundation_cards"])
    return wins / float(summary["deals"]) + cards / find_sheet(variant).cards


def best_score(folder: Path) -> float:
    """Give the best of a run's validations; 0 before the first."""
    lines = _validations(folder)
    return max((score_of(line, _variant(folder / RUN)) for line in lines), default=0.0)


def last_validation(folder: Path) -> int:
    """Give the moves made before a run's last validation; 0 before the first."""
    return max((int(line["steps"]) for line in _validations(folder)), default=0)


def _validations(folder: Path) -> list[dict[str, str]]:
    path = folder / VALIDATION
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def best_network(runs: Path, variant: str) -> Path:
    """Find the network of a variant's runs that did best in validation, then the latest.

    Raises:
        ValueError: if no run of the variant has saved one.
    """
    folders = [path.parent for path in runs.rglob(RUN) if _variant(path) == variant]
    found = [folder / name for folder in folders for name in NETWORKS if (folder / name).exists()]
    if not found:
        raise ValueError(
            f"no network of {variant} under {runs}: "
            f"train one with python -m agents.train configs/{variant}.toml"
        )
    return max(
        found, key=lambda path: (best_score(path.parent), -NETWORKS.index(path.name), _age(path))
    )


def _variant(path: Path) -> str:
    return _config(path).run.variant


def _config(path: Path) -> Config:
    return config_of(json.loads(path.read_text(encoding="utf-8"))["config"])


def temperature_of(network: Path) -> float:
    """Give the temperature of play that a network's run asks for; 1 for a network without a run."""
    path = network.with_name(RUN)
    return _config(path).run.temperature if path.exists() else 1.0


def _age(path: Path) -> float:
    return path.stat().st_mtime
