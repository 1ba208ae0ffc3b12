"""What all tests share."""

import importlib
import os
from collections.abc import Callable
from types import ModuleType

import pytest


def needs_module(name: str) -> ModuleType:
    """Import a module of an extra: without it skip, or fail where the CI variable is set."""
    if os.environ.get("CI"):
        return importlib.import_module(name)
    extras = ".[agents,dev,render,video,web]"
    return pytest.importorskip(name, reason=f"{name} is not installed: pip install '{extras}'")


@pytest.fixture
def needs() -> Callable[[str], ModuleType]:
    """Give `needs_module`; a test module's own imports use `tests.conftest.needs_module`."""
    return needs_module
