"""A reply through the real SDK from a real socket: text, thinking, tools, usage, and servers that are not quite
Anthropic's."""

from __future__ import annotations

import asyncio
import json

import pytest

from pet.model import OpaquePart, StopReason, TextPart, ToolCallPart, Usage
from pet.providers.anthropic_provider import AnthropicProvider
from pet.providers.base import TextChunk, ThinkingChunk
from tests.providers.calls import CANARY, READ, fault_of, models_of, outcomes, request, run
from tests.support.servers.protocol_replies import Call, Cut, Redacted, Reply, Thinking, dropped, event, stream, whole
from tests.support.servers.protocol_server import ProtocolServer, Recorded


def test_text_comes_piece_by_piece_and_once_more_whole() -> None:
    with ProtocolServer(stream("Hel", "lo, ", "你好 🦊")) as server:
        answer = run(server.url)
    assert answer.events[:-1] == [TextChunk(text="Hel"), TextChunk(text="lo, "), TextChunk(text="你好 🦊")]
    assert answer.round.parts == (TextPart(text="Hello, 你好 🦊"),)
    assert answer.round.stop is StopReason.END_TURN
    assert answer.round.model == "test-model"


def test_usage_is_what_the_server_said() -> None:
    usage = {"input_tokens": 3, "output_tokens": 9, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 5}
    with ProtocolServer(stream("Hi", usage=usage)) as server:
        answer = run(server.url)
    assert answer.round.usage == Usage(input_tokens=3, output_tokens=9, cache_read_tokens=40, cache_write_tokens=5)


def test_parallel_tool_calls_keep_their_raw_arguments_and_order() -> None:
    reply = stream("Looking.", Call("read", '{"path": "SOUL.md"}', "toolu_a"), Call("read", {"path": "USER.md"}))
    with ProtocolServer(reply) as server:
        answer = run(server.url, request(tools=[READ]))
    assert answer.round.stop is StopReason.TOOL_USE
    text, first, second = answer.round.parts
    assert text == TextPart(text="Looking.")
    assert first == ToolCallPart(id="toolu_a", name="read", arguments='{"path": "SOUL.md"}')
    assert isinstance(second, ToolCallPart)
    assert json.loads(second.arguments) == {"path": "USER.md"}


def test_a_call_without_arguments_has_an_empty_object() -> None:
    with ProtocolServer(stream(Call("read", ""))) as server:
        answer = run(server.url)
    assert [part.arguments for part in answer.round.parts if isinstance(part, ToolCallPart)] == ["{}"]


def test_broken_tool_json_reaches_the_engine_as_it_is() -> None:
    with ProtocolServer(stream(Call("read", '{"path": "SOUL'))) as server:
        answer = run(server.url)
    assert answer.round.stop is StopReason.TOOL_USE
    assert [part.arguments for part in answer.round.parts if isinstance(part, ToolCallPart)] == ['{"path": "SOUL']


def test_thinking_is_kept_whole_with_its_signature_and_told_by_length_only() -> None:
    with ProtocolServer(stream(Thinking("Hmm, well."), Redacted("AAAA"), "Yes.")) as server:
        answer = run(server.url)
        own = {"server": f"127.0.0.1:{server.port}", "model": "test-model"}
    assert answer.events[0] == ThinkingChunk(characters=10)
    assert answer.round.parts == (
        OpaquePart(raw={"type": "thinking", "thinking": "Hmm, well.", "signature": "c2lnbmVk"}, **own),
        OpaquePart(raw={"type": "redacted_thinking", "data": "AAAA"}, **own),
        TextPart(text="Yes."),
    )


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("max_tokens", StopReason.MAX_TOKENS),
        ("refusal", StopReason.REFUSAL),
        ("model_context_window_exceeded", StopReason.WINDOW_EXCEEDED),
        ("something_of_next_year", StopReason.END_TURN),
    ],
)
def test_every_stop_reason_has_its_meaning(reason: str, stop: StopReason) -> None:
    with ProtocolServer(stream("Hi", stop=reason)) as server:
        assert run(server.url).round.stop is stop


def test_out_of_tokens_the_last_call_is_dropped_though_it_parses() -> None:
    reply = stream(Call("read", {"path": "a"}, "one"), Call("write", {"path": "b"}, "two"), stop="max_tokens")
    with ProtocolServer(reply) as server:
        answer = run(server.url)
    assert [part.id for part in answer.round.parts if isinstance(part, ToolCallPart)] == ["one"]


@pytest.mark.parametrize("how", ["fin", "rst"])
def test_a_stream_that_breaks_after_words_is_a_cut_round(how: str) -> None:
    reply = stream("So far", Cut("rst" if how == "rst" else "fin"), "never")
    with ProtocolServer(reply) as server:
        answer = run(server.url)
    assert answer.round.stop is StopReason.CUT
    # After a reset the kernel may throw away what it had not handed over yet: what was shown is what is kept.
    assert answer.text == "".join(part.text for part in answer.round.parts if isinstance(part, TextPart))


