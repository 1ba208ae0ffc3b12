"""Agents: the network, players, and the command lines."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from agents.registry import load_agent
from solitaire_env import VARIANTS, register
from tests.conftest import needs_module
from tests.helpers import ROOT, make
from tests.tiny_games import TINY_GAMES
from tests.tiny_runs import SAN_JUAN_HILL, TINY, tiny

for name in ("torch", "sb3_contrib", "scipy", "tensorboard", "tqdm"):
    needs_module(name)

import torch as th  # noqa: E402 - after the check that it is there

from agents import SHIPPED, demo  # noqa: E402
from agents import evaluate as evaluate_command  # noqa: E402
from agents import train as train_command  # noqa: E402
from agents.config import Network, config_of, differences, load_config  # noqa: E402
from agents.distribution import FastMaskedDistribution  # noqa: E402
from agents.layout import layout_of  # noqa: E402
from agents.memory import LoopMemory  # noqa: E402
from agents.network import LookUp  # noqa: E402
from agents.ppo import NetworkPolicy, logits_of, new_model  # noqa: E402
from agents.sb3_loop import make_games  # noqa: E402
from agents.train import train  # noqa: E402
from agents.weights import load_network, new_network, save_network  # noqa: E402
from solitaire_env.evaluation import evaluate  # noqa: E402
from solitaire_env.files import check_file, check_folder  # noqa: E402
from solitaire_env.players import AGENTS  # noqa: E402


def untrained(variant: str) -> tuple[Any, Any]:
    """Make a model that has learnt nothing, and its games."""
    venv = make_games(tiny(variant))
    return new_model(tiny(variant), venv), venv


# The network


@pytest.mark.parametrize("name", [*VARIANTS, *(sheet.name for sheet in TINY_GAMES)])
def test_the_network_serves_every_game(name: str) -> None:
    """Logits for each action and a value, finite; every action has ends of its own."""
    for sheet in TINY_GAMES:
        register(sheet)
    model, venv = untrained(name)
    observations = th.as_tensor(venv.reset())
    actions, values, log_probs = model.policy(observations, action_masks=venv.action_masks())
    assert values.shape == (8, 1)
    assert th.isfinite(log_probs).all()
    assert venv.action_masks()[np.arange(8), actions.numpy()].all()
    ends = layout_of(venv.envs).ends
    assert len(ends) == venv.action_space.n
    # A column aimed at itself means the foundation: no other two actions may be one.
    assert len(set(ends)) == len(ends)


def test_a_loaded_network_goes_on_learning(tmp_path: Path) -> None:
    """What is made once for play never stands for what has changed since, nor stops a gradient."""
    name, path = "san-juan-hill", tmp_path / "net.safetensors"
    network, seen = (
        new_network(name, Network(pile=16, table=16)),
        th.as_tensor(untrained(name)[1].reset()),
    )
    save_network(path, network, name)
    loaded, _ = load_network(path, name)
    with th.no_grad():
        before = loaded(seen)[0]
    assert th.equal(before, network(seen)[0])
    loaded(seen)[0].square().sum().backward()
    assert loaded.encoder.codes_in.grad.abs().sum() > 0
    loaded.train()
    with th.no_grad():
        loaded.encoder.codes_in += 0.1
        changed = loaded(seen)[0]
        assert not th.equal(before, changed)
        assert th.equal(loaded.eval()(seen)[0], changed)


def test_looking_up_is_an_embedding_bag() -> None:
    """The same sums, and the same gradient, as PyTorch's own."""
    table = th.randn(7, 5, requires_grad=True)
    rows, begins = th.tensor([3, 3, 6, 0, 1]), th.tensor([0, 2, 2, 4])
    gradients = []
    for look_up in (
        LookUp.apply,
        lambda *a: th.nn.functional.embedding_bag(a[1], a[0], a[2], mode="sum"),
    ):
        sums = look_up(table, rows, begins)
        assert sums.shape == (4, 5)
        (sums**3).sum().backward()
        gradients.append((sums.detach(), table.grad))
        table.grad = None
    th.testing.assert_close(*gradients)


