"""Measure this package beside its peers: interleaved in one run, one thread each.

`python benchmarks/peers.py` prints two tables; `--write` puts them into docs/benchmarks.md, and
the figures into docs/_static/peers.json. A peer lives in a virtual environment of its own, which
is made when it is first needed; what can't be installed stays in the table, with the reason.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from itertools import chain, zip_longest
from pathlib import Path
from statistics import median
from typing import Any

from solitaire_env import VARIANTS
from solitaire_env.bench.rates import Rate, check_seconds
from solitaire_env.bench.report import machine
from solitaire_env.describe import markdown_table
from solitaire_env.envs.options import whole_number

HERE = Path(__file__).resolve().parent
VENVS = HERE / ".venvs"
PAGE = HERE.parent / "docs" / "benchmarks.md"
DATA = HERE.parent / "docs" / "_static" / "peers.json"
START, END = "<!-- peers: start -->", "<!-- peers: end -->"

JAX = ("jax==0.10.2", "jaxlib==0.10.2", "numpy==2.4.6")
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "JAX_PLATFORMS": "cpu",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}


@dataclass(frozen=True)
class Contestant:
    """Who is measured.

    Attributes:
        title: its name in the tables.
        script: its runner, in the folder peers/.
        arguments: the runner's.
        requirements: what its virtual environment holds; empty: it runs in this one.
    """

    title: str
    script: str
    arguments: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()


PEERS = (
    *(
        Contestant(
            title,
            "open_spiel_solitaire.py",
            (mask,),
            requirements=("open_spiel==2.0.2", "numpy==2.4.6"),
        )
        for title, mask in (
            ("OpenSpiel solitaire", "own"),
            ("OpenSpiel solitaire, mask from its list", "list"),
        )
    ),
    Contestant("Pgx 2048", "pgx_2048.py", requirements=("pgx==2.6.0", *JAX)),
    Contestant("Jumanji Game2048", "jumanji_2048.py", requirements=("jumanji==1.1.2", *JAX)),
    *(
        Contestant(
            f"EnvPool {name}",
            "envpool_games.py",
            (f"{name}-v1",),
            ("envpool==1.2.5", "gymnasium==1.4.0", "numpy==2.4.6"),
        )
        for name in ("Play2048", "CartPole")
    ),
    Contestant("SyncVectorEnv, san-juan-hill", "gymnasium_sync.py", ("san-juan-hill",)),
)


class UnavailableError(Exception):
    """A contestant that can't be installed or started; the message is the reason."""


@dataclass
class Entry:
    """A contestant and what was found.

    Attributes:
        contestant: who.
        told: version, games at once and bytes written a step, as its runner says.
        rates: steps a second of each run, the one to warm up left out.
        reason: why it was not measured, or "".
    """

    contestant: Contestant
    told: dict[str, Any] = field(default_factory=dict)
    rates: list[float] = field(default_factory=list)
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """Give what JSON can hold; rates are in steps a second."""
        who = {"title": self.contestant.title, "requirements": self.contestant.requirements}
        if self.reason:
            return who | {"unavailable": self.reason}
        return who | self.told | asdict(Rate.of(self.rates)) | {"rates": self.rates}

    def row(self) -> tuple[str, ...]:
        """Write a line of the first table."""
        title = self.contestant.title
        if self.reason:
            return title, "", "", f"not measured: {self.reason}", "", "", ""
        rate = Rate.of(self.rates)
        numbers = [f"{number:,.0f}" for number in (rate.best, rate.median)]
        spread = f"{rate.worst:,.0f} to {rate.best:,.0f}"
        told = self.told
        return title, told["version"], str(told["games"]), *numbers, spread, str(told["bytes"])


