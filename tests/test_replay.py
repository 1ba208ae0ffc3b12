"""Recorded games: they play again bit for bit, or say why not; pages, films, commands."""

import gzip
import io
import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from solitaire_env import VARIANTS, env_id
from solitaire_env.cli import main
from solitaire_env.envs import registration
from solitaire_env.evaluation import RandomPolicy, evaluate
from solitaire_env.records import ReplayError, Thought, game_record, rules_digest
from solitaire_env.render.atlas import card_atlas, index_height, index_width
from solitaire_env.render.page import replay_page
from solitaire_env.render.svg import placed
from solitaire_env.render.table import draw_table, table_layout
from solitaire_env.replay import PositionView, RecordGame, Replay
from solitaire_env.terminal import load_player, step_through
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


class Page(HTMLParser):
    """Collects the ids and addresses of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of a tag."""
        told = dict(attrs)
        self.ids += [told["id"]] if told.get("id") else []
        self.links += [str(told[name]) for name in ("href", "src") if name in told]


def page_data(text: str) -> dict[str, Any]:
    """Read what a page's script was given."""
    found = re.search(r"const data = (\{.*\});\n", text)
    assert found
    return json.loads(found.group(1))


def test_a_long_game_is_a_small_page() -> None:
    """400 moves of Arabella with probabilities: below 500 KB, one file, nothing from elsewhere."""
    replay = recorded("arabella", 400, thoughtful=True).replay()
    page = replay.to_html()
    assert len(replay.steps) == 401
    assert len(page.encode()) < 500_000
    told = Page(page)
    assert len(told.ids) == len(set(told.ids))
    inner = {link.removeprefix("#") for link in told.links}
    assert all(link.startswith("#") for link in told.links)
    assert inner <= set(told.ids)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", page)
    assert len(page_data(page)["steps"]) == len(replay.steps)


@every_variant
def test_a_page_holds_every_table(name: str) -> None:
    """The changes that a page tells, one after another, give what lies on each table."""
    replay, layout = recorded(name, 60).replay(), table_layout(VARIANTS[name])
    page = replay.to_html("midnight-navy")
    drawn = set(Page(page).ids)
    prefix, piles = page_data(page)["prefix"], {}
    for told, step in zip(page_data(page)["steps"], replay.steps, strict=True):
        for pile, stay, come in told["c"]:
            piles[pile] = piles.get(pile, [])[:stay] + come
        lies = [[list(sign) for sign in pile] for pile in placed(layout, step.position)]
        assert [piles.get(pile, []) for pile in range(len(lies))] == lies
        signs = {sign[0] for pile in lies for sign in pile if sign[0][0] != "#"}
        assert {prefix + sign for sign in signs} <= drawn


@every_variant
def test_vectors_lie_where_pixels_do(name: str) -> None:
    """Each card of the SVG table has its index in the picture, at the same place."""
    sheet = VARIANTS[name]
    layout = table_layout(sheet)
    position = recorded(name, 40).unwrapped.position()
    frame, atlas = draw_table(sheet, position, "emerald-green"), None
    atlas = card_atlas(layout.card_width, "emerald-green")
    tall, wide = index_height(atlas.width), index_width(atlas.width)
    for pile in placed(layout, position):
        for sign, left, top in pile:
            if sign[0] in "A23456789TJQK":
                card = 1 + "SHDC".index(sign[1]) * 13 + "A23456789TJQK".index(sign[0])
                face = atlas.on_felt[card].reshape(atlas.height, atlas.width, 3)
                seen = frame[top + 5 : top + 5 + tall, left + 6 : left + wide - 2]
                assert np.array_equal(seen, face[5 : 5 + tall, 6 : wide - 2])


def test_texts_are_escaped() -> None:
    """Nothing that a sheet or a step says can become part of the page's code."""
    evil = "</script><img src=x onerror=alert(1)>&"
    replay = recorded(steps=1).replay()
    steps = [replace(step, words=evil) for step in replay.steps]
    page = replay_page(replay.sheet, steps, evil, "emerald-green")
    assert "<img" not in page
    assert page.count("</script>") == 1
    assert page_data(page)["steps"][0]["w"] == evil


