"""What goes out: the shape the Messages API demands, whatever the conversation, and the same bytes each time."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pet.model import (
    ContextPart,
    Message,
    OpaquePart,
    Request,
    SystemBlock,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    ToolSpec,
)
from pet.providers.anthropic_messages import BREAKPOINTS, STRIDE, encode_request
from pet.providers.openai_messages import encode_request as encode_chat
from pet.providers.quirks import Quirks
from pet.providers.sanitize import parse_arguments
from pet.untrusted.parsers import join_surrogates
from tests.providers.calls import READ, request, user

_texts = st.text(st.characters(codec=None), max_size=12) | st.just("  ") | st.just("")
_ids = st.text("abcXYZ09_.:|é", min_size=1, max_size=5)
_assistant_parts = st.one_of(
    st.builds(TextPart, text=_texts),
    st.builds(
        ToolCallPart, id=_ids, name=st.just("read") | _texts, arguments=_texts | st.just('{"path": "\\ud800"}')
    ),
    st.just(OpaquePart(raw={"type": "thinking", "thinking": "t", "signature": "s"})),
)
_user_parts = st.one_of(
    st.builds(TextPart, text=_texts),
    st.builds(ToolResultPart, call_id=_ids, text=_texts, is_error=st.booleans()),
    st.builds(ContextPart, kind=st.just("time"), text=_texts, gated=st.just(False)),
)


def _message(role: str) -> st.SearchStrategy[Message]:
    parts = _assistant_parts if role == "assistant" else _user_parts
    return st.builds(Message, role=st.just(role), parts=st.lists(parts, max_size=25).map(tuple))


_requests = st.builds(
    Request,
    model=st.just("m"),
    max_tokens=st.just(10),
    system=st.lists(st.builds(SystemBlock, text=_texts, cache=st.booleans()), max_size=6).map(tuple),
    tools=st.sampled_from([(), (READ,)]),
    messages=st.lists(st.one_of(_message("user"), _message("assistant")), max_size=6).map(tuple),
)


def _blocks(params: dict[str, Any]) -> list[dict[str, Any]]:
    return [block for message in params["messages"] for block in message["content"]]


def _marks(params: dict[str, Any]) -> list[int]:
    return [index for index, block in enumerate(_blocks(params)) if "cache_control" in block]


@given(_requests)
def test_any_request_has_the_shape_the_api_demands(asked: Request) -> None:
    params = encode_request(asked)
    every = [*params.get("system", []), *_blocks(params)]
    assert sum("cache_control" in block for block in every) <= BREAKPOINTS
    assert all(block["text"].strip() for block in every if block["type"] == "text")
    assert all(block["type"] in ("text", "tool_use", "tool_result") for block in every if "cache_control" in block)
    roles = [message["role"] for message in params["messages"]]
    assert all(one != other for one, other in pairwise(roles))
    for message in params["messages"]:
        kinds = [block["type"] == "tool_result" for block in message["content"]]
        assert kinds == sorted(kinds, reverse=True)  # results first
        assert message["content"]
    encoded = json.dumps(params, ensure_ascii=False, allow_nan=False).encode()  # as the SDK does it
    assert encoded == json.dumps(encode_request(asked), ensure_ascii=False, allow_nan=False).encode()


@given(st.text(st.characters(codec=None)))
def test_mended_text_has_bytes_and_sound_text_is_left_alone(text: str) -> None:
    mended = join_surrogates(text)
    mended.encode()
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert mended == text


def test_surrogate_halves_become_the_character_they_mean_or_a_replacement() -> None:
    assert join_surrogates("a\ud83e\udd8ab") == "a🦊b"
    assert join_surrogates("a\ud83eb\udd8a") == "a�b�"


def test_a_plain_request_to_the_letter() -> None:
    context = ContextPart(kind="time", text="It is Tuesday.", gated=False)
    asked = Request(
        model="claude-haiku-5-5",
        max_tokens=8096,
        system=(
            SystemBlock(text="Rules.", cache=True),
            SystemBlock(text="Memory.", cache=True),
            SystemBlock(text="Hi."),
        ),
        tools=(ToolSpec(name="read", description="Read.", schema={"type": "object"}),),
        messages=(
            user("Hello"),
            Message(role="assistant", parts=(ToolCallPart(id="a.1", name="read", arguments='{"path": "SOUL.md"}'),)),
            Message(
                role="user", parts=(TextPart(text="And?"), ToolResultPart(call_id="a.1", text="no", is_error=True))
            ),
            Message(role="user", parts=(context,)),
        ),
        effort="low",
        thinking="off",
    )
    mark = {"cache_control": {"type": "ephemeral"}}
    assert encode_request(asked) == {
        "model": "claude-haiku-5-5",
        "max_tokens": 8096,
        "system": [
            {"type": "text", "text": "Rules.", **mark},
            {"type": "text", "text": "Memory.", **mark},
            {"type": "text", "text": "Hi."},
        ],
        "tools": [{"name": "read", "description": "Read.", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Hello"}]},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "a_1", "name": "read", "input": {"path": "SOUL.md"}}],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "a_1", "content": "no", "is_error": True},
                    {"type": "text", "text": "And?"},
                    {"type": "text", "text": "It is Tuesday.", **mark},
                ],
            },
        ],
        "output_config": {"effort": "low"},
        "thinking": {"type": "disabled"},
    }


def test_defaults_are_left_to_the_server() -> None:
    params = encode_request(request())
    assert "thinking" not in params
    assert "output_config" not in params
    assert "tools" not in params


def test_broken_arguments_go_back_as_the_model_wrote_them() -> None:
    calls = tuple(
        ToolCallPart(id=f"c{n}", name="read", arguments=raw) for n, raw in enumerate(['{"a', "", "[1]", "NaN"])
    )
    inputs = [block["input"] for block in _blocks(encode_request(request(Message(role="assistant", parts=calls))))]
    assert inputs == [{"invalid_json": '{"a'}, {}, {"invalid_json": "[1]"}, {"invalid_json": "NaN"}]


def test_arguments_nobody_should_write_are_no_arguments() -> None:
    assert parse_arguments("[" * 100_000) is None
    assert parse_arguments('{"a": ' + "9" * 5000 + "}") is None
    assert parse_arguments('{"a": Infinity}') is None


# --- cache breakpoints --------------------------------------------------------------------------


def _call_round(number: int) -> tuple[Message, Message]:
    call = ToolCallPart(id=f"c{number}", name="read", arguments="{}")
    result = ToolResultPart(call_id=f"c{number}", text="x")
    return Message(role="assistant", parts=(call,)), Message(role="user", parts=(result,))


def _loop(rounds: int) -> list[Message]:
    return [message for number in range(rounds) for message in _call_round(number)]


def test_the_end_of_the_messages_carries_a_breakpoint() -> None:
    params = encode_request(request(user("a"), Message(role="assistant", parts=(TextPart(text="b"),)), user("c")))
    assert _marks(params) == [2]


def test_in_a_long_tool_loop_each_request_finds_a_breakpoint_of_the_one_before() -> None:
    before: list[int] = []
    for rounds in range(1, 40):
        marks = _marks(encode_request(request(user("go"), *_loop(rounds))))
        reach = {found for mark in marks for found in range(mark - 20, mark + 1)}
        assert not before or reach & set(before), (rounds, marks, before)
        assert all(later - earlier <= 20 for earlier, later in pairwise(marks))
        before = marks


def test_after_a_long_turn_the_next_one_still_reaches_its_opening() -> None:
    long_turn = [user("go"), *_loop(12), Message(role="assistant", parts=(TextPart(text="done"),))]
    marks = _marks(encode_request(request(*long_turn, user("next"))))
    assert marks == [0, 26]
    assert STRIDE < 26


def test_thinking_never_carries_a_breakpoint() -> None:
    thinking = OpaquePart(raw={"type": "thinking", "thinking": "t", "signature": "s"})
    asked = request(user("a"), Message(role="assistant", parts=(TextPart(text="b"), thinking)))
    assert _marks(encode_request(asked)) == [1]


def test_an_id_that_comes_again_later_in_the_conversation_goes_out_as_another() -> None:
    """A server that counts calls from 1 in each reply, and a conversation that then moves to Anthropic's."""

    def loop(text: str) -> tuple[Message, Message]:
        return (
            Message(role="assistant", parts=(ToolCallPart(id="1", name="read", arguments="{}"),)),
            Message(role="user", parts=(ToolResultPart(call_id="1", text=text),)),
        )

    params = encode_request(request(user("hi"), *loop("first"), *loop("second")))
    calls = [block["id"] for block in _blocks(params) if block["type"] == "tool_use"]
    answers = [
        (block["tool_use_id"], block["content"]) for block in _blocks(params) if block["type"] == "tool_result"
    ]
    assert len(set(calls)) == 2
    assert answers == list(zip(calls, ["first", "second"], strict=True))


def test_long_ids_of_calls_are_short_and_still_pairs() -> None:
    """vLLM's have 46 characters, and OpenAI refuses the whole conversation for more than 40."""
    long, other = "chatcmpl-tool-" + "0" * 32, "chatcmpl-tool-" + "0" * 31 + "1"
    calls = tuple(ToolCallPart(id=each, name="read", arguments="{}") for each in (long, other))
    results = tuple(ToolResultPart(call_id=each, text="x") for each in (long, other))
    made = replace(request(), messages=(Message(role="assistant", parts=calls), Message(role="user", parts=results)))
    blocks = _blocks(encode_request(made))
    called = [block["id"] for block in blocks if block["type"] == "tool_use"]
    assert called == [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    assert len(set(called)) == 2
    assert all(len(each) <= 40 for each in called)
    messages = encode_chat(made, Quirks(), "h")["messages"]
    asked = [each["id"] for message in messages for each in message.get("tool_calls") or ()]
    assert asked == [message["tool_call_id"] for message in messages if message["role"] == "tool"] == called