def test_the_fast_distribution_is_the_slow_one() -> None:
    """Log probabilities, entropy and mode are sb3-contrib's; samples are legal and as likely."""
    from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution

    th.manual_seed(0)
    logits, masks = th.randn(50, 9), th.rand(50, 9) < 0.4
    masks[:, 3] = True
    fast = FastMaskedDistribution(9).proba_distribution(logits)
    slow = MaskableCategoricalDistribution(9).proba_distribution(logits)
    for mask in (None, masks.numpy()):
        fast.apply_masking(mask)
        slow.apply_masking(mask)
        actions = slow.sample()
        th.testing.assert_close(fast.log_prob(actions), slow.log_prob(actions))
        th.testing.assert_close(fast.entropy(), slow.entropy())
        assert th.equal(fast.mode(), slow.mode())
    draws = th.stack([fast.sample() for _ in range(4000)])
    assert masks.gather(1, draws.T).all()
    shares = th.nn.functional.one_hot(draws, 9).float().mean(dim=0)
    assert (shares - fast.logits.exp()).abs().max() < 0.05


# Players


def test_the_network_player_does_not_depend_on_the_games_at_once() -> None:
    """Same choices whether games share the network's batch or not, argmax and sampled."""
    model, venv = untrained(SAN_JUAN_HILL)
    memory = layout_of(venv.envs)
    for temperature in (0.0, 1.0):
        results = [
            evaluate(
                NetworkPolicy(logits_of(model.policy), LoopMemory(memory), temperature),
                SAN_JUAN_HILL,
                range(70),
                num_envs=num_envs,
                max_episode_steps=80,
            )
            for num_envs in (70, 9)
        ]
        for name in ("moves", "score", "foundation_cards", "outcomes"):
            one, other = (getattr(result, name) for result in results)
            np.testing.assert_array_equal(one, other)


def test_no_action_is_repeated_in_a_position() -> None:
    """Until every legal action was tried there."""
    layout = layout_of(make(SAN_JUAN_HILL))
    memory, rows = LoopMemory(layout), np.array([4])
    memory.reset(rows)
    here = np.zeros((1, layout.size), np.uint8)
    masks = np.array([[True, False, True]])
    assert memory.untried(here, masks, rows).tolist() == [[True, False, True]]
    memory.note(here, np.array([0]), rows)
    later = here.copy()
    later[:, slice(*layout.places["counters"])] = 7
    assert memory.untried(later, masks, rows).tolist() == [[False, False, True]]
    elsewhere = here + 1
    assert memory.untried(elsewhere, masks, rows).tolist() == [[True, False, True]]
    memory.note(later, np.array([2]), rows)
    assert memory.untried(here, masks, rows).tolist() == [[True, False, True]]
    memory.reset(rows)
    memory.note(here, np.array([2]), rows)
    assert memory.untried(here, masks, rows).tolist() == [[True, False, False]]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (
            "nobody",
            {},
            f"accepted are {', '.join(AGENTS)}, module:factory, a .safetensors",
        ),
        ("nowhere:make", {}, "can't be loaded: No module named 'nowhere'"),
        ("solitaire_env.policies:nothing", {}, "can't be loaded"),
        ("random", {"temperature": 1.0}, "does not take temperature"),
        ("missing.zip", {}, "there is no network at missing.zip"),
        ("ppo", {"temperature": -1.0}, "temperature is -1.0, accepted are numbers from 0"),
    ],
)
def test_unknown_players(name: str, options: dict[str, Any], message: str) -> None:
    """Each is refused, naming it."""
    with pytest.raises(ValueError, match=message):
        load_agent(name, SAN_JUAN_HILL, **options)


