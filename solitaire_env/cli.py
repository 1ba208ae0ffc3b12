"""The `solitaire-env` command: one function a subcommand."""

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import gymnasium as gym

from solitaire_env import VARIANTS
from solitaire_env.describe import environment_id, overview, rule_page
from solitaire_env.files import check_file
from solitaire_env.render.felts import DEFAULT_FELT, FELTS

if TYPE_CHECKING:
    from solitaire_env.bench.report import Report

BAD_INPUT = 2
"""Exit code for an argument that is not accepted, as argparse has it."""

INTERRUPTED = 130
"""Exit code after Control-C, as shells have it."""

_PIPED = ("--json", "--html")
"""Options for which "-" is standard output."""

Arguments = argparse.Namespace


class _Commands(Protocol):
    def add_parser(self, name: str, **kwargs: Any) -> argparse.ArgumentParser: ...


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code."""
    arguments = build_parser().parse_args(argv)
    if isinstance(sys.stdout, TextIOWrapper):  # an output that has no suits gets question marks
        sys.stdout.reconfigure(errors="replace")
    try:
        arguments.run(arguments)
        sys.stdout.flush()
    except (ValueError, ImportError) as error:
        print(f"solitaire-env {arguments.command}: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def build_parser() -> argparse.ArgumentParser:
    """Make the parser; a new command is one line here and one function below."""
    parser = argparse.ArgumentParser(
        prog="solitaire-env",
        description="Solitaire games as environments: what there is, by which rules, dealt how.",
        epilog="example: solitaire-env rules san-juan-hill",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add(commands, list_environments, "list", "list the environments", "list")
    rules = _add(commands, print_rules, "rules", "print a game's rules", "rules big-bertha")
    deal = _add(commands, print_deal, "deal", "print a dealt table", "deal arabella --deal 7")
    _add_variant(rules)
    _add_variant(deal)
    deal.add_argument(
        "--deal", type=int, default=0, metavar="N", help="number of the deal, from 0 (default: 0)"
    )
    deal.add_argument("--json", action="store_true", help="print the position as JSON")
    known = _add(commands, print_known, "known", "tell which deals can be won", "known arabella")
    _add_variant(known)
    known.add_argument(
        "--pack", type=Path, metavar="FILE", help="renew the table from what `solve --out` wrote"
    )
    _add_solve(commands)
    _add_watch(commands)
    _add_play(commands)
    _add_replay(commands)
    _add_bench(commands)
    return parser


def list_environments(arguments: Arguments) -> None:
    """Print a table of the environments."""
    rows = [(name, *overview(sheet)) for name, sheet in VARIANTS.items()]
    print(text_table(("variant", "id", "decks", "columns", "reserve", "stock", "actions"), rows))


def print_rules(arguments: Arguments) -> None:
    """Print a game's page of rules, as Markdown."""
    print(rule_page(VARIANTS[arguments.variant]), end="")


def print_deal(arguments: Arguments) -> None:
    """Print the table of a deal, drawn or as JSON."""
    env = gym.make(environment_id(VARIANTS[arguments.variant]), render_mode="ansi")
    env.reset(options={"deal": arguments.deal})
    if arguments.json:
        print(json.dumps(env.get_wrapper_attr("position")()))
    else:
        print(str(env.render()).rstrip())


def print_known(arguments: Arguments) -> None:
    """Print what is known of a variant's evaluation deals, or renew it first."""
    from solitaire_env.solved_deals import FOLDER, known_deals, pack_known_deals
    from solitaire_env.solver.batch import read_records

    if arguments.pack:
        records = read_records(arguments.pack)
        chosen = [record for (name, _), record in records.items() if name == arguments.variant]
        pack_known_deals(chosen, FOLDER / f"{arguments.variant}.npz")
    print(known_deals(arguments.variant))


def print_solve(arguments: Arguments) -> None:
    """Say whether deals can be won, all cards known: solved, refuted or unknown.

    A win was played before it is told; a refutation has looked at every position; an unknown deal
    names its limit. With --deals the verdicts go to a file, and the same command goes on with it.
    """
    from solitaire_env.solver import solve

    given = {name: getattr(arguments, name) for name in ("max_nodes", "max_bytes", "seed")}
    limits = {name: value for name, value in given.items() if value is not None}
    if arguments.deals is not None:
        _solve_many(arguments, limits)
        return
    verdict = solve(arguments.variant, deal=arguments.deal, **limits)
    if arguments.json:
        print(
            json.dumps({"variant": arguments.variant, "deal": arguments.deal, **verdict.to_json()})
        )
        return
    print(f"{arguments.variant} deal {arguments.deal}: {verdict}")
    if arguments.moves:
        print("\n".join(map(str, verdict.moves)))


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


