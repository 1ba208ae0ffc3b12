"""A rule sheet in English."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

import solitaire_env
from solitaire_env import VARIANTS, env_id
from solitaire_env.describe import (
    BUILD,
    FACE_UP,
    LIFT,
    SPACE,
    action_groups,
    environment_id,
    overview,
    rank_name,
    rule_page,
)
from solitaire_env.engine.actions import SPACE as INTO_SPACE
from solitaire_env.engine.actions import Action, action_table
from solitaire_env.engine.lowered import lower
from solitaire_env.notation import FOUNDATION, STOCK, WASTE
from solitaire_env.rulesheet import FaceUp, RuleSheet, Space, Stock, Suits
from solitaire_env.rulings import RULINGS, rulings_for

SHEETS = pytest.mark.parametrize("sheet", VARIANTS.values(), ids=list(VARIANTS))

PHRASES = {
    "san-juan-hill": (
        "from Ace to King. The Aces lie on them from the start.",
        "of the same suit",
        "Cards move singly.",
        "An empty column takes any card that may move.\n",
        "The waste is never turned over.",
    ),
    "arabella": (
        "13, of 1 to 13 cards, all face up",
        "of any suit",
        "A descending run of one suit moves as one.",
        "An empty column takes a King, or a run headed by one.\n",
    ),
    "big-bertha": (
        "from Ace to Queen",
        "An empty column takes any card that may move, or any run that may be lifted.\n",
        "of the other colour",
        "14 cards beside the columns",
        "leaves at once",
        "a pile of its own",
        "| Stock | none |",
    ),
    "pantagruel-turn1": ("any number of times", "may return to a column", "| redeal | -20 |"),
    "pantagruel-turn3": ("turns 3 cards", "Grand Solitaire Master of Pantagruel"),
    "pantagruel-tournament": ("turning the waste over, 3 times", "face down"),
    "pantagruel-royal": ("turning the waste over, 2 times", "A card on a foundation stays there"),
}


def kind_of(action: Action) -> str:
    """Name the group of actions that a number belongs to."""
    if action.source == STOCK:
        return "draw"
    if action.target == INTO_SPACE:
        return "the top n"
    source = {"T": "column", WASTE: "waste", "R": "reserve", FOUNDATION: "foundation"}
    target = " to the foundation" if action.target == FOUNDATION else ""
    own_action = target and action.source[0] != "T"
    return source[action.source[0]] + (target if own_action else "")


def described_kind(meaning: str) -> str:
    """Name the same group from its meaning in words."""
    card = meaning.split()[0].rstrip(",")
    if card in ("draw", "the"):
        return "draw" if card == "draw" else "the top n"
    own_action = card in ("waste", "reserve") and meaning.endswith("to the foundation")
    return card + (" to the foundation" if own_action else "")


@SHEETS
def test_action_groups_are_the_engines_table(sheet: RuleSheet) -> None:
    """The described actions are those of the engine, kind by kind and in their order."""
    described = [described_kind(g.meaning) for g in action_groups(sheet) for _ in range(g.size)]
    assert described == [kind_of(action) for action in action_table(lower(sheet))]


def test_number_of_actions() -> None:
    """The tables have the sizes that users train on."""
    sizes = {
        "san-juan-hill": 112,
        "arabella": 184,
        "big-bertha": 629,
        "pantagruel-turn1": 128,
        "pantagruel-turn3": 128,
        "pantagruel-tournament": 128,
        "pantagruel-royal": 92,
    }
    assert {name: overview(VARIANTS[name]).actions for name in sizes} == sizes


@SHEETS
def test_id_is_the_registered_one(sheet: RuleSheet) -> None:
    """A page names the environment that exists."""
    assert environment_id(sheet) == env_id(sheet)


def test_every_choice_has_a_phrase() -> None:
    """A new member of the vocabulary asks for its words."""
    assert set(BUILD) == set(Suits)
    assert set(LIFT) == {None, *Suits}
    assert set(SPACE) == set(Space)
    assert all(len(phrases) == 2 for phrases in SPACE.values())
    assert set(FACE_UP) == set(FaceUp)


@pytest.mark.parametrize("name", PHRASES)
def test_page_says_the_rules(name: str) -> None:
    """A page states what makes its game what it is."""
    page = rule_page(VARIANTS[name])
    missing = [phrase for phrase in PHRASES[name] if phrase not in page]
    assert not missing


@SHEETS
def test_no_run_is_spoken_of_where_cards_move_singly(sheet: RuleSheet) -> None:
    """A game's rules speak of runs, or groups, exactly where several cards move at once."""
    tableau = sheet.tableau
    for lift in {None, tableau.build}:
        page = rule_page(replace(sheet, tableau=replace(tableau, lift=lift)))
        assert ("run" in page.split("## Rulings")[0]) == (lift is not None)


@SHEETS
def test_page_states_each_ruling_once(sheet: RuleSheet) -> None:
    """Every ruling that touches the game is there, no other is."""
    page = rule_page(sheet)
    applying = rulings_for(sheet)
    assert [page.count(f"**{ruling.title}.** {ruling.rule}") for ruling in RULINGS] == [
        int(ruling in applying) for ruling in RULINGS
    ]


def test_every_ruling_touches_a_game() -> None:
    """No ruling is left over."""
    assert all(any(map(ruling.applies, VARIANTS.values())) for ruling in RULINGS)


def test_kings_leave_only_where_they_do() -> None:
    """A ruling follows the sheet, not the name."""
    for sheet in VARIANTS.values():
        told = any("Kings leave" in ruling.title for ruling in rulings_for(sheet))
        assert told == sheet.foundations.kings_leave


def test_small_decks_have_a_king() -> None:
    """The highest rank of a short deck is its King, whatever its number."""
    short = replace(VARIANTS["pantagruel-royal"], ranks=12, stock=Stock(draw=1, redeals=1))
    assert rank_name(12, short) == "King"
    assert rank_name(11, short) == "Jack"
    assert "from Ace to King" in rule_page(short)
    assert "1 redeal" in rule_page(short)
    assert "turning the waste over, 1 time." in rule_page(short)


def test_cited_rulings_exist() -> None:
    """A ruling that the engine names as its source is one that users can read."""
    engine = Path(solitaire_env.__file__).parent / "engine"
    texts = [path.read_text() for path in engine.glob("*.py")]
    cited = {title for text in texts for title in re.findall(r'rulings,\s+"([^"]+)"', text)}
    assert cited
    assert cited <= {ruling.title for ruling in RULINGS}
