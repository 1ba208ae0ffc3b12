"""An evaluation in shards: played anywhere, kept in a folder, joined in the order of the list.

A game depends on player, variant, deal and seed alone, so shards make no difference to the result.
What plays them is a `Run`: `play_here`, or a cluster's (`agents.ray_cluster`).
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np

from agents.registry import load_agent
from agents.runs import best_network, write_whole
from solitaire_env.deal_lists import IntArray, check_deals, list_hash
from solitaire_env.envs.options import whole_number
from solitaire_env.evaluation import Evaluation, evaluate
from solitaire_env.files import check_folder
from solitaire_env.records import package_versions

SHARD_DEALS: Final = 64
"""Deals of a shard: as many as a network is asked of at once, so that no work is wasted."""

SETTINGS: Final = "settings.json"
"""The file of a folder of shards that says whose they are."""

SOURCES: Final = tuple(
    Path(__file__).parents[1] / name for name in ("agents", "configs", "solitaire_env")
)
NETWORK_FILES: Final = (".zip", ".safetensors")
_KINDS: Final = (".py", ".toml", ".safetensors")
_PART: Final = ".part"
_ABOUT: Final = "variant", "agent", "seed", "kwargs"


@dataclass(frozen=True)
class Task:
    """What all shards of an evaluation have in common; whoever plays one must find it the same.

    Attributes:
        agent: as `load_agent` takes it.
        name: what tables call the player.
        variant: a rule sheet's name.
        seed: of the player's chance.
        options: for the player's factory.
        files: path -> hash of what the player is read from.
        source: hash of the code, the configurations and the networks that come with it.
        versions: package -> version.
    """

    agent: str
    name: str
    variant: str
    seed: int
    options: dict[str, Any]
    files: dict[str, str]
    source: str
    versions: dict[str, str]


@dataclass(frozen=True)
class Shard:
    """Deals that are played in one go; `number` is its place in the list of shards."""

    number: int
    deals: tuple[int, ...]


Run = Callable[[Task, Sequence[Shard], int], Iterator[tuple[Shard, Evaluation]]]
"""Plays shards of a task, each with so many games at once; gives them in any order."""

Watch = Callable[[Iterable[tuple[Shard, Evaluation]], int, int], Iterable[Any]]
"""Passes results on, told how many deals there are, and how many of them are played: a bar."""


def new_task(
    agent: str, variant: str, *, name: str, seed: int = 0, options: Mapping[str, Any] | None = None
) -> Task:
    """Describe an evaluation so that it can be played elsewhere, or gone on with later.

    Args:
        agent: see `load_agent`.
        variant: a rule sheet's name.
        name: what to call the player.
        seed: of its chance.
        options: for its factory. Paths become absolute, a folder of runs its best network, which
            may be another tomorrow.

    Raises:
        ValueError: if no run in the folder has a network of the variant.
    """
    told = dict(options or {})
    if "folder" in told:
        told["checkpoint"] = best_network(Path(told.pop("folder")), variant)
    told = {key: _plain(value) for key, value in told.items()}
    if agent.endswith(NETWORK_FILES):
        agent = str(Path(agent).absolute())
    return Task(agent, name, variant, seed, told, **_circumstances(agent, told))


def _plain(value: Any) -> Any:
    return str(value.absolute()) if isinstance(value, Path) else value


def _circumstances(agent: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Tell what a result depends on beside what the task says: here and now."""
    paths = [agent] if agent.endswith(NETWORK_FILES) else []
    paths += [options["checkpoint"]] if "checkpoint" in options else []
    files = {path: _hash(_files(Path(path))) for path in paths}
    return {"files": files, "source": _source(), "versions": package_versions()}


@cache
def _source() -> str:
    """Hash the code that this process runs, once: what is edited later is not what it runs."""
    return _hash(file for folder in SOURCES for file in _files(folder) if file.suffix in _KINDS)


def _files(path: Path) -> list[Path]:
    """List a file, or the files of a folder and of those in it."""
    return [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())


def _hash(files: Iterable[Path]) -> str:
    total = sha256()
    for file in files:
        total.update(sha256(file.read_bytes()).digest())
    return total.hexdigest()[:12]


def split(deals: IntArray, size: int) -> list[Shard]:
    """Cut a list of deals into shards of a size, the last perhaps smaller."""
    numbers = deals.tolist()
    starts = range(0, len(numbers), size)
    return [Shard(i, tuple(numbers[at : at + size])) for i, at in enumerate(starts)]


def play(task: Task, shard: Shard, num_envs: int) -> Evaluation:
    """Play a shard; called where the work is done.

    Raises:
        ValueError: if packages or networks are other ones here than where the task comes from.
    """
    here = replace(task, **_circumstances(task.agent, task.options))
    _check_same("this worker has", _settings(task), _settings(here))
    player = load_agent(task.agent, task.variant, **task.options)
    return evaluate(
        player, task.variant, shard.deals, name=task.name, seed=task.seed, num_envs=num_envs
    )


def _settings(task: Task) -> dict[str, Any]:
    return {field.name: getattr(task, field.name) for field in fields(task)}


