"""Recorded games: they play again bit for bit, or say why not."""

import gzip
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from solitaire_env import VARIANTS, env_id
from solitaire_env.cli import main
from solitaire_env.envs import registration
from solitaire_env.evaluation import RandomPolicy, evaluate
from solitaire_env.records import ReplayError, Thought, game_record, rules_digest
from solitaire_env.replay import RecordGame, Replay
from tests.helpers import every_variant, make, nearly_won, random_legal

SAN_JUAN_HILL = "san-juan-hill"
PATIENT = {"no_progress_limit": 10_000}


def recorded(
    name: str = SAN_JUAN_HILL, steps: int = 30, thoughtful: bool = False, **options: Any
) -> RecordGame:
    """Play random legal actions, recorded."""
    env, rng = RecordGame(make(name, **PATIENT), **PATIENT), np.random.default_rng(3)
    env.reset(options=options or {"deal": 7})
    for _ in range(steps):
        mask = env.unwrapped.action_masks()
        if not mask.any():
            break
        action = random_legal(mask, rng)
        legal = np.flatnonzero(mask)[:2].tolist()
        env.step(action)
        if thoughtful:
            env.think(0.25, [(action, 0.5), *((other, 0.25) for other in legal)])
    return env


@every_variant
def test_records_play_again(name: str, tmp_path: Path) -> None:
    """Read back from a file, plain or compressed, a game goes through the same tables."""
    env = recorded(name)
    for file in ("game.json", "game.json.gz"):
        env.replay().save(tmp_path / file)
        again = Replay.load(tmp_path / file)
        assert again == env.replay()
        assert again.steps[-1].position == env.unwrapped.position()
        assert len(again.steps) == len(again.actions) + 1
    assert (tmp_path / "game.json.gz").read_bytes()[:2] == b"\x1f\x8b"


def test_games_from_positions_are_recorded() -> None:
    """A game that begins at a position has it in its record, and no deal."""
    sheet = VARIANTS["big-bertha"]
    replay = recorded("big-bertha", position=nearly_won(sheet, 3)).replay()
    assert "deal" not in replay.record
    assert replay.steps[-1].outcome == "won"


def test_evaluations_write_such_records(tmp_path: Path) -> None:
    """Each file that `evaluate(record=...)` writes is a replay, its end checked."""
    result = evaluate(RandomPolicy(), SAN_JUAN_HILL, range(4), record=tmp_path, num_threads=1)
    for place, deal in enumerate(range(4)):
        replay = Replay.load(tmp_path / f"{SAN_JUAN_HILL}-{deal}.json")
        assert replay.steps[-1].told["score"] == result.score[place]
        assert len(replay.steps) == result.moves[place] + 1


def test_illegal_actions_that_were_let_pass_are_in_the_record(tmp_path: Path) -> None:
    """Under "noop" a record may hold illegal actions, and says so."""

    class Stubborn(RandomPolicy):
        def act(self, observations: Any, masks: Any, rows: Any) -> Any:
            return np.where(rows >= 0, (~masks).argmax(axis=1), 0)

    evaluate(Stubborn(), SAN_JUAN_HILL, [1], record=tmp_path, illegal="noop", max_episode_steps=5)
    replay = Replay.load(tmp_path / f"{SAN_JUAN_HILL}-1.json")
    assert len(replay.steps) == 6
    assert "not legal" in replay.steps[1].words


def test_moves_are_told_in_words() -> None:
    """Cards with their suits, from where, to where; draws and redeals too."""
    env = RecordGame(make("pantagruel-turn3"))
    env.reset(options={"deal": 0})
    for _ in range(21):
        env.step(
            env.unwrapped.action_of(
                next(m for m in env.unwrapped.legal_moves() if m.source == "stock")
            )
        )
    words = [step.words for step in env.replay().steps]
    assert words[:2] == ["the deal", "3 cards are drawn"]
    assert words[20:] == ["2 cards are drawn", "the waste is turned over: 59 cards"]
    others = {step.words for step in recorded("arabella", 200).replay().steps}
    assert any(re.fullmatch(r"(10|[A2-9JQK])[♠♥♦♣] from T\d+ to T\d+", each) for each in others)
    assert any(re.fullmatch(r"\S+ from T\d+ to the foundations", each) for each in others)


def test_thoughts_are_kept(tmp_path: Path) -> None:
    """Values and probabilities come back with the moves that they were of."""
    replay = recorded(thoughtful=True).replay()
    replay.save(tmp_path / "game.json")
    again = Replay.load(tmp_path / "game.json")
    assert again == replay
    assert again.thoughts[0] == Thought(0.25, replay.thoughts[0].top)
    step = again.steps[1]
    assert step.value == 0.25
    assert step.top[0] == (str(step.move), 0.5)


