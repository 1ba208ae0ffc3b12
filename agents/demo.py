"""A short version of the main job: train San Juan Hill for some minutes, then play unseen deals."""

import json
import sys
from pathlib import Path

from agents.config import load_config
from agents.evaluate import report
from agents.registry import load_agent
from agents.train import train
from solitaire_env.comparison import comparison_text, paired_bootstrap
from solitaire_env.evaluation import evaluate

CONFIG = Path("configs/san-juan-hill.toml")
FOLDER = Path("runs/demo")
CHANGES = (
    "run.total_steps=2_000_000",
    "run.minutes=5",
    "run.validate_every=0",
    "imitation.steps=400_000",
    "imitation.fade=400_000",
)
DEALS = range(1000)


def main() -> int:
    """Train, evaluate, print the table; 1 unless the trained player beats random play."""
    config = load_config(CONFIG, CHANGES)
    variant = config.run.variant
    moves, minutes = config.run.total_steps, config.run.minutes
    print(f"Training {variant} for {moves:,} moves, {minutes:.0f} minutes at most")
    network = train(config, FOLDER, "python -m agents.demo")
    print(f"Playing deals {DEALS[0]} to {DEALS[-1]}, which training never saw")
    ppo = evaluate(load_agent(str(network), variant), variant, DEALS, name="ppo")
    random = evaluate(load_agent("random", variant), variant, DEALS, name="random")
    print(comparison_text(ppo, random))
    path = FOLDER / "evaluation.json"
    path.write_text(json.dumps(report(ppo, random)) + "\n", encoding="utf-8")
    print(f"Figures: {path}; network: {network}; curves: tensorboard --logdir {FOLDER}")
    return 0 if paired_bootstrap(ppo, random).low > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
