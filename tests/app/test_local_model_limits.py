"""What a model on this computer means for requests: its window, its reply, and whether it has tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from pet.app.local_models import erase_kv_state, local_model_limits, settings_in_use
from pet.events import ChatShown, ConversationDeleted, Event, MemoryPaused, PetsChanged
from pet.local_models.machine import Machine
from pet.local_models.supervisor import Supervisor
from pet.settings.schema import THIS_COMPUTER, Settings
from tests.support.models.gguf_bytes import chat_model, gguf

ROOMY = Machine(memory=64_000_000_000, free_memory=32_000_000_000, cores=2)
SERVICE = Settings(context_window=200_000, max_tokens=8096)


def supervisor(folder: Path) -> Supervisor:
    return Supervisor(folder / "minds", folder / "private", machine=lambda: ROOMY)


def model(folder: Path, size: int) -> str:
    file = folder / f"{size}.gguf"
    with file.open("wb") as opened:
        opened.write(gguf(chat_model()))
        opened.truncate(size)  # a sparse file
    return f"file:{file}"


def chosen(local_model: str, **more: str) -> Settings:
    return Settings(local_model=local_model, context_window=200_000, **more)  # type: ignore[arg-type]


def test_service_keeps_its_window_and_tools(tmp_path: Path) -> None:
    assert settings_in_use(supervisor(tmp_path), SERVICE) == SERVICE
    assert local_model_limits(supervisor(tmp_path), SERVICE) is None


def test_large_model_has_tools_and_the_window_of_its_process(tmp_path: Path) -> None:
    settings = chosen(model(tmp_path, 5_000_000_000))
    used = settings_in_use(supervisor(tmp_path), settings)
    assert (used.base_url, used.context_window, used.max_tokens) == (THIS_COMPUTER, 8192, 2048)
    assert local_model_limits(supervisor(tmp_path), settings) is None


def test_small_model_takes_notes_without_tools(tmp_path: Path) -> None:
    limits = local_model_limits(supervisor(tmp_path), chosen(model(tmp_path, 1_000_000_000)))
    assert limits is not None and limits.notes and limits.reply_tokens == 300


@pytest.mark.parametrize(("choice", "small"), [("on", True), ("off", False)])
def test_switch_decides_for_any_model(tmp_path: Path, choice: str, small: bool) -> None:
    for size in (1_000_000_000, 5_000_000_000):
        settings = chosen(model(tmp_path, size), notebook=choice)
        assert (local_model_limits(supervisor(tmp_path), settings) is not None) is small
    assert (local_model_limits(supervisor(tmp_path), Settings(notebook=choice)) is not None) is small  # type: ignore[arg-type]


def test_local_server_with_a_small_window_is_a_small_model(tmp_path: Path) -> None:
    local = Settings(base_url="http://127.0.0.1:11434", context_window=4096)
    limits = local_model_limits(supervisor(tmp_path), local)
    assert limits is not None and limits.window == 4096


@pytest.mark.parametrize(
    ("event", "erased"),
    [
        (ConversationDeleted(conversation="c"), True),
        (PetsChanged(), True),
        (MemoryPaused(paused=True), True),
        (MemoryPaused(paused=False), False),
        (ChatShown(shown=True), False),
    ],
)
def test_what_was_computed_goes_with_what_it_was_computed_of(tmp_path: Path, event: Event, erased: bool) -> None:
    made = supervisor(tmp_path)
    saved = tmp_path / "private" / "old-0.kv"
    saved.parent.mkdir()
    saved.write_bytes(b"memory")
    erase_kv_state(event, made)
    assert saved.exists() is not erased
