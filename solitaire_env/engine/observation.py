"""Writing what a player may see: the public part of the row, and nothing else."""

from solitaire_env.engine.compile import kernel
from solitaire_env.engine.lowered import LoweredRules
from solitaire_env.engine.state import ByteArray, Game

SATURATED = 255


@kernel
def write_observation(rules: LoweredRules, game: Game, full: int, out: ByteArray) -> None:
    """Copy what is observed to `out`, (observation size,) uint8; with `full`, hidden cards too."""
    observed = game.observed
    for place in range(len(observed)):
        out[place] = observed[place]
    write_counters(game, out, len(observed))
    if full:
        show_hidden(rules, game, out)


@kernel
def write_counters(game: Game, out: ByteArray, first: int) -> None:
    """Write the counters that are observed, at most 255 each; -1 shows as 255."""
    out[first] = min(game.passes, SATURATED)
    out[first + 1] = game.redeals_left & SATURATED
    out[first + 2] = min(game.idle, SATURATED)
    out[first + 3] = min(game.streak, SATURATED)
    out[first + 4] = min(game.moves, SATURATED)


@kernel
def show_hidden(rules: LoweredRules, game: Game, out: ByteArray) -> None:
    """Show face-down and undealt cards; `tableau` and `stock` come first in an observation."""
    for pile in range(rules.piles):
        for place in range(game.hidden[pile]):
            out[pile * rules.depth + place] = game.hidden_cards[pile, place]
    first = rules.piles * rules.depth
    for place in range(game.stock_height):
        out[first + place] = game.hidden_stock[place]
