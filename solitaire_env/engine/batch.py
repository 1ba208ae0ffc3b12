"""The kernels that the environments call: deal, step and show many games, one row each.

Each touches its own rows only, so slices of a batch can run on threads and the result never
depends on how many there are.
"""

import numpy as np
import numpy.typing as npt

from solitaire_env.engine.building import note_sources
from solitaire_env.engine.compile import entry, kernel
from solitaire_env.engine.dealing import deal_game, determinize
from solitaire_env.engine.foundations import note_foundations
from solitaire_env.engine.generator import below, next_deal, seed
from solitaire_env.engine.legality import clear_mask, is_legal, write_mask
from solitaire_env.engine.lowered import LoweredRules
from solitaire_env.engine.moves import play
from solitaire_env.engine.observation import write_observation
from solitaire_env.engine.outcome import judge
from solitaire_env.engine.sets import WORD, any_row, count_members, nth_member, spread_actions
from solitaire_env.engine.settings import Illegal, Reward, Settings
from solitaire_env.engine.state import (
    BoolArray,
    ByteArray,
    FloatArray,
    Game,
    Games,
    IntArray,
    MaskArray,
    Outcome,
)

ANY_DEAL = -1
"""Stands for a deal number that the game's own generator draws."""

_WON, _NO_PROGRESS, _ILLEGAL = int(Outcome.WON), int(Outcome.NO_PROGRESS), int(Outcome.ILLEGAL)
_WIN_REWARD, _LEDGER_REWARD = int(Reward.WIN), int(Reward.LEDGER)
_TERMINATE = int(Illegal.TERMINATE)


@entry
def seed_games(
    rules: LoweredRules, games: Games, rows: IntArray, words: npt.NDArray[np.uint64]
) -> None:
    """Start the generators of these rows, one 64-bit word each."""
    for index in range(len(rows)):
        seed(games[rows[index]], words[index])


@entry
def deal_games(rules: LoweredRules, games: Games, rows: IntArray, deals: IntArray) -> None:
    """Deal these rows; a deal of `ANY_DEAL` is drawn by the row's generator."""
    for index in range(len(rows)):
        start_game(rules, games[rows[index]], deals[index])


@kernel
def start_game(rules: LoweredRules, game: Game, deal: int) -> None:
    """Deal one game and say what is legal."""
    if deal == ANY_DEAL:
        deal = next_deal(game)
    deal_game(rules, game, deal)
    write_mask(rules, game)


@entry
def complete_games(rules: LoweredRules, games: Games, rows: IntArray) -> None:
    """Derive what follows from the cards, for rows that were filled from a position."""
    for index in range(len(rows)):
        game = games[rows[index]]
        note_foundations(rules, game)
        note_sources(rules, game)
        write_mask(rules, game)


@entry
def determinize_games(
    rules: LoweredRules, games: Games, rows: IntArray, words: npt.NDArray[np.uint64]
) -> None:
    """Deal anew the unseen cards of these rows, from one 64-bit word each."""
    for index in range(len(rows)):
        determinize(rules, games[rows[index]], words[index])


@entry
def show_games(
    rules: LoweredRules,
    games: Games,
    settings: Settings,
    rows: IntArray,
    observations: ByteArray,
    masks: MaskArray,
    told: IntArray,
) -> None:
    """Write what these rows show, each into the same row of observations and masks.

    Written are observations (N, size), masks (N, actions), and what is told (TOLD, N).
    """
    full = settings[0].observability
    for index in range(len(rows)):
        row = rows[index]
        write_observation(rules, games[row], full, observations[row])
        spread_actions(rules, games[row].mask_words, masks[row])
        tell(games[row], row, told)


@kernel
def tell(game: Game, row: int, told: IntArray) -> None:
    """Write what `info` says of a game to its row of `told`, (TOLD, N)."""
    for index in range(len(game.told)):
        told[index, row] = game.told[index]


@entry
def step_games(
    rules: LoweredRules,
    games: Games,
    settings: Settings,
    actions: IntArray,
    resets: BoolArray,
    start: int,
    stop: int,
    observations: ByteArray,
    masks: MaskArray,
    rewards: FloatArray,
    terminated: BoolArray,
    truncated: BoolArray,
    illegal: BoolArray,
    told: IntArray,
) -> None:
    """Play one action in each of rows start..stop-1, or deal anew where `resets` says so.

    Actions are (N,) numbers in range, ignored where a row resets. Written are observations
    (N, size) and masks (N, actions), rewards, the flags terminated, truncated and illegal, and what
    is told (TOLD, N).
    """
    choices = settings[0]
    for number in range(start, stop):
        row = any_row(number)
        game = games[row]
        if resets[row]:
            start_game(rules, game, ANY_DEAL)
            rewards[row] = 0.0
            illegal[row] = terminated[row] = truncated[row] = False
            write_observation(rules, game, choices.observability, observations[row])
        else:
            illegal[row] = not is_legal(game, actions[row])
            shown = observations[row]
            rewards[row] = step_game(rules, game, choices, actions[row], shown)
            terminated[row] = is_terminated(game)
            truncated[row] = is_truncated(game, choices)
        spread_actions(rules, game.mask_words, masks[row])
        tell(game, row, told)


