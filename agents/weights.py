"""A trained network as a file: safetensors, with what made it in the file's own header."""

import json
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from agents.config import Network
from agents.layout import layout_of_variant
from agents.network import TableNetwork
from agents.runs import write_whole
from solitaire_env.envs.registration import find_sheet
from solitaire_env.records import package_versions, rules_digest


def new_network(variant: str, sizes: Network) -> TableNetwork:
    """Make an untrained network for a variant."""
    return TableNetwork(layout_of_variant(variant), sizes)


def save_network(path: Path, network: TableNetwork, variant: str, **facts: Any) -> None:
    """Save a network, whole or not at all.

    Args:
        path: of the file.
        network: to save.
        variant: the rule sheet's name.
        **facts: what JSON can hold, to be kept with it: the command, minutes, moves, ...
    """
    about = {
        "variant": variant,
        "rules": rules_digest(find_sheet(variant)),
        "sizes": vars(network.sizes),
        "versions": package_versions(),
        **facts,
    }
    tensors = {name: value.contiguous() for name, value in network.state_dict().items()}
    write_whole(path, save(tensors, {"about": json.dumps(about)}))


def load_network(path: Path, variant: str | None = None) -> tuple[TableNetwork, dict[str, Any]]:
    """Load a network, and what is kept with it.

    Args:
        path: of the file.
        variant: whose rules it must have been trained for; None: those that it names.

    Raises:
        ValueError: if there is no such file, it is no such network, or it plays another game.
    """
    if not path.is_file():
        raise ValueError(f"there is no network at {path}")
    try:
        with safe_open(path, "pt") as file:
            about = json.loads(file.metadata()["about"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        name = variant or about["variant"]
        if about["rules"] != rules_digest(find_sheet(name)):
            raise ValueError(f"{path} plays another game than {name}: {about['variant']}")
        network = new_network(name, Network(**about["sizes"]))
        network.load_state_dict(tensors)
    except (SafetensorError, json.JSONDecodeError, KeyError, TypeError, RuntimeError) as error:
        raise ValueError(f"{path} holds no network that can be used: {error}") from error
    return network.eval(), about
