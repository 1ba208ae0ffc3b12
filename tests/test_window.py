"""The window: what it shows, how it closes, and what happens without a display."""

import copy
import pickle
import re
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from solitaire_env import VARIANTS
from solitaire_env.render.table import draw_table
from solitaire_env.render.victory import FRAMES, victory_frames
from tests.helpers import (
    bare,
    every_variant,
    nearly_won,
    run_python,
)

FELT = "emerald-green"


@pytest.fixture
def headless(
    monkeypatch: pytest.MonkeyPatch, needs: Callable[[str], ModuleType]
) -> Iterator[ModuleType]:
    """Give pygame, drawing into no display."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame = needs("pygame")
    yield pygame
    pygame.quit()


def window(name: str = "pantagruel-turn1", **kwargs: Any) -> Any:
    """Make an environment with a window that does not wait."""
    env = bare(name, render_mode="human", **kwargs)
    env.metadata["render_fps"] = 100_000
    return env


def test_the_window_shows_each_step(headless: ModuleType) -> None:
    """Reset opens it, each step draws anew and names the counters, close closes, twice too."""
    env = window()
    env.reset(options={"deal": 7})
    shown = headless.surfarray.array3d(headless.display.get_surface()).swapaxes(0, 1)
    assert np.array_equal(shown, draw_table(env.sheet, env.position(), FELT))
    env.step(int(env.action_masks().argmax()))
    assert env.render() is None
    assert "1 moves, 0:02" in headless.display.get_caption()[0]
    env.close()
    env.close()
    assert not headless.display.get_init()


def test_a_closed_window_does_not_end_the_game(headless: ModuleType) -> None:
    """Who closes the window may play on unseen."""
    env = window()
    env.reset(seed=1)
    headless.event.post(headless.event.Event(headless.QUIT))
    env.step(int(env.action_masks().argmax()))
    assert not headless.display.get_init()
    env.step(int(env.action_masks().argmax()))
    env.close()


def test_pickle_and_deepcopy_leave_the_window(headless: ModuleType) -> None:
    """Copies are the same game; each opens a window of its own when it draws."""
    env = window()
    env.reset(seed=1)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert twin.position() == env.position()
        twin.step(int(twin.action_masks().argmax()))
        twin.close()
    env.step(int(env.action_masks().argmax()))
    assert headless.display.get_init()
    env.close()


def test_a_window_that_others_closed_opens_again(headless: ModuleType) -> None:
    """Pygame has one window: who closes it, another game or its user, stops no game."""
    env, other = window("arabella"), window("san-juan-hill")
    for each in (env, other):
        each.reset(seed=1)
    for close in (other.close, headless.quit):
        close()
        env.step(int(env.action_masks().argmax()))
        shown = headless.surfarray.array3d(headless.display.get_surface()).swapaxes(0, 1)
        assert np.array_equal(shown, draw_table(env.sheet, env.position(), FELT))
    env.close()


def test_a_won_game_is_celebrated(headless: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cards leap across the table after a win, and the caption's clock stands."""
    monkeypatch.setattr("solitaire_env.render.window._VICTORY_FPS", 100_000)
    env = window("big-bertha")
    env.reset(options={"position": nearly_won(env.sheet, 1)})
    action = env.action_masks().argmax()
    _, _, terminated, _, info = env.step(int(action))
    assert terminated
    assert info["outcome"] == "won"
    shown = headless.surfarray.array3d(headless.display.get_surface()).swapaxes(0, 1)
    assert not np.array_equal(shown, draw_table(env.sheet, env.position(), FELT))
    assert "1 moves, 0:02" in headless.display.get_caption()[0]
    env.close()


@every_variant
def test_victory_frames_stay_on_the_table(name: str) -> None:
    """The leaps of every game keep the picture's size."""
    sheet = VARIANTS[name]
    won = {"reserve": [None] * sheet.reserve, "stock": [], "waste": []} | nearly_won(sheet, 0)
    frames = [frame.shape for frame in victory_frames(sheet, won, FELT)]
    assert frames == [(800, 1280, 3)] * FRAMES


def test_without_a_display_the_error_says_what_to_do(
    headless: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A driver that can't open names the ways out."""

    def refuse(*_: Any) -> None:
        raise headless.error("No available video device")

    monkeypatch.setattr(headless.display, "set_mode", refuse)
    with pytest.raises(RuntimeError, match=r"No available video device.*rgb_array"):
        window().reset(seed=1)


NO_DRIVER = """
import gymnasium as gym
env = gym.make("solitaire_env:solitaire_env/Arabella-v0", render_mode="human")
for _ in range(2):
    try:
        env.reset(seed=1)
    except RuntimeError as error:
        print(error)
env.close()
"""


@pytest.mark.parametrize("driver", ["x11", "nonsense"])
def test_without_a_driver_the_error_says_what_to_do(
    driver: str, needs: Callable[[str], ModuleType]
) -> None:
    """A machine without a display names the ways out; so does a second try."""
    needs("pygame")
    said = run_python(NO_DRIVER, SDL_VIDEODRIVER=driver, DISPLAY="").stdout
    assert len(re.findall(rf"no window can open \({driver} not available\).*rgb_array", said)) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="there, a display is always there")
def test_without_any_display_a_line_says_so(needs: Callable[[str], ModuleType]) -> None:
    """SDL draws to nowhere then: a person would wait for a window for ever."""
    needs("pygame")
    nothing = 'import os; os.environ.pop("SDL_VIDEODRIVER", None)\n'
    done = run_python(nothing + NO_DRIVER, DISPLAY="", WAYLAND_DISPLAY="")
    assert "no display" in done.stderr or "no window can open" in done.stdout


def test_without_pygame_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The base install draws arrays; windows need the extra."""
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ImportError, match=r"pip install 'solitaire-env\[render\]'"):
        window().reset(seed=1)
