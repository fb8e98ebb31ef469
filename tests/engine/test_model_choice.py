"""A model for one conversation: its connection and key and no other, after a restart too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pet.app import Pet
from pet.engine.conversation import LiveConversation
from pet.model import ModelChoice, TurnEnd
from pet.paths import Home
from pet.settings.connections import COMPUTER, Connection, key_slot, origin_of
from pet.transcripts.conversation import Turn
from tests.support.program.invoking import ask as invoke
from tests.support.servers.chat_replies import chat
from tests.support.servers.protocol_replies import stream
from tests.support.servers.protocol_server import ProtocolServer


@contextmanager
def running(home: Home, main: ProtocolServer, other: ProtocolServer) -> Iterator[Pet]:
    """Two connections, each with a key; the first is the default."""
    app = Pet(home, environ={}, channel="terminal")
    try:
        app.settings.change({"base_url": main.url, "protocol": "anthropic", "model": "m-main", "language": "en"})
        work = Connection(id="work", name="Work", base_url=other.url, protocol="openai", model="m-work")
        app.settings.save_connection(work)
        app.keys.set(key_slot("main", main.url), "sk-main-000000000000", "session")
        app.keys.set(key_slot("work", other.url), "sk-work-000000000000", "session")
        yield app
    finally:
        app.close()


@pytest.fixture
def servers() -> Iterator[tuple[ProtocolServer, ProtocolServer]]:
    with ProtocolServer() as main, ProtocolServer() as other:
        yield main, other


def ask(live: LiveConversation, text: str = "hi") -> Turn:
    live.send(text)
    live.wait(60)
    return live.folded().turns[-1]


def work_of(other: ProtocolServer, model: str = "m-2") -> ModelChoice:
    return ModelChoice(connection="work", model=model, origin=origin_of(other.url), name="Work")


def test_each_conversation_uses_its_connection_with_its_key(
    home: Home, servers: tuple[ProtocolServer, ProtocolServer]
) -> None:
    main, other = servers
    with running(home, main, other) as app:
        here, there = app.conversations.create(memory=True), app.conversations.create(memory=True)
        there.choose_model(work_of(other))
        main.queue(stream("from main"))
        other.queue(chat("from work"))
        assert (ask(here).reply, ask(there).reply) == ("from main", "from work")
    assert [request.json["model"] for request in main.requests] == ["m-main"]
    assert [request.json["model"] for request in other.requests] == ["m-2"]
    for server, own, foreign in ((main, "sk-main", "sk-work"), (other, "sk-work", "sk-main")):
        said = str(server.requests[0].headers) + server.requests[0].body.decode()
        assert own in said
        assert foreign not in said


def test_the_choice_survives_a_restart_and_can_be_taken_back(
    home: Home, servers: tuple[ProtocolServer, ProtocolServer]
) -> None:
    main, other = servers
    with running(home, main, other) as app:
        live = app.conversations.create(memory=False)
        live.choose_model(work_of(other))
        other.queue(chat("one"))
        ask(live)
        id_ = live.id
        branch = app.conversations.branch(id_, live.folded().turns[-1].id)
        assert branch.model == work_of(other)  # the same words must not go to another host
    with running(home, main, other) as app:
        live = app.conversations.open(id_)
        assert live.model == work_of(other)
        other.queue(chat("two"))
        assert ask(live).reply == "two"
        live.choose_model(None)
        main.queue(stream("three"))
        assert ask(live).reply == "three"
        assert live.folded().model is None


@pytest.mark.parametrize("gone", ["removed", "moved"])
def test_a_connection_that_is_gone_is_said_and_no_other_gets_the_words(
    home: Home, servers: tuple[ProtocolServer, ProtocolServer], gone: str
) -> None:
    main, other = servers
    with running(home, main, other) as app:
        live = app.conversations.create(memory=True)
        live.choose_model(work_of(other))
        if gone == "removed":
            app.settings.remove_connection("work")
        else:
            app.settings.save_connection(
                Connection(id="work", name="Work", base_url=main.url, protocol="anthropic", model="m")
            )
        turn = ask(live, "only for work")
        assert turn.end is TurnEnd.FAILED
        assert turn.error is not None
        assert (turn.error.code, turn.error.args) == ("fault_connection_gone", {"name": "Work"})
        assert not main.requests
        assert not other.requests
        live.choose_model(None)  # the owner's word
        main.queue(stream("now here"))
        live.resend(turn.id, None)
        live.wait(60)
        assert live.folded().turns[-1].reply == "now here"


def test_a_changed_default_counts_from_the_next_message(
    home: Home, servers: tuple[ProtocolServer, ProtocolServer]
) -> None:
    main, other = servers
    with running(home, main, other) as app:
        live = app.conversations.create(memory=True)
        main.queue(stream("one"))
        ask(live)
        app.settings.change({"connection": "work"})
        other.queue(chat("two"))
        assert ask(live).reply == "two"
        (app.store.root / "pet.toml").write_text('connection = "main"\n', encoding="utf-8")
        main.queue(stream("three"))
        assert ask(live).reply == "three"


@pytest.mark.parametrize(
    ("in_pet_toml", "in_settings", "code"),
    [
        ('connection = "work', "", "settings_file_broken"),
        ('connection = "Work Mac"\n', "", "settings_not_a_connection"),
        ("", 'connection = "Work Mac"\n', "settings_not_a_connection"),
        ("", "mind = 4\n", "settings_not_a_text"),
    ],
)
def test_a_choice_that_cannot_be_read_sends_nothing_to_another_connection(
    home: Home, servers: tuple[ProtocolServer, ProtocolServer], in_pet_toml: str, in_settings: str, code: str
) -> None:
    main, other = servers
    with running(home, main, other) as app:
        live = app.conversations.create(memory=True)
        if in_pet_toml:
            (app.store.root / "pet.toml").write_text(in_pet_toml, encoding="utf-8")
        file = app.settings.file
        file.write_text(in_settings + file.read_text(encoding="utf-8"), encoding="utf-8")
        turn = ask(live)
        assert turn.error is not None
        assert turn.error.code == code
        live.choose_model(work_of(other))  # the owner's word for this conversation
        other.queue(chat("here"))
        assert ask(live).reply == "here"
        assert not main.requests


def test_tokens_on_this_computer_cost_nothing_and_count_against_no_limit(
    home: Home, servers: tuple[ProtocolServer, ProtocolServer]
) -> None:
    main, other = servers
    with running(home, main, other) as app:
        app.settings.change({"price_input": 1000.0, "price_output": 1000.0, "daily_tokens": 1})
        app.keys.delete(key_slot("work", other.url))  # a loopback server that takes no key
        live = app.conversations.create(memory=True)
        live.choose_model(work_of(other))
        for _ in range(2):
            other.queue(chat("free"))
            assert ask(live).end is TurnEnd.DONE
        spent = invoke(app.commands, "get_spent", conversation=live.id)
        assert spent["local"] == spent["tokens"] > 0
        assert not spent["cost"]
        today = invoke(app.commands, "get_usage")
        assert (today["counted"], today["reached"], today["today"]["cost"]) == (0, False, 0.0)
        assert [(each["local"], each["cost"]) for each in today["today"]["models"]] == [(True, None)]


def test_a_model_on_this_computer_that_is_not_here_is_said(
    home: Home, servers: tuple[ProtocolServer, ProtocolServer]
) -> None:
    main, other = servers
    with running(home, main, other) as app:
        live = app.conversations.create(memory=True)
        live.choose_model(ModelChoice(connection=COMPUTER, model="qwen3-4b", name="Qwen3 4B"))
        turn = ask(live)
        assert turn.error is not None
        assert turn.error.code.startswith("local_model_")
        assert not main.requests
