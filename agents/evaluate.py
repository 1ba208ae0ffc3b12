"""Let a player play named deals: `python -m agents.evaluate --agent NAME --variant SLUG`."""

import argparse
import json
from pathlib import Path
from typing import Any

from agents.registry import load_agent
from solitaire_env.comparison import comparison_text, paired_bootstrap, paired_wins
from solitaire_env.deal_lists import read_deals
from solitaire_env.evaluation import Evaluation, evaluate
from solitaire_env.exports import check_table, write_games
from solitaire_env.files import check_file, check_folder
from solitaire_env.players import AGENTS
from solitaire_env.statistics import wilson_interval


def compare_to_random(agent: Evaluation, random: Evaluation) -> str:
    """Lay out a player beside the random one on the same deals, and how they differ."""
    return comparison_text(agent, random)


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
    parser = _parser()
    given = parser.parse_args(arguments)
    options = {
        name: getattr(given, name)
        for name in ("checkpoint", "temperature", "folder", "playouts", "width", "horizon")
        if getattr(given, name) is not None
    }
    settings = {"num_envs": given.num_envs, "seed": given.seed}
    try:
        wilson_interval(0, 1)  # without SciPy nothing can be told: better now than after the games
        deals = read_deals(given.deals)
        _check_outputs(given)
        player = load_agent(given.agent, given.variant, **options)
        agent = evaluate(
            player,
            given.variant,
            deals,
            name=Path(given.agent).stem,
            record=given.record,
            **settings,
        )
        floor = load_agent("random", given.variant)
        random = evaluate(floor, given.variant, deals, name="random", **settings)
    except (ValueError, ImportError) as error:
        parser.error(str(error))
    print(compare_to_random(agent, random))
    if given.table:
        write_games(agent, given.table)
    if given.json:
        given.json.write_text(json.dumps(report(agent, random, **options)) + "\n", encoding="utf-8")


def _check_outputs(given: argparse.Namespace) -> None:
    """Raise ValueError if what was asked for can't be written: better now than after the games."""
    try:
        if given.json:
            given.json.parent.mkdir(parents=True, exist_ok=True)
            check_file(given.json)
        if given.record:
            check_folder(given.record)
        if given.table:
            check_table(given.table)
            check_file(given.table)
    except OSError as error:
        raise ValueError(f"--json, --record and --table are what can be written: {error}") from None


def _parser() -> argparse.ArgumentParser:
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
    parser.add_argument("--seed", type=int, default=0, help="of the players' chance")
    parser.add_argument("--checkpoint", type=Path, help="the network of the player ppo")
    parser.add_argument("--temperature", type=float, help="of ppo: 0 most probable, 1 as trained")
    parser.add_argument("--playouts", type=int, help="of search: most games played on a choice")
    parser.add_argument("--width", type=int, help="of search: most moves tried a choice")
    parser.add_argument("--horizon", type=int, help="of ppo-search: moves of a playout")
    parser.add_argument("--folder", type=Path, help="where ppo looks for runs (default: runs)")
    return parser


if __name__ == "__main__":
    main()
