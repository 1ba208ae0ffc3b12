"""Two players on the same deals, evaluations read back, tables of games, named lists of deals."""

import csv
import json
import re
import sys
from dataclasses import replace
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import compare
from agents import evaluate as command
from solitaire_env.comparison import comparison_text, paired_bootstrap, paired_wins
from solitaire_env.deal_lists import DEAL_LISTS, list_hash, read_deals
from solitaire_env.evaluation import Evaluation, evaluate
from solitaire_env.exports import load_evaluation, write_games
from solitaire_env.policies import RandomPolicy
from solitaire_env.statistics import deals_needed, mcnemar_exact, mcnemar_power
from tests.conftest import needs_module

needs_module("scipy")

SAN_JUAN_HILL = "san-juan-hill"


def evaluation(won: list[bool], agent: str = "made up") -> Evaluation:
    """Make an evaluation with these wins."""
    wins, count = np.array(won), len(won)
    cards = np.where(wins, 104, 20)
    zeros = np.zeros(count, np.int64)
    outcomes = np.where(wins, "won", "stuck")
    counts = (cards, zeros, zeros, outcomes, zeros)
    return Evaluation(SAN_JUAN_HILL, agent, 0, {}, np.arange(count), wins, *counts)


def binomial_tails(few: int, pairs: int) -> float:
    """Add up both tails of a fair coin by hand."""
    return min(1.0, 2 * sum(comb(pairs, k) for k in range(few + 1)) / 2**pairs)


@pytest.mark.parametrize(("one", "other"), [(0, 0), (3, 3), (9, 1), (1, 9), (0, 12), (40, 61)])
def test_mcnemar_is_a_fair_coin_over_discordant_pairs(one: int, other: int) -> None:
    """The p-value is the two tails of a binomial distribution, counted here by hand."""
    assert mcnemar_exact(one, other) == pytest.approx(binomial_tails(min(one, other), one + other))


def test_paired_wins() -> None:
    """Each deal is won by both, by one of them, or by neither."""
    pair = paired_wins(
        evaluation([True, True, True, False, False, False]),
        evaluation([True, False, False, True, False, False]),
    )
    assert (pair.both, pair.only_one, pair.only_other, pair.neither) == (1, 2, 1, 2)
    assert pair.p_value == 1.0
    with pytest.raises(ValueError, match="nothing to pair"):
        paired_wins(evaluation([True]), evaluation([True, False]))


def test_cards_are_compared_deal_by_deal() -> None:
    """Mean, bounds by bootstrap, and on how many deals which of them had more."""
    pair = paired_bootstrap(evaluation([True, False]), evaluation([False, False]))
    assert (pair.deals, pair.mean, pair.more, pair.fewer) == (2, 42.0, 1, 0)
    assert pair.interval == (0.0, 84.0)
    assert pair.low == 0.0


def test_text_names_deals_and_what_was_seen() -> None:
    """A reader can tell which deals were played, from what, and who won."""
    text = comparison_text(evaluation([True, False], "one"), evaluation([False, False], "other"))
    assert "deals 0 to 1 (list " in text
    assert "+42.00 foundation cards a deal (99 % lower bound +0.00)" in text
    assert "what a player sees" in text
    assert "only by one 1, only by other 0, by neither 1; McNemar's exact p = 1" in text


def test_players_of_one_name_are_told_apart() -> None:
    """The second is numbered."""
    text = comparison_text(evaluation([True], "greedy"), evaluation([False], "greedy"))
    assert "only by greedy 1, only by greedy (2) 0" in text


def test_evaluations_are_read_back(tmp_path: Path) -> None:
    """What `to_json` gives is the whole evaluation."""
    result = evaluate(RandomPolicy(), SAN_JUAN_HILL, range(5), name="random", seed=3)
    path = tmp_path / "random.json"
    path.write_text(json.dumps(result.to_json()))
    again = load_evaluation(path)
    assert again.summary() == result.summary()
    for name, values in result.games().items():
        np.testing.assert_array_equal(again.games()[name], values)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"variant": "arabella"}', "no JSON"])
def test_what_is_no_evaluation_is_refused(tmp_path: Path, text: str) -> None:
    """The file is named."""
    path = tmp_path / "wrong.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"wrong\.json"):
        load_evaluation(path)


