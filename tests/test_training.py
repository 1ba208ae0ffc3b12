"""Training: configurations, and runs that survive being killed."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from agents.config import LOOPS, ConfigError, change_config, config_of, load_config
from agents.registry import load_agent
from tests.conftest import needs_module
from tests.helpers import ROOT, every_variant, make
from tests.tiny_runs import SAN_JUAN_HILL, TINY, tiny

for name in ("torch", "sb3_contrib", "scipy", "tensorboard", "tqdm"):
    needs_module(name)

from agents.runs import best_network, write_whole  # noqa: E402 - after the checks
from agents.train import main, train  # noqa: E402
from solitaire_env.evaluation import evaluate  # noqa: E402

# Configurations


@every_variant
def test_every_variant_has_a_configuration(name: str) -> None:
    """One TOML a game, named after it, that names it."""
    config = load_config(ROOT / "configs" / f"{name}.toml")
    assert config.run.variant == name


def test_a_configuration_survives_json() -> None:
    """The resolved configuration of a run's folder is one that can be read again."""
    config = tiny()
    assert config_of(json.loads(json.dumps(config.to_dict()))) == config


def test_changes_are_typed() -> None:
    """Values are read as TOML; whole numbers serve as fractions, bare words as strings."""
    changes = ["ppo.learning_rate=1", "ppo.n_steps=1_000", "env.reward=win", 'run.variant="x"']
    config = change_config(tiny(), changes)
    assert (config.ppo.learning_rate, config.ppo.n_steps) == (1.0, 1000)
    assert (config.env.reward, config.run.variant) == ("win", "x")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("ppo.lr=1", "unknown key 'ppo.lr', accepted are run.variant, .* ppo.learning_rate"),
        ("learning_rate=1", "unknown key"),
        ("ppo.n_steps=1.5", "ppo.n_steps is 1.5, accepted is a value of type int"),
        ("ppo.n_steps=true", "of type int"),
        ("ppo.n_steps=0", "numbers from 1"),
        ("ppo.gamma=-1", "numbers from 0"),
        ("ppo.gamma=nan", "numbers from 0"),
        ("ppo.gamma=high", "ppo.gamma is 'high', accepted is a value of type float"),
        ("ppo.gamma", "accepted is section.key=value"),
    ],
)
def test_bad_changes(change: str, message: str) -> None:
    """Each names the key, the value and what is accepted."""
    with pytest.raises(ConfigError, match=message):
        change_config(tiny(), [change])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "run.variant is missing"),
        ("variant = 1", "outside the sections"),
        ("[run", "is no TOML"),
        ("[run]\nspeed = 1", "unknown key 'run.speed'"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, message: str) -> None:
    """A broken file is refused; so is one that is not there."""
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        load_config(path)
    with pytest.raises(ConfigError, match="no configuration at"):
        load_config(tmp_path / "none.toml")


# Runs


def test_a_run_keeps_what_it_takes_to_repeat_it(tmp_path: Path) -> None:
    """Configuration, seed, command, versions, curves, validations and networks; then it plays."""
    path = train(tiny(SAN_JUAN_HILL, "run.total_steps=1024"), tmp_path, "the command")
    kept = {file.name.split(".")[0] for file in tmp_path.iterdir()}
    assert {"run", "checkpoint", "best", "validation", "events", "progress-from-0"} <= kept
    told = json.loads((tmp_path / "run.json").read_text())
    assert (told["seed"], told["commands"]) == (0, ["the command"])
    assert told["config"]["ppo"]["n_steps"] == 16
    assert set(told["versions"]) >= {"solitaire_env", "torch", "sb3_contrib"}
    with (tmp_path / "validation.csv").open() as file:
        assert [int(row["steps"]) for row in csv.DictReader(file)] == [512, 1024]
    assert best_network(tmp_path, SAN_JUAN_HILL) == tmp_path / "best.zip"
    player = load_agent(str(path), SAN_JUAN_HILL)
    assert evaluate(player, SAN_JUAN_HILL, range(4)).moves.min() > 0
    with pytest.raises(ValueError, match="plays another game"):
        load_agent(str(path), "arabella")


def test_a_run_goes_on_and_then_is_done(tmp_path: Path) -> None:
    """More steps continue from the checkpoint; the same again does nothing more."""
    train(tiny(SAN_JUAN_HILL, "run.total_steps=512"), tmp_path)
    longer = tiny(SAN_JUAN_HILL, "run.total_steps=1024")
    path = train(longer, tmp_path)
    assert (tmp_path / "progress-from-512.csv").exists()
    saved = path.read_bytes()
    train(longer, tmp_path)
    assert path.read_bytes() == saved