def print_bench(arguments: Arguments) -> None:
    """Measure speed, and memory a game; print both as tables or JSON.

    Rates are steps a second of all games together (states, where states are copied), each the
    best of some runs after one to warm up; median and worst tell how busy the machine was.
    """
    from solitaire_env.bench.report import bench

    _check_output("--json", arguments.json)
    report = bench(
        arguments.variants or list(VARIANTS),
        num_envs=arguments.num_envs,
        threads=arguments.threads,
        seconds=arguments.seconds,
        runs=arguments.runs,
        say=lambda title: print(title, file=sys.stderr),
    )
    if arguments.json != "-":
        print(_bench_text(report))
    if arguments.json is not None:
        _write(arguments.json, json.dumps(report.to_json(), indent=1))


def print_watch(arguments: Arguments) -> None:
    """Let an agent play a deal in the terminal.

    An agent is "random"; in a checkout "greedy", "search" or "ppo"; or module:factory, called as
    factory(variant), which runs that module's code. What it thinks is shown, if it tells. Where
    the output is no terminal, all tables are printed, without colour.
    """
    from solitaire_env.envs.options import check_deal, check_seed, real_number
    from solitaire_env.terminal import load_player, new_game, show, watch

    check_deal(arguments.deal)
    seconds = real_number("--seconds", arguments.seconds)
    _check_output("--save", arguments.save)
    player, env = load_player(arguments.agent, arguments.variant), new_game(arguments.variant)
    show(watch(env, player, arguments.deal, check_seed(arguments.seed)), seconds)
    if arguments.save is not None:
        env.replay().save(arguments.save)


def serve_play(arguments: Arguments) -> None:
    """Play in a browser, with an agent at your side.

    The page is served to this machine alone. An agent is named as for `watch`, and runs code.
    """
    from solitaire_env.envs.options import check_deal
    from solitaire_env.web.serve import play

    if arguments.deal is not None:
        check_deal(arguments.deal)
    play(
        arguments.variant,
        arguments.deal,
        arguments.agent,
        arguments.port,
        browse=not arguments.no_browser,
    )


def print_replay(arguments: Arguments) -> None:
    """Step through a recorded game, or write it as a page or a film.

    On a terminal the game is stepped through; elsewhere, and with --all, all tables are printed.
    """
    from solitaire_env.replay import Replay
    from solitaire_env.terminal import show, step_through

    for option in ("html", "gif"):
        _check_output(f"--{option}", getattr(arguments, option))
    replay = Replay.load(arguments.file)
    if arguments.html is not None:
        _write(arguments.html, replay.to_html(arguments.felt))
    if arguments.gif is not None:
        replay.save_gif(arguments.gif, arguments.felt)
    if arguments.html is arguments.gif is None:
        if arguments.all or not (sys.stdin.isatty() and sys.stdout.isatty()):
            show(replay.steps, 0.0)
        else:
            step_through(replay)


