"""Our own training loop: what a rollout holds, what an update learns, runs that go on."""

import csv
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from tests.conftest import needs_module
from tests.naive_search import naive_verdict
from tests.tiny_games import TINY_CELLS, TINY_COLUMNS
from tests.tiny_runs import SAN_JUAN_HILL, tiny

for name in ("torch", "sb3_contrib", "scipy", "tensorboard", "tqdm", "safetensors"):
    needs_module(name)

import torch as th  # noqa: E402 - after the check that it is there
from safetensors.torch import save  # noqa: E402

from agents import own_loop  # noqa: E402
from agents.config import Network, change_config, config_of  # noqa: E402
from agents.curves import new_logger  # noqa: E402
from agents.learner import Learner  # noqa: E402
from agents.registry import load_agent  # noqa: E402
from agents.rollouts import Moves, Rollouts  # noqa: E402
from agents.runs import best_network  # noqa: E402
from agents.teacher import GreedyTeacher  # noqa: E402
from agents.weights import load_network, new_network, save_network  # noqa: E402
from solitaire_env import register  # noqa: E402
from solitaire_env.envs.registration import env_id, find_sheet  # noqa: E402
from solitaire_env.evaluation import evaluate  # noqa: E402


def shorter(variant: str = SAN_JUAN_HILL, *changes: str) -> Any:
    """Make a configuration of our own loop that trains in a second or two."""
    return tiny(variant, "run.loop=own", *changes)


def played(*changes: str) -> tuple[Rollouts, Any, Moves]:
    """Play a rollout by an untrained network."""
    th.manual_seed(0)
    config = shorter(SAN_JUAN_HILL, *changes)
    rollouts = Rollouts(config, seed=0)
    network = new_network(SAN_JUAN_HILL, config.network)
    return rollouts, network, rollouts.play(network)


# Rollouts


def test_a_rollout_is_legal_and_goes_on() -> None:
    """Actions are among those that the mask allows; the next rollout begins where one ended."""
    rollouts, network, moves = played()
    assert moves.masks.gather(1, moves.actions[:, None]).all()
    assert (moves.masks.sum(dim=1) > 1).all()
    assert 0 < len(moves.actions) <= 16 * 8
    end = rollouts._seen[-1].clone()
    rollouts.play(network)
    assert th.equal(rollouts._seen[0], end)


def test_no_action_is_taken_twice_in_a_position() -> None:
    """A player that trains keeps to what it does when it is tested."""
    rollouts, network, _ = played("ppo.n_steps=64")
    rollouts.play(network)
    end = rollouts.layout.places["counters"][0]
    seen, actions, masks = rollouts._seen[:-1, :, :end].numpy(), rollouts._actions, rollouts._masks
    for game in range(8):
        taken = set()
        for step in range(64):
            key = (seen[step, game].tobytes(), int(actions[step, game]))
            if masks[step, game].sum() > 1:
                assert key not in taken
            taken.add(key)


def test_advantages_are_those_of_the_paper() -> None:
    """A sum of errors, each discounted by gamma and lambda for every move, up to a game's end."""
    rollouts, _, _ = played("ppo.gamma=0.9", "ppo.gae_lambda=0.8")
    rollouts._masks[:] = True
    rng = np.random.default_rng(0)
    rollouts._rewards[:] = rng.normal(size=(16, 8))
    rollouts._values[:] = th.as_tensor(rng.normal(size=(17, 8)))
    rollouts._ends[:] = rng.random((2, 16, 8)) < 0.1
    values, over = rollouts._values.numpy(), rollouts._ends.any(axis=0)
    found = rollouts._advantages()
    for game in range(8):
        for step in range(16):
            expected, weight = 0.0, 1.0
            for later in range(step, 16):
                ahead = 0.0 if over[later, game] else 0.9 * values[later + 1, game]
                error = rollouts._rewards[later, game] + ahead - values[later, game]
                expected, weight = expected + weight * error, weight * 0.9 * 0.8
                if over[later, game]:
                    break
            assert found[step, game] == pytest.approx(expected, abs=1e-5)


def test_a_move_without_a_choice_is_part_of_the_one_before() -> None:
    """Its reward counts there, discounted; the value there is what follows, whatever was said."""
    rollouts, _, _ = played("ppo.gamma=0.5", "ppo.gae_lambda=0.5", "ppo.n_steps=3")
    rollouts._masks[:] = True
    rollouts._masks[1, :, 1:] = False
    rollouts._ends[:] = False
    rollouts._rewards[:] = np.array([[1.0], [2.0], [4.0]])
    rollouts._values[:] = th.tensor([[3.0], [99.0], [5.0], [8.0]])
    last = 4 + 0.5 * 8 - 5
    first = 1 + 0.5 * (2 + 0.5 * 5) - 3 + 0.5 * 0.5 * 0.5 * last
    np.testing.assert_allclose(rollouts._advantages()[[0, 2], 0], [first, last])