def test_a_stock_network_plays(tmp_path: Path) -> None:
    """What MaskablePPO saved with a policy of its own is a player too."""
    from sb3_contrib import MaskablePPO

    model = MaskablePPO("MlpPolicy", make_games(tiny()), n_steps=8, batch_size=64, device="cpu")
    model.save(tmp_path / "stock.zip")
    player = load_agent(str(tmp_path / "stock.zip"), SAN_JUAN_HILL)
    assert len(evaluate(player, SAN_JUAN_HILL, range(3)).deals) == 3


def test_the_temperature_is_the_runs(tmp_path: Path) -> None:
    """Play is as the run's configuration says, and may be changed for a run that goes on."""
    for temperature in (0.25, 0.75):
        changes = ("run.total_steps=128", f"run.temperature={temperature}")
        path = train(tiny(SAN_JUAN_HILL, *changes), tmp_path)
        assert load_agent(str(path), SAN_JUAN_HILL)._temperature == temperature
    assert load_agent(str(path), SAN_JUAN_HILL, temperature=0.0)._temperature == 0


def test_anybodys_factory_plays() -> None:
    """`module:factory` is called with the variant."""
    player = load_agent("solitaire_env.policies:random_player", SAN_JUAN_HILL)
    assert len(evaluate(player, SAN_JUAN_HILL, range(2)).deals) == 2


# Command lines


def test_the_training_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Seeds are runs of their own; mistakes end with a message and code 2."""
    changes = [part for change in (*TINY, "run.total_steps=128") for part in ("--set", change)]
    path = str(ROOT / "configs" / "san-juan-hill.toml")
    train_command.main([path, *changes, "--seeds", "3", "4", "--folder", str(tmp_path)])
    for seed in (3, 4):
        folder = tmp_path / SAN_JUAN_HILL / f"seed-{seed}"
        assert json.loads((folder / "run.json").read_text())["seed"] == seed
        assert (folder / "last.safetensors").exists()
    with pytest.raises(SystemExit) as stopped:
        train_command.main([path, "--set", "ppo.lr=1", "--folder", str(tmp_path)])
    assert stopped.value.code == 2
    assert "accepted are run.variant" in capsys.readouterr().err


def test_the_evaluation_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Prints the table beside a random player, writes JSON and the games."""
    out, games = tmp_path / "out" / "out.json", tmp_path / "games"
    arguments = ["--agent", "random", "--variant", SAN_JUAN_HILL, "--deals", "5:15"]
    arguments += ["--json", str(out), "--record", str(games), "--num-envs", "4"]
    evaluate_command.main(arguments)
    text = capsys.readouterr().out
    for word in ("win rate", "cards", "moves", "outcomes", "99 % lower bound", "deals 5 to 14"):
        assert word in text
    told = json.loads(out.read_text())
    assert {"wins", "deals", "win_rate", "wilson_low", "wilson_high"} <= set(told)
    assert told["games"]["deals"] == list(range(5, 15))
    assert told["random"]["foundation_cards"] == told["foundation_cards"]
    assert told["paired"]["mean"] == 0
    assert {"numpy", "numba", "torch"} <= set(told["versions"])
    assert len(list(games.iterdir())) == 10


