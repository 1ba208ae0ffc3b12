"""Networks that begin with what another has learnt: of the same game, or of one like it."""

from pathlib import Path

import pytest

from tests.conftest import needs_module
from tests.tiny_runs import tiny

for name in ("torch", "sb3_contrib", "scipy", "tensorboard", "tqdm", "safetensors"):
    needs_module(name)

import torch as th  # noqa: E402 - after the check that it is there

from agents import own_loop, sb3_loop  # noqa: E402
from agents.config import ConfigError, Network  # noqa: E402
from agents.layout import layout_of_variant  # noqa: E402
from agents.network import TableNetwork  # noqa: E402
from agents.transfer import take_over  # noqa: E402
from agents.weights import load_network, new_network, save_network  # noqa: E402

TURN3, ROYAL = "pantagruel-turn3", "pantagruel-royal"
SMALL = Network(pile=16, table=16)


def saved(variant: str, path: Path) -> TableNetwork:
    """Save a network of a variant, every number of which is another."""
    network = new_network(variant, SMALL)
    th.manual_seed(1)
    with th.no_grad():
        for part in network.parameters():
            part.normal_()
    save_network(path, network, variant)
    return network


def taken(variant: str, path: Path) -> dict[str, th.Tensor]:
    """Make a network of a variant that takes over what is saved."""
    network = new_network(variant, SMALL)
    take_over(network, layout_of_variant(variant), str(path))
    return network.state_dict()


def test_the_same_game_takes_all_over(tmp_path: Path) -> None:
    """Such a network plays as the other does."""
    path = tmp_path / "network.safetensors"
    learnt = saved(ROYAL, path).state_dict()
    own = taken(ROYAL, path)
    assert own.keys() == learnt.keys()
    assert all(th.equal(own[part], learnt[part]) for part in own)


@pytest.mark.parametrize(("before", "now"), [(TURN3, ROYAL), (ROYAL, TURN3)])
def test_piles_and_targets_are_known_by_their_names(before: str, now: str, tmp_path: Path) -> None:
    """Royal takes nothing back from foundations: what they are, Turn-3 alone knows."""
    path = tmp_path / "network.safetensors"
    learnt = saved(before, path).state_dict()
    own, new = taken(now, path), th.zeros(SMALL.pile)
    piles = {name: layout_of_variant(name).piles for name in (before, now)}
    assert set(piles[TURN3]) - set(piles[ROYAL]) == {"FS", "FH", "FD", "FC"}
    for row, pile in enumerate(piles[now]):
        told = learnt["encoder.pile_kind"]
        wanted = told[piles[before].index(pile)] if pile in piles[before] else new
        assert th.equal(own["encoder.pile_kind"][row], wanted), pile
    others = {name: layout_of_variant(name).others for name in (before, now)}
    for row, target in enumerate(others[now]):
        if target in others[before]:
            old = others[before].index(target)
            assert th.equal(own["moves.others"][row], learnt["moves.others"][old]), target
            assert own["moves.others_bias"][row] == learnt["moves.others_bias"][old]
    assert th.equal(own["encoder.table_in.weight"], learnt["encoder.table_in.weight"])


def test_what_has_another_shape_stays_as_it_is(tmp_path: Path) -> None:
    """Arabella has more foundations than Royal, but the same cards."""
    path = tmp_path / "network.safetensors"
    learnt = saved("arabella", path).state_dict()
    own = taken(ROYAL, path)
    assert own["encoder.table_in.weight"].shape != learnt["encoder.table_in.weight"].shape
    assert own["encoder.table_in.weight"].abs().max() < 1
    assert th.equal(own["encoder.card_own.weight"], learnt["encoder.card_own.weight"])


def test_a_run_begins_with_it(tmp_path: Path) -> None:
    """A run that learns nothing ends with what it began with."""
    path = tmp_path / "network.safetensors"
    learnt = saved(ROYAL, path).state_dict()
    still = ["ppo.learning_rate=0", "ppo.final_learning_rate=0", "run.total_steps=128"]
    sizes = [f"network.pile={SMALL.pile}", f"network.table={SMALL.table}"]
    changes = ["run.loop=own", f"run.start={path}", *still, *sizes]
    end, about = load_network(own_loop.train(tiny(ROYAL, *changes), tmp_path / "run"), ROYAL)
    assert all(th.equal(value, learnt[part]) for part, value in end.state_dict().items())
    assert about["config"]["run"]["start"] == str(path)


@pytest.mark.parametrize(
    ("start", "told"),
    [
        ("nobody", r"there is no network at .*nobody\.safetensors"),
        ("none.safetensors", r"there is no network at none\.safetensors"),
        ("pantagruel-turn3", r"has layers of .*pile=64.*accepted are .*pile=16"),
    ],
)
def test_what_can_not_be_begun_with_is_refused(start: str, told: str, tmp_path: Path) -> None:
    """Before anything is kept of the run."""
    with pytest.raises(ValueError, match=told):
        own_loop.train(tiny(ROYAL, "run.loop=own", f"run.start={start}"), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_the_other_loop_can_not(tmp_path: Path) -> None:
    """It says so, rather than train from nothing."""
    with pytest.raises(ConfigError, match=r"run\.start"):
        sb3_loop.train(tiny(ROYAL, f"run.start={TURN3}"), tmp_path / "run")
