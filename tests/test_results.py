"""The results table: its rows are what anybody can play again, and are played once."""

import csv
from pathlib import Path
from typing import Any

import pytest

from agents import evaluate as command
from agents import results
from agents.results import COLUMNS, ROWS, TABLE, Row, main, read_rows
from solitaire_env import VARIANTS, known_deals
from solitaire_env.deal_lists import read_deals
from solitaire_env.evaluation import evaluate
from solitaire_env.policies import RandomPolicy
from tests.conftest import needs_module
from tests.helpers import every_variant
from tests.pages import generator

needs_module("scipy")

GAME = "san-juan-hill"
FEW = f"""
[[rows]]
player = "chance"
agent = "random"
deals = "0:6"
[rows.variants.{GAME}]
deals = "3:8"
"""


@pytest.fixture
def few(tmp_path: Path) -> list[str]:
    """Rows of one player of little work, as arguments of the command."""
    path = tmp_path / "rows.toml"
    path.write_text(FEW)
    files = ["--folder", str(tmp_path / "played"), "--out", str(tmp_path / "table.csv")]
    return ["--rows", str(path), *files, "--variants", GAME]


def lines_of(path: Path) -> list[dict[str, str]]:
    """Read a table."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_row_is_what_its_evaluation_says(few: list[str], tmp_path: Path) -> None:
    """The figures are those of the deals named; the solver's are those of the known deals."""
    main(few)
    chance, solver = lines_of(tmp_path / "table.csv")
    played = evaluate(RandomPolicy(), GAME, range(3, 8)).summary()
    assert list(chance) == list(COLUMNS)
    assert (chance["deals"], chance["won"]) == ("5", str(played["wins"]))
    assert float(chance["foundation_cards"]) == pytest.approx(played["foundation_cards"], rel=1e-3)
    assert float(chance["rate_high"]) == pytest.approx(played["wilson_high"], rel=1e-3)
    assert float(chance["seconds"]) > 0
    known = known_deals(GAME)
    assert solver["player"] == "solver"
    assert int(solver["won"]) == sum(known.lengths > 0) == str(known.statuses.tolist()).count("1")


def test_what_was_played_is_not_played_again(
    few: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same command reads it; a row that has changed is played anew."""
    main(few)
    before = (tmp_path / "table.csv").read_text()
    played = []
    monkeypatch.setattr(
        results,
        "evaluate",
        lambda *args, **kwargs: played.append(args) or evaluate(*args, **kwargs),
    )
    main(few)
    assert not played
    assert (tmp_path / "table.csv").read_text() == before
    Path(few[1]).write_text(FEW.replace("3:8", "3:9"))
    main(few)
    assert played
    assert lines_of(tmp_path / "table.csv")[0]["deals"] == "6"


def test_a_row_belongs_to_what_its_player_is_read_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under another network its players' rows are others, under other weights all are."""
    files = {"network": tmp_path / "other.safetensors", "weights": tmp_path / f"{GAME}.toml"}
    monkeypatch.setattr(results, "network_path", lambda variant: files["network"])
    monkeypatch.setattr(results, "ROWS", tmp_path / "results.toml")
    rows = [Row(GAME, agent, agent) for agent in ("greedy", "ppo", "ppo-search")]

    def changed(name: str) -> list[bool]:
        before = [row.identity() for row in rows]
        files[name].write_text("others")
        return [row.identity() != old for row, old in zip(rows, before, strict=True)]

    for path in files.values():
        path.write_text("some")
    assert changed("network") == [False, True, True]
    assert changed("weights") == [True, True, True]


@every_variant
def test_every_row_names_a_command_that_plays_it(name: str) -> None:
    """Its words are accepted by the command, and say all that the row says."""
    rows = [row for row in read_rows(ROWS) if row.variant == name]
    players = {row.player for row in rows}
    assert {"random", "greedy", "ppo", "ppo-sampled"} <= players
    assert players <= set(generator().PLAYERS)
    for row in rows:
        words = row.command.split()
        assert words[:3] == ["python", "-m", "agents.evaluate"]
        given = vars(command.parser().parse_args(words[3:]))
        told = {"agent": row.agent, "variant": name, "deals": row.deals, **row.options}
        assert {key: given[key] for key in told} == told
        assert len(read_deals(row.deals)) >= 300


def test_the_table_has_every_row() -> None:
    """docs/results.csv is of these rows, and of the solver: none is missing, none is old."""
    wanted = {(row.variant, row.player): row.command for row in read_rows(ROWS)}
    wanted |= {(name, "solver"): f"solitaire-env known {name}" for name in VARIANTS}
    told = {(line["variant"], line["player"]): line["command"] for line in lines_of(TABLE)}
    assert told == wanted


@pytest.mark.parametrize(
    "text",
    ["", "rows = 3", "[[rows]]\nplayer = 'x'", "[[rows]]\nplayer = 'x'\nagent = 'y'\nz = 1", "= 1"],
)
def test_files_that_tell_no_rows_are_refused(text: str, tmp_path: Path) -> None:
    """The file is named."""
    path = tmp_path / "rows.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"rows\.toml tells no rows of the table"):
        read_rows(path)
    with pytest.raises(ValueError, match=r"none\.toml tells no rows"):
        read_rows(tmp_path / "none.toml")


def test_bad_agents_end_the_command(few: list[str], capsys: Any) -> None:
    """With the reason, before anything is written."""
    Path(few[1]).write_text(FEW.replace('"random"', '"nobody"'))
    with pytest.raises(SystemExit) as stopped:
        main(few)
    assert stopped.value.code == 2
    assert "agent is 'nobody'" in capsys.readouterr().err


def test_rows_that_were_not_asked_for_stay(few: list[str], tmp_path: Path) -> None:
    """Unless the file of rows has no such row any more."""
    other = '\n[[rows]]\nplayer = "other"\nagent = "random"\ndeals = "0:4"\n'
    Path(few[1]).write_text(FEW + other)
    main(few)
    before = (tmp_path / "table.csv").read_text()
    main([*few, "--players", "other"])
    assert (tmp_path / "table.csv").read_text() == before
    Path(few[1]).write_text(FEW)
    main(few)
    assert [line["player"] for line in lines_of(tmp_path / "table.csv")] == ["chance", "solver"]


def test_players_without_a_row_are_refused(few: list[str], tmp_path: Path, capsys: Any) -> None:
    """And the table stays as it is."""
    main(few)
    before = (tmp_path / "table.csv").read_text()
    with pytest.raises(SystemExit):
        main([*few, "--players", "nobody"])
    assert "player is 'nobody', accepted are chance" in capsys.readouterr().err
    assert (tmp_path / "table.csv").read_text() == before


def test_options_are_a_part_of_the_command() -> None:
    """In the words of the command line."""
    row = Row(GAME, "s", "search", "0:9", {"playouts": 8})
    assert row.command.endswith("--agent search --variant san-juan-hill --deals 0:9 --playouts 8")