def test_notebooks_get_ids_of_their_own() -> None:
    """Two pictures on a page, of games or positions, share no id."""
    replay = recorded(steps=5).replay()
    view = PositionView(replay.steps[-1].position, "royal-crimson")
    shown = [replay._repr_html_(), replay._repr_html_(), view._repr_html_(), view._repr_html_()]
    ids = [each for part in shown for each in Page(part).ids]
    assert len(ids) == len(set(ids))
    assert "#701624" in shown[2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"variant": "klondike"}, "variant is 'klondike'"),
        ({"tableau": [['"><script>']] * 10}, "is no card"),
        ({"tableau": 5}, "tableau"),
        ({"foundations": {"S": [14, 0]}}, "foundations"),
        ({"waste": None}, "waste"),
        ({"stock": []}, "times"),
    ],
)
def test_views_of_what_is_no_position(change: dict[str, Any], message: str) -> None:
    """A picture is made of cards alone."""
    position = recorded(steps=0).unwrapped.position() | change
    with pytest.raises(ValueError, match=message):
        PositionView(position)._repr_html_()
    with pytest.raises(ValueError, match="felt is 'red', accepted are"):
        PositionView(position, "red")._repr_html_()


@pytest.mark.parametrize("told", [None, 5, [], "arabella", {}])
def test_views_of_what_is_no_dict(told: Any) -> None:
    """Whatever it is, the error says what is accepted."""
    with pytest.raises(ValueError, match=r"accepted are .*arabella|a position is a dict"):
        PositionView(told).to_svg()


@every_variant
def test_views_of_won_games(name: str) -> None:
    """A table without a move left is a position, too."""
    sheet = VARIANTS[name]
    env = RecordGame(make(name))
    env.reset(options={"position": nearly_won(sheet, 1)})
    base: Any = env.unwrapped
    last = next(move for move in base.legal_moves() if move.target == "F")
    env.step(base.action_of(last))
    assert PositionView(base.position()).to_svg().startswith("<svg")


def test_titles_are_only_titles() -> None:
    """What looks like a part of the page in a title stays as it is."""
    replay = recorded(steps=1).replay()
    page = replay_page(replay.sheet, replay.steps, "[[SCRIPT]] [[X]]", "emerald-green")
    assert page.count("[[SCRIPT]] [[X]]") == 2
    assert page.count("<script>") == 1


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


def test_films_have_a_frame_a_table(tmp_path: Path, needs: Callable[[str], ModuleType]) -> None:
    """A GIF shows every table, half as large as the pictures."""
    needs("PIL")
    from PIL import Image

    replay = recorded(steps=4).replay()
    replay.save_gif(tmp_path / "game.gif", seconds=0.1)
    with Image.open(tmp_path / "game.gif") as film:
        assert (film.size, film.n_frames) == ((640, 400), 5)


def test_films_need_pillow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without Pillow the command names the extra, and ends with code 2."""
    monkeypatch.setitem(sys.modules, "PIL", None)
    game, film = tmp_path / "game.json", tmp_path / "game.gif"
    recorded(steps=1).replay().save(game)
    assert main(["replay", str(game), "--gif", str(film)]) == 2
    assert "pip install 'solitaire-env[render]'" in capsys.readouterr().err


def test_watch_and_replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A watched game is saved, and replayed: the same tables, without colour when piped."""
    game, page = tmp_path / "game.json.gz", tmp_path / "game.html"
    assert main(["watch", "arabella", "--deal", "7", "--save", str(game)]) == 0
    watched = capsys.readouterr().out
    assert main(["replay", str(game)]) == 0
    replayed = capsys.readouterr().out
    assert replayed.splitlines()[3:] == watched.splitlines()[3:]
    assert "\033" not in watched
    assert main(["replay", str(game), "--html", str(page), "--felt", "midnight-navy"]) == 0
    assert capsys.readouterr().out == ""
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_stepping(capsys: pytest.CaptureFixture[str]) -> None:
    """On, back, to a number, out; what is not understood changes nothing; the end ends."""
    answers = iter(["", "", "b", "x", "4", "99", "q"])
    step_through(recorded(steps=6).replay(), lambda _: next(answers))
    shown = re.findall(r"^(\d)/6", capsys.readouterr().out, re.MULTILINE)
    assert "".join(shown) == "0121146"


