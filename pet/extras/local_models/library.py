"""All models that can be chosen here, including those of other programs; download and removal.

Thread-safe. One download at a time; it runs on the caller's thread.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pet.errors import LocalModelRefused
from pet.extras.local_models.catalogue import BY_HASH, CATALOGUE, CatalogueEntry, recommended, sources
from pet.extras.local_models.machine import Machine, this_machine
from pet.extras.local_models.model_store import (
    MAGIC,
    TINY,
    TINY_NAME,
    GgufHeader,
    check_can_chat,
    is_here,
    part_size,
    plan_memory,
    read_header,
    small_enough_for_notebook,
    tiny_file,
)
from pet.extras.local_models.supervisor import Supervisor
from pet.i18n import Language
from pet.providers.local_models import FILE, ModelOffer
from pet.untrusted.parsers import read_json
from pet.untrusted.regular_files import read_regular

if TYPE_CHECKING:
    from pet.extras.local_models.fetch import Download, DownloadProgress
    from pet.net.fetch import FetchPolicy

_MOST_FILES = 2_000  # per place
_LONGEST_MANIFEST = 1024 * 1024
_MODEL_LAYER = "application/vnd.ollama.image.model"
_DIGEST = re.compile(r"sha256[:-]([0-9a-f]{64})")
_SHARD = re.compile(r"-\d{5}-of-\d{5}\.gguf$")
_NOT_MODELS = re.compile(r"mmproj|imatrix|[-_.]draft[-_.]", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveredModel:
    """``by``: the program that keeps the file. ``sha256``: from that program's records, else ""."""

    path: Path
    by: str
    name: str
    header: GgufHeader
    sha256: str = ""


def find_models(home: Path, environ: Mapping[str, str], downloads: Path | None = None) -> tuple[DiscoveredModel, ...]:
    """Return every usable model, each file once, in the order of the places. Takes about 0.06 s per file.

    ``downloads``: the owner's folder of downloads; of it, only files of that ending and no folders in it are opened.
    """
    models: dict[Path, DiscoveredModel] = {}
    places = chain(
        _candidates(home, environ),
        () if downloads is None else (("", file, "", "") for file in _glob(downloads, "*.gguf")),
    )
    for by, file, name, sha256 in islice(places, _MOST_FILES):
        with suppress(OSError, LocalModelRefused):
            real = file.resolve(strict=True)
            if real in models or not _is_gguf(real):
                continue
            header = read_header(real)
            check_can_chat(header, file.name)
            models[real] = DiscoveredModel(path=real, by=by, name=name or header.name, header=header, sha256=sha256)
    return tuple(models.values())


def _candidates(home: Path, environ: Mapping[str, str]) -> Iterator[tuple[str, Path, str, str]]:
    """Yield the program that keeps a file, the file, and its name and hash by that program's records."""

    def place(variable: str, default: Path) -> Path:
        return Path(environ[variable]) if environ.get(variable) else default

    if sys.platform == "win32":
        data = place("APPDATA", home / "AppData" / "Roaming")
        cache = place("LOCALAPPDATA", home / "AppData" / "Local")
    elif sys.platform == "darwin":
        data, cache = home / "Library" / "Application Support", home / "Library" / "Caches"
    else:
        data, cache = place("XDG_DATA_HOME", home / ".local" / "share"), place("XDG_CACHE_HOME", home / ".cache")
    hugging_face = place("HF_HUB_CACHE", place("HF_HOME", home / ".cache" / "huggingface") / "hub")
    ramalama = home / ".local" / "share" / "ramalama"
    flatpak = home / ".var" / "app" / "ai.jan.Jan" / "data"
    for by, folder, pattern in (
        *(("LM Studio", each, "*/*/*.gguf") for each in _lm_studio(home)),
        ("Jan", data / "Jan" / "data" / "llamacpp" / "models", "**/*.gguf"),
        ("Jan", data / "Jan" / "data" / "models", "**/*.gguf"),
        ("Jan", home / "jan" / "models", "**/*.gguf"),
        ("Jan", flatpak / "Jan" / "data" / "llamacpp" / "models", "**/*.gguf"),
        ("GPT4All", data / "nomic.ai" / "GPT4All", "*.gguf"),
        ("Hugging Face", hugging_face, "models--*/snapshots/*/**/*.gguf"),
        ("ModelScope", place("MODELSCOPE_CACHE", home / ".cache" / "modelscope" / "hub"), "models/*/*/*.gguf"),
        ("llama.cpp", cache / "llama.cpp", "*.gguf"),
        ("RamaLama", ramalama, "store/*/**/snapshots/*/*"),
        ("RamaLama", ramalama, "models/**/*.gguf"),  # of earlier versions
    ):
        yield from ((by, file, file.parent.name if by == "Jan" else "", "") for file in _glob(folder, pattern))
    own = home / ".ollama" / "models"
    for folder in dict.fromkeys((place("OLLAMA_MODELS", own), own, Path("/usr/share/ollama/.ollama/models"))):
        yield from _ollama_models(folder)


