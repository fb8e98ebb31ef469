"""Request messages of a conversation, with memory on and off."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from pet.access import OFF, ON, Access
from pet.errors import UnknownTurn
from pet.events import ErrorInfo
from pet.model import (
    DEMO,
    Author,
    ContextPart,
    Message,
    OpaquePart,
    Receipt,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    TurnEnd,
)
from pet.providers.quirks import goes_back
from pet.transcripts.entries import RoundCompleted
from pet.transcripts.fold import fold
from pet.transcripts.request_messages import to_messages
from tests.transcripts.entry_builder import EntryBuilder, call

MARKER = "[memory step]"
THINKING = OpaquePart(
    raw={"type": "thinking", "thinking": "secret thought", "signature": "sig"}, server="h", model="m"
)
TIME = ContextPart(kind="time", text="[Tuesday]", gated=False)
RECALL = ContextPart(kind="recall", text="likes tea", gated=True)


def replay(
    builder: EntryBuilder, access: Access, upto: str | None = None, own: tuple[str, str] = ("", "")
) -> list[Message]:
    goes = partial(goes_back, server=own[0], model=own[1])
    return list(to_messages(fold(builder.entries, running=upto), access, MARKER, upto, goes_back=goes))


def texts(message: Message) -> list[str]:
    return [part.text for part in message.parts if isinstance(part, TextPart | ContextPart)]


def tool_turn(*, memory: bool) -> EntryBuilder:
    builder = EntryBuilder()
    builder.user("t", "who am I?", memory=memory, context=(TIME, RECALL))
    builder.round("t", 1, THINKING, "let me look", call("c1"), call("c2"))
    builder.tool("t", 1, "c2", "second")
    builder.tool("t", 1, "c1", "Name: Lin")
    builder.round("t", 2, "You are Lin.")
    builder.closed("t")
    builder.user("now", "and now?", memory=memory, context=(TIME,))
    return builder


def test_on_everything_but_old_thinking_is_replayed_in_pairs() -> None:
    messages = replay(tool_turn(memory=True), ON, "now")
    assert [message.role for message in messages] == ["user", "assistant", "user", "assistant", "user"]
    assert messages[0].parts == (TIME, RECALL, TextPart(text="who am I?"))
    assert messages[1].parts == (TextPart(text="let me look"), call("c1"), call("c2"))
    assert messages[2].parts == (
        ToolResultPart(call_id="c1", text="Name: Lin"),
        ToolResultPart(call_id="c2", text="second"),
    )
    assert messages[4].parts == (TIME, TextPart(text="and now?"))


def test_thinking_of_a_turn_with_calls_goes_to_its_own_model_only() -> None:
    builder = tool_turn(memory=True)
    assert replay(builder, ON, "now", ("h", "m"))[1].parts == (
        THINKING,
        TextPart(text="let me look"),
        call("c1"),
        call("c2"),
    )
    for other in (("h", "n"), ("i", "m"), ("", "")):
        assert replay(builder, ON, "now", other) == replay(builder, ON, "now")
    assert replay(builder, OFF, "now", ("h", "m")) == replay(builder, OFF, "now")


def test_thinking_without_calls_in_its_turn_and_thinking_alone_are_left_out() -> None:
    builder = EntryBuilder()
    builder.user("t")
    builder.round("t", 1, THINKING, "Hello.")
    builder.closed("t")
    builder.user("u")
    builder.round("u", 1, THINKING, call("c1"))
    builder.tool("u", 1, "c1")
    builder.round("u", 2, THINKING)
    builder.closed("u")
    builder.user("now")
    parts = [part for message in replay(builder, ON, "now", ("h", "m")) for part in message.parts]
    assert parts.count(THINKING) == 1


def test_what_the_demo_answered_goes_to_no_other_model() -> None:
    builder = EntryBuilder()
    builder.said("demo", "I live in Oslo", "This is the demo.")
    builder.entries = [
        replace(each, model=DEMO) if isinstance(each, RoundCompleted) else each for each in builder.entries
    ]
    builder.said("before", "hello", "Hi!")
    builder.user("now", "and now?")
    shown = fold(builder.entries, running="now")
    sent = [text for each in to_messages(shown, ON, MARKER, "now") for text in texts(each)]
    assert sent == ["hello", "Hi!", "and now?"]
    assert "I live in Oslo" in texts(to_messages(shown, ON, MARKER, "now", demo=True)[0])


def test_off_each_call_is_one_marker_and_visible_text_stays() -> None:
    messages = replay(tool_turn(memory=True), OFF, "now")
    assert [message.role for message in messages] == ["user", "assistant", "user"]
    assert texts(messages[0]) == ["[Tuesday]", "who am I?"]
    assert texts(messages[1]) == ["let me look", MARKER, MARKER, "You are Lin."]
    assert texts(messages[2]) == ["[Tuesday]", "and now?"]


def test_off_a_turn_held_with_memory_off_keeps_its_calls() -> None:
    messages = replay(tool_turn(memory=False), OFF, "now")
    assert any(isinstance(part, ToolCallPart) for message in messages for part in message.parts)


def test_the_on_replay_comes_back_with_the_switch() -> None:
    builder = tool_turn(memory=True)
    before = replay(builder, ON, "now")
    replay(builder, OFF, "now")
    assert replay(builder, ON, "now") == before


def test_recall_is_gated_whatever_its_mark_says() -> None:
    builder = EntryBuilder()
    builder.user("t", "hi", context=(ContextPart(kind="recent_days", text="yesterday", gated=False),))
    (message,) = replay(builder, OFF, "t")
    assert texts(message) == ["hi"]


def test_a_call_without_a_result_gets_an_error() -> None:
    builder = EntryBuilder()
    builder.user("t")
    builder.round("t", 1, call("c1"), call("c2"))
    builder.tool("t", 1, "c1")
    builder.user("now")
    messages = replay(builder, ON, "now")
    answered, stopped = messages[2].parts[:2]
    assert answered == ToolResultPart(call_id="c1", text="done")
    assert isinstance(stopped, ToolResultPart)
    assert stopped.is_error


def test_results_stand_before_the_next_message_in_one_turn_of_the_user() -> None:
    builder = EntryBuilder()
    builder.user("t")
    builder.round("t", 1, call("c1"))
    builder.tool("t", 1, "c1")
    builder.closed("t", TurnEnd.STOPPED)
    builder.user("now", "stop that")
    messages = replay(builder, ON, "now")
    assert [message.role for message in messages] == ["user", "assistant", "user"]
    assert [type(part).__name__ for part in messages[2].parts] == ["ToolResultPart", "TextPart"]


def test_two_calls_of_one_id_are_one() -> None:
    builder = EntryBuilder()
    builder.user("t")
    builder.round("t", 1, call("c1"), call("c1", "{}"))
    builder.tool("t", 1, "c1", "first")
    builder.tool("t", 1, "c1", "second")
    messages = replay(builder, ON)
    assert messages[1].parts == (call("c1"),)
    assert messages[2].parts == (ToolResultPart(call_id="c1", text="first"),)


def test_a_turn_without_a_reply_joins_the_next_message() -> None:
    builder = EntryBuilder()
    builder.user("t", "hello?")
    builder.closed("t", TurnEnd.FAILED)
    builder.user("now", "still there?")
    (message,) = replay(builder, ON, "now")
    assert texts(message) == ["hello?", "still there?"]


def test_partial_text_and_continue() -> None:
    builder = EntryBuilder()
    builder.user("t", "tell me a story")
    builder.closed("t", TurnEnd.STOPPED, cut="Once upon")
    builder.user("more", "Go on from where you stopped.", turn_kind="continue")
    messages = replay(builder, ON, "more")
    assert [texts(message) for message in messages] == [
        ["tell me a story"],
        ["Once upon"],
        ["Go on from where you stopped."],
    ]


def test_earlier_messages_can_be_left_behind() -> None:
    builder = tool_turn(memory=True)
    builder.closed("now")
    builder.dropped()
    builder.user("fresh", "hello")
    (message,) = replay(builder, ON, "fresh")
    assert texts(message) == ["hello"]


def test_dropping_in_a_running_turn_keeps_its_own_message() -> None:
    builder = EntryBuilder()
    builder.said("a", "old", "old reply")
    builder.user("now", "the question")
    builder.dropped()
    (message,) = replay(builder, ON, "now")
    assert texts(message) == ["the question"]


def test_errors_and_receipts_are_not_the_models() -> None:
    receipt = Receipt(
        file="USER.md", history_id="HISTORY", before="b", after="a", added=1, removed=0, author=Author.PET
    )
    error = ErrorInfo(code="edit_not_found", args={"near": "SECRET"})
    builder = EntryBuilder()
    builder.user("t")
    builder.round("t", 1, call("c1"), call("c2"))
    builder.tool("t", 1, "c1", receipt=receipt)
    builder.tool("t", 1, "c2", "not found", is_error=True, error=error)
    shown = repr(replay(builder, ON))
    assert "HISTORY" not in shown
    assert "SECRET" not in shown
    assert "is_error=True" in shown


def test_white_space_alone_is_not_sent() -> None:
    builder = EntryBuilder()
    builder.user("t", "hi")
    builder.round("t", 1, THINKING, " \n")
    builder.closed("t")
    builder.user("now", "there?")
    (message,) = replay(builder, ON, "now")
    assert message.role == "user"


def test_a_turn_that_does_not_stand_is_refused() -> None:
    with pytest.raises(UnknownTurn):
        replay(tool_turn(memory=True), ON, "nowhere")
