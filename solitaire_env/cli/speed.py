"""The command that measures: bench."""

import json
import sys
from typing import TYPE_CHECKING

from solitaire_env import VARIANTS
from solitaire_env.cli.common import (
    Arguments,
    Commands,
    add_command,
    check_output,
    text_table,
    write,
)

if TYPE_CHECKING:
    from solitaire_env.bench.report import Report


def print_bench(arguments: Arguments) -> None:
    """Measure speed, and memory a game; print both as tables or JSON.

    Rates are steps a second of all games together (states, where states are copied), each the
    best of some runs after one to warm up; median and worst tell how busy the machine was.
    """
    from solitaire_env.bench.report import bench

    check_output("--json", arguments.json)
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
        write(arguments.json, json.dumps(report.to_json(), indent=1))


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


def add_bench(commands: Commands) -> None:
    """Add the command that measures."""
    example = "bench arabella --seconds 0.01 --runs 2"
    bench = add_command(commands, print_bench, "bench", "measure speed and memory", example)
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
