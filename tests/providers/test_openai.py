"""The chat completions protocol over real sockets: text, tools, usage, faults, and each known quirk."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest

from pet.errors import ProviderFault
from pet.model import (
    ImagePart,
    Message,
    OpaquePart,
    Request,
    StopReason,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    Usage,
)
from pet.providers.anthropic_provider import AnthropicProvider
from pet.providers.base import TextChunk, ThinkingChunk
from pet.providers.endpoint import base_of
from pet.providers.openai_messages import encode_request
from pet.providers.openai_provider import OpenAIProvider
from pet.providers.quirks import Quirks, quirks_of
from pet.settings.api_keys import ApiKey
from tests.providers.calls import CANARY, READ, Answer, closed_port, collect, request, user
from tests.support.servers.chat_replies import call, chat, refusal
from tests.support.servers.protocol_replies import Cut, dropped, html, redirect, whole
from tests.support.servers.protocol_server import ProtocolServer


def ask(base_url: str, asked: Request | None = None, *, key: str | None = CANARY) -> Answer:
    async def act() -> Answer:
        provider = OpenAIProvider(base_url, ApiKey(key) if key else None)
        try:
            return Answer(await collect(provider, asked))
        finally:
            await provider.close()

    return asyncio.run(act())


def fault(base_url: str, asked: Request | None = None, *, key: str | None = CANARY) -> ProviderFault:
    with pytest.raises(ProviderFault) as raised:
        ask(base_url, asked, key=key)
    return raised.value


# --- what comes -----------------------------------------------------------------------------------


def test_text_comes_piece_by_piece_and_once_more_whole() -> None:
    with ProtocolServer(chat("Hel", "lo, ", "你好 🦊")) as server:
        answer = ask(server.url)
    assert answer.events[:-1] == [TextChunk(text="Hel"), TextChunk(text="lo, "), TextChunk(text="你好 🦊")]
    assert answer.round.parts == (TextPart(text="Hello, 你好 🦊"),)
    assert (answer.round.stop, answer.round.model) == (StopReason.END_TURN, "test-model")


def test_cached_tokens_are_not_counted_as_input() -> None:
    with ProtocolServer(chat("Hi")) as server:
        assert ask(server.url).round.usage == Usage(input_tokens=25, output_tokens=7, cache_read_tokens=5)


def test_deepseek_cache_field_and_missing_usage() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "prompt_cache_hit_tokens": 4}
    with ProtocolServer(chat("Hi", usage=usage), chat("Hi", usage=None)) as server:
        assert ask(server.url).round.usage == Usage(input_tokens=6, output_tokens=2, cache_read_tokens=4)
        assert ask(server.url).round.usage == Usage()


def test_tool_calls_in_pieces_are_put_together_by_index() -> None:
    reply = chat(
        "Looking.",
        call("read", '{"pa', id_="call_a"),
        call("read", "", id_="call_b", index=1),
        call("", 'th": "SOUL.md"}'),
        call("", '{"path": "USER.md"}', index=1),
        finish="tool_calls",
    )
    with ProtocolServer(reply) as server:
        answer = ask(server.url, request(tools=[READ]))
    assert answer.round.stop is StopReason.TOOL_USE
    assert answer.round.parts[1:] == (
        ToolCallPart(id="call_a", name="read", arguments='{"path": "SOUL.md"}'),
        ToolCallPart(id="call_b", name="read", arguments='{"path": "USER.md"}'),
    )


@pytest.mark.parametrize("index", [None, 0])
def test_calls_without_index_are_distinguished_by_id(index: int | None) -> None:
    first, second = '{"path": "a"}', '{"path": "b"}'
    reply = chat(call("read", first, id_="x", index=index), call("read", second, id_="y", index=index), finish="stop")
    with ProtocolServer(reply) as server:
        answer = ask(server.url, request(tools=[READ]))
    assert answer.round.stop is StopReason.TOOL_USE
    assert [part.arguments for part in answer.round.parts if isinstance(part, ToolCallPart)] == [first, second]


def test_call_that_ran_out_of_tokens_is_left_out() -> None:
    with ProtocolServer(chat("Hm", call("read", '{"path": "a"}', id_="x"), finish="length")) as server:
        answer = ask(server.url)
    assert (answer.round.parts, answer.round.stop) == ((TextPart(text="Hm"),), StopReason.MAX_TOKENS)


def test_call_without_id_gets_one() -> None:
    with ProtocolServer(chat(call("read", "{}"), finish="tool_calls")) as server:
        answer = ask(server.url)
    (part,) = answer.round.parts
    assert isinstance(part, ToolCallPart) and part.id.startswith("call_")


def test_reasoning_is_told_by_length_and_kept_for_its_own_host_only() -> None:
    reply = chat({"reasoning_content": "hmm"}, call("read", "{}", id_="x"), finish="tool_calls")
    with ProtocolServer(reply) as server:
        answer = ask(server.url)
        host = f"127.0.0.1:{server.port}"
    assert ThinkingChunk(characters=3) in answer.events
    opaque = answer.round.parts[0]
    assert isinstance(opaque, OpaquePart)
    asked = request(user("Hi"), Message(role="assistant", parts=answer.round.parts), user("go on"))
    own, other = encode_request(asked, Quirks(), host), encode_request(asked, Quirks(), "elsewhere")
    assert own["messages"][2]["reasoning_content"] == "hmm"
    assert "reasoning_content" not in other["messages"][2]


def test_thought_signature_of_a_call_goes_back_unchanged() -> None:
    extra = {"google": {"thought_signature": "c2ln"}}
    with ProtocolServer(chat(call("read", "{}", id_="x", extra_content=extra), finish="tool_calls")) as server:
        answer = ask(server.url)
        host = f"127.0.0.1:{server.port}"
    asked = request(user("Hi"), Message(role="assistant", parts=answer.round.parts))
    (sent,) = encode_request(asked, Quirks(), host)["messages"][2]["tool_calls"]
    assert sent["extra_content"] == extra


def test_comments_and_crlf_are_passed_over() -> None:
    with ProtocolServer(chat("Hi", b": OPENROUTER PROCESSING\r\n\r\n", "!")) as server:
        assert ask(server.url).text == "Hi!"


def test_server_that_does_not_stream_is_read_whole() -> None:
    body = {"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3}}
    with ProtocolServer(whole(json.dumps(body))) as server:
        answer = ask(server.url)
    assert (answer.text, answer.round.stop) == ("Hello", StopReason.END_TURN)


def test_emoji_cut_between_two_events_stays_whole() -> None:
    event = b'data: {"choices": [{"delta": {"content": "\\ud83e"}}]}\n\n'
    rest = b'data: {"choices": [{"delta": {"content": "\\udd8a"}}]}\n\n'
    with ProtocolServer(chat(event, rest)) as server:
        assert ask(server.url).text == "🦊"


# --- what goes out --------------------------------------------------------------------------------


def test_request_has_bearer_key_and_nothing_that_tells_of_the_machine() -> None:
    with ProtocolServer(chat("Hi")) as server:
        ask(server.url)
        (sent,) = server.requests
    assert sent.route == "/v1/chat/completions"
    assert sent.headers["authorization"] == f"Bearer {CANARY}"
    assert set(sent.headers) <= {
        "accept",
        "accept-encoding",
        "authorization",
        "connection",
        "content-length",
        "content-type",
        "host",
        "user-agent",
    }
    assert sent.json["messages"] == [
        {"role": "system", "content": "You are a pet."},
        {"role": "user", "content": "Hello"},
    ]
    assert sent.json["stream_options"] == {"include_usage": True}


def test_local_server_needs_no_key() -> None:
    with ProtocolServer(chat("Hi")) as server:
        ask(server.url, key=None)
        assert "authorization" not in server.requests[0].headers


def test_results_go_as_tool_messages_before_what_was_said() -> None:
    asked = request(
        user("Hi"),
        Message(role="assistant", parts=(ToolCallPart(id="c 1", name="read", arguments="{}"),)),
        Message(role="user", parts=(TextPart(text="and?"), ToolResultPart(call_id="c 1", text="", is_error=True))),
        tools=[READ],
    )
    body = encode_request(asked, Quirks(), "host")
    assert body["messages"][2:] == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c_1", "type": "function", "function": {"name": "read", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c_1", "content": "-"},
        {"role": "user", "content": "and?"},
    ]
    assert body["tools"][0]["function"]["name"] == "read"


def test_pictures_go_as_data_addresses() -> None:
    picture = ImagePart(kind="image/png", data="AAAA", width=1, height=1)
    body = encode_request(request(Message(role="user", parts=(picture, TextPart(text="see")))), Quirks(), "host")
    assert body["messages"][1]["content"] == [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "text", "text": "see"},
    ]


def test_short_ids_are_nine_letters_and_equal_in_call_and_result() -> None:
    asked = request(
        Message(role="assistant", parts=(ToolCallPart(id="toolu_0123456789", name="read", arguments="{}"),)),
        Message(role="user", parts=(ToolResultPart(call_id="toolu_0123456789", text="x"),)),
    )
    body = encode_request(asked, quirks_of("api.mistral.ai", near=False), "api.mistral.ai")
    called, result = body["messages"][1]["tool_calls"][0]["id"], body["messages"][2]["tool_call_id"]
    assert called == result and len(called) == 9 and called.isalnum()


def test_schema_and_temperature_are_sent() -> None:
    asked = Request(
        model="m",
        max_tokens=9,
        system=(),
        tools=(),
        messages=(user("Hi"),),
        schema={"type": "object"},
        temperature=0.0,
    )
    body = encode_request(asked, Quirks(), "host")
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert body["temperature"] == 0.0


@pytest.mark.parametrize(
    ("given", "base"),
    [
        ("https://api.openai.com", "https://api.openai.com/v1"),
        ("https://api.openai.com/v1/", "https://api.openai.com/v1"),
        ("https://openrouter.ai/api/v1/chat/completions", "https://openrouter.ai/api/v1"),
        (
            "https://generativelanguage.googleapis.com/v1beta/openai",
            "https://generativelanguage.googleapis.com/v1beta/openai",
        ),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1"),
    ],
)
def test_base_keeps_its_own_path(given: str, base: str) -> None:
    assert base_of(given) == base


@pytest.mark.parametrize(
    ("status", "message", "field"),
    [
        (400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "max_completion_tokens"),
        (422, "stream_options: Extra inputs are not permitted", "max_tokens"),
    ],
)
def test_refused_field_is_learned_once(status: int, message: str, field: str) -> None:
    async def act(url: str) -> None:
        provider = OpenAIProvider(url, None)
        await collect(provider)
        await collect(provider)
        await provider.close()

    with ProtocolServer(refusal(status, message), chat("Hi"), chat("Hi")) as server:
        asyncio.run(act(server.url))
        assert len(server.requests) == 3
        assert all(field in each.json for each in server.requests[1:])
        assert ("stream_options" in server.requests[2].json) == (status == 400)


# --- faults ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (refusal(401, "Incorrect API key provided", code="invalid_api_key"), "bad_key"),
        (refusal(400, "API key not valid. Please pass a valid API key."), "bad_key"),
        (whole('[{"error": {"code": 400, "message": "API key not valid."}}]', status=400), "bad_key"),
        (
            refusal(429, "You exceeded your current quota", type_="insufficient_quota", code="insufficient_quota"),
            "billing",
        ),
        (refusal(429, "Rate limit reached for requests"), "rate_limit"),
        (refusal(402, "Insufficient Balance"), "billing"),
        (refusal(400, "too long", code="context_length_exceeded"), "window_exceeded"),
        (
            refusal(400, "exceeds the available context size (4096 tokens)", type_="exceed_context_size_error"),
            "window_exceeded",
        ),
        (refusal(404, "The model `x` does not exist", code="model_not_found"), "model_unknown"),
        (refusal(500, "boom"), "server"),
        (refusal(503, "overloaded"), "server"),
        (whole("", status=404), "not_an_llm"),
        (html(), "not_an_llm"),
        (redirect("https://elsewhere.example/"), "redirected"),
        (dropped(), "dropped"),
        (whole('{"hello": 1}'), "not_an_llm"),
        (whole("no json"), "not_an_llm"),
        (chat(finish=None, done=False), "cut"),
        (chat(error={"message": "overloaded", "code": 429}, finish=None), "rate_limit"),
        (chat(error={"message": "internal"}, finish=None), "server"),
    ],
)
def test_each_failure_has_its_kind(reply: object, kind: str) -> None:
    with ProtocolServer(default=reply) as server:  # type: ignore[arg-type]
        assert fault(server.url).kind == kind


def test_missing_key_is_distinguished_from_wrong_key() -> None:
    with ProtocolServer(default=refusal(401, "No API key")) as server:
        assert fault(server.url, key=None).kind == "no_key"


def test_refused_connection_is_reported() -> None:
    assert fault(f"http://127.0.0.1:{closed_port()}").kind == "refused_connection"


def test_stream_cut_after_words_is_a_cut_round() -> None:
    with ProtocolServer(chat("Half a", Cut(), finish=None)) as server:
        answer = ask(server.url)
    assert (answer.text, answer.round.stop) == ("Half a", StopReason.CUT)


def test_key_is_in_no_fault() -> None:
    with ProtocolServer(default=refusal(400, f"what is {CANARY}?")) as server:
        raised = fault(server.url)
    assert CANARY not in str(raised) and CANARY not in str(raised.args_)


def test_models_are_listed_without_googles_prefix() -> None:
    async def act(url: str) -> list[str]:
        provider = OpenAIProvider(url, None)
        try:
            return await provider.list_models()
        finally:
            await provider.close()

    with ProtocolServer(models=("models/gemini", "other")) as server:
        assert asyncio.run(act(server.url)) == ["gemini", "other"]


def test_no_sdk_is_imported_for_it() -> None:
    code = (
        "import sys; from pet.providers.openai_provider import OpenAIProvider;"
        "OpenAIProvider('http://127.0.0.1:1', None); print('anthropic' in sys.modules, 'openai' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


LISTED: list[tuple[dict[str, Any], bool]] = [
    ({"id": "gpt-5.6"}, True),
    ({"id": "mistral-large-4-0", "deprecation": None, "archived": False}, True),
    ({"id": "mistral-large-3", "deprecation": "2999-01-01T00:00:00Z"}, True),  # announced only
    ({"id": "mistral-small-1", "deprecation": "2020-01-01T00:00:00Z"}, False),
    ({"id": "mistral-tiny", "archived": True}, False),
    ({"id": "llama3-8b-8192", "active": False}, False),
    ({"id": "command-light", "is_deprecated": True}, False),
    ({"id": "stealth/gone", "expiration_date": "2020-06-01"}, False),
    ({"id": "stealth/going", "expiration_date": "2999-06-01"}, True),
    ({"id": "gpt-35-turbo", "deprecation": {"inference": 1_600_000_000}, "capabilities": {}}, False),
    ({"id": "gpt-5.6-azure", "deprecation": {"fine_tune": 1, "inference": 32_000_000_000}}, True),
    ({"id": "claude-2", "lifecycle": "retired"}, False),
    ({"id": "claude-3", "lifecycle": {"stage": "deprecated"}}, False),
    ({"id": "kept", "deprecation": {"inference": 0}, "expiration_date": 0}, True),
    ({"id": "odd", "deprecation": "soon", "lifecycle": 7, "expiration_date": [], "active": None}, True),
    ({"id": "text-embedding-3-large"}, False),
    ({"id": "ada", "capabilities": {"chat_completion": False}}, False),
    ({"id": "gemini-2.5-flash-image"}, False),
    ({"id": "gemini-3-pro"}, True),
    ({"id": "black-forest/painter", "architecture": {"output_modalities": ["image"]}}, False),
    ({"id": "openai/gpt-5.6", "architecture": {"output_modalities": ["text"]}}, True),
    ({"id": "odd/kinds", "architecture": {"output_modalities": [{}, ["text"]]}}, False),
    ({"id": "grok-imagine-video"}, False),
    ({"id": "qwen3-tts-flash"}, False),
    ({"id": "canopylabs/orpheus-v1-english"}, False),
    ({"id": "gpt-4o-mini-transcribe"}, False),
    ({"id": "omni-moderation-latest"}, False),
    ({"id": "meta/thing", "type": "moderation"}, False),
    ({"id": "meta/talker", "type": "chat"}, True),
    ({"id": "imaginary-talker"}, True),
]
"""Entries as the makers' lists have them (2026-11)."""


@pytest.mark.parametrize("over", [OpenAIProvider, AnthropicProvider])
def test_models_that_are_retired_or_do_not_talk_are_listed_on_request_only(
    over: type[OpenAIProvider | AnthropicProvider],
) -> None:
    async def act(url: str) -> list[list[str]]:
        provider = over(url, None)
        try:
            return [await provider.list_models(every=every) for every in (False, True)]
        finally:
            await provider.close()

    with ProtocolServer(models=tuple(entry for entry, _ in LISTED)) as server:
        offered, every = asyncio.run(act(server.url))
    assert offered == [entry["id"] for entry, talks in LISTED if talks]
    assert every == [entry["id"] for entry, _ in LISTED]
