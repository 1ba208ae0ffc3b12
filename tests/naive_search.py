"""Whether a position can be won, by trying every move of the slow reference game."""

import json
from typing import Any

from solitaire_env.rulesheet import UNLIMITED, RuleSheet

from .reference.game import ReferenceGame

_ENDLESS = 10**9


def naive_verdict(sheet: RuleSheet, position: dict[str, Any], most: int) -> str | None:
    """Say "solved" or "refuted"; None if that takes more than so many positions."""
    start = ReferenceGame(sheet, position, no_progress_limit=_ENDLESS)
    seen, waiting = {_key(sheet, start)}, [start]
    while waiting:
        game = waiting.pop()
        for move in game.legal_moves():
            after = ReferenceGame(sheet, game.position(), no_progress_limit=_ENDLESS)
            after.play(move)
            if after.outcome == "won":
                return "solved"
            key = _key(sheet, after)
            if key not in seen and not after.outcome:
                seen.add(key)
                waiting.append(after)
        if len(seen) > most:
            return None
    return "refuted"


def _key(sheet: RuleSheet, game: ReferenceGame) -> str:
    """Write a position; passes only where they are limited."""
    at = game.position()
    if sheet.stock is None or sheet.redeals == UNLIMITED:
        del at["passes"]
    return json.dumps(at)
