"""Connections behind the page: a key goes with its connection, the default is never replaced unasked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from pet.app import Pet
from pet.errors import ProviderFault
from pet.paths import Home
from pet.providers.base import Provider
from pet.services import connections
from pet.settings.connections import ModelInUse
from tests.support.program.invoking import ask, refused
from tests.support.servers.chat_replies import chat, refusal
from tests.support.servers.protocol_server import ProtocolServer

KEY = "sk-work-000000000000"


@pytest.fixture
def app(home: Home) -> Iterator[Pet]:
    app = Pet(home, environ={}, channel="terminal")
    yield app
    app.close()


def add(app: Pet, base_url: str = "https://two.invalid/v1", model: str = "m-2", name: str = "Work") -> str:
    saved = ask(app.commands, "save_connection", id="", name=name, base_url=base_url, protocol="openai", model=model)
    return str(saved["id"])


def listed(app: Pet) -> dict[str, dict[str, Any]]:
    return {each["id"]: each for each in ask(app.commands, "list_connections")["connections"]}


def stored(app: Pet) -> str:
    return app.home.key_file.read_text(encoding="utf-8") if app.home.key_file.exists() else ""


def test_a_fresh_home_lists_what_is_shipped_until_another_is_the_default(app: Pet) -> None:
    assert list(listed(app)) == ["main"]
    id_ = add(app)
    ask(app.commands, "use_connection", connection=id_)
    assert list(listed(app)) == [id_]  # the shipped address was never set up


def test_a_main_connection_with_a_key_stays_when_another_is_the_default(app: Pet) -> None:
    ask(app.commands, "set_key", key="sk-ant-000000000000", keep="file")
    ask(app.commands, "use_connection", connection=add(app))
    assert "main" in listed(app)
    assert 'base_url = "https://api.anthropic.com"' in app.settings.file.read_text(encoding="utf-8")


def test_a_key_kept_until_the_end_is_missed_by_its_service_after_a_restart(home: Home) -> None:
    with closing(Pet(home, environ={})) as app:
        ask(app.commands, "set_key", key=KEY, keep="session")
    with closing(Pet(home, environ={})) as again:
        state = ask(again.commands, "get_app_state")
        assert (state["unchosen"], state["demo"], state["key_needed"]) == (False, False, True)
        assert (state["key"]["set"], state["host"]) == (False, "api.anthropic.com")
        text = again.settings.file.read_text(encoding="utf-8")
        assert "model" not in text  # it stays that of the program
        assert KEY not in text


def test_a_key_goes_with_its_connection(app: Pet) -> None:
    id_ = add(app)
    other = add(app, name="Other")  # the same host, another account
    ask(app.commands, "set_key", connection=id_, key=KEY, keep="file")
    assert listed(app)[id_]["key"]["last4"] == "0000"
    assert not listed(app)[other]["key"]["set"]
    moved = {"id": id_, "name": "Work", "base_url": "https://three.invalid", "protocol": "auto", "model": "m"}
    ask(app.commands, "save_connection", **moved)
    assert not listed(app)[id_]["key"]["set"]
    assert KEY not in stored(app)
    ask(app.commands, "set_key", connection=id_, key=KEY, keep="file")
    ask(app.commands, "remove_connection", connection=id_)
    assert KEY not in stored(app)
    assert id_ not in listed(app)


def test_headers_go_with_their_connection_and_the_page_knows_their_names_only(app: Pet) -> None:
    with ProtocolServer(default=chat("ok")) as server:
        id_ = add(app, base_url=server.url)
        other = add(app, base_url=server.url, name="Other")
        header = {"connection": id_, "name": "X-Team", "value": KEY, "keep": "file"}
        shown = ask(app.commands, "set_header", **header)
        assert (listed(app)[id_]["key"]["headers"], listed(app)[other]["key"]["headers"]) == (["x-team"], [])
        assert KEY not in repr(shown) + app.settings.file.read_text(encoding="utf-8")
        assert KEY in stored(app)
        assert ask(app.commands, "test_connection", connection=id_)["ok"]
        assert ask(app.commands, "test_connection", connection=other)["ok"]
        assert [each.headers.get("x-team") for each in server.requests] == [KEY, None]
    bad = refused(app.commands, "set_header", **{**header, "name": "Host"})
    assert bad["code"] == "key_store_bad_header" and KEY not in repr(bad)
    ask(app.commands, "remove_connection", connection=id_)
    assert KEY not in stored(app)


def test_a_gateway_that_takes_a_header_needs_no_key(app: Pet) -> None:
    id_ = add(app)
    assert listed(app)[id_]["key_needed"]
    ask(app.commands, "set_header", connection=id_, name="Authorization", value="Basic eDp5", keep="session")
    assert not listed(app)[id_]["key_needed"]
    ask(app.commands, "set_header", connection=id_, name="authorization", value="", keep="session")
    assert listed(app)[id_]["key_needed"]


def test_the_default_is_not_removed_while_there_are_others(app: Pet) -> None:
    ask(app.commands, "set_key", key="sk-ant-000000000000", keep="file")
    id_ = add(app)
    ask(app.commands, "use_connection", connection=id_)
    assert refused(app.commands, "remove_connection", connection=id_)["code"] == "settings_connection_in_use"
    ask(app.commands, "use_connection", connection="main")
    ask(app.commands, "remove_connection", connection=id_)
    assert refused(app.commands, "use_connection", connection=id_)["code"] == "settings_connection_gone"


def test_no_name_means_the_default_to_the_end(app: Pet) -> None:
    id_ = add(app)
    add(app, name="Other")
    ask(app.commands, "set_key", connection=id_, key=KEY, keep="file")
    ask(app.commands, "use_connection", connection=id_)
    assert refused(app.commands, "remove_connection")["code"] == "settings_connection_in_use"
    assert KEY in stored(app)
    assert ask(app.commands, "use_connection")["default"] == id_


def test_a_model_on_this_computer_has_a_name_or_nothing_is_sent(app: Pet) -> None:
    with ProtocolServer(default=chat("ok")) as server:
        app.settings.change({"base_url": server.url})
        live = app.conversations.create(memory=True)
        choice = {"conversation": live.id, "connection": "computer"}
        assert refused(app.commands, "choose_model", **choice)["code"] == "settings_not_a_model"
        assert refused(app.commands, "set_pet_model", connection="computer")["code"] == "settings_not_a_model"
        assert not ask(app.commands, "test_connection", connection="computer")["ok"]
        assert server.requests == []


def test_a_connection_is_tested_with_its_own_key_and_no_file_of_the_pet(app: Pet) -> None:
    (app.store.root / "USER.md").write_text("canary-4711", encoding="utf-8")
    with ProtocolServer(default=chat("ok")) as server:
        id_ = add(app, base_url=server.url, model="")
        ask(app.commands, "set_key", connection=id_, key=KEY, keep="session")
        untold = ask(app.commands, "test_connection", connection=id_)
        assert untold["error"]["code"] == "fault_no_model"
        ask(app.commands, "save_connection", id=id_, name="", base_url=server.url, protocol="openai", model="m")
        assert ask(app.commands, "test_connection", connection=id_)["ok"]
        (request,) = server.requests
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert b"canary-4711" not in request.body
    assert len(request.json["tools"]) == 1  # as a message has


def test_a_model_without_tools_passes_the_test_of_its_connection(app: Pet) -> None:
    with ProtocolServer(refusal(400, "m does not support tools"), default=chat("ok")) as server:
        id_ = add(app, base_url=server.url)
        assert ask(app.commands, "test_connection", connection=id_)["ok"]
        assert ["tools" in request.json for request in server.requests] == [True, False]


def test_a_model_that_is_never_heard_of_is_late_and_no_trouble_with_a_disk(
    app: Pet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "ASK_SECONDS", 0)

    async def never(_used: ModelInUse) -> Provider:
        await asyncio.Event().wait()
        raise AssertionError

    with pytest.raises(ProviderFault) as late:
        asyncio.run(connections.test_model(never, app.effective.in_use()))
    assert (late.value.error_code, late.value.args_["host"]) == ("fault_timeout", "api.anthropic.com")


def test_a_conversation_and_a_pet_choose_theirs(app: Pet) -> None:
    id_ = add(app)
    live = app.conversations.create(memory=True)
    chosen = ask(app.commands, "choose_model", conversation=live.id, connection=id_)["chosen"]
    assert chosen == {"connection": id_, "model": "m-2", "origin": "https://two.invalid", "name": "Work"}
    assert ask(app.commands, "open_conversation", conversation=live.id)["info"]["chosen"] == chosen
    assert ask(app.commands, "choose_model", conversation=live.id, connection="")["chosen"] is None
    assert ask(app.commands, "set_pet_model", connection=id_, model="m-9")["pet"] == id_
    assert app.effective.current().model == "m-9"
    ask(app.commands, "set_pet_model", connection="")
    assert app.effective.own().connection is None
