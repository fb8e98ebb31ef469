"""OpenAI's Responses protocol over real sockets: text, tools, reasoning, pictures, usage, faults, odd servers."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
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
from pet.providers.base import TextChunk
from pet.providers.openai_provider import OpenAIProvider
from pet.settings.api_keys import ApiKey
from tests.providers.calls import CANARY, READ, Answer, collect, request, user
from tests.support.servers.chat_replies import refusal
from tests.support.servers.protocol_replies import Call, Cut, Reply, Thinking, dropped, html, redirect, whole
from tests.support.servers.protocol_server import ProtocolServer
from tests.support.servers.responses_replies import error_event, failed, responses


def ask(base_url: str, *asked: Request) -> Answer:
    """The last of several requests."""

    async def act() -> Answer:
        provider = OpenAIProvider(base_url, ApiKey(CANARY), responses=True)
        try:
            return [Answer(await collect(provider, each)) for each in asked or (request(),)][-1]
        finally:
            await provider.close()

    return asyncio.run(act())


def raw(*events: str) -> Reply:
    steps = tuple(f"data: {event}\n\n".encode() for event in events)
    return Reply(headers={"content-type": "text/event-stream"}, steps=steps)


def body(asked: Request, *replies: Reply) -> dict[str, Any]:
    with ProtocolServer(*(replies or (responses("Hi"),))) as server:
        ask(server.url, asked)
        assert server.requests[-1].route == "/v1/responses"
        return server.requests[-1].json


def test_text_comes_piece_by_piece_and_once_more_whole() -> None:
    with ProtocolServer(responses("Hel", "lo, ", "你好 🦊")) as server:
        answer = ask(server.url)
    assert answer.events[:-1] == [TextChunk(text="Hel"), TextChunk(text="lo, "), TextChunk(text="你好 🦊")]
    assert answer.round.parts == (TextPart(text="Hello, 你好 🦊"),)
    assert (answer.round.stop, answer.round.model) == (StopReason.END_TURN, "test-model")
    assert answer.round.usage == Usage(input_tokens=25, output_tokens=7, cache_read_tokens=5, cache_write_tokens=0)


def test_nothing_is_stored_and_reasoning_comes_encrypted() -> None:
    sent = body(replace(request(tools=[READ]), effort="high"))
    assert sent["store"] is False and sent["include"] == ["reasoning.encrypted_content"]
    assert "previous_response_id" not in sent
    assert sent["instructions"] == "You are a pet." and sent["reasoning"] == {"effort": "high"}
    assert sent["max_output_tokens"] == 100 and sent["stream"] is True
    assert sent["tools"][0]["name"] == "read" and sent["tools"][0]["strict"] is False


def test_calls_and_reasoning_go_back_in_their_order() -> None:
    called = [Call("read", {"path": "a"}, "call_a"), Call("read", {"path": "b"}, "call_b")]
    with ProtocolServer(responses(Thinking("secret"), "Looking.", *called), responses("Done.")) as server:
        first = ask(server.url, request(tools=[READ])).round
        assert first.stop is StopReason.TOOL_USE
        assert [type(part) for part in first.parts] == [OpaquePart, TextPart, ToolCallPart, ToolCallPart]
        results = tuple(ToolResultPart(call_id=id_, text="…") for id_ in ("call_a", "call_b"))
        messages = (user("Hello"), Message(role="assistant", parts=first.parts), Message(role="user", parts=results))
        ask(server.url, request(*messages, tools=[READ]))
        items = server.requests[-1].json["input"]
    assert items[1] == {"summary": [], "type": "reasoning", "encrypted_content": "secret"}
    output = [{"type": "output_text", "text": "Looking."}]
    assert items[2] == {"type": "message", "role": "assistant", "content": output}
    assert [item.get("call_id") for item in items[3:]] == ["call_a", "call_b"] * 2


def test_reasoning_goes_to_no_other_host() -> None:
    part = OpaquePart(raw={"type": "reasoning", "encrypted_content": "x"}, server="elsewhere", model="m")
    assistant = Message(role="assistant", parts=(part, TextPart(text="Hi")))
    assert [item.get("type") for item in body(request(user("a"), assistant, user("b")))["input"]] == ["message"] * 3


def test_repeated_call_ids_are_told_apart() -> None:
    turn = (
        user("Hello"),
        Message(role="assistant", parts=(ToolCallPart(id="1", name="read", arguments="{}"),)),
        Message(role="user", parts=(ToolResultPart(call_id="1", text="…"), TextPart(text="and"))),
    )
    ids = [item["call_id"] for item in body(request(*turn, *turn[1:]))["input"] if "call_id" in item]
    assert ids == ["1", "1", "1_2", "1_2"]


def test_pictures_are_sent_in_the_message() -> None:
    picture = ImagePart(kind="image/png", data="AAAA", width=1, height=1)
    content = body(request(Message(role="user", parts=(picture, TextPart(text="see")))))["input"][0]["content"]
    assert content[0] == {"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,AAAA"}
    assert content[1] == {"type": "input_text", "text": "see"}


@pytest.mark.parametrize(
    ("reply", "stop"),
    [
        (responses("Hi", status="incomplete", reason="max_output_tokens"), StopReason.MAX_TOKENS),
        (responses("Hi", status="incomplete", reason="content_filter"), StopReason.REFUSAL),
        (responses("Hi", status="incomplete", reason="steered"), StopReason.CUT),
        (responses("Hi", ends=False), StopReason.CUT),
        (responses("Hi", Cut(), ends=False), StopReason.CUT),
        (responses("Hi", status="cancelled"), StopReason.CUT),
    ],
)
def test_reply_that_is_not_complete_says_so(reply: Reply, stop: StopReason) -> None:
    with ProtocolServer(reply) as server:
        answer = ask(server.url)
    assert (answer.text, answer.round.stop) == ("Hi", stop)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (refusal(401, "Incorrect API key provided"), "bad_key"),
        (refusal(429, "Rate limit reached", code="rate_limit_exceeded"), "rate_limit"),
        (refusal(429, "You exceeded your current quota", type_="insufficient_quota"), "billing"),
        (refusal(400, "Your input exceeds the context window", code="context_length_exceeded"), "window_exceeded"),
        (refusal(404, "The model `x` does not exist", code="model_not_found"), "model_unknown"),
        (refusal(404, "Invalid URL (POST /v1/responses)"), "not_an_llm"),
        (refusal(500, "boom"), "server"),
        (failed("server_error", "Sorry"), "server"),
        (failed("rate_limit_exceeded", "Slow down"), "rate_limit"),
        (failed("context_length_exceeded", "too long"), "window_exceeded"),
        (failed("invalid_prompt", "Not that"), "bad_request"),
        (error_event("server_error", "Sorry"), "server"),
        (whole("", status=404), "not_an_llm"),
        (whole('{"hello": 1}'), "not_an_llm"),
        (raw('{"hello": 1}'), "not_an_llm"),
        (html(), "not_an_llm"),
        (redirect("https://elsewhere.example/"), "redirected"),
        (dropped(), "dropped"),
        (responses(ends=False), "cut"),
    ],
)
def test_each_failure_has_its_kind(reply: Reply, kind: str) -> None:
    with ProtocolServer(default=reply) as server, pytest.raises(ProviderFault) as raised:
        ask(server.url)
    assert raised.value.kind == kind
    assert CANARY not in str(raised.value.args_)


WHOLE = responses(Thinking("secret"), "Hello", Call("read", {"path": "a"}), streams=False)
MESSAGE = '{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello"}]}'


@pytest.mark.parametrize(
    "reply",
    [
        WHOLE,
        raw(f'{{"type": "response.completed", "response": {{"status": "completed", "output": [{MESSAGE}]}}}}'),
        raw(
            f'{{"type": "response.output_item.done", "item": {MESSAGE}}}',
            '{"type": "response.completed", "response": {}}',
        ),
        raw(
            '{"type": "response.output_text.delta", "delta": "Hello"}',
            '{"type": "response.completed", "response": {}}',
        ),
    ],
    ids=["not streamed", "last event alone", "no deltas", "deltas alone"],
)
def test_replies_of_less_exact_servers_are_read(reply: Reply) -> None:
    with ProtocolServer(reply) as server:
        answer = ask(server.url, request(tools=[READ]))
    assert answer.text == "Hello"
    assert answer.round.stop is (StopReason.TOOL_USE if reply is WHOLE else StopReason.END_TURN)


def event(kind: str, **fields: Any) -> str:
    return json.dumps({"type": f"response.{kind}", **fields})


def a_call(id_: str = "call_1", **fields: str) -> dict[str, str]:
    return {"type": "function_call", "call_id": id_, "name": "read", "arguments": '{"path": "a"}', **fields}


END = event("completed", response={})
DELTAS = [event("output_text.delta", delta=each) for each in ("Hel", "lo")]
SAID = json.loads(MESSAGE)


@pytest.mark.parametrize(
    "reply",
    [
        raw(
            *DELTAS,
            event("output_item.added", item={"type": "function_call", "name": "read", "call_id": "call_1"}),
            event("function_call_arguments.delta", delta='{"path": '),
            event("function_call_arguments.delta", delta='"a"}'),
            END,
        ),
        raw(event("output_item.done", item=SAID), event("output_item.done", item=a_call()), END),
        raw(*DELTAS, event("completed", response={"output": [SAID, a_call()]})),
        raw(
            *DELTAS,
            event("output_item.done", output_index=1, item=a_call(id="fc_1")),
            event("completed", response={"output": [SAID, a_call(id="fc_1")]}),
        ),
        raw(
            *DELTAS,
            event("output_item.done", output_index=1, item=a_call("")),
            event("completed", response={"output": [a_call()]}),
        ),
    ],
    ids=["no index", "items without index", "last event alone has the call", "both have it", "one without an id"],
)
def test_text_and_one_call_are_read_from_less_exact_streams(reply: Reply) -> None:
    with ProtocolServer(reply) as server:
        answer = ask(server.url, request(tools=[READ]))
    text, called = answer.round.parts
    assert isinstance(called, ToolCallPart) and text == TextPart(text="Hello")
    assert (called.name, called.arguments) == ("read", '{"path": "a"}')
    assert answer.round.stop is StopReason.TOOL_USE


@pytest.mark.parametrize(
    ("last", "stop"),
    [
        (event("done", response={}), StopReason.END_TURN),
        (event("done"), StopReason.END_TURN),
        (event("done", response={"status": "cancelled"}), StopReason.CUT),
        (event("completed"), StopReason.END_TURN),
        (
            event("incomplete", response={"incomplete_details": {"reason": "max_output_tokens"}}),
            StopReason.MAX_TOKENS,
        ),
    ],
)
def test_last_event_ends_the_reply_whatever_follows(last: str, stop: StopReason) -> None:
    more = (*DELTAS, event("failed", response={"error": {"code": "server_error", "message": "Sorry"}}))
    with ProtocolServer(raw(*DELTAS, last, *more)) as server:
        answer = ask(server.url)
    assert (answer.text, answer.round.stop) == ("Hello", stop)


def test_done_ends_the_reply_of_a_server_that_stays_connected() -> None:
    with ProtocolServer(raw(*DELTAS, "[DONE]", *DELTAS)) as server:
        answer = ask(server.url)
    assert (answer.text, answer.round.stop) == ("Hello", StopReason.CUT)


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ("Encrypted content is not supported with this model.", "include"),
        ("Unsupported parameter: 'temperature' is not supported with this model.", "temperature"),
        ("Unsupported parameter: 'reasoning.effort' is not supported with this model.", "reasoning"),
        ("Your organization must be verified to stream this model.", "stream"),
    ],
)
def test_refused_field_is_left_out_from_then_on(message: str, field: str) -> None:
    asked = replace(request(), temperature=0.2, effort="low")
    with ProtocolServer(refusal(400, message), responses("Hi", streams=False), responses("Hi")) as server:
        assert ask(server.url, asked, asked).text == "Hi"
        assert [field in each.json for each in server.requests] == [True, False, False]


def test_reasoning_that_can_not_be_verified_is_left_out() -> None:
    with ProtocolServer() as server:
        host = f"127.0.0.1:{server.port}"
        part = OpaquePart(raw={"type": "reasoning", "encrypted_content": "x"}, server=host, model="m")
        asked = request(user("a"), Message(role="assistant", parts=(part, TextPart(text="Hi"))), user("b"))
        server.queue(refusal(400, "The encrypted content gAAA...= could not be verified."), responses("Hi"))
        assert ask(server.url, asked).text == "Hi"
        assert [len(each.json["input"]) for each in server.requests] == [4, 3]


def test_azure_deployment_is_asked_at_its_own_address() -> None:
    with ProtocolServer(responses("Hi")) as server:
        ask(f"{server.url}/openai/deployments/gpt?api-version=2024-10-21")
        assert server.requests[-1].path == "/openai/v1/responses"


# --- what comes in the last event alone -------------------------------------------------------------


def events(*bodies: dict[str, Any]) -> Reply:
    return raw(*map(json.dumps, bodies))


def completed(*output: dict[str, Any]) -> dict[str, Any]:
    return {"type": "response.completed", "response": {"status": "completed", "output": list(output)}}


_THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
_SAID = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "Hello."}],
}


@pytest.mark.parametrize("index", [{}, {"output_index": 0}, {"item_id": "rs_1"}], ids=["bare", "index", "id"])
def test_message_that_only_the_last_event_has_is_not_lost_behind_streamed_reasoning(index: dict[str, Any]) -> None:
    thinking = {"type": "response.reasoning_summary_text.delta", "delta": "Hm.", **index}
    with ProtocolServer(events(thinking, completed(_THOUGHT, _SAID))) as server:
        got = ask(server.url)
    assert (got.text, got.round.stop, got.round.thinking) == ("Hello.", StopReason.END_TURN, 3)
    opaque, _said = got.round.parts
    assert isinstance(opaque, OpaquePart) and opaque.raw["encrypted_content"] == "gAAA"


def test_call_that_only_the_last_event_has_runs_behind_a_streamed_text() -> None:
    call = {"type": "function_call", "call_id": "call_9", "id": "fc_9", "name": "read", "arguments": '{"path": "a"}'}
    delta = {"type": "response.output_text.delta", "delta": "Hello.", "item_id": "msg_1"}
    with ProtocolServer(events(delta, completed({**_SAID, "id": "another"}, call))) as server:
        got = ask(server.url, request(tools=[READ]))
    assert (got.text, got.round.stop) == ("Hello.", StopReason.TOOL_USE)
    assert [part.id for part in got.round.parts if isinstance(part, ToolCallPart)] == ["call_9"]


def test_text_that_comes_whole_without_deltas_is_said_once() -> None:
    done = {"type": "response.output_text.done", "text": "Hello.", "output_index": 0}
    with ProtocolServer(events(done, completed(_SAID))) as server:
        assert ask(server.url).text == "Hello."
    with ProtocolServer(
        events({**done, "type": "response.output_text.delta", "delta": "Hello."}, done, completed())
    ) as server:
        assert ask(server.url).text == "Hello."
