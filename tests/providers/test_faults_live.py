"""Every failure of a model call, produced for real, is classified as its own kind."""

from __future__ import annotations

import asyncio

import pytest

from pet.errors import ProviderFault
from pet.i18n import LANGUAGES, Language, Texts, catalogue
from pet.model import ImagePart, Message, TextPart
from pet.providers.anthropic_provider import AnthropicProvider
from pet.providers.base import Streamed, TextChunk
from pet.providers.openai_provider import OpenAIProvider
from pet.settings.api_keys import ApiKey
from tests.providers.calls import CANARY, closed_port, collect, fault_of, models_of, outcomes, request
from tests.support.servers.protocol_replies import (
    Cut,
    Hold,
    Reply,
    dropped,
    error,
    error_event,
    held,
    html,
    overloaded,
    rate_limited,
    redirect,
    stream,
    whole,
)
from tests.support.servers.protocol_server import ProtocolServer

_CASES: dict[str, tuple[Reply, str, bool]] = {
    "401": (error(401, "authentication_error", "invalid x-api-key"), "bad_key", False),
    "402": (error(402, "billing_error", "Payment required"), "billing", False),
    "400 credit": (error(400, "invalid_request_error", "Your credit balance is too low"), "billing", False),
    "403": (error(403, "permission_error", "Not for this key"), "forbidden", False),
    "403 html": (html(403), "forbidden", False),
    "404 model": (error(404, "not_found_error", "model: claude-9"), "model_unknown", False),
    "404 model elsewhere": (error(404, "not_found_error", "model 'qwen9' not found"), "model_unknown", False),
    "400 model": (error(400, "invalid_request_error", "The model `x` does not exist"), "model_unknown", False),
    "404 page": (html(404), "not_an_llm", False),
    "404 without words": (whole("{}", status=404), "not_an_llm", False),
    "405": (whole("", status=405), "not_an_llm", False),
    "200 html": (html(), "not_an_llm", False),
    "200 json": (whole('{"object": "list"}'), "not_an_llm", False),
    "other protocol": (
        Reply(headers={"content-type": "text/event-stream"}, steps=(b'data: {"choices": []}\n\ndata: [DONE]\n\n',)),
        "not_an_llm",
        False,
    ),
    "no json": (
        Reply(headers={"content-type": "text/event-stream"}, steps=(b"data: hello\n\n",)),
        "not_an_llm",
        False,
    ),
    "400": (error(400, "invalid_request_error", "tools.0: bad"), "bad_request", False),
    "413": (error(413, "request_too_large", "Request exceeds the maximum size"), "too_large", False),
    "413 page": (html(413), "too_large", False),
    "400 window": (
        error(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
        "window_exceeded",
        False,
    ),
    "400 window of llama.cpp": (
        error(400, "exceed_context_size_error", "the request exceeds the available context size"),
        "window_exceeded",
        False,
    ),
    "429": (rate_limited(7), "rate_limit", True),
    "429 without a wait": (rate_limited(None), "rate_limit", True),
    "429 spend": (error(429, "rate_limit_error", "You have reached your monthly spend limit"), "spend_limit", False),
    "400 spend": (
        error(400, "invalid_request_error", "You have reached your specified API usage limits."),
        "spend_limit",
        False,
    ),
    "403 spend code": (
        error(400, "invalid_request_error", "No.", details={"error_code": "enforced_spend_limit_reached"}),
        "spend_limit",
        False,
    ),
    "529": (overloaded(), "overloaded", True),
    "overloaded in the stream": (
        stream(error_event("overloaded_error", "Overloaded"), ends=False),
        "overloaded",
        True,
    ),
    "error in the stream": (stream(error_event("api_error", "Oh"), ends=False), "server", True),
    "limit in the stream": (stream(error_event("rate_limit_error", "Slow"), ends=False), "rate_limit", True),
    "500": (error(500, "api_error", "Internal server error"), "server", True),
    "502 html": (html(502), "server", True),
    "503": (whole("", status=503), "server", True),
    "504": (html(504), "timeout", True),
    "redirect": (redirect("https://elsewhere.invalid/v1/messages"), "redirected", False),
    "closed before a byte": (dropped("fin"), "dropped", True),
    "reset before a byte": (dropped("rst"), "dropped", True),
    "cut before a word": (stream(Cut(), ends=False), "cut", True),
    "ended before a word": (stream(ends=False), "cut", True),
    "nothing at all": (Reply(headers={"content-type": "text/event-stream"}), "cut", True),
}


@pytest.mark.parametrize("name", _CASES)
def test_each_failure_has_its_kind(name: str) -> None:
    reply, kind, retryable = _CASES[name]
    with ProtocolServer(reply) as server:
        fault = fault_of(server.url)
    assert (fault.kind, fault.retryable) == (kind, retryable)
    assert len(server.requests) == 1  # the provider itself never tries again


@pytest.mark.parametrize("charset", ["undefined", "punycode", "utf-16", "rot13"])
@pytest.mark.parametrize("make", [AnthropicProvider, OpenAIProvider])
def test_an_error_in_an_odd_encoding_has_its_kind(
    make: type[AnthropicProvider | OpenAIProvider], charset: str
) -> None:
    body = '{"error": {"type": "invalid_request_error", "message": "Your credit balance is too low"}}'
    reply = whole(body, status=400, content_type=f"application/json; charset={charset}")
    with ProtocolServer(reply) as server, pytest.raises(ProviderFault) as raised:
        asyncio.run(collect(make(server.url, ApiKey(CANARY))))
    assert raised.value.kind == "billing"


def test_a_rate_limit_names_its_wait() -> None:
    with ProtocolServer(rate_limited(7), rate_limited(None)) as server:
        first, second = fault_of(server.url), fault_of(server.url)
    assert (first.retry_after, first.args_["seconds"]) == (7.0, 7)
    assert second.retry_after is None


def test_a_wait_given_as_a_date_or_as_nonsense() -> None:
    dated = error(429, "rate_limit_error", "x", {"retry-after": "Fri, 01 Jan 2100 00:00:00 GMT"})
    nonsense = error(429, "rate_limit_error", "x", {"retry-after": "soon"})
    negative = error(429, "rate_limit_error", "x", {"retry-after": "-3"})
    no_zone = error(429, "rate_limit_error", "x", {"retry-after": f"Fri, 01 Jan 2100 00:00:00 +{'9' * 20}"})
    with ProtocolServer(dated, nonsense, negative, no_zone) as server:
        waits = [fault_of(server.url).retry_after for _ in range(4)]
    assert waits[0] is not None
    assert waits[0] > 1_000_000
    assert waits[1:] == [None] * 3


def test_without_a_key_a_401_asks_for_one() -> None:
    with ProtocolServer(error(401, "authentication_error", "no key")) as server:
        assert fault_of(server.url, key=None).kind == "no_key"


def test_without_a_key_nothing_goes_to_anthropic() -> None:
    assert fault_of("https://api.anthropic.com", key=None).kind == "no_key"


def test_a_refused_connection() -> None:
    assert fault_of(f"http://127.0.0.1:{closed_port()}").kind == "refused_connection"


def test_a_host_that_does_not_exist() -> None:
    assert fault_of("https://no-such-host.invalid").kind == "dns"


def test_tls_where_there_is_none() -> None:
    with ProtocolServer() as server:
        assert fault_of(server.url.replace("http://", "https://")).kind == "tls"


def test_no_answer_in_time() -> None:
    with ProtocolServer(held("forever", stream("never"))) as server:
        assert fault_of(server.url, read=0.2).kind == "timeout"


def test_silence_in_mid_stream_keeps_what_was_said() -> None:
    async def call() -> tuple[Streamed, str]:
        provider = AnthropicProvider(server.url, None, read_seconds=6)
        events = provider.stream(request())
        first = await anext(events)
        with pytest.raises(ProviderFault) as caught:
            await anext(events)
        await provider.close()
        return first, caught.value.kind

    with ProtocolServer(stream("So far", Hold("forever"))) as server:
        assert asyncio.run(call()) == (TextChunk(text="So far"), "timeout")


def test_a_redirect_is_not_followed_and_names_where_it_led() -> None:
    with ProtocolServer(stream("stolen")) as other, ProtocolServer(redirect(f"{other.url}/v1/messages")) as server:
        fault = fault_of(server.url)
        assert other.requests == []
    assert fault.kind == "redirected"
    assert str(fault.args_["target"]).startswith(other.url)


def test_what_the_server_said_is_shown_short_on_one_line() -> None:
    with ProtocolServer(error(400, "invalid_request_error", "tools.0:\n\x1b[31m" + "very " * 200)) as server:
        said = str(fault_of(server.url).args_["message"])
    assert said.startswith("tools.0: [31mvery")
    assert len(said) <= 300
    assert said.isprintable()


def test_an_unknown_model_is_named() -> None:
    with ProtocolServer(error(404, "not_found_error", "model: claude-9")) as server:
        assert fault_of(server.url, request(model="claude-9")).args_["model"] == "claude-9"


def test_a_list_of_models_that_is_none() -> None:
    with ProtocolServer(stream("x")) as server, pytest.raises(ProviderFault) as caught:
        asyncio.run(models_of(f"http://127.0.0.1:{closed_port()}"))
    assert caught.value.kind == "refused_connection"
    assert server.requests == []


def test_the_provider_is_usable_after_each_fault() -> None:
    with ProtocolServer(overloaded(), html(), stream(Hold("never")), dropped("rst"), stream("fine")) as server:
        provider = AnthropicProvider(server.url, ApiKey(CANARY), read_seconds=6)
        assert asyncio.run(outcomes(provider, 5)) == ["overloaded", "not_an_llm", "timeout", "dropped", "ok"]


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "This model does not support image input."),
        (500, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"),
        (400, "m is not a multimodal model"),
        (400, "Model does not support images. Please use a model that does."),
        (422, "messages[0]: unknown variant `image`, expected `text`"),
        (400, "Vision is not supported by this model"),
        (415, "Unsupported content type: image"),
    ],
)
def test_a_model_that_takes_no_pictures_is_told_by_what_its_server_says(status: int, words: str) -> None:
    picture = ImagePart(kind="image/png", data="aGk=", width=1, height=1)
    asked = request(Message(role="user", parts=(picture, TextPart(text="what is this?"))))
    with ProtocolServer(error(status, "invalid_request_error", words)) as server:
        fault = fault_of(server.url, asked)
    assert (fault.kind, fault.retryable, fault.args_["model"]) == ("no_pictures", False, "test-model")
    with ProtocolServer(error(status, "invalid_request_error", words)) as server:
        assert fault_of(server.url).kind != "no_pictures"  # a request without one


