"""The table in a real browser: `make test-web`."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solitaire_env import VARIANTS
from solitaire_env.replay import Replay
from solitaire_env.web.game import Game
from solitaire_env.web.view import table_view
from tests.web_pages import (
    WON,
    cards_of,
    click,
    drag,
    kept,
    restored,
    shown_cards,
    told_move,
    top_of,
    wait_for_moves,
    won_game,
)

PHONE = {"width": 375, "height": 720}
POSITIONS = 1000


def test_a_whole_game_by_drags_and_clicks(visit: Callable[..., Any]) -> None:
    """A recorded win is played by hand; then all is undone, back to the deal."""
    page, game = visit(), Game(WON["variant"], WON["deal"])
    dealt = shown_cards(page)
    assert dealt == cards_of(game)
    for number, action in enumerate(WON["actions"], 1):
        move = told_move(game, action)
        (click if number % 2 or "stock" in move["from"] else drag)(page, move)
        game.play(action)
        wait_for_moves(page, number)
    assert shown_cards(page) == cards_of(game)
    page.wait_for_selector("#end[open]")
    assert page.inner_text("#end-title") == "Won!"
    page.click("#end [data-act=undo]")
    for number in reversed(range(len(WON["actions"]) - 1)):
        wait_for_moves(page, number + 1)
        page.click("nav [data-act=undo]")
    wait_for_moves(page, 0)
    assert shown_cards(page) == dealt
    assert page.is_disabled("nav [data-act=undo]")


def test_a_won_game_is_celebrated(visit: Callable[..., Any], tmp_path: Path) -> None:
    """Cards leap; then title, ledger (base, bonus, streaks), and a replay that plays again."""
    page = visit(reduced_motion="no-preference")
    game = won_game(len(WON["actions"]) - 1)
    restored(page, game)
    last = told_move(game, WON["actions"][-1])
    click(page, last)
    page.wait_for_selector(".leaping", state="attached")
    page.wait_for_selector("#end[open]", timeout=15_000)
    assert page.locator(".leaping").count() == 0
    assert page.inner_text("#honour") == "Grand Solitaire Master of Pantagruel"
    rows = dict(row.split("\t") for row in page.inner_text("#ledger").splitlines() if "\t" in row)
    base, bonus, streaks, score = (
        int(rows[name]) for name in ("moves and cards", "time bonus", "streaks", "score")
    )
    game.play(WON["actions"][-1])
    assert game.ledger is not None
    assert (base, streaks) == (game.ledger.base, game.ledger.streaks)
    assert 580 < bonus <= 600
    assert score == base + bonus + streaks
    with page.expect_download() as download:
        page.click("#end [data-act=save]")
    download.value.save_as(tmp_path / "game.json")
    replay = Replay.load(tmp_path / "game.json")
    assert replay.steps[-1].told["score"] == score
    assert replay.steps[-1].outcome == "won"
    with page.expect_download() as download:
        page.click("#end [data-act=page]")
    assert download.value.suggested_filename == "pantagruel-turn3-56.html"


def test_a_stale_move_is_refused(visit: Callable[..., Any]) -> None:
    """A move about another table is refused, and the table is redrawn as it is."""
    page = visit()
    late = {"on": False}

    def forward(line: Any) -> None:
        server = line.connect_to_server()

        def pass_on(text: str) -> None:
            told = json.loads(text)
            server.send(json.dumps(told | ({"at": told["at"] - 1} if late["on"] else {})))

        line.on_message(pass_on)

    page.route_web_socket("**/play", forward)
    page.reload()
    page.wait_for_selector(".card")
    before, late["on"] = shown_cards(page), True
    drag(page, told_move(Game(WON["variant"], WON["deal"]), WON["actions"][0]))
    page.wait_for_selector("#said.refused")
    assert "changed in the meantime" in page.inner_text("#said")
    assert shown_cards(page) == before
    late["on"] = False
    page.click("nav [data-act=draw]")
    wait_for_moves(page, 1)


def test_two_tabs_show_one_game(visit: Callable[..., Any]) -> None:
    """What one tab does the other shows; at once, each request of both is done, once."""
    one = visit()
    two = one.context.new_page()
    two.goto(one.url)
    two.wait_for_selector(".card")
    one.click("nav [data-act=draw]")
    wait_for_moves(two, 1)
    two.click("nav [data-act=undo]")
    wait_for_moves(one, 0)
    for _ in range(10):
        for page in (one, two):
            page.evaluate("document.querySelector('nav [data-act=draw]').click()")
    for page in (one, two):
        wait_for_moves(page, 20)
    game = Game.from_json(kept(one)["saved"] | {"deal": WON["deal"]})
    assert shown_cards(one) == shown_cards(two) == cards_of(game)


def start(port: int) -> subprocess.Popen[str]:
    """Start the command as a process, and wait until it serves."""
    command = [sys.executable, "-m", "solitaire_env.cli", "play", "pantagruel-turn3"]
    process = subprocess.Popen(
        [*command, "--port", str(port), "--no-browser"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert "The table is at" in process.stdout.readline()
    return process


def test_a_killed_server_is_survived(visit: Callable[..., Any]) -> None:
    """The page says that it lost the server, and goes on where it was once that is back."""
    from solitaire_env.web.serve import listen

    with listen(0) as free:
        port = free.getsockname()[1]
    process = start(port)
    try:
        page = visit(port=port)
        for number in range(1, 6):
            page.click("nav [data-act=draw]")
            wait_for_moves(page, number)
        page.click("nav [data-act=undo]")
        wait_for_moves(page, 4)
        before = shown_cards(page)
        process.send_signal(signal.SIGKILL)
        process.wait()
        page.wait_for_selector("#lost:visible")
        process = start(port)
        page.wait_for_selector("#lost", state="hidden", timeout=15_000)
        assert shown_cards(page) == before
        page.click("nav [data-act=redo]")
        wait_for_moves(page, 5)
    finally:
        process.kill()
        process.wait()


def cursor(page: Any) -> tuple[str, int]:
    """Tell where the cursor is, and how many cards it has."""
    return tuple(page.eval_on_selector(".cursor", "n => [n.dataset.pile, Number(n.dataset.count)]"))


def go_to(page: Any, pile: str, count: int = 1) -> None:
    """Move the cursor with the arrows."""
    rows = {"T": 1}
    if page.locator(".cursor").count() == 0:
        page.keyboard.press("ArrowRight")
    if rows.get(cursor(page)[0][0], 0) != rows.get(pile[0], 0):
        key = "ArrowDown" if cursor(page)[0].startswith("T") else "ArrowUp"
        while rows.get(cursor(page)[0][0], 0) != rows.get(pile[0], 0):
            page.keyboard.press(key)
    while cursor(page)[0] != pile:
        page.keyboard.press("ArrowRight")
    while cursor(page)[1] < count:
        page.keyboard.press("ArrowUp")


def press(page: Any, move: dict[str, Any]) -> None:
    """Play a move with keys alone."""
    if "stock" in move["from"]:
        page.keyboard.press("d")
        return
    go_to(page, move["from"][0], move["count"])
    if move["to"][0].startswith("F"):
        page.keyboard.press("f")
        return
    page.keyboard.press("Enter")
    for _ in range(9):
        if cursor(page)[0] == move["to"][0]:
            break
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")


def test_keys_alone(visit: Callable[..., Any]) -> None:
    """Moves, draws, undo and redo, and a new deal, without a mouse."""
    page, game = visit(), Game(WON["variant"], WON["deal"])
    for number, action in enumerate(WON["actions"][:90], 1):
        press(page, told_move(game, action))
        game.play(action)
        wait_for_moves(page, number)
    assert shown_cards(page) == cards_of(game)
    page.keyboard.press("u")
    wait_for_moves(page, 89)
    page.keyboard.press("Control+y")
    wait_for_moves(page, 90)
    page.keyboard.press("Control+z")
    page.keyboard.press("r")
    page.keyboard.press("n")
    page.keyboard.type("123")
    page.keyboard.press("Enter")
    wait_for_moves(page, 0)
    assert shown_cards(page) == cards_of(Game(WON["variant"], 123))
    page.keyboard.press("?")
    page.wait_for_selector("#help[open]")
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0


@pytest.mark.parametrize("name", VARIANTS)
def test_a_phone_is_wide_enough(visit: Callable[..., Any], name: str) -> None:
    """On 375 pixels nothing sticks out, cards can be told apart, and taps play."""
    page = visit(f"#{name}/7", PHONE, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    boxes = page.eval_on_selector_all(
        ".card, .slot", "nodes => nodes.map((n) => n.getBoundingClientRect().toJSON())"
    )
    assert all(box["left"] >= 0 and box["right"] <= PHONE["width"] for box in boxes)
    assert min(box["width"] for box in boxes) >= 22
    move = table_view(Game(name, 7))["moves"][0]
    page.touchscreen.tap(*top_of(page, move["from"][0], move["count"]))
    page.wait_for_selector(f'.lit[data-pile="{move["to"][0]}"]', state="attached")
    page.touchscreen.tap(*top_of(page, move["to"][0]))
    wait_for_moves(page, 1)


def test_lit_piles_are_the_legal_ones(visit: Callable[..., Any]) -> None:
    """In 1,000 positions what the page can play is the engine's set of moves, no more, no less."""
    page = visit()
    rng, views, legal = np.random.default_rng(2), [], []
    game = Game("pantagruel-turn1", 0)
    names = list(VARIANTS)
    while len(views) < POSITIONS:
        if not game.moves() or len(game.played) > 130:
            game = Game(names[len(views) % len(names)], len(views))
        views.append({name: table_view(game)[name] for name in ("piles", "moves")})
        legal.append(sorted(game.moves()))
        game.play(int(rng.choice(list(game.moves()))))
    played = page.evaluate(
        """async (views) => {
          const {grasp, moveTo, offers, stockMove, targets} = await import("/offers.js");
          return views.map((view) => {
            const found = new Set();
            const stock = stockMove(view);
            if (stock) found.add(stock.action);
            for (const {id, cards} of view.piles) {
              for (let above = 0; above < cards.length; above += 1) {
                const count = grasp(view, id, above);
                const moves = count && id !== "stock" ? offers(view, id, count) : [];
                for (const pile of targets(moves)) found.add(moveTo(moves, pile).action);
              }
            }
            return [...found].sort((a, b) => a - b);
          });
        }""",
        views,
    )
    assert played == legal


