"""What each reader finds in another program's export, within bounds."""

from __future__ import annotations

import importlib
import io
import json
import tracemalloc
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pet.errors import ImportRefused
from pet.extras.imports import detect
from pet.extras.imports.contents import from_seconds, from_text
from pet.extras.imports.detect import TOO_LARGE, find, read_objects
from pet.extras.imports.markdown_files import read_memory_list
from pet.extras.imports.source import open_source
from tests.extras.imports import sources


def test_chatgpt_gives_the_branch_that_is_shown(tmp_path: Path) -> None:
    file = sources.chatgpt_zip(tmp_path / "export.zip", [sources.chatgpt_conversation(1)])
    with open_source(file) as source:
        found = find(source)
        (talk,) = found.talks()
    assert (found.kind, talk.title, talk.at) == ("chatgpt", "Cake 1", "2023-11-15T01:00:00+00:00")
    messages = list(talk.messages)
    assert [message.who for message in messages] == ["owner", "pet", "owner", "pet"]
    assert messages[1].text == "assistant 1-1: the walnut cake"


def test_a_chatgpt_tree_that_turns_in_a_circle_ends(tmp_path: Path) -> None:
    conversation = sources.chatgpt_conversation(1)
    conversation["mapping"]["root"]["parent"] = "m3"
    with open_source(sources.chatgpt_zip(tmp_path / "export.zip", [conversation])) as source:
        (talk,) = find(source).talks()
    assert len(list(talk.messages)) == 4


def test_claude_gives_texts_without_thinking_and_its_memory(tmp_path: Path) -> None:
    file = sources.claude_zip(tmp_path / "export.zip", [sources.claude_conversation(1)], "Ana gardens.")
    with open_source(file) as source:
        found = find(source)
        (talk,) = found.talks()
    assert [message.text for message in talk.messages] == [
        "When do I plant tulips?",
        "In autumn, before the first frost.",
    ]
    assert found.files == {"MEMORY.md": "Ana gardens."}


def test_an_unpacked_export_and_the_file_alone_are_read_as_well(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    whole = tmp_path / "data" / "conversations.json"
    whole.write_text(json.dumps([sources.claude_conversation(1)]), encoding="utf-8")
    for place in (tmp_path / "data", whole):
        with open_source(place) as source:
            assert len(list(find(source).talks())) == 1


def test_sillytavern_gives_the_chat_without_the_programs_own_notes(tmp_path: Path) -> None:
    with open_source(sources.tavern_chat(tmp_path / "Momo - 2024.jsonl")) as source:
        found = find(source)
        (messages,) = [list(talk.messages) for talk in found.talks()]
    assert found.kind == "sillytavern"
    assert [(message.who, message.text) for message in messages] == [
        ("pet", "*yawns*"),
        ("owner", "Hi Momo"),
        ("pet", "Hello, Ana."),
    ]
    assert messages[2].at == "2024-01-02T02:06:00+00:00"


def test_openclaw_gives_files_and_days_and_leaves_orders_out(tmp_path: Path) -> None:
    home = tmp_path / "openclaw"
    sources.openclaw_workspace(home / "workspace")
    for place in (home, home / "workspace"):
        with open_source(place) as source:
            found = find(source)
            assert "AGENTS.md" in find(source, instructions=True).files
        core = ["IDENTITY.md", "MEMORY.md", "SOUL.md", "USER.md"]
        notes = ["memory/2026-02-12.md", "memory/2026-02-31.md", "memory/ideas.md"]
        assert sorted(found.files) == [*core, *notes]
        assert "Cello on Thursdays." in found.files["memory/2026-02-12.md"]
        reasons = {skipped.name.rpartition("/")[2]: skipped.reason for skipped in found.skipped}
        assert reasons == {
            "AGENTS.md": "instructions",
        }


def test_hermes_gives_its_entries_as_bullets(tmp_path: Path) -> None:
    with open_source(sources.hermes_home(tmp_path / "hermes")) as source:
        found = find(source)
    assert found.files["MEMORY.md"] == "- Uses pnpm\n- Runs Debian\n  with two disks\n"
    assert found.files["USER.md"] == "Name: Ana"
    assert "SOUL.md" in found.files


def test_a_memory_list_is_bullets_with_days() -> None:
    text = (
        "```\n## Work\n[2024-05-01] - Works as a luthier\n[unknown] - Has a cat\n1. Likes tea\n"
        "\n• Likes tea\n喜欢红茶\n```\n"
    )
    assert read_memory_list(text) == (
        "## Work\n\n- Works as a luthier (2024-05-01)\n- Has a cat\n- Likes tea\n- 喜欢红茶"
    )


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (float("nan"), ""),
        (10**30, ""),
        (1_700_000_000_000, "2023-11-14T22:13:20+00:00"),
        (True, ""),
        (None, ""),
    ],
)
def test_times_that_are_none_are_empty(value: object, read: str) -> None:
    assert from_seconds(value) == read
    assert from_text("99999-99-99") == from_text("") == ""


