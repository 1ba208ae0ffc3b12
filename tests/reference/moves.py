"""Which moves are legal in a position, and whether the game is over there."""

from collections.abc import Iterator

from solitaire_env.rulesheet import UNLIMITED, RuleSheet, Space

from .cards import RANK, builds, face_down, is_king, last_rank, suits_of

Move = tuple[str, str, int]
"""Source, target, number of cards: as in ("T3", "T7", 4), ("FS", "T0", 1), ("stock", "W", 3)."""


def legal_moves(sheet: RuleSheet, at: dict) -> list[Move]:
    """List every legal move of a position, sorted."""
    moves = [
        *tableau_moves(sheet, at),
        *single_card_moves(sheet, at),
        *take_backs(sheet, at),
        *stock_moves(sheet, at),
    ]
    return sorted(moves)


def tableau_moves(sheet: RuleSheet, at: dict) -> Iterator[Move]:
    """List moves from columns: the top card to its foundation, a group to another column.

    RULINGS, Groups: any number of cards off the top of a liftable run, if its head fits.
    RULINGS, Renaming moves: a whole column never goes into a space.
    """
    for number, column in enumerate(at["tableau"]):
        if column and foundation_takes(sheet, at, column[-1]):
            yield f"T{number}", "F", 1
        for count in range(1, liftable(sheet, column) + 1):
            head = column[-count]
            for target in targets(sheet, at, head):
                yield f"T{number}", f"T{target}", count
            if count < len(column):
                for target in spaces(sheet, at, head):
                    yield f"T{number}", f"T{target}", count


def single_card_moves(sheet: RuleSheet, at: dict) -> Iterator[Move]:
    """List moves of the waste's top card and of each reserve card."""
    sources = [("W", card) for card in at["waste"][-1:]]
    sources += [(f"R{cell}", card) for cell, card in enumerate(at["reserve"]) if card]
    for source, card in sources:
        for target in goals(sheet, at, card):
            yield source, target, 1


def goals(sheet: RuleSheet, at: dict, card: str) -> list[str]:
    """List where a single available card that is not in a column may go."""
    columns = [*targets(sheet, at, card), *spaces(sheet, at, card)]
    home = ["F"] if foundation_takes(sheet, at, card) else []
    return home + [f"T{column}" for column in columns]


def take_backs(sheet: RuleSheet, at: dict) -> Iterator[Move]:
    """List foundation cards that may return to a column (Pantagruel 2.9, Card Reversal Rule).

    The top of any of a suit's foundations may; Aces that were dealt there stay.
    """
    if not sheet.foundations.take_back:
        return
    lowest = 2 if sheet.foundations.aces_dealt else 1
    for card, rank in RANK.items():
        if rank >= lowest and rank in at["foundations"].get(card[1], ()):
            for target in [*targets(sheet, at, card), *spaces(sheet, at, card)]:
                yield f"F{card[1]}", f"T{target}", 1


def stock_moves(sheet: RuleSheet, at: dict) -> Iterator[Move]:
    """List the draw or the redeal; the last draw of a pass takes what is left."""
    if at["stock"]:
        yield "stock", "W", min(sheet.stock.draw, len(at["stock"]))
    elif at["waste"] and pass_left(sheet, at):
        yield "stock", "redeal", len(at["waste"])


def pass_left(sheet: RuleSheet, at: dict) -> bool:
    """Tell whether the waste may be turned over once more: n redeals make n + 1 passes."""
    if sheet.stock is None:
        return False
    return sheet.stock.redeals == UNLIMITED or at["passes"] <= sheet.stock.redeals


def liftable(sheet: RuleSheet, column: list[str]) -> int:
    """Count the cards of a column that can be lifted together.

    A single card where the game lifts no groups; never a face-down card; never a King in a game
    where Kings leave (RULINGS, Big Bertha).
    """
    suits = sheet.tableau.lift
    if not column or (sheet.foundations.kings_leave and is_king(sheet, column[-1])):
        return 0
    count = 1
    while suits is not None and count < len(column):
        lower, upper = column[-count], column[-count - 1]
        if face_down(upper) or not builds(lower, upper, suits):
            break
        if sheet.foundations.kings_leave and is_king(sheet, upper):
            break
        count += 1
    return count


def targets(sheet: RuleSheet, at: dict, head: str) -> list[int]:
    """List the columns whose top card takes a group with this head."""
    wanted = RANK[head] + 1
    return [
        number
        for number, column in enumerate(at["tableau"])
        if column and RANK[column[-1]] == wanted and builds(head, column[-1], sheet.tableau.build)
    ]


def spaces(sheet: RuleSheet, at: dict, head: str) -> list[int]:
    """List the empty column that takes a group with this head: the leftmost, or none."""
    if sheet.tableau.space is Space.KING and not is_king(sheet, head):
        return []
    return [number for number, column in enumerate(at["tableau"]) if not column][:1]


def foundation_takes(sheet: RuleSheet, at: dict, card: str) -> bool:
    """Tell whether a card goes on one of its suit's foundations: on the next lower rank."""
    rank = RANK[card]
    return rank <= last_rank(sheet) and rank - 1 in at["foundations"][card[1]]


def won(sheet: RuleSheet, at: dict) -> bool:
    """Tell whether every foundation is complete, and every King has left where Kings leave."""
    kings = sheet.decks * sheet.suits if sheet.foundations.kings_leave else 0
    heights = [height for suit in suits_of(sheet) for height in at["foundations"][suit]]
    return at["kings"] == kings and all(height == last_rank(sheet) for height in heights)


def dead(sheet: RuleSheet, at: dict, moves: list[Move]) -> bool:
    """Tell whether only draws and redeals are left and none can bring a card with a legal play.

    A King that would leave from the waste counts as a play: it changes the foundations.
    """
    if not moves or any(source != "stock" for source, _, _ in moves):
        return False
    return not any(playable(sheet, at, card) for card in set(reachable(sheet, at)))


def playable(sheet: RuleSheet, at: dict, card: str) -> bool:
    """Tell whether a card would have a play as the top of the waste."""
    leaves = sheet.foundations.kings_leave and is_king(sheet, card)
    return leaves or bool(goals(sheet, at, card))


def reachable(sheet: RuleSheet, at: dict) -> list[str]:
    """List what draws alone could bring to the top of the waste, in this pass and the next."""
    to_come = at["stock"][::-1]
    shown = stops(to_come, sheet.stock.draw)
    if pass_left(sheet, at):
        shown += stops(at["waste"] + to_come, sheet.stock.draw)
    return shown


def stops(to_come: list[str], draw: int) -> list[str]:
    """List the cards on which draws end: every draw-th and the last."""
    ends = to_come[draw - 1 :: draw]
    return ends if len(to_come) % draw == 0 else [*ends, to_come[-1]]
