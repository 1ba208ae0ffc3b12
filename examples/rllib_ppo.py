"""PPO of RLlib on San Juan Hill: train for a fixed number of moves, then play unseen deals.

Run it with `python -m examples.rllib_ppo`, in an environment that has the extra `ray`; `--help`
tells of more processes, of a cluster, and of a checkpoint that `agents.evaluate` can play.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents.ray_cluster import LOCAL, connected
from solitaire_env.comparison import comparison_text, paired_bootstrap
from solitaire_env.deal_lists import read_deals
from solitaire_env.evaluation import RandomPolicy, evaluate
from solitaire_env.interop.rllib import ModulePolicy, ppo_config, register_ray

VARIANT = "san-juan-hill"


def configure(env_runners: int) -> Any:
    """Set PPO up: 64 games, in this process or spread over so many env runners."""
    model = {"fcnet_hiddens": [256], "head_fcnet_hiddens": [], "vf_share_layers": True}
    config = ppo_config(VARIANT, model, no_progress_limit=12, illegal="raise")
    config = config.env_runners(
        num_env_runners=env_runners, num_envs_per_env_runner=max(64 // max(env_runners, 1), 1)
    )
    config = config.learners(num_learners=0).debugging(seed=0, log_level="ERROR")
    return config.training(
        lr=1e-3,
        gamma=0.995,
        lambda_=0.95,
        train_batch_size_per_learner=4096,
        minibatch_size=512,
        num_epochs=2,
        entropy_coeff=0.01,
        vf_loss_coeff=0.5,
        vf_clip_param=100.0,
        grad_clip=0.5,
        use_kl_loss=False,
    )


def train(config: Any, moves: int) -> Any:
    """Train for so many moves at least; return the algorithm."""
    algorithm, made = config.build_algo(), 0
    while made < moves:
        result = algorithm.train()
        made = int(result["num_env_steps_sampled_lifetime"])
        cards = result["env_runners"].get("episode_return_mean", float("nan"))
        print(f"{made:>8,} moves: {cards:.1f} foundation cards a game gained", flush=True)
    return algorithm


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, evaluate, print the table; 1 unless the trained player beats random play."""
    given = _parser().parse_args(arguments)
    with connected(given.ray, given.env_runners + 1):
        register_ray()
        algorithm = train(configure(given.env_runners), given.moves)
        if given.checkpoint:
            algorithm.save_to_path(str(given.checkpoint.absolute()))
        player = ModulePolicy(algorithm.get_module())
        trained = evaluate(player, VARIANT, given.deals, name="rllib", illegal="raise")
        algorithm.stop()
    random = evaluate(RandomPolicy(), VARIANT, given.deals, name="random")
    print(comparison_text(trained, random))
    print(f"illegal actions: {trained.illegal_actions.sum()}")
    return 0 if paired_bootstrap(trained, random).low > 0 else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m examples.rllib_ppo", description=__doc__)
    parser.add_argument("--moves", type=int, default=60_000, help="to train (default %(default)s)")
    parser.add_argument(
        "--env-runners", type=int, default=0, help="processes that play (default: this one alone)"
    )
    parser.add_argument("--ray", default=LOCAL, metavar="ADDRESS", help="local, auto or host:port")
    parser.add_argument("--deals", type=read_deals, default="test", help="as test or 0:200")
    parser.add_argument("--checkpoint", type=Path, help="folder to save the algorithm in")
    return parser


if __name__ == "__main__":
    sys.exit(main())
