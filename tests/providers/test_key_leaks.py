"""The key leaves for its own origin, in two headers, and shows up nowhere else: no error, log, repr or traceback."""

from __future__ import annotations

import asyncio
import copy
import logging
import pickle
import traceback
from collections.abc import AsyncGenerator

import pytest

from pet.errors import ProviderFault
from pet.events import ErrorInfo
from pet.model import OpaquePart, StopReason, TextPart, ToolCallPart, Usage
from pet.providers.anthropic_provider import AnthropicProvider
from pet.providers.base import RoundDone, Streamed, TextChunk, ThinkingChunk
from pet.providers.faults import Where, causes
from pet.providers.http_provider import mask_stream
from pet.providers.openai_provider import OpenAIProvider
from pet.settings.api_keys import ApiKey
from tests.providers.calls import CANARY, READ, Answer, closed_port, collect, fault_of, request, run, user
from tests.providers.test_faults_live import _CASES
from tests.support.servers.chat_replies import call, chat
from tests.support.servers.protocol_replies import Call, Reply, error, error_event, redirect, stream
from tests.support.servers.protocol_server import ProtocolServer

_ECHOES: dict[str, Reply] = {
    "401 with the key": error(401, "authentication_error", f"invalid x-api-key {CANARY}"),
    "400 with the key": error(400, "invalid_request_error", f"Header authorization: Bearer {CANARY} is bad"),
    "400 with half of it": error(400, "invalid_request_error", f"key {CANARY[:-4]}"),
    "stream with the key": stream(error_event("invalid_request_error", f"key={CANARY}"), ends=False),
    "redirect with the key": redirect(f"https://elsewhere.invalid/?key={CANARY}"),
}
_EVERY = {**{name: reply for name, (reply, _, _) in _CASES.items()}, **_ECHOES}


def _everything_told(fault: ProviderFault) -> str:
    told = [repr(ErrorInfo.of(fault)), "".join(traceback.format_exception(fault))]
    for found in causes(fault):
        told += [str(found), repr(found), repr(found.args), repr(getattr(found, "__dict__", ""))]
    return "\n".join(told)


@pytest.mark.parametrize("name", _EVERY)
def test_no_fault_and_no_log_tells_the_key(name: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for logger in ("anthropic", "httpx2", "httpcore2"):
        caplog.set_level(logging.DEBUG, logger)
    with ProtocolServer(_EVERY[name]) as server:
        fault = fault_of(server.url)
        assert CANARY in server.requests[0].headers["authorization"]
    told = _everything_told(fault) + caplog.text + "\n".join(repr(record.__dict__) for record in caplog.records)
    assert CANARY not in told
    assert CANARY[:-4] not in told


def test_no_exception_of_the_sdk_hangs_on_a_fault() -> None:
    """They hold the request, and with it the headers."""
    with ProtocolServer(error(500, "api_error", "x")) as server:
        fault = fault_of(server.url)
    assert list(causes(fault)) == [fault]


def test_a_good_call_logs_no_key_either(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with ProtocolServer(stream("Hi")) as server:

        async def call() -> str:
            provider = AnthropicProvider(server.url, ApiKey(CANARY))
            await collect(provider, request(user("Hello")))
            told = repr(provider) + repr(vars(provider))
            await provider.close()
            return told

        assert CANARY not in asyncio.run(call())
    assert CANARY not in caplog.text


def test_a_secret_hides_itself() -> None:
    secret = ApiKey(CANARY)
    assert CANARY not in f"{secret} {secret!r} {secret:>40}" + str(secret) + repr([secret]) + repr(Where(key=secret))
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    with pytest.raises(TypeError):
        copy.deepcopy(secret)


def test_a_connection_that_fails_tells_no_key(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    fault = fault_of(f"http://127.0.0.1:{closed_port()}")
    assert CANARY not in _everything_told(fault) + caplog.text


def test_the_key_does_not_follow_a_redirect() -> None:
    with ProtocolServer(stream("x")) as other, ProtocolServer(redirect(other.url + "/v1/messages", 308)) as server:
        fault_of(server.url)
    assert other.requests == []


@pytest.mark.parametrize("protocol", ["anthropic", "openai"])
@pytest.mark.parametrize("size", [1, 5, 100])
def test_a_key_that_a_server_says_in_a_reply_or_a_tool_name_is_masked(protocol: str, size: int) -> None:
    said = f"Your key is {CANARY}, s, sk-ant-can and {CANARY}sk-ant"
    pieces = [said[at : at + size] for at in range(0, len(said), size)]
    if protocol == "anthropic":
        reply = stream(*pieces, Call(CANARY, {"path": CANARY}, id="call_1"))
    else:
        reply = chat(*pieces, call(CANARY, f'{{"path": "{CANARY}"}}', id_="call_1"), finish="tool_calls")
    asked = request(tools=[READ])
    with ProtocolServer(reply) as server:
        kind = AnthropicProvider if protocol == "anthropic" else OpenAIProvider
        answer = Answer(asyncio.run(collect(kind(server.url, ApiKey(CANARY)), asked)))
    assert CANARY not in repr(answer.events)
    assert answer.text == said.replace(CANARY, "•••")
    text, called = answer.round.parts
    assert isinstance(text, TextPart) and text.text == answer.text
    assert isinstance(called, ToolCallPart) and (called.name, called.arguments) == ("•••", '{"path": "•••"}')


def test_a_key_with_thoughts_or_the_end_of_a_part_within_it_is_masked() -> None:
    before, after = CANARY[:9], CANARY[9:]
    parts = (TextPart(text=f"It is {before}"), OpaquePart(raw={"type": "thinking"}), TextPart(text=f"{after}."))
    usage = Usage()

    async def said() -> AsyncGenerator[Streamed, None]:
        yield TextChunk(text=f"It is {before}")
        yield ThinkingChunk(characters=2)
        yield TextChunk(text=f"{after}.")
        yield RoundDone(parts=parts, stop=StopReason.END_TURN, usage=usage, model="m")

    async def masked() -> list[Streamed]:
        return [event async for event in mask_stream(said(), [ApiKey(CANARY)])]

    *shown, done = asyncio.run(masked())
    assert "".join(each.text for each in shown if isinstance(each, TextChunk)) == "It is •••."
    assert isinstance(done, RoundDone) and done.parts == (TextPart(text="It is •••."), parts[1])


def test_a_word_that_is_a_key_too_stays_in_a_reply() -> None:
    with ProtocolServer(stream("No key: none")) as server:
        assert run(server.url, key="none").text == "No key: none"


def test_what_may_begin_a_key_is_shown_where_a_reply_is_cut() -> None:
    texts: list[str] = []

    async def cut() -> None:
        async for event in AnthropicProvider(server.url, ApiKey(CANARY)).stream(request()):
            texts.extend([event.text] if isinstance(event, TextChunk) else [])

    reply = stream("two cats, sk", error_event("api_error", "x"), ends=False)
    with ProtocolServer(reply) as server, pytest.raises(ProviderFault):
        asyncio.run(cut())
    assert "".join(texts) == "two cats, sk"


def test_a_key_that_a_server_lists_as_a_model_is_masked() -> None:
    with ProtocolServer(models=(CANARY, "qwen")) as server:
        listed = asyncio.run(OpenAIProvider(server.url, ApiKey(CANARY)).list_models())
    assert listed == ["•••", "qwen"]
