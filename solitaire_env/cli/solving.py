"""Commands that tell which deals can be won: solve, known."""

import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from solitaire_env.cli.common import Arguments, Commands, add_command, add_variant


def print_known(arguments: Arguments) -> None:
    """Print what is known of a variant's evaluation deals, or renew it first."""
    from solitaire_env.replay import Replay
    from solitaire_env.solved_deals import add_wins, known_deals, pack_known_deals, table_path
    from solitaire_env.solver.batch import check_wins, read_records

    if arguments.pack:
        records = read_records(arguments.pack)
        chosen = [record for (name, _), record in records.items() if name == arguments.variant]
        if not chosen:
            raise ValueError(f"{arguments.pack} has no verdict of {arguments.variant}")
        check_wins(chosen)
        pack_known_deals(chosen, table_path(arguments.variant))
    if arguments.wins:
        games = map(Replay.load, sorted(arguments.wins.iterdir()))
        add_wins(games, table_path(arguments.variant))
    print(known_deals(arguments.variant))


def print_solve(arguments: Arguments) -> None:
    """Say whether deals can be won, all cards known: solved, refuted or unknown.

    A win was played before it is told; a refutation has looked at every position; an unknown deal
    names its limit. With --deals the verdicts go to a file, and the same command goes on with it.
    """
    from solitaire_env.solver import solve

    _check_options(arguments)
    given = {name: getattr(arguments, name) for name in ("max_nodes", "max_bytes", "seed")}
    limits = {name: value for name, value in given.items() if value is not None}
    if arguments.deals is not None:
        _solve_many(arguments, limits)
        return
    deal = arguments.deal or 0
    verdict = solve(arguments.variant, deal=deal, **limits)
    if arguments.json:
        print(json.dumps({"variant": arguments.variant, "deal": deal, **verdict.to_json()}))
        return
    print(f"{arguments.variant} deal {deal}: {verdict}")
    if arguments.moves:
        print("\n".join(map(str, verdict.moves)))


def _check_options(arguments: Arguments) -> None:
    """Refuse what tells nothing of one deal, or of many."""
    many = arguments.deals is not None
    for name in ("json", "moves") if many else ("out", "jobs"):
        if getattr(arguments, name):
            raise ValueError(f"--{name} does not go with {'--deals' if many else '--deal'}")


def _solve_many(arguments: Arguments, limits: dict[str, int]) -> None:
    """Solve a range of deals into a file; print how many have which verdict."""
    from solitaire_env.deal_lists import read_deals
    from solitaire_env.solver import solve_deals

    if arguments.out is None:
        raise ValueError("--deals needs --out FILE, where the verdicts go")
    try:
        records = solve_deals(
            arguments.variant,
            read_deals(arguments.deals),
            Path(arguments.out),
            jobs=arguments.jobs,
            watch=_progress_bar,
            **limits,
        )
    except KeyboardInterrupt:
        raise ValueError("interrupted: the same command goes on") from None
    counts = Counter(record["status"] for record in records)
    said = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    print(f"{arguments.variant} deals {arguments.deals}: {said}")


def _progress_bar(records: Iterable[Any], total: int) -> Iterable[Any]:
    """Show a bar on standard error where tqdm is installed."""
    try:
        from tqdm import tqdm
    except ImportError:
        return records
    return tqdm(records, total=total, unit="deal", file=sys.stderr)


def add_solve(commands: Commands) -> None:
    """Add the command that solves."""
    solve = add_command(
        commands,
        print_solve,
        "solve",
        "say whether deals can be won",
        "solve big-bertha --deal 7",
    )
    add_variant(solve)
    which = solve.add_mutually_exclusive_group()
    which.add_argument(
        "--deal", type=int, metavar="N", help="number of the deal, from 0 (default: 0)"
    )
    which.add_argument("--deals", metavar="A:B", help="test, validation or A to B - 1, into --out")
    shown = solve.add_mutually_exclusive_group()
    shown.add_argument("--moves", action="store_true", help="print the moves of a win, a line each")
    shown.add_argument("--json", action="store_true", help="print the verdict as JSON, with moves")
    solve.add_argument("--out", metavar="FILE", help="JSON lines, a deal each; gone on with")
    solve.add_argument("--jobs", type=int, metavar="J", help="processes (default: one a core)")
    solve.add_argument(
        "--max-nodes",
        type=int,
        metavar="N",
        help="positions to look at, a deal (default: a million)",
    )
    solve.add_argument(
        "--max-bytes",
        type=int,
        metavar="B",
        help="memory of a deal's search (default: 400 MB)",
    )
    solve.add_argument(
        "--seed", type=int, default=0, metavar="S", help="other ways to search (default: 0)"
    )


def add_known(commands: Commands) -> None:
    """Add the command that tells what is known of the evaluation deals."""
    known = add_command(
        commands, print_known, "known", "tell which deals can be won", "known arabella"
    )
    add_variant(known)
    known.add_argument(
        "--pack", type=Path, metavar="FILE", help="renew the table from what `solve --out` wrote"
    )
    known.add_argument(
        "--wins", type=Path, metavar="FOLDER", help="better it by games that players won, recorded"
    )
