"""The package as others get it: what a wheel and an sdist hold, and that they work elsewhere."""

import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from urllib.request import urlopen

import pytest

import solitaire_env
from solitaire_env import VARIANTS
from tests.helpers import ROOT

VERSION = solitaire_env.__version__
SOURCES = [path for path in (ROOT / "solitaire_env").rglob("*") if "__pycache__" not in path.parts]


def built(folder: Path, *command: str) -> Path:
    """Build with what is installed here, and give the one file that came out."""
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = folder.iterdir()
    return file


def wheel_of(tree: Path, folder: Path) -> Path:
    """Build a wheel as `pip install` does."""
    options = ("--no-deps", "--no-build-isolation", "--no-cache-dir", "--wheel-dir", str(folder))
    return built(folder, "pip", "wheel", *options, str(tree))


def held(wheel: Path) -> dict[str, bytes]:
    """Read a wheel: name -> content."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a wheel of this tree."""
    return wheel_of(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build an sdist of this tree, and unpack it."""
    folder = tmp_path_factory.mktemp("sdist")
    sdist = built(folder, "build", "--sdist", "--no-isolation", "--outdir", str(folder), str(ROOT))
    assert sdist.name == f"solitaire_env-{VERSION}.tar.gz"
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    return folder / f"solitaire_env-{VERSION}"


def test_wheel_is_pure_and_small(wheel: Path) -> None:
    """One wheel for all machines, under 2 MB."""
    assert wheel.name == f"solitaire_env-{VERSION}-py3-none-any.whl"
    assert wheel.stat().st_size < 2_000_000


def test_wheel_holds_the_package_alone(wheel: Path) -> None:
    """All files of solitaire_env, typed and licensed, and nothing beside them."""
    info = f"solitaire_env-{VERSION}.dist-info/"
    names = {name for name in held(wheel) if not name.startswith(info)}
    assert names == {path.relative_to(ROOT).as_posix() for path in SOURCES if path.is_file()}
    assert "solitaire_env/py.typed" in names
    assert {f"solitaire_env/data/known_deals/{name}.npz" for name in VARIANTS} <= names
    assert f"{info}licenses/LICENSE" in held(wheel)


def test_a_wheel_of_the_sdist_is_the_same(wheel: Path, unpacked: Path, tmp_path: Path) -> None:
    """Whoever builds from the sdist gets, byte by byte, what the tree gives."""
    assert held(wheel_of(unpacked, tmp_path)) == held(wheel)


def test_sdist_holds_what_its_tests_need(unpacked: Path) -> None:
    """Tests, agents and pages come along, caches and builds do not."""
    told = ("README.md", "Makefile", "tests/conftest.py", "agents/train.py", "docs/conf.py")
    assert all((unpacked / name).is_file() for name in told)
    assert not [path for path in unpacked.rglob("*") if path.name in ("__pycache__", "_build")]


# Installed in a new virtual environment, with what the wheel itself asks for

ELSEWHERE = """
import json, sys
from importlib.util import find_spec
import gymnasium as gym
name = "solitaire_env/PantagruelRoyal-v0"
first = gym.make("solitaire_env:" + name)
import solitaire_env
env, envs = gym.make(name), gym.make_vec(name, num_envs=3)
_, info = env.reset(options={"deal": 7})
env.step(int(info["action_mask"].argmax()))
envs.reset(seed=1)
print(json.dumps({
    "file": solitaire_env.__file__,
    "ids": sorted(id for id in gym.registry if id.startswith("solitaire_env/")),
    "strangers": [name for name in ("tests", "agents", "docs", "examples") if find_spec(name)],
    "moves": [list(move) for move in env.unwrapped.legal_moves()],
    "known": {name: str(solitaire_env.known_deals(name)) for name in solitaire_env.VARIANTS},
}))
"""


class Elsewhere:
    """A virtual environment with the wheel in it, used from a folder that knows no checkout."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.folder, self.venv = folder, folder / "venv"
        unknown = ("PYTHONPATH", "VIRTUAL_ENV", "NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT")
        self.variables = {name: told for name, told in os.environ.items() if name not in unknown}
        subprocess.run([sys.executable, "-m", "venv", str(self.venv)], check=True)
        self.run("pip", "install", "--quiet", f"{wheel}[web]")

    def start(self, *words: str) -> "subprocess.Popen[str]":
        """Start one of the environment's own commands."""
        command = [str(self.venv / "bin" / words[0]), *words[1:]]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            command, cwd=self.folder, env=self.variables, stdout=pipe, stderr=pipe, text=True
        )

    def run(self, *words: str) -> str:
        """Run one of the environment's own commands, and give what it prints."""
        process = self.start(*words)
        out, err = process.communicate(timeout=900)
        assert process.returncode == 0, err
        return out


@pytest.fixture(scope="module")
def elsewhere(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Elsewhere:
    """Install the wheel, with the extra `web`, in a new virtual environment."""
    return Elsewhere(tmp_path_factory.mktemp("elsewhere"), wheel)


@pytest.mark.long
def test_an_installed_wheel_plays(elsewhere: Elsewhere) -> None:
    """Ids are found by both doors, kernels compile, the tables of known deals are inside."""
    told = json.loads(elsewhere.run("python", "-c", ELSEWHERE))
    assert Path(told["file"]).is_relative_to(elsewhere.venv)
    assert told["strangers"] == []
    assert told["ids"] == sorted(map(solitaire_env.env_id, VARIANTS.values()))
    assert told["moves"]
    assert told["known"] == {name: str(solitaire_env.known_deals(name)) for name in VARIANTS}


@pytest.mark.long
def test_an_installed_command_works(elsewhere: Elsewhere) -> None:
    """It lists, deals, tells rules and solves, as here."""
    assert all(name in elsewhere.run("solitaire-env", "list") for name in VARIANTS)
    assert elsewhere.run("solitaire-env", "rules", "arabella").startswith("# Arabella\n")
    dealt = elsewhere.run("solitaire-env", "deal", "big-bertha", "--deal", "7", "--json")
    env = solitaire_env.SolitaireEnv("big-bertha")
    env.reset(options={"deal": 7})
    assert json.loads(dealt) == env.position()
    assert "solved" in elsewhere.run("solitaire-env", "solve", "big-bertha", "--deal", "7")


@pytest.mark.long
def test_an_installed_page_is_served(elsewhere: Elsewhere) -> None:
    """`solitaire-env play` says where the table is, and there is the page with its scripts."""
    words = ("solitaire-env", "play", "pantagruel-royal", "--port", "0", "--no-browser")
    with elsewhere.start(*words) as server:
        try:
            assert server.stdout is not None
            address = re.search(r"http://[\d.]+:\d+/", server.stdout.readline())
            assert address is not None
            with urlopen(address[0], timeout=60) as page:
                text = page.read().decode()
            assert "<html" in text
            (script,) = re.findall(r'<script[^>]+src="([^"]+)"', text)
            with urlopen(address[0] + script.lstrip("/"), timeout=60) as answer:
                assert answer.status == 200
        finally:
            server.terminate()
