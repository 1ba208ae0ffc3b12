"""What a training run is made of: a TOML file of sections, checked key by key."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

_MAY_BE_ZERO = (
    "run.seed",
    "run.validate_every",
    "env.no_progress_limit",
    "env.max_episode_steps",
    "imitation.steps",
    "imitation.fade",
)


LOOPS = ("own", "sb3")

PLAYERS = ("greedy",)
"""Sections that a file may hold for others than training: the weights of a player."""


class ConfigError(ValueError):
    """A configuration that can't be used; the message names the key and what is accepted."""


@dataclass(frozen=True)
class Run:
    """Section [run]: what is trained, for how long, what is kept."""

    variant: str = ""
    """a rule sheet's name"""
    loop: str = "own"
    """own: this project's, which can do all of what is below; sb3: that of sb3-contrib"""
    start: str = ""
    """network to begin with: a .safetensors file, or a variant, for the one that comes with it"""
    total_steps: int = 10_000_000
    """moves played in training, all games together"""
    minutes: float = 0.0
    """stop after so many, to be resumed by the same command; 0: never"""
    seed: int = 0
    """decides deals, first weights and chance"""
    checkpoint_every: int = 200_000
    """moves between two checkpoints"""
    validate_every: int = 1_000_000
    """moves between two validations; 0: none"""
    validate_deals: int = 500
    """deals of a validation, from number 1000 up"""
    temperature: float = 1.0
    """of play, in validation and later: 0 the most probable action, 1 as in training"""
    threads: int = 1
    """of PyTorch; two on a busy machine are many times slower than one"""


@dataclass(frozen=True)
class Env:
    """Section [env]: the games."""

    num_envs: int = 512
    """games side by side"""
    reward: str = "foundation"
    """see the environment's own argument"""
    reward_scale: float = 0.02
    """rewards are multiplied by it"""
    win_bonus: float = 0.0
    """what a win is worth beside that; not for Stable-Baselines3's loop"""
    no_progress_limit: int = 0
    """moves without progress that cut a game short; 0: the rule sheet's limit"""
    max_episode_steps: int = 0
    """moves that cut a game short; 0: the rule sheet's limit"""

    def limits(self) -> dict[str, int]:
        """Give the limits that differ from the rule sheet's, as the environment takes them."""
        names = ("no_progress_limit", "max_episode_steps")
        return {name: getattr(self, name) for name in names if getattr(self, name)}


@dataclass(frozen=True)
class Ppo:
    """Section [ppo]: the arguments of sb3-contrib's MaskablePPO."""

    n_steps: int = 32
    """moves in each game between two updates"""
    batch_size: int = 256
    """moves in a gradient step"""
    n_epochs: int = 1
    """times that a move is learnt from"""
    learning_rate: float = 3e-3
    """at the start"""
    final_learning_rate: float = 1e-4
    """at the end, in a straight line from the start"""
    gamma: float = 0.999
    """what a reward is worth one move later"""
    gae_lambda: float = 0.95
    """between one step (0) and whole games (1) in estimating advantages"""
    ent_coef: float = 0.01
    """weight of the entropy"""
    vf_coef: float = 0.5
    """weight of the value's error"""
    clip_range: float = 0.2
    """how far an update may change an action's probability, relatively"""
    max_grad_norm: float = 0.5
    """longest gradient"""


@dataclass(frozen=True)
class Imitation:
    """Section [imitation]: learning from the rule-based player, before and beside PPO."""

    steps: int = 0
    """moves, the first of the run, in which the network only learns what that player would do"""
    fade: int = 0
    """moves after these in which it is still held to that player, less and less"""
    temperature: float = 1.0
    """units of its weighed sums in which an action is e times as good as another"""


@dataclass(frozen=True)
class Expert:
    """Section [expert]: learning from games of `ppo-search`, see agents/expert.py."""

    start: str = ""
    """network to begin with, as `run.start`; "": the variant's own that comes with the agents"""
    rounds: int = 2
    """of games and lessons, as long as they bring something"""
    games: int = 500
    """of a round"""
    playouts: int = 32
    """of a choice, as are the next two: see agents/ppo_search.py"""
    width: int = 4
    """moves tried"""
    horizon: int = 16
    """moves of a playout"""
    epochs: int = 2
    """times that a move is learnt from"""
    learning_rate: float = 3e-4
    """at the start; it falls by equal steps an epoch"""


