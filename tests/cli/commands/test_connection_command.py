"""``pet connection`` and ``/model``: several connections with a key each, and which one a conversation uses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pet.cli.arguments import UsageProblem, read_arguments
from tests.cli.conftest import PetCommand
from tests.providers.calls import closed_port
from tests.support.servers.chat_replies import chat, refusal
from tests.support.servers.protocol_replies import Reply, whole
from tests.support.servers.protocol_server import ProtocolServer, Recorded


@pytest.fixture
def pet(tmp_path: Path, server: ProtocolServer) -> PetCommand:
    """Its address is in the settings: one in the environment would win over every default."""
    command = PetCommand(tmp_path / "home")
    (command.home / "config").mkdir(parents=True)
    (command.home / "config" / "settings.toml").write_text(
        f'base_url = "{server.url}"\nprotocol = "anthropic"\n', encoding="utf-8"
    )
    return command


@pytest.fixture
def other() -> Iterator[ProtocolServer]:
    with ProtocolServer() as server:
        yield server


def listed(pet: PetCommand) -> dict[str, dict[str, object]]:
    found = json.loads(pet("connection", "list", "--json").out)
    return {each["id"]: each for each in found["connections"]}


def test_a_connection_can_be_named_right_behind_its_address(pet: PetCommand, other: ProtocolServer) -> None:
    added = pet("connection", "add", other.url, "At Work", "--model", "m-2")
    assert added.code == 0, added.err
    assert listed(pet)["at-work"]["name"] == "At Work"
    assert f"At Work ({other.url}, m-2)" in pet("connection", "list").out
    assert f"At Work（{other.url}，m-2）" in pet("connection", "list", LANG="zh_CN.UTF-8").out


@pytest.mark.parametrize("address", ["opnai", "http://a b", "ftp://host", "not an address"])
def test_what_is_no_address_is_said_before_its_model_is_asked_for(pet: PetCommand, address: str) -> None:
    refused = pet("connection", "add", address)
    assert refused.code == 1 and f"“{address}” is neither an address" in refused.err
    assert "openai" in refused.err and "base_url" not in refused.err
    assert list(listed(pet)) == ["main"]


def test_a_key_is_kept_for_an_address_that_was_typed_without_its_scheme(
    pet: PetCommand, other: ProtocolServer
) -> None:
    address = other.url.removeprefix("http://")
    added = pet("connection", "add", address, "--model", "m-2", "--keep", "file", typed="sk-work-000000000000\n")
    assert added.code == 0, added.err
    assert f"key for {address} is set" in added.out
    (made,) = (each for each in listed(pet).values() if each["id"] != "main")
    assert made["key"]["set"] is True  # type: ignore[index]
    assert pet("connection", "rename", str(made["id"]), "Work").code == 0
    assert listed(pet)[str(made["id"])]["key"]["set"] is True  # type: ignore[index]


def test_a_name_no_connection_ever_had_is_not_said_to_be_gone(pet: PetCommand) -> None:
    assert (
        pet("connection", "use", "nowhere").err.strip()
        == "There is no connection with this name. Choose another one."
    )


def test_a_connection_is_added_tested_used_renamed_and_removed(pet: PetCommand, other: ProtocolServer) -> None:
    added = pet("connection", "add", other.url, "--name", "At Work", "--model", "m-2", "--protocol", "openai")
    assert added.code == 0, added.err
    assert "at-work" in added.out
    assert pet("connection", "key", "at-work", "--keep", "file", typed="sk-work-000000000000\n").code == 0
    assert listed(pet)["at-work"]["key"] == {
        "set": True,
        "source": "file",
        "last4": "0000",
        "keyring_available": False,
        "locked": False,
        "headers": [],
    }
    other.queue(chat("ok"))
    assert pet("connection", "test", "at-work").code == 0
    assert other.requests[-1].headers["authorization"] == "Bearer sk-work-000000000000"
    assert pet("connection", "use", "at-work").code == 0
    other.queue(chat("hello from work"))
    assert pet("chat", "--once", "Hi").out.strip() == "hello from work"
    assert pet("connection", "rename", "at-work", "Büro").code == 0
    assert listed(pet)["at-work"]["name"] == "Büro"
    refused = pet("connection", "remove", "at-work")  # the default, and there is another
    assert refused.code == 1
    assert "sets model, so" in pet("connection", "use", "main", PET_MODEL="m-9").err
    assert pet("connection", "remove", "at-work").code == 0
    assert "at-work" not in listed(pet)
    assert "sk-work" not in "".join(
        path.read_text(encoding="utf-8", errors="replace") for path in pet.home.rglob("*") if path.is_file()
    )


def test_a_key_is_refused_on_the_command_line_and_with_a_line_break(pet: PetCommand, other: ProtocolServer) -> None:
    pet("connection", "add", other.url, "--name", "w", "--model", "m")
    assert pet("connection", "key", "w", "sk-typed").code == 2
    bad = pet("connection", "key", "w", "--keep", "file", typed="sk a\n")
    assert bad.code == 1
    assert not listed(pet)["w"]["key"]["set"]  # type: ignore[index]


def test_a_header_is_typed_hidden_kept_where_it_is_said_and_forgotten(pet: PetCommand, other: ProtocolServer) -> None:
    pet("connection", "add", other.url, "--name", "w", "--model", "m", "--protocol", "openai")
    refused = pet("connection", "header", "w", "X-Team", typed="blue team\n")
    assert refused.code == 1 and "--keep file" in refused.err
    kept = pet("connection", "header", "w", "X-Team", "--keep", "file", typed="blue team\n")
    assert kept.code == 0, kept.err
    assert kept.out.strip() == f"These headers go to {other.url.removeprefix('http://')}: x-team"
    shown = pet("connection", "list").out + pet("connection", "list", "--json").out
    assert "x-team" in shown and "blue" not in shown + kept.out
    other.queue(chat("ok"))
    assert pet("connection", "test", "w").code == 0
    assert other.requests[-1].headers["x-team"] == "blue team"
    gone = pet("connection", "header", "w", "x-team", "--delete")
    assert gone.code == 0 and "No headers are set" in gone.out
    other.queue(chat("ok"))
    assert pet("connection", "test", "w").code == 0
    assert "x-team" not in other.requests[-1].headers


@pytest.mark.parametrize(
    "words",
    [
        ("nonsense",),
        ("header", "w"),
        ("header", "w", "X-Team", "value"),
        ("add",),
        ("use",),
        ("rename", "x"),
        ("remove", ""),
        ("list", "more"),
        ("list", "--name", "x"),
        ("use", "w", "--delete"),
    ],
)
def test_wrong_usage(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageProblem):
        read_arguments(["connection", *words])


def test_a_new_connection_says_what_its_address_offers(pet: PetCommand, other: ProtocolServer) -> None:
    other.matching.append(("", refusal(400, "[] is too short - 'messages'")))
    other.facts["/props"] = whole('{"n_ctx": 16384, "chat_template_caps": {"supports_tools": false}}')
    added = pet("connection", "add", other.url, "w", "--model", "m")
    assert added.code == 0, added.err
    assert "It understands Messages, Chat completions, Responses." in added.out
    assert "Models there: test-model, other-model" in added.out
    assert "Its model can't use tools" in added.out and "key" not in added.out
    assert {each.body for each in other.requests if each.method == "POST"} == {b"{}"}  # nothing of the owner's


@pytest.mark.parametrize(
    ("status", "said"),
    [(200, '{"error": "Unexpected endpoint or method. (POST /v1/messages)"}'), (404, "404 page not found")],
    ids=["LM Studio", "others"],
)
def test_a_protocol_that_is_not_there_is_not_said_to_be(
    pet: PetCommand, other: ProtocolServer, status: int, said: str
) -> None:
    def reply(request: Recorded) -> Reply:
        if request.route.endswith("/chat/completions"):
            return refusal(400, "'messages' is missing")
        return whole(said, status=status, content_type="application/json" if status == 200 else "text/plain")

    other.default = reply
    assert "It understands Chat completions." in pet("connection", "add", other.url, "w", "--model", "m").out


def test_an_address_that_wants_a_key_first_says_so_and_one_that_is_silent_too(
    pet: PetCommand, other: ProtocolServer
) -> None:
    other.default = refusal(401, "missing api key")
    keyed = pet("connection", "add", other.url, "w", "--model", "m").out
    assert "It tells more once it has a key." in keyed and "speaks" not in keyed
    silent = pet("connection", "add", f"http://127.0.0.1:{closed_port()}", "s", "--model", "m")
    assert silent.code == 0 and "It did not answer just now" in silent.out


def test_the_only_model_of_an_address_needs_no_name_and_of_several_all_are_told(pet: PetCommand) -> None:
    with ProtocolServer(models=("only-one",), default=refusal(400, "no messages")) as server:
        assert pet("connection", "add", server.url, "one").code == 0
        assert listed(pet)["one"]["model"] == "only-one"
    with ProtocolServer(models=("first", "second"), default=refusal(400, "no messages")) as server:
        several = pet("connection", "add", server.url, "two")
        assert several.code == 2 and "--model" in several.err
        assert "Models there: first, second" in several.out
        assert "two" not in listed(pet)


def test_a_new_connection_needs_its_model(pet: PetCommand) -> None:
    missing = pet("connection", "add", "https://two.invalid")
    assert missing.code == 2
    assert "--model" in missing.err


def test_an_unknown_connection_is_said(pet: PetCommand) -> None:
    for words in (("remove", "nowhere"), ("use", "nowhere", "--this-pet")):
        refused = pet("connection", *words)
        assert refused.code == 1
        assert "connection" in refused.err


def test_this_pet_has_its_own(pet: PetCommand, other: ProtocolServer) -> None:
    pet("connection", "add", other.url, "--name", "w", "--model", "m", "--protocol", "openai")
    assert pet("connection", "use", "w", "--this-pet", "--model", "m-pet").code == 0
    other.queue(chat("mine"))
    assert pet("chat", "--once", "Hi").out.strip() == "mine"
    assert other.requests[-1].json["model"] == "m-pet"
    assert pet("connection", "use", "default", "--this-pet").code == 0
    assert json.loads(pet("connection", "--json").out)["pet"] == ""


def test_slash_model_chooses_for_one_conversation(pet: PetCommand, other: ProtocolServer) -> None:
    pet("connection", "add", other.url, "--name", "w", "--model", "m", "--protocol", "openai")
    other.queue(chat("from w"))
    said = pet("chat", typed="/model\n/model w m-7\nHi\n/model default\n/model nowhere\n")
    assert "from w" in said.out
    assert "This conversation uses m-7" in said.out
    assert "uses the default" in said.out
    assert other.requests[-1].json["model"] == "m-7"


def test_where_nothing_is_chosen_the_shipped_address_is_not_called_the_main_one(tmp_path: Path) -> None:
    listed = PetCommand(tmp_path / "new")("connection", "list")
    assert listed.out.startswith("* Nothing chosen yet:")
    assert "* main" not in listed.out
