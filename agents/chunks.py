"""Networks asked of always as many games at once, so that no game depends on the others.

Sums in another order differ in the last bit, and a choice must not depend on who else is asked.
"""

from collections.abc import Callable

import numpy as np
import torch as th

from solitaire_env.policies import ByteArray, FloatArray

Asked = Callable[[th.Tensor], th.Tensor]
"""Observations (B, n) to logits (B, A), to values (B,), or to both (B, A + 1)."""


def in_chunks(network: Asked, observations: ByteArray, size: int) -> FloatArray:
    """Ask a network of observations (k, n), `size` at a time, the last filled up: float64."""
    parts = [observations[first : first + size] for first in range(0, len(observations), size)]
    return np.concatenate([_ask(network, part, size) for part in parts]).astype(np.float64)


def _ask(network: Asked, observations: ByteArray, size: int) -> np.ndarray:
    chunk = np.zeros((size, observations.shape[1]), np.uint8)
    chunk[: len(observations)] = observations
    with th.no_grad():
        said = network(th.as_tensor(chunk))
    return said.cpu().numpy()[: len(observations)]
