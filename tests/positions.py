"""Interesting positions of any game: fresh deals, endings, dead ones, the last cards of a pass.

Each is possible by the reference's own check, and made from the rule sheet alone.
"""

import random
from collections.abc import Callable, Iterator
from typing import Any

from solitaire_env.rulesheet import UNLIMITED, FaceUp, RuleSheet

from .reference.cards import RANK, RANKS, is_king, last_rank, pack, suits_of
from .reference.check import refusal
from .reference.game import ReferenceGame, deal, settle
from .reference.moves import dead, legal_moves, playable, reachable

TRIES = 3000
LAST_MOVES = ("tableau", "waste", "reserve", "king")
"""Where the last card of a won game can come from; "king": the last King leaves by itself."""

Maker = Callable[[RuleSheet, random.Random], dict]
Kind = tuple[str, Maker]
"""What kind of position it is, and what makes one."""


def fresh(sheet: RuleSheet, rng: random.Random) -> dict:
    """Deal shuffled cards until a move is legal."""
    cards = pack(sheet)
    return _possible(sheet, lambda: deal(sheet, rng.sample(cards, len(cards))))


def walked(sheet: RuleSheet, rng: random.Random, steps: int) -> dict:
    """Play random legal moves from a fresh deal, as far as the game goes on."""
    game = ReferenceGame(sheet, fresh(sheet, rng), no_progress_limit=10**9)
    at = game.position()
    for _ in range(steps):
        game.play(rng.choice(game.legal_moves()))
        if game.outcome:
            break
        at = game.position()
    return at


def ending(sheet: RuleSheet, rng: random.Random, left: int, **piles: int) -> dict:
    """Lay out a position with about `left` cards off the foundations.

    Args:
        sheet: the game.
        rng: where the cards come from.
        left: cards that are not on the foundations.
        piles: how many cards are in "stock" and "waste", and the number of "passes"; drawn where
            not given.
    """
    return _possible(sheet, lambda: _ending(sheet, rng, left, **piles))