@dataclass(frozen=True)
class Network:
    """Section [network]: widths of the layers."""

    card: int = 12
    """numbers that stand for a card"""
    pile: int = 64
    """numbers that stand for a pile"""
    table: int = 128
    """numbers that stand for the whole table"""
    match: int = 48
    """numbers in which a pile and a target are compared"""


@dataclass(frozen=True)
class Config:
    """A training run, resolved: every key has its value."""

    run: Run = field(default_factory=Run)
    env: Env = field(default_factory=Env)
    ppo: Ppo = field(default_factory=Ppo)
    imitation: Imitation = field(default_factory=Imitation)
    expert: Expert = field(default_factory=Expert)
    network: Network = field(default_factory=Network)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Give sections, keys and values."""
        return asdict(self)


def load_config(path: str | Path, changes: Iterable[str] = ()) -> Config:
    """Read a TOML file and change some keys.

    Args:
        path: of the file; keys that it leaves out have their defaults.
        changes: "section.key=value", the value as TOML writes it (strings without quotes too).

    Raises:
        ConfigError: for a missing or broken file, an unknown key or a value of another type.
    """
    try:
        tables = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"no configuration at {path}: {error.strerror}") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is no TOML: {error}") from error
    training = {name: keys for name, keys in tables.items() if name not in PLAYERS}
    return change_config(config_of(training), changes)


def config_of(tables: Mapping[str, Any]) -> Config:
    """Build a configuration from sections, as `Config.to_dict` gives them."""
    config = Config()
    for section, keys in tables.items():
        if not isinstance(keys, dict):
            raise ConfigError(f"{section!r} stands outside the sections, accepted are {_keys()}")
        for key, value in keys.items():
            config = _set(config, f"{section}.{key}", value)
    if not config.run.variant:
        raise ConfigError("run.variant is missing: name a rule sheet, as 'san-juan-hill'")
    return config


def change_config(config: Config, changes: Iterable[str]) -> Config:
    """Apply changes "section.key=value"; see `load_config`."""
    for change in changes:
        name, equals, text = change.partition("=")
        if not equals:
            raise ConfigError(f"--set {change!r}, accepted is section.key=value")
        config = _set(config, name.strip(), _value(text.strip()))
    return config


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _set(config: Config, name: str, value: Any) -> Config:
    kinds = _keys()
    if name not in kinds:
        raise ConfigError(f"unknown key {name!r}, accepted are {', '.join(kinds)}")
    if kinds[name] is float and type(value) is int:
        value = float(value)
    if type(value) is not kinds[name]:
        raise ConfigError(
            f"{name} is {value!r}, accepted is a value of type {kinds[name].__name__}"
        )
    lowest = 1 if type(value) is int and name not in _MAY_BE_ZERO else 0
    if not isinstance(value, str) and not lowest <= value < float("inf"):
        raise ConfigError(f"{name} is {value!r}, accepted are numbers from {lowest}")
    if name == "run.loop" and value not in LOOPS:
        raise ConfigError(f"run.loop is {value!r}, accepted are {', '.join(LOOPS)}")
    section, key = name.split(".")
    return replace(config, **{section: replace(getattr(config, section), **{key: value})})


def _keys() -> dict[str, type]:
    """List all keys with the types of their values."""
    config = Config()
    return {
        f"{section.name}.{key.name}": type(getattr(getattr(config, section.name), key.name))
        for section in fields(config)
        for key in fields(getattr(config, section.name))
    }


def differences(one: Config, other: Config) -> list[str]:
    """Name the keys in which two configurations differ."""
    sections = one.to_dict(), other.to_dict()
    return [
        name
        for name in _keys()
        if len({str(tables[name.split(".")[0]][name.split(".")[1]]) for tables in sections}) > 1
    ]
