"""The replay: what a request carries of a conversation, with memory on and off."""

from __future__ import annotations

import pytest

from pet.access.policy import OFF, ON, Access
from pet.errors import UnknownTurn
from pet.events import ErrorInfo
from pet.model import (
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
from pet.transcripts.conversation.fold import fold
from pet.transcripts.conversation.request_messages import to_messages
from tests.transcripts.telling import Telling, call

MARKER = "[memory step]"
THINKING = OpaquePart(raw={"type": "thinking", "thinking": "secret thought", "signature": "sig"})
TIME = ContextPart(kind="time", text="[Tuesday]", gated=False)
RECALL = ContextPart(kind="recall", text="likes tea", gated=True)


def replay(telling: Telling, access: Access, upto: str | None = None) -> list[Message]:
    return list(to_messages(fold(telling.entries, running=upto), access, MARKER, upto))


def texts(message: Message) -> list[str]:
    return [part.text for part in message.parts if isinstance(part, TextPart | ContextPart)]


def tool_turn(*, memory: bool) -> Telling:
    telling = Telling()
    telling.user("t", "who am I?", memory=memory, context=(TIME, RECALL))
    telling.round("t", 1, THINKING, "let me look", call("c1"), call("c2"))
    telling.tool("t", 1, "c2", "second")
    telling.tool("t", 1, "c1", "Name: Lin")
    telling.round("t", 2, "You are Lin.")
    telling.closed("t")
    telling.user("now", "and now?", memory=memory, context=(TIME,))
    return telling


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


def test_off_each_pair_is_one_marker_and_what_was_said_aloud_stays() -> None:
    messages = replay(tool_turn(memory=True), OFF, "now")
    assert [message.role for message in messages] == ["user", "assistant", "user"]
    assert texts(messages[0]) == ["[Tuesday]", "who am I?"]
    assert texts(messages[1]) == ["let me look", MARKER, MARKER, "You are Lin."]
    assert texts(messages[2]) == ["[Tuesday]", "and now?"]


def test_off_a_turn_held_with_memory_off_keeps_its_calls() -> None:
    messages = replay(tool_turn(memory=False), OFF, "now")
    assert any(isinstance(part, ToolCallPart) for message in messages for part in message.parts)


def test_the_on_replay_comes_back_with_the_switch() -> None:
    telling = tool_turn(memory=True)
    before = replay(telling, ON, "now")
    replay(telling, OFF, "now")
    assert replay(telling, ON, "now") == before


def test_recall_is_gated_whatever_its_mark_says() -> None:
    telling = Telling()
    telling.user("t", "hi", context=(ContextPart(kind="recent_days", text="yesterday", gated=False),))
    (message,) = replay(telling, OFF, "t")
    assert texts(message) == ["hi"]


def test_a_call_without_a_result_gets_an_error() -> None:
    telling = Telling()
    telling.user("t")
    telling.round("t", 1, call("c1"), call("c2"))
    telling.tool("t", 1, "c1")
    telling.user("now")
    messages = replay(telling, ON, "now")
    answered, stopped = messages[2].parts[:2]
    assert answered == ToolResultPart(call_id="c1", text="done")
    assert isinstance(stopped, ToolResultPart)
    assert stopped.is_error


def test_results_stand_before_the_next_message_in_one_turn_of_the_user() -> None:
    telling = Telling()
    telling.user("t")
    telling.round("t", 1, call("c1"))
    telling.tool("t", 1, "c1")
    telling.closed("t", TurnEnd.STOPPED)
    telling.user("now", "stop that")
    messages = replay(telling, ON, "now")
    assert [message.role for message in messages] == ["user", "assistant", "user"]
    assert [type(part).__name__ for part in messages[2].parts] == ["ToolResultPart", "TextPart"]


def test_two_calls_of_one_id_are_one() -> None:
    telling = Telling()
    telling.user("t")
    telling.round("t", 1, call("c1"), call("c1", "{}"))
    telling.tool("t", 1, "c1", "first")
    telling.tool("t", 1, "c1", "second")
    messages = replay(telling, ON)
    assert messages[1].parts == (call("c1"),)
    assert messages[2].parts == (ToolResultPart(call_id="c1", text="first"),)


def test_a_turn_without_a_reply_joins_the_next_message() -> None:
    telling = Telling()
    telling.user("t", "hello?")
    telling.closed("t", TurnEnd.FAILED)
    telling.user("now", "still there?")
    (message,) = replay(telling, ON, "now")
    assert texts(message) == ["hello?", "still there?"]


def test_partial_text_and_continue() -> None:
    telling = Telling()
    telling.user("t", "tell me a story")
    telling.closed("t", TurnEnd.STOPPED, cut="Once upon")
    telling.user("more", "Go on from where you stopped.", turn_kind="continue")
    messages = replay(telling, ON, "more")
    assert [texts(message) for message in messages] == [
        ["tell me a story"],
        ["Once upon"],
        ["Go on from where you stopped."],
    ]


def test_earlier_messages_can_be_left_behind() -> None:
    telling = tool_turn(memory=True)
    telling.closed("now")
    telling.dropped()
    telling.user("fresh", "hello")
    (message,) = replay(telling, ON, "fresh")
    assert texts(message) == ["hello"]


def test_dropping_in_a_running_turn_keeps_its_own_message() -> None:
    telling = Telling()
    telling.said("a", "old", "old reply")
    telling.user("now", "the question")
    telling.dropped()
    (message,) = replay(telling, ON, "now")
    assert texts(message) == ["the question"]


def test_errors_and_receipts_are_not_the_models() -> None:
    receipt = Receipt(
        file="USER.md", history_id="HISTORY", before="b", after="a", added=1, removed=0, author=Author.PET
    )
    error = ErrorInfo(code="edit_not_found", args={"near": "SECRET"})
    telling = Telling()
    telling.user("t")
    telling.round("t", 1, call("c1"), call("c2"))
    telling.tool("t", 1, "c1", receipt=receipt)
    telling.tool("t", 1, "c2", "not found", is_error=True, error=error)
    shown = repr(replay(telling, ON))
    assert "HISTORY" not in shown
    assert "SECRET" not in shown
    assert "is_error=True" in shown


def test_white_space_alone_is_not_sent() -> None:
    telling = Telling()
    telling.user("t", "hi")
    telling.round("t", 1, THINKING, " \n")
    telling.closed("t")
    telling.user("now", "there?")
    (message,) = replay(telling, ON, "now")
    assert message.role == "user"


def test_a_turn_that_does_not_stand_is_refused() -> None:
    with pytest.raises(UnknownTurn):
        replay(tool_turn(memory=True), ON, "nowhere")