def last_cards_of_a_pass(sheet: RuleSheet, rng: random.Random, stock: int) -> dict:
    """Lay out an ending with this many cards in the stock."""
    left = rng.randint(stock + 2, max(stock + 2, sheet.cards // 3))
    return ending(sheet, rng, left, stock=stock)


def before_a_redeal(sheet: RuleSheet, rng: random.Random, passes: int) -> dict:
    """Lay out an ending in a pass whose stock is used up."""
    waste = rng.randint(1, min(8, sheet.stock_cards))
    left = rng.randint(waste + 1, max(waste + 1, sheet.cards // 3))
    return ending(sheet, rng, left, stock=0, waste=waste, passes=passes)


def one_move_from_won(sheet: RuleSheet, rng: random.Random, last: str) -> dict:
    """Lay out a position that one move of this kind wins (one of `last_moves`)."""
    top = RANKS[last_rank(sheet) - 1] + rng.choice(suits_of(sheet))
    at = _table(sheet, _full(sheet), _kings(sheet))
    at["foundations"][top[1]][-1] -= 1
    if last == "king":
        king = RANKS[sheet.ranks - 1] + rng.choice(suits_of(sheet))
        at["kings"] -= 1
        _column(sheet, rng, 2)(at).extend(_dealt_so(sheet, [king, top]))
    elif last == "tableau":
        _column(sheet, rng, 1)(at).append(top)
    elif last == "waste":
        at["waste"].append(top)
    else:
        at["reserve"][rng.randrange(sheet.reserve)] = top
    return at


def last_moves(sheet: RuleSheet) -> list[str]:
    """List the kinds of last move that a game has."""
    has = {
        "tableau": True,
        "waste": sheet.stock is not None,
        "reserve": sheet.reserve > 0,
        "king": sheet.foundations.kings_leave and max(sheet.tableau.heights()) > 1,
    }
    return [last for last in LAST_MOVES if has[last]]


def dead_end(sheet: RuleSheet, rng: random.Random, plays: int) -> dict:
    """Lay out a position where only draws are legal and bring this many cards with a play.

    With 0 it is dead; without a stock, `plays` counts the legal moves themselves.
    """
    for attempt in range(TRIES):
        at = _hard(sheet, rng)
        if attempt % 3 or plays:
            _swap(sheet, rng, at)
        if refusal(sheet, at) is None and plays_left(sheet, at) == plays:
            return at
    raise AssertionError(f"{sheet.name}: no position with {plays} plays left was found")


def before_stuck(sheet: RuleSheet, rng: random.Random) -> dict:
    """Lay out a position whose only legal move, to the foundations, leaves none."""
    for _ in range(TRIES):
        at = _hard(sheet, rng)
        if legal_moves(sheet, at):
            continue
        suit = rng.choice(suits_of(sheet))
        heights = at["foundations"][suit]
        column = rng.choice(at["tableau"])
        if heights[0]:
            column.append(RANKS[heights[0] - 1] + suit)
            heights[0] -= 1
            heights.sort(reverse=True)
        if refusal(sheet, at) is None and len(legal_moves(sheet, at)) == 1:
            return at
    raise AssertionError(f"{sheet.name}: no position a move before stuck was found")


def plays_left(sheet: RuleSheet, at: dict) -> int:
    """Count the cards with a play that draws would still bring; -1 if there are other moves."""
    moves = legal_moves(sheet, at)
    if sheet.stock is None:
        return len(moves)
    if any(source != "stock" for source, _, _ in moves):
        return -1
    count = sum(playable(sheet, at, card) for card in reachable(sheet, at))
    assert (count == 0) == dead(sheet, at, moves)
    return count


def kinds(sheet: RuleSheet) -> list[Kind]:
    """List the kinds of position that a game has, each with its maker."""
    quarter = max(5, sheet.cards // 4)
    makers = [
        ("fresh", fresh),
        ("walked", lambda sheet, rng: walked(sheet, rng, rng.randint(10, 120))),
        ("middle", lambda sheet, rng: ending(sheet, rng, rng.randint(quarter, 2 * quarter))),
        ("ending", lambda sheet, rng: ending(sheet, rng, rng.randint(4, quarter))),
        ("short ending", lambda sheet, rng: ending(sheet, rng, rng.randint(2, 8))),
        ("nearly dead", lambda sheet, rng: dead_end(sheet, rng, 1)),
        *(
            (f"won by {last}", lambda sheet, rng, last=last: one_move_from_won(sheet, rng, last))
            for last in last_moves(sheet)
        ),
    ]
    if sheet.stock is None:
        return [*makers, ("before stuck", before_stuck)]
    return [*makers, *_stock_kinds(sheet)]


def _stock_kinds(sheet: RuleSheet) -> Iterator[Kind]:
    """List the kinds of position that need a stock."""
    yield "dead", lambda sheet, rng: dead_end(sheet, rng, 0)
    first_pass = range(sheet.stock_cards, 0, -sheet.draw)
    for left in range(1, sheet.draw + 1):
        if not sheet.redeals and left not in first_pass:
            continue
        yield (
            f"stock of {left}",
            lambda sheet, rng, left=left: last_cards_of_a_pass(sheet, rng, left),
        )
    for passes in range(1, passes_of(sheet) + 1):
        yield (
            f"end of pass {passes}",
            lambda sheet, rng, passes=passes: before_a_redeal(sheet, rng, passes),
        )


def passes_of(sheet: RuleSheet) -> int:
    """Count the passes worth looking at: all, or three where they are unlimited."""
    return 3 if sheet.redeals == UNLIMITED else sheet.redeals + 1


def _possible(sheet: RuleSheet, make: Callable[[], dict]) -> dict:
    """Make positions until one is possible, not won and not stuck."""
    for _ in range(TRIES):
        at = make()
        if refusal(sheet, at) is None:
            return at
    raise AssertionError(f"{sheet.name}: no possible position was found: {refusal(sheet, at)}")


def _full(sheet: RuleSheet) -> dict[str, list[int]]:
    return {suit: [last_rank(sheet)] * sheet.decks for suit in suits_of(sheet)}


def _kings(sheet: RuleSheet) -> int:
    return sheet.decks * sheet.suits if sheet.foundations.kings_leave else 0


def _table(sheet: RuleSheet, foundations: dict[str, list[int]], kings: int) -> dict[str, Any]:
    """Set up a table with no card but those on the foundations."""
    return {
        "variant": sheet.name,
        "tableau": [[] for _ in range(sheet.tableau.piles)],
        "reserve": [None] * sheet.reserve,
        "foundations": foundations,
        "kings": kings,
        "stock": [],
        "waste": [],
        "passes": 1,
    }


def _column(sheet: RuleSheet, rng: random.Random, cards: int) -> Callable[[dict], list[str]]:
    """Choose a column that was dealt at least so many cards."""
    deep = [n for n, height in enumerate(sheet.tableau.heights()) if height >= cards]
    number = rng.choice(deep)
    return lambda at: at["tableau"][number]


def _dealt_so(sheet: RuleSheet, column: list[str]) -> list[str]:
    """Turn a column's cards face down as the deal does."""
    if sheet.tableau.face_up is FaceUp.ALL:
        return column
    return [f"<{card}>" for card in column[:-1]] + column[-1:]


def _taken_down(
    sheet: RuleSheet, rng: random.Random, left: int, step: int = 1
) -> tuple[dict[str, list[int]], list[str]]:
    """Take about `left` cards from full foundations, `step` at a time off one pile."""
    heights = _full(sheet)
    lowest = 1 if sheet.foundations.aces_dealt else 0
    loose: list[str] = []
    while len(loose) < left:
        piles = [
            (suit, pile)
            for suit, tall in heights.items()
            for pile, height in enumerate(tall)
            if height - step >= lowest
        ]
        if not piles:
            break
        suit, pile = rng.choice(piles)
        for _ in range(step):
            loose.append(RANKS[heights[suit][pile] - 1] + suit)
            heights[suit][pile] -= 1
    for tall in heights.values():
        tall.sort(reverse=True)
    return heights, loose


def _ending(sheet: RuleSheet, rng: random.Random, left: int, **piles: int) -> dict:
    room = sum(sheet.tableau.heights()) + sheet.reserve
    stock = piles.get("stock", rng.choice([0, rng.randint(0, max(0, left // 2))]))
    waste = piles.get("waste", rng.randint(0, max(0, left - stock) // 2))
    if sheet.stock is None:
        stock = waste = 0
    stock = min(stock, sheet.stock_cards)
    waste = min(waste, sheet.stock_cards - stock)
    kings = [king for king in pack(sheet) if is_king(sheet, king)]
    away = rng.randint(0, min(len(kings), left // 2)) if _kings(sheet) else 0
    foundations, loose = _taken_down(sheet, rng, min(left, room + stock + waste) - away)
    loose += rng.sample(kings, away)
    rng.shuffle(loose)
    at = _table(sheet, foundations, _kings(sheet) - away)
    at["stock"], loose = loose[:stock], loose[stock:]
    at["waste"], loose = loose[:waste], loose[waste:]
    at["passes"] = piles.get("passes", _some_pass(sheet, rng))
    _fill_reserve(sheet, rng, at, loose)
    _fill_columns(sheet, rng, at, loose, rng.randint(1, sheet.tableau.piles))
    settle(sheet, at)
    return at


def _some_pass(sheet: RuleSheet, rng: random.Random) -> int:
    return rng.randint(1, 4 if sheet.redeals == UNLIMITED else sheet.redeals + 1)


def _fill_reserve(sheet: RuleSheet, rng: random.Random, at: dict, loose: list[str]) -> None:
    """Move some cards, and all that the columns have no room for, into reserve cells."""
    too_many = max(0, len(loose) - sum(sheet.tableau.heights()))
    most = min(sheet.reserve, len(loose))
    for cell in rng.sample(range(sheet.reserve), rng.randint(min(too_many, most), most)):
        at["reserve"][cell] = loose.pop()


def _fill_columns(
    sheet: RuleSheet, rng: random.Random, at: dict, loose: list[str], columns: int
) -> None:
    """Deal all cards into some columns, or more where they are too many."""
    order = rng.sample(range(sheet.tableau.piles), sheet.tableau.piles)
    heights = sheet.tableau.heights()
    while sum(heights[column] for column in order[:columns]) < len(loose):
        columns += 1
    slots = [column for column in order[:columns] for _ in range(heights[column])]
    for column in rng.sample(slots, len(loose)):
        at["tableau"][column].append(loose.pop())
    at["tableau"] = [_dealt_so(sheet, column) for column in at["tableau"]]


def _hard(sheet: RuleSheet, rng: random.Random) -> dict:
    """Lay out a position where hardly a card can move.

    All foundation heights are odd, or all even, and so are the ranks of all cards that lie open or
    in the stock: none is next on a foundation, none builds on another, none comes back.
    """
    piles = sheet.tableau.piles
    talon = rng.randint(1, min(4, sheet.stock_cards)) if sheet.stock else 0
    pairs = piles + talon + rng.randint(0, 2)
    foundations, loose = _taken_down(sheet, rng, 2 * pairs, step=2)
    at = _table(sheet, foundations, _kings(sheet))
    at["passes"] = _some_pass(sheet, rng)
    odd = last_rank(sheet) % 2
    rng.shuffle(loose)
    exposed = [card for card in loose if RANK[card] % 2 == odd]
    buried = [card for card in loose if RANK[card] % 2 != odd]
    for cell in range(sheet.reserve):
        if len(exposed) > piles + talon:
            at["reserve"][cell] = exposed.pop()
    cards = [exposed.pop() for _ in range(min(talon, len(exposed)))]
    cut = rng.randint(0, len(cards) - 1) if cards and rng.random() < 0.8 else 0
    at["waste"], at["stock"] = cards[:cut], cards[cut:]
    _lay_tops(sheet, rng, at, buried, exposed)
    return at


def _lay_tops(
    sheet: RuleSheet, rng: random.Random, at: dict, buried: list[str], exposed: list[str]
) -> None:
    """Bury some cards in the columns, as deep as dealt, under the cards to be exposed."""
    room = [n for n, height in enumerate(sheet.tableau.heights()) for _ in range(height - 1)]
    rng.shuffle(room)
    columns: list[list[str]] = at["tableau"]
    for card, number in zip(buried, room, strict=False):
        columns[number].append(card)
    at["stock"] = buried[len(room) :] + at["stock"]
    order = sorted(range(len(columns)), key=lambda n: -len(columns[n]))
    for number, card in zip(order, exposed, strict=False):
        columns[number].append(card)
    at["stock"] += exposed[len(columns) :]
    at["tableau"] = [_dealt_so(sheet, column) for column in columns]


def _swap(sheet: RuleSheet, rng: random.Random, at: dict) -> None:
    """Exchange a few cards between the places where they lie."""
    for _ in range(rng.randint(1, 2)):
        piles = [pile for pile in [*at["tableau"], at["stock"], at["waste"]] if pile]
        (one, first), (other, second) = (
            (pile, rng.randrange(len(pile))) for pile in rng.choices(piles, k=2)
        )
        faces = one[first].strip("<>"), other[second].strip("<>")
        one[first] = one[first].replace(faces[0], faces[1])
        if one is not other or first != second:
            other[second] = other[second].replace(faces[1], faces[0])
