"""The pet speaks first to get to know its owner: nothing is put into the owner's mouth."""

from __future__ import annotations

from pet.transcripts.export import to_markdown
from pet.transcripts.search import search_transcripts
from tests.engine.conftest import Make
from tests.engine.reader import said
from tests.support.models.scripted import say


def test_the_pet_asks_and_the_request_is_nobodys_words(make_core: Make) -> None:
    core = make_core(say("Hi! What shall I be called?"), say("Lovely."))
    chat = core.app.conversations.create(memory=True)
    first = chat.get_acquainted()
    chat.wait(60)
    (turn,) = chat.folded().turns
    assert (turn.id, turn.kind, turn.reply) == (first, "continue", "Hi! What shall I be called?")
    assert "propose your own SOUL.md" in said(core.provider.requests[-1])
    assert chat.title == "Getting to know each other"
    chat.send("Momo")
    chat.wait(60)
    assert "propose your own SOUL.md" in said(core.provider.requests[-1])
    assert "propose" not in to_markdown(chat.folded(), core.app.texts(), "Momo")
    files = core.app.transcripts.files()
    assert search_transcripts(files, "propose", 5) == []
    assert [found.who for found in search_transcripts(files, "momo", 5)] == ["owner"]
