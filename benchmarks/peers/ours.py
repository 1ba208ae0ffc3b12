"""This package: random legal play inside the engine, one thread. Argument: a variant's name."""

import sys

from runner import GAMES, serve

import solitaire_env
from solitaire_env.bench import bytes_a_game, sheet_of
from solitaire_env.bench.tasks import random_task

variant = sys.argv[1]
with random_task(sheet_of(variant), GAMES, 1) as task:
    serve(task.play, bytes_a_step=bytes_a_game(variant).step, version=solitaire_env.__version__)