def text_table(header: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    """Align a table for the terminal, numbers to the right.

    >>> print(text_table(("name", "cards"), [("small", 8), ("large", 104)]))
    name   cards
    small      8
    large    104
    """
    widths = [
        max(len(str(line[place])) for line in (header, *rows)) for place in range(len(header))
    ]
    right = [isinstance(value, int) for value in rows[0]]
    lines = [
        "  ".join(
            str(value).rjust(width) if to_right else str(value).ljust(width)
            for value, width, to_right in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in (header, *rows)
    ]
    return "\n".join(lines)


def _add(
    commands: _Commands, run: Callable[[Arguments], None], name: str, says: str, example: str
) -> argparse.ArgumentParser:
    """Add a command that `run` carries out."""
    parser = commands.add_parser(
        name, help=says, description=run.__doc__, epilog=f"example: solitaire-env {example}"
    )
    parser.set_defaults(run=run)
    return parser


def _bench_text(report: "Report") -> str:
    """Write a report as tables for the terminal."""
    from solitaire_env.bench.report import MEMORY_HEADER, SPEED_HEADER

    parts = [
        ", ".join(f"{name} {value}" for name, value in report.machine.items()),
        text_table(SPEED_HEADER, report.speed_rows()),
        *(f"skipped {what}: {reason}" for what, reason in report.skipped().items()),
        text_table(MEMORY_HEADER, report.memory_rows()),
    ]
    return "\n\n".join(parts)


def _check_output(option: str, file: str | None) -> None:
    """Raise ValueError unless a file can be written: better now than after the work."""
    pipe = option in _PIPED
    if file is None or (pipe and file == "-"):
        return
    try:
        check_file(Path(file))
    except OSError as error:
        accepted = f"accepted {'are - and' if pipe else 'is'} a file in a folder that exists"
        raise ValueError(f"{option} is {file!r}, {accepted}: {error.strerror}") from None


def _write(file: str, text: str) -> None:
    """Write a text to a file, or to standard output for "-"."""
    if file == "-":
        print(text)
    else:
        Path(file).write_text(text + "\n", encoding="utf-8")


def _add_bench(commands: _Commands) -> None:
    """Add the command that measures."""
    example = "bench arabella --seconds 0.01 --runs 2"
    bench = _add(commands, print_bench, "bench", "measure speed and memory", example)
    names = ", ".join(VARIANTS)
    bench.add_argument("variants", nargs="*", metavar="VARIANT", help=f"of {names} (default: all)")
    bench.add_argument(
        "--seconds", type=float, default=0.1, metavar="S", help="of a run (default: %(default)s)"
    )
    bench.add_argument(
        "--runs",
        type=int,
        default=3,
        metavar="N",
        help="of each measurement (default: %(default)s)",
    )
    bench.add_argument("--json", metavar="FILE", help="write JSON too; - prints it and no text")
    bench.add_argument(
        "--num-envs",
        type=int,
        nargs="+",
        default=[1, 64, 1024, 8192],
        metavar="N",
        help="games at once in random play (default: %(default)s)",
    )
    bench.add_argument(
        "--threads",
        type=int,
        nargs="+",
        metavar="N",
        help="threads in random play (default: 1, and one a core)",
    )


def _add_solve(commands: _Commands) -> None:
    """Add the command that solves."""
    solve = _add(
        commands,
        print_solve,
        "solve",
        "say whether deals can be won",
        "solve big-bertha --deal 7",
    )
    _add_variant(solve)
    which = solve.add_mutually_exclusive_group()
    which.add_argument(
        "--deal", type=int, default=0, metavar="N", help="number of the deal, from 0 (default: 0)"
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


def _add_watch(commands: _Commands) -> None:
    """Add the command that lets an agent play."""
    from solitaire_env.terminal import AGENTS

    names = ", ".join(("random", *AGENTS))
    example = "watch san-juan-hill --agent greedy --deal 7"
    parser = _add(commands, print_watch, "watch", "let an agent play in the terminal", example)
    _add_variant(parser)
    add = parser.add_argument
    add("--agent", default="random", metavar="NAME", help=f"{names} or module:factory")
    add("--deal", type=int, default=0, metavar="N", help="number of the deal (default: 0)")
    add("--seed", type=int, default=0, metavar="N", help="of the agent's chance (default: 0)")
    add("--seconds", type=float, default=0.3, metavar="S", help="a table (default: %(default)s)")
    add("--save", metavar="FILE", help="write a record of the game: .json or .json.gz")


def _add_play(commands: _Commands) -> None:
    """Add the command that serves the table."""
    from solitaire_env.web.serve import DEFAULT_PORT

    parser = _add(commands, serve_play, "play", "play in a browser", "play pantagruel-turn1")
    _add_variant(parser)
    add = parser.add_argument
    add("--deal", type=int, metavar="N", help="number of the deal (default: any)")
    add("--agent", metavar="NAME", help="ppo, greedy, search, random or module:factory, for hints")
    add("--port", type=int, default=DEFAULT_PORT, metavar="N", help="default: %(default)s")
    add("--no-browser", action="store_true", help="do not open a browser")


def _add_replay(commands: _Commands) -> None:
    """Add the command that shows a recorded game."""
    example = "replay game.json.gz --html game.html"
    parser = _add(commands, print_replay, "replay", "show a recorded game", example)
    add = parser.add_argument
    add("file", metavar="FILE", help="a record: .json or .json.gz, of watch or an evaluation")
    add("--all", action="store_true", help="print all tables, as where there is no terminal")
    add("--html", metavar="OUT", help="write a page that needs nothing else; - prints it")
    add("--gif", metavar="OUT", help="write a film (needs Pillow)")
    add(
        "--felt",
        default=DEFAULT_FELT,
        choices=FELTS,
        help="the table's colour (default: %(default)s)",
    )


def _add_variant(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(VARIANTS)
    parser.add_argument("variant", choices=VARIANTS, metavar="VARIANT", help=f"one of {names}")


if __name__ == "__main__":
    sys.exit(main())
