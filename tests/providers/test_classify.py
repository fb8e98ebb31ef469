"""Failures that a test can't make happen on every machine, and what leaves for which host."""

from __future__ import annotations

import asyncio
import errno

import httpx2
import pytest

from pet.errors import ProviderFault
from pet.providers.anthropic_provider import _Headers
from pet.providers.faults import Where, classify, of_status, safe_message
from pet.providers.model_server import ModelServer
from pet.settings.api_keys import ApiKey
from tests.providers.calls import CANARY, run
from tests.support.servers.protocol_replies import Reply, stream
from tests.support.servers.protocol_server import ProtocolServer


def _caused(error: Exception, cause: BaseException) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize("number", [errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN])
def test_an_unreachable_network_is_no_network(number: int) -> None:
    assert classify(_caused(httpx2.ConnectError("x"), OSError(number, "x"))).kind == "no_network"


def test_a_cause_inside_an_exception_group_is_found() -> None:
    group = ExceptionGroup("all attempts failed", [OSError(errno.ENETUNREACH, "x"), ConnectionRefusedError()])
    assert classify(_caused(httpx2.ConnectError("x"), group)).kind == "refused_connection"


def test_with_a_proxy_on_the_way_it_is_the_proxy_that_was_not_reached() -> None:
    error = _caused(httpx2.ConnectTimeout("x"), TimeoutError())
    assert classify(error, Where(proxy="proxy.invalid:1")).kind == "proxy"
    assert classify(error).kind == "timeout"


def test_a_fault_stays_what_it_is() -> None:
    fault = ProviderFault("overloaded")
    assert classify(fault) is fault


def test_unknown_exception_is_reported_by_type() -> None:
    fault = classify(httpx2.StreamConsumed())
    assert (fault.kind, fault.args_["message"]) == ("unknown", "StreamConsumed")


@pytest.mark.parametrize(
    "body", [None, "text", [], {"error": "x"}, {"error": {"type": 5, "message": []}}, {"detail": "x"}]
)
@pytest.mark.parametrize("status", [200, 302, 400, 401, 404, 418, 429, 500, 599])
def test_any_error_body_makes_a_fault(status: int, body: object) -> None:
    assert of_status(status, body, {}).kind


def test_bearer_tokens_and_keys_of_others_are_masked_too() -> None:
    said = safe_message("Authorization: Bearer abcdefghijkl and sk-proj-0123456789 failed", None)
    assert "abcdefghijkl" not in said
    assert "0123456789" not in said


def _sent(base_url: str, to: str) -> httpx2.Headers:
    telemetry = {"x-stainless-os": "Linux", "anthropic-version": "2026-10-21", "authorization": "Bearer no-key"}
    made = httpx2.Request("POST", to, headers=telemetry, json={})
    asyncio.run(_Headers(ModelServer(base_url, ApiKey(CANARY), None))(made))
    return made.headers


def test_anthropic_gets_the_key_once_and_its_own_protocol() -> None:
    headers = _sent("https://api.anthropic.com", "https://api.anthropic.com/v1/messages")
    assert headers["authorization"] == f"Bearer {CANARY}"
    assert headers["anthropic-version"] == "2026-10-21"
    assert "x-api-key" not in headers
    assert "x-stainless-os" not in headers


def test_another_origin_gets_no_key() -> None:
    for other in ("http://api.anthropic.com/v1/messages", "https://api.anthropic.com:8443/", "https://evil.invalid/"):
        headers = _sent("https://api.anthropic.com", other)
        assert "authorization" not in headers
        assert "x-api-key" not in headers


@pytest.mark.parametrize("size", [1, 3, 7])
def test_a_stream_in_crumbs_is_the_same_stream(size: int) -> None:
    reply = stream("Hi 你好 🦊", "!")
    data = b"".join(step for step in reply.steps if isinstance(step, bytes)).replace(b"\n", b"\r\n")
    crumbs = tuple(data[start : start + size] for start in range(0, len(data), size))
    with ProtocolServer(Reply(headers=reply.headers, steps=crumbs)) as server:
        assert run(server.url).text == "Hi 你好 🦊!"


def test_bytes_that_are_no_text_cut_the_reply_there() -> None:
    with ProtocolServer(stream("So far", b"event: x\ndata: \xff\xfe\n\n", "never")) as server:
        answer = run(server.url)
    assert answer.text.startswith("So far")
