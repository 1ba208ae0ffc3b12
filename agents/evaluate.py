"""Let a player play named deals: `python -m agents.evaluate --agent NAME --variant SLUG`."""

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from agents.ray_cluster import ClusterError, connected, runner
from agents.registry import load_agent
from agents.sharding import SHARD_DEALS, Run, Shard, Task, evaluate_sharded, new_task, play_here
from solitaire_env.comparison import comparison_text, paired_bootstrap, paired_wins
from solitaire_env.deal_lists import read_deals
from solitaire_env.evaluation import Evaluation, evaluate
from solitaire_env.exports import check_table, write_games
from solitaire_env.files import check_file, check_folder
from solitaire_env.players import AGENTS
from solitaire_env.statistics import wilson_interval

OPTIONS: Final = (
    "checkpoint",
    "temperature",
    "folder",
    "playouts",
    "width",
    "horizon",
    "finish",
    "nodes",
)
"""What the command line hands on to the player."""


def report(agent: Evaluation, random: Evaluation, **options: Any) -> dict[str, Any]:
    """Give the same as what JSON can hold: the agent's figures and games, then the rest.

    Args:
        agent: the player's games.
        random: those of the random player.
        **options: of the player.
    """
    pairs = {"paired": vars(paired_bootstrap(agent, random))}
    pairs["paired_wins"] = vars(paired_wins(agent, random))
    told = {name: str(value) for name, value in options.items()}
    return {**agent.to_json(), "options": told, "random": random.summary(), **pairs}


def main(arguments: list[str] | None = None) -> None:
    """Evaluate as the command line says."""
    given = parser().parse_args(arguments)
    options = {name: getattr(given, name) for name in OPTIONS if getattr(given, name) is not None}
    try:
        wilson_interval(0, 1)  # without SciPy nothing can be told: better now than after the games
        deals = read_deals(given.deals)
        _check_outputs(given)
        _check_sharding(given)
        sharded = given.ray or given.shards
        agent, random = (_in_shards if sharded else _at_once)(given, deals, options)
    except (ValueError, ImportError, ClusterError) as error:
        parser().error(str(error))
    print(comparison_text(agent, random))
    if given.table:
        write_games(agent, given.table)
    if given.json:
        given.json.write_text(json.dumps(report(agent, random, **options)) + "\n", encoding="utf-8")


def _at_once(
    given: argparse.Namespace, deals: Iterable[int], options: dict[str, Any]
) -> Iterator[Evaluation]:
    """Play here, a list at a time: the player's games, then the random player's."""
    settings = {"num_envs": given.num_envs, "seed": given.seed}
    name, variant = Path(given.agent).stem, given.variant
    player, floor = load_agent(given.agent, variant, **options), load_agent("random", variant)
    yield evaluate(player, variant, deals, name=name, record=given.record, **settings)
    yield evaluate(floor, variant, deals, name="random", **settings)


def _in_shards(
    given: argparse.Namespace, deals: Iterable[int], options: dict[str, Any]
) -> Iterator[Evaluation]:
    """Play the same in shards, on Ray or here."""
    name, variant, seed = Path(given.agent).stem, given.variant, given.seed
    task = new_task(given.agent, variant, name=name, seed=seed, options=options)
    load_agent(task.agent, variant, **task.options)  # errors before Ray starts
    with _runner(given) as run:
        yield _play_task(given, task, deals, run, "agent")
        floor = replace(task, agent="random", name="random", options={}, files={})
        yield _play_task(given, floor, deals, run, "random")


def _play_task(
    given: argparse.Namespace, task: Task, deals: Iterable[int], run: Run, folder: str
) -> Evaluation:
    """Play a task's shards, each player's in a folder of its own."""
    return evaluate_sharded(
        task,
        deals,
        run=run,
        num_envs=given.num_envs,
        size=SHARD_DEALS if given.shard_deals is None else given.shard_deals,
        folder=given.shards / folder if given.shards else None,
        watch=lambda results, total, played: _bar(results, task.name, total, played),
    )