def test_rewards_are_scaled_and_a_win_is_worth_more() -> None:
    """Foundation cards times the scale; the bonus in the step that wins, and nowhere else."""
    rollouts, _, _ = played("env.reward_scale=0.5", "env.win_bonus=3")
    rollouts._rewards[0] = 0
    final = {"foundation_cards": np.arange(8), "is_success": np.arange(8) == 2}
    rollouts._note_ends(0, np.arange(8) < 4, final)
    assert rollouts._rewards[0].tolist() == [0, 0, 3, 0, 0, 0, 0, 0]
    cards, won = rollouts.pop_ends()
    assert (cards.tolist(), won.tolist()) == ([0, 1, 2, 3], [0, 0, 1, 0])
    assert len(rollouts.pop_ends()[0]) == 0


# Learning


def test_the_teacher_is_the_greedy_player() -> None:
    """Its most probable action is what that player plays, among the legal ones."""
    _, _, moves = played()
    wanted = GreedyTeacher(SAN_JUAN_HILL, 1.0).teach(moves)
    th.testing.assert_close(wanted.sum(-1), th.ones(len(wanted)))
    assert (wanted[~moves.masks] == 0).all()
    greedy, rows = load_agent("greedy", SAN_JUAN_HILL), np.arange(len(wanted))
    greedy.reset(rows, rows.astype(np.uint64))
    chosen = greedy.act(moves.observations.numpy(), moves.masks.numpy(), rows)
    assert wanted.argmax(-1).tolist() == chosen.tolist()


def test_imitation_brings_the_network_to_the_teacher() -> None:
    """The same moves again and again: the loss falls by half."""
    _, network, moves = played()
    learner = Learner(network, shorter().ppo, GreedyTeacher(SAN_JUAN_HILL, 0.3))
    losses = [learner.update(moves, 3e-3, 1.0)["imitation_loss"] for _ in range(60)]
    assert losses[-1] < losses[0] / 2


def test_an_update_favours_what_did_better() -> None:
    """After PPO's step, actions of positive advantage are more probable than before."""
    _, network, moves = played()
    moves.advantages = th.where(th.arange(len(moves.actions)) % 2 == 0, 1.0, -1.0)
    learner = Learner(network, shorter().ppo, GreedyTeacher(SAN_JUAN_HILL, 1.0))
    for _ in range(5):
        told = learner.update(moves, 1e-3, 0.0)
    assert set(told) == {"value_loss", "entropy", "approx_kl", "clip_fraction"}
    logits = network(moves.observations)[0].masked_fill(~moves.masks, -1e4)
    now = logits.log_softmax(-1).gather(1, moves.actions[:, None])[:, 0]
    gain, better = now - moves.log_probs, moves.advantages > 0
    assert gain[better].mean() > 0 > gain[~better].mean()


# Runs


def test_a_run_keeps_networks_that_play(tmp_path: Path) -> None:
    """Checkpoint, curves, validations and two networks, which say what made them."""
    path = own_loop.train(shorter(SAN_JUAN_HILL, "run.total_steps=1024"), tmp_path, "the command")
    kept = {file.name.split(".")[0] for file in tmp_path.iterdir()}
    assert {"run", "checkpoint", "best", "last", "validation", "progress-from-0"} <= kept
    with (tmp_path / "validation.csv").open() as file:
        assert [int(row["steps"]) for row in csv.DictReader(file)] == [512, 1024]
    assert best_network(tmp_path, SAN_JUAN_HILL) == path == tmp_path / "best.safetensors"
    _, about = load_network(path, SAN_JUAN_HILL)
    assert about["command"] == "the command"
    assert about["config"]["ppo"]["n_steps"] == 16
    player = load_agent(str(path), SAN_JUAN_HILL)
    assert evaluate(player, SAN_JUAN_HILL, range(4), illegal="raise").moves.min() > 0


def test_a_run_goes_on_and_then_is_done(tmp_path: Path) -> None:
    """More steps continue from the checkpoint; the same again does nothing more."""
    own_loop.train(shorter(SAN_JUAN_HILL, "run.total_steps=512"), tmp_path)
    longer = shorter(SAN_JUAN_HILL, "run.total_steps=1024")
    own_loop.train(longer, tmp_path)
    assert (tmp_path / "progress-from-512.csv").exists()
    saved = (tmp_path / "last.safetensors").read_bytes()
    own_loop.train(longer, tmp_path)
    assert load_network(tmp_path / "last.safetensors", SAN_JUAN_HILL)[1]["moves"] == 1024
    assert (tmp_path / "last.safetensors").read_bytes() == saved


