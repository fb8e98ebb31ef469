"""The pet's one index in the running program: opened late, kept current."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pet.engine.index_service import IndexService
from pet.events import ChatShown, IndexProgress
from pet.memory.search.embedders import _LoadedWhenUsed
from pet.memory.search.memory_index import MemoryIndex, open_index
from pet.settings.schema import Settings
from tests.engine.conftest import Make
from tests.support.models.scripted import say
from tests.support.waiting import wait_for

Floats = NDArray[np.float32]
LOG = "# Memory Log: 2026-02-24\n\n## [14:30:15] fact\n\nThe boat is called Albatross.\n"


def test_nothing_is_opened_for_a_conversation_with_memory_off(make_core: Make) -> None:
    core = make_core(say("ok"))
    core.put("memory/2026-02-24.md", LOG)
    chat = core.app.conversations.create(memory=False)
    chat.send("What is the boat called?")
    chat.wait(60)
    assert not (core.home.cache / "index").exists()


def test_get_returns_the_one_index(make_core: Make) -> None:
    core = make_core()
    core.put("memory/2026-02-24.md", LOG)
    index = core.app.index.get()
    assert index.search("boat Albatross")
    assert core.app.index.get() is index


def test_upkeep_begins_by_itself_and_tells_how_far_it_is(make_core: Make) -> None:
    core = make_core()
    core.put("memory/2026-02-24.md", LOG)
    core.app.maintain_index(0.0)
    core.app.emitter.emit(ChatShown(shown=True))
    if core.app.index.get().embedder is not None:
        told = core.wait_for(lambda event: isinstance(event, IndexProgress) and event.done == event.total > 0)
        assert isinstance(told, IndexProgress)
    core.close()


def test_opening_the_chat_loads_what_recall_needs(make_core: Make) -> None:
    core = make_core()
    core.put("memory/2026-02-24.md", LOG)
    core.app.maintain_index(3600)
    core.app.emitter.emit(ChatShown(shown=True))
    wait_for("a loaded index", lambda: (core.home.cache / "index").exists() or None)


def test_a_deleted_conversation_leaves_nothing_in_it(make_core: Make) -> None:
    core = make_core(say("What a noble name."))
    chat = core.app.conversations.create(memory=True)
    chat.send("My bicycle is called Rosinante.")
    chat.wait(60)
    index = core.app.index.get()
    assert index.search("Rosinante", conversations=True)
    core.app.maintain_index()
    core.app.conversations.delete(chat.id)
    core.app.emitter.close()  # after this everybody has heard of it
    kept = list((core.home.cache / "index").iterdir())
    assert kept and not any(b"osinante" in file.read_bytes() for file in kept)


def test_paused_memory_keeps_the_index_still(make_core: Make) -> None:
    core = make_core()
    core.app.pause(True)
    core.put("memory/2026-02-24.md", LOG)
    core.app.maintain_index(0.0)
    core.app.index.get()
    core.app.close()
    assert not any(isinstance(event, IndexProgress) for event in core.events)


def test_nothing_is_loaded_while_memory_is_paused_or_recall_is_off(make_core: Make) -> None:
    core = make_core()
    core.put("memory/2026-02-24.md", LOG)
    before = set(threading.enumerate())
    core.app.settings.change({"recall": False})
    core.app.index.warm_up()
    core.app.settings.change({"recall": True})
    core.app.pause(True)
    core.app.index.warm_up()
    assert "memory-warm-up" not in {thread.name for thread in set(threading.enumerate()) - before}
    core.app.pause(False)
    core.app.index.warm_up()
    wait_for("a loaded index", lambda: (core.home.cache / "index").exists() or None)


class LoadsWhileClosing(_LoadedWhenUsed):
    """Its engine is there only once the service is being closed."""

    name, mean, spread = "slow", 0.1, 0.1
    loading, closing = threading.Event(), threading.Event()

    def _load(self) -> None:
        if self._engine is None:
            self.loading.set()
            assert self.closing.wait(60)
            self._engine = object()

    def embed_entries(self, texts: Sequence[str]) -> Floats:
        with self._lock:
            self._load()
        return np.full((len(texts), 4), 0.5, np.float32)

    def embed_question(self, text: str) -> Floats:
        return self.embed_entries([text])


def test_it_closes_while_an_embedder_is_loading(tmp_path: Path) -> None:
    workspace, embedder = tmp_path / "pet", LoadsWhileClosing("slow-1")
    workspace.mkdir()
    (workspace / "MEMORY.md").write_text("# Me\n- I like boats.\n")

    def open_slow() -> MemoryIndex:
        return open_index(workspace, tmp_path / "cache", embedder=embedder)

    service = IndexService(open_slow, Settings, lambda _event: None, paused=lambda: False)
    service.maintain(0.0)
    service.on_event(ChatShown(shown=True))

    def loads() -> bool:
        service.notice()
        return embedder.loading.wait(0.1)

    wait_for("an embedder that loads", loads)
    closed = threading.Thread(target=service.close, daemon=True)
    closed.start()
    embedder.closing.set()
    closed.join(60)
    assert not closed.is_alive()
