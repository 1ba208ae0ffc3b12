"""What the documentation says about the games, written from their rule sheets.

`python docs/generate.py` renews the README's table, `--check` only compares it; Sphinx's
configuration calls `write_pages` at every build.
"""

import csv
import inspect
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import gymnasium as gym

from solitaire_env import VARIANTS, RuleSheet, SolitaireEnv, SolitaireVectorEnv
from solitaire_env.describe import markdown_table, overview, rule_page
from solitaire_env.engine.lowered import lower
from solitaire_env.engine.state import public_fields
from solitaire_env.render.svg import position_svg
from solitaire_env.rulings import RULINGS, Ruling
from solitaire_env.statistics import deals_needed

DOCS: Final = Path(__file__).parent
PAGES: Final = DOCS / "environments"
README: Final = DOCS.parent / "README.md"
PYPROJECT: Final = DOCS.parent / "pyproject.toml"
RESULTS: Final = DOCS / "results.csv"
"""What players made of each variant, if it was played: see `baselines`."""

DEAL: Final = 1
"""Which deal an environment's page shows."""

DISCORDANT: Final = (0.1, 0.2, 0.4)
DIFFERENCES: Final = (0.01, 0.02, 0.05, 0.1)
"""Shares of deals that one player alone won, and differences of win rates, of `deals_table`."""

PLAYERS: Final = {
    "random": "Random",
    "greedy": "Greedy",
    "search": "Rollout search",
    "ppo": "PPO, argmax",
    "ppo-sampled": "PPO, sampled",
    "ppo-search": "PPO + search",
    "solver": "Solver, open cards",
}
"""Columns of `results_table`: player -> its title."""

INDEX = """# Environments

{table}

```{{toctree}}
:maxdepth: 1

{names}
```
"""

USE = """## Use

```python
import gymnasium as gym

env = gym.make("solitaire_env:{id}")
envs = gym.make_vec("solitaire_env:{id}", num_envs=64)
```
"""

BASELINES = """## Baselines

Each deal of the list once; means a game, processor time in seconds; in brackets the 95 % Wilson
interval. "Of winnable" is the share of the deals known to be winnable
([known deals](../solver.md#known-deals)). How they are counted: [evaluation](../evaluation.md).

{table}

```sh
{commands}
```
"""


def environment_table(sheets: Iterable[RuleSheet]) -> str:
    """Write the table of environments in Markdown."""
    rows = [(f"`{row.id}`", *row[1:]) for row in map(overview, sheets)]
    return markdown_table(("Id", "Decks", "Columns", "Reserve", "Stock", "Actions"), rows)


def environment_page(sheet: RuleSheet, results: Path = RESULTS) -> str:
    """Write the page of one environment: picture, rules, spaces, rewards, arguments, baselines."""
    title, about, rules = rule_page(sheet).rstrip().split("\n\n", 2)
    parts = (
        title,
        about,
        f"![Deal {DEAL} of {sheet.title}]({sheet.name}.svg)",
        rules,
        f"## Observation\n\n{_observation_table(sheet)}",
        *(f"## {name}\n\n{_manual()[name]}" for name in ("Rewards", "Episode end")),
        f"## Arguments\n\n{_argument_tables()}",
        baselines(sheet, results),
        USE.format(id=overview(sheet).id).rstrip(),
        f"## Version history\n\n{_manual()['Version history']}",
    )
    return "\n\n".join(part for part in parts if part) + "\n"


def _observation_table(sheet: RuleSheet) -> str:
    fields = [
        (f"`{name}`", f"{at.slice.start}..{at.slice.stop - 1}", _shape(at.shape), at.meaning)
        for name, at in public_fields(lower(sheet)).items()
    ]
    return markdown_table(("Field", "Bytes", "Shape", "Meaning"), fields)


