"""The `solitaire-env` command."""

import json
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import pytest

from solitaire_env import VARIANTS, env_id
from solitaire_env.cli import main
from solitaire_env.describe import rule_page
from solitaire_env.records import game_record
from solitaire_env.replay import Replay

COMMANDS = ("list", "rules", "deal", "solve", "bench")
ESCAPE = "\033"


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run a command that must succeed and return what it prints."""
    assert main(words) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run a command that must be refused as bad input and return what it says."""
    try:
        code: object = main(words)
    except SystemExit as stop:
        code = stop.code
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    return err


def test_list_has_a_line_for_each_variant(capsys: pytest.CaptureFixture[str]) -> None:
    """The table names every environment, and what its game is like."""
    header, *lines = run(capsys, "list").splitlines()
    assert header.split()[:2] == ["variant", "id"]
    assert [line.split()[:2] for line in lines] == [
        [name, env_id(sheet)] for name, sheet in VARIANTS.items()
    ]
    san_juan_hill = next(line for line in lines if line.startswith("san-juan-hill"))
    assert san_juan_hill.split("  ")[-1].split() == ["112"]


def test_rules_prints_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    """The page is the one that the documentation has."""
    assert run(capsys, "rules", "arabella") == rule_page(VARIANTS["arabella"])


@pytest.mark.parametrize("name", VARIANTS)
def test_deal_draws_the_table_without_colour(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What is not a terminal gets the environment's drawing, plain."""
    env = gym.make(env_id(VARIANTS[name]), render_mode="ansi")
    env.reset(options={"deal": 7})
    shown = run(capsys, "deal", name, "--deal", "7")
    assert shown.strip() == str(env.render()).strip()
    assert ESCAPE not in shown


def test_deal_as_json_is_a_position(capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON lays the same table when handed to `reset`."""
    position = json.loads(run(capsys, "deal", "san-juan-hill", "--deal", "7", "--json"))
    env = gym.make(env_id(VARIANTS["san-juan-hill"]))
    env.reset(options={"deal": 7})
    assert position == env.get_wrapper_attr("position")()
    env.reset(options={"position": position})
    assert position == env.get_wrapper_attr("position")()


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_an_example(
    command: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each command's help ends with a line to try, and that line works."""
    monkeypatch.chdir(tmp_path)
    Replay.from_json(game_record("arabella", 7, [], {})).save("game.json.gz")
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    example = capsys.readouterr().out.strip().splitlines()[-1]
    program, *words = example.removeprefix("example: ").split()
    assert program == "solitaire-env"
    assert run(capsys, *words)


def test_unknown_variant_names_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong name is answered with the right ones."""
    says = refused(capsys, "rules", "spider")
    assert "'spider'" in says
    assert all(name in says for name in VARIANTS)


@pytest.mark.parametrize("deal", ["-1", str(2**63), "x", "1.5"])
def test_wrong_deal_is_refused(deal: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A deal that is no deal number is named in the message."""
    assert deal in refused(capsys, "deal", "arabella", f"--deal={deal}")


def test_no_command_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    """The bare command says what it wants."""
    assert "COMMAND" in refused(capsys)


def test_a_reader_may_leave_early() -> None:
    """Output into a pipe that closes ends quietly."""
    command = [sys.executable, "-m", "solitaire_env.cli", "rules", "big-bertha"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_told_in_one_line() -> None:
    """Output that can't be written ends with a line and code 2."""
    command = [sys.executable, "-m", "solitaire_env.cli", "rules", "big-bertha"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "No space left" in done.stderr
