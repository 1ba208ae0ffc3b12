"""Expert iteration: a network learns from games of the search that it guides, and guides it anew.

`python -m agents.expert configs/NAME.toml`: rounds of games, lessons and validation, until one
brings nothing more. A game is a file, so the same command goes on where it was interrupted.

Source: Anthony, Tian and Barber 2017, "Thinking Fast and Slow with Deep Learning and Tree Search".
"""

import argparse
import shlex
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import torch as th
from tqdm import tqdm

from agents import network_path
from agents.config import Config, load_config
from agents.learner import Learner
from agents.lessons import read_lessons
from agents.network import TableNetwork
from agents.registry import load_agent
from agents.runs import open_run, score_of, write_whole
from agents.teacher import Example
from agents.weights import load_network, save_network
from solitaire_env.deal_lists import DEAL_LISTS
from solitaire_env.engine.generator import FIRST_TRAINING_DEAL
from solitaire_env.envs.options import whole_number
from solitaire_env.evaluation import evaluate

BEST: Final = "best.safetensors"

TOGETHER: Final = 128
"""Games that a worker plays side by side."""


class Iteration:
    """The rounds of a variant, in a folder.

    Args:
        config: of the training, section `expert` above all.
        folder: of the rounds; made if need be.
        workers: processes that play.
        command: what was typed.

    Raises:
        ValueError: if there is no network to begin with, or the folder holds other rounds.
    """

    def __init__(self, config: Config, folder: Path, workers: int, command: str = "") -> None:
        self._config, self._folder, self._command = config, folder, command
        self._workers = whole_number("workers", workers, 1, 2**10)
        th.set_num_threads(config.run.threads)
        start = config.expert.start or config.run.variant
        path = Path(start) if start.endswith(".safetensors") else network_path(start)
        network, about = load_network(path, config.run.variant)
        open_run(folder, config, command)
        if not self.network(0).exists():
            self._keep(0, network, moves=about["moves"], minutes=about["minutes"])

    def network(self, number: int) -> Path:
        """Give the file of the network that a round begins with."""
        return self._folder / f"round-{number}.safetensors"

    def run(self) -> Path:
        """Go through the rounds while they bring something; give the best network's path."""
        best = self.network(0)
        for number in range(self._config.expert.rounds):
            if not self.network(number + 1).exists():
                self._play(number)
                self._learn(number)
            if _score(self.network(number + 1)) <= _score(best):
                break
            best = self.network(number + 1)
        write_whole(self._folder / BEST, best.read_bytes())
        return self._folder / BEST

    def _play(self, number: int) -> None:
        """Let the search play a round's games that are missing."""
        games, folder = self._config.expert.games, self._games(number)
        first = FIRST_TRAINING_DEAL + number * games
        left = [
            deal for deal in range(first, first + games) if not self._game(number, deal).exists()
        ]
        parts = [left[place : place + TOGETHER] for place in range(0, len(left), TOGETHER)]
        jobs = [(self._config, self.network(number), part, folder) for part in parts]
        bar = tqdm(total=games, initial=games - len(left), desc=f"round {number}", unit="game")
        with ProcessPoolExecutor(self._workers, get_context("spawn")) as pool:
            for part, _ in zip(parts, pool.map(play_games, jobs), strict=True):
                bar.update(len(part))
        bar.close()

    def _learn(self, number: int) -> None:
        """Learn from the games of all rounds so far, and validate."""
        began, expert = time.monotonic(), self._config.expert
        th.manual_seed(self._config.run.seed + number)
        network, about = load_network(self.network(number), self._config.run.variant)
        paths = [path for past in range(number + 1) for path in sorted(self._games(past).iterdir())]
        lessons = read_lessons(paths, self._config)
        learner = Learner(network.train(), self._config.ppo, Example())
        for epoch in range(expert.epochs):
            learner.update(lessons, expert.learning_rate * (1 - epoch / expert.epochs), 1.0)
        minutes = about["minutes"] + (time.monotonic() - began) / 60
        self._keep(number + 1, network, moves=about["moves"], minutes=round(minutes, 1))

    def _keep(self, number: int, network: TableNetwork, **facts: Any) -> None:
        """Validate a network, and save it with what it did."""
        run, scratch = self._config.run, self._folder / "learnt.safetensors"
        facts |= {"config": self._config.to_dict(), "command": self._command}
        facts |= {"temperature": run.temperature, "round": number}
        save_network(scratch, network, run.variant, **facts)
        player = load_agent(str(scratch), run.variant)
        deals = DEAL_LISTS["validation"][: run.validate_deals]
        played = evaluate(player, run.variant, deals, seed=run.seed).summary()
        told = {name: played[name] for name in ("deals", "wins", "foundation_cards")}
        print(f"round {number}: {told['wins']} of {told['deals']} validation deals, no search")
        save_network(self.network(number), network, run.variant, **facts, validation=told)
        scratch.unlink()

    def _games(self, number: int) -> Path:
        return self._folder / f"games-{number}"

    def _game(self, number: int, deal: int) -> Path:
        return self._games(number) / f"{self._config.run.variant}-{deal}.json"


def play_games(job: tuple[Config, Path, list[int], Path]) -> None:
    """Let a network with search play some deals, and record each.

    Args:
        job: configuration, the network's file, deals, and the folder of the records.
    """
    config, network, deals, folder = job
    expert, variant = config.expert, config.run.variant
    budget = {"playouts": expert.playouts, "width": expert.width, "horizon": expert.horizon}
    player = load_agent("ppo-search", variant, checkpoint=network, **budget)
    evaluate(player, variant, deals, record=folder)


def _score(path: Path) -> float:
    """Give what a kept network did in validation."""
    _, about = load_network(path)
    return score_of(about["validation"], about["variant"])


def main(arguments: list[str] | None = None) -> None:
    """Go through the rounds as the command line says."""
    parser = argparse.ArgumentParser(
        prog="python -m agents.expert",
        description="Let a network learn from games of the search that it guides; the same command "
        "goes on where it was interrupted.",
        epilog="example: python -m agents.expert configs/san-juan-hill.toml --workers 2",
    )
    parser.add_argument("config", type=Path, help="a TOML file, as configs/san-juan-hill.toml")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE")
    parser.add_argument("--folder", type=Path, default=Path("runs/expert"), help="of all variants")
    parser.add_argument("--workers", type=int, default=1, help="processes that play (default: 1)")
    given = parser.parse_args(arguments)
    command = shlex.join(["python", "-m", "agents.expert", *(arguments or sys.argv[1:])])
    try:
        config = load_config(given.config, given.set)
        folder = given.folder / config.run.variant
        print(f"the best: {Iteration(config, folder, given.workers, command).run()}")
    except ValueError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        parser.exit(130, "\ninterrupted: the same command plays the games that are missing\n")


if __name__ == "__main__":
    main()
