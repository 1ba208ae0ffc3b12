"""Whether results can be written: asked before the work, not after it."""

from pathlib import Path
from tempfile import TemporaryFile


def check_file(file: Path) -> None:
    """Open a file for writing; it is left as it was.

    Raises:
        OSError: if it can't be written.
    """
    new = not file.exists()
    file.open("a").close()
    if new:
        file.unlink()


def check_folder(folder: Path) -> None:
    """Make a folder and try to write into it.

    Raises:
        OSError: if that can't be done.
    """
    folder.mkdir(parents=True, exist_ok=True)
    TemporaryFile(dir=folder).close()
