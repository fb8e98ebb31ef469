"""What this machine can run: the CPU's features, little memory."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pet.extras.local_models import machine
from pet.extras.local_models.library import Library
from pet.extras.local_models.machine import Machine
from pet.extras.local_models.model_store import resolve_model
from pet.extras.local_models.supervisor import Supervisor
from tests.support.models.gguf_bytes import chat_model, gguf


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/cpuinfo")
@pytest.mark.parametrize(("flags", "able"), [("fpu avx avx2 fma", True), ("fpu sse4_2 avx fma", False)])
def test_cpu_without_avx2_is_seen_before_anything_starts(
    monkeypatch: pytest.MonkeyPatch, flags: str, able: bool
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setattr(Path, "read_text", lambda *_args, **_more: f"processor: 0\nflags : {flags} \n")
    assert machine._has_avx2() is able


def test_two_gigabytes_offer_no_model_of_the_catalogue(tmp_path: Path) -> None:
    small = Machine(memory=2_000_000_000, free_memory=1_500_000_000, cores=2)
    supervisor = Supervisor(tmp_path / "minds", tmp_path / "private", machine=lambda: small)
    library = Library(supervisor, language=lambda: "en", environ={}, machine=lambda: small)
    offered = [choice for choice in library.choices() if choice.kind == "catalogue"]
    assert offered
    assert {choice.fits for choice in offered} == {"memory"}
    assert not any(choice.recommended for choice in offered)


@pytest.mark.parametrize("memory", [8_000_000_000, 64_000_000_000])
def test_the_list_names_the_memory_that_the_start_counts_on(tmp_path: Path, memory: int) -> None:
    file = tmp_path / "own.gguf"
    with file.open("wb") as out:
        out.write(gguf(chat_model()))
        out.truncate(900_000_000)
    roomy = Machine(memory=memory, free_memory=memory // 2, cores=2)
    supervisor = Supervisor(tmp_path / "minds", tmp_path / "private", machine=lambda: roomy)
    library = Library(supervisor, language=lambda: "en", environ={}, machine=lambda: roomy)
    [listed] = library.scan_file(f"file:{file}")
    assert listed.need == resolve_model(f"file:{file}", tmp_path, roomy).need