def test_a_lit_pile_is_seen_while_dragging(visit: Callable[..., Any]) -> None:
    """Cards in the hand light where they may go; laid elsewhere they return."""
    page = visit()
    move = told_move(Game(WON["variant"], WON["deal"]), WON["actions"][0])
    before = shown_cards(page)
    page.mouse.move(*top_of(page, move["from"][0], move["count"]))
    page.mouse.down()
    page.mouse.move(700, 780, steps=3)
    assert page.locator(f'.lit[data-pile="{move["to"][0]}"]').count() == 1
    page.mouse.up()
    assert page.locator(".lit").count() == 0
    assert shown_cards(page) == before
    wait_for_moves(page, 0)


def test_hint_advice_and_play(visit: Callable[..., Any]) -> None:
    """The page says whose hint it is, draws probabilities, and lets the agent play."""
    page = visit()
    page.click("nav [data-act=hint]")
    page.wait_for_selector(".hint", state="attached", timeout=120_000)
    assert re.match(r"(ppo|greedy) would play: ", page.inner_text("#thought"))
    page.select_option("#agents", "random")
    page.click("[data-act=advice]")
    page.wait_for_selector(".arrow text", state="attached", timeout=20_000)
    assert page.locator("#chances .bar").count() >= 2
    assert "%" in page.text_content(".arrow text")
    page.click("[data-act=advice]")
    page.click("[data-act=autoplay]")
    wait_for_moves(page, 2)
    page.click("[data-act=autoplay]")


