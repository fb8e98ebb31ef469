"""Memory that the core keeps of one conversation, without windows and embedders, in a process of its own.

The long run in the real window is ``python -m lab.soak --only conversation --window``.
"""

from __future__ import annotations

import gc
import random
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from unittest.mock import patch

from benchmarks.instruments.figures import Figure
from pet.app import Pet
from pet.desktop.process import bound_heaps, return_freed_memory
from pet.memory.search import memory_index
from pet.paths import find_home
from tests.support.models.scripted import ScriptedProvider, say

_POINTS = (100, 300, 500, 700)  # turns; from 200 on the oldest texts are kept packed
_WORDS = ("tea", "ferry", "the harbour", "blue", "我们", "on Sunday", "**quietly**", "a map", "`code`", "and then")
_LONG = 5_000  # turns


def measure(tell: Callable[[str], None]) -> list[Figure]:
    tell(f"growth over {_POINTS[-1]} turns")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        curve = process.submit(_curve).result()
    first, *later = zip(_POINTS, curve, strict=True)
    figures = [
        Figure(
            name=f"memory after {turns} turns",
            value=megabytes,
            unit="MB",
            baseline=first[1],
            baseline_name="after 100",
        )
        for turns, megabytes in later
    ]
    a_turn = (curve[-1] - curve[1]) / (_POINTS[-1] - _POINTS[1])
    grown = curve[1] - curve[0] + a_turn * (_LONG - _POINTS[1])
    name = f"growth from turn 100 to {_LONG:,}, straight on from turn {_POINTS[1]}"
    return [*figures, Figure(name=name, value=grown, unit="MB", reach="20 MB")]


def _curve() -> list[float]:
    """Return megabytes of anonymous memory (Linux) after so many turns."""
    bound_heaps()
    chance = random.Random(5)
    model = ScriptedProvider()
    curve: list[float] = []
    without_embedders = patch.object(memory_index, "load_embedders", tuple)  # they would take most of the time
    with without_embedders, tempfile.TemporaryDirectory(prefix="soulpet-bench-") as folder:
        app = Pet(find_home(Path(folder)), environ={}, provider=model, channel="terminal")
        app.settings.change({"upkeep": False})
        try:
            chat = app.conversations.create(memory=True)
            for turn in range(1, _POINTS[-1] + 1):
                model.queue(say(" ".join(chance.choices(_WORDS, k=80))))
                chat.send(" ".join(chance.choices(_WORDS, k=12)))
                chat.wait(60)
                model.requests.clear()
                if turn in _POINTS:
                    curve.append(_anonymous())
        finally:
            app.close()
    return curve


def _anonymous() -> float:
    gc.collect()
    return_freed_memory()
    lines = Path("/proc/self/smaps_rollup").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Anonymous:")) / 1_000
