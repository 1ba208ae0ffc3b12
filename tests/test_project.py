"""The project around the code: layers, package, documentation."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import solitaire_env
from solitaire_env import VARIANTS
from tests.helpers import ROOT
from tests.pages import EXTRAS, MAKEFILE, PROJECT, TESTED

PACKAGE = ROOT / "solitaire_env"

PURE = ["cards.py", "rulesheet.py", "rulings.py", "describe.py", "notation.py"]
PURE_FILES = [*(PACKAGE / name for name in PURE), *(PACKAGE / "variants").glob("*.py")]
PURE_MODULES = ("cards", "rulesheet", "rulings", "variants")

SHARED_FILES = [
    *(PACKAGE / name for name in ("rulings.py", "describe.py", "notation.py")),
    *(PACKAGE / "engine").glob("*.py"),
    *(PACKAGE / "envs").glob("*.py"),
    *(PACKAGE / "render").glob("*.py"),
]


def run_python(code: str) -> str:
    """Run code in a fresh interpreter and return what it prints."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def imported(path: Path) -> Iterator[str]:
    """Name the modules that a file imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""


def spoken(path: Path) -> set[str]:
    """Collect a file's names and strings, docstrings aside."""
    tree = ast.parse(path.read_text())
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    words = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            words.add(node.value)
        words |= {
            str(getattr(node, part)) for part in ("id", "attr", "name") if hasattr(node, part)
        }
    return words


def requirements(*names: str) -> list[Requirement]:
    """List what the package and some extras ask for."""
    asked = PROJECT["dependencies"] + [text for name in names for text in EXTRAS[name]]
    return [Requirement(text) for text in asked]


def test_imports_point_down() -> None:
    """The layers of pyproject.toml hold."""
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as run; run()",
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("path", PURE_FILES, ids=lambda path: path.name)
def test_from_notation_down_is_the_standard_library_alone(path: Path) -> None:
    """Sheets and their words need nothing installed."""
    own = tuple(f"solitaire_env.{name}" for name in PURE_MODULES)
    strange = [
        name
        for name in imported(path)
        if name.split(".")[0] not in sys.stdlib_module_names and not name.startswith(own)
    ]
    assert not strange


@pytest.mark.parametrize("path", SHARED_FILES, ids=lambda path: path.name)
def test_no_game_is_named_outside_its_sheet(path: Path) -> None:
    """Code follows the sheet's rules; no name of a variant decides anything."""
    games = {name.split("-")[0] for name in VARIANTS} - {"big", "san"} | {"bertha", "juan"}
    named = [word for word in spoken(path) if any(game in word.lower() for game in games)]
    assert not named


def test_import_is_light() -> None:
    """Importing the package compiles nothing and loads no heavy module."""
    heavy = "{'numba', 'torch', 'stable_baselines3', 'pygame', 'scipy'}"
    assert run_python(f"import sys, solitaire_env; print({heavy} & set(sys.modules))") == "set()\n"


def test_import_takes_under_a_second() -> None:
    """The processor's time of the best of three imports counts: the machine may be busy."""
    code = "import time, solitaire_env; print(time.process_time())"
    assert min(float(run_python(code)) for _ in range(3)) < 1.0


def test_versions_agree() -> None:
    """One version, wherever it is written."""
    version = solitaire_env.__version__
    assert PROJECT["version"] == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize(
    ("file", "extras"),
    [
        ("constraints.txt", TESTED),
        ("constraints-ray.txt", ("agents", "ray")),
    ],
)
def test_the_tested_set_pins_what_is_asked_for(file: str, extras: Sequence[str]) -> None:
    """Every requirement has a pin in its file of constraints, within its range."""
    lines = (ROOT / file).read_text().splitlines()
    pins = dict(line.split("==") for line in lines if "==" in line and not line.startswith("#"))
    pinned = {name.lower().replace("_", "-"): version for name, version in pins.items()}
    wrong = [
        str(asked)
        for asked in requirements(*extras)
        if not asked.specifier.contains(pinned.get(asked.name.lower().replace("_", "-"), "0"))
    ]
    assert not wrong


def test_the_lowest_versions_are_those_allowed() -> None:
    """`make test-lowest` takes each library at the lower end of its range."""
    pins = dict(
        pin.split("==") for pin in re.findall(r"\w+==[\d.]+", MAKEFILE.split("LOWEST := ")[1])
    )
    lowest = {
        asked.name: min(bound.version for bound in asked.specifier if bound.operator == ">=")
        for asked in requirements(*TESTED)
        if asked.name in ("numpy", "numba", "gymnasium", "scipy")
    }
    assert lowest.keys() <= pins.keys()
    assert all(Version(pins[name]) == Version(version) for name, version in lowest.items())
