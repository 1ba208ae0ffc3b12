"""Kernels of the agents: compiled by numba as the engine's are, and kept on disk."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba import njit

from solitaire_env.engine.compile import KERNEL_DIGEST

_SOURCES = ("greedy_*.py", "memory.py", "reading.py")


def entry(function: Callable[..., None]) -> Any:
    """Compile what Python calls, and keep it on disk until a source that it is made of changes.

    Numba's own cache would notice an edit in the function's own file only.
    """
    dispatcher: Any = njit(cache=True, nogil=True, _nrt=False)(function)
    if hasattr(dispatcher, "_cache"):
        dispatcher._cache._cache_file._source_stamp = _digest_sources()
    return dispatcher


def _digest_sources() -> str:
    folder = Path(__file__).parent
    sources = sorted(path for pattern in _SOURCES for path in folder.glob(pattern))
    return sha256(b"".join(path.read_bytes() for path in sources)).hexdigest() + KERNEL_DIGEST
