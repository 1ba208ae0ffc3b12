"""What the documentation tells a reader to type: its pages, their code blocks and commands."""

import argparse
import importlib
import importlib.util
import os
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple
from unittest.mock import patch

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from agents.config import change_config, load_config
from solitaire_env import VARIANTS
from solitaire_env.deal_lists import read_deals
from solitaire_env.envs.registration import find_sheet
from solitaire_env.players import AGENTS
from tests.conftest import needs_module
from tests.helpers import ROOT

PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS: Final[dict[str, list[str]]] = PROJECT["optional-dependencies"]

MAKEFILE: Final = (ROOT / "Makefile").read_text()
TESTED: Final = [
    "agents",
    *",".join(re.findall(r"^(?:EXTRAS|STACKS) := (.*)$", MAKEFILE, re.MULTILINE)).split(","),
]
"""The extras that `make` installs; others need a virtual environment of their own."""

CHECKOUT: Final = ("agents", "benchmarks", "configs", "docs", "examples", "solitaire_env")
"""Folders that a reader has before him."""

OWN: Final = sorted((ROOT / "solitaire_env" / "cli").glob("*.py"))
"""The sources of the command `solitaire-env`."""

QUICK: Final = re.compile(r"solitaire-env (list|rules|deal|known|replay|solve|watch) ?|python exam")
"""Commands that are run as they are printed; all others are only checked."""
SLOW: Final = ("--deals", "--pack", "--wins", "my_module:make")
"""Words of commands that would take minutes, change the package, or need what is not there."""

NEEDS: Final = {"--gif": "PIL"}
"""Options that need a module of an extra."""


class Block(NamedTuple):
    """A code block: the line of the page on which it begins, its language, its text."""

    line: int
    language: str
    text: str


def generator() -> ModuleType:
    """Import docs/generate.py, which is no package's."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pages() -> dict[str, Callable[[], str]]:
    """Find all pages, written by hand and generated: name -> what gives its text."""
    files = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
    return {
        **{path.relative_to(ROOT).as_posix(): path.read_text for path in files},
        **{f"docs/environments/{name}.md": partial(_generated, name) for name in VARIANTS},
    }


def _generated(name: str) -> str:
    return generator().environment_page(VARIANTS[name])


def blocks(text: str) -> list[Block]:
    """Cut the code blocks out of a page; directives of the documentation's own are none."""
    found = re.finditer(r"^( *)```(.*)\n([\s\S]*?)^\1```$", text, re.MULTILINE)
    cut = [(text.count("\n", 0, each.start()) + 1, *each.groups()) for each in found]
    return [
        Block(line, language, re.sub(f"^{indent}", "", body, flags=re.MULTILINE))
        for line, indent, language, body in cut
        if not language.startswith("{")
    ]


def named_commands(text: str) -> list[list[str]]:
    """Find the commands that sentences name, as `make docs`, not always whole."""
    sentences = re.sub(r"^ *```[\s\S]*?^ *```$", "", text, flags=re.MULTILINE)
    return [
        line.split() for line in re.findall(r"`((?:make|solitaire-env|python) [^`]+)`", sentences)
    ]


def commands(text: str) -> Iterator[list[str]]:
    """Read the command lines of a shell block as words, without their comments."""
    for line in text.replace("\\\n", " ").splitlines():
        if words := shlex.split(line, comments=True):
            yield words


def checkout(folder: Path) -> Path:
    """Make an empty folder look like a checkout, so that nothing is written into this one."""
    for name in CHECKOUT:
        (folder / name).symlink_to(ROOT / name)
    return folder


def follow(block: Block, folder: Path) -> None:
    """Do what a block says in a folder; a language that nobody checks is a fault."""
    doings: dict[str, Callable[[str, Path], None]] = {
        "python": _run_code,
        "sh": _follow_commands,
        "toml": lambda text, _: _read_toml(text),
        "text": lambda *_: None,
    }
    assert block.language in doings, f"{block.language!r} is none of {', '.join(doings)}"
    doings[block.language](block.text, folder)


def _run_code(text: str, folder: Path) -> None:
    """Execute Python; a module of an extra that is not there skips, or fails in CI."""
    try:
        exec(compile(text, "a page", "exec"), {})
    except Exception as error:
        if (name := missing_module(error)) is None:
            raise
        skip_or_fail(name)
        raise


def skip_or_fail(name: str) -> None:
    """Deal with a missing module: one of another virtual environment skips, in CI too."""
    if name.partition(".")[0] in elsewhere():
        pytest.skip(f"{name} needs a virtual environment of its own")
    needs_module(name)


def elsewhere() -> set[str]:
    """Name the modules of extras that `make` does not install, as Ray."""
    asked = [text for extra, texts in EXTRAS.items() if extra not in TESTED for text in texts]
    return {Requirement(text).name.replace("-", "_") for text in asked}


def missing_module(error: BaseException | None) -> str | None:
    """Name the module, none of ours, whose absence is behind an error."""
    while error is not None:
        if isinstance(error, ModuleNotFoundError) and error.name:
            ours = error.name.startswith(("agents", "solitaire_env"))
            return None if ours else error.name
        error = error.__cause__ or error.__context__
    return None


def _read_toml(text: str) -> None:
    assert tomllib.loads(text)


def _follow_commands(text: str, folder: Path) -> None:
    for words in commands(text):
        check(words)
        if is_quick(words):
            run(words, folder)


def is_quick(words: list[str]) -> bool:
    """Tell whether a command is run, not only checked."""
    return bool(QUICK.match(" ".join(words))) and not set(SLOW) & set(words)