def test_changed_rules_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game of other rules is never played; another title changes nothing."""
    told = recorded().replay().to_json()
    sheet = VARIANTS[SAN_JUAN_HILL]
    monkeypatch.setitem(registration._sheets, SAN_JUAN_HILL, replace(sheet, title="Other"))
    assert Replay.from_json(told).steps
    changed = replace(sheet, tableau=replace(sheet.tableau, piles=9))
    assert rules_digest(changed) != rules_digest(sheet)
    monkeypatch.setitem(registration._sheets, SAN_JUAN_HILL, changed)
    with pytest.raises(ReplayError, match=r"the rules of san-juan-hill have changed.*0\.1\.0"):
        Replay.from_json(told)


CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"variant": "klondike"}, "variant is 'klondike', accepted are"),
    ({"variant": ["arabella"]}, "accepted are"),
    ({"env_id": "solitaire_env/SanJuanHill-v1"}, "rules of san-juan-hill have changed"),
    ({"rules": None}, "rules of san-juan-hill have changed"),
    ({"actions": "1,2"}, "actions must be a list of whole numbers"),
    ({"actions": [1.5]}, "actions must be a list of whole numbers"),
    ({"actions": [0] * 100_001}, "it has 100001 actions, accepted are up to 100000"),
    ({"actions": [10**9]}, "action 0 of the record: action is 1000000000, accepted are"),
    ({"actions": [-1]}, "action 0 of the record"),
    ({"actions": [0, 0, 0]}, "action 0 of the record"),
    ({"kwargs": []}, "kwargs is"),
    ({"kwargs": {"speed": 1}}, "keyword 'speed' is none of"),
    ({"kwargs": {"variant": "arabella"}}, "keyword 'variant' is none of"),
    ({"kwargs": {"reward": "gold"}}, "reward is 'gold', accepted are"),
    ({"deal": -4}, "the game can't begin: deal is -4"),
    ({"position": {}}, "one of deal and position"),
    ({"score": 12345}, "score is .* at the end, recorded is 12345"),
    ({"outcome": "won"}, "outcome is None at the end, recorded is 'won'"),
    ({"policy": 5}, "policy must be"),
    ({"policy": [5]}, "policy must be"),
    ({"policy": [{"value": float("nan"), "top": []}]}, "policy must be"),
    ({"policy": {}}, "policy must be"),
    ({"policy": [0] * 30}, "policy must be"),
    ({"policy": [{"value": 10**400, "top": []}]}, "policy must be"),
    ({"policy": [{"value": None, "top": [[float("inf"), 0.5]]}]}, "policy must be"),
    ({"policy": [{"value": None, "top": [[1, 2.0]]}]}, "policy must be"),
    ({"policy": [None]}, "1 thoughts for 30 actions"),
]


@pytest.mark.parametrize(("change", "message"), CHANGES)
def test_bad_records(change: dict[str, Any], message: str) -> None:
    """What is no record of a game that can be played says which part is wrong."""
    told = recorded().replay().to_json() | change
    with pytest.raises(ReplayError, match=message):
        Replay.from_json(told).steps  # noqa: B018 - the game is played when it is looked at


@pytest.mark.parametrize("missing", ["variant", "env_id", "rules", "deal", "kwargs", "versions"])
def test_records_that_lack_something(missing: str) -> None:
    """The missing part is named."""
    told = recorded().replay().to_json()
    del told[missing]
    with pytest.raises(ReplayError, match=f"it lacks .*{missing}"):
        Replay.from_json(told)


def files(folder: Path) -> dict[str, bytes]:
    """List files that are no records, by what is wrong with them."""
    recorded().replay().save(folder / "whole.json.gz")
    whole = (folder / "whole.json.gz").read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0xFF
    return {
        "empty": b"",
        "text": b"hello",
        "list": b"[1, 2]",
        "number": b"7",
        "picture": b"\x89PNG\r\n\x1a\n\x00\xff",
        "deep": b"[" * 100_000,
        "cut": whole[: len(whole) // 2],
        "flipped": bytes(flipped),
        "header": b"\x1f\x8b",
        "bomb": gzip.compress(b" " * (33 * 2**20)),
    }


def test_bad_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Foreign, truncated, corrupted and huge files end with a message and code 2."""
    for what, data in files(tmp_path).items():
        path = tmp_path / what
        path.write_bytes(data)
        with pytest.raises(ReplayError, match="is no record of a game"):
            Replay.load(path)
        assert main(["replay", str(path)]) == 2
        out, err = capsys.readouterr()
        assert not out
        assert err.startswith(f"solitaire-env replay: '{path}' is no record of a game: ")
    with pytest.raises(ReplayError, match="No such file"):
        Replay.load(tmp_path / "nowhere")
    with pytest.raises(ReplayError, match="larger than"):
        Replay.load(tmp_path / "bomb")


def test_illegal_actions_are_recorded() -> None:
    """Where an environment lets them pass, or ends by them, a record of it plays again."""
    for illegal, steps in (("noop", 3), ("terminate", 1)):
        env = RecordGame(make(SAN_JUAN_HILL, illegal=illegal))
        env.reset(options={"deal": 7})
        for _ in range(steps):
            env.step(int(env.unwrapped.action_masks().argmin()))
        replay = Replay.from_json(env.replay().to_json())
        assert [step.move for step in replay.steps] == [None] * (steps + 1)
    env = RecordGame(make(SAN_JUAN_HILL))
    env.reset(options={"deal": 7})
    env.step(int(env.unwrapped.action_masks().argmin()))
    assert "not legal" in env.replay().steps[1].words


def test_a_record_knows_how_its_environment_was_made() -> None:
    """Keyword arguments of `gym.make` are in the record without being told again."""
    env = RecordGame(make(SAN_JUAN_HILL, reward="ledger", streaks=True, render_mode="rgb_array"))
    env.reset(options={"deal": 7})
    kwargs = env.replay().record["kwargs"]
    assert kwargs == {"reward": "ledger", "streaks": True, "render_mode": "rgb_array"}
    assert len(env.replay().steps) == 1


def test_game_records_name_what_they_need() -> None:
    """A record holds ids, rules, deal, arguments, actions and versions, and is JSON."""
    record = game_record(SAN_JUAN_HILL, 3, [], {"felt": "royal-crimson"})
    assert json.loads(json.dumps(record)) == record
    assert record["env_id"] == env_id(VARIANTS[SAN_JUAN_HILL])
    assert set(record["versions"]) >= {"solitaire_env", "gymnasium", "numpy", "numba"}
    assert gym.__version__ == record["versions"]["gymnasium"]
