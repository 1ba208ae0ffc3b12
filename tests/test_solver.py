"""The solver: wins that play, refutations that an exhaustive search shares, honest limits."""

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

from solitaire_env import VARIANTS, env_id
from solitaire_env.cli import main
from solitaire_env.engine.compile import entry, specialise
from solitaire_env.engine.lowered import LoweredRules
from solitaire_env.engine.state import Games
from solitaire_env.rulesheet import RuleSheet
from solitaire_env.solver import ProofError, Verdict, solve, solve_deals
from solitaire_env.solver import solve as door
from solitaire_env.solver.batch import read_records
from solitaire_env.solver.fingerprint import fingerprint

from .helpers import ending as laid
from .helpers import every_variant
from .naive_search import crowded, naive_verdict, narrow
from .player import Player
from .positions import ending


def wins(name: str, verdict: Verdict, start: dict) -> bool:
    """Tell whether a verdict's moves, played in a fresh environment, win."""
    env = gym.make(env_id(VARIANTS[name]), max_episode_steps=10**6, no_progress_limit=10**6)
    _, info = env.reset(options=start)
    for action, move in zip(verdict.actions, verdict.moves, strict=True):
        assert env.get_wrapper_attr("move_of")(action) == move
        info = env.step(action)[-1]
    return bool(info.get("is_success"))


def without_time(verdict: Verdict) -> dict:
    """Give what a verdict says, but for the seconds."""
    return {**verdict.to_json(), "seconds": None}


@every_variant
def test_a_win_is_a_game_that_plays(name: str) -> None:
    """The moves of solved positions, fresh deals too, win in words and in numbers."""
    at = ending(VARIANTS[name], random.Random(name), 40)
    for start in ({"position": at}, {"deal": 0}):
        verdict = solve(name, max_nodes=100_000, **start)
        assert (verdict.status, verdict.limit) == ("solved", None)
        assert wins(name, verdict, start)


@every_variant
def test_a_small_position_gets_the_verdict_of_a_naive_search(name: str) -> None:
    """Solver and reference agree on what can be won."""
    assert compare(VARIANTS[name], lambda seen: seen["all"] < 15, 200)["decided"] >= 4


@pytest.mark.parametrize("name", ["big-bertha", "san-juan-hill"])
def test_a_small_position_that_cannot_be_won_is_refuted(name: str) -> None:
    """On five columns: on all of theirs so few cards of these games can always be won."""
    compare(narrow(VARIANTS[name]), lambda seen: seen["refuted"] < 8, 300)


@pytest.mark.long
@every_variant
def test_many_small_positions_get_the_verdict_of_a_naive_search(name: str) -> None:
    """The same on two hundred that the naive search decides, and on a hundred that it refutes."""
    compare(VARIANTS[name], lambda seen: seen["decided"] < 200, 3000)
    compare(narrow(VARIANTS[name]), lambda seen: seen["refuted"] < 100, 3000)


def compare(sheet: RuleSheet, goes_on: Callable[[Counter[str]], bool], most: int) -> Counter[str]:
    """Compare verdicts on positions, and count those that the naive search decides, and how."""
    rng, seen = random.Random(f"{sheet.name} naive"), Counter[str]()
    while goes_on(seen):
        at = crowded(sheet, rng)
        naive, verdict = naive_verdict(sheet, at, most), solve(sheet, position=at)
        assert naive in (None, verdict.status), at
        seen.update(["all", *(["decided", naive] if naive else [])])
    return seen


def test_a_card_is_not_safe_while_its_twin_may_need_the_foundation() -> None:
    """All red piles are past Four, and yet the wrong one of two free Fives loses.

    Spades are at Four and Two: only the Five that lies on the Three lets the other pile grow.
    """
    later = [rank + "S" for rank in "6789TJQK" for _ in range(2)]
    columns = [["5S"], ["<3S>", "5S"]]
    at = laid(VARIANTS["pantagruel-royal"], columns, waste=["4S", *later][::-1], passes=3)
    assert at["foundations"]["S"] == [4, 2]
    assert solve("pantagruel-royal", position=at).status == "solved"


@entry
def _fingerprint(rules: LoweredRules, games: Games, out: np.ndarray, turned: bool) -> None:
    out[0], out[1] = fingerprint(rules, games[0], turned)


def fingerprint_of(name: str, position: dict) -> list[int]:
    """Give a position's fingerprint."""
    player, out = Player(name).lay(position), np.zeros(2, np.uint64)
    arguments = (player.rules, player.table.games, out, False)
    specialise(_fingerprint, *arguments)(*arguments)
    return out.tolist()


def test_order_of_columns_and_cells_makes_no_difference() -> None:
    """Columns and reserve are multisets; the order within a column is not."""
    columns = [["QS", "QH"], ["JS"], ["JH"]]
    cells = ["QD", None, "QC", *[None] * 11]
    one = laid(VARIANTS["big-bertha"], columns, reserve=cells)
    other = laid(VARIANTS["big-bertha"], columns[::-1], reserve=cells[::-1])
    turned = laid(VARIANTS["big-bertha"], [["QH", "QS"], *columns[1:]], reserve=cells)
    assert fingerprint_of("big-bertha", one) == fingerprint_of("big-bertha", other)
    assert fingerprint_of("big-bertha", one) != fingerprint_of("big-bertha", turned)


