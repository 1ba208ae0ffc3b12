"""The documentation: generated parts are up to date, and what a reader copies works."""

import inspect
import json
import re
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from solitaire_env import VARIANTS, SolitaireEnv, SolitaireVectorEnv
from tests.conftest import needs_module
from tests.helpers import ROOT, make
from tests.pages import (
    Block,
    blocks,
    check,
    check_named,
    checkout,
    commands,
    follow,
    generator,
    is_quick,
    named_commands,
    pages,
)

PAGES = pages()


def test_all_pages_are_looked_at() -> None:
    """Those at the top, those of docs/, and one a variant."""
    assert {"README.md", "CONTRIBUTING.md", "docs/spaces.md"} <= set(PAGES)
    assert {f"docs/environments/{name}.md" for name in VARIANTS} <= set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_can_be_followed(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From top to bottom, in one folder: code runs, quick commands run, slow ones are checked."""
    monkeypatch.chdir(checkout(tmp_path))
    left_out = []
    for block in blocks(PAGES[name]()):
        try:
            follow(block, tmp_path)
        except pytest.skip.Exception as skip:
            left_out.append(f"line {block.line}: {skip}")
        except BaseException as error:
            error.add_note(f"{name}, the block on line {block.line}")
            raise
    if left_out:
        pytest.skip("; ".join(left_out))


@pytest.mark.parametrize("name", PAGES)
def test_commands_that_sentences_name_exist(name: str) -> None:
    """A target, a file, a module or an option that is named is there."""
    for words in named_commands(PAGES[name]()):
        check_named(words)


@pytest.mark.parametrize(
    "line",
    [
        "make coffee",
        "make bench-compare TAIL=main",
        "pip install '.[everything]'",
        "pip install left-pad",
        "solitaire-env dance arabella",
        "solitaire-env deal arabella --deals 7",
        "solitaire-env deal spider",
        "python -m agents.trains configs/arabella.toml",
        "python -m agents.demo",
        "python -m agents.train configs/spider.toml",
        "python -m agents.train configs/arabella.toml --set ppo.no_such_key=1",
        "python -m agents.evaluate --agent ppo --variant spider",
        "python -m agents.evaluate --agent nobody --variant arabella",
        "python -m agents.evaluate --agent ppo --variant arabella --deals 9:3",
        "python benchmarks/no_such.py",
        "python -m examples.cleanrl_ppo --no-such-option 3",
        "python -m examples.rllib_ppo --no-such-option",
        "python -m examples.nobody",
        ".venv-stacks/bin/python -m pip install left-pad",
        "source .venv-nowhere/bin/activate",
        "python benchmarks/plots.py --no-such-option",
        "curl example.org",
    ],
)
def test_a_wrong_command_does_not_slip_through(line: str) -> None:
    """A typing error in a page's command is found, whichever part it is in."""
    (words,) = commands(line)
    with pytest.raises((AssertionError, ValueError, OSError)):
        check(words)


@pytest.mark.parametrize(
    "line",
    [
        "make coffee",
        "solitaire-env dance",
        "solitaire-env deal --speed",
        "python docs/generate.py --no-such-option",
        "python -m agents.nowhere",
    ],
)
def test_a_wrong_name_does_not_slip_through(line: str) -> None:
    """Nor is it found missing only where it is typed in full."""
    with pytest.raises(AssertionError):
        check_named(line.split())


def test_a_wrong_block_does_not_slip_through(tmp_path: Path) -> None:
    """Neither code that fails, nor TOML that is none, nor a language that nobody checks."""
    for block in (
        Block(1, "python", "import solitaire_env.nowhere"),
        Block(1, "python", "from solitaire_env import nothing"),
        Block(1, "toml", "a ="),
        Block(1, "", "ls"),
        Block(1, "console", "$ ls"),
    ):
        with pytest.raises((AssertionError, ValueError, ImportError)):
            follow(block, tmp_path)


def test_a_module_of_another_environment_skips(tmp_path: Path) -> None:
    """Ray has a virtual environment of its own: its absence here is no fault, in CI either."""
    if find_spec("ray"):
        pytest.skip("Ray is here")
    with pytest.raises(pytest.skip.Exception, match="ray needs"):
        follow(Block(1, "python", "import ray.rllib"), tmp_path)


def test_blocks_are_cut_out_wherever_they_stand() -> None:
    """Also in a list; comments and broken lines of commands are read as a shell does."""
    text = "# A\n\n```sh\nmake \\\n  test  # tests\n```\n\n1. B\n\n   ```toml\n   a = 1\n   ```\n"
    shell, toml = blocks(text)
    assert shell[:2] == (3, "sh")
    assert list(commands(shell.text)) == [["make", "test"]]
    assert toml == Block(10, "toml", "a = 1\n")


def test_what_changes_the_package_is_never_run() -> None:
    """Known deals are not packed by a test, nor a thousand deals solved."""
    assert is_quick(["solitaire-env", "known", "arabella"])
    assert not is_quick(["solitaire-env", "known", "arabella", "--pack", "arabella.jsonl"])
    assert not is_quick(["solitaire-env", "solve", "arabella", "--deals", "0:1000"])


# Generated pages


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    """Import docs/generate.py; its tables of deals need SciPy."""
    needs_module("scipy")
    return generator()


def test_readme_table_is_generated(generate: ModuleType) -> None:
    """The README's table of environments is what the sheets say."""
    text = (ROOT / "README.md").read_text()
    assert generate.readme_with_tables(text) == text


def test_a_page_and_a_picture_for_every_variant(generate: ModuleType, tmp_path: Path) -> None:
    """Each page shows the picture beside it, an SVG with as many cards as the deal shows."""
    generate.write_pages(tmp_path)
    assert {path.stem for path in tmp_path.glob("*.md")} == {"index", *VARIANTS}
    for name in VARIANTS:
        text = (tmp_path / f"{name}.md").read_text()
        (picture,) = re.findall(r"!\[.*?\]\((.*?)\)", text)
        drawing = ElementTree.fromstring((tmp_path / picture).read_text())
        env = make(name).unwrapped
        env.reset(options={"deal": generate.DEAL})
        position = env.position()
        shown = sum(map(len, position["tableau"])) + len(position["reserve"])
        assert len(drawing.findall("./{*}g/{*}use")) >= shown > 0


def test_a_page_tells_all_that_an_environment_takes(generate: ModuleType) -> None:
    """Each observation field with its bytes, each keyword argument with its default."""
    env = make("arabella").unwrapped
    text = generate.environment_page(VARIANTS["arabella"])
    for name, field in env.fields.items():
        assert f"| `{name}` | {field.slice.start}..{field.slice.stop - 1} |" in text
    told = re.findall(r"^\| `(\w+)` \| `(.+?)` \| \S", text, re.MULTILINE)
    for kind in (SolitaireEnv, SolitaireVectorEnv):
        for name, parameter in list(inspect.signature(kind).parameters.items())[1:]:
            default = getattr(parameter.default, "value", parameter.default)
            assert (name, json.dumps(default)) in [
                (name, DEFAULTS.get(value, value)) for name, value in told
            ]


DEFAULTS = {"None": "null", "False": "false"}
"""What Python calls what JSON calls otherwise."""


def test_a_page_tells_rewards_and_versions(generate: ModuleType) -> None:
    """In the words of the environment's class, where they are kept up to date."""
    text = generate.environment_page(VARIANTS["big-bertha"])
    manual = inspect.getdoc(SolitaireEnv) or ""
    for title in ("Rewards", "Episode end", "Version history"):
        section = text.split(f"## {title}\n\n")[1].split("\n\n")[0]
        assert section.strip() in manual


RESULTS = """\
variant,player,deals,won,rate_low,rate_high,winnable_won,foundation_cards,score,moves,seconds,command
arabella,greedy,1000,492,0.461,0.523,0.4925,125.5,1390,301.2,0.02,\
python -m agents.evaluate --agent greedy --variant arabella --deals test
arabella,solver,1000,999,0.9943,0.9998,1,,,402.5,,solitaire-env known arabella
big-bertha,greedy,1000,944,0.928,0.957,,99.4,,,0.01,solitaire-env known big-bertha
"""


def test_baselines_are_those_of_the_variant(generate: ModuleType, tmp_path: Path) -> None:
    """A line a player, with interval and command; figures that were not measured stay empty."""
    path = tmp_path / "results.csv"
    path.write_text(RESULTS)
    text = generate.environment_page(VARIANTS["arabella"], path)
    assert (
        "| `greedy` | 1000 | 49.2 % [46.1, 52.3] | 49.2 % | 125.5 | 1390 | 301.2 | 0.02 |" in text
    )
    assert "| `solver` | 1000 | 99.9 % [99.4, 100.0] | 100.0 % |  |  | 402.5 |  |" in text
    (shell,) = [block for block in blocks(text) if block.language == "sh"]
    for words in commands(shell.text):
        check(words)
    assert "big-bertha" not in text


def test_results_stand_side_by_side(generate: ModuleType, tmp_path: Path) -> None:
    """A line a variant, a column a player, and a gap where a player has not played."""
    path = tmp_path / "results.csv"
    path.write_text(RESULTS)
    lines = generate.results_table(path).splitlines()
    assert len(lines) == 2 + len(VARIANTS)
    (arabella,) = [line for line in lines if line.startswith("| Arabella |")]
    cells = [cell.strip() for cell in arabella.strip("|").split("|")]
    assert cells == ["Arabella", "", "49.2 [46.1, 52.3]", "", "", "", "", "99.9 [99.4, 100.0]"]


def test_no_baselines_without_results(generate: ModuleType, tmp_path: Path) -> None:
    """A variant that has no line has no section, nor has any where there is no file."""
    path = tmp_path / "results.csv"
    path.write_text(RESULTS)
    for results, name in ((path, "san-juan-hill"), (tmp_path / "none.csv", "arabella")):
        assert "## Baselines" not in generate.environment_page(VARIANTS[name], results)


def test_impossible_results_are_refused(generate: ModuleType, tmp_path: Path) -> None:
    """A rate outside its own interval, as of percent for shares, stops the page."""
    path = tmp_path / "results.csv"
    path.write_text(RESULTS.replace("0.461,0.523", "46.1,52.3"))
    with pytest.raises(ValueError, match="492 of 1000"):
        generate.environment_page(VARIANTS["arabella"], path)


def test_the_layers_are_the_contracts(generate: ModuleType) -> None:
    """The design page names every module of the package, and the guide none out of its layer."""
    rows = re.findall(r"^\| (\d+) \| `(\w+)`", generate.layer_table(), re.MULTILINE)
    layer = {name: int(number) for number, name in rows}
    package = ROOT / "solitaire_env"
    modules = {path.stem for path in package.glob("*.py")} - {"__init__"}
    modules |= {path.parent.name for path in package.glob("*/__init__.py")}
    assert layer.keys() == modules
    guide = (ROOT / "CONTRIBUTING.md").read_text().split("say")[1]
    lines = re.findall(r"^    (\w[\w, ]*)$", guide, re.MULTILINE)
    told = [{layer[name] for name in line.split(", ") if name in layer} for line in lines]
    assert all(len(numbers) == 1 for numbers in told)
    assert told == sorted(told, key=min, reverse=True)
