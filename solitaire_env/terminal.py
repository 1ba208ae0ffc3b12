"""Games in a terminal: stepping through a record, and watching a player."""

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import gymnasium as gym
import numpy as np

from solitaire_env.envs.registration import env_id, find_sheet
from solitaire_env.notation import board_text, move_words
from solitaire_env.policies import Policy, thoughts_of
from solitaire_env.records import Thought
from solitaire_env.render.steps import Step
from solitaire_env.replay import RecordGame, Replay, top_words

_CLEAR: Final = "\033[H\033[2J"
_ROW: Final = np.zeros(1, np.int64)
_KEYS: Final = "Enter: on, b: back, a number: go there, q: quit"


def wants_color() -> bool:
    """Tell whether colour is seen: on a terminal, unless NO_COLOR is set."""
    return "NO_COLOR" not in os.environ and sys.stdout.isatty()


def step_text(step: Step, number: str, *, color: bool = False) -> str:
    """Write a step: its number, its move in words, what was thought, and the table."""
    told = step.told
    lines = [f"{number}  {step.words}"]
    if step.value is not None:
        lines.append(f"expected {step.value:.4g}")
    lines += [f"{chance:7.1%}  {words}" for words, chance in step.top]
    counters = f"foundations {told['foundation_cards']}  score {told['score']}"
    lines += [counters + (f"  {step.outcome}" if step.outcome else "")]
    return "\n".join(lines) + "\n\n" + board_text(step.position, color=color)


def step_through(replay: Replay, ask: Callable[[str], str] = input) -> None:
    """Show a game step by step, as a person asks for it.

    Args:
        replay: the game.
        ask: prints its argument and gives what the person answers.
    """
    number, last = 0, len(replay.steps) - 1
    while 0 <= number <= last:
        text = step_text(replay.steps[number], f"{number}/{last}", color=wants_color())
        print(_CLEAR * sys.stdout.isatty() + text)
        try:
            number = _next(number, last, ask(f"[{_KEYS}] ").strip())
        except EOFError:
            return


def _next(number: int, last: int, said: str) -> int:
    """Give the step that a person asks for; -1 to end."""
    if said == "q":
        return -1
    if said == "b":
        return max(0, number - 1)
    if said.isdecimal():
        return min(int(said), last)
    return min(number + 1, last) if said == "" else number


def new_game(variant: str) -> RecordGame:
    """Make an environment that records, and refuses illegal actions."""
    return RecordGame(gym.make(env_id(find_sheet(variant)), illegal="raise"))


def watch(env: RecordGame, player: Policy, deal: int, seed: int = 0) -> Iterator[Step]:
    """Let a player play a deal; gives each table, the first one included, as soon as it lies.

    Args:
        env: see `new_game`.
        player: plays in row 0.
        deal: the deal's number.
        seed: what the player's chance comes from.
    """
    observation, info = env.reset(options={"deal": deal})
    player.reset(_ROW, np.array([seed], np.uint64))
    game: Any = env.unwrapped
    yield Step(None, "the deal", game.position(), info)
    over = False
    while not over:
        asked = observation[None], info["action_mask"][None].astype(np.bool_), _ROW
        thought = thoughts_of(player, *asked)[0]
        action = int(player.act(*asked)[0])
        move, before = game.move_of(action), game.position()
        said = thought or Thought()
        top = top_words(game, said)
        observation, _, terminated, truncated, info = env.step(action)
        env.note(thought)
        over, after = terminated or truncated, game.position()
        outcome = info.get("outcome", "step_limit" if over else "")
        words = move_words(move, before, after)
        yield Step(move, words, after, info, outcome, said.value, top)


def show(steps: Iterable[Step], seconds: float) -> None:
    """Print steps: on a terminal in one place, each seen for some seconds; else one by one."""
    terminal = sys.stdout.isatty()
    for number, step in enumerate(steps):
        print(_CLEAR * terminal + step_text(step, str(number), color=wants_color()), flush=True)
        if terminal:
            time.sleep(seconds)
