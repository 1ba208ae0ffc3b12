"""What all commands share: their arguments, tables for the terminal, files to write."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from solitaire_env import VARIANTS
from solitaire_env.files import check_file

_PIPED = ("--json", "--html")
"""Options for which "-" is standard output."""

Arguments = argparse.Namespace


class Commands(Protocol):
    """Where commands are added: what argparse calls subparsers."""

    def add_parser(self, name: str, **kwargs: Any) -> argparse.ArgumentParser:
        """Add a command's own parser."""
        ...


def add_command(
    commands: Commands, run: Callable[[Arguments], None], name: str, says: str, example: str
) -> argparse.ArgumentParser:
    """Add a command that `run` carries out."""
    parser = commands.add_parser(
        name, help=says, description=run.__doc__, epilog=f"example: solitaire-env {example}"
    )
    parser.set_defaults(run=run)
    return parser


def add_variant(parser: argparse.ArgumentParser) -> None:
    """Let a command take a variant."""
    names = ", ".join(VARIANTS)
    parser.add_argument("variant", choices=VARIANTS, metavar="VARIANT", help=f"one of {names}")


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


def check_output(option: str, file: str | None) -> None:
    """Raise ValueError unless a file can be written: better now than after the work."""
    pipe = option in _PIPED
    if file is None or (pipe and file == "-"):
        return
    try:
        check_file(Path(file))
    except OSError as error:
        accepted = f"accepted {'are - and' if pipe else 'is'} a file in a folder that exists"
        raise ValueError(f"{option} is {file!r}, {accepted}: {error.strerror}") from None


def write(file: str, text: str) -> None:
    """Write a text to a file, or to standard output for "-"."""
    if file == "-":
        print(text)
    else:
        Path(file).write_text(text + "\n", encoding="utf-8")
