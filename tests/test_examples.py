"""Examples that need no door of their own: each reaches its table."""

from pathlib import Path

import pytest

from tests.conftest import needs_module
from tests.stacks import run_example

LONGEST = 350
"""Lines of the single-file PPO."""


def test_single_file_ppo(capsys: pytest.CaptureFixture[str]) -> None:
    """It trains, and prints its table; the file stays short."""
    needs_module("torch")
    tyro = needs_module("tyro")
    from examples import cleanrl_ppo

    given = ["--steps", "4096", "--deals", "5", "--num-envs", "32", "--num-steps", "64"]
    cleanrl_ppo.main(tyro.cli(cleanrl_ppo.Args, args=given))
    assert "99 % lower bound" in capsys.readouterr().out
    assert len(Path(cleanrl_ppo.__file__).read_text().splitlines()) < LONGEST


def test_maskable_ppo_in_processes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each process registers the ids by itself."""
    needs_module("sb3_contrib")
    assert "sb3" in run_example("sb3_subproc", "--steps 64 --deals 5", monkeypatch, capsys)


def test_search_over_a_configuration(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """It never plays a test deal before the search is over."""
    needs_module("torch")
    needs_module("optuna")
    from examples import optuna_search

    played: list[int] = []
    evaluate = optuna_search.evaluate

    def noted(policy: object, variant: str, deals: range, **kwargs: object) -> object:
        played.extend(deals)
        return evaluate(policy, variant, deals, **kwargs)

    monkeypatch.setattr(optuna_search, "evaluate", noted)
    arguments = f"--trials 2 --steps 64 --validate 5 --deals 5 --folder {tmp_path}"
    assert "best of 2" in run_example("optuna_search", arguments, monkeypatch, capsys)
    assert sorted(set(played)) == [1000, 1001, 1002, 1003, 1004]
