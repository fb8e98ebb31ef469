"""Find the GGUF files of other programs. Reads headers only; never copies, moves or deletes.

Places: LM Studio, Jan, GPT4All, the caches of Hugging Face and llama.cpp, and Ollama, whose manifests name the blobs.
Models that can't chat are left out.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from pet.errors import LocalModelRefused
from pet.local_models.gguf import MAGIC, GgufHeader, check_can_chat, read_header
from pet.untrusted.parsers import read_json

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


def find_models(home: Path, environ: Mapping[str, str]) -> tuple[DiscoveredModel, ...]:
    """Return every usable model, each file once, in the order of the places. Takes about 0.06 s per file."""
    models: dict[Path, DiscoveredModel] = {}
    for by, file, name, sha256 in islice(_candidates(home, environ), _MOST_FILES):
        with suppress(OSError, LocalModelRefused):
            real = file.resolve(strict=True)
            if real in models or not _is_gguf(real):
                continue
            header = read_header(real)
            check_can_chat(header, file.name)
            models[real] = DiscoveredModel(path=real, by=by, name=name or header.name, header=header, sha256=sha256)
    return tuple(models.values())


def _candidates(home: Path, environ: Mapping[str, str]) -> Iterator[tuple[str, Path, str, str]]:
    data = _data_folder(home, environ)
    for folder in _lm_studio(home):
        yield from _files("LM Studio", folder, "*/*/*.gguf")
    for folder in (
        data / "Jan" / "data" / "llamacpp" / "models",
        data / "Jan" / "data" / "models",
        home / "jan" / "models",
    ):
        yield from (("Jan", file, file.parent.name, "") for file in _glob(folder, "**/*.gguf"))
    yield from _files("GPT4All", data / "nomic.ai" / "GPT4All", "*.gguf")
    yield from _files("Hugging Face", _hugging_face(home, environ), "models--*/snapshots/*/**/*.gguf")
    yield from _files("llama.cpp", _cache_folder(home, environ) / "llama.cpp", "*.gguf")
    for folder in _ollama(home, environ):
        yield from _ollama_models(folder)


def _files(by: str, folder: Path, pattern: str) -> Iterator[tuple[str, Path, str, str]]:
    return ((by, file, "", "") for file in _glob(folder, pattern))


def _glob(folder: Path, pattern: str) -> Iterable[Path]:
    try:
        files = sorted(islice(folder.glob(pattern), _MOST_FILES))
    except OSError:
        return ()
    return [file for file in files if not _SHARD.search(file.name) and not _NOT_MODELS.search(file.name)]


def _lm_studio(home: Path) -> Iterator[Path]:
    with suppress(OSError, UnicodeDecodeError):
        named = (home / ".lmstudio-home-pointer").read_text(encoding="utf-8")[:4_096].strip()
        if named:
            yield Path(named) / "models"
    yield home / ".cache" / "lm-studio" / "models"
    yield home / ".lmstudio" / "models"


def _hugging_face(home: Path, environ: Mapping[str, str]) -> Path:
    if environ.get("HF_HUB_CACHE"):
        return Path(environ["HF_HUB_CACHE"])
    if environ.get("HF_HOME"):
        return Path(environ["HF_HOME"]) / "hub"
    return home / ".cache" / "huggingface" / "hub"


def _ollama(home: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    if environ.get("OLLAMA_MODELS"):
        yield Path(environ["OLLAMA_MODELS"])
    yield home / ".ollama" / "models"
    yield Path("/usr/share/ollama/.ollama/models")


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
        layers = read_json(manifest.read_bytes())["layers"]
        for layer in layers:
            if layer["mediaType"] == _MODEL_LAYER and (match := _DIGEST.fullmatch(layer["digest"])):
                return match[1]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    return ""


def _is_gguf(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(4) == MAGIC


def _data_folder(home: Path, environ: Mapping[str, str]) -> Path:
    if sys.platform == "win32":
        return Path(environ.get("APPDATA") or home / "AppData" / "Roaming")
    if sys.platform == "darwin":
        return home / "Library" / "Application Support"
    return Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share")


def _cache_folder(home: Path, environ: Mapping[str, str]) -> Path:
    if sys.platform == "win32":
        return Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    if sys.platform == "darwin":
        return home / "Library" / "Caches"
    return Path(environ.get("XDG_CACHE_HOME") or home / ".cache")
