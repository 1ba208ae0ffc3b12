"""OpenSpiel's Klondike: tensor and mask are made every step, a random legal action is played.

The mask is OpenSpiel's own (argument `own`), or made from its list of legal actions (`list`).
Cards that are turned up (chance nodes) are not counted as steps, and a game that ends is dealt
anew. The tensor goes into the observer's own buffer, twice as fast as the state's list of floats.
"""

import sys
from importlib.metadata import version
from random import choice

import numpy as np
import pyspiel
from open_spiel.python.observation import make_observation
from runner import serve

game = pyspiel.load_game("solitaire")
observer = make_observation(game)
state = game.new_initial_state()
own_mask = sys.argv[1] == "own"
mask = np.zeros(game.num_distinct_actions(), np.bool_)


def turn_up() -> None:
    """Let chance decide until a player's move is due, in a new game where the last is over."""
    global state
    while state.is_terminal() or state.is_chance_node():
        if state.is_terminal():
            state = game.new_initial_state()
        else:
            state.apply_action(choice(state.chance_outcomes())[0])


def play() -> int:
    """Play one action."""
    turn_up()
    observer.set_from(state, 0)
    legal = state.legal_actions()
    if own_mask:
        state.legal_actions_mask()
    else:
        mask[:] = False
        mask[legal] = True
    state.apply_action(choice(legal))
    return 1


flags = 8 + 1
serve(
    play,
    bytes_a_step=observer.tensor.nbytes + game.num_distinct_actions() + flags,
    version=version("open_spiel"),
    games=1,
)
