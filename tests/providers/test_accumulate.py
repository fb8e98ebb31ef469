"""The folding of a stream survives any events, and never says more than came."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pet.model import StopReason, TextPart, ToolCallPart
from pet.providers.anthropic_messages import MessageAccumulator
from pet.providers.base import TextChunk

_json = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab\ud83e\udd8a", max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "text", "id"]), inner, max_size=3)
    ),
    max_leaves=6,
)
_kinds = st.sampled_from(
    [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
        "ping",
        "other",
    ]
)
_deltas = st.fixed_dictionaries(
    {"type": st.sampled_from(["text_delta", "thinking_delta", "signature_delta", "input_json_delta", "x"])},
    optional=dict.fromkeys(("text", "thinking", "signature", "partial_json", "stop_reason"), _json),
)
_blocks = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "tool_use", "thinking", "redacted_thinking", "x"])},
    optional=dict.fromkeys(("text", "id", "name", "input", "thinking", "data"), _json),
)
_events = st.fixed_dictionaries(
    {"type": _kinds},
    optional={
        "index": st.integers(0, 2) | _json,
        "delta": _deltas | _json,
        "content_block": _blocks | _json,
        "message": _json,
        "usage": _json,
    },
)


@given(st.lists(_events, max_size=15))
def test_any_events_make_a_round_and_its_text_is_what_was_shown(events: list[dict[str, Any]]) -> None:
    reply = MessageAccumulator("m", "h")
    chunks = [chunk for event in events for chunk in reply.feed(event)] + reply.finish()
    shown = [chunk.text for chunk in chunks if isinstance(chunk, TextChunk)]
    done = reply.done()
    said = "".join(part.text for part in done.parts if isinstance(part, TextPart))
    assert sum(map(len, shown)) >= len(said)
    assert all(part.text for part in done.parts if isinstance(part, TextPart))
    assert done.stop is not StopReason.TOOL_USE or any(isinstance(part, ToolCallPart) for part in done.parts)
    assert (done.stop is StopReason.CUT) >= (not reply.ended)


def _feed(*events: dict[str, Any]) -> MessageAccumulator:
    reply = MessageAccumulator("m", "h")
    for event in events:
        reply.feed(event)
    reply.finish()
    return reply


_CALL = {"type": "tool_use", "id": "c", "name": "read", "input": {}}
_TOOL_END = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}


def test_a_call_that_did_not_arrive_whole_is_no_call() -> None:
    text = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "hm"}}
    done = _feed(
        text,
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": _CALL},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
        _TOOL_END,
        {"type": "message_stop"},
    ).done()
    assert done.parts == (TextPart(text="hm"),)
    assert done.stop is StopReason.END_TURN


def test_a_server_that_ends_no_block_ends_them_with_the_message() -> None:
    start = {"type": "content_block_start", "index": 0, "content_block": _CALL}
    done = _feed(start, _TOOL_END, {"type": "message_stop"}).done()
    assert done.parts == (ToolCallPart(id="c", name="read", arguments="{}"),)
    assert done.stop is StopReason.TOOL_USE


def test_input_that_comes_with_the_start_counts() -> None:
    start = {"type": "content_block_start", "index": 0, "content_block": {**_CALL, "input": {"path": "魂.md"}}}
    done = _feed(start, {"type": "content_block_stop", "index": 0}, _TOOL_END, {"type": "message_stop"}).done()
    assert done.parts == (ToolCallPart(id="c", name="read", arguments='{"path": "魂.md"}'),)


def test_a_call_without_an_id_gets_one() -> None:
    start = {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "name": "read"}}
    parts = _feed(start, {"type": "content_block_stop", "index": 0}, _TOOL_END, {"type": "message_stop"}).done().parts
    assert next(part.id for part in parts if isinstance(part, ToolCallPart)).startswith("call_")
