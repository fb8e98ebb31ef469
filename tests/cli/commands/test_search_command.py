"""``pet search``: the owner's search, without key, server or network."""

from __future__ import annotations

import pytest

from pet.bridge.commands.terminal import HitView, SearchReply
from pet.cli.arguments import read_arguments
from pet.cli.commands.search import print_results
from pet.i18n import Texts
from pet.memory.search.recall_selection import Hit, is_sure, source_of
from pet.serde import vars_of
from tests.cli.conftest import PetCommand
from tests.support.servers.protocol_replies import stream
from tests.support.servers.protocol_server import ProtocolServer

LOG = (
    "# Memory Log: 2026-11-17\n\n## [09:12:00] person\n小红下周三过生日，她想要一盆绿萝。\n\n"
    "## [21:40:10] fact\nThe bicycle is in the repair shop.\n"
)

REMINDED = ("交房租", "给奶奶打电话", "浇花", "买牛奶")


def test_what_was_noted_is_found_in_both_languages_to_the_line(pet: PetCommand) -> None:
    pet.write("MEMORY.md", "- We promised to plant tomatoes in spring.\n- 主人的猫叫豆豆。\n")
    pet.write("memory/2026-11-17.md", LOG)
    first = pet("search", "豆豆", "--json").json["results"][0]
    assert (first["path"], first["start_line"], first["source"]) == ("MEMORY.md", 2, "memory")
    shown = pet("search", "repairing bicycles", "-k", "1")
    assert shown.code == 0
    assert shown.out.startswith("memory/2026-11-17.md:")
    assert "repair shop" in shown.out
    assert "    主人的猫叫豆豆。\n" in pet("search", "豆豆").out


def test_what_the_owner_said_has_no_label(pet: PetCommand) -> None:
    pet.write("MEMORY.md", "- Owner: I knit mittens. (2026-11-17)\n- 主人：我种西红柿。\n")
    assert "    I knit mittens. (2026-11-17)\n" in pet("search", "mittens").out
    assert "    我种西红柿。\n" in pet("search", "西红柿").out


def test_a_note_is_shown_with_its_heading(pet: PetCommand) -> None:
    pet.write("MEMORY.md", "# Long-term\n\n## Contacts\n\n- Alice leads design\n")
    first, second = pet("search", "Alice", "-k", "1").out.splitlines()
    assert first.startswith("MEMORY.md:5-5") and first.endswith("Long-term / Contacts")
    assert second == "    Alice leads design"


def test_a_note_is_shown_without_markdown(pet: PetCommand) -> None:
    pet.write("MEMORY.md", "- **Rosinante** is the `blue` [bicycle](https://bikes.example).\n")
    assert "    Rosinante is the blue bicycle.\n" in pet("search", "rosinante").out


def test_a_reminder_without_the_word_is_no_sure_hit(pet: PetCommand) -> None:
    days = [f"## [09:0{at}:00] todo @2099-12-0{at + 1}\n\n主人：{what}。\n" for at, what in enumerate(REMINDED)]
    pet.write("memory/2026-11-20.md", "# Memory Log: 2026-11-20\n\n" + "\n".join(days))
    shown = pet("search", "花生").out
    assert shown == "" or shown.startswith("Perhaps:\n")
    assert pet("search", "牛奶").out.splitlines()[1] == "    买牛奶。"


def test_what_was_said_while_on_is_found_and_nothing_else(pet: PetCommand, server: ProtocolServer) -> None:
    server.queue(stream("Rosinante is a noble name."), stream("What a secret."))
    assert pet("chat", "--once", "My bicycle is called Rosinante", "--memory", "on").code == 0
    assert pet("chat", "--once", "My other bicycle is called Quenelle", "--memory", "off").code == 0
    results = pet("search", "how is my bicycle called", "--json").json["results"]
    assert [each["source"] for each in results] == ["conversation"] * len(results)
    assert any("Rosinante" in each["snippet"] for each in results)
    assert not any("Quenelle" in each["snippet"] for each in results)


def test_nothing_found_is_said_and_exits_1(pet: PetCommand) -> None:
    ended = pet("search", "zeppelin")
    assert (ended.code, ended.out) == (1, "")
    assert "Nothing" in ended.err


@pytest.mark.parametrize("query", ['"', "NEAR(", "* OR -", "a" * 10_000, "memory:豆"])
def test_no_query_is_a_mistake_of_the_index(pet: PetCommand, query: str) -> None:
    pet.write("MEMORY.md", "- one line\n")
    assert pet("search", query).code in (0, 1)


@pytest.mark.parametrize("count", ["0", "x", "1000", "-1", "٣"])
def test_a_wrong_count_is_wrong_usage(pet: PetCommand, count: str) -> None:
    assert pet("search", "x", "-k", count).code == 2


def test_the_index_may_be_deleted_at_any_time(pet: PetCommand) -> None:
    pet.write("MEMORY.md", "- 主人的猫叫豆豆。\n")
    before = pet("search", "豆豆", "--json").json
    files = list((pet.home / "cache").rglob("*.sqlite"))
    assert files
    for file in files:
        file.unlink()
    assert pet("search", "豆豆", "--json").json == before


@pytest.mark.parametrize(
    ("hits", "shown", "code"),
    [
        ([("MEMORY.md", 0.9), ("USER.md", 0.02), ("memory/2026-01-01.md", 0.001), ("conversations/c.jsonl", 0.8)],
         ["MEMORY.md:1-1  0.90", "conversations/c.jsonl:1-1  0.80", "Perhaps:", "USER.md:1-1  0.02"], 0),
        ([("MEMORY.md", 0.014), ("USER.md", 0.001)], [], 1),
    ],
)  # fmt: skip
def test_perhaps_is_not_said_of_noise(
    capsys: pytest.CaptureFixture[str], hits: list[tuple[str, float]], shown: list[str], code: int
) -> None:
    found = [
        Hit(path=path, start_line=1, end_line=1, score=score, snippet="a note", source=source_of(path))
        for path, score in hits
    ]
    printed = [HitView(**vars_of(hit), sure=is_sure(hit, "zeppelin")) for hit in found]
    given = read_arguments(["search", "zeppelin"])
    assert print_results(given, Texts("en"), "luna", SearchReply(hits=printed, embedder=None), 0) == code
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if not line.startswith("    ")] == shown