def test_stepping_ends_with_the_input(capsys: pytest.CaptureFixture[str]) -> None:
    """Control-D is a way out."""

    def closed(_: str) -> str:
        raise EOFError

    step_through(recorded(steps=1).replay(), closed)
    assert capsys.readouterr().out.startswith("0/1")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["arabella", "--agent", "nobody"], "accepted are random, greedy, search, ppo and module"),
        (["arabella", "--agent", "nowhere:make"], "can't be loaded: No module named 'nowhere'"),
        (["arabella", "--agent", "agents.random_legal:build"], "can't be loaded"),
        (["arabella", "--agent", ":make"], "accepted are random, greedy, search, ppo and module"),
        (["arabella", "--agent", "..x:make"], "can't be loaded"),
        (["arabella", "--agent", "agents.greedy:CONFIGS"], "is not made by factory(variant)"),
        (["arabella", "--agent", "os:getcwd"], "is not made by factory(variant)"),
        (["arabella", "--agent", "os:fsencode"], "is no player, it lacks reset or act: b'arabel"),
        (["arabella", "--deal=-1"], "deal is -1, accepted are"),
        (["arabella", "--seconds=-1"], "--seconds is -1.0, accepted are"),
        (["arabella", "--seed=-1"], "seed is -1, accepted are"),
        (["arabella", "--save", "no/folder/here"], "accepted is a file in a folder that exists"),
    ],
)
def test_bad_watching(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Mistakes end with a message and code 2, before anything is played."""
    assert main(["watch", *words]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert message in err


@pytest.mark.parametrize("command", ["watch", "replay"])
def test_help_shows_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`--help` ends with a line to copy, and code 0."""
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert f"example: solitaire-env {command} " in capsys.readouterr().out


def test_outputs_without_suits_get_question_marks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A pipe that is not UTF-8 is no reason to stop."""
    game = tmp_path / "game.json"
    recorded(steps=5).replay().save(game)
    pipe = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", pipe)
    assert main(["replay", str(game)]) == 0
    assert b"? from T" in pipe.buffer.getvalue()


def test_control_c_ends_quietly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who has seen enough gets code 130 and no traceback."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("solitaire_env.terminal.show", interrupt)
    assert main(["watch", "arabella"]) == 130
    assert capsys.readouterr().err == ""


def test_anybodys_player_can_be_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`module:factory` may lie in the folder that one is in."""
    text = (
        "from solitaire_env.evaluation import RandomPolicy\ndef make(name): return RandomPolicy()"
    )
    (tmp_path / "my_own_player.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert isinstance(load_player("my_own_player:make", "arabella"), RandomPolicy)
    assert main(["watch", "san-juan-hill", "--agent", "my_own_player:make"]) == 0
    assert "the deal" in capsys.readouterr().out


def test_game_records_name_what_they_need() -> None:
    """A record holds ids, rules, deal, arguments, actions and versions, and is JSON."""
    record = game_record(SAN_JUAN_HILL, 3, [], {"felt": "royal-crimson"})
    assert json.loads(json.dumps(record)) == record
    assert record["env_id"] == env_id(VARIANTS[SAN_JUAN_HILL])
    assert set(record["versions"]) == {"solitaire_env", "gymnasium", "numpy"}
    assert gym.__version__ == record["versions"]["gymnasium"]
