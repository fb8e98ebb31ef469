"""Deleting a message: what the engine sends, finds and summarises afterwards, and Undo."""

from __future__ import annotations

import pytest

from pet.engine.conversation import LiveConversation
from pet.errors import TurnRunning, UnknownTurn
from pet.events import ConversationChanged, TurnsRemoved
from pet.model import StopReason
from pet.providers.anthropic_messages import encode_request
from pet.transcripts.entries import Compacted
from tests.engine.conftest import Make
from tests.engine.reader import is_summary, reader, said, unique
from tests.support.models.scripted import Hold, call, say
from tests.support.program.invoking import ask


def tell(chat: LiveConversation, *texts: str) -> list[str]:
    turns = []
    for text in texts:
        turns.append(chat.send(text))
        chat.wait(60)
    return turns


def test_the_next_request_has_nothing_of_it_its_tools_included_and_undo_brings_it_back(make_core: Make) -> None:
    core = make_core(
        call("read", {"path": "SOUL.md"}, "I look at hazelnuts."),
        say("They are nuts."),
        say("One."),
        say("Two."),
        say("Three."),
    )
    chat = core.app.conversations.create(memory=True)
    first, _second = tell(chat, "What are hazelnuts?", "And one?")
    chat.record.remove_turn(first)
    tell(chat, "And two?")
    request = core.provider.requests[-1]
    assert "hazelnut" not in said(request) and "nuts" not in said(request)
    assert "And one?" in said(request)
    encode_request(request)
    chat.record.restore_turns([first])
    assert chat.folded().turns[0].id == first
    tell(chat, "And three?")
    assert "What are hazelnuts?" in said(core.provider.requests[-1])
    assert "They are nuts." in said(core.provider.requests[-1])


def test_what_was_continued_of_it_goes_along_and_comes_back_with_it(make_core: Make) -> None:
    core = make_core(say("Half a", stop=StopReason.MAX_TOKENS), say(" story."), say("Other."))
    chat = core.app.conversations.create(memory=False)
    (first,) = tell(chat, "A story!")
    more = chat.continue_turn(first)
    chat.wait(60)
    (last,) = tell(chat, "Thanks.")
    chat.record.remove_turn(first)
    assert [turn.id for turn in chat.folded().turns] == [last]
    core.close()
    assert [event for event in core.events if isinstance(event, TurnsRemoved)] == [
        TurnsRemoved(conversation=chat.id, turns=[first, more], removed=True)
    ]


def test_a_regenerated_reply_is_removed_whole_and_a_message_sent_anew_stands_alone(make_core: Make) -> None:
    core = make_core(say("One."), say("Two."), say("Three."), say("Four."))
    chat = core.app.conversations.create(memory=True)
    (first,) = tell(chat, "Say a number.")
    again = chat.resend(first, None)
    chat.wait(60)
    chat.record.remove_turn(again)
    assert chat.folded().turns == ()
    with pytest.raises(UnknownTurn):
        chat.resend(again, None)
    with pytest.raises(UnknownTurn):
        chat.record.remove_turn(again)
    tell(chat, "Another one.")
    assert "number" not in said(core.provider.requests[-1])
    chat.record.restore_turns([again])
    edited = chat.resend(again, "Say a colour.")
    chat.wait(60)
    assert [turn.id for turn in chat.folded().turns] == [edited]
    with pytest.raises(UnknownTurn):
        chat.record.restore_turns([again])


def test_nothing_is_removed_while_a_reply_is_on_its_way(make_core: Make) -> None:
    hold = Hold()
    core = make_core(say("One."), say("Tw", hold, "o."))
    chat = core.app.conversations.create(memory=True)
    (first,) = tell(chat, "One?")
    chat.send("Two?")
    hold.wait_reached()
    with pytest.raises(TurnRunning):
        chat.record.remove_turn(first)
    hold.release()
    chat.wait(60)
    chat.record.remove_turn(first)
    assert [turn.text for turn in chat.folded().turns] == ["Two?"]


def test_a_summary_of_it_is_made_anew_from_what_stands(make_core: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    core = make_core()
    core.provider.queue(*[reader()] * 60)
    monkeypatch.setattr("pet.engine.compaction.KEPT_TURNS", 2)
    core.app.settings.change({"context_window": 1_000_000})
    chat = core.app.conversations.create(memory=True)
    turns = tell(chat, *[f"Please KEEP-{number} this." for number in range(8)])
    chat.compact()
    chat.wait(60)
    chat.record.remove_turn(turns[1])
    tell(chat, "go on")
    assert "KEEP-1" not in said(core.provider.requests[-1])
    assert "KEEP-0" in said(core.provider.requests[-1]), "its turns are sent whole again"
    chat.compact()
    chat.wait(60)
    asked = [request for request in core.provider.requests if is_summary(request)]
    assert "KEEP-1" not in said(asked[-1])
    made = [entry for entry in chat.transcript.entries if isinstance(entry, Compacted)][-1]
    assert made.without == (turns[1],)
    tell(chat, "and on")
    assert unique([word for word in said(core.provider.requests[-1]).split() if word == "KEEP-1"]) == []
    chat.record.restore_turns([turns[1]])
    tell(chat, "with it")
    assert "KEEP-1" in said(core.provider.requests[-1])


def test_what_was_said_there_is_no_source_for_other_conversations(make_core: Make) -> None:
    core = make_core(say("A noble name!"), say("Yes?"), say("Again."))
    core.app.settings.change({"recall_threshold": 0.1})
    chat = core.app.conversations.create(memory=True)
    (first,) = tell(chat, "My bicycle is called Rosinante.")
    index = core.app.index.get()
    today = core.app.clock.now().date()

    def found() -> list[str]:
        return [hit.snippet for hit in index.search("Rosinante bicycle", 5, today, conversations=True)]

    assert any("Rosinante" in each for each in found())
    chat.record.remove_turn(first)
    assert not any("Rosinante" in each for each in found())
    other = core.app.conversations.create(memory=True)
    tell(other, "What is my bicycle called?")
    assert "Rosinante" not in said(core.provider.requests[-1])
    chat.record.restore_turns([first])
    assert any("Rosinante" in each for each in found())


def test_a_temporary_conversation_too_and_nothing_is_on_the_disk(make_core: Make) -> None:
    core = make_core(say("One."), say("Two."))
    chat = core.app.conversations.create(memory=False, temporary=True)
    (first,) = tell(chat, "Say walrus.")
    chat.record.remove_turn(first)
    tell(chat, "And?")
    assert "walrus" not in said(core.provider.requests[-1])
    assert not list(core.app.store.root.glob("conversations/*"))


def test_the_page_asks_by_its_commands_and_the_list_is_told(make_core: Make) -> None:
    core = make_core(say("One."), say("Two."))
    chat = core.app.conversations.create(memory=True)
    first, second = tell(chat, "First message", "Second message")

    commands = core.app.commands
    ask(commands, "remove_turn", conversation=chat.id, turn=first)
    listed = ask(commands, "list_conversations")["conversations"]
    assert [(each["title"], each["turns"]) for each in listed] == [("Second message", 1)]
    ask(commands, "restore_turns", conversation=chat.id, turns=[first])
    assert [turn.id for turn in chat.folded().turns] == [first, second]
    core.close()
    at = next(place for place, event in enumerate(core.events) if isinstance(event, TurnsRemoved))
    assert isinstance(core.events[at + 1], ConversationChanged)
