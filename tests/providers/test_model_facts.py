"""Windows and tools of models: of real servers' answers over sockets, of the table of families, and kept on disk."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pet.providers.model_facts import UNKNOWN, ModelFacts, ModelFactsBook, ask_server
from pet.settings.api_keys import ApiKey
from pet.settings.program_state import JsonState
from pet.settings.schema import Settings
from tests.providers.calls import CANARY, closed_port
from tests.support.servers.protocol_replies import held, redirect, stream, whole
from tests.support.servers.protocol_server import ProtocolServer


def settings(url: str, model: str = "test-model", **more: Any) -> Settings:
    return Settings(base_url=url, model=model, **more)


def answers(server: ProtocolServer, answers: Mapping[str, object]) -> None:
    server.facts |= {route: whole(json.dumps(answer)) for route, answer in answers.items()}


def asked(answered: Mapping[str, object], model: str = "test-model") -> ModelFacts | None:
    with ProtocolServer() as server:
        answers(server, answered)
        return asyncio.run(ask_server(settings(server.url, model), None))


def reported(window: int, **more: Any) -> ModelFacts:
    return ModelFacts(window=window, source="server", **more)


def ollama(
    model: str = "qwen3:8b", *, loaded: int = 0, parameters: str = "", tools: bool = True
) -> dict[str, object]:
    return {
        "/api/ps": {"models": [{"name": model, "model": model, "context_length": loaded}] if loaded else []},
        "/api/show": {
            "model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40_960},
            "parameters": parameters,
            "capabilities": ["completion", "tools"] if tools else ["completion"],
        },
    }


def test_ollama_reports_the_window_that_is_loaded() -> None:
    assert asked(ollama(loaded=16_384), "qwen3:8b") == reported(16_384, possible=40_960, tools=True)


def test_ollama_cuts_at_its_default_unless_told_otherwise() -> None:
    unloaded = ModelFacts(
        window=4_096, source="default", possible=40_960, tools=True
    )  # "default" is what the settings say
    assert asked(ollama(), "qwen3:8b") == unloaded
    assert asked(ollama(parameters="num_ctx    32768\nstop x"), "qwen3:8b") == reported(
        32_768, possible=40_960, tools=True
    )
    assert asked(ollama(loaded=40_960), "qwen3:8b") == reported(40_960, tools=True)


def test_ollama_reports_a_model_without_tools() -> None:
    assert asked(ollama("gemma2:latest", loaded=8_192, tools=False), "gemma2") == reported(
        8_192, possible=40_960, tools=False
    )


def test_llama_cpp_reports_a_template_without_tools() -> None:
    answered = {"/props": {"n_ctx": 8_192, "chat_template_caps": {"supports_tools": False}}}
    assert asked(answered) == reported(8_192, tools=False)


def test_ollama_reports_the_size_of_a_model_too_small_for_tools() -> None:
    answered = ollama("tiny", loaded=8_192)
    answered["/api/show"] = {"details": {"parameter_size": "1.5B"}, "capabilities": ["completion", "tools"]}
    assert asked(answered, "tiny") == reported(8_192, tools=False)


@pytest.mark.parametrize(
    ("model", "notebook"),
    [
        ("smollm2:135m", "on"),
        ("qwen2.5-1.5b-instruct", "on"),
        ("Qwen3-0.6B", "on"),
        ("qwen3:8b", "auto"),
        ("Qwen3-30B-A3B", "auto"),
        ("gpt-5.6", "auto"),
        ("claude-haiku-5-5", "auto"),
        ("gemma-3-12b-it-1m", "auto"),
    ],
)
def test_small_models_are_known_by_the_size_in_their_name(model: str, notebook: str) -> None:
    assert ModelFactsBook().applied(settings("http://127.0.0.1:9", model)).notebook == notebook


@pytest.mark.parametrize(
    "answered",
    [
        {"/props": {"default_generation_settings": {"n_ctx": 12_288}, "n_ctx": 49_152}},
        {"/api/v0/models": {"data": [{"id": "test-model", "loaded_context_length": 12_288}]}},
        {"/v1/models": {"data": [{"id": "other"}, {"id": "test-model", "max_model_len": 12_288}]}},
        {"/v1/models": {"data": [{"id": "test-model", "meta": {"n_ctx": 12_288, "n_ctx_train": 131_072}}]}},
        {"/v1/models": {"data": [{"id": "models/test-model", "context_length": 12_288}]}},
        {"/v1/models": {"data": [{"id": "test-model", "context_window": 12_288}]}},
    ],
)
def test_other_servers_report_theirs(answered: dict[str, object]) -> None:
    assert asked(answered) == reported(12_288)


@pytest.mark.parametrize("lie", [-1, 0, 7, True, "12288", None, 1e9, [], {"a": 1}])
def test_implausible_windows_are_unknown(lie: object) -> None:
    assert asked({"/v1/models": {"data": [{"id": "test-model", "max_model_len": lie}]}}) == UNKNOWN


def test_enormous_windows_are_bounded() -> None:
    assert asked({"/props": {"n_ctx": 10**9}}) == reported(200_000)


@pytest.mark.parametrize("odd", [[], "x", {"models": 5}, {"data": 7}, {"models": [3]}, {"models": [{"name": []}]}])
def test_odd_answers_raise_nothing(odd: object) -> None:
    asked(dict.fromkeys(("/api/ps", "/api/show", "/props", "/api/v0/models", "/v1/models"), odd))


def test_server_that_does_not_answer_is_left_alone_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pet.providers.model_facts._ASK_SECONDS", 4.0)
    book = ModelFactsBook()
    with ProtocolServer() as server:
        server.facts["/api/ps"] = held("never", whole("{}"))
        for _ in range(2):
            asyncio.run(book.ask(settings(server.url), None))
        assert len(server.fact_requests) == 1
        assert book.of(settings(server.url)) == UNKNOWN
    asyncio.run(book.ask(settings(f"http://127.0.0.1:{closed_port()}"), None))


def test_certificates_are_read_once_for_all_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[object] = []
    load = ssl.SSLContext.load_verify_locations

    def counted(context: ssl.SSLContext, *names: Any, **more: Any) -> None:
        read.append(context)
        load(context, *names, **more)

    asked(ollama())  # reads them unless an earlier test has
    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", counted)
    assert asked(ollama(loaded=16_384), "qwen3:8b") == reported(16_384, possible=40_960, tools=True)
    assert read == []


def test_key_goes_to_its_own_origin_and_no_redirect_is_followed() -> None:
    with ProtocolServer(stream("x")) as other, ProtocolServer() as server:
        server.facts["/api/ps"] = redirect(f"{other.url}/api/ps")
        asyncio.run(ask_server(settings(server.url), ApiKey(CANARY)))
        assert other.requests == other.fact_requests == []
        assert {request.headers["authorization"] for request in server.fact_requests} == {f"Bearer {CANARY}"}
        assert all(CANARY.encode() not in request.body for request in server.fact_requests)


# --- families and the book ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("claude-haiku-5-5", 200_000),
        ("anthropic/claude-sonnet-4.5", 200_000),
        ("gpt-4o-mini", 128_000),
        ("gpt-4", 8_192),
        ("deepseek-chat", 128_000),
        ("somebody-elses", 0),
    ],
)
def test_hosted_model_is_known_by_its_family(model: str, window: int) -> None:
    facts = ModelFactsBook().of(settings("https://api.example.org", model))
    assert (facts.window, facts.source) == (window, "family" if window else "unknown")


def test_family_says_nothing_of_a_server_nearby() -> None:
    assert ModelFactsBook().of(settings("http://127.0.0.1:8080", "llama-3.1-8b")) == UNKNOWN


def test_setting_comes_first() -> None:
    facts = ModelFactsBook().of(settings("https://api.anthropic.com", "claude-haiku-5-5", context_window=50_000))
    assert (facts.window, facts.source) == (50_000, "setting")


def test_facts_are_kept_between_starts(tmp_path: Path) -> None:
    state = JsonState(tmp_path / "models.json")
    with ProtocolServer() as server:
        answers(server, ollama("test-model", loaded=16_384))
        here = settings(server.url)
        asyncio.run(ModelFactsBook(state).ask(here, None))
    book = ModelFactsBook(state)
    book.learn_toolless(here)
    applied = ModelFactsBook(state).applied(here)
    assert (applied.context_window, applied.notebook) == (16_384, "on")
    assert ModelFactsBook(state).applied(settings("http://127.0.0.1:1")) == settings("http://127.0.0.1:1")


def test_model_replaced_under_the_same_name_has_its_own_facts(tmp_path: Path) -> None:
    """What its predecessor was refused doesn't count once the server says that it takes tools."""
    book = ModelFactsBook(JsonState(tmp_path / "models.json"))
    with ProtocolServer() as server:
        here = settings(server.url)
        for loaded, tools in ((16_384, False), (8_192, True)):
            answers(server, ollama("test-model", loaded=loaded, tools=tools))
            book.learn_toolless(here)
            asyncio.run(book.ask(here, None))
            applied = book.applied(here)
            assert (applied.context_window, applied.notebook) == (loaded, "auto" if tools else "on")


@pytest.mark.parametrize(
    "broken", ["{", '{"models": 5}', '{"models": {"x": 7}}', '{"models": {"x": {"window": "y"}}}']
)
def test_broken_record_is_empty(tmp_path: Path, broken: str) -> None:
    (tmp_path / "models.json").write_text(broken, encoding="utf-8")
    assert ModelFactsBook(JsonState(tmp_path / "models.json")).of(settings("http://127.0.0.1:1")) == UNKNOWN
