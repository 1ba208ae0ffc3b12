"""RLlib's door: names and configurations, masked PPO, and its modules as players."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solitaire_env import VARIANTS, env_id, register
from tests.conftest import needs_ray
from tests.helpers import ROOT, every_variant, make, make_vec
from tests.tiny_games import TINY_KLONDIKE

needs_ray()

import torch as th  # noqa: E402 - after the check that it is there
from ray.rllib.core.columns import Columns  # noqa: E402
from ray.rllib.env.env_context import EnvContext  # noqa: E402
from ray.tune.registry import ENV_CREATOR, _global_registry  # noqa: E402

from agents.ray_cluster import connected  # noqa: E402
from solitaire_env.envs.options import IllegalActionError  # noqa: E402
from solitaire_env.evaluation import evaluate  # noqa: E402
from solitaire_env.interop import rllib  # noqa: E402
from solitaire_env.interop.rllib import ModulePolicy, make_env, ppo_config, register_ray  # noqa: E402

SAN_JUAN_HILL = "san-juan-hill"
SMALL = {"fcnet_hiddens": [16], "head_fcnet_hiddens": [], "vf_share_layers": True}


@pytest.fixture(scope="module", autouse=True)
def ray() -> Iterator[Any]:
    """Start Ray with two processes."""
    with connected("local", 2) as module:
        yield module


def small(variant: str, env_runners: int = 0, **env_config: Any) -> Any:
    """Configure a training of a second; an illegal action is an error."""
    config = ppo_config(variant, SMALL, illegal="raise", **env_config)
    config = config.env_runners(num_env_runners=env_runners, num_envs_per_env_runner=4)
    config = config.learners(num_learners=0).debugging(seed=0, log_level="ERROR")
    return config.training(train_batch_size_per_learner=256, minibatch_size=64, num_epochs=2)


# Environments


def creator(name: str) -> Any:
    """Find what RLlib makes environments of a name with."""
    return _global_registry.get(ENV_CREATOR, name)


@every_variant
def test_every_variant_has_a_name(name: str) -> None:
    """RLlib's creator gives the same game as `gym.make`, and the batch where it asks for one."""
    assert {env_id(VARIANTS[name]), "solitaire_env"} <= set(register_ray())
    single = creator(env_id(VARIANTS[name]))(EnvContext({}, 1))
    seen, info = single.reset(options={"deal": 5})
    plain, told = make(name).reset(options={"deal": 5})
    np.testing.assert_array_equal(seen["observations"], plain)
    np.testing.assert_array_equal(seen["action_mask"], told["action_mask"])
    assert single.observation_space.contains(seen)
    assert info["deal"] == 5

    batch = creator("solitaire_env")({"variant": name, "num_envs": 3})
    seen, _ = batch.reset(seed=1)
    plain, told = make_vec(name, 3).reset(seed=1)
    np.testing.assert_array_equal(seen["observations"], plain)
    np.testing.assert_array_equal(seen["action_mask"], told["action_mask"])
    assert batch.single_observation_space == single.observation_space


def test_the_configuration_is_plain_json() -> None:
    """It reaches the environment, by name or by id."""
    given = {"variant": SAN_JUAN_HILL, "reward": "ledger", "max_episode_steps": 3}
    for variant in (SAN_JUAN_HILL, "solitaire_env/SanJuanHill-v0"):
        env = make_env(json.loads(json.dumps({**given, "variant": variant})))
        assert env.spec.kwargs["reward"] == "ledger"
        assert env.spec.max_episode_steps == 3


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, "variant is None, accepted are"),
        ({"variant": "canfield"}, "variant is 'canfield', accepted are"),
        ({"variant": SAN_JUAN_HILL, "rewards": "win"}, "env_config is 'rewards', accepted are"),
        ({"variant": SAN_JUAN_HILL, "reward": "money"}, "reward is 'money', accepted are"),
        ({"variant": SAN_JUAN_HILL, "num_envs": 2}, "env_config is 'num_envs', accepted are"),
    ],
)
def test_what_is_not_accepted_is_refused(config: dict[str, Any], message: str) -> None:
    """The error names the key or the value, and what is accepted; `num_envs` is RLlib's own."""
    register_ray()
    with pytest.raises(ValueError, match=message):
        creator("solitaire_env")(EnvContext(config, 1))


def test_a_name_keeps_its_game() -> None:
    """A configuration can't make another game of an id."""
    register_ray()
    with pytest.raises(
        ValueError, match="variant is 'arabella', this name accepts 'san-juan-hill'"
    ):
        creator("solitaire_env/SanJuanHill-v0")(EnvContext({"variant": "arabella"}, 1))
    with pytest.raises(ValueError, match="env_config is 'colour', accepted are"):
        ppo_config(SAN_JUAN_HILL, colour="red")


# Training


def test_training_plays_legal_actions_only() -> None:
    """In two processes, on a sheet that only this one registered; every weight learns."""
    register_ray(TINY_KLONDIKE)
    algorithm = small("tiny-klondike", env_runners=1).build_algo()
    module = algorithm.learner_group._learner.module["default_policy"]
    before = {name: value.clone() for name, value in module.named_parameters()}
    result = algorithm.train()
    assert result["num_env_steps_sampled_lifetime"] >= 256
    assert result["env_runners"]["num_episodes"] > 0
    for name, value in module.named_parameters():
        assert th.isfinite(value).all(), name
        assert not th.equal(value, before[name]), name
    algorithm.stop()