def run(words: list[str], folder: Path) -> None:
    """Run a command as a reader would, with this interpreter's commands first on the path."""
    for option in set(NEEDS) & set(words):
        needs_module(NEEDS[option])
    bin_first = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": bin_first, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        words, env=environment, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{shlex.join(words)}: {done.stderr}"
    assert done.stdout or not {"list", "rules", "deal", "solve"} & set(words)


def check(words: list[str]) -> None:
    """Check a command without carrying it out; AssertionError says what is wrong with it."""
    checks = {"solitaire-env": _check_own, "python": _check_python, "python3": _check_python}
    checks |= {"make": _check_make, "pip": _check_pip}
    checks |= {"source": _check_source, "export": lambda _: None}
    name = "python" if re.fullmatch(r"\.venv-\w+/bin/python", words[0]) else words[0]
    assert name in checks, f"no check of tests/pages.py knows {shlex.join(words)}"
    checks[name](words[1:])


def _check_source(words: list[str]) -> None:
    """Check that what is activated is a virtual environment that `make` makes."""
    (folder,) = re.findall(r"^(\.venv-\w+)/bin/activate$", words[0])
    assert f"-m venv {folder}\n" in MAKEFILE


def _check_own(words: list[str]) -> None:
    """Let the command's own parser read the words."""
    _check_meaning(read_arguments("solitaire_env.cli", words))


def _check_python(words: list[str]) -> None:
    """Check a module (`-m`) or a file: it exists, and its own parser reads the rest."""
    place, *rest = words[1:] if words[0] == "-m" else words
    if words[0] != "-m":
        assert (ROOT / place).is_file(), f"{place} does not exist"
    if words[0] == "-m" and place == "pip":
        _check_pip(rest)
    elif place.startswith("examples"):
        _check_options(source_of(place).read_text(), rest)
    elif place != "venv":
        _check_meaning(read_arguments(place, rest))


def _check_options(source: str, words: list[str]) -> None:
    """Check that an example has the options: of argparse, or fields that tyro makes options of."""
    for word in words:
        field = word.removeprefix("--").replace("-", "_")
        known = f'"{word}"' in source or re.search(rf"^    {field}: ", source, re.MULTILINE)
        assert known or not word.startswith("--"), f"there is no {word}"


def read_arguments(place: str, words: list[str]) -> argparse.Namespace:
    """Let the parser of a module or a file read its words, and stop there.

    Raises:
        AssertionError: for what it does not accept, and where there is no parser.
    """

    class Read(BaseException): ...

    read = argparse.ArgumentParser.parse_args

    def read_and_stop(self: Any, args: Any = None, namespace: Any = None) -> argparse.Namespace:
        raise Read(read(self, args, namespace))

    source = source_of(place)
    assert "parse_args(" in source.read_text(), f"{place} has no parser: it would start"
    stopped = patch.object(argparse.ArgumentParser, "parse_args", read_and_stop)
    with stopped, patch.object(sys, "argv", [place, *words]):
        try:
            if place.endswith(".py"):
                runpy.run_path(str(source), run_name="__main__")
            else:
                importlib.import_module(place).main()
        except Read as stop:
            return stop.args[0]
        except SystemExit:
            raise AssertionError(f"{place} does not accept {shlex.join(words)}") from None
        except ImportError as error:
            skip_or_fail(missing_module(error) or place)
            raise
    raise AssertionError(f"{place} reads no words")


def source_of(place: str) -> Path:
    """Find the file of a module or a script."""
    path = ROOT / (place if place.endswith(".py") else place.replace(".", "/"))
    places = (path, path.with_suffix(".py"), path / "__init__.py")
    source = next(filter(Path.is_file, places), None)
    assert source is not None, f"{place} does not exist"
    return source


def check_named(words: list[str]) -> None:
    """Check a command that a sentence names: its target, or its file and options, are there."""
    if words[0] == "make":
        return _check_make(words[1:])
    files = [source_of(words[2 if words[1] == "-m" else 1])] if words[0] == "python" else OWN
    text = "".join(file.read_text() for file in files)
    named = [word for word in words[1:] if word.startswith("--")]
    named += words[1:2] if words[0] == "solitaire-env" else []
    for word in named:
        assert f'"{word}"' in text, f"{shlex.join(words)}: there is no {word}"
    return None


def _check_meaning(given: argparse.Namespace) -> None:
    """Check what parsers leave to later: variants, deals, players and configurations."""
    told = vars(given)
    if told.get("variant"):
        find_sheet(told["variant"])
    if isinstance(told.get("deals"), str):
        read_deals(told["deals"])
    if told.get("agent"):
        assert told["agent"] in AGENTS or ":" in told["agent"], f"who is {told['agent']}?"
    if told.get("config"):
        change_config(load_config(ROOT / told["config"]), told["set"])


def _check_make(words: list[str]) -> None:
    """Check that targets and variables are in the Makefile."""
    for word in words:
        name, equals, _ = word.partition("=")
        pattern = rf"^{re.escape(name)} [?:]?=" if equals else rf"^{re.escape(name)}:"
        assert re.search(pattern, MAKEFILE, re.MULTILINE), f"the Makefile has no {name}"


def _check_pip(words: list[str]) -> None:
    """Check that what is installed is this project, by extras that it has, or asked for by one."""
    assert words[0] == "install"
    texts = [PROJECT["name"], *(text for texts in EXTRAS.values() for text in texts)]
    asked = {canonicalize_name(Requirement(text).name) for text in texts}
    for word in words[1:]:
        if word not in ("-e", "--editable", "--constraint", "constraints.txt"):
            wanted = Requirement(re.sub(r"^\.", PROJECT["name"], word))
            assert canonicalize_name(wanted.name) in asked, f"what is {word}?"
            assert wanted.extras <= set(EXTRAS), f"{word}: the extras are {', '.join(EXTRAS)}"
