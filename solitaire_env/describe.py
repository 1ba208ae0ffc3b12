"""A rule sheet in English: the page of rules that a person reads, as Markdown."""

from collections.abc import Iterable
from itertools import accumulate
from typing import Final, NamedTuple

from solitaire_env.rulesheet import UNLIMITED, Deal, FaceUp, RuleSheet, Space, Suits
from solitaire_env.rulings import Ruling, rulings_for

NAMESPACE: Final = "solitaire_env"
RANK_NAMES: Final = ("Ace", *map(str, range(2, 11)), "Jack", "Queen", "King")

BUILD: Final = {
    Suits.ANY: "of any suit",
    Suits.SAME: "of the same suit",
    Suits.ALTERNATE_COLOR: "of the other colour",
}
LIFT: Final = {
    None: "Cards move singly.",
    Suits.ANY: "A descending run moves as one, whatever its suits.",
    Suits.SAME: "A descending run of one suit moves as one.",
    Suits.ALTERNATE_COLOR: "A descending run of alternating colours moves as one.",
}
SPACE: Final = {
    Space.ANY: ("any card that may move", "or any run that may be lifted"),
    Space.KING: ("a King", "or a run headed by one"),
}
"""What an empty column takes: a card, and a run where runs are lifted."""
FACE_UP: Final = {
    FaceUp.ALL: "all face up",
    FaceUp.TOP: "the top card of each face up, the others face down",
}


class Overview(NamedTuple):
    """A game in one row of a table."""

    id: str
    decks: int
    columns: int
    reserve: int
    stock: str
    actions: int


class ActionGroup(NamedTuple):
    """Actions of one kind, and how many there are."""

    meaning: str
    size: int


def environment_id(sheet: RuleSheet) -> str:
    """Name the environment of a sheet, as `gymnasium.make` wants it."""
    return f"{NAMESPACE}/{sheet.camel_name}-v0"


def overview(sheet: RuleSheet) -> Overview:
    """Summarise a sheet for a table of environments."""
    return Overview(
        id=environment_id(sheet),
        decks=sheet.decks,
        columns=sheet.tableau.piles,
        reserve=sheet.reserve,
        stock=_stock_short(sheet),
        actions=sum(group.size for group in action_groups(sheet)),
    )


def action_groups(sheet: RuleSheet) -> list[ActionGroup]:
    """List the kinds of action that a sheet has, in the order of their numbers."""
    piles, stock, takes_back = sheet.tableau.piles, sheet.draw > 0, sheet.foundations.take_back
    groups = [
        ActionGroup("column to column; a column aimed at itself: to the foundation", piles * piles),
        ActionGroup("waste to column", stock * piles),
        ActionGroup("reserve card to column", sheet.reserve * piles),
        ActionGroup("foundation of a suit back to column", takes_back * sheet.suits * piles),
        ActionGroup("waste to the foundation", int(stock)),
        ActionGroup("reserve card to the foundation", sheet.reserve),
        ActionGroup("the top n cards of a column into an empty one", _space_actions(sheet)),
        ActionGroup(_stock_action(sheet), int(stock)),
    ]
    return [group for group in groups if group.size]


def rule_page(sheet: RuleSheet) -> str:
    """Write a game's whole page of rules in Markdown."""
    sections = (
        f"# {sheet.title}",
        f"Environment `{environment_id(sheet)}`, written from the {sheet.source}.",
        markdown_table(("", ""), _facts(sheet)),
        f"## Aim\n\n{_aim(sheet)}",
        f"## Rules\n\n{_bullets(_rules(sheet))}",
        f"## Rulings\n\n{_bullets(map(ruling_text, rulings_for(sheet)))}",
        f"## Points\n\n{markdown_table(('Event', 'Points'), _points(sheet))}",
        f"## Actions\n\n{_action_table(sheet)}",
    )
    return "\n\n".join(sections) + "\n"


def ruling_text(ruling: Ruling) -> str:
    """Write a ruling and its reason as one paragraph of Markdown."""
    return f"**{ruling.title}.** {ruling.rule} *Why:* {ruling.reason}"


