"""The table in a real browser: `make test-web`."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solitaire_env import VARIANTS
from solitaire_env.replay import Replay
from solitaire_env.web.game import Game
from solitaire_env.web.view import table_view
from tests.conftest import needs_module
from tests.web_pages import WON, cards_of, kept, served, shown_cards, wait_for_moves, won_game

WIDE = {"width": 1400, "height": 900}
PHONE = {"width": 375, "height": 720}
ADDRESS = f"#{WON['variant']}/{WON['deal']}"
POSITIONS = 1000


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Run a server."""
    needs_module("uvicorn")
    needs_module("starlette")
    with served() as place:
        yield place


@pytest.fixture
def visit(browser: Any, port: int) -> Iterator[Callable[..., Any]]:
    """Give what opens a page in a browser of its own; errors and foreign requests fail."""
    contexts, said = [], []

    def open_page(address: str = ADDRESS, size: dict[str, int] = WIDE, **more: Any) -> Any:
        place = more.pop("port", port)
        context = browser.new_context(
            viewport=size, **{"reduced_motion": "reduce", "accept_downloads": True, **more}
        )
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: said.append(request.url))
        page.goto(f"http://127.0.0.1:{place}/{address}")
        page.wait_for_selector(".card")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [
        words for words in said if not re.match(r"(http://127\.0\.0\.1:|data:|blob:)", words)
    ] == []


def restored(page: Any, game: Game) -> None:
    """Let a page go on with a game, as after a restart of the server."""
    told = json.dumps({"game": None, "saved": game.to_json()})
    page.evaluate("told => localStorage.setItem('solitaire-env', told)", told)
    page.reload()
    wait_for_moves(page, len(game.played))


def top_of(page: Any, pile: str, count: int = 1) -> tuple[float, float]:
    """Find the upper edge of a pile's topmost cards, or of its empty place."""
    x, y = page.evaluate(
        """([pile, count]) => {
          const of = (kind) => [...document.querySelectorAll(`${kind}[data-pile="${pile}"]`)];
          const cards = of(".card").sort((a, b) => b.dataset.index - a.dataset.index);
          const box = (cards[count - 1] || of(".slot")[0]).getBoundingClientRect();
          return [box.x + box.width / 2, box.y + 8];
        }""",
        [pile, count],
    )
    return x, y


def drag(page: Any, move: dict[str, Any]) -> None:
    """Drag a move's cards to where they go."""
    page.mouse.move(*top_of(page, move["from"][0], move["count"]))
    page.mouse.down()
    x, y = top_of(page, move["to"][0])
    page.mouse.move(x + 9, y + 12, steps=3)
    page.mouse.up()


def click(page: Any, move: dict[str, Any]) -> None:
    """Click a move's cards, and where they go; a double click to the foundations."""
    source, target = move["from"][0], move["to"][0]
    if source == "stock":
        page.mouse.click(*top_of(page, "stock"))
    elif target.startswith("F"):
        page.mouse.dblclick(*top_of(page, source))
    else:
        page.mouse.click(*top_of(page, source, move["count"]))
        page.wait_for_selector(f'.lit[data-pile="{target}"]')
        page.mouse.click(*top_of(page, target))


def told_move(game: Game, action: int) -> dict[str, Any]:
    """Find a legal move as the page is told it."""
    return next(move for move in table_view(game)["moves"] if move["action"] == action)


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


@pytest.mark.parametrize("address", ["#nonsense/7", "#arabella/x", "#%E0%A4%A/<script>"])
def test_nonsense_opens_a_table_all_the_same(visit: Callable[..., Any], address: str) -> None:
    """An address that names no deal, or a kept game that is none, keeps nobody from playing."""
    page = visit(address)
    page.evaluate('localStorage.setItem(\'solitaire-env\', \'{"game": 1, "saved": {"deal": 7}}\')')
    page.reload()
    page.wait_for_selector(".card")
    assert page.get_attribute("#table", "data-moves") == "0"


def contrast_of(page: Any, button: str) -> float:
    """Give the contrast of a button's words under the mouse: 1 is none, 21 black on white."""
    page.hover(button)
    style = "n => [getComputedStyle(n).color, getComputedStyle(n).backgroundColor]"
    colors = [re.findall(r"\d+", color)[:3] for color in page.eval_on_selector(button, style)]
    light = np.array(colors, float) / 255
    linear = np.where(light <= 0.03928, light / 12.92, ((light + 0.055) / 1.055) ** 2.4)
    darker, lighter = sorted(linear @ [0.2126, 0.7152, 0.0722] + 0.05)
    return lighter / darker


def test_buttons_can_be_read_under_the_mouse(visit: Callable[..., Any]) -> None:
    """Words of a pressed button and of a dialog's main one keep a contrast of 4.5 at least."""
    page = visit()
    for act in ("advice", "autoplay"):
        page.click(f"[data-act={act}]")
        assert contrast_of(page, f"[data-act={act}]") >= 4.5
        page.click(f"[data-act={act}]")
    for act, main in (("new", "#deal .main"), ("help", "#help .main")):
        page.click(f"[data-act={act}]")
        assert contrast_of(page, main) >= 4.5
        page.keyboard.press("Escape")