class Stubborn:
    """Plays action 0, legal or not."""

    def reset(self, rows: np.ndarray, seeds: np.ndarray) -> None:
        """Remember nothing."""

    def act(self, observations: np.ndarray, masks: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Choose action 0."""
        return np.zeros(len(rows), np.int64)


def test_illegal_actions_are_counted_where_they_may_pass() -> None:
    """Every step of a player that only tries an illegal action is one."""
    result = evaluate(Stubborn(), SAN_JUAN_HILL, range(4), illegal="noop", max_episode_steps=9)
    legal = result.moves
    assert (result.illegal_actions + legal == 9).all()
    assert result.summary()["illegal_actions"] == result.illegal_actions.sum() > 0


def test_a_line_a_game(tmp_path: Path) -> None:
    """The table holds what the evaluation knows of each game."""
    result = evaluate(RandomPolicy(), SAN_JUAN_HILL, range(5))
    write_games(result, tmp_path / "games.csv")
    with (tmp_path / "games.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [int(line["deals"]) for line in lines] == list(range(5))
    assert [int(line["score"]) for line in lines] == result.score.tolist()
    assert [line["outcomes"] for line in lines] == result.outcomes.tolist()
    with pytest.raises(ValueError, match=r"accepted are names in \.csv, \.parquet"):
        write_games(result, tmp_path / "games.xlsx")


def test_named_lists_of_deals() -> None:
    """Test and validation list share no deal; the hash tells lists and their order apart."""
    assert read_deals("test") == range(1000)
    assert not set(DEAL_LISTS["test"]) & set(DEAL_LISTS["validation"])
    assert list_hash(np.arange(1000)) == "702746827e55"
    assert list_hash(np.array([0, 1])) != list_hash(np.array([1, 0]))


def test_commands_play_compare_and_keep(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An evaluation's file is compared with a player that plays the same deals now."""
    kept, table = tmp_path / "random.json", tmp_path / "games.csv"
    common = ["--variant", SAN_JUAN_HILL, "--deals", "0:20"]
    command.main(["--agent", "random", *common, "--json", str(kept), "--table", str(table)])
    assert len(table.read_text().splitlines()) == 21
    capsys.readouterr()
    figures = tmp_path / "figures.json"
    compare.main([str(kept), "random", *common, "--json", str(figures)])
    assert "McNemar's exact p = 1" in capsys.readouterr().out
    assert json.loads(figures.read_text())["cards"]["mean"] == 0


@pytest.mark.parametrize(
    "wrong", [["random", "random"], ["nobody", "random", "--variant", "arabella"]]
)
def test_bad_comparisons_are_refused(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """With exit code 2 and a reason."""
    with pytest.raises(SystemExit, match="2"):
        compare.main(wrong)
    assert "error: " in capsys.readouterr().err


def test_it_is_said_who_saw_what() -> None:
    """Once, if both played alike; else of each, with the seed."""
    one, other = evaluation([True, False], "one"), evaluation([True, True], "other")
    assert "seed 0, what a player sees" in comparison_text(one, other)
    open_cards = replace(other, seed=9, kwargs={"observability": "full"})
    said = "one with seed 0, what a player sees; other with seed 9, all cards known"
    assert said in comparison_text(one, open_cards)


@pytest.mark.parametrize(
    "change",
    [{"won": [True]}, {"won": ["a", "b"]}, {"moves": [1.5, 2.0]}, {"deals": []}, {"score": [[1]]}],
)
def test_games_that_do_not_fit_are_no_evaluation(change: dict[str, Any]) -> None:
    """Columns of another length or type are refused by name."""
    told = json.loads(json.dumps(evaluation([True, False]).to_json()))
    told["games"] |= change
    with pytest.raises(ValueError, match=r"this is no evaluation: games\.\w+ is "):
        Evaluation.from_json(told)


def test_an_evaluation_without_scipy_is_refused_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command says which extra is missing before it plays, not after."""
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setattr(command, "evaluate", lambda *_, **__: pytest.fail("it played"))
    with pytest.raises(SystemExit):
        command.main(["--agent", "random", "--variant", SAN_JUAN_HILL, "--deals", "0:2"])
    assert "solitaire-env[agents]" in capsys.readouterr().err


# How many deals a difference needs


def counted_power(only_one: float, only_other: float, deals: int) -> float:
    """Sum the chances of all outcomes that the exact test finds unlikely, one by one."""
    neither = 1 - only_one - only_other
    return sum(
        comb(deals, one)
        * comb(deals - one, other)
        * only_one**one
        * only_other**other
        * neither ** (deals - one - other)
        for one in range(deals + 1)
        for other in range(deals + 1 - one)
        if mcnemar_exact(one, other) <= 0.05
    )


@pytest.mark.parametrize(
    ("only_one", "only_other", "deals"),
    [(0.3, 0.1, 20), (0.5, 0.5, 12), (0.0, 0.4, 15), (0.2, 0.15, 17), (0.1, 0.2, 1)],
)
def test_power_is_the_sum_over_outcomes(only_one: float, only_other: float, deals: int) -> None:
    """The chance that the exact test tells two players apart, counted outcome by outcome."""
    expected = counted_power(only_one, only_other, deals)
    assert mcnemar_power(only_one, only_other, deals) == pytest.approx(expected, abs=1e-9)


def test_power_of_equals_is_at_most_the_level() -> None:
    """Players that win equally often are told apart in one of twenty comparisons at most."""
    assert all(0 <= mcnemar_power(0.1, 0.1, deals) <= 0.05 for deals in (1, 10, 100, 1000))


@pytest.mark.parametrize(("only_one", "only_other"), [(0.3, 0.1), (0.1, 0.3), (0.11, 0.09)])
def test_deals_needed_are_enough_and_hardly_more(only_one: float, only_other: float) -> None:
    """As many deals have the power; a tenth less have not."""
    deals = deals_needed(only_one, only_other)
    assert deals % 10 == 0
    assert mcnemar_power(only_one, only_other, deals) >= 0.8
    assert mcnemar_power(only_one, only_other, deals - max(10, deals // 10)) < 0.8


@pytest.mark.parametrize(
    "asked",
    [(0.1, 0.1, 0.8), (-0.1, 0.2, 0.8), (0.6, 0.5, 0.8), (0.2, 0.1, 1.0), (0.2, 0.1, 0.05)],
)
def test_shares_and_powers_that_are_none_are_refused(asked: tuple[float, float, float]) -> None:
    """Equal shares are never told apart; the message names what was given."""
    with pytest.raises(ValueError, match=re.escape(str(asked[0]))):
        deals_needed(*asked)