def test_english_months_are_read_also_where_the_system_speaks_another_language(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = importlib.import_module("_strptime")  # what a window that follows the system's language changes
    spanish = words.LocaleTime()
    spanish.f_month = ["", *(f"mes {number}" for number in range(1, 13))]
    monkeypatch.setattr(words, "_TimeRE_cache", words.TimeRE(spanish))
    for said, at in (("3:05am", 3), ("3:05 PM", 15), ("12:05am", 0), ("12:05pm", 12)):
        expected = datetime(2024, 2, 29, at, 5).astimezone().astimezone(UTC).isoformat()
        assert from_text(f"February 29, 2024 {said}") == expected
    assert from_text("Ene 29, 2024 3:05am") == from_text("February 30, 2024 3:05am") == ""


def test_a_file_of_another_kind_and_a_cut_one_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"a": 1}', encoding="utf-8")
    cut = json.dumps([sources.claude_conversation(n) for n in range(3)])[:-40]
    (tmp_path / "b.json").write_text(cut, encoding="utf-8")
    deep = '[{"mapping":' + '{"a":' * 5000 + "}" * 5000 + "}]"
    (tmp_path / "c.json").write_text(deep, encoding="utf-8")
    for name, problem in (("a.json", "unknown"), ("b.json", "broken_json"), ("c.json", "broken_json")):
        with open_source(tmp_path / name) as source, pytest.raises(ImportRefused) as refused:
            list(find(source).talks())
        assert refused.value.problem == problem


def test_objects_come_one_by_one_whatever_their_texts_hold() -> None:
    items = [{"a": '[{"\\'}, {"b": ["}", {"c": '\\"'}]}, {"d": "x" * 3_000_000}]
    data = b"\xef\xbb\xbf " + json.dumps(items).encode()
    assert list(read_objects(io.BytesIO(data))) == items
    assert list(read_objects(io.BytesIO(json.dumps(items[1]).encode()))) == [items[1]]


def test_conversations_of_one_large_object_come_one_by_one() -> None:
    """A Grok account of some years is one object of more than the limit of an object."""
    items = [{"a": "x" * 600_000}, {"b": ["y" * 600_000]}, {"c": "data"}]
    for key in ("conversations", "data"):
        whole = {"version": "data", "about": {"data": 1}, key: items, "projects": [{"p": 1}], "tasks": []}
        stream = io.BytesIO(json.dumps(whole).encode())
        assert list(read_objects(stream, limit=1_000_000)) == [*items, {"p": 1}]
    single = {"mapping": {"data": [1]}, "x": [{"a": 1}]}
    assert list(read_objects(io.BytesIO(json.dumps(single).encode()))) == [single]
    with pytest.raises(ValueError, match="cut off"):
        list(read_objects(io.BytesIO(b'{"conversations": [{"a": 1}, {"b": 2}')))


def test_an_object_that_is_too_large_is_passed_over() -> None:
    items = [{"a": 1}, {"b": ["x" * 1000] * 5000}, {"c": 3}]
    found = list(read_objects(io.BytesIO(json.dumps(items).encode()), limit=2_000_000))
    assert found == [{"a": 1}, TOO_LARGE, {"c": 3}]


def test_object_of_too_many_brackets_is_passed_over() -> None:
    items = [{"a": [[]] * 8}, {"b": [[]] * 9}, {"c": [{}] * 8}]
    found = list(read_objects(io.BytesIO(json.dumps(items).encode()), most=10))
    assert found == [items[0], TOO_LARGE, items[2]]


def test_object_of_too_many_texts_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """64 MB of short texts took 1 GB. Commas within texts don't count."""
    monkeypatch.setattr(detect, "MAX_SCALARS", 10)
    items = [{"a": ["x"] * 9}, {"b": ["x"] * 12}, {"c": 'x, "' * 90}]
    assert list(read_objects(io.BytesIO(json.dumps(items).encode()))) == [items[0], TOO_LARGE, items[2]]


def test_a_citation_without_an_end_is_read_soon(tmp_path: Path) -> None:
    """A text of 150 KB took longer than anybody waits."""
    conversation = json.dumps(sources.chatgpt_conversation(1)).replace(
        "the walnut cake", "\u3010" + "\u2020" * 400_000
    )
    (tmp_path / "conversations.json").write_text(f"[{conversation}]", encoding="utf-8")
    with open_source(tmp_path / "conversations.json") as source:
        (talk,) = find(source).talks()
        assert len(list(talk.messages)) == 4


def test_a_hundred_thousand_messages_are_read_in_bounded_memory(tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    conversations = [json.dumps(sources.chatgpt_conversation(number, messages=1000)) for number in range(5)]
    few, many = conversations, conversations * 20
    file.write_text(f"[{','.join(few)}]", encoding="utf-8")
    with open_source(file) as source:
        tracemalloc.start()
        total = sum(len(list(talk.messages)) for talk in find(source).talks())
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert (total, peak < 16 << 20) == (5000, True)
    file.write_text(f"[{','.join(many)}]", encoding="utf-8")
    with open_source(file) as source:
        assert sum(len(list(talk.messages)) for talk in find(source).talks()) == 100_000


@pytest.mark.parametrize("name", ["soul.md", "User.MD", "AGENTS.md"])
def test_a_file_of_a_workspace_is_no_list_of_memories_however_it_is_written(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("# Me\n\nBe brief.\n", encoding="utf-8")
    with open_source(tmp_path / name) as source:
        taken: dict[str, str] = {}
        with suppress(ImportRefused):
            taken = find(source).files
        assert "MEMORY.md" not in taken


def test_a_list_keeps_what_stands_under_several_headings_and_below_several_lines() -> None:
    listed = "## Anna\n- likes tea\n- likes tea\n## Bob\n- likes tea\n- Trip\n  - Rome\n- Food\n- Trip\n  - Paris\n"
    assert read_memory_list(listed) == (
        "## Anna\n\n- likes tea\n\n## Bob\n\n- likes tea\n- Trip\n  - Rome\n- Food\n- Trip\n  - Paris"
    )
    assert read_memory_list("- Trip\n\t- Rome\n- Trip\n\t- Paris\n") == "- Trip\n  - Rome\n- Trip\n  - Paris"


def test_a_dash_within_a_memory_is_no_list_mark() -> None:
    assert read_memory_list("Likes tea - green, not black\n- Born 3. May") == (
        "- Likes tea - green, not black\n- Born 3. May"
    )
