"""OpenSpiel's Klondike: tensor and mask are made every step, a random legal action is played.

Cards that are turned up (chance nodes) are not counted as steps, and a game that ends is dealt
anew. The tensor goes into the observer's own buffer, twice as fast as the state's list of floats.
"""

from importlib.metadata import version
from random import choice

import pyspiel
from open_spiel.python.observation import make_observation
from runner import serve

game = pyspiel.load_game("solitaire")
observer = make_observation(game)
state = game.new_initial_state()


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
    state.legal_actions_mask()
    state.apply_action(choice(state.legal_actions()))
    return 1


flags = 8 + 1
serve(
    play,
    bytes_a_step=observer.tensor.nbytes + game.num_distinct_actions() + flags,
    version=version("open_spiel"),
    games=1,
)
