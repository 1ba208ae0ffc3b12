"""What the page is told of a game: what a player may see, and the legal moves.

Hidden cards stay here. A pile has an id of its own; a move says from which piles it can be lifted,
how many cards, and to which piles, so that the page needs no rule.
"""

from collections.abc import Iterator
from typing import Any, Final

from solitaire_env.cards import RANKS
from solitaire_env.notation import (
    FOUNDATION,
    REDEAL,
    STOCK,
    WASTE,
    Move,
    Position,
    cell,
    column,
    is_face_down,
    move_words,
)
from solitaire_env.render.svg import BACK, KINGS
from solitaire_env.rulesheet import RuleSheet
from solitaire_env.web.game import Game

Json = dict[str, Any]

FAN: Final = 3
"""Cards of the waste that are seen at most, as in the pictures."""

_TOLD: Final = (
    "moves",
    "foundation_cards",
    "passes",
    "redeals_left",
    "streak",
    "longest_streak",
)


def table_view(game: Game) -> Json:
    """Tell all that the page shows of a game."""
    sheet, position = game.sheet, game.position()
    return {
        "variant": game.variant,
        "title": sheet.title,
        "deal": str(game.deal),
        "cards": sheet.cards,
        "piles": list(_piles(sheet, position)),
        "moves": [_move(game, position, *each) for each in game.moves().items()],
        "told": {name: game.moment.info[name] for name in _TOLD},
        "score": game.score,
        "seconds": game.clock.seconds,
        "clock_runs": game.clock.runs,
        "outcome": game.outcome,
        "last": game.last_words(),
        "can_undo": game.can_undo,
        "can_redo": game.can_redo,
        "end": _end(game),
        "saved": game.to_json(),
    }


def _piles(sheet: RuleSheet, position: Position) -> Iterator[Json]:
    """List the piles, bottom card first; `count` where not all cards are listed."""
    for index, cards in enumerate(position["tableau"]):
        seen = [BACK if is_face_down(card) else card for card in cards]
        yield {"id": column(index), "kind": "tableau", "cards": seen}
    for index, card in enumerate(position["reserve"]):
        yield {"id": cell(index), "kind": "reserve", "cards": [card] if card else []}
    if sheet.foundations.kings_leave:
        kings = position["kings"]
        yield {"id": KINGS, "kind": KINGS, "cards": [KINGS] * (kings > 0), "count": kings}
    for suit, heights in position["foundations"].items():
        for place, height in enumerate(heights):
            top = [RANKS[height - 1] + suit] if height else []
            pile = {"id": f"{FOUNDATION}{suit}{place}", "kind": "foundation", "suit": suit}
            yield {**pile, "cards": top, "count": height}
    if sheet.stock:
        stock, waste = position["stock"], position["waste"]
        yield {"id": STOCK, "kind": STOCK, "cards": [BACK] * (len(stock) > 0), "count": len(stock)}
        fan = min(FAN, sheet.draw)
        pile = {"id": WASTE, "kind": "waste", "fan": fan}
        yield {**pile, "cards": waste[-fan:], "count": len(waste)}


def _move(game: Game, position: Position, action: int, move: Move) -> Json:
    """Tell a legal move by the ids of its piles."""
    on_foundations = FOUNDATION in (move.source[0], move.target)
    after = game.after(action) if on_foundations else position
    return {
        "action": action,
        "from": _piles_of(move.source, position, after),
        "to": [STOCK] if move.target == REDEAL else _piles_of(move.target, position, after),
        "count": move.count,
        "words": move_words(move, position, after),
    }


def _piles_of(place: str, before: Position, after: Position) -> list[str]:
    """Name the piles that a move's source or target may mean.

    Of a suit's foundations it is those that the move changes, and those as high.
    """
    if not place.startswith(FOUNDATION):
        return [place]
    names: list[str] = []
    for suit, heights in before["foundations"].items():
        changed = [a for a, b in zip(heights, after["foundations"][suit], strict=True) if a != b]
        names += [f"{FOUNDATION}{suit}{i}" for i, height in enumerate(heights) if height in changed]
    return names


def _end(game: Game) -> Json | None:
    """Tell how a game ended; None while it is in play."""
    if not game.outcome:
        return None
    by_agent = sum(moment.by_agent for moment in game.played)
    ledger = game.ledger
    return {
        "honour": game.sheet.honour if game.outcome == "won" else "",
        "by_agent": by_agent,
        "ledger": ledger and {**vars(ledger), "total": ledger.total},
    }
