"""The `solitaire-env` command."""

import argparse
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from solitaire_env.cli.games import add_games
from solitaire_env.cli.playing import add_play, add_replay, add_watch
from solitaire_env.cli.solving import add_known, add_solve
from solitaire_env.cli.speed import add_bench

BAD_INPUT = 2
"""Exit code for an argument that is not accepted, as argparse has it."""

INTERRUPTED = 130
"""Exit code after Control-C, as shells have it."""


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
        _drop_output()
    except OSError as error:  # a full disk, say
        print(f"solitaire-env {arguments.command}: {error}", file=sys.stderr)
        _drop_output()
        return BAD_INPUT
    return 0


def _drop_output() -> None:
    """Write to nowhere what is still to be written: Python would fail once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def build_parser() -> argparse.ArgumentParser:
    """Make the parser; a new command is a function that adds it, named here."""
    parser = argparse.ArgumentParser(
        prog="solitaire-env",
        description="Solitaire games as environments: what there is, by which rules, dealt how.",
        epilog="example: solitaire-env rules san-juan-hill",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for add in (
        add_games,
        add_known,
        add_solve,
        add_watch,
        add_play,
        add_replay,
        add_bench,
    ):
        add(commands)
    return parser
