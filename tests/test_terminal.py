"""The commands `watch` and `replay`: what they print, and how they end."""

import io
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from solitaire_env.cli import main
from solitaire_env.evaluation import RandomPolicy
from solitaire_env.players import AGENTS, load_player
from solitaire_env.terminal import step_through
from tests.test_replay import recorded


def test_watch_and_replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A watched game is saved, and replayed: the same tables, without colour when piped."""
    game, page = tmp_path / "game.json.gz", tmp_path / "game.html"
    assert main(["watch", "arabella", "--deal", "7", "--save", str(game)]) == 0
    watched = capsys.readouterr().out
    assert main(["replay", str(game)]) == 0
    replayed = capsys.readouterr().out
    assert replayed.splitlines()[3:] == watched.splitlines()[3:]
    assert "\033" not in watched
    assert main(["replay", str(game), "--html", str(page), "--felt", "midnight-navy"]) == 0
    assert capsys.readouterr().out == ""
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_stepping(capsys: pytest.CaptureFixture[str]) -> None:
    """On, back, to a number, out; what is not understood changes nothing; the end ends."""
    answers = iter(["", "", "b", "x", "4", "99", "q"])
    step_through(recorded(steps=6).replay(), lambda _: next(answers))
    shown = re.findall(r"^(\d)/6", capsys.readouterr().out, re.MULTILINE)
    assert "".join(shown) == "0121146"


def test_stepping_ends_with_the_input(capsys: pytest.CaptureFixture[str]) -> None:
    """Control-D is a way out."""

    def closed(_: str) -> str:
        raise EOFError

    step_through(recorded(steps=1).replay(), closed)
    assert capsys.readouterr().out.startswith("0/1")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["arabella", "--agent", "nobody"],
            f"accepted are {', '.join(AGENTS)} and module",
        ),
        (["arabella", "--agent", "nowhere:make"], "can't be loaded: No module named 'nowhere'"),
        (["arabella", "--agent", "solitaire_env.policies:build"], "can't be loaded"),
        (
            ["arabella", "--agent", ":make"],
            f"accepted are {', '.join(AGENTS)} and module",
        ),
        (["arabella", "--agent", "..x:make"], "can't be loaded"),
        (["arabella", "--agent", "agents.greedy:CONFIGS"], "is not made by factory(variant)"),
        (["arabella", "--agent", "os:getcwd"], "is not made by factory(variant)"),
        (["arabella", "--agent", "os:fsencode"], "is no player, it lacks reset or act: b'arabel"),
        (["arabella", "--deal=-1"], "deal is -1, accepted are"),
        (["arabella", "--seconds=-1"], "--seconds is -1.0, accepted are"),
        (["arabella", "--seed=-1"], "seed is -1, accepted are"),
        (["arabella", "--save", "no/folder/here"], "accepted is a file in a folder that exists"),
    ],
)
def test_bad_watching(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Mistakes end with a message and code 2, before anything is played."""
    assert main(["watch", *words]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert message in err


@pytest.mark.parametrize("command", ["watch", "replay"])
def test_help_shows_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`--help` ends with a line to copy, and code 0."""
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert f"example: solitaire-env {command} " in capsys.readouterr().out


def test_outputs_without_suits_get_question_marks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A pipe that is not UTF-8 is no reason to stop."""
    game = tmp_path / "game.json"
    recorded(steps=5).replay().save(game)
    pipe = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", pipe)
    assert main(["replay", str(game)]) == 0
    assert b"? from T" in pipe.buffer.getvalue()


def test_control_c_ends_quietly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who has seen enough gets code 130 and no traceback."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("solitaire_env.terminal.show", interrupt)
    assert main(["watch", "arabella"]) == 130
    assert capsys.readouterr().err == ""


def test_anybodys_player_can_be_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`module:factory` may lie in the folder that one is in."""
    text = (
        "from solitaire_env.evaluation import RandomPolicy\ndef make(name): return RandomPolicy()"
    )
    (tmp_path / "my_own_player.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert isinstance(load_player("my_own_player:make", "arabella"), RandomPolicy)
    assert main(["watch", "san-juan-hill", "--agent", "my_own_player:make"]) == 0
    assert "the deal" in capsys.readouterr().out
