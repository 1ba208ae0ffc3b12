"""Pages, pictures for notebooks, and films of recorded games."""

import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from solitaire_env import VARIANTS
from solitaire_env.cli import main
from solitaire_env.render.atlas import card_atlas, index_height, index_width
from solitaire_env.render.page import replay_page
from solitaire_env.render.svg import placed
from solitaire_env.render.table import draw_table, table_layout
from solitaire_env.replay import PositionView, RecordGame
from tests.helpers import every_variant, make, nearly_won
from tests.test_replay import recorded


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
