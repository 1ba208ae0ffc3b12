"""The table in a real browser under quick hands, other tabs and bad luck: `make test-web`."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from solitaire_env.web.game import Game
from tests.web_pages import ADDRESS, WON, cards_of, shown_cards, told_move, top_of, wait_for_moves


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
