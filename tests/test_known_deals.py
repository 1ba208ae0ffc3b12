"""What is known of the evaluation deals: packed, read back, and used by evaluations."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solitaire_env import VARIANTS, known_deals, register, solved_deals
from solitaire_env.cli import main
from solitaire_env.evaluation import evaluate
from solitaire_env.players import load_player
from solitaire_env.policies import RandomPolicy
from solitaire_env.replay import Replay
from solitaire_env.solved_deals import STATUSES, add_wins, are_winnable, pack_known_deals
from solitaire_env.solver import solve_deals
from tests.helpers import every_variant
from tests.tiny_games import TINY_CELLS


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


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record random play of a tiny game's deals."""
    register(TINY_CELLS)
    folder = tmp_path_factory.mktemp("games")
    evaluate(RandomPolicy(), TINY_CELLS.name, range(30), record=folder)
    return folder


def tiny(deal: int, status: str, length: int = 0) -> dict[str, Any]:
    """Make a verdict of the tiny game."""
    return verdict(deal, status, length, TINY_CELLS.name)


def test_wins_of_players_better_a_table(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A win solves an unknown deal, or shortens a line; lost games and other deals tell nothing."""
    told = {game.record["deal"]: game for game in map(Replay.load, games.iterdir())}
    won = {deal for deal, game in told.items() if game.record["outcome"] == "won"}
    assert 4 < len(won & set(range(20))) < 20
    first, second, *_ = sorted(won)
    path = tmp_path / f"{TINY_CELLS.name}.npz"
    pack_known_deals([tiny(deal, "unknown") for deal in range(20)], path)
    pack_known_deals([tiny(first, "solved", 500), tiny(second, "solved", 2)], path)
    add_wins(told.values(), path)
    monkeypatch.setattr(solved_deals, "FOLDER", tmp_path)
    known = known_deals(TINY_CELLS.name)
    deals = np.arange(20)
    assert set(deals[known.are("solved", deals)].tolist()) == won & set(range(20))
    assert known.lengths[first] == len(told[first].actions)
    assert known.lengths[second] == 2


def test_the_command_reads_recorded_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`known --wins` betters the table of the package, here one of a single deal."""
    monkeypatch.setattr(solved_deals, "FOLDER", tmp_path / "tables")
    pack_known_deals(
        [verdict(0, "unknown", variant="big-bertha")], tmp_path / "tables/big-bertha.npz"
    )
    evaluate(load_player("greedy", "big-bertha"), "big-bertha", range(1), record=tmp_path / "games")
    assert main(["known", "big-bertha", "--wins", str(tmp_path / "games")]) == 0
    assert "big-bertha: 1 solved" in capsys.readouterr().out


def test_wins_that_cannot_be_are_refused(games: Path, tmp_path: Path) -> None:
    """A win of a refuted deal, another game's, and one that does not go as recorded."""
    told = [Replay.load(path) for path in sorted(games.iterdir())]
    path = tmp_path / f"{TINY_CELLS.name}.npz"
    pack_known_deals([tiny(deal, "refuted") for deal in range(30)], path)
    with pytest.raises(ValueError, match="of tiny-cells was refuted, and is solved now"):
        add_wins(told, path)
    pack_known_deals([verdict(0, "unknown")], tmp_path / "arabella.npz")
    with pytest.raises(ValueError, match="a game is of tiny-cells, the table of arabella"):
        add_wins(told, tmp_path / "arabella.npz")
    other = [Replay(game.record | {"deal": game.record["deal"] ^ 1}) for game in told]
    with pytest.raises(ValueError, match=r"at the end, recorded is|action .* of the record"):
        add_wins(other, path)


def test_bad_tables_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mixed verdicts, other rules, no table, an unknown variant: each with its reason."""
    monkeypatch.setattr(solved_deals, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match="one variant under one limit"):
        pack_known_deals([], tmp_path / "none.npz")
    mixed = [verdict(0, "solved", 9), verdict(1, "solved", 9, "big-bertha")]
    with pytest.raises(ValueError, match="one variant under one limit"):
        pack_known_deals(mixed, tmp_path / "mixed.npz")
    for deal in (-1, "x", 1.5, 1_000_000, 10**12):
        with pytest.raises(ValueError, match=f"deal is {deal!r}, accepted"):
            pack_known_deals([verdict(0, "unknown") | {"deal": deal}], tmp_path / "wrong.npz")
    for status, length in (("unknown", 2), ("refuted", 1), ("solved", 0), ("solved", "x")):
        with pytest.raises(ValueError, match=f"length of a deal that is {status} is {length!r}"):
            pack_known_deals([verdict(0, status, length)], tmp_path / "wrong.npz")
    with pytest.raises(ValueError, match="no deals of arabella are known"):
        known_deals("arabella")
    pack_known_deals([verdict(0, "solved", 9)], tmp_path / "big-bertha.npz")
    with pytest.raises(ValueError, match="under other rules"):
        known_deals("big-bertha")
    with pytest.warns(UserWarning, match="under other rules"):
        assert not are_winnable("big-bertha", np.arange(2)).any()
    assert not are_winnable("arabella", np.arange(2)).any()
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
    record, *_ = solve_deals("big-bertha", [0], lines, jobs=1)
    assert main(["known", "big-bertha", "--pack", str(lines)]) == 0
    assert f"1 solved (max_nodes 1,000,000, max_bytes 400,000,000); wins of {record['length']}" in (
        capsys.readouterr().out
    )
    for wrong in ({"length": 3}, {"actions": record["actions"][:-1]}, {"actions": [0]}):
        lines.write_text(json.dumps(record | wrong) + "\n")
        assert main(["known", "big-bertha", "--pack", str(lines)]) == 2
        assert "deal 0 of big-bertha: its line wins nothing" in capsys.readouterr().err


def test_packing_again_keeps_what_is_known_better(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A win stays, and the shorter one; no deal is solved and refuted."""
    monkeypatch.setattr(solved_deals, "FOLDER", tmp_path)
    path = tmp_path / "arabella.npz"
    found = [verdict(0, "solved", 300), verdict(1, "refuted"), verdict(2, "unknown")]
    pack_known_deals(found, path)
    pack_known_deals(
        [verdict(0, "unknown"), verdict(1, "unknown"), verdict(2, "solved", 70_000)], path
    )
    pack_known_deals([verdict(0, "solved", 400), verdict(2, "solved", 70_001)], path)
    known = known_deals("arabella")
    assert [STATUSES[code] for code in known.statuses] == ["solved", "refuted", "solved"]
    assert known.lengths.tolist() == [300, 0, 2**16 - 1]
    for deal, status in ((0, "refuted"), (1, "solved")):
        with pytest.raises(ValueError, match=f"deal {deal} of arabella was .*, and is {status}"):
            pack_known_deals([verdict(deal, status, 5 * (status == "solved"))], path)