def _glob(folder: Path, pattern: str) -> Iterable[Path]:
    try:
        files = sorted(islice(folder.glob(pattern), _MOST_FILES))
    except OSError:
        return ()
    return [file for file in files if not _SHARD.search(file.name) and not _NOT_MODELS.search(file.name)]


def _lm_studio(home: Path) -> Iterator[Path]:
    with suppress(OSError, UnicodeDecodeError):
        named = read_regular(home / ".lmstudio-home-pointer", 4_096).decode().strip()
        if named:
            yield Path(named) / "models"
    for own in (home / ".lmstudio", home / ".cache" / "lm-studio"):
        with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            settings = own / "settings.json"
            if settings.stat().st_size <= _LONGEST_MANIFEST:
                yield Path(read_json(read_regular(settings))["downloadsFolder"])
    yield home / ".cache" / "lm-studio" / "models"
    yield home / ".lmstudio" / "models"


def _ollama_models(folder: Path) -> Iterator[tuple[str, Path, str, str]]:
    manifests = folder / "manifests"
    for manifest in _manifests(manifests):
        digest = _digest(manifest)
        if digest:
            *_, model, tag = manifest.relative_to(manifests).parts
            name = model if tag == "latest" else f"{model}:{tag}"
            yield "Ollama", folder / "blobs" / f"sha256-{digest}", name, digest


def _manifests(folder: Path) -> list[Path]:
    try:
        return sorted(file for file in islice(folder.glob("*/*/*/*"), _MOST_FILES) if file.is_file())
    except OSError:
        return []


def _digest(manifest: Path) -> str:
    """Return the SHA-256 of the model layer; "" for an unreadable manifest."""
    try:
        if manifest.stat().st_size > _LONGEST_MANIFEST:
            return ""
        layers = read_json(read_regular(manifest))["layers"]
        for layer in layers:
            if layer["mediaType"] == _MODEL_LAYER and (match := _DIGEST.fullmatch(layer["digest"])):
                return match[1]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    return ""


def _is_gguf(file: Path) -> bool:
    return read_regular(file, len(MAGIC)) == MAGIC


TINY_MEMORY = 400_000_000
"""Bytes; 0.36 GB were measured after a prompt of 3,500 tokens."""


