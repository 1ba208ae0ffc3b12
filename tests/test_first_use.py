"""The first use compiles, says so, and keeps what it compiled; no edit is ever missed."""

import shutil
from pathlib import Path

import pytest

from tests.helpers import ROOT, run_python

SAYS = "solitaire_env: compiling the rules"
START = """
import gymnasium as gym
env = gym.make("solitaire_env:solitaire_env/PantagruelRoyal-v0").unwrapped
_, info = env.reset(options={"deal": 1})
print(env.position()["tableau"][0], *env.legal_moves(), sep="; ")
"""
STEP = """
import time
env.step(int(info["action_mask"].argmax()))
print(time.process_time())
"""
FULL_DISK = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))\n"


class Copy:
    """A copy of the package, with a folder for its compiled kernels."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache = folder, folder / "cache"
        without = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "solitaire_env", folder / "solitaire_env", ignore=without)

    def run(self, code: str, **variables: str) -> tuple[list[str], str]:
        """Run code against the copy; give what it printed, as lines, and its stderr."""
        variables = {"NUMBA_CACHE_DIR": str(self.cache), "NUMBA_DISABLE_JIT": "0"} | variables
        done = run_python(code, self.folder, **variables)
        return done.stdout.splitlines(), done.stderr

    def edit(self, path: str, old: str, new: str) -> None:
        """Change a source file of the copy."""
        file = self.folder / "solitaire_env" / path
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1
        file.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> tuple[Copy, list[str], str]:
    """Give a copy after its first use, and what that use printed."""
    copy = Copy(tmp_path_factory.mktemp("used"))
    return copy, *copy.run(START + STEP)


def test_import_compiles_nothing_and_loads_little() -> None:
    """`import solitaire_env` loads neither numba nor the engine nor torch."""
    heavy = "numba torch solitaire_env.engine stable_baselines3 matplotlib pygame"
    code = f"import sys, solitaire_env\nprint([m for m in {heavy.split()} if m in sys.modules])"
    done = run_python(code)
    assert done.stdout.strip() == "[]"
    assert done.stderr == ""


def test_the_first_use_says_what_it_waits_for(used: tuple[Copy, list[str], str]) -> None:
    """On a cold cache one line says that the rules are compiled; it takes under 30 seconds."""
    _, printed, says = used
    assert says.count("\n") == 1
    assert says.startswith(SAYS)
    assert float(printed[-1]) < 30


def test_later_uses_are_quiet_and_quick(used: tuple[Copy, list[str], str]) -> None:
    """On a warm cache nothing is said, it takes under 2 seconds, and the result is the same."""
    copy, first, _ = used
    printed, says = copy.run(START + STEP)
    assert says == ""
    assert printed[:-1] == first[:-1]
    assert float(printed[-1]) < 2


EDITS = [
    ("engine/generator.py", "0x9E3779B97F4A7C15", "0x9E3779B97F4A7C17"),
    ("cards.py", 'RED_SUITS: Final = "HD"', 'RED_SUITS: Final = "HS"'),
]


@pytest.mark.parametrize(("path", "old", "new"), EDITS, ids=["engine/generator.py", "cards.py"])
def test_an_edited_kernel_never_runs_stale(
    used: tuple[Copy, list[str], str], path: str, old: str, new: str
) -> None:
    """An edit in any file that kernels are made from shows at the next start."""
    copy, first, _ = used
    copy.edit(path, old, new)
    try:
        printed, says = copy.run(START)
    finally:
        copy.edit(path, new, old)
    assert says.startswith(SAYS)
    assert printed[0] != first[0]


def test_an_edit_undone_finds_its_kernels_again(used: tuple[Copy, list[str], str]) -> None:
    """The kernels of the sources as they were are still there."""
    copy, first, _ = used
    printed, says = copy.run(START)
    assert (printed, says) == (first[:-1], "")


@pytest.fixture(scope="module")
def unwritable(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], str]:
    """Give what a first use prints with a file or a device in place of every cache folder."""
    copy = Copy(tmp_path_factory.mktemp("unwritable"))
    for folder in ("engine", "envs", "."):
        (copy.folder / "solitaire_env" / folder / "__pycache__").write_text("a file")
    nowhere = {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null/x"}
    return copy.run(START, NUMBA_CACHE_DIR="/dev/null/cache", **nowhere)


def test_a_folder_that_can_not_be_written_only_costs_the_time(
    used: tuple[Copy, list[str], str], unwritable: tuple[list[str], str]
) -> None:
    """Where nothing can be kept games are played all the same, with a warning."""
    printed, says = unwritable
    assert printed == used[1][:-1]
    assert "compiled kernels are not kept" in says


def test_a_use_that_keeps_nothing_says_what_it_waits_for(
    unwritable: tuple[list[str], str],
) -> None:
    """Also where nothing can be kept a line says that the rules are compiled."""
    assert SAYS in unwritable[1]


def test_a_full_disk_only_costs_the_time(used: tuple[Copy, list[str], str], tmp_path: Path) -> None:
    """When no file can grow, kernels are not kept, and games are played all the same."""
    copy, first, _ = used
    printed, says = copy.run(FULL_DISK + START, NUMBA_CACHE_DIR=str(tmp_path))
    assert printed == first[:-1]
    assert "compiled kernels are not kept" in says
    assert SAYS in says


def test_spoilt_cache_files_only_cost_the_time(used: tuple[Copy, list[str], str]) -> None:
    """Files that hold nonsense are as good as none."""
    copy, first, _ = used
    for file in copy.cache.rglob("*.nb?"):
        file.write_bytes(b"nonsense")
    printed, says = copy.run(START)
    assert printed == first[:-1]
    assert SAYS in says