class Runner:
    """A contestant's process, which waits between its runs."""

    def __init__(self, contestant: Contestant) -> None:
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - `close` closes it
        command = [str(python_of(contestant)), contestant.script, *contestant.arguments]
        self._process = subprocess.Popen(
            command,
            cwd=HERE / "peers",
            env=os.environ | ONE_THREAD,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self.told = self._answer()

    def run(self, seconds: float) -> float:
        """Let it play for some seconds; return its steps a second."""
        assert self._process.stdin is not None
        print("run", seconds, file=self._process.stdin, flush=True)
        return self._answer()["rate"]

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            self._errors.seek(0)
            raise UnavailableError(last_line(self._errors.read()))
        return json.loads(line)

    def close(self) -> None:
        """End the process."""
        self._process.communicate()
        self._errors.close()


def python_of(contestant: Contestant) -> Path:
    """Give the interpreter that a contestant runs in, its virtual environment made if need be."""
    if not contestant.requirements:
        return Path(sys.executable)
    folder = VENVS / Path(contestant.script).stem
    python, stamp = folder / "bin" / "python", folder / "requirements.txt"
    wanted = "\n".join(contestant.requirements)
    if not stamp.exists() or stamp.read_text() != wanted:
        say(f"installing {', '.join(contestant.requirements)}")
        venv.create(folder, clear=True, with_pip=True)
        command = [python, "-m", "pip", "install", "--quiet", *contestant.requirements]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise UnavailableError(last_line(done.stderr))
        stamp.write_text(wanted)
    return python


def contest(contestants: Sequence[Contestant], seconds: float, runs: int) -> list[Entry]:
    """Measure contestants in turns, `runs` rounds after one to warm up."""
    entries = [Entry(contestant) for contestant in contestants]
    with ExitStack() as stack:
        runners = list(started(entries, stack))
        for turn in range(runs + 1):
            say(f"round {turn} of {runs}")
            for entry, runner in runners:
                take_turn(entry, runner, seconds, keep=turn > 0)
    return entries


def take_turn(entry: Entry, runner: Runner, seconds: float, *, keep: bool) -> None:
    """Measure a contestant once, unless it has failed; note its rate, or the reason."""
    if entry.reason:
        return
    try:
        rate = runner.run(seconds)
    except UnavailableError as error:
        entry.reason = str(error)
    else:
        entry.rates += [rate] if keep else []


def started(entries: Sequence[Entry], stack: ExitStack) -> Iterator[tuple[Entry, Runner]]:
    """Start the runners that can be started; note the reason in the entries of the others."""
    for entry in entries:
        try:
            runner = Runner(entry.contestant)
        except UnavailableError as error:
            entry.reason = str(error)
            say(f"{entry.contestant.title}: {error}")
            continue
        stack.callback(runner.close)
        entry.told = runner.told
        yield entry, runner


def in_turns(variants: Sequence[str]) -> list[Contestant]:
    """List all contestants: ours, a peer, ours, a peer, and so on."""
    ours = [Contestant(name, "ours.py", (name,)) for name in variants]
    pairs = zip_longest(ours, PEERS)
    return [contestant for contestant in chain.from_iterable(pairs) if contestant]


def split(entries: Sequence[Entry]) -> tuple[list[Entry], list[Entry]]:
    """Part the entries into ours and the peers."""
    ours = [entry for entry in entries if entry.contestant.script == "ours.py"]
    return ours, [entry for entry in entries if entry not in ours]


def ratio(own: Entry, peer: Entry) -> dict[str, float]:
    """Divide our rates by a peer's.

    `best`: of the best runs. `median`: of the runs of a round, the median of all rounds; a machine
    that is now fast, now slow moves it less.
    """
    rounds = [one / other for one, other in zip(own.rates, peer.rates, strict=True)]
    return {"best": max(own.rates) / max(peer.rates), "median": median(rounds)}


def ratios(entries: Sequence[Entry]) -> dict[str, dict[str, dict[str, float]]]:
    """Divide our rates by each peer's: peer -> variant -> ratio."""
    ours, peers = split(entries)
    return {
        peer.contestant.title: {
            own.contestant.title: ratio(own, peer) for own in ours if not own.reason
        }
        for peer in peers
        if not peer.reason
    }


def markdown(entries: Sequence[Entry], report: dict[str, Any]) -> str:
    """Write the circumstances and both tables."""
    ours, peers = split(entries)
    header = ("", "Version", "Games", "Best", "Median", "Spread", "Bytes a step")
    found = report["ratios"]
    titles = [own.contestant.title for own in ours if not own.reason]
    times = [(peer, *(_text(found[peer][title]) for title in titles)) for peer in found]
    told = ", ".join(f"{name} {value}" for name, value in report["machine"].items())
    return "\n\n".join(
        (
            f"Best of {report['runs']} runs of {report['seconds']:g} s after one to warm up, "
            f"one thread, steps a second of all games together. Machine: {told}.",
            markdown_table(header, [entry.row() for entry in (*ours, *peers)]),
            "Our best rate divided by the peer's; in brackets the median of the rounds' ratios:",
            markdown_table(("Peer", *titles), times),
        )
    )


def _text(ratio: dict[str, float]) -> str:
    return f"{ratio['best']:,.1f} ({ratio['median']:,.1f})"


def write(text: str, report: dict[str, Any]) -> None:
    """Put the tables between the page's markers, and the figures beside it."""
    before, rest = PAGE.read_text().split(START)
    _, after = rest.split(END)
    PAGE.write_text(f"{before}{START}\n{text}\n{END}{after}")
    DATA.parent.mkdir(exist_ok=True)
    DATA.write_text(json.dumps(report, indent=1) + "\n")


def last_line(text: str) -> str:
    """Give the last line of an error's text that says something, without this folder's name."""
    lines = [line.strip() for line in text.replace(f"{HERE}/", "").splitlines() if line.strip()]
    return lines[-1] if lines else "it ended without a word"


def say(text: str) -> None:
    """Tell what is going on."""
    print(text, file=sys.stderr)


def main() -> None:
    """Measure, print, and write where asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="duration of a run")
    parser.add_argument("--runs", type=int, default=9, help="runs of each")
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    arguments = parser.parse_args()
    seconds = check_seconds(arguments.seconds)
    runs = whole_number("runs", arguments.runs, 1, 1000)
    entries = contest(in_turns(arguments.variants), seconds, runs)
    report = {
        "machine": machine(),
        "seconds": seconds,
        "runs": runs,
        "contestants": [entry.to_json() for entry in entries],
        "ratios": ratios(entries),
    }
    text = markdown(entries, report)
    print(text)
    if arguments.write:
        write(text, report)


if __name__ == "__main__":
    main()
