"""Playouts: the rule-based player plays games on to their ends, inside the engine's own loop."""

from agents.compiled import entry
from agents.greedy_board import Table
from agents.greedy_choice import decide
from agents.memory import Words
from solitaire_env.engine.batch import step_game
from solitaire_env.engine.lowered import LoweredRules
from solitaire_env.engine.sets import spread_actions
from solitaire_env.engine.settings import Settings
from solitaire_env.engine.state import ByteArray, Games, IntArray, MaskArray


@entry
def play_out(
    rules: LoweredRules,
    games: Games,
    settings: Settings,
    firsts: IntArray,
    horizon: int,
    table: Table,
    tried: Words,
    memory: Words,
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
        table: (1,) record to study them on, see `greedy_board.table_of`.
        tried: (slots,) what the player remembers before the first action.
        memory: (slots,) scratch space, as are all that follow.
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
            action = decide(table[0], seen, mask, memory)
