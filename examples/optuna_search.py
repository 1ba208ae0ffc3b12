"""Optuna: search a few keys of a training configuration, judged on the list `validation`.

Run it with `python -m examples.optuna_search`. Each trial is a short training run of its own, as
`python -m agents.train` makes them; the best network then plays held-out deals, once.
"""

import argparse
from pathlib import Path

import optuna

from agents.config import Config, load_config
from agents.registry import load_agent
from agents.runs import score_of
from agents.train import train
from solitaire_env.comparison import beside_random, comparison_text
from solitaire_env.deal_lists import DEAL_LISTS
from solitaire_env.evaluation import evaluate

CONFIG = Path(__file__).resolve().parent.parent / "configs" / "san-juan-hill.toml"


def proposed(trial: optuna.Trial, steps: int) -> Config:
    """Change the configuration as a trial proposes."""
    keys = {
        "ppo.learning_rate": trial.suggest_float("ppo.learning_rate", 3e-4, 1e-2, log=True),
        "ppo.ent_coef": trial.suggest_float("ppo.ent_coef", 1e-3, 5e-2, log=True),
        "ppo.batch_size": trial.suggest_categorical("ppo.batch_size", [256, 512, 1024]),
        "env.num_envs": 128,
        "imitation.steps": 0,
        "imitation.fade": 0,
        "run.total_steps": steps,
        "run.validate_every": 0,
    }
    return load_config(CONFIG, [f"{key}={value}" for key, value in keys.items()])


def validated(network: Path, variant: str, deals: int) -> float:
    """Score a network on validation deals, never on those of the test."""
    player = load_agent(str(network), variant)
    result = evaluate(player, variant, DEAL_LISTS["validation"][:deals])
    return score_of(result.summary(), variant)


def main() -> None:
    """Search, then let the best network play held-out deals beside random legal play."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=6, help="training runs")
    parser.add_argument("--steps", type=int, default=60_000, help="moves of a training run")
    parser.add_argument("--validate", type=int, default=100, help="validation deals, 1000 and up")
    parser.add_argument("--deals", type=int, default=1000, help="held-out deals, 0 and up")
    parser.add_argument("--folder", type=Path, default=Path("runs/optuna"), help="of the runs")
    parser.add_argument("--seed", type=int, default=1, help="of the proposals")
    given = parser.parse_args()
    variant = load_config(CONFIG).run.variant
    networks: dict[int, Path] = {}

    def objective(trial: optuna.Trial) -> float:
        folder = given.folder / f"trial-{trial.number}"
        networks[trial.number] = train(proposed(trial, given.steps), folder, "optuna_search")
        return validated(networks[trial.number], variant, given.validate)

    sampler = optuna.samplers.TPESampler(seed=given.seed)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(objective, n_trials=given.trials)
    best = study.best_trial
    print(f"best of {given.trials}: trial {best.number}, {best.value:.3f}, {best.params}")
    player = load_agent(str(networks[best.number]), variant)
    print(comparison_text(*beside_random(player, variant, range(given.deals), name="best")))


if __name__ == "__main__":
    main()
