"""The page of a game in a real browser, opened from disk with the network off."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.greedy import make as make_greedy
from solitaire_env.evaluation import evaluate
from solitaire_env.records import Thought
from solitaire_env.replay import PositionView, Replay
from tests.test_replay import recorded

DEAL, MOVES = 27, 400


def long_game(folder: Path) -> Replay:
    """Let the rule-based player play Arabella, 400 moves, and add values to its thoughts."""
    evaluate(make_greedy("arabella"), "arabella", [DEAL], record=folder, max_episode_steps=MOVES)
    replay = Replay.load(folder / f"arabella-{DEAL}.json")
    assert len(replay.actions) == MOVES
    return replace(replay, thoughts=tuple(Thought(0.25, each.top) for each in replay.thoughts))


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Open the page of a long game with thoughts; errors and requests to elsewhere fail."""
    file: Path = tmp_path_factory.mktemp("page") / "game.html"
    file.write_text(long_game(file.parent).to_html(), encoding="utf-8")
    assert file.stat().st_size < 500_000
    context = browser.new_context(offline=True, viewport={"width": 1400, "height": 900})
    opened, said = context.new_page(), []
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.on("console", lambda message: said.append(message.text))
    opened.on("request", lambda request: said.append(request.url))
    opened.goto(file.as_uri())
    yield opened
    assert said == [file.as_uri()]


def shown(page: Any) -> str:
    """Give the step that the page shows."""
    return page.inner_text("output")


def test_a_narrow_screen_shows_it_whole(page: Any) -> None:
    """Nothing of the page lies beside a phone's screen."""
    page.set_viewport_size({"width": 375, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    page.set_viewport_size({"width": 1280, "height": 720})


def test_keys_lead_through_the_game(page: Any) -> None:
    """Right, left, End and Home; the table changes with them and comes back."""
    page.keyboard.press("Home")
    first = page.inner_html("svg > g:last-child")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert shown(page) == "2 / 400"
    assert page.inner_html("svg > g:last-child") != first
    page.keyboard.press("ArrowLeft")
    assert shown(page) == "1 / 400"
    page.keyboard.press("End")
    assert shown(page) == "400 / 400"
    page.keyboard.press("Home")
    assert shown(page) == "0 / 400"
    assert page.inner_html("svg > g:last-child") == first


def test_the_slider_and_the_list_lead_there(page: Any) -> None:
    """A slider's place and a click on a move show that step, its words marked."""
    page.fill("input[type=range]", "30")
    assert shown(page) == "30 / 400"
    page.click("li:nth-child(6)")
    assert shown(page) == "5 / 400"
    assert page.inner_text("li.now") == page.inner_text("li:nth-child(6)")


def test_it_plays_and_pauses(page: Any) -> None:
    """Space starts and stops the play."""
    page.keyboard.press("Home")
    page.click("[data-go=play]")
    page.wait_for_function("document.querySelector('output').textContent.startsWith('2 ')")
    page.click("[data-go=play]")
    assert page.inner_text("[data-go=play]") == "play"


def test_thoughts_and_felts_are_shown(page: Any) -> None:
    """Probabilities and the value of a step; the felt that is chosen."""
    page.fill("input[type=range]", "3")
    assert "expected before this move: 0.25" in page.inner_text(".thought")
    assert " %" in page.inner_text(".thought .bar")
    page.select_option("select", label="midnight navy")
    assert page.eval_on_selector("svg", "e => e.style.background") == "rgb(22, 34, 74)"


def test_pictures_of_a_notebook_keep_apart(browser: Any) -> None:
    """Two games and a table on one page, as in a notebook: each has its own keys and felt."""
    replay = recorded("san-juan-hill", 6).replay()
    view = PositionView(replay.steps[-1].position)
    parts = [part._repr_html_() for part in (replay, view, replay)]
    opened, said = browser.new_context(offline=True).new_page(), []
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.set_content("".join(f"<section>{part}</section>" for part in parts))
    opened.focus("section:last-child > div")
    opened.keyboard.press("End")
    assert opened.locator("output").all_inner_texts() == ["0 / 6", "6 / 6"]
    assert opened.locator("section:nth-child(2) use").count() > 20
    assert not said
