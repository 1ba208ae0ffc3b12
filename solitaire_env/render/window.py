"""A window that shows a table, with pygame-ce (the extra `render`)."""

import os
import sys
from typing import Any, Final

from solitaire_env.notation import Position
from solitaire_env.render.atlas import ByteArray
from solitaire_env.render.table import draw_table
from solitaire_env.render.victory import victory_frames
from solitaire_env.rulesheet import RuleSheet

_VICTORY_FPS: Final = 30

_INVISIBLE: Final = ("offscreen", "dummy")
"""Drivers that SDL may fall back upon where there is no display."""


class Window:
    """A window; a person who closes it ends the showing, not the game.

    Args:
        sheet: the game.
        felt: the table's colour.

    Raises:
        ImportError: without pygame-ce.
        RuntimeError: where no window can open.
    """

    def __init__(self, sheet: RuleSheet, felt: str) -> None:
        self._sheet = sheet
        self._felt = felt
        self._pygame = _pygame()
        self._screen: Any = None
        self._open = True
        self._clock = self._pygame.time.Clock()

    def show(self, position: Position, caption: str, fps: float) -> None:
        """Draw a position, at most `fps` times a second."""
        self._present(draw_table(self._sheet, position, self._felt), caption)
        self._clock.tick(fps)

    def celebrate(self, position: Position) -> None:
        """Let the cards of a won game leap from the foundations, for two seconds."""
        for frame in victory_frames(self._sheet, position, self._felt):
            self._present(frame)
            self._clock.tick(_VICTORY_FPS)
            if not self._open:
                return

    def close(self) -> None:
        """Close the window; closing twice changes nothing."""
        if self._open:
            self._open = False
            self._pygame.display.quit()

    def _present(self, frame: ByteArray, caption: str | None = None) -> None:
        """Put a frame (H, W, 3) on the screen."""
        if not self._open:
            return
        size = frame.shape[1], frame.shape[0]
        # Pygame has one window for all, which another game may have closed.
        if self._screen is None or self._pygame.display.get_surface() is not self._screen:
            self._screen = self._new_screen(size)
        if caption is not None:
            self._pygame.display.set_caption(caption)
        self._screen.blit(self._pygame.image.frombuffer(frame, size, "RGB"), (0, 0))
        self._pygame.display.flip()
        self._pump()

    def _new_screen(self, size: tuple[int, int]) -> Any:
        try:
            self._pygame.display.init()
            screen = self._pygame.display.set_mode(size)
        except self._pygame.error as error:
            self._pygame.display.quit()
            accepted = 'use render_mode="rgb_array", or SDL_VIDEODRIVER=dummy for no window'
            raise RuntimeError(f"no window can open ({error}): {accepted}") from None
        self._tell_if_unseen()
        return screen

    def _tell_if_unseen(self) -> None:
        """Tell of a window that nobody sees, unless it was asked for: a checker opens such ones."""
        driver = self._pygame.display.get_driver()
        if driver in _INVISIBLE and os.environ.get("SDL_VIDEODRIVER") != driver:
            print("solitaire_env: no display, the window is drawn nowhere", file=sys.stderr)

    def _pump(self) -> None:
        for event in self._pygame.event.get():
            if event.type == self._pygame.QUIT:
                self.close()
                return


def _pygame() -> Any:
    try:
        import pygame
    except ImportError:
        raise ImportError(
            "render_mode=\"human\" needs pygame-ce: pip install 'solitaire-env[render]'"
        ) from None
    return pygame
