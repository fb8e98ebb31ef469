"""Streams of compatible servers as they really are, over real sockets."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest

from pet.errors import ProviderFault
from pet.i18n import LANGUAGES, Texts
from pet.model import Request, StopReason, TextPart, ToolCallPart
from pet.providers.anthropic_provider import AnthropicProvider
from pet.providers.base import Provider, TextChunk, ThinkingChunk
from pet.providers.faults import RetryPolicy
from pet.providers.inline_markup import InlineMarkup
from pet.providers.openai_provider import OpenAIProvider
from pet.transcripts.transcript import without_collection
from tests.providers.calls import READ, Answer, collect, request, user
from tests.support.servers.chat_replies import call, chat, refusal
from tests.support.servers.protocol_replies import Reply, event, stream, whole
from tests.support.servers.protocol_server import ProtocolServer

QWEN = request(model="qwen3:8b", tools=[READ])
READ_A, READ_B = '{"path": "SOUL.md"}', '{"path": "USER.md"}'


async def _collected(provider: Provider, asked: Request) -> Answer:
    try:
        return Answer(await collect(provider, asked))
    finally:
        await provider.close()


def ask(reply: Reply, asked: Request = QWEN) -> Answer:
    with ProtocolServer(reply) as server:
        return asyncio.run(_collected(OpenAIProvider(server.url, None), asked))


def fault(reply: Reply, asked: Request = QWEN) -> ProviderFault:
    with pytest.raises(ProviderFault) as raised:
        ask(reply, asked)
    for language in LANGUAGES:
        sentence = Texts(language)(f"error.{raised.value.error_code}", **raised.value.args_)
        assert len(sentence) > 10 and "{" not in sentence
    return raised.value


def calls_of(answer: Answer) -> list[tuple[str, Any]]:
    parts = [part for part in answer.round.parts if isinstance(part, ToolCallPart)]
    assert len({part.id for part in parts}) == len(parts) and all(part.id for part in parts)
    return [(part.name, json.loads(part.arguments)) for part in parts]


BOTH = [("read", {"path": "SOUL.md"}), ("read", {"path": "USER.md"})]


# --- ends -----------------------------------------------------------------------------------------


def test_reply_without_a_finish_reason_is_whole_after_done() -> None:
    answer = ask(chat("Hello", finish=None))
    assert (answer.text, answer.round.stop) == ("Hello", StopReason.END_TURN)


def test_calls_without_a_finish_reason_are_whole_after_done() -> None:
    answer = ask(chat(call("read", READ_A, id_="x"), finish=None))
    assert (answer.round.stop, calls_of(answer)) == (StopReason.TOOL_USE, BOTH[:1])


def test_reply_without_a_finish_reason_and_without_done_is_cut() -> None:
    assert ask(chat("Hello", finish=None, done=False)).round.stop is StopReason.CUT


def test_reply_of_reasoning_alone_is_counted_and_has_no_text() -> None:
    answer = ask(chat({"reasoning_content": "hmm"}))
    assert (answer.round.parts, answer.round.thinking) == ((), 3)


# --- tool calls -----------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [{"index": None}, {"index": 0}, {"index": None, "id": ""}, {"index": 0, "id": ""}])
def test_two_calls_without_ids_are_two_calls(more: dict[str, Any]) -> None:
    index, rest = more.pop("index"), more
    answer = ask(chat(call("read", READ_A, index=index, **rest), call("read", READ_B, index=index, **rest)))
    assert (answer.round.stop, calls_of(answer)) == (StopReason.TOOL_USE, BOTH)


def test_two_calls_without_ids_in_pieces() -> None:
    pieces = [call("read", READ_A[:5]), call("", READ_A[5:]), call("read", READ_B[:5]), call("", READ_B[5:])]
    assert calls_of(ask(chat(*pieces))) == BOTH


def test_two_calls_in_one_delta_without_ids() -> None:
    both = {"tool_calls": [*call("read", READ_A, index=None)["tool_calls"], *call("read", READ_B)["tool_calls"]]}
    assert calls_of(ask(chat(both))) == BOTH


def test_arguments_may_be_an_object() -> None:
    calls = {"tool_calls": [{"index": 0, "id": "x", "function": {"name": "read", "arguments": {"path": "SOUL.md"}}}]}
    assert calls_of(ask(chat(calls))) == BOTH[:1]


def test_cumulative_arguments_are_taken_once() -> None:
    pieces = [call("read", READ_A[:end], id_="x") for end in (4, 9, len(READ_A), len(READ_A))]
    assert calls_of(ask(chat(*pieces))) == BOTH[:1]


def test_pieces_that_begin_alike_are_no_cumulative_arguments() -> None:
    pieces = [call("read", '{"a": ', id_="x"), call("", '{"a": 1}}')]
    assert calls_of(ask(chat(*pieces))) == [("read", {"a": {"a": 1}})]


def test_function_call_of_old_is_read() -> None:
    pieces = [
        {"function_call": {"name": "read", "arguments": READ_A[:6]}},
        {"function_call": {"arguments": READ_A[6:]}},
    ]
    answer = ask(chat(*pieces, finish="function_call"))
    assert (answer.round.stop, calls_of(answer)) == (StopReason.TOOL_USE, BOTH[:1])


# --- thinking and calls in the text ---------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
@pytest.mark.parametrize("tag", ["think", "thinking"])
def test_thinking_in_the_text_is_folded(size: int, tag: str) -> None:
    text = f"\n<{tag}>\nLet me see. 想一想\n</{tag}>\n\nHello <think> there"
    answer = ask(chat(*(text[at : at + size] for at in range(0, len(text), size))))
    assert answer.text == "Hello <think> there"
    assert answer.round.parts == (TextPart(text="Hello <think> there"),)
    assert sum(event.characters for event in answer.events if isinstance(event, ThinkingChunk)) == len(
        "\nLet me see. 想一想\n"
    )


def test_thinking_that_is_never_closed_is_no_text() -> None:
    answer = ask(chat("<think>I wonder", finish="length"))
    assert (answer.round.parts, answer.round.stop) == ((), StopReason.MAX_TOKENS)


def test_text_that_only_begins_like_a_tag_is_text() -> None:
    answer = ask(chat("<th", "ree"))
    assert answer.text == "<three"
    assert ask(chat(" <thin")).text == " <thin"


FORMS = {
    "Hermes": (
        "qwen3:8b",
        (
            '<tool_call>\n{"name": "read", "arguments": {"path": "SOUL.md"}}\n</tool_call>\n'
            '<tool_call>\n{"name": "read", "arguments": {"path": "USER.md"}}\n</tool_call>'
        ),
    ),
    "Hermes without an end": (
        "Qwen2.5-7B-Instruct-Q4_K_M.gguf",
        (
            '<tool_call>{"name": "read", "arguments": "{\\"path\\": \\"SOUL.md\\"}"}</tool_call>'
            '<tool_call>{"name": "read", "parameters": {"path": "USER.md"}}<|im_end|>'
        ),
    ),
    "Qwen Coder": (
        "qwen3-coder-30b",
        (
            "<tool_call>\n<function=read>\n<parameter=path>\nSOUL.md\n</parameter>\n</function>\n</tool_call>\n"
            "<tool_call>\n<function=read>\n<parameter=path>\nUSER.md\n</parameter>\n</function>\n</tool_call>"
        ),
    ),
    "GLM": (
        "glm-4.5-air",
        (
            "<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>SOUL.md</arg_value>\n</tool_call>\n"
            "<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>USER.md</arg_value>\n</tool_call>"
        ),
    ),
    "Mistral": (
        "mistral-nemo",
        (
            '[TOOL_CALLS][{"name": "read", "arguments": {"path": "SOUL.md"}}, '
            '{"name": "read", "arguments": {"path": "USER.md"}}]'
        ),
    ),
    "Mistral Small": (
        "mistral-small-3.2",
        '[TOOL_CALLS]read[ARGS]{"path": "SOUL.md"}[TOOL_CALLS]read[ARGS]{"path": "USER.md"}</s>',
    ),
}


@pytest.mark.parametrize("size", [1, 5, 1000])
@pytest.mark.parametrize("form", FORMS)
def test_calls_in_the_text_are_read_where_the_template_is_known(form: str, size: int) -> None:
    model, calls = FORMS[form]
    text = f"<think>Two files.</think>Let me look.\n\n{calls}"
    reply = chat(*(text[at : at + size] for at in range(0, len(text), size)))
    answer = ask(reply, request(model=model, tools=[READ]))
    assert answer.text.strip() == "Let me look."
    assert (answer.round.stop, calls_of(answer)) == (StopReason.TOOL_USE, BOTH)


def test_call_in_the_text_of_another_model_is_reported_and_its_text_kept() -> None:
    events = []

    async def act(url: str) -> None:
        provider = OpenAIProvider(url, None)
        try:
            async for event in provider.stream(request(model="solar", tools=[READ])):
                events.append(event)  # noqa: PERF401  those before the fault count
        finally:
            await provider.close()

    with ProtocolServer(chat("Let me look.\n", FORMS["Hermes"][1])) as server, pytest.raises(ProviderFault) as raised:
        asyncio.run(act(server.url))
    assert (raised.value.kind, raised.value.args_["model"]) == ("call_unread", "solar")
    assert events == [TextChunk(text="Let me look.\n")]


def test_call_in_the_text_that_is_broken_is_reported() -> None:
    assert fault(chat('<tool_call>{"name": "read", "arguments": {"path"</tool_call>')).kind == "call_unread"


@pytest.mark.parametrize(
    "text",
    [
        "Write `<tool_call>` like this.",
        "```\n" + FORMS["Hermes"][1] + "\n```",
        "Prices < 5 [TOOL",
    ],
)
def test_tags_in_code_are_text(text: str) -> None:
    assert ask(chat(text)).text == text


def test_endless_blanks_and_calls_take_no_quadratic_time() -> None:
    def spent(times: int) -> float:
        with without_collection():
            started = time.process_time()
            markup = InlineMarkup("qwen3", [READ])
            for _ in range(times):
                markup.feed(" ")
            markup.feed("<tool_call>")
            for _ in range(times):
                markup.feed("x")
            assert markup.finish(whole=True) == [] and markup.unread
            closing = InlineMarkup("qwen3", [READ])
            for _ in range(times // 3):
                closing.feed("x</think>")
            return time.process_time() - started

    assert spent(40_000) < 8 * spent(10_000)  # four times the work; sixteen times if each went over all before


INVOKE = '<invoke name="a">'
MANY_TAGS = {
    "pairs that end otherwise": f"<tool_call>f{'<arg_key>a</arg_key><arg_value>b</arg_value>' * 60}x</tool_call>",
    "calls": '<tool_call>{"name": "read"}</tool_call>' * 50_000,
    "parameters without an end": f"<function=read>{'<parameter=a>' * 100_000}</function>",
    "one parameter's name": f"<function=read>{'<parameter=' * 100_000}</function>",
    "invokes without an end": "<minimax:tool_call>" + INVOKE * 50_000 + "invoke>",
    "invokes after the last end": "<minimax:tool_call>" + INVOKE + "</invoke>" + INVOKE * 50_000,
    "values without an end": "<minimax:tool_call>" + INVOKE + '<parameter name="b">' * 50_000 + "parameter></invoke>",
    "blanks in a call": f"<tool_call>{' ' * 1_000_000}x",
    "calls in code": f"```\n{'`<tool_call>' * 150_000}",
    "ends of thoughts": "x</think>" * 200_000,
}


@pytest.mark.parametrize("tags", MANY_TAGS)
def test_event_of_many_tags_ends_soon(tags: str) -> None:
    """Time grew by the square of the tags, and doubled with each pair of a call."""
    markup = InlineMarkup("qwen3", [READ])
    markup.feed(MANY_TAGS[tags])
    markup.finish(whole=True)


def test_tags_are_text_in_a_request_without_tools() -> None:
    assert ask(chat(FORMS["Hermes"][1]), request(model="qwen3:8b")).text == FORMS["Hermes"][1]


def test_call_in_the_text_that_is_cut_does_not_count() -> None:
    answer = ask(chat("Let me look.", '<tool_call>{"name": "read", "argum', finish="length"))
    assert (answer.text, answer.round.stop, calls_of(answer)) == ("Let me look.", StopReason.MAX_TOKENS, [])


# --- over the Messages API -----------------------------------------------------------------------


def messages(reply: Reply, asked: Request = QWEN) -> Answer:
    with ProtocolServer(reply) as server:
        return asyncio.run(_collected(AnthropicProvider(server.url, None), asked))


def test_thinking_and_calls_in_the_text_of_messages() -> None:
    answer = messages(stream("<thi", "nk>Hm.</think>Let me look.\n", *FORMS["Hermes"][1].partition("read")))
    assert (answer.text, answer.round.stop, calls_of(answer)) == ("Let me look.\n", StopReason.TOOL_USE, BOTH)
    assert answer.round.thinking == 3


def test_unread_call_in_the_text_of_messages_is_reported() -> None:
    with pytest.raises(ProviderFault) as raised:
        messages(stream(FORMS["Hermes"][1]), request(model="solar", tools=[READ]))
    assert raised.value.kind == "call_unread"


def test_paused_turn_without_a_tool_of_the_server_is_over() -> None:
    assert messages(stream("Hello", stop="pause_turn")).round.stop is StopReason.END_TURN
    block = {"type": "server_tool_use", "id": "x", "name": "web_search", "input": {}}
    searched = event({"type": "content_block_start", "index": 9, "content_block": block})
    assert messages(stream("Hello", searched, stop="pause_turn")).round.stop is StopReason.PAUSE_TURN


@pytest.mark.parametrize("odd", [{"errors": []}, {"code": 0}, {"detail": None}])
def test_first_event_with_fields_of_errors_is_no_error(odd: dict[str, object]) -> None:
    whole_ = stream("Hello")
    first = event({"type": "message_start", "message": {"model": "m"}, **odd})
    assert messages(Reply(headers=whole_.headers, steps=(first, *whole_.steps))).text == "Hello"


# --- pings and errors -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ping",
    [
        b'event: ping\ndata: {"type": "ping"}\n\n',
        b"data: {}\n\n",
        b"data:\n\n",
        b'data: {"id": "c", "object": "chat.completion.chunk"}\n\n',
        b'data: {"choices": []}\n\n',
        b'data: {"prompt_filter_results": [], "choices": null}\n\n',
    ],
)
def test_pings_and_chunks_without_choices_are_skipped(ping: bytes) -> None:
    steps = chat("Hel", ping, "lo").steps
    assert ask(Reply(headers={"content-type": "text/event-stream"}, steps=(ping, *steps))).text == "Hello"


def test_stream_of_something_else_is_not_a_model() -> None:
    reply = Reply(headers={"content-type": "text/event-stream"}, steps=(b'data: {"tick": 1}\n\n', b"data: {}\n\n"))
    assert fault(reply).kind == "not_an_llm"


VLLM = {
    "object": "error",
    "message": "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
    "type": "BadRequestError",
    "param": None,
    "code": 400,
}


def test_error_objects_of_old_vllm_are_read() -> None:
    in_stream = f"data: {json.dumps(VLLM)}\n\ndata: [DONE]\n\n".encode()
    assert fault(whole(json.dumps(VLLM), status=400)).kind == "window_exceeded"
    assert fault(whole(json.dumps(VLLM))).kind == "window_exceeded"
    assert fault(Reply(headers={"content-type": "text/event-stream"}, steps=(in_stream,))).kind == "window_exceeded"
    missing = {**VLLM, "message": "The model `x` does not exist.", "type": "NotFoundError", "code": 404}
    assert fault(whole(json.dumps(missing), status=404)).kind == "model_unknown"


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "registry.ollama.ai/library/gemma2:2b does not support tools"),
        (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
        (500, "tools param requires --jinja flag"),
        (
            404,
            "No endpoints found that support tool use. To learn more about provider routing, visit our documentation",
        ),
        (400, "This model does not support tools"),
        (400, "Function calling is not supported by this model"),
    ],
)
def test_model_without_tools_has_a_fault_of_its_own(status: int, message: str) -> None:
    raised = fault(refusal(status, message))
    assert (raised.kind, raised.args_["model"]) == ("no_tools", "qwen3:8b")
    assert fault(refusal(status, message), request(model="qwen3:8b")).kind != "no_tools"


@pytest.mark.parametrize(
    "message", ["Loading model", "Model Qwen/Qwen3-8B is currently loading", "The model is still loading"]
)
def test_server_that_loads_its_model_is_waited_for(message: str) -> None:
    raised = fault(refusal(503, message, type_="unavailable_error", code=503))
    assert (raised.kind, raised.retryable) == ("loading", True)
    waits = [RetryPolicy().next_wait(raised, attempt) for attempt in range(1, 500)]
    assert waits.index(None) > 300 and set(waits[:300]) == {3.0}


def test_error_with_a_list_of_details_is_quoted() -> None:
    detail = [{"loc": ["body", "messages"], "msg": "field required", "type": "value_error.missing"}]
    raised = fault(whole(json.dumps({"detail": detail}), status=422))
    assert (raised.kind, raised.args_["message"]) == ("bad_request", "messages: field required")


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_closing_tag_without_its_opening_makes_all_before_it_thinking(size: int) -> None:
    """As of templates that write the opening tag for the model."""
    text = "Hmm, they greet me.\nI greet back.\n</think>\n\nHello!"
    for answer in (
        ask(chat(*(text[at : at + size] for at in range(0, len(text), size))), request(user("Hi"), model="any")),
        messages(stream(*(text[at : at + size] for at in range(0, len(text), size))), request(user("Hi"))),
    ):
        assert [part.text for part in answer.round.parts if isinstance(part, TextPart)] == ["Hello!"]
        assert answer.round.thinking == len("Hmm, they greet me.\nI greet back.\n")


@pytest.mark.parametrize(
    "text", ["Write `</think>` then.", "```\n</think>\n```", "<think>x</think>A\n</think>\nB", "a </think> b"]
)
def test_closing_tag_in_code_in_a_line_or_after_thinking_is_text(text: str) -> None:
    answer = ask(chat(*text), request(user("Hi"), model="any"))
    assert answer.text == text.removeprefix("<think>x</think>")


def test_whole_history_is_unchanged_by_thinking_in_the_text() -> None:
    assert ask(chat("<think>x</think>Hi"), request(user("Hi"), model="any")).round.thinking == 1
