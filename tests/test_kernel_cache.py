"""Compiled rules are kept on disk: whoever compiled them, each game gets its own."""

import json
import shutil
from pathlib import Path

import pytest

from .helpers import ROOT, run_python

DEAL = """
import json, sys
import gymnasium as gym, numpy as np
import solitaire_env
from solitaire_env import VARIANTS, env_id
boards = []
for name in {names}:
    env = gym.make(env_id(VARIANTS[name]))
    _, info = env.reset(options={{"deal": 11}})
    action = int(np.flatnonzero(info["action_mask"])[0])
    _, _, _, _, info = env.step(action)
    position = env.unwrapped.position()
    boards.append([position, info["action_mask"].tolist(), len(env.unwrapped.legal_moves())])
print(json.dumps(boards))
"""


def deal(path: Path, *names: str) -> list:
    """Deal each game and make a move, in one new process that finds the package at a path."""
    done = run_python(DEAL.format(names=list(names)), path)
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("one", "other"),
    [("san-juan-hill", "pantagruel-royal"), ("arabella", "pantagruel-turn1")],
)
def test_games_compiled_apart_run_together(tmp_path: Path, one: str, other: str) -> None:
    """Two processes compile a game each; one that loads both plays each by its own rules."""
    leave_out = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "solitaire_env", tmp_path / "solitaire_env", ignore=leave_out)
    apart = deal(tmp_path, one) + deal(tmp_path, other)
    assert deal(tmp_path, one, other) == apart
    assert deal(tmp_path, other, one) == apart[::-1]
