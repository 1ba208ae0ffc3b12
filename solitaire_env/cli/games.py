"""Commands that tell of the games: list, rules, deal."""

import json

import gymnasium as gym

from solitaire_env import VARIANTS
from solitaire_env.cli.common import Arguments, Commands, add_command, add_variant, text_table
from solitaire_env.describe import environment_id, overview, rule_page


def list_environments(arguments: Arguments) -> None:
    """Print a table of the environments."""
    rows = [(name, *overview(sheet)) for name, sheet in VARIANTS.items()]
    print(text_table(("variant", "id", "decks", "columns", "reserve", "stock", "actions"), rows))


def print_rules(arguments: Arguments) -> None:
    """Print a game's page of rules, as Markdown."""
    print(rule_page(VARIANTS[arguments.variant]), end="")


def print_deal(arguments: Arguments) -> None:
    """Print the table of a deal, drawn or as JSON."""
    env = gym.make(environment_id(VARIANTS[arguments.variant]), render_mode="ansi")
    env.reset(options={"deal": arguments.deal})
    if arguments.json:
        print(json.dumps(env.get_wrapper_attr("position")()))
    else:
        print(str(env.render()).rstrip())


def add_games(commands: Commands) -> None:
    """Add the commands that tell of the games."""
    add_command(commands, list_environments, "list", "list the environments", "list")
    rules = add_command(commands, print_rules, "rules", "print a game's rules", "rules big-bertha")
    deal = add_command(
        commands, print_deal, "deal", "print a dealt table", "deal arabella --deal 7"
    )
    add_variant(rules)
    add_variant(deal)
    deal.add_argument(
        "--deal", type=int, default=0, metavar="N", help="number of the deal, from 0 (default: 0)"
    )
    deal.add_argument("--json", action="store_true", help="print the position as JSON")
