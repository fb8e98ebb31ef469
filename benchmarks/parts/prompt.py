"""Time to build the prompt from three full files, against hashing the same bytes."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.instruments.figures import Figure, median
from pet.access import ON, ConversationGate, PetGate
from pet.clock import SystemClock
from pet.model import CoreFile, Source
from pet.prompt.build import PromptInputs, build_prompt
from pet.workspace.gated_files import GatedFiles, Snapshot
from pet.workspace.store import FileLimits, WorkspaceStore

_FULL = 20_000  # characters: the limit of one file
_ROUNDS = 200


def measure(folder: Path) -> list[Figure]:
    workspace = folder / "workspace"
    workspace.mkdir()
    for seed, name in enumerate(CoreFile):
        (workspace / name).write_text(prose(seed, _FULL), encoding="utf-8")
    store = WorkspaceStore(
        workspace, locks=folder / "locks", clock=SystemClock(), limits=FileLimits(), on_change=lambda _: None
    )
    gate = ConversationGate(PetGate(), memory=True).begin_turn()
    files = GatedFiles(store, gate, Source(conversation="", turn=""))

    def cold() -> None:
        build_prompt.cache_clear()
        build_prompt(_inputs(files.snapshot()))

    def unchanged() -> None:
        build_prompt(_inputs(files.snapshot()))

    def hashed() -> None:
        for name in CoreFile:
            hashlib.sha256((workspace / name).read_bytes()).digest()

    baseline = _milliseconds(hashed)
    return [
        Figure(
            name=f"prompt of three full files, {how}",
            value=_milliseconds(work),
            unit="ms",
            reach=reach,
            baseline=baseline,
            baseline_name="reading and hashing them",
        )
        for how, work, reach in (("cold", cold, "5 ms"), ("nothing changed", unchanged, "1 ms"))
    ]


def _inputs(snapshot: Snapshot) -> PromptInputs:
    return PromptInputs(
        files=snapshot.visible(ON),
        language="en",
        default_soul="I am kind.",
        pet_name="Pip",
        model="model",
    )


def prose(seed: int, characters: int) -> str:
    """Return lines of Chinese and English of about this length, the same in every run."""
    chance = random.Random(seed)
    words = (
        "tea",
        "rain",
        "\u8336",
        "\u4e0b\u96e8",
        "garden",
        "\u82b1\u56ed",
        "Tuesday",
        "\u661f\u671f\u4e8c",
        "promise",
    )
    lines: list[str] = []
    while sum(map(len, lines)) + len(lines) < characters - 80 or not lines:
        lines.append("- " + " ".join(chance.choice(words) for _ in range(chance.randint(4, 12))))
    return "\n".join(lines) + "\n"


def _milliseconds(work: Callable[[], None]) -> float:
    took = []
    for _ in range(_ROUNDS):
        started = time.perf_counter()
        work()
        took.append(time.perf_counter() - started)
    return 1000 * median(took)