def test_a_tiny_game_is_learnt_to_the_optimum(tmp_path: Path) -> None:
    """The trained player wins all that an exhaustive search wins, teacher and beginner do not."""
    register(TINY_CELLS)
    name, deals = TINY_CELLS.name, range(100)
    # The untrained networks of seeds 0 and 2 win all that can be won, by chance.
    changes = ["total_steps=150_000", "validate_every=0", "temperature=0.0", "seed=3"]
    sizes = ["network.pile=32", "network.table=32", "network.match=16"]
    config = change_config(
        config_of({"run": {"variant": name}}),
        [*(f"run.{change}" for change in changes), *sizes, "env.num_envs=128", "env.win_bonus=1"],
    )
    trainer = own_loop.Trainer(config, tmp_path, "")
    trainer._export("untrained.safetensors")
    trainer.run()
    untrained, player = (
        load_agent(str(tmp_path / f"{each}.safetensors"), name) for each in ("untrained", "last")
    )
    winnable = sum(
        naive_verdict(TINY_CELLS, dealt(name, deal), 10**6) == "solved" for deal in deals
    )
    assert evaluate(player, name, deals).wins == winnable < len(deals)
    assert evaluate(untrained, name, deals).wins < 0.9 * winnable
    assert evaluate(load_agent("greedy", name), name, deals).wins < 0.9 * winnable


def test_a_small_game_is_learnt_by_training_alone(tmp_path: Path) -> None:
    """Nine in ten of the deals that can be won; untrained, by chance and by rules not eight."""
    register(TINY_COLUMNS)
    name, deals = TINY_COLUMNS.name, range(100)
    sizes = ["network.pile=32", "network.table=32", "network.match=16"]
    changes = ["run.total_steps=400_000", "run.validate_every=0", "run.temperature=0.0"]
    changes += [*sizes, "env.num_envs=128", "env.win_bonus=1"]
    config = change_config(config_of({"run": {"variant": name}}), changes)
    trainer = own_loop.Trainer(config, tmp_path, "")
    trainer._export("untrained.safetensors")
    trainer.run()
    winnable = sum(
        naive_verdict(TINY_COLUMNS, dealt(name, deal), 10**6) == "solved" for deal in deals
    )
    players = ["untrained", "last", "random", "greedy"]
    files = {each: str(tmp_path / f"{each}.safetensors") for each in players[:2]}
    won = {
        each: evaluate(load_agent(files.get(each, each), name), name, deals).wins
        for each in players
    }
    assert won.pop("last") >= 0.9 * winnable
    assert max(won.values()) < 0.8 * winnable < len(deals)


def dealt(name: str, deal: int) -> dict[str, Any]:
    """Give a dealt position."""
    env: Any = gym.make(env_id(find_sheet(name))).unwrapped
    env.reset(options={"deal": deal})
    return env.position()


def test_a_run_killed_after_a_validation_goes_on_from_it(tmp_path: Path) -> None:
    """A validation saves the run, however rarely checkpoints are asked for."""
    config = shorter(SAN_JUAN_HILL, "run.checkpoint_every=1_000_000")
    trainer = own_loop.Trainer(config, tmp_path, "")
    trainer._logger = new_logger(tmp_path, 0)
    trainer._moves = 512
    trainer._validate()
    assert own_loop.Trainer(config, tmp_path, "")._moves == 512


def test_a_run_killed_before_the_best_network_is_saved_saves_it_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A validation is noted once what it was worth is kept."""
    config = shorter(SAN_JUAN_HILL, "run.total_steps=512")
    export = own_loop.Trainer._export

    def killed(trainer: Any, name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(own_loop.Trainer, "_export", killed)
    with pytest.raises(KeyboardInterrupt):
        own_loop.train(config, tmp_path)
    monkeypatch.setattr(own_loop.Trainer, "_export", export)
    assert own_loop.train(config, tmp_path) == tmp_path / "best.safetensors"


def test_the_share_of_the_teacher(tmp_path: Path) -> None:
    """All at first, then less and less, then none."""
    changes = ("imitation.steps=1000", "imitation.fade=500")
    trainer = own_loop.Trainer(shorter(SAN_JUAN_HILL, *changes), tmp_path, "")
    shares = []
    for trainer._moves in (0, 999, 1000, 1250, 1500, 9000):
        shares.append(trainer._imitation())
    assert shares == [1, 1, 1, 0.5, 0, 0]


def test_bad_networks(tmp_path: Path) -> None:
    """A file that is missing, broken or of another game is refused, by its name."""
    path = tmp_path / "net.safetensors"
    with pytest.raises(ValueError, match="there is no network at"):
        load_network(path, SAN_JUAN_HILL)
    save_network(path, new_network(SAN_JUAN_HILL, Network(pile=8, table=8)), SAN_JUAN_HILL)
    with pytest.raises(ValueError, match="plays another game than arabella: san-juan-hill"):
        load_network(path, "arabella")
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match="holds no network that can be used"):
        load_network(path, SAN_JUAN_HILL)
    for content in (b"{}", save({"a": th.zeros(1)}, {"about": "no JSON"})):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="holds no network that can be used"):
            load_network(path, SAN_JUAN_HILL)


def test_stable_baselines_loop_refuses_what_it_cannot_do(tmp_path: Path) -> None:
    """Imitation and bonuses for wins are our own loop's."""
    from agents import sb3_loop

    for change in ("imitation.steps=10", "env.win_bonus=1"):
        with pytest.raises(ValueError, match=r"need run\.loop = 'own'"):
            sb3_loop.train(tiny(SAN_JUAN_HILL, change), tmp_path)
