"""The server of the page: its files, and a WebSocket on which it plays."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterable
from html import escape
from importlib.resources import files
from mimetypes import guess_type
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from solitaire_env.describe import rule_page
from solitaire_env.render.felts import FELT_COLORS
from solitaire_env.render.svg import card_definitions, felt_hex
from solitaire_env.variants import VARIANTS
from solitaire_env.web.game import RefusedError
from solitaire_env.web.guard import Guard, Pace
from solitaire_env.web.messages import Message, read_ask, read_message
from solitaire_env.web.room import Players, Room, Rooms
from solitaire_env.web.view import Json

CARDS: Final = "c-"
"""Prefix of the cards' ids in the page."""

_AT_ONCE: Final = 60
_PER_SECOND: Final = 50.0
_UNSENT: Final = 64
"""Messages that may wait for a page that does not read."""

_TOO_MUCH: Final = 1008

Play = Callable[[Message], Coroutine[Any, Any, None]]


def make_app(players: Players, hosts: Iterable[str]) -> ASGIApp:
    """Make the server.

    Args:
        players: the agents that there are.
        hosts: names of this server with the port, as browsers send them.
    """
    rooms = Rooms(players)

    async def talk(socket: WebSocket) -> None:
        await socket.accept()
        await Line(socket, rooms).serve()

    routes = [Route(path, _serve(*content)) for path, content in _contents(players).items()]
    return Guard(Starlette(routes=[*routes, WebSocketRoute("/play", talk)]), hosts)


def _contents(players: Players) -> dict[str, tuple[bytes, str]]:
    """Read the page's files once: path -> content and type; there are no other paths."""
    folder = files("solitaire_env.web").joinpath("page")
    contents = {
        f"/{file.name}": (file.read_bytes(), guess_type(file.name)[0] or "text/plain")
        for file in folder.iterdir()
    }
    for name, sheet in VARIANTS.items():
        contents[f"/rules/{name}"] = rule_page(sheet).encode(), "text/plain"
    page, kind = contents.pop("/index.html")
    felts = _felt_style().encode(), "text/css"
    return {**contents, "/": (_fill_in(page.decode(), players).encode(), kind), "/felts.css": felts}


def _fill_in(page: str, players: Players) -> str:
    names = {"CARDS": card_definitions(CARDS)}
    names["VARIANTS"] = "".join(_option(name, VARIANTS[name].title) for name in VARIANTS)
    names["FELTS"] = "".join(_option(name, name.replace("-", " ")) for name in FELT_COLORS)
    names["AGENTS"] = "".join(_option(name, name) for name in players.agents)
    for name, text in names.items():
        page = page.replace(f"[[{name}]]", text)
    return page


def _felt_style() -> str:
    """Write the felts' colours as CSS."""
    return "".join(f'[data-felt="{name}"]{{--felt:{felt_hex(name)}}}' for name in FELT_COLORS)


def _option(value: str, text: str) -> str:
    return f'<option value="{escape(value)}">{escape(text)}</option>'


def _serve(content: bytes, kind: str) -> Callable[[Request], Coroutine[Any, Any, Response]]:
    async def answer(request: Request) -> Response:
        return Response(content, media_type=kind)

    return answer


class Line:
    """A connection to a page.

    Args:
        socket: accepted.
        rooms: the games.
    """

    def __init__(self, socket: WebSocket, rooms: Rooms) -> None:
        self._socket = socket
        self._rooms = rooms
        self._room: Room | None = None
        self._unsent: asyncio.Queue[Json] = asyncio.Queue(_UNSENT)
        self._tasks: set[asyncio.Task[None]] = set()

    def tell(self, message: Json) -> None:
        """Send a message when the page can take it; one that takes none is cut off."""
        try:
            self._unsent.put_nowait(message)
        except asyncio.QueueFull:
            self._start(self._socket.close(_TOO_MUCH))

    async def serve(self) -> None:
        """Do what the page asks for, until it leaves."""
        self._start(self._send())
        try:
            await self._listen()
        except (WebSocketDisconnect, RuntimeError):  # starlette's word for a line that is cut
            pass
        finally:
            for task in self._tasks:
                task.cancel()
            if self._room:
                self._room.leave(self)

    async def _listen(self) -> None:
        pace = Pace(_AT_ONCE, _PER_SECOND)
        while True:
            received = await self._socket.receive()
            if received["type"] == "websocket.disconnect":
                return
            if not pace.allows():
                await self._socket.close(_TOO_MUCH, "too many messages")
                return
            self._answer(received.get("text"))

    async def _send(self) -> None:
        try:
            while True:
                await self._socket.send_text(json.dumps(await self._unsent.get()))
        except (WebSocketDisconnect, RuntimeError):
            return

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _answer(self, text: str | None) -> None:
        try:
            self._do(read_message(text))
        except RefusedError as error:
            self._refuse(error, read_ask(text))

    def _do(self, message: Message) -> None:
        if message.do == "open":
            self._open(message)
        elif self._room is None:
            raise RefusedError("open a game first")
        elif message.do in ("advise", "agent", "replay"):
            self._start(self._work(self._room, message))
        else:
            self._room.change(message, self)

    def _open(self, message: Message) -> None:
        if self._room:
            raise RefusedError("a game is open already")
        room, refused = self._rooms.open(**message.more)
        room.enter(self)
        self._room = room
        if refused:
            self._refuse(RefusedError(refused))

    async def _work(self, room: Room, message: Message) -> None:
        """Do what takes a while."""
        try:
            if message.do == "agent":
                await room.let_play(message, self)
            elif message.do == "advise":
                self.tell(await room.advise(message))
            else:
                self.tell(await _replay(room, **message.more))
        except RefusedError as error:
            self._refuse(error, message.ask)

    def _refuse(self, error: RefusedError, ask: int = 0) -> None:
        """Say why not, with the table as it is."""
        if self._room:
            self.tell(self._room.table(str(error), ask))
        else:
            self.tell({"is": "refusal", "refused": str(error)})


async def _replay(room: Room, felt: str) -> Json:
    """Write the game as a record and as a page."""
    replay = room.game.replay()
    page = await asyncio.to_thread(replay.to_html, felt)
    name = f"{room.game.variant}-{room.game.deal}"
    return {"is": "replay", "name": name, "record": json.dumps(replay.to_json()), "page": page}