def test_a_wrong_mask_would_have_been_noticed() -> None:
    """Without its mask the same training breaks the rules at once, and says so."""

    class Unmasked(rllib.MaskedPPOModule):
        def _forward(self, batch: Any, **kwargs: Any) -> Any:
            batch[Columns.OBS]["action_mask"][:] = 1
            return super()._forward(batch, **kwargs)

    register_ray()
    config = small(SAN_JUAN_HILL)
    spec = config.rl_module_spec
    spec.module_class = Unmasked
    algorithm = config.rl_module(rl_module_spec=spec).build_algo()
    with pytest.raises(RuntimeError) as caught:
        algorithm.train()
    assert isinstance(caught.value.__cause__, IllegalActionError)
    algorithm.stop()


def untrained(variant: str) -> Any:
    """Make a module that has learnt nothing."""
    env = make_env({"variant": variant})
    th.manual_seed(0)
    spec = small(variant).rl_module_spec
    spec.observation_space, spec.action_space = env.observation_space, env.action_space
    spec.inference_only = False
    return spec.build()


@every_variant
def test_what_is_illegal_has_no_probability(name: str) -> None:
    """In play and in the loss; a game that is over gives finite numbers all the same."""
    register_ray()
    module, batch = untrained(name), make_vec(name, 6)
    seen, infos = batch.reset(seed=0)
    masks = infos["action_mask"].copy()
    masks[0] = 0
    given = {"observations": th.as_tensor(seen), "action_mask": th.as_tensor(masks)}
    for forward in (module.forward_inference, module.forward_exploration, module.forward_train):
        said = forward({Columns.OBS: given})
        chances = th.softmax(said[Columns.ACTION_DIST_INPUTS], -1).detach().numpy()
        assert (chances[1:][masks[1:] == 0] == 0).all()
        assert (chances[1:][masks[1:] == 1] > 0).all()
        np.testing.assert_allclose(chances.sum(axis=1), 1, rtol=1e-5)
    values = module.compute_values({Columns.OBS: given})
    th.testing.assert_close(values, module.compute_values({}, said[Columns.EMBEDDINGS]))
    assert values.shape == (6,)


# The player


@pytest.mark.parametrize("temperature", [0, 1])
def test_the_number_of_games_at_once_changes_nothing(temperature: float) -> None:
    """A module's games depend on deal and seed alone."""
    deals, kwargs = range(9), {"max_episode_steps": 40}
    player = ModulePolicy(untrained(SAN_JUAN_HILL), temperature)
    one = evaluate(player, SAN_JUAN_HILL, deals, **kwargs)
    other = evaluate(player, SAN_JUAN_HILL, deals, num_envs=2, **kwargs)
    assert one.to_json() == other.to_json()


def test_it_plays_by_the_modules_probabilities() -> None:
    """At temperature 1 as often as RLlib itself would, at 0 always the most probable."""
    module = untrained(SAN_JUAN_HILL)
    seen, infos = make_vec(SAN_JUAN_HILL, 1).reset(seed=3)
    mask, games = infos["action_mask"] == 1, 4000
    batch = {"observations": th.as_tensor(seen), "action_mask": th.as_tensor(mask)}
    logits = module.forward_inference({Columns.OBS: batch})[Columns.ACTION_DIST_INPUTS]
    chances = th.softmax(logits, -1).numpy()[0]
    rows = np.arange(games)
    many = np.repeat(seen, games, axis=0), np.repeat(mask, games, axis=0), rows
    player = ModulePolicy(module)
    player.reset(rows, rows.astype(np.uint64) * np.uint64(7919))
    counts = np.bincount(player.act(*many), minlength=len(chances))
    expected = games * chances
    assert (np.abs(counts - expected) <= 5 * np.sqrt(expected)).all()
    greedy = ModulePolicy(module, 0)
    greedy.reset(rows, rows.astype(np.uint64))
    assert set(greedy.act(*many)) == {chances.argmax()}
    with pytest.raises(ValueError, match="temperature is -1, accepted are finite numbers from 0"):
        ModulePolicy(module, -1)


def test_a_checkpoint_plays_as_its_algorithm(tmp_path: Path) -> None:
    """Loaded again it plays the same games; for another game, or none there, it is refused."""
    register(TINY_KLONDIKE)
    register_ray()
    algorithm = small("tiny-klondike").build_algo()
    algorithm.train()
    algorithm.save_to_path(str(tmp_path / "saved"))
    here = evaluate(ModulePolicy(algorithm.get_module()), "tiny-klondike", range(9))
    algorithm.stop()
    loaded = rllib.make("tiny-klondike", tmp_path / "saved")
    assert evaluate(loaded, "tiny-klondike", range(9)).to_json() == here.to_json()
    with pytest.raises(ValueError, match="plays another game"):
        rllib.make(SAN_JUAN_HILL, tmp_path / "saved")
    with pytest.raises(ValueError, match="there is no checkpoint"):
        rllib.make(SAN_JUAN_HILL, tmp_path / "lost")


def test_the_example_beats_random_play(ray: Any) -> None:
    """A minute of training is worth more than chance, by a 99 % bound, and breaks no rule."""
    command = [sys.executable, "-m", "examples.rllib_ppo", "--moves", "30000"]
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "illegal actions: 0" in done.stdout