class Library:
    def __init__(
        self,
        supervisor: Supervisor,
        *,
        language: Callable[[], Language],
        environ: Mapping[str, str] = os.environ,
        machine: Callable[[], Machine] = this_machine,
        reach: Callable[[], FetchPolicy | None] = lambda: None,
        entries: tuple[CatalogueEntry, ...] = CATALOGUE,
    ) -> None:
        self._supervisor = supervisor
        self._language = language
        self._environ = environ
        self._machine = machine
        self._reach = reach
        self.entries = {entry.id: entry for entry in entries}
        self._lock = Lock()
        self._running: Download | None = None

    @property
    def folder(self) -> Path:
        return self._supervisor.folder

    def problem(self) -> str:
        """Return why no model can run here (no_runtime, no_cpu), or ""."""
        return self._machine().runnable

    def choices(self) -> list[ModelOffer]:
        """Return the catalogue, and the packaged model if it is installed."""
        machine = self._machine()
        language = self._language()
        best = recommended(lambda need: not machine.fits(need), language) or recommended(
            lambda need: machine.fits(need) != "memory", language
        )
        offers = [self._of_entry(entry, machine, best) for entry in self.entries.values()]
        tiny = tiny_file()
        if tiny is not None:
            offers.append(
                ModelOffer(
                    id=TINY,
                    kind="tiny",
                    name=TINY_NAME,
                    by="Hugging Face",
                    licence="Apache-2.0",
                    languages=("en",),
                    size=tiny.stat().st_size,
                    need=TINY_MEMORY,
                    fits=machine.fits(TINY_MEMORY),
                )
            )
        return offers

    def scan_other_programs(self, downloads: Path | None = None) -> list[ModelOffer]:
        """Return models of other programs on this computer; those of the catalogue, by hash, have its name.

        ``downloads``: the owner's folder of downloads, to look there too.
        """
        machine = self._machine()
        return [_of_file(model, machine) for model in find_models(Path.home(), self._environ, downloads)]

    def scan_file(self, chosen: str) -> list[ModelOffer]:
        """Return the offer of one file, by its path; empty if it is no model."""
        path = Path(chosen.removeprefix(FILE))
        try:
            header = read_header(path)
        except LocalModelRefused:
            return []
        return [_of_file(DiscoveredModel(path=path, by="", name=header.name, header=header), self._machine())]

    def fetch(self, chosen: str, report: Callable[[DownloadProgress], None]) -> Path:
        """Download the model. Raises LocalModelRefused: unknown, busy, and those of ``Download.run``."""
        from pet.extras.local_models.fetch import Download

        entry = self._entry(chosen)
        addresses = sources(entry, language=self._language(), endpoint=self._environ.get("HF_ENDPOINT", ""))
        with self._lock:
            if self._running is not None:
                raise LocalModelRefused("busy")
            download = self._running = Download(entry, self.folder, addresses, reach=self._reach(), report=report)
        try:
            return download.run()
        finally:
            with self._lock:
                self._running = None

    @property
    def fetching(self) -> str:
        """Return the id of the model being downloaded, or ""."""
        running = self._running
        return running.entry.id if running is not None else ""

    def stop_fetching(self) -> None:
        with self._lock:
            if self._running is not None:
                self._running.stop()

    def remove(self, chosen: str) -> None:
        """Delete a downloaded model. Raises LocalModelRefused: unknown, busy, disk."""
        from pet.extras.local_models.fetch import remove_model

        entry = self._entry(chosen)
        if self._supervisor.state.local_model == chosen:
            self._supervisor.stop()
            self._supervisor.forget()
        remove_model(entry, self.folder)

    def _entry(self, chosen: str) -> CatalogueEntry:
        if chosen not in self.entries:
            raise LocalModelRefused("unknown", local_model=chosen[:60])
        return self.entries[chosen]

    def _of_entry(self, entry: CatalogueEntry, machine: Machine, best: str) -> ModelOffer:
        first = sources(entry, language=self._language(), endpoint=self._environ.get("HF_ENDPOINT", ""))[0]
        return ModelOffer(
            id=entry.id,
            kind="catalogue",
            name=entry.name,
            by=entry.maker,
            licence=entry.licence,
            languages=entry.languages,
            size=entry.size,
            need=entry.memory,
            here=is_here(entry, self.folder),
            part=part_size(entry, self.folder),
            fits=machine.fits(entry.memory),
            recommended=entry.id == best,
            host=urlsplit(first).hostname or "",
            notebook=entry.notebook,
        )


def _of_file(model: DiscoveredModel, machine: Machine) -> ModelOffer:
    known = BY_HASH.get(model.sha256)
    notebook = small_enough_for_notebook(model.header)
    need = plan_memory(model.header, machine, notebook=notebook).need
    return ModelOffer(
        id=f"{FILE}{model.path}",
        notebook=notebook,
        kind="found",
        name=known.name if known else model.name,
        by=model.by,
        licence=model.header.licence,
        size=model.header.size,
        need=need,
        fits=machine.fits(need),
    )