@pytest.mark.parametrize("loop", LOOPS)
def test_minutes_stop_a_run_that_the_same_command_takes_up(loop: str, tmp_path: Path) -> None:
    """A run that is out of time has saved what it made."""
    changes = ("run.total_steps=1_000_000", "run.minutes=0.001", f"run.loop={loop}")
    config = tiny(SAN_JUAN_HILL, *changes)
    for _ in range(2):
        assert train(config, tmp_path).exists()
    assert len(list(tmp_path.glob("progress-from-*"))) == 2


def test_a_run_with_other_settings_is_refused(tmp_path: Path) -> None:
    """A folder holds one run; the message names what differs."""
    train(tiny(SAN_JUAN_HILL, "run.total_steps=128"), tmp_path)
    with pytest.raises(ConfigError, match=r"another ppo.gamma: .*--name"):
        train(tiny(SAN_JUAN_HILL, "ppo.gamma=0.5"), tmp_path)


def test_nothing_is_kept_of_a_run_that_can_not_begin(tmp_path: Path) -> None:
    """An unknown game or a wrong argument leaves no folder behind."""
    for change in ("run.variant=klondike", "env.reward=cards"):
        with pytest.raises(ValueError, match="accepted are"):
            train(tiny(SAN_JUAN_HILL, change), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("loop", LOOPS)
def test_the_same_seed_trains_the_same_network(loop: str, tmp_path: Path) -> None:
    """Two runs of one seed are equal, another seed's is not."""
    logits, (seen, info), row = [], make(SAN_JUAN_HILL).reset(seed=0), np.zeros(1, np.int64)
    for place, seed in enumerate((1, 1, 2)):
        changes = ("run.total_steps=256", f"run.seed={seed}", f"run.loop={loop}")
        path = train(tiny(SAN_JUAN_HILL, *changes), tmp_path / str(place))
        player = load_agent(str(path), SAN_JUAN_HILL)
        player.reset(row, row.astype(np.uint64))
        logits.append(player._logits(seen[None], info["action_mask"][None] > 0, row).tolist())
    assert logits[0] == logits[1] != logits[2]


def test_a_file_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that dies while writing leaves the file as it was."""
    path = tmp_path / "file"
    write_whole(path, b"before")

    def die(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", die)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, b"after")
    assert path.read_bytes() == b"before"


@pytest.mark.parametrize(("loop", "name"), [("own", "checkpoint.pt"), ("sb3", "checkpoint.zip")])
def test_killed_at_any_moment_the_same_command_resumes(
    loop: str, name: str, tmp_path: Path
) -> None:
    """SIGKILL in the middle of training; the same command goes on from the checkpoint."""
    changes = [*TINY, "run.total_steps=200_000", "run.validate_every=0", f"run.loop={loop}"]
    changes += ["env.win_bonus=0", "imitation.steps=0", "imitation.fade=0"]
    command = [sys.executable, "-m", "agents.train", "configs/san-juan-hill.toml"]
    command += [part for change in changes for part in ("--set", change)]
    command += ["--folder", str(tmp_path)]
    checkpoint = tmp_path / SAN_JUAN_HILL / "seed-0" / name
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    for _ in range(2):
        before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while not (checkpoint.exists() and checkpoint.stat().st_mtime_ns > before):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
    starts = {int(path.stem.split("-")[-1]) for path in checkpoint.parent.glob("progress-*")}
    assert len(starts) == 2
    assert max(starts) >= 256


@pytest.mark.long
def test_a_minute_of_training_from_nothing(tmp_path: Path) -> None:
    """Fixed moves, no teacher: 40 foundation cards, and ten more than the untrained network."""
    changes = ["run.validate_every=0", "env.win_bonus=0", "imitation.steps=0", "imitation.fade=0"]
    lengths = {
        "untrained": ["run.total_steps=1", "ppo.learning_rate=0", "ppo.final_learning_rate=0"]
    }
    lengths["trained"] = ["run.total_steps=800_000"]
    cards = {}
    for name, more in lengths.items():
        config = load_config(ROOT / "configs" / "san-juan-hill.toml", [*changes, *more])
        player = load_agent(str(train(config, tmp_path / name)), SAN_JUAN_HILL)
        cards[name] = evaluate(player, SAN_JUAN_HILL, range(200)).foundation_cards.mean()
    assert cards["trained"] >= 40
    assert cards["trained"] >= cards["untrained"] + 10


def test_what_is_missing_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Without PyTorch the command ends with what to install."""
    monkeypatch.setitem(sys.modules, "agents.own_loop", None)
    with pytest.raises(SystemExit) as stopped:
        main([str(ROOT / "configs" / "san-juan-hill.toml"), "--folder", str(tmp_path)])
    assert stopped.value.code == 2
    assert "pip install 'solitaire-env[agents]'" in capsys.readouterr().err
