"""What is known of the evaluation deals: packed, read back, and used by evaluations."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solitaire_env import VARIANTS, known_deals, solved_deals
from solitaire_env.cli import main
from solitaire_env.solved_deals import STATUSES, pack_known_deals
from tests.helpers import every_variant


def verdict(deal: int, status: str, length: int = 0, variant: str = "arabella") -> dict[str, Any]:
    """Make a verdict as `solve_deals` gives it."""
    limits = {"max_nodes": 1000, "max_bytes": 10**6}
    return {"variant": variant, "deal": deal, "status": status, "length": length, **limits}


@every_variant
def test_the_package_knows_deals_of_every_variant(name: str) -> None:
    """Most of the first deals are solved; a win takes at least a move a card."""
    known = known_deals(name)
    first = known.are("solved", np.arange(100))
    assert first.mean() >= 0.75
    assert (known.lengths[:100][first] >= VARIANTS[name].cards // 2).all()
    assert not (known.are("solved", np.arange(100)) & known.are("refuted", np.arange(100))).any()


def test_packed_tables_are_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Statuses, lengths and limits; what was not tried, and what is beyond, is none of them."""
    monkeypatch.setattr(solved_deals, "FOLDER", tmp_path)
    found = [verdict(0, "solved", 321), verdict(2, "refuted"), verdict(3, "unknown")]
    pack_known_deals(found, tmp_path / "arabella.npz")
    known = known_deals("arabella")
    deals = np.array([0, 1, 2, 3, 4, 10**12])
    assert known.are("solved", deals).tolist() == [True, False, False, False, False, False]
    assert known.are("refuted", deals).tolist() == [False, False, True, False, False, False]
    assert known.are("unknown", deals).tolist() == [False, False, False, True, False, False]
    assert known.are("untried", deals).tolist() == [False, True, False, False, False, False]
    assert known.lengths.tolist() == [321, 0, 0, 0]
    assert known.limits == {"max_nodes": 1000, "max_bytes": 10**6}
    assert "1 solved, 1 refuted, 1 unknown" in str(known)


def test_a_table_grows_by_stretches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """New verdicts are added, or replace the old; others stay; another limit is refused."""
    path = tmp_path / "arabella.npz"
    pack_known_deals([verdict(0, "solved", 9), verdict(1, "unknown", 0)], path)
    pack_known_deals([verdict(1, "solved", 7), verdict(3, "refuted", 0)], path)
    monkeypatch.setattr(solved_deals, "FOLDER", tmp_path)
    known = known_deals("arabella")
    assert [STATUSES[code] for code in known.statuses] == ["solved", "solved", "untried", "refuted"]
    assert known.lengths.tolist() == [9, 7, 0, 0]
    with pytest.raises(ValueError, match=r"arabella\.npz was made under .*, the verdicts under"):
        pack_known_deals([verdict(4, "solved", 5) | {"max_nodes": 1}], path)


def test_bad_tables_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mixed verdicts, other rules, no table, an unknown variant: each with its reason."""
    monkeypatch.setattr(solved_deals, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match="one variant under one limit"):
        pack_known_deals([], tmp_path / "none.npz")
    mixed = [verdict(0, "solved", 9), verdict(1, "solved", 9, "big-bertha")]
    with pytest.raises(ValueError, match="one variant under one limit"):
        pack_known_deals(mixed, tmp_path / "mixed.npz")
    with pytest.raises(ValueError, match="no deals of arabella are known"):
        known_deals("arabella")
    pack_known_deals([verdict(0, "solved", 9)], tmp_path / "big-bertha.npz")
    with pytest.raises(ValueError, match="under other rules"):
        known_deals("big-bertha")
    with pytest.raises(ValueError, match="spider"):
        known_deals("spider")


def test_the_command_tells_and_renews(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`known` prints a line; `--pack` makes the table of what `solve --out` wrote."""
    assert main(["known", "arabella"]) == 0
    assert "arabella: " in capsys.readouterr().out
    monkeypatch.setattr(solved_deals, "FOLDER", tmp_path)
    lines = tmp_path / "lines.jsonl"
    lines.write_text(str(verdict(0, "solved", 77)).replace("'", '"') + "\n")
    assert main(["known", "arabella", "--pack", str(lines)]) == 0
    assert "1 solved" in capsys.readouterr().out
