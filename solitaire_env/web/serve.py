"""Start the server, and show its page."""

import socket
import sys
import webbrowser
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from uvicorn import Server

    from solitaire_env.web.room import Players

DEFAULT_PORT: Final = 8642
LOOPBACK: Final = "127.0.0.1"
_ANY: Final = 0
_LAST_PORT: Final = 65535
_CONNECTIONS: Final = 64


def play(variant: str, deal: int | None, agent: str | None, port: int, *, browse: bool) -> None:
    """Serve the table until interrupted.

    Args:
        variant: the game that the page shows first.
        deal: its number; None: any, or the game that the page has kept.
        agent: a player as `load_player` takes it, whose choice hints then are; None: the first of
            those that the package knows.
        port: to listen on; 0: any that is free.
        browse: whether to open a browser.

    Raises:
        ImportError: without the extra.
        ValueError: if the port is no port, or busy, or the agent can't play the variant.
    """
    _check_extra()
    _check_agent(agent, variant)
    players, listener = players_with(agent), listen(port)
    place = f"{LOOPBACK}:{listener.getsockname()[1]}"
    address = f"http://{place}/#{variant}" + ("" if deal is None else f"/{deal}")
    print(f"The table is at {address}\nCtrl+C ends it.", flush=True)
    if browse:
        open_browser(address)
    with suppress(KeyboardInterrupt):
        make_server(players, listener).run(sockets=[listener])


def listen(port: int) -> socket.socket:
    """Take a port of this machine alone; ValueError names a free one if it is busy."""
    if not 0 <= port <= _LAST_PORT:
        raise ValueError(f"--port is {port}, accepted are 0..{_LAST_PORT}")
    try:
        return _bound(port)
    except OSError as error:
        with _bound(_ANY) as free:
            offer = free.getsockname()[1]
        said = f"port {port} can't be had ({error.strerror})"
        raise ValueError(f"{said}; try --port {offer}, which is free") from None


def _bound(port: int) -> socket.socket:
    listener = socket.socket()
    try:
        if sys.platform != "win32":  # there it would let two servers share the port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen()
    except OSError:
        listener.close()
        raise
    return listener


def open_browser(address: str) -> None:
    """Show the page, or say that it has to be opened by hand."""
    try:
        opened = webbrowser.open(address)
    except webbrowser.Error:
        opened = False
    if not opened:
        print("No browser was found: open that address in one.", flush=True)


def players_with(agent: str | None) -> "Players":
    """List the agents, with the one that was named, if any: hints are then its alone."""
    from solitaire_env.players import AGENTS
    from solitaire_env.web.advice import HINTS
    from solitaire_env.web.room import Players

    if agent is None:
        return Players(AGENTS, HINTS)
    return Players({agent: AGENTS.get(agent, agent), **AGENTS}, (agent,))


def make_server(players: "Players", listener: socket.socket) -> "Server":
    """Make a server of a port; its `run(sockets=[listener])` serves until interrupted."""
    import uvicorn

    from solitaire_env.web.messages import MAX_BYTES
    from solitaire_env.web.server import make_app

    port = listener.getsockname()[1]
    app = make_app(players, [f"{name}:{port}" for name in (LOOPBACK, "localhost")])
    config = uvicorn.Config(
        app,
        ws="websockets-sansio",
        ws_max_size=MAX_BYTES,
        lifespan="off",
        limit_concurrency=_CONNECTIONS,
        log_level="error",
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config)


def _check_extra() -> None:
    """Raise ImportError unless everything that the server needs is installed."""
    for name in ("starlette", "uvicorn", "websockets"):
        if find_spec(name) is None:
            raise ImportError(f"play needs {name}: pip install 'solitaire-env[web]'")


def _check_agent(agent: str | None, variant: str) -> None:
    """Raise ValueError if an agent that was named can't be loaded."""
    from solitaire_env.players import load_player

    if agent is not None:
        load_player(agent, variant)
