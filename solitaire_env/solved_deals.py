"""What is known of the deals for evaluation, by the solver and by wins: a small table a variant."""

import json
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from solitaire_env.envs.registration import find_sheet
from solitaire_env.records import rules_digest
from solitaire_env.rulesheet import RuleSheet

if TYPE_CHECKING:
    from solitaire_env.replay import Replay

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

FOLDER: Final = Path(__file__).parent / "data" / "known_deals"
STATUSES: Final = ("untried", "solved", "refuted", "unknown")
"""What may be known of a deal, by its code; "unknown" reached a limit."""


@dataclass(frozen=True)
class KnownDeals:
    """What is known of deals 0..D-1 of a variant, all cards known.

    Attributes:
        variant: the rule sheet's name.
        statuses: (D,) uint8, index into `STATUSES`.
        lengths: (D,) int64, moves of the shortest win that was found, 0 where none was.
        limits: that an unknown deal reached: "max_nodes", "max_bytes".
    """

    variant: str
    statuses: npt.NDArray[np.uint8]
    lengths: IntArray
    limits: Mapping[str, int]

    def are(self, status: str, deals: IntArray) -> BoolArray:
        """Tell which deals have a status; none beyond the table."""
        inside = (deals >= 0) & (deals < len(self.statuses))
        return inside & (self.statuses[deals * inside] == STATUSES.index(status))

    def __str__(self) -> str:
        """Write a line."""
        counts = Counter(STATUSES[code] for code in self.statuses.tolist())
        found = ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
        lengths = self.lengths[self.lengths > 0]
        moves = f"; wins of {lengths.min()} to {lengths.max()} moves" if len(lengths) else ""
        limits = ", ".join(f"{name} {value:,}" for name, value in self.limits.items())
        return f"{self.variant}: {found} ({limits}){moves}"


def known_deals(variant: str) -> KnownDeals:
    """Give what the package knows of a variant's evaluation deals.

    Raises:
        ValueError: for an unknown variant, one without a table, or one whose rules have changed.

    >>> bool(known_deals("arabella").are("solved", np.array([0]))[0])
    True
    """
    sheet = find_sheet(variant)
    if not has_table(variant):
        raise ValueError(f"no deals of {sheet.name} are known: solve some, then pack them")
    return _read(table_path(sheet.name), sheet)


def has_table(variant: str) -> bool:
    """Tell whether the package has a table of a variant's evaluation deals."""
    return table_path(variant).is_file()


def are_winnable(variant: str, deals: IntArray) -> BoolArray:
    """Tell which deals are known to be winnable; with a warning none, where the rules changed."""
    none = np.zeros(len(deals), np.bool_)
    if not has_table(variant):
        return none
    try:
        return known_deals(variant).are("solved", deals)
    except ValueError as error:
        warnings.warn(str(error), stacklevel=2)
        return none


def table_path(variant: str) -> Path:
    """Give the file of a variant's evaluation deals, there or not."""
    return FOLDER / f"{variant}.npz"


def _read(path: Path, sheet: RuleSheet) -> KnownDeals:
    with np.load(path) as table:
        about = json.loads(str(table["about"]))
        if about["rules"] != rules_digest(sheet):
            raise ValueError(f"the known deals of {sheet.name} were solved under other rules")
        lengths = table["lengths"].astype(np.int64)
        return KnownDeals(sheet.name, table["statuses"], lengths, about["limits"])


def pack_known_deals(records: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Add verdicts that `solve_deals` gave to a variant's table, or begin one.

    What the table knows better stays: a win, and a shorter one.

    Raises:
        ValueError: for verdicts of several variants or limits, or none, and for one that can't be;
            if the table was made under other rules or limits; or if a deal is solved and refuted.
    """
    verdicts = list(records)
    for verdict in verdicts:
        _check(verdict)
    about = {(v["variant"], v["max_nodes"], v["max_bytes"]) for v in verdicts}
    if len(about) != 1:
        raise ValueError(
            f"verdicts are of {sorted(about)}, accepted is one variant under one limit"
        )
    variant, nodes, size = about.pop()
    limits = {"max_nodes": nodes, "max_bytes": size}
    count = max(verdict["deal"] for verdict in verdicts) + 1
    known = _room(path, find_sheet(variant), limits, count)
    for verdict in verdicts:
        _learn(known, verdict["deal"], verdict["status"], verdict["length"])
    _write(path, known)


def _check(verdict: Mapping[str, Any]) -> None:
    """Raise ValueError unless a verdict is of a deal for evaluation, its length that of a win."""
    from solitaire_env.engine.generator import FIRST_TRAINING_DEAL
    from solitaire_env.envs.options import whole_number

    whole_number("deal", verdict["deal"], 0, FIRST_TRAINING_DEAL - 1)
    least, most = (1, 2**31) if verdict["status"] == "solved" else (0, 0)
    whole_number(f"length of a deal that is {verdict['status']}", verdict["length"], least, most)


def add_wins(games: "Iterable[Replay]", path: Path) -> None:
    """Better a variant's table by games that players won: each proves its deal, and may be shorter.

    Games beyond the table and games that were not won tell nothing.

    Args:
        games: played again, move by move, before they are believed.
        path: of the table.

    Raises:
        ValueError: for a game of another variant or other rules, one that does not go as it was
            recorded, and one that wins a refuted deal.
    """
    from solitaire_env.envs.options import check_deal

    sheet = find_sheet(path.stem)
    known = _read(path, sheet)
    for game in games:
        name = game.record["variant"]
        if name != sheet.name:
            raise ValueError(f"a game is of {name}, the table of {sheet.name}")
        deal = check_deal(game.record.get("deal", len(known.statuses)))
        if deal < len(known.statuses) and game.steps[-1].outcome == "won":
            _learn(known, deal, "solved", len(game.actions))
    _write(path, known)


def _learn(known: KnownDeals, deal: int, status: str, length: int) -> None:
    """Note what was found of a deal, in place, unless more is known."""
    before = STATUSES[known.statuses[deal]]
    if {before, status} == {"solved", "refuted"}:
        raise ValueError(f"deal {deal} of {known.variant} was {before}, and is {status} now")
    if before == "solved" and (status != "solved" or length >= known.lengths[deal]):
        return
    if before == "refuted" and status == "unknown":
        return
    known.statuses[deal], known.lengths[deal] = STATUSES.index(status), length


def _write(path: Path, known: KnownDeals) -> None:
    told = {"rules": rules_digest(find_sheet(known.variant)), "limits": dict(known.limits)}
    lengths = np.minimum(known.lengths, np.iinfo(np.uint16).max).astype(np.uint16)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, statuses=known.statuses, lengths=lengths, about=json.dumps(told))


def _room(path: Path, sheet: RuleSheet, limits: Mapping[str, int], count: int) -> KnownDeals:
    """Make room for so many deals at least, filled with what the table at `path` says.

    Raises:
        ValueError: if it was made under other limits or rules.
    """
    if not path.is_file():
        return KnownDeals(sheet.name, np.zeros(count, np.uint8), np.zeros(count, np.int64), limits)
    known = _read(path, sheet)
    if known.limits != limits:
        raise ValueError(f"{path.name} was made under {known.limits}, the verdicts under {limits}")
    more = (0, max(0, count - len(known.statuses)))
    return replace(
        known, statuses=np.pad(known.statuses, more), lengths=np.pad(known.lengths, more)
    )
