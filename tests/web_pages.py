"""What the tests of the table in a browser share: a won game, a server, and what a page shows."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from solitaire_env.web.game import Game
from solitaire_env.web.view import table_view

WON: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "web-won.json").read_text())
"""A won game of Turn-3: variant, deal and actions."""


WIDE = {"width": 1400, "height": 900}
ADDRESS = f"#{WON['variant']}/{WON['deal']}"


def won_game(moves: int | None = None) -> Game:
    """Play the won game, or its first moves."""
    game = Game(WON["variant"], WON["deal"])
    for action in WON["actions"][:moves]:
        game.play(action)
    return game


@contextmanager
def served(port: int = 0, agent: str | None = None) -> Iterator[int]:
    """Run a server in this process; gives its port."""
    from solitaire_env.web.serve import listen, make_server, players_with

    listener = listen(port)
    server = make_server(players_with(agent), listener)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield listener.getsockname()[1]
    server.should_exit = True
    thread.join(10)


def shown_cards(page: Any) -> list[tuple[str, int, str]]:
    """List the cards that a page shows: pile, place in it, and face."""
    cards = page.eval_on_selector_all(
        ".card[data-pile]", "nodes => nodes.map((n) => ({...n.dataset}))"
    )
    return sorted((card["pile"], int(card["index"]), card["card"]) for card in cards)


def cards_of(game: Game) -> list[tuple[str, int, str]]:
    """List the cards that a page should show."""
    return sorted(
        (pile["id"], index, card)
        for pile in table_view(game)["piles"]
        for index, card in enumerate(pile["cards"])
    )


def wait_for_moves(page: Any, moves: int) -> None:
    """Wait until the page shows the table after so many moves."""
    page.wait_for_selector(f'#table[data-moves="{moves}"]', timeout=10_000)


def kept(page: Any) -> dict[str, Any]:
    """Give what the browser has kept of its game."""
    return json.loads(page.evaluate("localStorage.getItem('solitaire-env')"))


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
