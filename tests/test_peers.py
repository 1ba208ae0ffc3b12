"""The benchmark beside other libraries: its runners and its tables."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from solitaire_env.bench import bytes_a_game

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "peers.py"
NAMES = ("arabella", "SyncVectorEnv", "no such script", "no such package")


@pytest.fixture(scope="module")
def peers() -> ModuleType:
    """Import benchmarks/peers.py, which is no package's."""
    spec = importlib.util.spec_from_file_location("peers", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["peers"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def entries(peers: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> list:
    """Measure, shortly: ours, one that runs beside it, and two that can't be measured."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(peers, "VENVS", tmp_path_factory.mktemp("venvs"))
        missing = str(SCRIPT.with_name("no-such-package.whl"))
        contestants = [
            peers.Contestant(NAMES[0], "ours.py", ("arabella",)),
            peers.Contestant(NAMES[1], "gymnasium_sync.py", ("arabella",)),
            peers.Contestant(NAMES[2], "no_such_script.py"),
            peers.Contestant(NAMES[3], "ours.py", requirements=(missing,)),
        ]
        return peers.contest(contestants, 0.01, 2)


def test_each_is_measured_in_each_round(entries: list) -> None:
    """The round to warm up is left out."""
    ours, sync = entries[:2]
    assert len(ours.rates) == len(sync.rates) == 2
    assert min(ours.rates + sync.rates) > 0
    assert ours.told["bytes"] == sync.told["bytes"] == bytes_a_game("arabella").step
    assert ours.told["games"] > sync.told["games"]


def test_what_cannot_be_measured_says_why(entries: list) -> None:
    """A peer is never silently left out."""
    assert "no_such_script.py" in entries[2].reason
    assert "no-such-package.whl" in entries[3].reason
    assert all("unavailable" in entry.to_json() for entry in entries[2:])


def test_the_page_has_all_of_them(
    peers: ModuleType, entries: list, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables go between the markers, figures beside the page; the rest of the page stays."""
    monkeypatch.setattr(peers, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(peers, "DATA", tmp_path / "static" / "peers.json")
    peers.PAGE.write_text(f"before\n{peers.START}\nold\n{peers.END}\nafter\n")
    report = {"machine": {}, "seconds": 0.01, "runs": 2, "ratios": peers.ratios(entries)}
    peers.write(peers.markdown(entries, report), report)
    page = peers.PAGE.read_text()
    assert page.startswith(f"before\n{peers.START}\n")
    assert page.endswith(f"\n{peers.END}\nafter\n")
    assert "old" not in page
    assert all(f"| {name} |" in page for name in NAMES)
    assert json.loads(peers.DATA.read_text())["ratios"].keys() == {NAMES[1]}


def test_contestants_take_turns(peers: ModuleType) -> None:
    """Ours, a peer, ours, a peer, and nobody is forgotten."""
    listed = peers.in_turns(["arabella", "san-juan-hill"])
    assert [entry.script == "ours.py" for entry in listed[:4]] == [True, False, True, False]
    assert set(peers.PEERS) < set(listed)
    assert all((SCRIPT.parent / "peers" / entry.script).exists() for entry in listed)