def test_felt_and_deal_are_chosen(visit: Callable[..., Any]) -> None:
    """The felt stays over a reload; a deal by its number, in any game; nonsense is refused."""
    page = visit()
    page.select_option("#felts", "midnight-navy")
    page.reload()
    page.wait_for_selector(".card")
    assert page.get_attribute("html", "data-felt") == "midnight-navy"
    page.click("nav [data-act=new]")
    page.select_option("#variants", "big-bertha")
    page.fill("#number", "9223372036854775807")
    page.click("[data-act=deal]")
    page.wait_for_selector('.card[data-pile="R13"]')
    assert shown_cards(page) == cards_of(Game("big-bertha", 2**63 - 1))
    page.click("nav [data-act=new]")
    page.fill("#number", "<b>7</b>")
    page.click("[data-act=deal]")
    page.wait_for_selector("#said.refused")
    assert shown_cards(page) == cards_of(Game("big-bertha", 2**63 - 1))


def test_no_moves_left_is_the_truth(visit: Callable[..., Any]) -> None:
    """A stuck or dead game is said to be over, by the engine's word; undo goes on with it."""
    game, rng = Game("san-juan-hill", 3), np.random.default_rng(0)
    while game.moves():
        game.play(int(rng.choice(list(game.moves()))))
    page = visit("#san-juan-hill/3")
    restored(page, game)
    page.wait_for_selector("#end[open]")
    assert page.inner_text("#end-title") == "No moves left"
    assert game.outcome in ("stuck", "dead")
    page.click("#end [data-act=undo]")
    wait_for_moves(page, len(game.played) - 1)
    assert page.locator("dialog[open]").count() == 0
