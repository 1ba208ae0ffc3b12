"""Playouts: the rule-based player plays games on to their ends, inside the engine's own loop."""

from agents.greedy_board import View, entry
from agents.greedy_choice import Words, decide
from solitaire_env.engine.batch import step_game
from solitaire_env.engine.lowered import LoweredRules
from solitaire_env.engine.settings import Settings
from solitaire_env.engine.state import ByteArray, FloatArray, Games, IntArray, MaskArray
from solitaire_env.engine.vectors import spread_actions


@entry
def play_out(
    rules: LoweredRules,
    games: Games,
    settings: Settings,
    firsts: IntArray,
    horizon: int,
    view: View,
    weights: FloatArray,
    words: Words,
    tried: Words,
    memory: Words,
    f: FloatArray,
    needs: IntArray,
    runs: IntArray,
    seen: ByteArray,
    mask: MaskArray,
) -> None:
    """Play an action in each of some games, and then as the rule-based player does.

    Args:
        rules: of the game.
        games: (k,) records, which hold the results afterwards.
        settings: (1,) record.
        firsts: (k,) legal actions to begin with.
        horizon: moves after which a game is left as it is.
        view: see `greedy_choice.choose`, as for the next two.
        weights: (len(Feature),).
        words: (n,).
        tried: (slots,) what the player remembers before the first action.
        memory: (slots,) scratch space, as are all that follow.
        f: (len(Feature),).
        needs: (UNKNOWN + 1,).
        runs: (columns,).
        seen: (n,) for an observation.
        mask: (A,).
    """
    for index in range(len(firsts)):
        game, action = games[index], firsts[index]
        for slot in range(len(tried)):
            memory[slot] = tried[slot]
        last = game.steps + horizon
        while True:
            step_game(rules, game, settings[0], action, seen)
            if game.outcome != 0 or game.steps >= last:
                break
            spread_actions(rules, game.mask_words, mask)
            action = decide(view, weights, words, seen, mask, memory, f, needs, runs)
