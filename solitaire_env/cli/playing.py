"""Commands that show games being played: watch, play, replay."""

import sys

from solitaire_env.cli.common import (
    Arguments,
    Commands,
    add_command,
    add_variant,
    check_output,
    write,
)
from solitaire_env.render.felts import DEFAULT_FELT, FELTS


def print_watch(arguments: Arguments) -> None:
    """Let an agent play a deal in the terminal.

    An agent is "random", another name of `players.AGENTS` in a checkout, or module:factory, called
    as factory(variant), which runs that module's code. What it thinks is shown, if it tells. Where
    the output is no terminal, all tables are printed, without colour.
    """
    from solitaire_env.envs.options import check_deal, check_seed, real_number
    from solitaire_env.players import load_player
    from solitaire_env.terminal import new_game, show, watch

    check_deal(arguments.deal)
    seconds = real_number("--seconds", arguments.seconds)
    check_output("--save", arguments.save)
    player, env = load_player(arguments.agent, arguments.variant), new_game(arguments.variant)
    show(watch(env, player, arguments.deal, check_seed(arguments.seed)), seconds)
    if arguments.save is not None:
        env.replay().save(arguments.save)


def serve_play(arguments: Arguments) -> None:
    """Play in a browser, with an agent at your side.

    The page is served to this machine alone. An agent is named as for `watch`, and runs code.
    """
    from solitaire_env.envs.options import check_deal
    from solitaire_env.web.serve import play

    if arguments.deal is not None:
        check_deal(arguments.deal)
    play(
        arguments.variant,
        arguments.deal,
        arguments.agent,
        arguments.port,
        browse=not arguments.no_browser,
    )


def print_replay(arguments: Arguments) -> None:
    """Step through a recorded game, or write it as a page or a film.

    On a terminal the game is stepped through; elsewhere, and with --all, all tables are printed.
    """
    from solitaire_env.replay import Replay
    from solitaire_env.terminal import show, step_through

    for option in ("html", "gif"):
        check_output(f"--{option}", getattr(arguments, option))
    replay = Replay.load(arguments.file)
    if arguments.html is not None:
        write(arguments.html, replay.to_html(arguments.felt))
    if arguments.gif is not None:
        replay.save_gif(arguments.gif, arguments.felt)
    if arguments.html is arguments.gif is None:
        if arguments.all or not (sys.stdin.isatty() and sys.stdout.isatty()):
            show(replay.steps, 0.0)
        else:
            step_through(replay)


def add_watch(commands: Commands) -> None:
    """Add the command that lets an agent play."""
    example = "watch san-juan-hill --agent greedy --deal 7"
    parser = add_command(
        commands, print_watch, "watch", "let an agent play in the terminal", example
    )
    add_variant(parser)
    add = parser.add_argument
    add("--agent", default="random", metavar="NAME", help=_accepted())
    add("--deal", type=int, default=0, metavar="N", help="number of the deal (default: 0)")
    add("--seed", type=int, default=0, metavar="N", help="of the agent's chance (default: 0)")
    add("--seconds", type=float, default=0.3, metavar="S", help="a table (default: %(default)s)")
    add("--save", metavar="FILE", help="write a record of the game: .json or .json.gz")


def _accepted() -> str:
    """Tell what agents there are."""
    from solitaire_env.players import AGENTS

    return f"{', '.join(AGENTS)} or module:factory"


def add_play(commands: Commands) -> None:
    """Add the command that serves the table."""
    from solitaire_env.web.serve import DEFAULT_PORT

    parser = add_command(commands, serve_play, "play", "play in a browser", "play pantagruel-turn1")
    add_variant(parser)
    add = parser.add_argument
    add("--deal", type=int, metavar="N", help="number of the deal (default: any)")
    add("--agent", metavar="NAME", help=f"{_accepted()}, for hints")
    add("--port", type=int, default=DEFAULT_PORT, metavar="N", help="default: %(default)s")
    add("--no-browser", action="store_true", help="do not open a browser")


def add_replay(commands: Commands) -> None:
    """Add the command that shows a recorded game."""
    example = "replay game.json.gz --html game.html"
    parser = add_command(commands, print_replay, "replay", "show a recorded game", example)
    add = parser.add_argument
    add("file", metavar="FILE", help="a record: .json or .json.gz, of watch or an evaluation")
    add("--all", action="store_true", help="print all tables, as where there is no terminal")
    add("--html", metavar="OUT", help="write a page that needs nothing else; - prints it")
    add("--gif", metavar="OUT", help="write a film (needs Pillow)")
    add(
        "--felt",
        default=DEFAULT_FELT,
        choices=FELTS,
        help="the table's colour (default: %(default)s)",
    )