def test_a_picture_that_is_too_large_is_no_sign_of_a_model_without_eyes() -> None:
    picture = ImagePart(kind="image/png", data="aGk=", width=1, height=1)
    asked = request(Message(role="user", parts=(picture,)))
    said = "messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes"
    with ProtocolServer(error(400, "invalid_request_error", said)) as server:
        assert fault_of(server.url, asked).kind == "bad_request"


KINDS = {kind for _, kind, _ in _CASES.values()} | {
    "no_key",
    "no_network",
    "dns",
    "tls",
    "proxy",
    "timeout",
    "refused_connection",
    "unknown",
    "no_tools",
    "responses_only",
    "loading",
    "call_unread",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_has_a_sentence_and_its_placeholders_are_filled(language: Language) -> None:
    texts = catalogue(language)
    words = {key.removeprefix("error.fault_") for key in texts if key.startswith("error.fault_")}
    by_ourselves = {"connection_gone", "no_model", "no_summary", "demo", "daily_limit", "message_too_long"}
    by_ourselves |= {"empty_reply", "only_thinking", "repeating", "window_too_small"}
    assert words - by_ourselves == KINDS | {"no_pictures", "cut_short", "reply_too_large"}


def test_the_sentences_take_the_arguments_of_the_faults() -> None:
    for reply, _, _ in _CASES.values():
        with ProtocolServer(reply) as server:
            fault = fault_of(server.url)
        for language in LANGUAGES:
            said = Texts(language)(f"error.{fault.error_code}", **fault.args_)
            assert "{" not in said, said
