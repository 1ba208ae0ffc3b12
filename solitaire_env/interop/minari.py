"""Minari: recorded games as a dataset for offline learning, and games to record."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import gymnasium as gym
import numpy as np

from solitaire_env.envs.options import ActionError
from solitaire_env.evaluation import evaluate
from solitaire_env.policies import Policy
from solitaire_env.records import ReplayError, game_record
from solitaire_env.replay import Replay

try:
    import minari
    from minari.data_collector import EpisodeBuffer
except ImportError as error:
    raise ImportError(
        "solitaire_env.interop.minari needs Minari: pip install 'solitaire-env[minari]'"
    ) from error

Game = Replay | Mapping[str, Any] | str | Path
"""A recorded game: as `Replay`, as `records.game_record` gives it, or the path of its file."""

_TOLD: Final = ("action_mask", "foundation_cards", "moves", "score")
_BATCH_ONLY: Final = ("num_threads",)
_NEVER: Final = 2**31


def write_dataset(dataset_id: str, games: Iterable[Game], **metadata: Any) -> minari.MinariDataset:
    """Play recorded games again and write them as a Minari dataset.

    An episode of T actions has T + 1 observations, and infos of as many rows: `action_mask`
    (T + 1, A) int8, `foundation_cards`, `moves` and `score`. Its options say how it began,
    {"deal": number} or {"position": ...}.

    Args:
        dataset_id: as "solitaire/san-juan-hill/greedy-v0"; there must be none of this name.
        games: all of one variant, recorded with the same keyword arguments.
        **metadata: for Minari: algorithm_name, author, author_email, description, code_permalink.

    Returns:
        The dataset, which `minari.load_dataset(dataset_id)` finds again.

    Raises:
        ValueError: for no games, games of several kinds, one that is broken off within, one that
            can't be played, and a name that is taken.
    """
    replays = [_replay_of(game) for game in games]
    env = _environment(replays)
    if dataset_id in minari.list_local_datasets():
        raise ValueError(f"dataset_id is {dataset_id!r}, which is there already: delete it first")
    episodes = [_episode(env, replay) for replay in replays]
    told: dict[str, Any] = {"eval_env": env.spec, "data_format": "hdf5", **metadata}
    return minari.create_dataset_from_buffers(dataset_id, episodes, env, **told)


def _replay_of(game: Game) -> Replay:
    if isinstance(game, Replay):
        return game
    return Replay.load(game) if isinstance(game, str | Path) else Replay.from_json(dict(game))


def _environment(replays: list[Replay]) -> gym.Env[Any, Any]:
    """Make the environment in which all the games were played."""
    kinds = [(replay.record["env_id"], replay.record["kwargs"]) for replay in replays]
    if not kinds:
        raise ValueError("games is empty, accepted are one or more")
    for kind in kinds:
        if kind != kinds[0]:
            raise ValueError(f"games are of {kinds[0]} and of {kind}, accepted is one kind")
    name, kwargs = kinds[0]
    return gym.make(name, **{key: kwargs[key] for key in kwargs if key not in _BATCH_ONLY})


def _episode(env: gym.Env[Any, Any], replay: Replay) -> EpisodeBuffer:
    """Play a recorded game and keep all that was seen."""
    start = replay.start
    observation, info = env.reset(options=start)
    seen, infos, results = [observation], [info], []
    for action in replay.actions:
        try:
            observation, *result, info = env.step(action)
        except ActionError as error:
            raise ReplayError(f"action {len(results)} of the game {start}: {error}") from error
        seen.append(observation)
        infos.append(info)
        results.append(result)
    if not results or not any(results[-1][1:]):
        raise ReplayError(f"the game {start} is not over after its {len(results)} actions")
    rewards, terminations, truncations = zip(*results, strict=True)
    return EpisodeBuffer(
        options=start,
        observations=list(seen),
        actions=list(replay.actions),
        rewards=list(rewards),
        terminations=list(terminations),
        truncations=list(truncations),
        infos={name: np.stack([info[name] for info in infos]) for name in _TOLD},
    )


def policy_games(
    policy: Policy, variant: str, deals: Iterable[int], **kwargs: Any
) -> list[dict[str, Any]]:
    """Let a policy play each of some deals once; give the records of its games, in their order.

    Args:
        policy: the player.
        variant: a rule sheet's name.
        deals: their numbers, each another; learn from those from 1,000,000 up.
        **kwargs: see `evaluate`.

    Raises:
        ValueError: see `evaluate`.
    """
    numbers = list(deals)
    with TemporaryDirectory() as folder:
        evaluate(policy, variant, numbers, record=folder, **kwargs)
        files = (Path(folder) / f"{variant}-{deal}.json" for deal in numbers)
        return [Replay.load(file).to_json() for file in files]


def solver_games(variant: str, deals: Iterable[int], **limits: Any) -> Iterator[dict[str, Any]]:
    """Give the records of won games, as the solver found them, for those deals that it solved.

    The solver sees every card; what the dataset shows is what a player sees.

    Args:
        variant: a rule sheet's name.
        deals: their numbers.
        **limits: see `solver.solve`.

    Raises:
        ValueError: see `solver.solve`.
    """
    from solitaire_env.solver import solve

    for deal in deals:
        verdict = solve(variant, deal=deal, **limits)
        if verdict.status == "solved":
            kwargs = {"no_progress_limit": _NEVER, "max_episode_steps": _NEVER}
            yield game_record(variant, deal, verdict.actions, kwargs)
