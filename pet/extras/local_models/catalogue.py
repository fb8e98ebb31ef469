"""Catalogue of downloadable models: files, sizes, checksums, memory needs. Pure data.

Sizes and SHA-256 are from the publishers' LFS records; of untried entries, from public lists of other
projects that pin the same file and agree. They are verified, so any mirror can serve a file.
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
    notebook: bool = True  # too small for tools: see pet.extras.small_models.prompts
    tried: bool = True  # with this program


# The catalogue was last compared with what makers offer in November 2026.
_EUROPEAN = ("en", "zh", "es", "fr", "de", "it", "pt", "ja", "ko")

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
    CatalogueEntry(
        id="qwen3.5-2b",
        name="Qwen3.5 2B",
        maker="Alibaba (Qwen)",
        repository="unsloth/Qwen3.5-2B-GGUF",
        revision="f6d5376be1edb4d416d56da11e5397a961aca8ae",
        file="Qwen3.5-2B-Q4_K_M.gguf",
        size=1_280_835_840,
        sha256="aaf42c8b7c3cab2bf3d69c355048d4a0ee9973d48f16c731c0520ee914699223",
        memory=2_000_000_000,
        languages=_EUROPEAN,
        modelscope="unsloth/Qwen3.5-2B-GGUF",
        tried=False,
    ),
    CatalogueEntry(
        id="qwen3.5-4b",
        name="Qwen3.5 4B",
        maker="Alibaba (Qwen)",
        repository="unsloth/Qwen3.5-4B-GGUF",
        revision="e87f176479d0855a907a41277aca2f8ee7a09523",
        file="Qwen3.5-4B-Q4_K_M.gguf",
        size=2_740_937_888,
        sha256="00fe7986ff5f6b463e62455821146049db6f9313603938a70800d1fb69ef11a4",
        memory=3_500_000_000,
        languages=_EUROPEAN,
        modelscope="unsloth/Qwen3.5-4B-GGUF",
        tried=False,
    ),
    CatalogueEntry(
        id="gemma-4-e2b",
        name="Gemma 4 E2B",
        maker="Google",
        repository="unsloth/gemma-4-E2B-it-GGUF",
        revision="90f9618340396838ee7ff5b0ba2da27da62953d3",
        file="gemma-4-E2B-it-Q4_K_M.gguf",
        size=3_106_736_256,
        sha256="9378bc471710229ef165709b62e34bfb62231420ddaf6d729e727305b5b8672d",
        memory=3_700_000_000,
        languages=_EUROPEAN,
        tried=False,
    ),
    CatalogueEntry(
        id="gemma-4-e4b",
        name="Gemma 4 E4B",
        maker="Google",
        repository="unsloth/gemma-4-E4B-it-GGUF",
        revision="653803f092503c04a65164346f3208a36e707693",
        file="gemma-4-E4B-it-Q4_K_M.gguf",
        size=4_977_169_568,
        sha256="519b9793ed6ce0ff530f1b7c96e848e08e49e7af4d57bb97f76215963a54146d",
        memory=5_700_000_000,
        languages=_EUROPEAN,
        tried=False,
    ),
)

BY_ID = {entry.id: entry for entry in CATALOGUE}
BY_HASH = {entry.sha256: entry for entry in CATALOGUE}


_RECOMMENDED: dict[str, tuple[str, ...]] = {"es": ("granite-4.1-3b", "qwen3.5-2b")}
_OTHERWISE = ("qwen3-4b", "qwen3-1.7b")


def recommended(fits: Callable[[int], bool], language: Language = "en") -> str:
    """Return the id of the recommended entry for an owner's language, "" for none. ``fits``: whether a need in bytes
    fits the machine. An untried entry comes only where no other of the size has the language."""
    return next((id_ for id_ in _RECOMMENDED.get(language, _OTHERWISE) if fits(BY_ID[id_].memory)), "")


def sources(entry: CatalogueEntry, *, language: Language, endpoint: str = "") -> tuple[str, ...]:
    """Return the file's URLs in the order to try. ``endpoint``: mirror of Hugging Face (HF_ENDPOINT)."""
    hub = (endpoint or HUGGING_FACE).rstrip("/")
    urls: Sequence[str] = [f"{hub}/{entry.repository}/resolve/{entry.revision}/{entry.file}"]
    if entry.modelscope:
        other = f"{MODELSCOPE}/models/{entry.modelscope}/resolve/master/{entry.file}"
        urls = (other, *urls) if language == "zh" and not endpoint else (*urls, other)
    return tuple(urls)
