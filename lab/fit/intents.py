"""Fit whether a message concerns something remembered, from its embedding: ``pet/memory/search/data/intent.json``."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pet.memory.search.embedders import IntentModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_UNITS = 128
_STEPS = 300
_AT_ONCE = 512  # messages, half of them of each kind
_LEFT_OUT = 0.3  # of the units at each step, so that none learns messages by heart
_STEP = 3e-3


def fit_intent(vectors: Sequence[Floats], yes: Sequence[bool]) -> IntentModel:
    """One hidden layer, by a fixed sequence of chance; both answers count for as much."""
    import numpy as np

    given = np.stack(list(vectors))
    mean, scale = given.mean(0), 1 / given.std()
    signs = ((given - mean) * scale).astype(np.float32)
    wanted = np.array(yes, dtype=np.float32)
    chance = np.random.default_rng(1)
    shape = signs.shape[1], _UNITS
    fitted = [
        chance.normal(0, shape[0] ** -0.5, shape).astype(np.float32),
        np.zeros(_UNITS, dtype=np.float32),
        chance.normal(0, 0.3 * _UNITS**-0.5, _UNITS).astype(np.float32),
        np.zeros(1, dtype=np.float32),
    ]
    average, square = [np.zeros_like(each) for each in fitted], [np.zeros_like(each) for each in fitted]
    kinds = np.flatnonzero(wanted > 0), np.flatnonzero(wanted == 0)
    for step in range(1, _STEPS + 1):
        some = np.concatenate([chance.choice(kind, _AT_ONCE // 2) for kind in kinds])
        rate = np.float32(_STEP * min(1.0, 2 * (1 - (step - 1) / _STEPS)))
        kept = (chance.random((len(some), _UNITS)) >= _LEFT_OUT).astype(np.float32) / np.float32(1 - _LEFT_OUT)
        for at, slope in enumerate(_slopes(fitted, signs[some], wanted[some], kept)):  # Adam
            average[at] = 0.9 * average[at] + 0.1 * slope
            square[at] = 0.99 * square[at] + 0.01 * slope * slope
            moved = average[at] / (1 - 0.9**step) / (np.sqrt(square[at] / (1 - 0.99**step)) + 1e-8)
            fitted[at] -= rate * moved.astype(np.float32)
    into, shift, out, bias = fitted
    into = into * np.float32(scale)
    return IntentModel(into, (shift - mean @ into).astype(np.float32), out, float(bias[0]))


def _slopes(
    fitted: Sequence[NDArray[np.float32]],
    signs: NDArray[np.float32],
    wanted: NDArray[np.float32],
    kept: NDArray[np.float32],
) -> list[NDArray[np.float32]]:
    import numpy as np

    into, shift, out, bias = fitted
    before = signs @ into + shift
    passed = (before > 0) * kept
    units = before * passed
    off = (1 / (1 + np.exp(-(units @ out + bias))) - wanted) / np.float32(len(wanted))
    back = np.outer(off, out) * passed
    return [signs.T @ back, back.sum(0), units.T @ off, off.sum(keepdims=True)]


def packed_models(models: Mapping[str, IntentModel]) -> dict[str, dict[str, object]]:
    """The content of ``intent.json``."""
    return {
        model: {
            "bias": round(each.bias, 4),
            "units": len(each.out),
            "into": _packed(each.into),
            "shift": _packed(each.shift),
            "out": _packed(each.out),
        }
        for model, each in models.items()
    }


def _packed(matrix: NDArray[np.float32]) -> str:
    return base64.b64encode(matrix.astype("<f2").tobytes()).decode()
