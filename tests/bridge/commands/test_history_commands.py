"""The owner's search through everything that was said, and conversations as files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pet.bridge.command import Client
from pet.bridge.commands.conversations import HistoryCommands
from pet.engine.conversation import LiveConversation
from pet.errors import BadArguments, UnknownConversation
from tests.engine.conftest import Core, Make
from tests.support.models.scripted import say
from ui.bindings import COMMANDS


@pytest.fixture
def core(make_core: Make) -> Core:
    return make_core(say("Sourdough needs a warm place."), say("I can't remember."), say("Secret."))


@pytest.fixture
def history(core: Core, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HistoryCommands:
    monkeypatch.setattr("pet.paths.downloads_folder", lambda: tmp_path / "downloads")
    return HistoryCommands(core.app)


def talk(core: Core, text: str, *, memory: bool = True, temporary: bool = False) -> LiveConversation:
    live = core.app.conversations.create(memory=memory, temporary=temporary)
    live.send(text)
    live.wait(60)
    return live


def test_everything_said_is_found_with_memory_on_or_off_but_nothing_temporary(
    core: Core, history: HistoryCommands
) -> None:
    first = talk(core, "How do I bake 面包 bread?")
    second = talk(core, "BREAD again, please", memory=False)
    talk(core, "bread in secret", memory=False, temporary=True)
    hits = history.search_history(query="bread").hits
    assert {(hit.conversation, hit.who) for hit in hits} == {(first.id, "owner"), (second.id, "owner")}
    snippet = next(hit.snippet for hit in hits if hit.conversation == first.id)
    assert "".join(piece.text for piece in snippet) == "How do I bake 面包 bread?"
    assert [piece.text for piece in snippet if piece.is_match] == ["bread"]
    assert [hit.who for hit in history.search_history(query="sourdough").hits] == ["pet"]
    assert history.search_history(query="sourdough BREAD").hits[0].turn == first.folded().turns[0].id


def test_more_says_that_there_are_others(core: Core, history: HistoryCommands) -> None:
    talk(core, "bread one")
    talk(core, "bread two")
    few = history.search_history(query="bread", count=1)
    assert (len(few.hits), few.more) == (1, True)
    assert not history.search_history(query="bread", count=2).more
    assert history.search_history(query="   ").hits == []
    with pytest.raises(BadArguments):
        history.search_history(query="bread", count=0)


def test_a_conversation_is_put_into_the_downloads_folder_and_never_over_another_file(
    core: Core, history: HistoryCommands
) -> None:
    live = talk(core, "How do I bake a/b bread?")
    first = Path(history.export_conversation(conversation=live.id, format="markdown").path)
    again = Path(history.export_conversation(conversation=live.id, format="markdown").path)
    assert (first.name, again.name) == ("Bake a b bread.md", "Bake a b bread (2).md")
    assert "Sourdough needs a warm place." in first.read_text(encoding="utf-8")
    data = json.loads(Path(history.export_conversation(conversation=live.id, format="json").path).read_text())
    assert data["turns"][0]["owner"] == "How do I bake a/b bread?"
    with pytest.raises(UnknownConversation):
        history.export_conversation(conversation="0" * 26, format="json")


def test_only_the_chat_window_may_search_and_export() -> None:
    rows = {row.name: row.clients for row in COMMANDS}
    assert rows["search_history"] == rows["export_conversation"] == frozenset({Client.CHAT})
