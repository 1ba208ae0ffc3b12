"""What all tests share."""

import importlib
import os
import shutil
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

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


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Start Chromium: `$CHROMIUM`, else the system's."""
    api = needs_module("playwright.sync_api")
    names = ("chromium", "google-chrome")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip("no Chromium: make chromium, or set CHROMIUM to its path")
    with api.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()