def test_an_end_without_message_stop_is_a_cut_round_though_nothing_failed() -> None:
    with ProtocolServer(stream("So far", ends=False)) as server:
        answer = run(server.url)
    assert answer.round.stop is StopReason.CUT
    assert answer.round.parts == (TextPart(text="So far"),)


def test_a_stop_reason_without_message_stop_ends_the_reply() -> None:
    whole_reply = stream("So far", Call("read", {"path": "SOUL.md"}))
    with ProtocolServer(Reply(headers=whole_reply.headers, steps=whole_reply.steps[:-1])) as server:
        answer = run(server.url)
    assert answer.round.stop is StopReason.TOOL_USE


@pytest.mark.parametrize(
    "options", [{"usage": None}, {"start": False}, {"named": False}, {"start": False, "usage": None, "named": False}]
)
def test_a_server_that_leaves_things_out_is_understood(options: dict[str, object]) -> None:
    with ProtocolServer(stream("Hi", Call("read", {"path": "SOUL.md"}), **options)) as server:  # type: ignore[arg-type]
        answer = run(server.url)
    assert answer.text == "Hi"
    assert answer.round.stop is StopReason.TOOL_USE
    if "usage" in options:
        assert answer.round.usage == Usage()


def test_unknown_events_and_blocks_are_passed_over() -> None:
    strange = [
        event({"type": "weather", "degrees": 21}),
        event({"type": "content_block_start", "index": 7, "content_block": {"type": "hologram", "data": "x"}}),
        event({"type": "content_block_delta", "index": 7, "delta": {"type": "hologram_delta", "data": "y"}}),
        event({"type": "content_block_stop", "index": 7}),
        b": a comment\n\n",
        b"data: [DONE]\n\n",
    ]
    with ProtocolServer(stream("Hi", *strange, " there")) as server:
        answer = run(server.url)
    assert answer.text == "Hi there"
    assert answer.round.parts == (TextPart(text="Hi there"),)


def test_an_emoji_in_two_escapes_is_one_character() -> None:
    high, low = (
        b'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 0, '
        b'"delta": {"type": "text_delta", "text": "%s"}}\n\n' % half
        for half in (rb"fox \ud83e", rb"\udd8a!")
    )
    with ProtocolServer(stream("A ", high, low)) as server:
        answer = run(server.url)
    assert answer.text == "A fox 🦊!"
    assert answer.round.parts == (TextPart(text="A fox 🦊!"),)


def test_the_same_request_is_the_same_bytes() -> None:
    with ProtocolServer(stream("a"), stream("b")) as server:
        run(server.url, request(tools=[READ]))
        run(server.url, request(tools=[READ]))
    assert server.requests[0].body == server.requests[1].body


def test_a_foreign_server_gets_both_forms_of_the_key_the_older_protocol_and_no_telemetry() -> None:
    with ProtocolServer(stream("Hi")) as server:
        run(server.url)
    headers = server.requests[0].headers
    assert headers["authorization"] == f"Bearer {CANARY}"
    assert headers["x-api-key"] == CANARY
    assert headers["anthropic-version"] == "2023-06-01"
    assert headers["user-agent"].startswith("soulpet/")
    assert not [name for name in headers if name.startswith("x-stainless")]


def test_headers_of_the_environment_do_not_go_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-other-key: secret")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-somebody-else")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token-of-somebody-else")
    with ProtocolServer(stream("Hi")) as server:
        run(server.url, key=None)
    headers = server.requests[0].headers
    assert "x-other-key" not in headers
    assert "authorization" not in headers
    assert "x-api-key" not in headers


@pytest.mark.parametrize("tail", ["", "/", "/v1", "/v1/", "/v1/messages"])
def test_an_address_pasted_with_its_tail_works(tail: str) -> None:
    with ProtocolServer(stream("Hi")) as server:
        assert run(server.url + tail).text == "Hi"
    assert server.requests[0].path == "/v1/messages"


def test_a_stale_kept_alive_connection_is_its_own_fault_and_the_next_call_works() -> None:
    with ProtocolServer(stream("a"), dropped(), stream("b")) as server:
        provider = AnthropicProvider(server.url, None)
        assert asyncio.run(outcomes(provider, 3)) == ["ok", "dropped", "ok"]


def test_models_are_listed() -> None:
    with ProtocolServer(models=("claude-haiku-5-5", "qwen")) as server:
        assert asyncio.run(models_of(server.url)) == ["claude-haiku-5-5", "qwen"]


def test_a_reply_may_be_a_function_of_the_request() -> None:
    def echo(asked: Recorded) -> Reply:
        return stream(f"You said: {asked.last_text()}")

    with ProtocolServer(echo) as server:
        assert run(server.url).text == "You said: Hello"


def test_an_empty_reply_is_a_round_without_parts() -> None:
    with ProtocolServer(stream()) as server:
        answer = run(server.url)
    assert answer.round.parts == ()
    assert answer.round.stop is StopReason.END_TURN


def test_json_where_a_stream_should_be_is_not_an_llm() -> None:
    with ProtocolServer(whole('{"hello": 1}')) as server:
        assert fault_of(server.url).kind == "not_an_llm"
