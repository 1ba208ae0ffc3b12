"""The project around the code: layers, package, documentation."""

import ast
import importlib.util
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from packaging.requirements import Requirement

import solitaire_env
from solitaire_env import VARIANTS
from tests.conftest import needs_module

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "solitaire_env"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

PURE = ["cards.py", "rulesheet.py", "rulings.py", "describe.py", "notation.py"]
PURE_FILES = [*(PACKAGE / name for name in PURE), *(PACKAGE / "variants").glob("*.py")]
PURE_MODULES = ("cards", "rulesheet", "rulings", "variants")

SHARED_FILES = [
    *(PACKAGE / name for name in ("rulings.py", "describe.py", "notation.py")),
    *(PACKAGE / "engine").glob("*.py"),
    *(PACKAGE / "envs").glob("*.py"),
    *(PACKAGE / "render").glob("*.py"),
]
PAGES = [
    ROOT / name
    for name in ("README.md", "docs/quickstart.md", "docs/agents.md", "docs/pictures.md")
]


def run_python(code: str) -> str:
    """Run code in a fresh interpreter and return what it prints."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def generator() -> ModuleType:
    """Import docs/generate.py, which is no package's."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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


def code_blocks(page: Path) -> list[str]:
    """Cut the Python blocks out of a page."""
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


def requirements(names: tuple[str, ...]) -> list[Requirement]:
    """List what the package and some extras ask for."""
    extras = PROJECT["optional-dependencies"]
    texts = PROJECT["dependencies"] + [text for name in names for text in extras[name]]
    return [Requirement(text) for text in texts]


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
    """The best of three imports counts: the machine may be busy."""
    code = (
        "import time; t = time.perf_counter(); import solitaire_env; print(time.perf_counter() - t)"
    )
    assert min(float(run_python(code)) for _ in range(3)) < 1.0


def test_wheel_holds_the_package_alone(tmp_path: Path) -> None:
    """A wheel carries solitaire_env, typed and licensed, and nothing beside it."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name.split("/")[0] for name in names} == {
        "solitaire_env",
        f"solitaire_env-{solitaire_env.__version__}.dist-info",
    }
    sources = {str(path.relative_to(ROOT)) for path in PACKAGE.rglob("*.py")}
    page = {f"solitaire_env/render/page.{kind}" for kind in ("html", "css", "js")}
    assert sources | page | {"solitaire_env/py.typed"} <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert wheel.stat().st_size < 2_000_000


def test_versions_agree() -> None:
    """One version, wherever it is written."""
    version = solitaire_env.__version__
    assert PROJECT["version"] == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize(
    ("file", "extras"),
    [
        ("constraints.txt", ("agents", "dev", "docs", "plot", "render", "video", "web")),
        ("constraints-ray.txt", ("agents", "ray")),
    ],
)
def test_the_tested_set_pins_what_is_asked_for(file: str, extras: tuple[str, ...]) -> None:
    """Every requirement has a pin in its file of constraints, within its range."""
    lines = (ROOT / file).read_text().splitlines()
    pins = dict(line.split("==") for line in lines if "==" in line and not line.startswith("#"))
    pinned = {name.lower().replace("_", "-"): version for name, version in pins.items()}
    wrong = [
        str(asked)
        for asked in requirements(extras)
        if not asked.specifier.contains(pinned.get(asked.name.lower().replace("_", "-"), "0"))
    ]
    assert not wrong


def test_readme_table_is_generated() -> None:
    """The README's table of environments is what the sheets say."""
    text = (ROOT / "README.md").read_text()
    assert generator().readme_with_table(text) == text


def test_a_page_for_every_variant(tmp_path: Path) -> None:
    """The documentation has a page a variant, with its observation's fields."""
    generator().write_pages(tmp_path)
    pages = {path.stem for path in tmp_path.glob("*.md")}
    assert pages == {"index", *VARIANTS}
    assert "`tableau`" in (tmp_path / "arabella.md").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_documented_code_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a newcomer copies works."""
    monkeypatch.chdir(tmp_path)
    blocks = code_blocks(page)
    assert blocks
    if "sb3" in page.read_text():
        needs_module("sb3_contrib")
    if "RecordVideo" in page.read_text():
        needs_module("moviepy")
    for block in blocks:
        exec(block, {})