@cache
def _manual() -> dict[str, str]:
    """Read the sections of the environment's own manual page, its class's docstring."""
    _, *sections = re.split(r"^## ", inspect.getdoc(SolitaireEnv) or "", flags=re.MULTILINE)
    parts = (section.partition("\n") for section in sections)
    return {name: text.strip() for name, _, text in parts}


@cache
def _argument_tables() -> str:
    """Write the keyword arguments of both environments, from their signatures and docstrings."""
    single = dict(_arguments(SolitaireEnv, SolitaireEnv.__init__))
    batch = dict(_arguments(SolitaireVectorEnv, SolitaireVectorEnv))
    more = [batch[name] for name in batch if name not in single]
    header = ("Argument", "Default", "Meaning")
    return (
        f"{markdown_table(header, list(single.values())[1:])}\n\n"
        f"`gym.make` also takes `max_episode_steps`; `gym.make_vec` takes all of these, and:\n\n"
        f"{markdown_table(header, more)}"
    )


def _arguments(env: type, told_by: Any) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """List an environment's arguments that a docstring tells of: name -> row of the table."""
    text = inspect.getdoc(told_by) or ""
    told = re.split(r"^Args:\n|^Raises:\n", text, flags=re.MULTILINE)[1]
    parameters = inspect.signature(env).parameters
    for name, meaning in re.findall(r"^    (\w+): ((?:.+\n(?:     +.+\n)*))", told, re.MULTILINE):
        yield name, (f"`{name}`", f"`{_default(parameters[name])}`", " ".join(meaning.split()))


def _default(parameter: inspect.Parameter) -> str:
    value = parameter.default
    if value is inspect.Parameter.empty:
        return "none: give it"
    return repr(getattr(value, "value", value)).replace("'", '"')


def _lines(results: Path, variant: str) -> list[dict[str, str]]:
    """Read what players made of a variant; nothing where nobody played."""
    if not results.is_file():
        return []
    with results.open(newline="", encoding="utf-8") as file:
        return [line for line in csv.DictReader(file) if line["variant"] == variant]


def results_table(results: Path = RESULTS) -> str:
    """Write how many deals each player won of each variant, in percent, with 95 % intervals."""
    rows: list[tuple[str, ...]] = []
    for name, sheet in VARIANTS.items():
        told = {line["player"]: _rate(line) for line in _lines(results, name)}
        rows.append((sheet.title, *(told.get(player, "") for player in PLAYERS)))
    return markdown_table(("Variant", *PLAYERS.values()), rows)


def baselines(sheet: RuleSheet, results: Path = RESULTS) -> str:
    """Write what players made of a variant, from the lines of `results`; "" if there are none."""
    lines = _lines(results, sheet.name)
    if not lines:
        return ""
    header = ("Player", "Deals", "Won", "Of winnable", "Cards", "Points", "Moves", "Seconds")
    table = markdown_table(header, map(_result, lines))
    commands = "\n".join(dict.fromkeys(line["command"] for line in lines))
    return BASELINES.format(table=table, commands=commands).rstrip()


def _result(line: Mapping[str, str]) -> tuple[str, ...]:
    share = f"{100 * float(line['winnable_won']):.1f} %" if line["winnable_won"] else ""
    means = (_short(line[name]) for name in ("foundation_cards", "score", "moves", "seconds"))
    return (f"`{line['player']}`", line["deals"], _rate(line, " %"), share, *means)


def _short(figure: str) -> str:
    return f"{float(figure):.4g}" if figure else ""


def _rate(line: Mapping[str, str], unit: str = "") -> str:
    """Write a line's share of deals won, in percent, and its interval."""
    won, deals = int(line["won"]), int(line["deals"])
    low, high = (100 * float(line[name]) for name in ("rate_low", "rate_high"))
    if not 0 <= low <= 100 * won / deals <= high <= 100:
        raise ValueError(f"{line}: {won} of {deals} is not between rate_low and rate_high")
    return f"{100 * won / deals:.1f}{unit} [{low:.1f}, {high:.1f}]"