def _check_same(who: str, wanted: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Raise ValueError with the first setting that is another one, and its two values."""
    for name, value in wanted.items():
        if found.get(name) != value:
            raise ValueError(f"{who} another {name}: {found.get(name)!r}, wanted is {value!r}")


def play_here(
    task: Task, shards: Sequence[Shard], num_envs: int
) -> Iterator[tuple[Shard, Evaluation]]:
    """Play shards in this process, one after the other."""
    for shard in shards:
        yield shard, play(task, shard, num_envs)


def join(shards: Sequence[Shard], pieces: Mapping[int, Evaluation]) -> Evaluation:
    """Put the games of all shards into the order of the list.

    Raises:
        ValueError: if a shard is missing, or holds other deals than it should.
    """
    for shard in shards:
        if shard.number not in pieces or tuple(pieces[shard.number].deals) != shard.deals:
            raise ValueError(f"shard {shard.number} is missing, or holds other deals")
    ordered = [pieces[shard.number].games() for shard in shards]
    games = {name: np.concatenate([piece[name] for piece in ordered]) for name in ordered[0]}
    first = pieces[shards[0].number]
    return Evaluation(first.variant, first.agent, first.seed, first.kwargs, **games)


class ShardFolder:
    """A folder of finished shards, all of one evaluation.

    Args:
        path: made where it is not there.
        task: what is evaluated.
        deals: the whole list.
        size: of a shard.

    Raises:
        ValueError: if the folder holds shards of another evaluation, or something else.
        OSError: if it can't be written.
    """

    def __init__(self, path: Path, task: Task, deals: IntArray, size: int) -> None:
        self._path = path
        told = {**_settings(task), "deals": len(deals), "deals_hash": list_hash(deals)}
        self._settings = json.loads(json.dumps({**told, "shard_deals": size}))
        self._key = sha256(json.dumps(self._settings, sort_keys=True).encode()).hexdigest()[:12]
        check_folder(path)
        self._claim()

    def _claim(self) -> None:
        """Note the settings in a new folder, or compare them with those noted."""
        file = self._path / SETTINGS
        if file.exists():
            _check_same(f"{self._path} holds shards with", self._settings, _read(file))
        elif any(path.suffix != _PART for path in self._path.iterdir()):
            raise ValueError(f"{self._path} holds something else than shards: give an empty folder")
        else:
            write_whole(file, json.dumps(self._settings, indent=2).encode() + b"\n")

    def _file(self, shard: Shard) -> Path:
        return self._path / f"shard-{shard.number:05}.json"

    def read(self, shards: Sequence[Shard]) -> dict[int, Evaluation]:
        """Read the shards that are finished, by number.

        Raises:
            ValueError: for a file that is no shard of this evaluation.
        """
        there = [shard for shard in shards if self._file(shard).exists()]
        return {shard.number: self._read_one(shard) for shard in there}

    def _read_one(self, shard: Shard) -> Evaluation:
        file = self._file(shard)
        told = _read(file)
        found = told.get("settings"), told.get("games", {}).get("deals")
        if found != (self._key, list(shard.deals)):
            raise ValueError(f"{file} is no shard of this evaluation: remove it")
        return Evaluation.from_json(told)

    def keep(self, shard: Shard, piece: Evaluation) -> None:
        """Keep a finished shard, whole or not at all."""
        games = {name: values.tolist() for name, values in piece.games().items()}
        told = {name: getattr(piece, name) for name in _ABOUT}
        content = json.dumps({"settings": self._key, **told, "games": games})
        write_whole(self._file(shard), content.encode() + b"\n")


def _read(file: Path) -> dict[str, Any]:
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{file} is no JSON: {error}") from None
    if not isinstance(told, dict):
        raise ValueError(f"{file} holds no shard of an evaluation")
    return told


def evaluate_sharded(
    task: Task,
    deals: Iterable[int],
    *,
    run: Run = play_here,
    num_envs: int = 256,
    size: int = SHARD_DEALS,
    folder: Path | None = None,
    watch: Watch | None = None,
) -> Evaluation:
    """Evaluate in shards, with the same result as `evaluate`.

    Args:
        task: what is evaluated.
        deals: their numbers, each another.
        run: what plays the shards.
        num_envs: games side by side at most; changes the speed and nothing else.
        size: deals of a shard.
        folder: where finished shards are kept; those that it has are not played again. None:
            nothing is kept.
        watch: see `Watch`.

    Raises:
        ValueError: for what `evaluate` refuses, and a folder that holds something else.
        OSError: if the folder can't be written.
    """
    numbers = check_deals(deals)
    shards = split(numbers, whole_number("shard_deals", size, 1, 2**31))
    kept = ShardFolder(folder, task, numbers, size) if folder else None
    pieces = kept.read(shards) if kept else {}
    fresh = run(task, [shard for shard in shards if shard.number not in pieces], num_envs)
    played = sum(len(piece.deals) for piece in pieces.values())
    for shard, piece in watch(fresh, len(numbers), played) if watch else fresh:
        if kept:
            kept.keep(shard, piece)
        pieces[shard.number] = piece
    return join(shards, pieces)
