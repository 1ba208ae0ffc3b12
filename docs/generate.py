"""What the documentation says about the games, written from their rule sheets.

`python docs/generate.py` renews the README's table, `--check` only compares it; Sphinx's
configuration calls `write_pages` at every build.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

from solitaire_env import VARIANTS, RuleSheet
from solitaire_env.describe import markdown_table, overview, rule_page
from solitaire_env.engine.lowered import lower
from solitaire_env.engine.state import public_fields
from solitaire_env.rulings import RULINGS, Ruling

DOCS = Path(__file__).parent
PAGES = DOCS / "environments"
README = DOCS.parent / "README.md"
START, END = "<!-- environments: start -->", "<!-- environments: end -->"

INDEX = """# Environments

{table}

```{{toctree}}
:maxdepth: 1

{names}
```
"""

DOORS = """## Use

```python
import gymnasium as gym

env = gym.make("solitaire_env:{id}")
envs = gym.make_vec("solitaire_env:{id}", num_envs=64)
```

## Version history

- v0: first version.
"""


def environment_table(sheets: Iterable[RuleSheet]) -> str:
    """Write the table of environments in Markdown."""
    rows = [(f"`{row.id}`", *row[1:]) for row in map(overview, sheets)]
    return markdown_table(("Id", "Decks", "Columns", "Reserve", "Stock", "Actions"), rows)


def environment_page(sheet: RuleSheet) -> str:
    """Write the page of one environment: its rules, observation and doors."""
    fields = [
        (
            f"`{name}`",
            f"{field.slice.start}..{field.slice.stop - 1}",
            _shape(field.shape),
            field.meaning,
        )
        for name, field in public_fields(lower(sheet)).items()
    ]
    observation = markdown_table(("Field", "Bytes", "Shape", "Meaning"), fields)
    doors = DOORS.format(id=overview(sheet).id)
    return "\n\n".join((rule_page(sheet).rstrip(), "## Observation", observation, doors))


def rulings_list() -> str:
    """Write every ruling with its reason and the games that it touches."""
    return "\n\n".join(map(_ruling_section, RULINGS)) + "\n"


def readme_with_table(text: str) -> str:
    """Give the README's text with its table of environments renewed."""
    before, rest = text.split(START)
    _, after = rest.split(END)
    return f"{before}{START}\n{environment_table(VARIANTS.values())}\n{END}{after}"


def write_pages(folder: Path = PAGES) -> None:
    """Write the generated part of the documentation."""
    folder.mkdir(exist_ok=True)
    table = environment_table(VARIANTS.values())
    (folder / "index.md").write_text(INDEX.format(table=table, names="\n".join(VARIANTS)))
    (folder / "rulings.inc").write_text(rulings_list())
    for name, sheet in VARIANTS.items():
        (folder / f"{name}.md").write_text(environment_page(sheet))


def main(arguments: list[str]) -> int:
    """Renew the README's table, or with `--check` say whether it is up to date."""
    text = README.read_text()
    renewed = readme_with_table(text)
    if arguments == ["--check"]:
        if text != renewed:
            print("README.md: the table is out of date: run python docs/generate.py")
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
