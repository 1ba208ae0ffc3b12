"""Plots are drawn in every format, from what `agents.evaluate` and training keep."""

import json
from pathlib import Path

import pytest

from agents import plot
from solitaire_env.evaluation import evaluate
from solitaire_env.plots import plot_learning, plot_win_rates
from solitaire_env.policies import RandomPolicy
from tests.conftest import needs_module

needs_module("scipy")
needs_module("matplotlib")

SIGNATURES = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


def test_the_command_draws_evaluations_and_runs(tmp_path: Path) -> None:
    """Win rates, foundation cards and learning curves, each in each format."""
    result = evaluate(RandomPolicy(), "san-juan-hill", range(10), name="random")
    kept, run = tmp_path / "random.json", tmp_path / "run"
    kept.write_text(json.dumps(result.to_json()))
    run.mkdir()
    table = "steps,win_rate,foundation_cards\n0,0.0,20.5\n100000,0.1,30.25\n"
    (run / "validation.csv").write_text(table)
    out = tmp_path / "plots"
    options = ["--runs", str(run), "--out", str(out), "--formats", *SIGNATURES]
    plot.main([str(kept), str(kept), *options])
    for name in ("win_rates", "foundation_cards", "learning"):
        for kind, start in SIGNATURES.items():
            assert (out / f"{name}.{kind}").read_bytes().startswith(start)


def test_runs_of_one_seed_are_lines_of_their_own(tmp_path: Path) -> None:
    """Named by game and seed, as their folders are."""
    tables = [tmp_path / name / "seed-0" / "validation.csv" for name in ("one", "other")]
    for table in tables:
        table.parent.mkdir(parents=True)
        table.write_text("steps,foundation_cards\n0,20.5\n100000,30.25\n")
    plot_learning(tables, tmp_path / "learning.svg")
    drawn = (tmp_path / "learning.svg").read_text()
    assert "one/seed-0" in drawn
    assert "other/seed-0" in drawn


def test_win_rates_are_grouped_by_variant(tmp_path: Path) -> None:
    """Each variant and each agent is named once."""
    results = [
        evaluate(RandomPolicy(), variant, range(3), name=name)
        for variant in ("san-juan-hill", "arabella")
        for name in ("one", "other")
    ]
    plot_win_rates(results[1:], tmp_path / "rates.svg")
    drawn = (tmp_path / "rates.svg").read_text()
    assert [drawn.count(f"<!-- {name} -->") for name in ("arabella", "one", "other")] == [1, 1, 1]


def test_the_command_draws_budgets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Wins by playouts, as the files say how many there were; one that doesn't say is refused."""
    files = []
    for playouts in (1, 4, 16):
        result = evaluate(RandomPolicy(), "san-juan-hill", range(5), name="search")
        files.append(tmp_path / f"{playouts}.json")
        told = {**result.to_json(), "options": {"playouts": str(playouts)}}
        files[-1].write_text(json.dumps(told))
    plot.main(["--budgets", *map(str, files), "--out", str(tmp_path)])
    assert (tmp_path / "budgets.png").read_bytes().startswith(SIGNATURES["png"])
    drawn = (tmp_path / "budgets.svg").read_text()
    assert "playouts a choice" in drawn
    assert "search, san-juan-hill" in drawn
    files[0].write_text(json.dumps(result.to_json()))
    with pytest.raises(SystemExit, match="2"):
        plot.main(["--budgets", *map(str, files), "--out", str(tmp_path)])
    assert "1.json was not played with --playouts" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["missing.json"], ["--runs", "missing"]])
def test_nothing_to_draw_is_refused(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With exit code 2 and a reason."""
    with pytest.raises(SystemExit, match="2"):
        plot.main([*arguments, "--out", str(tmp_path)])
    assert "error: " in capsys.readouterr().err


def test_empty_lists_and_unknown_formats_are_refused(tmp_path: Path) -> None:
    """An error names what is accepted."""
    with pytest.raises(ValueError, match="nothing to plot"):
        plot_win_rates([], tmp_path / "a.png")
    table = tmp_path / "validation.csv"
    table.write_text("steps,foundation_cards\n1,2\n")
    with pytest.raises(ValueError, match=r"accepted are names in \.png"):
        plot_learning([table], tmp_path / "a.bmp")
