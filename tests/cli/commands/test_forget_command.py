"""``pet forget``: listed, asked, gone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.cli.conftest import SECONDS, PetCommand
from tests.support.servers.protocol_replies import Call, stream
from tests.support.servers.protocol_server import ProtocolServer


def _fill(pet: PetCommand) -> None:
    pet.write("MEMORY.md", "# Memory\n\n- Likes tea\n- 去过 Zanzibar\n")
    pet.write("SOUL.md", "# Who I am\n\n- Dreams of Zanzibar\n")


def test_without_a_terminal_it_lists_and_changes_nothing(pet: PetCommand) -> None:
    _fill(pet)
    ended = pet("forget", "zanzibar")
    assert ended.code == 1
    assert "\n  去过 Zanzibar  (file MEMORY.md:4-4)\n" in ended.out
    assert "\n  Dreams of Zanzibar  (file SOUL.md:3-3)\n" in ended.out
    assert "--yes" in ended.err
    assert "Zanzibar" in pet.read("MEMORY.md")


def test_with_yes_it_is_gone_from_every_file_but_the_owners(pet: PetCommand) -> None:
    _fill(pet)
    assert pet("history", "MEMORY.md").code == 0
    assert pet("search", "Zanzibar").code == 0
    ended = pet("forget", "ZANZIBAR", "--yes")
    assert ended.code == 0
    assert "Entries: 1" in ended.out
    assert pet.read("MEMORY.md") == "# Memory\n\n- Likes tea\n"
    held = [path.name for path in Path(pet.home).rglob("*") if path.is_file() and b"Zanzibar" in path.read_bytes()]
    assert set(held) <= {"SOUL.md"} | {path.name for path in (pet.workspace / ".history" / "objects").iterdir()}
    assert "Zanzibar" in pet.read("SOUL.md")


def test_as_json_a_program_reads_what_came_of_it(pet: PetCommand) -> None:
    _fill(pet)
    listed = pet("forget", "zanzibar", "--json")
    assert (listed.code, listed.json["forgotten"], listed.json["report"]) == (1, False, None)
    assert [piece["path"] for piece in listed.json["goes"]] == ["MEMORY.md"]
    done = pet("forget", "zanzibar", "--yes", "--json")
    assert done.code == 0
    assert done.json["forgotten"] is True
    assert done.json["report"]["entries"] == 1
    assert {piece["path"] for piece in done.json["report"]["left"]} == {"SOUL.md"}


def test_what_stands_nowhere_is_said_and_what_was_begun_is_finished(pet: PetCommand) -> None:
    nothing = pet("forget", "zanzibar", "--yes")
    assert nothing.code == 1
    assert "zanzibar" in nothing.err
    pet.write("MEMORY.md", "- Zanzibar\n")
    assert pet("forget", "zanzibar", "--yes").code == 0
    assert pet("forget", "zanzibar", "--yes").code == 0  # killed last time, for all we know
    assert pet.read("MEMORY.md") == ""


def test_too_short_a_text_is_refused(pet: PetCommand) -> None:
    _fill(pet)
    ended = pet("forget", "te", "--yes")
    assert ended.code == 1
    assert "so short" in ended.err
    assert pet("forget").code == 2
    assert pet("forget", "two", "words").code == 2
    assert "tea" in pet.read("MEMORY.md")


def test_in_chinese_it_is_worded_in_chinese(pet: PetCommand) -> None:
    _fill(pet)
    ended = pet("forget", "zanzibar", "--yes", LANG="zh_CN.UTF-8")
    assert ended.code == 0
    assert ended.out.startswith("已忘掉")


def _talked(pet: PetCommand, server: ProtocolServer) -> str:
    """A conversation in which the pet has noted something; its id."""
    server.queue(stream(Call("write", {"path": "MEMORY.md", "content": "- Loves Zanzibar\n"})), stream("Noted."))
    assert pet("chat", "--once", "I love Zanzibar", "--memory", "on").code == 0
    (file,) = (pet.workspace / "conversations").glob("*.jsonl")
    return file.stem


def test_a_conversation_is_deleted_and_what_was_learned_there_only_where_that_is_said(
    pet: PetCommand, server: ProtocolServer
) -> None:
    conversation = _talked(pet, server)
    assert pet("forget", "--conversation", "1", "--yes").code == 1  # nobody sees which one that is
    asked = pet("forget", "--conversation", "1")
    assert asked.code == 1
    assert "I love Zanzibar" in asked.out and "come from it: 1" in asked.out
    assert "--yes" in asked.err
    assert list((pet.workspace / "conversations").glob("*.jsonl"))
    done = pet("forget", "--conversation", conversation, "--yes")
    assert (done.code, done.out) == (0, "“I love Zanzibar” is deleted.\n")
    assert not list((pet.workspace / "conversations").glob("*.jsonl"))
    assert pet.read("MEMORY.md") == "- Loves Zanzibar\n"
    again = pet("forget", "--conversation", conversation, "--yes")
    assert again.code == 1


def test_with_what_was_learned_there_nothing_of_it_is_left(pet: PetCommand, server: ProtocolServer) -> None:
    conversation = _talked(pet, server)
    listed = pet("forget", "--conversation", conversation, "--learned", "--json")
    assert (listed.code, listed.json["deleted"], listed.json["report"]) == (1, False, None)
    assert {piece["text"] for piece in listed.json["goes"]} == {"- Loves Zanzibar"}
    done = pet("forget", "--conversation", conversation, "--learned", "--yes", "--json")
    assert (done.code, done.json["deleted"], done.json["report"]["left"]) == (0, True, [])
    held = [path.name for path in Path(pet.home).rglob("*") if path.is_file() and b"Zanzibar" in path.read_bytes()]
    assert held == []


KILLED = """
import os
from pet.memory.store.forgetting import ForgetService
ForgetService.forget = lambda *_: os._exit(9)  # nothing is closed, as if it were killed
from pet.__main__ import main
main()
"""


def test_killed_between_deleting_and_forgetting_the_same_again_finishes_it(
    pet: PetCommand, server: ProtocolServer
) -> None:
    conversation = _talked(pet, server)
    wish = ("forget", "--conversation", conversation, "--learned", "--yes")
    line = [sys.executable, "-c", KILLED, "--home", str(pet.home), *wish]
    killed = subprocess.run(line, env=pet.environment(), capture_output=True, timeout=SECONDS, check=False)
    assert killed.returncode == 9
    assert not list((pet.workspace / "conversations").glob("*.jsonl"))
    assert pet.read("MEMORY.md") == "- Loves Zanzibar\n"
    asked = pet("forget", "--conversation", conversation)
    assert asked.code == 1
    assert "already deleted" in asked.out and "  Loves Zanzibar  (file" in asked.out
    done = pet(*wish, "--json")
    assert (done.code, done.json["deleted"], done.json["report"]["left"]) == (0, True, [])
    held = [path.name for path in Path(pet.home).rglob("*") if path.is_file() and b"Zanzibar" in path.read_bytes()]
    assert held == []
    again = pet(*wish)
    assert again.code == 1
    assert "There is no such conversation" in again.err


def test_a_text_and_a_conversation_can_not_be_named_together(pet: PetCommand) -> None:
    for words in (("tea", "--conversation", "x"), ("tea", "--learned"), ("--learned",)):
        ended = pet("forget", *words, "--yes")
        assert ended.code == 2
        assert "--conversation ID" in ended.err
