"""What makers' servers do differently, one row each: how replies end, errors, refusals, forms of a call."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
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
    SystemBlock,
    ToolCallPart,
    ToolResultPart,
)
from pet.providers.anthropic_provider import AnthropicProvider
from pet.providers.base import Provider
from pet.providers.openai_messages import encode_request
from pet.providers.openai_provider import OpenAIProvider
from pet.providers.quirks import quirks_of
from tests.providers.calls import READ, Answer, collect, request, user
from tests.support.servers.chat_replies import call, chat, refusal
from tests.support.servers.protocol_replies import Call, Reply, stream, whole
from tests.support.servers.protocol_server import ProtocolServer
from tests.support.servers.responses_replies import responses

WIRES: dict[str, tuple[Callable[[str], Provider], Callable[..., Reply]]] = {
    "openai": (lambda url: OpenAIProvider(url, None), chat),
    "anthropic": (lambda url: AnthropicProvider(url, None), stream),
    "responses": (lambda url: OpenAIProvider(url, None, responses=True), responses),
}
EACH = pytest.mark.parametrize("wire", WIRES)
BOTH = pytest.mark.parametrize("wire", ["openai", "anthropic"])


def answers(wire: str, server: ProtocolServer, *asked: Request) -> list[Answer]:
    async def act() -> list[Answer]:
        provider = WIRES[wire][0](server.url)
        try:
            return [Answer(await collect(provider, each)) for each in asked or (request(tools=[READ]),)]
        finally:
            await provider.close()

    return asyncio.run(act())


def answer(wire: str, reply: Reply, asked: Request | None = None) -> Answer:
    with ProtocolServer(reply) as server:
        return answers(wire, server, *([asked] if asked else ()))[-1]


def fault(wire: str, reply: Reply, asked: Request | None = None) -> ProviderFault:
    with pytest.raises(ProviderFault) as raised:
        answer(wire, reply, asked)
    return raised.value


# --- how a reply ends -----------------------------------------------------------------------------

ENDS = {
    StopReason.CUT: ("error", "network_error", "insufficient_system_resource", "abort"),
    StopReason.REFUSAL: ("sensitive", "refusal", "SAFETY", "content_filter"),
    StopReason.MAX_TOKENS: ("model_length", "MAX_TOKENS", "max_tokens"),
    StopReason.WINDOW_EXCEEDED: ("model_context_window_exceeded",),
    StopReason.END_TURN: ("something_new", "STOP", "eos"),
}


@BOTH
@pytest.mark.parametrize(("name", "stop"), [(name, stop) for stop, names in ENDS.items() for name in names])
def test_reply_that_was_cut_or_refused_is_not_complete(wire: str, name: str, stop: StopReason) -> None:
    reply = chat("Half a", finish=name) if wire == "openai" else stream("Half a", stop=name)
    assert (answer(wire, reply).round.stop, answer(wire, reply).text) == (stop, "Half a")


@BOTH
def test_unknown_end_of_a_reply_that_said_nothing_is_a_cut(wire: str) -> None:
    reply = chat(finish="something_new") if wire == "openai" else stream(stop="something_new")
    assert answer(wire, reply).round.stop is StopReason.CUT


def test_call_with_end_turn_runs() -> None:
    assert answer("anthropic", stream(Call("read", {"path": "a"}), stop="end_turn")).round.stop is StopReason.TOOL_USE


def test_reply_without_message_stop_is_complete_by_its_reason() -> None:
    reply = stream("Hello")
    assert answer("anthropic", replace(reply, steps=reply.steps[:-1])).round.stop is StopReason.END_TURN


def test_whole_message_is_read_where_the_server_does_not_stream() -> None:
    content = [
        {"type": "text", "text": "Hm."},
        {"type": "tool_use", "id": "t", "name": "read", "input": {"path": "a"}},
    ]
    body = {"type": "message", "content": content, "stop_reason": "tool_use", "usage": {"input_tokens": 3}}
    got = answer("anthropic", whole(json.dumps(body)))
    assert (got.text, got.round.stop, got.round.usage.input_tokens) == ("Hm.", StopReason.TOOL_USE, 3)


# --- errors ---------------------------------------------------------------------------------------


@EACH
@pytest.mark.parametrize(
    "body",
    [{"detail": "Gone fishing"}, {"message": "Gone fishing", "code": 1}, {"errors": [{"message": "Gone fishing"}]}],
    ids=["detail", "message", "errors"],
)
@pytest.mark.parametrize("status", [400, 200])
def test_errors_of_every_form_are_told(wire: str, body: dict[str, Any], status: int) -> None:
    raised = fault(wire, whole(json.dumps(body), status=status))
    assert raised.kind == ("bad_request" if status == 400 else "server")
    assert raised.args_["message" if status == 400 else "status"] == "Gone fishing"


@EACH
@pytest.mark.parametrize("status", [201, 202])
def test_other_statuses_of_success_are_read(wire: str, status: int) -> None:
    assert answer(wire, replace(WIRES[wire][1]("Hello"), status=status)).text == "Hello"


@EACH
@pytest.mark.parametrize("kind", ["mark", "json", "null", "return"])
def test_streams_are_read_however_they_are_sent(wire: str, kind: str) -> None:
    reply = WIRES[wire][1]("Hello")
    if kind == "mark":
        reply = replace(reply, steps=(b"\xef\xbb\xbf", *reply.steps))
    elif kind == "json":
        reply = replace(reply, headers={"content-type": "application/json"})
    elif kind == "null":
        reply = replace(reply, steps=(b"data: null\n\n", *reply.steps))
    else:
        steps = tuple(step.replace(b"\n", b"\r") if isinstance(step, bytes) else step for step in reply.steps)
        reply = replace(reply, steps=steps)
    assert answer(wire, reply).text == "Hello"


# --- refusals -------------------------------------------------------------------------------------

PICTURE = request(Message(role="user", parts=(ImagePart(kind="image/png", data="AA", width=1, height=1),)))


@pytest.mark.parametrize(
    "message",
    [
        "Failed to deserialize the JSON body: messages[1]: unknown variant `image_url`, expected `text`",
        "Image input is only supported by certain models",
        "At most 0 image(s) may be provided in one prompt.",
        "messages[1].content must be a string",
    ],
)
def test_refusal_of_pictures_is_known_in_each_wording(message: str) -> None:
    assert fault("openai", refusal(400, message), PICTURE).kind == "no_pictures"
    assert fault("openai", refusal(400, message)).kind == "bad_request"


@pytest.mark.parametrize(
    "body",
    [
        "registry.ollama.ai/library/gemma2:2b does not support tools",
        "`tool calling` is not supported with this model",
        "tool use is not supported by this model",
        "This model does not support function calling.",
        "Tools are not available for this model",
        "Unrecognized request argument supplied: tools",
        "Unsupported parameter: 'tools' is not supported with this model.",
        "unknown field `tools` at line 1 column 80",
        "Model m cannot use tools",
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        {"detail": [{"type": "extra_forbidden", "loc": ["body", "tools"], "msg": "Extra inputs are not permitted"}]},
    ],
    ids=str,
)
def test_refusal_of_tools_is_known_in_each_wording(body: str | dict[str, Any]) -> None:
    reply = refusal(400, body) if isinstance(body, str) else whole(json.dumps(body), status=422)
    assert fault("openai", reply, request(tools=[READ])).kind == "no_tools"
    assert fault("openai", reply, request()).kind == "bad_request"


@pytest.mark.parametrize(
    "message",
    [
        "Unexpected role 'user' after role 'tool'",
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        "Unexpected tool call id call_1 in tool results",
        "Unexpected tool call in messages[2]",
        "invalid function call arguments json string",
        "Unknown function: read",
        "Unknown field 'strict' in tools",
        "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024.",
        "Invalid schema for function 'read': schema must be a JSON Schema of 'type: \"object\"'.",
    ],
)
def test_refusal_of_one_use_of_tools_is_no_refusal_of_tools(message: str) -> None:
    assert fault("openai", refusal(400, message), request(tools=[READ])).kind == "bad_request"


@EACH
@pytest.mark.parametrize(
    ("status", "message"),
    [
        (500, "Jinja Exception: System role not supported"),
        (400, "Developer instruction is not enabled for models/gemma-3-27b-it"),
        (400, "Conversation roles must alternate user/assistant/user/assistant/..."),
        (400, "Unsupported value: 'messages[0].role' does not support 'system' role with this model."),
    ],
)
def test_without_a_system_role_its_text_leads_the_first_message(wire: str, status: int, message: str) -> None:
    asked = replace(request(user("Hello")), system=(SystemBlock(text="You are a pet."),))
    with ProtocolServer(refusal(status, message), default=WIRES[wire][1]("Hi")) as server:
        assert [each.text for each in answers(wire, server, asked, asked)] == ["Hi", "Hi"]
        _, *others = (each.json for each in server.requests)
    assert len(others) == 2
    for body in others:
        messages = body.get("messages") or body["input"]
        assert [each["role"] for each in messages] == ["user"]
        assert "You are a pet." in json.dumps(messages) and not {"system", "instructions"} & body.keys()


@pytest.mark.parametrize(
    ("host", "off"),
    [
        ("api.deepseek.com", {"thinking": {"type": "disabled"}}),
        ("api.moonshot.cn", {"thinking": {"type": "disabled"}, "reasoning_effort": "low"}),
        ("open.bigmodel.cn", {"thinking": {"type": "disabled"}, "reasoning_effort": "low"}),
        ("api.minimax.io", {"thinking": {"type": "disabled"}}),
        ("api.mistral.ai", {"reasoning_effort": "none"}),
        ("dashscope.aliyuncs.com", {"enable_thinking": False}),
        ("openrouter.ai", {"reasoning": {"enabled": False}}),
        ("generativelanguage.googleapis.com", {"reasoning_effort": "none"}),
        ("api.groq.com", {"reasoning_effort": "none"}),
        ("llm.example.org", {}),
    ],
)
def test_thinking_is_switched_off_by_each_familys_own_field(host: str, off: dict[str, Any]) -> None:
    plain = encode_request(request(), quirks_of(host, near=False), host)
    body = encode_request(replace(request(), thinking="off"), quirks_of(host, near=False), host)
    assert body == plain | off


@pytest.mark.parametrize(
    ("host", "sent"),
    [
        ("api.openai.com", ("low", "medium", "high", "xhigh", "max")),
        ("api.moonshot.ai", ("low", "low", "high", "high", "max")),
        ("api.z.ai", ("low", "low", "high", "high", "max")),
        ("dashscope-intl.aliyuncs.com", ("low", "medium", "high", "xhigh", "xhigh")),
        ("api.mistral.ai", ("low", "medium", "high", "high", "high")),
        ("api.minimax.io", ("low", "medium", "high", "high", "high")),
        ("llm.example.org", (None,) * 5),
    ],
)
def test_effort_is_the_familys_nearest(host: str, sent: tuple[str | None, ...]) -> None:
    for effort, expected in zip(("low", "medium", "high", "xhigh", "max"), sent, strict=True):
        body = encode_request(replace(request(), effort=effort), quirks_of(host, near=False), host)
        assert body.get("reasoning_effort") == expected


def test_model_that_always_thinks_thinks_the_least_where_thinking_is_off() -> None:
    quirks = quirks_of("api.minimax.io", near=False)
    asked = replace(request(), thinking="off", effort="high")
    assert encode_request(asked, quirks, "h")["thinking"] == {"type": "disabled"}
    assert quirks.learn(400, '{"error":{"message":"requires adaptive thinking (2013)","type":"bad_request_error"}}')
    body = encode_request(asked, quirks, "h")
    assert "thinking" not in body and body["reasoning_effort"] == "low"


def test_small_models_nearby_are_asked_not_to_repeat_themselves_until_that_is_refused() -> None:
    with ProtocolServer(refusal(400, "frequency_penalty: Extra inputs"), default=chat("Hi")) as server:
        answers("openai", server, request(), request(tools=[READ]), replace(request(), schema={"type": "object"}))
        bodies = [each.json for each in server.requests]
    assert ["frequency_penalty" in body for body in bodies] == [True, False, False, False]
    quirks = quirks_of("127.0.0.1:8080", near=True)
    assert "frequency_penalty" in encode_request(request(), quirks, "127.0.0.1:8080")
    assert "frequency_penalty" not in encode_request(request(tools=[READ]), quirks, "127.0.0.1:8080")
    assert "frequency_penalty" not in encode_request(request(), quirks_of("api.openai.com", near=False), "x")


def test_thinking_in_typed_pieces_is_counted_and_not_shown() -> None:
    """Mistral's: docs.mistral.ai/inference/conversations/reasoning (2026-11)."""
    thinking = {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm, hm."}]}]}
    said = {"content": [{"type": "text", "text": "Hello."}]}
    got = answer("openai", chat(thinking, said, " And more."))
    assert (got.text, got.round.thinking) == ("Hello. And more.", 7)


@EACH
@pytest.mark.parametrize(("name", "value"), [("effort", "high"), ("thinking", "off")])
def test_refused_effort_and_thinking_are_remembered(wire: str, name: str, value: str) -> None:
    asked = replace(request(), **{name: value})  # type: ignore[arg-type]
    message = f"Unknown parameter: {'output_config' if name == 'effort' else 'thinking'}"
    message = message if wire == "anthropic" else "Unsupported parameter: 'reasoning_effort'"
    with ProtocolServer(refusal(400, message), default=WIRES[wire][1]("Hi")) as server:
        answers(wire, server, asked, asked)
        bodies = [json.dumps(each.json) for each in server.requests]
    fields = ("output_config", '"thinking"', "reasoning_effort", '"effort"')
    assert [any(field in body for field in fields) for body in bodies] == [True, False, False]


def test_messages_bind_an_answer_to_its_schema_until_that_is_refused() -> None:
    asked = replace(request(), schema={"type": "object"})
    refused = refusal(400, "output_config.format: Extra inputs are not permitted")
    with ProtocolServer(stream("{}"), refused, default=stream("{}")) as server:
        answers("anthropic", server, asked, asked, asked)
        bound = {"type": "json_schema", "schema": {"type": "object"}}
        assert server.requests[0].json["output_config"] == {"format": bound}
        assert ["output_config" in each.json for each in server.requests] == [True, True, False, False]


# --- calls ----------------------------------------------------------------------------------------


def test_signatures_stay_with_their_calls_where_ids_repeat() -> None:
    """Gemini signs the first of parallel calls; a gateway gave both one id."""
    signed = {"google": {"thought_signature": "sig"}}
    reply = chat(
        call("read", '{"path": "a"}', id_="x", index=0, extra_content=signed),
        call("read", '{"path": "b"}', id_="x", index=1),
        finish="tool_calls",
    )
    with ProtocolServer(reply) as server:
        got = answers("openai", server)[-1].round
        host = f"127.0.0.1:{server.port}"
    calls = [part for part in got.parts if isinstance(part, ToolCallPart)]
    others = tuple(part for part in got.parts if not isinstance(part, ToolCallPart))
    renamed = (*others, *(replace(part, id=f"call_{place}") for place, part in enumerate(calls)))
    asked = request(user("a"), Message(role="assistant", parts=renamed), user("b"))
    sent = encode_request(asked, quirks_of(host, near=True), host)["messages"][2]["tool_calls"]
    assert [each.get("extra_content") for each in sent] == [signed, None]


def test_signatures_of_earlier_rounds_stay_where_ids_are_made_unique() -> None:
    def rounds(signature: str) -> tuple[Message, Message]:
        extras = OpaquePart(raw={"type": "openai", "calls": [signature]}, server="host", model="m")
        called = ToolCallPart(id="1", name="read", arguments="{}")
        result = Message(role="user", parts=(ToolResultPart(call_id="1", text="…"),))
        return Message(role="assistant", parts=(extras, called)), result

    asked = request(user("a"), *rounds("one"), *rounds("two"), user("b"))
    messages = encode_request(asked, quirks_of("host", near=False), "host")["messages"]
    calls = [each for message in messages for each in message.get("tool_calls", ())]
    assert [each["extra_content"] for each in calls] == ["one", "two"]
    assert [each["id"] for each in calls] == ["1", "1_2"]
    assert [message["tool_call_id"] for message in messages if message["role"] == "tool"] == ["1", "1_2"]


@pytest.mark.parametrize(
    "pieces",
    [
        (call("read", "", id_="a"), call("", '{"path"', id_="b"), call("", ': "x"}', id_="c")),
        (call("re", "", id_="a"), call("ad", "", id_="a"), call("", '{"path": "x"}')),
        (call("functions.read", '{"path": "x"}', id_="a"),),
        (call(" read", '{"path": "x"}', id_="a"),),
    ],
    ids=["ids", "name", "prefix", "space"],
)
def test_calls_in_pieces_and_by_other_names_are_one_call(pieces: tuple[dict[str, Any], ...]) -> None:
    got = answer("openai", chat(*pieces, finish="tool_calls")).round
    (part,) = (part for part in got.parts if isinstance(part, ToolCallPart))
    assert (part.name, json.loads(part.arguments)) == ("read", {"path": "x"})
