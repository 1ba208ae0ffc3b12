"""What a page may say, checked: anything else is refused before it reaches a game."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, cast

from solitaire_env.engine.generator import LAST_DEAL
from solitaire_env.notation import is_whole
from solitaire_env.render.felts import FELTS
from solitaire_env.variants import VARIANTS
from solitaire_env.web.game import MAX_MOVES, RefusedError

MAX_BYTES: Final = 64 * 1024
"""Of a message; the longest game fits."""

_ID_LETTERS: Final = frozenset("0123456789abcdef")
_ID_LENGTH: Final = 32
_LONG: Final = 2**53


@dataclass(frozen=True)
class Message:
    """A request of the page.

    Attributes:
        do: what is asked for.
        at: the number of the position that the page shows.
        more: what `do` needs.
        ask: the page's own number of the request, which its answer carries; 0: none.
    """

    do: str
    at: int
    more: dict[str, Any]
    ask: int = 0


def read_message(text: str | None) -> Message:
    """Read a message.

    Raises:
        RefusedError: for anything that no page of ours says.
    """
    told = _read_json(text)
    do = told.get("do")
    if not isinstance(do, str) or do not in _REQUESTS:
        raise RefusedError(f"unknown request, accepted are {', '.join(_REQUESTS)}")
    fields = {name: read(told.get(name)) for name, read in _REQUESTS[do].items()}
    return Message(do, _whole(told.get("at", 0)), fields, _whole(told.get("ask", 0)))


def read_ask(text: str | None) -> int:
    """Read the page's number of a request, also of one that can't be read otherwise; 0: none."""
    try:
        return _whole(_read_json(text).get("ask", 0))
    except RefusedError:
        return 0


def _read_json(text: str | None) -> dict[str, Any]:
    if text is None or len(text) > MAX_BYTES:
        raise RefusedError(f"a message is text of at most {MAX_BYTES} bytes")
    try:
        told: object = json.loads(text)
    except (ValueError, RecursionError):
        raise RefusedError("a message is JSON") from None
    return _object(told)


def read_saved(value: object) -> dict[str, Any] | None:
    """Read a game as a page kept it (see `Game.to_json`), or None."""
    if value is None:
        return None
    told = _object(value)
    return {
        "variant": read_variant(told.get("variant")),
        "deal": read_deal(told.get("deal")),
        "actions": _numbers(told.get("actions")),
        "by_agent": _numbers(told.get("by_agent")),
        "now": _whole(told.get("now")),
        "seconds": _seconds(told.get("seconds")),
    }


def read_variant(value: object) -> str:
    """Read a game's name."""
    if not isinstance(value, str) or value not in VARIANTS:
        raise RefusedError(f"variant: accepted are {', '.join(VARIANTS)}")
    return value


def read_deal(value: object) -> int | None:
    """Read a deal's number, written out since scripts have no 64-bit numbers; None: any."""
    if value is None or value == "":
        return None
    digits = isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 20
    if not digits or int(cast("str", value)) > LAST_DEAL:
        raise RefusedError(f"deal: accepted are whole numbers 0..{LAST_DEAL}")
    return int(cast("str", value))


def _read_id(value: object) -> str | None:
    """Read a game's id; anything that is none is no id."""
    known = isinstance(value, str) and len(value) == _ID_LENGTH and _ID_LETTERS.issuperset(value)
    return value if known and isinstance(value, str) else None


def _read_agent(value: object) -> str | None:
    """Read the name of a player of the list; None: the best there is."""
    if value is not None and not isinstance(value, str):
        raise RefusedError("agent: accepted is a name of the list")
    return value or None


def _read_felt(value: object) -> str:
    if value not in FELTS:
        raise RefusedError(f"felt: accepted are {', '.join(FELTS)}")
    return cast("str", value)


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise RefusedError("a message is a JSON object")
    return cast("dict[str, Any]", value)


def _whole(value: object) -> int:
    if not is_whole(value) or not 0 <= value < _LONG:
        raise RefusedError("accepted are whole numbers from 0")
    return int(value)


def _numbers(value: object) -> list[int]:
    if not isinstance(value, list) or len(cast("list[Any]", value)) > MAX_MOVES:
        raise RefusedError(f"accepted is a list of at most {MAX_MOVES} numbers")
    return [_whole(each) for each in cast("list[object]", value)]


def _seconds(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _LONG:
        return float(value)
    raise RefusedError("seconds: accepted are numbers from 0")


_REQUESTS: Final[dict[str, dict[str, Callable[[object], Any]]]] = {
    "open": {"game": _read_id, "saved": read_saved, "variant": read_variant, "deal": read_deal},
    "deal": {"variant": read_variant, "deal": read_deal},
    "move": {"action": _whole},
    "undo": {},
    "redo": {},
    "restart": {},
    "advise": {"agent": _read_agent},
    "agent": {"agent": _read_agent},
    "replay": {"felt": _read_felt},
}
"""Request -> what it needs, each with the function that reads it."""