def test_the_evaluation_says_with_which_options_was_played(tmp_path: Path) -> None:
    """The file of a search tells its budget; the tables of two budgets can be told apart."""
    out = tmp_path / "out.json"
    arguments = ["--agent", "search", "--variant", "san-juan-hill", "--deals", "7:8"]
    evaluate_command.main([*arguments, "--playouts", "4", "--width", "2", "--json", str(out)])
    assert json.loads(out.read_text())["options"] == {"playouts": "4", "width": "2"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--agent", "nobody", "--variant", SAN_JUAN_HILL], "accepted are random"),
        (["--agent", "random", "--variant", "klondike"], "accepted are arabella"),
        (
            ["--agent", "random", "--variant", SAN_JUAN_HILL, "--deals", "9:1"],
            "accepted are test, ",
        ),
        (["--agent", "ppo", "--variant", SAN_JUAN_HILL, "--folder", "nowhere"], "agents.train"),
        (
            ["--agent", "random", "--variant", SAN_JUAN_HILL, f"--deals={2**63}"],
            f"deals are '{2**63}', accepted are test, validation, A:B with A < B, or one number, "
            f"of 0..{2**63 - 1}",
        ),
        (
            ["--agent", "random", "--variant", SAN_JUAN_HILL, f"--deals=0:{2**70}"],
            f"of 0..{2**63 - 1}",
        ),
        (["--agent", "random", "--variant", SAN_JUAN_HILL, "--seed=-1"], "seed is -1"),
        (["--agent", "random", "--variant", SAN_JUAN_HILL, "--num-envs=0"], "num_envs is 0"),
    ],
)
def test_bad_evaluation_commands(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Mistakes end with a message and code 2."""
    with pytest.raises(SystemExit) as stopped:
        evaluate_command.main(arguments)
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--json", "--record"])
@pytest.mark.parametrize("place", ["", "x", "x/y"])
def test_what_cannot_be_written_is_refused_before_playing(
    option: str,
    place: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A file where a folder should be, or a folder for a file: a message, code 2, and no game."""
    monkeypatch.setattr(evaluate_command, "evaluate", lambda *_, **__: pytest.fail("it plays"))
    taken = tmp_path / "taken"
    if option == "--json" and not place:
        taken.mkdir()
    else:
        taken.write_text("mine")
    arguments = ["--agent", "random", "--variant", SAN_JUAN_HILL, option, str(taken / place)]
    with pytest.raises(SystemExit) as stopped:
        evaluate_command.main(arguments)
    assert stopped.value.code == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert "--json, --record, --shards and --table are what can be written" in said
    assert str(taken) in said
    assert taken.is_dir() or taken.read_text() == "mine"


def test_a_file_that_can_be_written_is_left_as_it_was(tmp_path: Path) -> None:
    """Asking leaves no new file, and an old one alone; a folder is made, and empty."""
    check_file(tmp_path / "new.json")
    assert not (tmp_path / "new.json").exists()
    old = tmp_path / "old.json"
    old.write_text("mine")
    check_file(old)
    assert old.read_text() == "mine"
    check_folder(tmp_path / "a" / "b")
    assert list((tmp_path / "a" / "b").iterdir()) == []


def test_the_demo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A demo of a second runs through to its table and files."""
    monkeypatch.setattr(demo, "CONFIG", ROOT / "configs" / "san-juan-hill.toml")
    monkeypatch.setattr(demo, "FOLDER", tmp_path)
    monkeypatch.setattr(demo, "CHANGES", (*TINY, "run.total_steps=128", "run.minutes=1"))
    monkeypatch.setattr(demo, "DEALS", range(5))
    assert demo.main() in (0, 1)
    assert "ppo - random" in capsys.readouterr().out
    assert json.loads((tmp_path / "evaluation.json").read_text())["deals"] == 5


# Networks that ship


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.safetensors")), ids=lambda path: path.stem)
def test_a_shipped_network_plays(path: Path) -> None:
    """It is small, says what made it, keeps to the rules, and does better than chance."""
    assert path.stat().st_size < 1_500_000
    _, about = load_network(path, path.stem)
    assert {"command", "minutes", "moves", "config"} <= set(about)
    configured = load_config(ROOT / "configs" / f"{path.stem}.toml")
    assert differences(config_of(about["config"]), configured) == []
    deals, settings = range(20), {"illegal": "raise"}
    ours = evaluate(agents.load(path.stem), path.stem, deals, **settings)
    chance = evaluate(load_agent("random", path.stem), path.stem, deals, **settings)
    assert ours.foundation_cards.mean() > 1.5 * chance.foundation_cards.mean()


def test_a_variant_without_a_network_says_so() -> None:
    """The error names the file that is not there."""
    register(TINY_GAMES[0])
    with pytest.raises(ValueError, match=r"there is no network at .*tiny-klondike\.safetensors"):
        agents.load("tiny-klondike")