@entry
def deal_alone(
    rules: LoweredRules,
    games: Games,
    settings: Settings,
    deal: int,
    observation: ByteArray,
    mask: MaskArray,
) -> None:
    """Deal the first row; write its observation (size,) and mask (actions,)."""
    start_game(rules, games[0], deal)
    write_observation(rules, games[0], settings[0].observability, observation)
    spread_actions(rules, games[0].mask_words, mask)


@entry
def step_alone(
    rules: LoweredRules,
    games: Games,
    settings: Settings,
    action: int,
    observation: ByteArray,
    mask: MaskArray,
) -> tuple[float, bool, bool, bool]:
    """Play one action in the first row; write its observation (size,) and mask (actions,).

    Returns:
        Reward, terminated, truncated, and whether the action was illegal.
    """
    game, choices = games[0], settings[0]
    illegal = not is_legal(game, action)
    reward = step_game(rules, game, choices, action, observation)
    spread_actions(rules, game.mask_words, mask)
    return reward, is_terminated(game), is_truncated(game, choices), illegal


@kernel
def is_terminated(game: Game) -> bool:
    """Tell whether the game itself is over, other than for want of progress."""
    return game.outcome != 0 and game.outcome != _NO_PROGRESS


@kernel
def is_truncated(game: Game, settings: Settings) -> bool:
    """Tell whether the game is cut, for want of progress or by the step limit."""
    return game.outcome == _NO_PROGRESS or is_cut(game, settings)


@kernel
def is_cut(game: Game, settings: Settings) -> bool:
    """Tell whether the step limit is reached."""
    return settings.max_episode_steps > 0 and game.steps >= settings.max_episode_steps


@kernel
def step_game(
    rules: LoweredRules, game: Game, settings: Settings, action: int, observation: ByteArray
) -> float:
    """Play one action, legal or not, observe, and judge the end; return the reward.

    The observation comes before the mask, which would wait for the bytes that the move has written.
    """
    cards, score = game.foundation_cards, game.score
    legal = is_legal(game, action)
    game.steps += 1
    if legal:
        play(rules, game, action, settings.streaks != 0)
    write_observation(rules, game, settings.observability, observation)
    if legal:
        write_mask(rules, game)
    judge(rules, game, settings.seconds_per_move, settings.no_progress_limit)
    if not legal and game.outcome == 0 and settings.illegal == _TERMINATE:
        game.outcome = _ILLEGAL
        clear_mask(game)
    penalty = 0.0 if legal else settings.illegal_penalty
    return earned(game, settings, cards, score) - penalty


@kernel
def earned(game: Game, settings: Settings, cards_before: int, score_before: int) -> float:
    """Give the reward of a step before any penalty."""
    if settings.reward == _WIN_REWARD:
        return 1.0 if game.outcome == _WON else 0.0
    if settings.reward == _LEDGER_REWARD:
        return float(game.score - score_before)
    return float(game.foundation_cards - cards_before)


@entry
def random_steps(
    rules: LoweredRules,
    games: Games,
    settings: Settings,
    start: int,
    stop: int,
    steps: int,
    actions: IntArray,
    observations: ByteArray,
    masks: MaskArray,
    rewards: FloatArray,
) -> None:
    """Play `steps` random legal actions in each of rows start..stop-1, dealing anew at an end.

    `actions` (N,) holds what was chosen: all rows choose before any plays, so that a processor
    that guesses an action's kind wrong has not waited for it first.
    """
    choices = settings[0]
    for _ in range(steps):
        for row in range(start, stop):
            actions[row] = random_action(games[row])
        for number in range(start, stop):
            row = any_row(number)
            game, shown = games[row], observations[row]
            rewards[row] = step_game(rules, game, choices, actions[row], shown)
            if game.outcome != 0 or is_cut(game, choices):
                start_game(rules, game, ANY_DEAL)
                write_observation(rules, game, choices.observability, shown)
            spread_actions(rules, game.mask_words, masks[row])


@kernel
def random_action(game: Game) -> int:
    """Choose a legal action, each as likely; the first action where none is legal."""
    if game.legal == 0:
        return 0
    left, word, before, up_to = below(game, game.legal), 0, 0, 0
    for further in range(1, len(game.mask_words)):
        up_to += count_members(game.mask_words[further - 1])
        if left >= up_to:
            word, before = further, up_to
    return WORD * word + nth_member(game.mask_words[word], left - before)
