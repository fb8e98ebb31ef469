"""Catalogue of downloadable models: files, sizes, checksums, memory needs. Pure data.

Sizes and SHA-256 are from the publishers' LFS records. They are verified, so any mirror can serve a file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from pet.i18n import Language

Licence = Literal["Apache-2.0"]

HUGGING_FACE = "https://huggingface.co"
MODELSCOPE = "https://modelscope.cn"
GIB = 1024**3


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueEntry:
    """One downloadable GGUF file. ``memory``: need in bytes at a context of 4,096 tokens, without repacked weights;
    ``modelscope``: repository there, "" if it lacks the same bytes."""

    id: str
    name: str
    maker: str
    repository: str
    revision: str
    file: str
    size: int
    sha256: str
    memory: int
    licence: Licence = "Apache-2.0"
    languages: tuple[str, ...] = ("zh", "en")
    modelscope: str = ""
    notebook: bool = True  # too small for tools: see pet.prompt.small_model_prompts


CATALOGUE: tuple[CatalogueEntry, ...] = (
    CatalogueEntry(
        id="qwen3-1.7b",
        name="Qwen3 1.7B",
        maker="Alibaba (Qwen)",
        repository="ggml-org/Qwen3-1.7B-GGUF",
        revision="daeb8e2d528a760970442092f6bf1e55c3b659eb",
        file="Qwen3-1.7B-Q4_K_M.gguf",
        size=1_282_439_264,
        sha256="d2387ca2dbfee2ffabce7120d3770dadca0b293052bc2f0e138fdc940d9bc7b5",
        memory=2_000_000_000,
    ),
    CatalogueEntry(
        id="qwen3-4b",
        name="Qwen3 4B Instruct 2507",
        maker="Alibaba (Qwen)",
        repository="unsloth/Qwen3-4B-Instruct-2507-GGUF",
        revision="a06e946bb6b655725eafa393f4a9745d460374c9",
        file="Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
        size=2_497_281_120,
        sha256="3605803b982cb64aead44f6c1b2ae36e3acdb41d8e46c8a94c6533bc4c67e597",
        memory=3_300_000_000,
        modelscope="unsloth/Qwen3-4B-Instruct-2507-GGUF",
    ),
    CatalogueEntry(
        id="granite-4.1-3b",
        name="Granite 4.1 3B",
        maker="IBM",
        repository="ibm-granite/granite-4.1-3b-GGUF",
        revision="ab4701481089b58a082ef63cc1cee738887293ff",
        file="granite-4.1-3b-Q4_K_M.gguf",
        size=2_099_501_664,
        sha256="662b0626cd58f443baea23559b469df6576a81d349649c59413b36a9fb32eb29",
        memory=2_600_000_000,
        languages=("en", "de", "es", "fr", "ja", "pt", "ar", "cs", "it", "ko", "nl", "zh"),
    ),
    CatalogueEntry(
        id="qwen3-8b",
        name="Qwen3 8B",
        maker="Alibaba (Qwen)",
        repository="Qwen/Qwen3-8B-GGUF",
        revision="7c41481f57cb95916b40956ab2f0b139b296d974",
        file="Qwen3-8B-Q4_K_M.gguf",
        size=5_027_783_488,
        sha256="d98cdcbd03e17ce47681435b5150e34c1417f50b5c0019dd560e4882c5745785",
        memory=5_800_000_000,
        modelscope="Qwen/Qwen3-8B-GGUF",
        notebook=False,
    ),
)

BY_ID = {entry.id: entry for entry in CATALOGUE}
BY_HASH = {entry.sha256: entry for entry in CATALOGUE}


def recommended(fits: Callable[[int], bool]) -> str:
    """Return the id of the recommended entry, "" for none. ``fits``: whether a need in bytes fits the machine."""
    return next((id_ for id_ in ("qwen3-4b", "qwen3-1.7b") if fits(BY_ID[id_].memory)), "")


def sources(entry: CatalogueEntry, *, language: Language, endpoint: str = "") -> tuple[str, ...]:
    """Return the file's URLs in the order to try. ``endpoint``: mirror of Hugging Face (HF_ENDPOINT)."""
    hub = (endpoint or HUGGING_FACE).rstrip("/")
    urls: Sequence[str] = [f"{hub}/{entry.repository}/resolve/{entry.revision}/{entry.file}"]
    if entry.modelscope:
        other = f"{MODELSCOPE}/models/{entry.modelscope}/resolve/master/{entry.file}"
        urls = (other, *urls) if language == "zh" and not endpoint else (*urls, other)
    return tuple(urls)
