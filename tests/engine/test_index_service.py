"""The pet's one index in the running program: opened late, kept current."""

from __future__ import annotations

import threading

from pet.events import ChatShown, IndexProgress
from tests.engine.conftest import Make
from tests.support.models.scripted import say
from tests.support.waiting import wait_for

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