@contextmanager
def _runner(given: argparse.Namespace) -> Iterator[Run]:
    """Give what plays shards; Ray starts, if at all, once there are some to play."""
    with ExitStack() as stack:
        ray = cache(lambda: stack.enter_context(connected(given.ray, given.workers)))

        def on_ray(task: Task, shards: Sequence[Shard], num_envs: int) -> Iterator[Any]:
            return runner(ray(), given.workers)(task, shards, num_envs) if shards else iter(())

        yield on_ray if given.ray else play_here


def _bar(results: Iterable[Any], name: str, total: int, played: int) -> Iterator[Any]:
    """Show on standard error how many deals are played."""
    from tqdm import tqdm

    with tqdm(desc=name, total=total, initial=played, unit="deal") as bar:
        for shard, piece in results:
            yield shard, piece
            bar.update(len(piece.deals))


def _check_sharding(given: argparse.Namespace) -> None:
    """Raise ValueError for arguments that do not go together."""
    if given.workers is not None and not given.ray:
        raise ValueError("--workers is for --ray ADDRESS: give that too")
    if given.shard_deals is not None and not (given.ray or given.shards):
        raise ValueError("--shard-deals is for --ray and --shards: give one of them too")
    if given.record and (given.ray or given.shards):
        raise ValueError(
            "--record keeps games that are played here at once: leave --ray and --shards out"
        )


def _check_outputs(given: argparse.Namespace) -> None:
    """Raise ValueError if what was asked for can't be written: better now than after the games."""
    if given.json and given.json == given.table:
        raise ValueError(f"--json and --table are both {given.json}: give each a file of its own")
    try:
        for file in filter(None, (given.json, given.table)):
            file.parent.mkdir(parents=True, exist_ok=True)
        if given.json:
            check_file(given.json)
        for folder in filter(None, (given.record, given.shards)):
            check_folder(folder)
        if given.table:
            check_table(given.table)
            check_file(given.table)
    except OSError as error:
        raise ValueError(
            f"--json, --record, --shards and --table are what can be written: {error}"
        ) from None


def parser() -> argparse.ArgumentParser:
    """Make the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m agents.evaluate",
        description="Let a player play each of some deals once, beside a random legal player.",
        epilog="example: python -m agents.evaluate --agent ppo --variant san-juan-hill "
        "--deals 0:1000 --json out.json",
    )
    parser.add_argument(
        "--agent",
        required=True,
        help=f"{', '.join(AGENTS)}, module:factory, or the file of a network",
    )
    parser.add_argument("--variant", required=True, help="as san-juan-hill")
    parser.add_argument(
        "--deals", default="test", help="test (0:1000, the default), validation, or A:B for A..B-1"
    )
    parser.add_argument("--json", type=Path, help="file for figures and games")
    parser.add_argument("--table", type=Path, help="file for a line a game: .csv or .parquet")
    parser.add_argument("--record", type=Path, help="folder for a file a game")
    parser.add_argument("--num-envs", type=int, default=256, help="games at once; only speed")
    parser.add_argument(
        "--ray", metavar="ADDRESS", help="play on Ray: local, auto, host:port or ray://host:port"
    )
    parser.add_argument("--workers", type=int, help="with --ray: processes (default: all cores)")
    parser.add_argument(
        "--shards", type=Path, help="folder for finished shards: the same command goes on"
    )
    parser.add_argument(
        "--shard-deals", type=int, help=f"deals of a shard (default: {SHARD_DEALS})"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the players' chance")
    parser.add_argument("--checkpoint", type=Path, help="the network of the player ppo")
    parser.add_argument("--temperature", type=float, help="of ppo: 0 most probable, 1 as trained")
    parser.add_argument("--playouts", type=int, help="of search: most games played on a choice")
    parser.add_argument("--width", type=int, help="of search: most moves tried a choice")
    parser.add_argument("--horizon", type=int, help="of ppo-search: moves of a playout")
    parser.add_argument("--finish", help="of ppo-search: how playouts end: value or greedy")
    parser.add_argument("--nodes", type=int, help="of hindsight: positions to look at in a deal")
    parser.add_argument("--folder", type=Path, help="where ppo looks for runs (default: runs)")
    return parser


if __name__ == "__main__":
    main()