def test_the_same_seed_and_limits_give_the_same_verdict() -> None:
    """All but the seconds; another seed looks elsewhere."""
    first, again, other = (
        without_time(solve("san-juan-hill", deal=2, seed=seed)) for seed in (0, 0, 1)
    )
    assert first == again
    assert other["nodes"] != first["nodes"]


def test_limits_are_named() -> None:
    """What was not decided says why, and how much was looked at."""
    few = solve("pantagruel-royal", deal=1, max_nodes=50)
    assert (few.status, few.limit, few.nodes, few.moves) == ("unknown", "max_nodes", 50, ())
    small = solve("pantagruel-royal", deal=1, max_bytes=1_000_000)
    assert (small.status, small.limit) == ("unknown", "max_bytes")
    assert small.bytes <= 1_000_000


def test_a_search_that_is_stopped_says_so() -> None:
    """Neither a callback nor Ctrl-C makes a verdict."""
    asked: list[int] = []

    def stop(nodes: int) -> bool:
        asked.append(nodes)
        return len(asked) > 2

    def interrupt(nodes: int) -> bool:
        raise KeyboardInterrupt

    assert solve("pantagruel-royal", deal=1, should_stop=stop).status == "interrupted"
    assert asked == sorted(asked)
    assert solve("pantagruel-royal", deal=1, should_stop=interrupt).status == "interrupted"


def test_a_win_that_does_not_play_is_never_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A faulty line raises."""
    search = door.__globals__["Search"]
    monkeypatch.setattr(search, "line", lambda self: [])
    with pytest.raises(ProofError, match="ends as None"):
        solve("big-bertha", deal=0)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"deal": -1}, "deal is -1"),
        ({}, "give one of them"),
        ({"deal": 0, "position": {}}, "give one of them"),
        ({"deal": 0, "max_nodes": 0}, "max_nodes is 0"),
        ({"deal": 0, "max_nodes": 1.5}, "max_nodes is 1.5"),
        ({"deal": 0, "max_bytes": 1}, "max_bytes is 1"),
        ({"deal": 0, "seed": -1}, "seed is -1"),
        ({"position": {"tableau": 3}}, "missing"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: dict, named: str) -> None:
    """The error names the argument and its value."""
    with pytest.raises(ValueError, match=named):
        solve("arabella", **arguments)


def test_many_deals_go_on_where_they_were_interrupted(tmp_path: Path) -> None:
    """What a file has is not solved again; a line cut short is."""
    file = tmp_path / "deals.jsonl"
    first = solve_deals("big-bertha", [0, 1], file, jobs=1)
    file.write_text(file.read_text()[:-20])
    again = solve_deals("big-bertha", [1, 0, 3], file, jobs=2)
    assert [record["deal"] for record in again] == [1, 0, 3]
    assert again[1] == first[0]
    assert again[0]["actions"] == first[1]["actions"]
    assert len(file.read_text().splitlines()) == 3


@pytest.mark.parametrize(
    "text",
    ["my precious notes", '{"a": 1}', "notes\n", '{"variant": "arabella", "deal": 0}\n', "[1]\n"],
)
def test_foreign_files_are_left_alone(text: str, tmp_path: Path) -> None:
    """What holds no verdicts is refused, and not a byte of it is changed."""
    file = tmp_path / "notes.txt"
    file.write_text(text)
    for read in (lambda: solve_deals("big-bertha", [0], file, jobs=1), lambda: read_records(file)):
        with pytest.raises(ValueError, match=r"line 1 of .*notes\.txt is no verdict"):
            read()
    assert file.read_text() == text


def test_reading_changes_nothing(tmp_path: Path) -> None:
    """A line cut short is left out when read, and stays where it is."""
    file = tmp_path / "deals.jsonl"
    solve_deals("big-bertha", [0, 1], file, jobs=1)
    file.write_text(file.read_text()[:-20])
    before = file.read_text()
    assert [deal for _, deal in read_records(file)] == [0]
    assert file.read_text() == before


def test_the_command_prints_a_verdict(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A line, the moves, JSON, or a file of many."""
    verdict = solve("big-bertha", deal=3)
    assert main(["solve", "big-bertha", "--deal", "3", "--moves"]) == 0
    line, *moves = capsys.readouterr().out.splitlines()
    assert line.startswith(f"big-bertha deal 3: solved in {len(verdict.moves)} moves")
    assert moves == list(map(str, verdict.moves))
    assert main(["solve", "big-bertha", "--deal", "3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["actions"] == list(verdict.actions)
    out = str(tmp_path / "deals.jsonl")
    assert main(["solve", "big-bertha", "--deals", "0:2", "--jobs", "1", "--out", out]) == 0
    assert "2 solved" in capsys.readouterr().out
    many = ["--deals", "0:1", "--out", out]
    for wrong in (
        ["--deals", "2:1", "--out", out],
        ["--deals", "0:1"],
        ["--max-nodes", "0"],
        [*many, "--json"],
        [*many, "--moves"],
        ["--deal", "0", "--out", out],
        ["--jobs", "2"],
    ):
        assert main(["solve", "big-bertha", *wrong]) == 2, wrong
    with pytest.raises(SystemExit, match="2"):
        main(["solve", "big-bertha", "--deal", "0", *many])
