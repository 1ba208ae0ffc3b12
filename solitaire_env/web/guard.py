"""Who may talk to the server, and how fast: the page itself, and nobody else's."""

from collections.abc import Callable, Iterable
from time import monotonic
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEADERS: Final = {
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self' ws://{host}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Guard:
    """Lets in what names this server as Host, and its own page as Origin.

    A page of another site can reach a server on this machine, under a name of its own even; so the
    names are checked, and a WebSocket needs an Origin.

    Args:
        app: what is guarded.
        hosts: names of this server, with the port.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str]) -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._origins = frozenset(f"http://{host}" for host in self._hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif not self._may_enter(scope):
            await _refuse(scope, receive, send)
        else:
            await self._app(scope, receive, self._with_headers(scope, send))

    def _may_enter(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return False
        no_origin = scope["type"] == "http" and not origins
        return no_origin or (len(origins) == 1 and origins[0] in self._origins)

    def _with_headers(self, scope: Scope, send: Send) -> Send:
        host = Headers(scope=scope)["host"]

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                policy = {"content-security-policy": _POLICY.format(host=host)}
                MutableHeaders(scope=message).update({**_HEADERS, **policy})
            await send(message)

        return answer


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer 403; a WebSocket that is closed before it opened is answered so by the server."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    refusal = PlainTextResponse("this server talks to its own page only", status_code=403)
    await refusal(scope, receive, send)


class Pace:
    """Counts messages: so many at once, and so many a second for long.

    Args:
        at_once: messages that may come together.
        per_second: messages that are forgotten in a second.
        now: tells the time.
    """

    def __init__(
        self, at_once: int, per_second: float, now: Callable[[], float] = monotonic
    ) -> None:
        self._at_once = at_once
        self._per_second = per_second
        self._now = now
        self._count, self._last = 0.0, now()

    def allows(self) -> bool:
        """Count one more message; tell whether it comes in time."""
        now = self._now()
        self._count = max(0.0, self._count - (now - self._last) * self._per_second) + 1
        self._last = now
        return self._count <= self._at_once
