"""What all tests share."""

import importlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, Final

import pytest

LEFT_OUT: Final = os.environ.get("WITHOUT", "").split()
"""Modules that this run leaves out on purpose, as `make test-newest` does, in CI too."""


def needs_module(name: str) -> ModuleType:
    """Import a module of an extra: without it skip, or fail where the CI variable is set."""
    if name.partition(".")[0] in LEFT_OUT:
        pytest.skip(f"{name} is left out on purpose: WITHOUT names it", allow_module_level=True)
    if os.environ.get("CI"):
        return importlib.import_module(name)
    extras = ".[agents,cleanrl,dev,minari,optuna,render,tianshou,torchrl,video,web]"
    return pytest.importorskip(name, reason=f"{name} is not installed: pip install '{extras}'")


def needs_ray() -> ModuleType:
    """Import Ray, which has a virtual environment of its own: elsewhere skip."""
    if os.environ.get("NEEDS_RAY"):
        return importlib.import_module("ray")
    return pytest.importorskip("ray", reason="ray is not installed: make test-ray")


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


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Run a server."""
    needs_module("uvicorn")
    needs_module("starlette")
    from tests.web_pages import served

    with served() as place:
        yield place


@pytest.fixture
def visit(browser: Any, port: int) -> Iterator[Callable[..., Any]]:
    """Give what opens a page in a browser of its own; errors and foreign requests fail."""
    from tests.web_pages import ADDRESS, WIDE

    contexts, said = [], []

    def open_page(address: str = ADDRESS, size: dict[str, int] = WIDE, **more: Any) -> Any:
        place = more.pop("port", port)
        context = browser.new_context(
            viewport=size, **{"reduced_motion": "reduce", "accept_downloads": True, **more}
        )
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: said.append(request.url))
        page.goto(f"http://127.0.0.1:{place}/{address}")
        page.wait_for_selector(".card")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [
        words for words in said if not re.match(r"(http://127\.0\.0\.1:|data:|blob:)", words)
    ] == []