def markdown_table(header: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Write a table in Markdown.

    >>> print(markdown_table(("Card", "Rank"), [("AS", 1)]))
    | Card | Rank |
    |---|---|
    | AS | 1 |
    """
    names = list(header)
    lines = [names, *rows]
    written = ["| " + " | ".join(map(str, line)) + " |" for line in lines]
    return "\n".join([written[0], "|" + "---|" * len(names), *written[1:]])


def rank_name(rank: int, sheet: RuleSheet) -> str:
    """Name a rank in words: the highest of a sheet is its King."""
    return RANK_NAMES[-1] if rank == sheet.king else RANK_NAMES[rank - 1]


def count_of(number: int, noun: str) -> str:
    """Write a number with its noun.

    >>> count_of(1, "deck"), count_of(2, "deck")
    ('1 deck', '2 decks')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _space_actions(sheet: RuleSheet) -> int:
    if not sheet.choose_group:
        return 0
    return sheet.tableau.piles * (sheet.ranks - sheet.foundations.kings_leave)


def _stock_action(sheet: RuleSheet) -> str:
    return "draw, or redeal when the stock is empty" if sheet.redeals else "draw"


def _stock_short(sheet: RuleSheet) -> str:
    if sheet.stock is None:
        return "none"
    redeals = "unlimited" if sheet.redeals == UNLIMITED else sheet.redeals or "no"
    noun = "redeal" if sheet.redeals == 1 else "redeals"
    return f"{sheet.stock_cards} cards, draw {sheet.draw}, {redeals} {noun}"


def _facts(sheet: RuleSheet) -> list[tuple[str, object]]:
    pack = sheet.suits * sheet.ranks
    facts: list[tuple[str, object]] = [
        ("Cards", f"{sheet.cards}: {count_of(sheet.decks, 'deck')} of {pack}"),
        ("Columns", f"{sheet.tableau.piles}, {_deal(sheet)}, {FACE_UP[sheet.tableau.face_up]}"),
        ("Reserve", sheet.reserve or "none"),
        ("Foundations", _foundation_count(sheet)),
        ("Stock", _stock_short(sheet)),
        ("Actions", overview(sheet).actions),
        ("Step limit", sheet.limits.episode_steps),
        ("Steps without progress, at most", sheet.limits.no_progress),
    ]
    return facts


def _deal(sheet: RuleSheet) -> str:
    if sheet.tableau.deal is Deal.TRIANGLE:
        return f"of 1 to {sheet.tableau.piles} cards"
    return f"of {count_of(sheet.tableau.rows, 'card')} each"


def _foundation_count(sheet: RuleSheet) -> str:
    count = f"{sheet.suits * sheet.piles_per_suit}, {sheet.piles_per_suit} a suit"
    return f"{count}, and one for all Kings" if sheet.foundations.kings_leave else count


def _aim(sheet: RuleSheet) -> str:
    aim = f"Bring all {sheet.cards} cards to the foundations."
    return f"{aim} The winner may be called {sheet.honour}." if sheet.honour else aim


def _rules(sheet: RuleSheet) -> list[str]:
    return [
        _foundation_rule(sheet),
        f"**Building.** A card goes on a column's top card of the next higher rank "
        f"{BUILD[sheet.tableau.build]}.",
        f"**Lifting.** {LIFT[sheet.tableau.lift]}",
        f"**Spaces.** {_space_rule(sheet)}",
        *_special_rules(sheet),
        *_stock_rules(sheet),
    ]


def _space_rule(sheet: RuleSheet) -> str:
    card, run = SPACE[sheet.tableau.space]
    takes = card if sheet.tableau.lift is None else f"{card}, {run}"
    return f"An empty column takes {takes}."


def _foundation_rule(sheet: RuleSheet) -> str:
    top = rank_name(sheet.foundation_top, sheet)
    start = "The Aces lie on them from the start." if sheet.foundations.aces_dealt else ""
    return f"**Foundations.** Each is built up in suit from Ace to {top}. {start}".rstrip()


def _special_rules(sheet: RuleSheet) -> list[str]:
    count = count_of(sheet.reserve, "card")
    rules = [
        (sheet.reserve, f"**Reserve.** {count} beside the columns, each free to be played."),
        (
            sheet.foundations.kings_leave,
            "**Kings.** A King that is free leaves at once to a pile of its own.",
        ),
        (
            sheet.foundations.take_back,
            "**Taking back.** A foundation's top card may return to a column where it fits.",
        ),
        (
            sheet.tableau.face_up is FaceUp.TOP,
            "**Turning up.** A face-down card that becomes a column's top is turned up.",
        ),
    ]
    return [rule for holds, rule in rules if holds]


def _stock_rules(sheet: RuleSheet) -> list[str]:
    if sheet.stock is None:
        return []
    drawn = count_of(sheet.draw, "card")
    return [
        f"**Stock.** A draw turns {drawn} to the waste, whose top card may be played.",
        f"**Redeal.** {_redeal_rule(sheet.redeals)}",
    ]


def _redeal_rule(redeals: int) -> str:
    if redeals == 0:
        return "The waste is never turned over."
    often = "any number of times" if redeals == UNLIMITED else count_of(redeals, "time")
    return f"An empty stock may be filled by turning the waste over, {often}."


def _points(sheet: RuleSheet) -> list[tuple[str, str]]:
    ledger = sheet.ledger
    events = [
        ("waste to tableau", ledger.waste_to_tableau, sheet.stock is not None),
        ("waste or tableau to foundation", ledger.to_foundation, True),
        ("face-down card uncovered", ledger.uncovered, sheet.tableau.face_up is FaceUp.TOP),
        ("foundation to tableau", ledger.taken_back, sheet.foundations.take_back),
        ("redeal", ledger.redeal, sheet.redeals != 0),
    ]
    points = [(event, f"{value:+d}") for event, value, possible in events if possible and value]
    return [*points, ("game won in t < 600 seconds", "600 - t, rounded down")]


def _action_table(sheet: RuleSheet) -> str:
    groups = action_groups(sheet)
    ends = list(accumulate(group.size for group in groups))
    rows = [
        (f"{end - group.size}..{end - 1}" if group.size > 1 else end - 1, group.meaning, group.size)
        for group, end in zip(groups, ends, strict=True)
    ]
    return markdown_table(("Numbers", "Action", "Count"), [*rows, ("", "all", ends[-1])])


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
