"""What is decided where a rule text is silent, ambiguous or at odds with itself, and why."""

from collections.abc import Callable
from dataclasses import dataclass

from solitaire_env.rulesheet import FaceUp, RuleSheet, Space


@dataclass(frozen=True)
class Ruling:
    """One decision, its reason, and the sheets that it touches."""

    title: str
    rule: str
    reason: str
    applies: Callable[[RuleSheet], bool]


def _always(sheet: RuleSheet) -> bool:
    return True


def _has_stock(sheet: RuleSheet) -> bool:
    return sheet.stock is not None


def _has_redeals(sheet: RuleSheet) -> bool:
    return sheet.redeals != 0


def _limits_redeals(sheet: RuleSheet) -> bool:
    return sheet.redeals > 0


def _lifts_runs(sheet: RuleSheet) -> bool:
    return sheet.tableau.lift is not None


RULINGS: tuple[Ruling, ...] = (
    Ruling(
        "Copies of a card",
        "The copies of a card that several decks bring are interchangeable. A suit has one "
        "foundation a deck, and a card joins the first of them that waits for its rank.",
        "No player can tell twins apart, and which of two equal foundations is built first changes "
        "nothing that can be played later.",
        lambda sheet: sheet.decks > 1,
    ),
    Ruling(
        "Renaming moves are not moves",
        "A whole column never moves to an empty one, and of several empty columns only the "
        "leftmost is a target.",
        "Such moves change the names of columns and nothing else; were they legal, a game without "
        "any real move would never be over.",
        _always,
    ),
    Ruling(
        "Groups",
        "Any number of cards off the top of a run that may be lifted moves at once, as long as its "
        "head fits; the number of empty columns does not limit it.",
        "A run is lifted as a unit at the table. Limits by free spaces belong to games that move "
        "single cards and only abbreviate.",
        _lifts_runs,
    ),
    Ruling(
        "Single cards",
        "Only a column's top card moves, built run or not.",
        "The text forbids moving a sequence as a block.",
        lambda sheet: not _lifts_runs(sheet),
    ),
    Ruling(
        "Building and lifting",
        "Cards may be built in more ways than they may be lifted: a card that fits by the looser "
        "rule stays, but the run that moves together ends there.",
        "The text states the two relations separately.",
        lambda sheet: _lifts_runs(sheet) and sheet.tableau.lift != sheet.tableau.build,
    ),
    Ruling(
        "Ace on Two",
        "An Ace may be built on a Two like any next lower rank.",
        "Examples that stop at Two show what is useful; no text forbids the last step.",
        lambda sheet: not sheet.foundations.aces_dealt,
    ),
    Ruling(
        "Aces",
        "All Aces are on their foundations before the first move, and are not part of the shuffle.",
        "The text deals one to each foundation.",
        lambda sheet: sheet.foundations.aces_dealt,
    ),
    Ruling(
        "Kings leave by themselves",
        "A King that becomes available, on top of a column or in the reserve, goes to the King "
        "pile as part of the deal or of the move that freed it. So no King is ever played to a "
        "column, nor a group that one heads.",
        "The text wants Kings gone as soon as they are available and bars them from the tableau; "
        "that overrides the word that any card may fill a space.",
        lambda sheet: sheet.foundations.kings_leave,
    ),
    Ruling(
        "Empty columns",
        "The player chooses how many cards of a run go into an empty column.",
        "On a card the fitting rank fixes the number; a space fixes nothing.",
        lambda sheet: sheet.choose_group,
    ),
    Ruling(
        "Kings only",
        "An empty column takes a King, or a group headed by one, from wherever a card may move.",
        "The text names the card and not where it comes from.",
        lambda sheet: sheet.tableau.space is Space.KING,
    ),
    Ruling(
        "Reserve",
        "Reserve cards move singly, each at any time, and their places are never refilled.",
        "Lying side by side they form no run, and there is nothing to refill them from.",
        lambda sheet: sheet.reserve > 0,
    ),
    Ruling(
        "Drawing",
        "A draw is legal as long as the stock has cards, other moves or not.",
        "Where a text sends the player to the stock when stuck, it gives advice: whether a better "
        "move exists is for the player to judge.",
        _has_stock,
    ),
    Ruling(
        "The last draw",
        "The last draw of a pass takes the cards that are left, even fewer than usual.",
        "Otherwise the last cards could never be reached.",
        lambda sheet: sheet.draw > 1,
    ),
    Ruling(
        "Redeal",
        "With the stock empty and cards in the waste, turning the waste over is an action of its "
        "own. The order stays, and nothing is drawn by it.",
        "A player may still prefer a move on the table at that moment.",
        _has_redeals,
    ),
    Ruling(
        "Passes",
        "A pass is one trip through the stock, so a game of n redeals has n + 1 passes.",
        "Texts count sometimes the one and sometimes the other.",
        _limits_redeals,
    ),
    Ruling(
        "Seen cards",
        "A drawn card is shown even when it lies under others, and in a second pass the whole "
        "order of the stock is shown.",
        "A careful player remembers it, and memory should not be what an agent is tested on.",
        _has_stock,
    ),
    Ruling(
        "Face-down cards",
        "A face-down card never moves; one that becomes a column's top is turned up by the same "
        "move, and stays so.",
        "Turning it up is no decision.",
        lambda sheet: sheet.tableau.face_up is FaceUp.TOP,
    ),
    Ruling(
        "To the foundation",
        "A built run goes up card by card, each a move.",
        "Every card must fit its foundation by itself.",
        _lifts_runs,
    ),
    Ruling(
        "Take back",
        "The top card of a foundation may return to a column where it fits. Suit and column name "
        "the move: the column says which rank. Nothing moves between foundations.",
        "Only this game's text allows it. A suit's equal ranks are twins, so no more need be said.",
        lambda sheet: sheet.foundations.take_back,
    ),
    Ruling(
        "No taking back",
        "A card on a foundation stays there.",
        "Taking back is for the games whose text allows it.",
        lambda sheet: not sheet.foundations.take_back,
    ),
    Ruling(
        "Moves",
        "Every legal action counts, draws and redeals included. An illegal one changes no counter, "
        "streak or clock.",
        "Two players' figures compare only when the same things are counted.",
        _always,
    ),
    Ruling(
        "The end",
        "After each step, in this order: won (all foundations complete), stuck (no legal move), "
        "dead, no progress. A fresh deal without a move ends as stuck at its first step.",
        "A winning move must win even where nothing could follow it.",
        _always,
    ),
    Ruling(
        "Dead",
        "A game is dead when only draws and redeals are left and no card that they can still bring "
        "to the top of the waste has a play. It is decided from the full position.",
        "Drawing on could change nothing; the result is the text's, only earlier.",
        _has_stock,
    ),
    Ruling(
        "Endless shuffling",
        "Steps without progress are limited, and so are steps in all; both cuts truncate the "
        "episode. Progress is a new maximum of foundation cards, a card uncovered, a reserve or "
        "waste card played, or a draw on a pass that cannot come again.",
        "Reversible moves could go on for ever. The game itself has not ended, so a learner should "
        "not be told that it has.",
        _always,
    ),
    Ruling(
        "A given position",
        "A position handed to `reset` must be possible and still open: one already won or stuck is "
        "refused, a dead one ends at its first step.",
        "An episode needs a first move.",
        _always,
    ),
    Ruling(
        "Points",
        "Points have no floor, and no loop of moves gains any.",
        "The text names none, and a floor would make penalties free.",
        _always,
    ),
    Ruling(
        "Time bonus",
        "A win in t < 600 seconds earns 600 - t points, rounded down; t is the number of moves "
        "times `seconds_per_move`.",
        "The text leaves the amount open, and a result must not depend on how fast a machine is.",
        _always,
    ),
    Ruling(
        "Streak",
        "With `streaks=True` the n-th foundation move in a row earns 10 + min(n - 1, 10) points. "
        "Only a new maximum of foundation cards extends a streak.",
        "The text praises streaks and leaves them out of its ledger, so they are off at first; "
        "taking back and playing again must not feed them.",
        _always,
    ),
)
"""All rulings, in the order in which a rule page states them."""


def rulings_for(sheet: RuleSheet) -> list[Ruling]:
    """List the rulings that touch a game."""
    return [ruling for ruling in RULINGS if ruling.applies(sheet)]