def table_picture(sheet: RuleSheet) -> str:
    """Draw the deal that an environment's page shows, as SVG."""
    env: Any = gym.make(overview(sheet).id).unwrapped
    env.reset(options={"deal": DEAL})
    return position_svg(sheet, env.position())


def deals_table() -> str:
    """Write how many deals tell two players apart, by difference and by discordant deals."""
    rows = [
        (f"{100 * difference:.0f} points", *(_needed(difference, share) for share in DISCORDANT))
        for difference in DIFFERENCES
    ]
    shares = (f"{100 * share:.0f} % won by one alone" for share in DISCORDANT)
    return markdown_table(("Difference", *shares), rows)


def _needed(difference: float, discordant: float) -> str:
    return f"{deals_needed((discordant + difference) / 2, (discordant - difference) / 2):,}"


def layer_table() -> str:
    """Write the package's layers from pyproject.toml's contract, in the modules' own words."""
    contracts = tomllib.loads(PYPROJECT.read_text())["tool"]["importlinter"]["contracts"]
    layers = next(each["layers"] for each in contracts if each["type"] == "layers")
    modules = [re.findall(r"\w+", layer) for layer in layers]
    rows = [
        (number, f"`{name}`", _first_sentence(name))
        for number, names in zip(range(len(modules), 0, -1), modules, strict=True)
        for name in names
    ]
    return markdown_table(("Layer", "Module", "What it is"), rows)


def _first_sentence(name: str) -> str:
    """Read the first line of a module's docstring, without running the module."""
    path = DOCS.parent / "solitaire_env" / name
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return source.read_text().split('"""')[1].splitlines()[0]


def rulings_list() -> str:
    """Write every ruling with its reason and the games that it touches."""
    return "\n\n".join(map(_ruling_section, RULINGS)) + "\n"


def readme_with_tables(text: str) -> str:
    """Give the README's text with its tables of environments and results renewed."""
    tables = {"environments": environment_table(VARIANTS.values()), "results": results_table()}
    for name, table in tables.items():
        start, end = f"<!-- {name}: start -->", f"<!-- {name}: end -->"
        before, rest = text.split(start)
        text = f"{before}{start}\n{table}\n{end}{rest.split(end)[1]}"
    return text


def write_pages(folder: Path = PAGES) -> None:
    """Write the generated part of the documentation."""
    folder.mkdir(exist_ok=True)
    for name, write in _generated_files().items():
        (folder / name).write_text(write(), encoding="utf-8")


def _generated_files() -> dict[str, Callable[[], str]]:
    """Name the generated files, and what writes each."""
    files: dict[str, Callable[[], str]] = {
        "index.md": _index,
        "rulings.inc": rulings_list,
        "deals_needed.inc": deals_table,
        "results.inc": results_table,
        "layers.inc": layer_table,
    }
    for name, sheet in VARIANTS.items():
        files[f"{name}.md"] = partial(environment_page, sheet)
        files[f"{name}.svg"] = partial(table_picture, sheet)
    return files


def _index() -> str:
    table = environment_table(VARIANTS.values())
    return INDEX.format(table=table, names="\n".join(VARIANTS))


def main(arguments: list[str]) -> int:
    """Renew the README's tables, or with `--check` say whether it is up to date."""
    text = README.read_text()
    renewed = readme_with_tables(text)
    if arguments == ["--check"]:
        if text != renewed:
            print("README.md: a table is out of date: run python docs/generate.py")
        return int(text != renewed)
    README.write_text(renewed)
    return 0


def _shape(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))


def _ruling_section(ruling: Ruling) -> str:
    sheets = [sheet for sheet in VARIANTS.values() if ruling.applies(sheet)]
    games = "all games" if len(sheets) == len(VARIANTS) else "; ".join(s.title for s in sheets)
    return f"## {ruling.title}\n\n{ruling.rule}\n\n*Why:* {ruling.reason}\n\n*Holds in:* {games}."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
