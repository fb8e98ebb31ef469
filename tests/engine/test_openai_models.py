"""OpenAI's current models: what a refusal advises is done, or said to the owner."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pet.app import Pet
from pet.i18n import LANGUAGES, Texts
from pet.model import TurnEnd
from tests.support.program.gated_program import running, sent, speak
from tests.support.servers.model_services import WISH, OpenAI
from tests.support.servers.protocol_server import ProtocolServer

TALK = (f"{WISH} that I like tea.", "Hello!", f"{WISH} that the key is under the pot.", "Thank you.")


@contextmanager
def program(service: OpenAI, model: str, **chosen: str) -> Iterator[tuple[ProtocolServer, Pet]]:
    with (
        ProtocolServer(default=service) as server,
        running(server, protocol="openai", language="en", model=model, **chosen) as app,
    ):
        yield server, app


@pytest.mark.parametrize("effort", ["", "high"])
def test_effort_none_with_tools_is_learned_from_the_refusal(effort: str) -> None:
    service = OpenAI()
    with program(service, "gpt-5.6", effort=effort) as (server, app):
        for _ in range(2):
            chat = app.conversations.create(memory=True)
            for text in TALK:
                assert speak(chat, text) is TurnEnd.DONE
        assert len(service.refused) == 2  # one of them for the field of the reply's length
        assert {request.json["reasoning_effort"] for request in sent(server)[2:]} == {"none"}


def test_what_one_model_refused_is_asked_of_another() -> None:
    service = OpenAI()
    with program(service, "gpt-5.6") as (server, app):
        assert speak(app.conversations.create(memory=True), "Hello!") is TurnEnd.DONE
        app.settings.change({"model": "gpt-5.7"})
        assert speak(app.conversations.create(memory=True), "Hello!") is TurnEnd.DONE
        first = next(request for request in sent(server) if request.json["model"] == "gpt-5.7")
        assert "reasoning_effort" not in first.json


@pytest.mark.parametrize("model", ["gpt-5.4-pro", "gpt-6-astra"])
def test_model_of_responses_alone_has_a_sentence(model: str) -> None:
    with program(OpenAI(), model) as (_, app):
        chat = app.conversations.create(memory=True)
        for _ in range(2):
            assert speak(chat, "Hello!") is TurnEnd.FAILED
            error = chat.folded().turns[-1].error
            assert error is not None and error.code == "fault_responses_only"
            for language in LANGUAGES:
                sentence = Texts(language)(f"error.{error.code}", **error.args)
                assert model in sentence and "Responses" in sentence


@pytest.mark.parametrize("model", ["gpt-5.4-pro", "gpt-6-astra", "gpt-5.6"])
def test_responses_is_found_by_the_refusal_that_names_it(model: str) -> None:
    service = OpenAI()
    with program(service, model) as (server, app):
        app.settings.change({"protocol": "auto"})
        chat = app.conversations.create(memory=True)
        for text in TALK:
            assert speak(chat, text) is TurnEnd.DONE
        assert len(service.refused) <= 2
        assert all(request.route == "/v1/responses" for request in sent(server)[-4:])


def test_server_without_responses_gets_tools_without_reasoning() -> None:
    service = OpenAI(has_responses=False)
    with program(service, "gpt-5.6") as (server, app):
        app.settings.change({"protocol": "auto"})
        chat = app.conversations.create(memory=True)
        for text in TALK:
            assert speak(chat, text) is TurnEnd.DONE
        last = sent(server)[-1]
        assert last.route == "/v1/chat/completions" and last.json["reasoning_effort"] == "none"
        assert sum(request.route == "/v1/responses" for request in sent(server)) == 1


@pytest.mark.parametrize("model", ["gpt-5.4-pro", "gpt-5.6"])
def test_responses_alone_is_asked_where_the_owner_says_so(model: str) -> None:
    service = OpenAI()
    with program(service, model) as (server, app):
        app.settings.change({"protocol": "responses"})
        chat = app.conversations.create(memory=True)
        for text in TALK:
            assert speak(chat, text) is TurnEnd.DONE
        assert service.refused == []
        assert {request.route for request in sent(server)} == {"/v1/responses"}