def test_a_browser_that_keeps_nothing_can_play(visit: Callable[..., Any]) -> None:
    """Where storage throws, cards, clock and felt are there all the same."""
    page = visit()
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new Error('blocked') }})"
    )
    page.reload()
    page.wait_for_selector(".card")
    page.click("nav [data-act=draw]")
    wait_for_moves(page, 1)
    page.wait_for_selector('#told dd:has-text("0:01")')
    page.select_option("#felts", "midnight-navy")
    assert page.get_attribute("html", "data-felt") == "midnight-navy"


def test_enter_acts_at_the_cursor(visit: Callable[..., Any]) -> None:
    """After a click on a button, or an arrow, Enter does not press that button again."""
    page = visit()
    page.keyboard.press("ArrowRight")
    page.click("nav [data-act=draw]")
    wait_for_moves(page, 1)
    page.keyboard.press("Enter")
    page.keyboard.press("u")
    wait_for_moves(page, 0)
    page.focus("nav [data-act=draw]")
    for number in (1, 2):  # by keys alone a button keeps the focus
        page.keyboard.press("Enter")
        wait_for_moves(page, number)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.keyboard.press("u")
    wait_for_moves(page, 1)


class Wire:
    """A page's connection, on which what it is told can be held back.

    Args:
        page: is loaded again.
    """

    def __init__(self, page: Any) -> None:
        self._held: list[str] | None = None
        page.route_web_socket("**/play", self._forward)
        page.reload()
        page.wait_for_selector(".card")

    def _forward(self, line: Any) -> None:
        self._line = line
        line.connect_to_server().on_message(self._pass_on)

    def _pass_on(self, text: str) -> None:
        if self._held is None:
            self._line.send(text)
        else:
            self._held.append(text)

    def hold(self) -> None:
        """Hold back what the server says from now on."""
        self._held = []

    def release(self) -> None:
        """Pass on what was held back, and all that follows."""
        held, self._held = self._held or [], None
        for text in held:
            self._line.send(text)

    def cut(self) -> None:
        """End the connection at the page's side."""
        self._line.close()


def test_quick_clicks_on_the_stock_all_draw(visit: Callable[..., Any]) -> None:
    """A click before the last one's table is there draws, and one that the table falls into."""
    page = visit()
    wire = Wire(page)
    wire.hold()
    x, y = top_of(page, "stock")
    page.mouse.click(x, y)
    page.mouse.click(x, y)
    page.mouse.down()
    page.wait_for_timeout(100)
    wire.release()
    wait_for_moves(page, 2)
    page.mouse.up()
    wait_for_moves(page, 3)


def test_what_is_pressed_while_the_server_is_away_is_not_played(visit: Callable[..., Any]) -> None:
    """Keys before the table is there again are forgotten."""
    page = visit()
    wire = Wire(page)
    for number in (1, 2):
        page.keyboard.press("d")
        wait_for_moves(page, number)
    wire.hold()
    wire.cut()
    page.wait_for_selector("#lost:visible")
    page.keyboard.type("uu")
    page.wait_for_timeout(500)
    wire.release()
    page.wait_for_selector("#lost", state="hidden")
    page.keyboard.press("d")
    wait_for_moves(page, 3)


def test_a_game_in_progress_is_not_lost(visit: Callable[..., Any]) -> None:
    """The address of another deal asks before it ends one; nonsense, and no move made, do not."""
    page = visit()
    root = page.url.partition("#")[0]

    def open_tab(address: str) -> Any:
        tab = page.context.new_page()
        tab.goto(root + address)
        return tab

    page.click("nav [data-act=draw]")
    wait_for_moves(page, 1)
    tab = open_tab("#arabella/7")
    tab.click("#going[open] [data-act=close]")
    assert shown_cards(tab) == shown_cards(page)
    assert tab.url.endswith(ADDRESS)
    wait_for_moves(open_tab("#nonsense/7"), 1)
    open_tab("#arabella/7").click("#going[open] [data-act=deal-other]")
    wait_for_moves(page, 0)
    assert shown_cards(page) == cards_of(Game("arabella", 7))
    open_tab("#big-bertha/3")
    page.wait_for_selector('.card[data-pile="R0"]')
    assert page.locator("dialog[open]").count() == 0


def test_a_click_that_a_table_falls_into_takes_the_card(visit: Callable[..., Any]) -> None:
    """A click that began before another table counts if the pile still offers its cards."""
    page = visit()
    wire = Wire(page)
    move = told_move(Game(WON["variant"], WON["deal"]), WON["actions"][0])
    wire.hold()
    page.keyboard.press("d")
    page.mouse.move(*top_of(page, move["from"][0], move["count"]))
    page.mouse.down()
    page.wait_for_timeout(100)
    wire.release()
    wait_for_moves(page, 1)
    page.mouse.up()
    page.wait_for_selector(f'.taken[data-pile="{move["from"][0]}"]')
