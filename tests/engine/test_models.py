"""What a model on this computer means for requests: its window, its reply, and whether it has tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from pet.engine.models import local_model_limits, settings_in_use
from pet.events import ConversationDeleted, Event, MemoryPaused, PetsChanged
from pet.extras.local_models.machine import Machine
from pet.extras.local_models.runtime import OwnLocalModels
from pet.extras.local_models.supervisor import Supervisor
from pet.paths import find_home
from pet.settings.schema import THIS_COMPUTER, Settings
from tests.support.models.gguf_bytes import chat_model, gguf

ROOMY = Machine(memory=64_000_000_000, free_memory=32_000_000_000, cores=2)
SERVICE = Settings(context_window=200_000, max_tokens=8096)


def models(folder: Path) -> OwnLocalModels:
    supervisor = Supervisor(folder / "minds", folder / "private", machine=lambda: ROOMY)
    return OwnLocalModels(find_home(folder), language=lambda: "en", supervisor=supervisor)


def model(folder: Path, size: int) -> str:
    file = folder / f"{size}.gguf"
    with file.open("wb") as opened:
        opened.write(gguf(chat_model()))
        opened.truncate(size)  # a sparse file
    return f"file:{file}"


def chosen(local_model: str, **more: str) -> Settings:
    return Settings(local_model=local_model, context_window=200_000, **more)  # type: ignore[arg-type]


def test_service_keeps_its_window_and_tools(tmp_path: Path) -> None:
    assert settings_in_use(models(tmp_path), SERVICE) == SERVICE
    assert local_model_limits(models(tmp_path), SERVICE) is None


def test_large_model_has_tools_and_the_window_of_its_process(tmp_path: Path) -> None:
    settings = chosen(model(tmp_path, 5_000_000_000))
    used = settings_in_use(models(tmp_path), settings)
    assert (used.base_url, used.context_window, used.max_tokens) == (THIS_COMPUTER, 8192, 2048)
    assert local_model_limits(models(tmp_path), settings) is None


def test_small_model_takes_notes_without_tools(tmp_path: Path) -> None:
    limits = local_model_limits(models(tmp_path), chosen(model(tmp_path, 1_000_000_000)))
    assert limits is not None and limits.notes and limits.reply_tokens == 300


@pytest.mark.parametrize(("choice", "small"), [("on", True), ("off", False)])
def test_switch_decides_for_any_model(tmp_path: Path, choice: str, small: bool) -> None:
    for size in (1_000_000_000, 5_000_000_000):
        settings = chosen(model(tmp_path, size), notebook=choice)
        assert (local_model_limits(models(tmp_path), settings) is not None) is small
    assert (local_model_limits(models(tmp_path), Settings(notebook=choice)) is not None) is small  # type: ignore[arg-type]


def test_local_server_with_a_small_window_is_a_small_model(tmp_path: Path) -> None:
    local = Settings(base_url="http://127.0.0.1:11434", context_window=4096)
    limits = local_model_limits(models(tmp_path), local)
    assert limits is not None and limits.window == 4096


@pytest.mark.parametrize(
    ("event", "erased"),
    [
        (ConversationDeleted(conversation="c"), True),
        (PetsChanged(), True),
        (MemoryPaused(paused=True), True),
        (MemoryPaused(paused=False), False),
    ],
)
def test_what_was_computed_goes_with_what_it_was_computed_of(tmp_path: Path, event: Event, erased: bool) -> None:
    made = models(tmp_path)
    saved = tmp_path / "private" / "old-0.kv"
    saved.parent.mkdir()
    saved.write_bytes(b"memory")
    made.on_event(event)
    assert saved.exists() is not erased
