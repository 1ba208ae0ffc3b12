"""The results table: `python -m agents.results` plays what is missing, and writes it as CSV.

Its rows are in configs/results.toml. What was played is kept a file a row, so that the same command
goes on where it was interrupted; under other rules, weights or networks a row is played anew. Lines
of the table that were not asked for stay, as long as a row's command is theirs.
"""

import argparse
import csv
import json
import time
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from agents import network_path
from agents.registry import load_agent
from solitaire_env import VARIANTS, known_deals
from solitaire_env.deal_lists import read_deals
from solitaire_env.evaluation import Policy, evaluate
from solitaire_env.records import rules_digest
from solitaire_env.statistics import wilson_interval

ROWS: Final = Path("configs/results.toml")
TABLE: Final = Path("docs/results.csv")

SOLVER: Final = "solver"
"""The player that sees all cards."""

COLUMNS: Final = (
    "variant",
    "player",
    "deals",
    "won",
    "rate_low",
    "rate_high",
    "winnable_won",
    "foundation_cards",
    "score",
    "moves",
    "seconds",
    "command",
)
"""What is told of a row: counts, 95 % Wilson interval, means a game, and processor time a game."""


@dataclass(frozen=True)
class Row:
    """A player of a variant.

    Attributes:
        variant: a rule sheet's name.
        player: what the table calls it.
        agent: see `agents.registry.load_agent`.
        deals: see `deal_lists.read_deals`.
        options: for the agent.
    """

    variant: str
    player: str
    agent: str
    deals: str = "test"
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def command(self) -> str:
        """Give the command line that plays the row alone."""
        words = ["python -m agents.evaluate", f"--agent {self.agent}", f"--variant {self.variant}"]
        words += [f"--deals {self.deals}"]
        return " ".join(words + [f"--{name} {value}" for name, value in self.options.items()])

    def told(self, folder: Path) -> dict[str, Any]:
        """Give what is told of the row, by its column: played now, or read from a folder."""
        path = folder / f"{self.variant}-{self.player}.json"
        kept = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        if any(kept.get(name) != value for name, value in self.identity().items()):
            kept = self._play()
            path.write_text(json.dumps(kept) + "\n", encoding="utf-8")
        rate = {"rate_low": kept["wilson_low"], "rate_high": kept["wilson_high"]}
        own = {"player": self.player, "won": kept["wins"], **rate}
        return {name: own.get(name, kept.get(name)) for name in COLUMNS}

    def identity(self) -> dict[str, str]:
        """Tell what makes a row this one: its command, the rules, and the player's own files."""
        own = [ROWS.parent / f"{self.variant}.toml"]
        if self.agent.startswith("ppo"):
            own.append(network_path(self.variant))
        content = b"".join(path.read_bytes() for path in own)
        rules = rules_digest(VARIANTS[self.variant])
        return {"command": self.command, "rules": rules, "player_hash": sha256(content).hexdigest()}

    def _play(self) -> dict[str, Any]:
        """Play the row's deals; as JSON can hold it, with identity and processor time a game."""
        deals = read_deals(self.deals)
        # A first game has all compiled, so that its cost is no row's.
        evaluate(self._player(), self.variant, deals[:1])
        player = self._player()
        began = time.process_time()
        played = evaluate(player, self.variant, deals, name=self.player)
        seconds = (time.process_time() - began) / len(deals)
        told = {"options": dict(self.options), "seconds": seconds}
        return {**played.to_json(), **told, **self.identity()}

    def _player(self) -> Policy:
        return load_agent(self.agent, self.variant, **self.options)


def read_rows(path: Path) -> list[Row]:
    """Read the rows of a TOML file, each for all variants, with what differs for some of them.

    Raises:
        ValueError: for a file that is missing or says something else.
    """
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))["rows"]
        parts = [(row.pop("only", VARIANTS), row.pop("variants", {}), row) for row in told]
        return [
            Row(variant, **{**row, **differs.get(variant, {})})
            for variant in VARIANTS
            for only, differs, row in parts
            if variant in only
        ]
    except (OSError, KeyError, TypeError, AttributeError, tomllib.TOMLDecodeError) as error:
        raise ValueError(f"{path} tells no rows of the table: {error}") from None


def solver_row(variant: str) -> dict[str, Any]:
    """Tell of the solver, which sees all cards, what the package knows."""
    known = known_deals(variant)
    count, won = len(known.statuses), int((known.lengths > 0).sum())
    low, high = wilson_interval(won, count)
    told = {"player": SOLVER, "deals": count, "won": won, "rate_low": low, "rate_high": high}
    told |= {"variant": variant, "moves": known.lengths.sum() / max(won, 1)}
    told |= {"command": _solver_command(variant)}
    return {name: told.get(name) for name in COLUMNS}


def _solver_command(variant: str) -> str:
    return f"solitaire-env known {variant}"


def renew_table(path: Path, lines: Iterable[Mapping[str, Any]], rows: Sequence[Row]) -> None:
    """Put lines into a table, among those of other rows that it has already.

    Args:
        path: of the table; made if need be.
        lines: what is told, by column.
        rows: all that the table may have, in its order; and the solver's.
    """
    players = [*dict.fromkeys(row.player for row in rows), SOLVER]
    known = {row.command for row in rows} | {_solver_command(row.variant) for row in rows}
    old = [line for line in _read_table(path) if line["command"] in known]
    table = {(line["variant"], line["player"]): line for line in [*old, *lines]}
    order = sorted(table, key=lambda key: (list(VARIANTS).index(key[0]), players.index(key[1])))
    _write_table([table[key] for key in order], path)


def _read_table(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _write_table(lines: Iterable[Mapping[str, Any]], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for line in lines:
            writer.writerow({name: _text(value) for name, value in line.items()})


def _text(value: Any) -> Any:
    return f"{value:.8g}" if isinstance(value, float) else value


def main(arguments: list[str] | None = None) -> None:
    """Play, and write the table, as the command line says."""
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        rows = read_rows(given.rows)
        wanted = _wanted(rows, given.variants or list(VARIANTS), given.players)
        given.folder.mkdir(parents=True, exist_ok=True)
        lines = [row.told(given.folder) for row in wanted]
        lines += [solver_row(variant) for variant in dict.fromkeys(row.variant for row in wanted)]
        renew_table(given.out, lines, rows)
    except (ValueError, ImportError, OSError) as error:
        parser.error(str(error))
    print(f"{len(lines)} rows: {given.out}")


def _wanted(
    rows: Sequence[Row], variants: Sequence[str], players: Sequence[str] | None
) -> list[Row]:
    """Choose rows; ValueError for a player that none of these has."""
    those = [row for row in rows if row.variant in variants]
    known = list(dict.fromkeys(row.player for row in those))
    for player in players or ():
        if player not in known:
            raise ValueError(f"player is {player!r}, accepted are {', '.join(known)}")
    return [row for row in those if players is None or row.player in players]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m agents.results",
        description="Play rows of the results table that the folder lacks, and write them.",
        epilog="example: python -m agents.results --variants san-juan-hill --players greedy ppo",
    )
    parser.add_argument("--rows", type=Path, default=ROWS, help=f"TOML file (default: {ROWS})")
    parser.add_argument("--variants", nargs="+", choices=list(VARIANTS), help="default: all")
    parser.add_argument("--players", nargs="+", metavar="NAME", help="default: all")
    parser.add_argument(
        "--folder", type=Path, default=Path("runs/results"), help="of what was played"
    )
    parser.add_argument("--out", type=Path, default=TABLE, help=f"CSV file (default: {TABLE})")
    return parser


if __name__ == "__main__":
    main()
