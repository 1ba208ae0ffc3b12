"""Validation: how a network that is being trained plays deals that are for nothing else."""

from collections.abc import Callable
from pathlib import Path

from stable_baselines3.common.logger import Logger

from agents.chunks import Asked
from agents.config import Run
from agents.layout import Layout
from agents.memory import LoopMemory
from agents.ppo import NetworkPolicy
from agents.runs import best_score, note_validation, score_of
from solitaire_env.deal_lists import DEAL_LISTS
from solitaire_env.evaluation import evaluate


def validate(
    run: Run,
    folder: Path,
    logger: Logger,
    moves: int,
    network: Asked,
    layout: Layout,
    keep: Callable[[], None],
) -> None:
    """Play the validation deals, never those of the test, and keep what did better than ever.

    Args:
        run: its settings.
        folder: of the run, where the result is noted.
        logger: for the curves.
        moves: made so far.
        network: see `NetworkPolicy`.
        layout: of the game.
        keep: saves the network.
    """
    policy = NetworkPolicy(network, LoopMemory(layout), run.temperature)
    deals = DEAL_LISTS["validation"][: run.validate_deals]
    summary = evaluate(policy, run.variant, deals, seed=run.seed).summary()
    for name in ("foundation_cards", "win_rate", "moves"):
        logger.record(f"validation/{name}", summary[name])
    # First the network: a run killed in between would never keep what is already noted.
    if score_of(summary, run.variant) > best_score(folder):
        keep()
    note_validation(folder, moves, summary)
