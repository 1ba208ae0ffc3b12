"""Compare two players on the same deals: `python -m agents.compare A B`.

A and B are JSON files that `agents.evaluate --json` wrote, or players that play the deals now.
"""

import argparse
import json
from pathlib import Path

from agents.registry import load_agent
from solitaire_env.comparison import comparison_text, paired_bootstrap, paired_wins
from solitaire_env.deal_lists import read_deals
from solitaire_env.evaluation import Evaluation, evaluate
from solitaire_env.exports import load_evaluation
from solitaire_env.files import check_file


def main(arguments: list[str] | None = None) -> None:
    """Compare as the command line says."""
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        if given.json:
            check_file(given.json)
        one, other = (_evaluation(name, given) for name in (given.one, given.other))
        print(comparison_text(one, other))
        if given.json:
            given.json.write_text(json.dumps(_report(one, other)) + "\n", encoding="utf-8")
    except (ValueError, OSError) as error:
        parser.error(str(error))


def _evaluation(name: str, given: argparse.Namespace) -> Evaluation:
    """Read an evaluation, or let a player play."""
    if name.endswith(".json"):
        return load_evaluation(name)
    if given.variant is None:
        raise ValueError(f"{name} is no .json file, so it needs --variant to play")
    player, deals = load_agent(name, given.variant), read_deals(given.deals)
    return evaluate(player, given.variant, deals, name=Path(name).stem, seed=given.seed)


def _report(one: Evaluation, other: Evaluation) -> dict[str, object]:
    pairs = {"cards": vars(paired_bootstrap(one, other)), "wins": vars(paired_wins(one, other))}
    return {"one": one.summary(), "other": other.summary(), **pairs}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m agents.compare",
        description="Compare two players on the same deals: McNemar's exact test of the wins, "
        "paired bootstrap of the foundation cards.",
        epilog="example: python -m agents.compare greedy random --variant arabella --deals 0:200",
    )
    for name in ("one", "other"):
        parser.add_argument(name, help="a .json file of agents.evaluate, or a player's name")
    parser.add_argument("--variant", help="for players: as san-juan-hill")
    parser.add_argument("--deals", default="test", help="for players: test, validation or A:B")
    parser.add_argument("--seed", type=int, default=0, help="of the players' chance")
    parser.add_argument("--json", type=Path, help="file for the figures")
    return parser


if __name__ == "__main__":
    main()
