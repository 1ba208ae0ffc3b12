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
