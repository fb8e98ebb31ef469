"""Real exports hold more than texts: what of it is kept, what is left out, and what no reader may stumble over."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from pet.extras.imports.card import png_with
from pet.extras.imports.contents import SourceContents
from pet.extras.imports.detect import find
from pet.extras.imports.plan import source_name
from pet.extras.imports.source import open_source
from pet.i18n import Texts
from tests.extras.imports import as_exported, sources
from tests.extras.imports.test_cards import V2, png
from tests.support.files import write_files


def read(path: Path) -> tuple[SourceContents, list[list[tuple[str, str]]]]:
    with open_source(path) as source:
        found = find(source)
        return found, [[(each.who, each.text) for each in talk.messages] for talk in found.talks()]


def branches(path: Path) -> int:
    """Return the number of messages that are left out as they were replaced."""
    with open_source(path) as source:
        return sum(talk.left_out["branches"] for talk in find(source).talks())


def written(file: Path, data: Any) -> Path:
    file.write_text(json.dumps(data), encoding="utf-8")
    return file


def test_chatgpt_gives_voice_pictures_and_marks_as_they_were_shown(tmp_path: Path) -> None:
    found, (talk,) = read(written(tmp_path / "conversations.json", [as_exported.chatgpt_conversation()]))
    assert found.kind == "chatgpt"
    assert talk == [
        ("owner", "Which tea did my aunt like?"),
        ("pet", "Lapsang, you said."),
        ("owner", "Is this the jetty at Kilbride?\n\n[jetty.jpg]"),
        ("pet", "It is, by Kilbride Bay itself and was built in 1911."),
        ("owner", "[chart.pdf]"),
        ("pet", "Here is\n\nthe chart."),
    ]


def test_chatgpt_conversations_may_be_wrapped_or_begin_with_one_that_says_nothing(tmp_path: Path) -> None:
    whole = as_exported.chatgpt_conversation()
    for name, data in (("a", {"conversations": [whole]}), ("b", [{"id": "x", "mapping": None}, {}, whole])):
        (tmp_path / name).mkdir()
        _, talks = read(written(tmp_path / name / "conversations.json", data))
        assert [len(talk) for talk in talks] == [6]


def test_claude_gives_pasted_texts_and_the_names_of_files(tmp_path: Path) -> None:
    whole = [as_exported.empty_claude_conversation(), as_exported.claude_conversation()]
    found, (nothing, talk) = read(sources.claude_zip(tmp_path / "data.zip", whole))
    assert (found.kind, nothing) == ("claude", [])
    assert talk == [
        ("owner", "Whose boat is meant?\n\nDear Ana, the boat is sold."),
        ("pet", "Your aunt's."),
        ("owner", "[lease.pdf]\n[berth.png]"),
    ]


@pytest.mark.parametrize("beside", [True, False])
def test_claude_memories_come_without_conversations(tmp_path: Path, beside: bool) -> None:
    memories = [{"conversations_memory": "Ana sails.", "project_memories": {"p": "A boat."}, "account_uuid": "a"}]
    written(tmp_path / "memories.json", memories)
    if beside:
        written(tmp_path / "conversations.json", [])
    found, talks = read(tmp_path if beside else tmp_path / "memories.json")
    assert (found.kind, found.files, talks) == ("claude", {"MEMORY.md": "Ana sails.\n\nA boat."}, [])


@pytest.mark.parametrize("name", ["SOUL.md", "USER.md"])
def test_a_soul_or_a_profile_alone_is_no_list_of_memories(tmp_path: Path, name: str) -> None:
    text = "# Mine\n\nI like tea.\n"
    write_files(tmp_path / "claw", {name: text})
    with zipfile.ZipFile(tmp_path / "claw.zip", "w") as made:
        made.writestr(f"claw/{name}", text)
    for given in (tmp_path / "claw", tmp_path / "claw.zip", tmp_path / "claw" / name):
        found, talks = read(given)
        assert (found.kind, found.files, talks) == ("workspace", {name: text}, [])


def test_a_chat_whose_first_line_names_nobody_names_no_speaker_either(tmp_path: Path) -> None:
    found, (talk,) = read(as_exported.tavern_chat(tmp_path / "Pim - 2025-10-09@08h53m20s.jsonl"))
    assert found.kind == "sillytavern"
    assert talk == [("pet", "You're late."), ("owner", "The tide was against me."), ("pet", "It always is.")]


@pytest.mark.parametrize("headless", [True, False])
def test_in_a_group_each_reply_names_its_speaker(tmp_path: Path, headless: bool) -> None:
    _, (talk,) = read(as_exported.tavern_group(tmp_path / "1760000000.jsonl", headless=headless))
    assert talk == [
        ("pet", "Pim: Lamp's lit."),
        ("pet", "Gull: Crumbs?"),
        ("owner", "For both."),
        ("pet", "Gull: Mine!"),
    ]


def test_of_several_cards_the_one_who_speaks_is_taken(tmp_path: Path) -> None:
    as_exported.tavern_chat(tmp_path / "chats" / "Pim" / "Pim - 2025.jsonl")
    for name in ("Gull", "Pim"):
        card = {**V2, "data": {**V2["data"], "name": name}}
        (tmp_path / f"{name}.png").write_bytes(png_with(png(), {b"chara": card, b"ccv3": card}))
    found, _ = read(tmp_path)
    assert found.card is not None and found.card.card.name == "Pim"
    assert [(each.name, each.reason) for each in found.skipped] == [("Gull.png", "other_card")]


def test_a_workspace_with_marks_other_line_ends_folders_and_links(tmp_path: Path) -> None:
    root, outside = tmp_path / "claw", tmp_path / "private.md"
    outside.write_text("not yours", encoding="utf-8")
    (root / "memory" / "2026" / "02").mkdir(parents=True)
    files: dict[str, bytes] = {
        "SOUL.md": b"\xef\xbb\xbf# Claw\r\n\r\nBe kind.\r\n",
        "USER.md": "Name: 阿娜\n".encode("utf-16"),
        "memory/2026/02/2026-02-12.md": b"Nested.\n",
        "memory/2026-02-12-vendor-pitch.md": b"Slug.\n",
        "memory/2026-02-13.md": b"x" * ((1 << 20) + 1),
        "memory/2026-02-14.md": b"\xff\xfebroken\x00",
        "memory/people/otto.md": b"A gardener.\n",
        "DREAMS.md": b"Dreams.\n",
    }
    write_files(root, files)
    (root / "MEMORY.md").symlink_to(outside)
    (root / "memory" / "2026-02-15.md").symlink_to(outside)
    found, _ = read(root)
    assert found.files["SOUL.md"] == "# Claw\n\nBe kind.\n"
    assert found.files["USER.md"] == "Name: 阿娜\n"
    assert found.files["memory/2026-02-12.md"] == "Slug.\n\nNested.\n"
    assert found.files["memory/people/otto.md"] == "A gardener.\n"
    assert found.files["memory/DREAMS.md"] == "Dreams.\n"
    assert sorted(set(found.files) - {"memory/people/otto.md", "memory/DREAMS.md"}) == [
        "SOUL.md",
        "USER.md",
        "memory/2026-02-12.md",
    ]
    assert {each.name: each.reason for each in found.skipped} == {
        "MEMORY.md": "link",
        "memory/2026-02-15.md": "link",
        "memory/2026-02-13.md": "too_large",
        "memory/2026-02-14.md": "not_text",
    }


def test_a_workspace_names_everything_that_stays_behind(tmp_path: Path) -> None:
    root = tmp_path / "claw"
    files = {
        "SOUL.md": b"# Claw\n",
        "Memory.md": b"- Likes tea\n",
        "skills/weather/SKILL.md": b"---\nname: weather\ndescription: The forecast\n---\nLook up York.\n",
        "skills/weather/places.md": b"York\n",
        "skills/travel/trains/SKILL.md": b"---\nname: trains\ndescription: Timetables\n---\n",
        "workspace/skills/weather/SKILL.md": b"---\nname: weather\ndescription: Another\n---\n",
        "skills/broken/SKILL.md": b"---\nname: Not A Name\ndescription: x\n---\n",
        "skills/large/SKILL.md": b"---\nname: large\ndescription: x\n---\n" + b"x" * 70_000,
        "skills/no-file/tool.py": b"print()\n",
        "notes/a.md": b"a\n",
        "notes/deep/b.md": b"b\n",
        "todo.txt": b"c\n",
    }
    for each in files:
        (root / each).parent.mkdir(parents=True, exist_ok=True)
    write_files(root, files)
    found, _ = read(root)
    assert found.files == {
        "SOUL.md": "# Claw\n",
        "MEMORY.md": "- Likes tea\n",
        "skills/weather/SKILL.md": files["skills/weather/SKILL.md"].decode(),
        "skills/trains/SKILL.md": files["skills/travel/trains/SKILL.md"].decode(),
    }
    assert {each.name: each.reason for each in found.skipped} == {
        "skills/weather/": "skill_files",
        "workspace/skills/weather/": "same_name",
        "skills/broken/": "skill",
        "skills/large/": "too_large",
        "skills/no-file/": "skill",
        "notes/": "other",
        "todo.txt": "other",
    }


def test_of_files_with_the_same_name_in_other_letters_one_is_taken_and_the_others_are_named(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "claw.zip", "w") as made:
        for name in ("soul.md", "SOUL.md", "Soul.md", "workspace/SOUL.md", "user.md", "agents.md", "AGENTS.md"):
            made.writestr(name, f"This is {name}.\n")
    found, _ = read(tmp_path / "claw.zip")
    assert found.files == {"SOUL.md": "This is SOUL.md.\n", "USER.md": "This is user.md.\n"}
    assert {each.name: each.reason for each in found.skipped} == {
        "Soul.md": "same_name",
        "soul.md": "same_name",
        "workspace/SOUL.md": "same_name",
        "AGENTS.md": "instructions",
        "agents.md": "instructions",
    }


def test_a_zip_made_on_a_mac_is_read_like_any_other(tmp_path: Path) -> None:
    sources.openclaw_workspace(tmp_path / "claw")
    with zipfile.ZipFile(tmp_path / "claw.zip", "w") as made:
        for file in sorted((tmp_path / "claw").rglob("*.md")):
            name = file.relative_to(tmp_path).as_posix()
            made.write(file, name)
            made.writestr(f"__MACOSX/{name.replace('/', '/._', 1)}", b"\x00\x05\x16\x07")
    found, _ = read(tmp_path / "claw.zip")
    assert found.files["SOUL.md"].startswith("# Claw")


def test_chatgpt_keeps_what_was_written_in_a_canvas(tmp_path: Path) -> None:
    found, (talk,) = read(written(tmp_path / "conversations.json", [as_exported.canvas_conversation()]))
    assert talk == [
        ("owner", "Write me a note to the harbour."),
        ("pet", "Harbour note\n\nDear harbour,\n\nthe boat is sold."),
        ("pet", "It is beside our talk."),
        ("owner", "Shorter."),
        ("pet", "The boat is sold."),
        ("pet", "Say who buys it."),
    ]
    assert found.skipped == []


@pytest.mark.parametrize("leaf", [True, False])
def test_claude_gives_the_branch_in_use_and_says_what_it_leaves_out(tmp_path: Path, leaf: bool) -> None:
    whole = as_exported.edited_claude_conversation(leaf=leaf)
    _, (talk,) = read(written(tmp_path / "conversations.json", [whole]))
    assert talk == [("owner", "I live in Oslo"), ("pet", "Oslo!"), ("owner", "And my cat?"), ("pet", "With you.")]
    assert branches(tmp_path / "conversations.json") == 2


def test_a_reply_with_an_unusual_time_is_not_cut_off(tmp_path: Path) -> None:
    whole = as_exported.edited_claude_conversation(leaf=False)
    for message in whole["chat_messages"]:
        if message["uuid"] == "a2":
            message["created_at"] = ""
    _, (talk,) = read(written(tmp_path / "conversations.json", [whole]))
    assert talk[-2:] == [("owner", "And my cat?"), ("pet", "With you.")]


def test_claude_may_go_back_to_the_earlier_branch(tmp_path: Path) -> None:
    whole = {**as_exported.edited_claude_conversation(leaf=True), "current_leaf_message_uuid": "a1-first"}
    _, (talk,) = read(written(tmp_path / "conversations.json", [whole]))
    assert talk == [("owner", "I live in Rome"), ("pet", "Rome!")]


@pytest.mark.parametrize("fragments", [True, False])
def test_deepseek_gives_questions_and_replies_of_the_newest_branch(tmp_path: Path, fragments: bool) -> None:
    whole = as_exported.deepseek_conversation(fragments=fragments)
    found, (talk,) = read(written(tmp_path / "conversations.json", [whole]))
    assert found.kind == "deepseek"
    assert talk == [("owner", "I keep bees"), ("pet", "How many?"), ("owner", "Three hives"), ("pet", "Noted.")]
    assert branches(tmp_path / "conversations.json") == 1


@pytest.mark.parametrize("zipped", [True, False])
def test_grok_gives_its_conversations(tmp_path: Path, zipped: bool) -> None:
    data, path = as_exported.grok_export(), "ttl/30d/export_data/6900/prod-grok-backend.json"
    file = tmp_path / ("grok.zip" if zipped else "prod-grok-backend.json")
    if zipped:
        with zipfile.ZipFile(file, "w") as made:
            made.writestr(path, json.dumps(data))
            made.writestr("ttl/30d/export_data/6900/prod-mc-auth-mgmt-api.json", "{}")
    else:
        written(file, data)
    found, talks = read(file)
    assert found.kind == "grok"
    assert talks == [[("owner", "I sail"), ("pet", "Where to?"), ("owner", "Kilbride")], [("owner", "Hi")]]
    with open_source(file) as source:
        assert [talk.at[:10] for talk in find(source).talks()] == ["2025-10-09", "2025-10-09"]


@pytest.mark.parametrize("history", [True, False])
def test_open_webui_gives_the_branch_in_use_without_thoughts(tmp_path: Path, history: bool) -> None:
    whole = as_exported.open_webui_chat(history=history)
    found, (talk,) = read(written(tmp_path / "chat-export-1760000000000.json", [whole]))
    assert found.kind == "open_webui"
    assert talk == [("owner", "I play the cello\n\n[score.pdf]"), ("pet", "Since when?")]
    assert branches(tmp_path / "chat-export-1760000000000.json") == int(history)


def test_exports_are_named_by_their_service() -> None:
    names = [source_name(kind, Texts("en")) for kind in ("deepseek", "grok", "open_webui")]
    assert names == ["DeepSeek", "Grok", "Open WebUI"]


def test_claude_keeps_what_was_written_in_an_artifact(tmp_path: Path) -> None:
    made = {"command": "create", "title": "Harbour note", "type": "text/markdown", "content": "Dear harbour,"}
    changed = {"command": "update", "old_str": "Dear", "new_str": "Dearest"}
    tagged = (
        '<antThinking>Worth one.</antThinking>Here: <antArtifact title="Map" type="text/plain">North</antArtifact>'
    )
    contents = [
        [{"type": "tool_use", "name": "artifacts", "input": made}, {"type": "tool_result", "name": "artifacts"}],
        [{"type": "tool_use", "name": "artifacts", "input": changed}],
        [{"type": "text", "text": tagged}],
    ]
    messages = [{"sender": "assistant", "content": content} for content in contents]
    whole = {"uuid": "a", "name": "", "chat_messages": messages}
    _, (talk,) = read(written(tmp_path / "conversations.json", [whole]))
    assert talk == [
        ("pet", "Harbour note\n\nDear harbour,"),
        ("pet", "Dearest"),
        ("pet", "Here: Map\n\nNorth"),
    ]


def test_grok_gives_replies_by_a_models_name_and_questions_that_are_a_query(tmp_path: Path) -> None:
    whole = as_exported.grok_export()
    sails = [each["response"] for each in whole["conversations"][0]["responses"]]
    sails[0] |= {"message": "", "query": "I sail"}
    sails[1] |= {"sender": "grok-3", "message": 'Where to?<xaiArtifact title="Chart">Bay</xaiArtifact>'}
    _, talks = read(written(tmp_path / "prod-grok-backend.json", whole))
    assert talks[0] == [("owner", "I sail"), ("pet", "Where to?Chart\n\nBay"), ("owner", "Kilbride")]


def test_open_webui_gives_messages_in_parts(tmp_path: Path) -> None:
    whole = as_exported.open_webui_chat(history=False)
    parts = [{"type": "text", "text": "I play"}, {"type": "image_url", "image_url": {"url": "data:"}}]
    whole["chat"]["messages"][0]["content"] = parts
    _, (talk,) = read(written(tmp_path / "chat-export-1760000000000.json", [whole]))
    assert talk[0] == ("owner", "I play\n\n[score.pdf]")


def test_deepseek_gives_a_canned_reply(tmp_path: Path) -> None:
    whole = as_exported.deepseek_conversation(fragments=True)
    whole["mapping"]["3"]["message"]["fragments"] = [{"type": "TEMPLATE_RESPONSE", "content": "I can't say."}]
    _, (talk,) = read(written(tmp_path / "conversations.json", [whole]))
    assert talk[1] == ("pet", "I can't say.")


def test_chatgpt_fences_code_of_a_canvas_and_unwraps_a_text_for_elsewhere(tmp_path: Path) -> None:
    whole = as_exported.canvas_conversation()
    code = {"name": "Tides", "type": "code/python", "content": "print(1)"}
    whole["mapping"]["n1"]["message"]["content"]["text"] = json.dumps(code)
    mail = ':::writing{variant="email" subject="Boat"}\nDear harbour,\n:::\nShall I send it?'
    whole["mapping"]["n3"]["message"]["content"]["parts"] = [mail]
    _, (talk,) = read(written(tmp_path / "conversations.json", [whole]))
    assert talk[1] == ("pet", "Tides\n\n```python\nprint(1)\n```")
    assert talk[2] == ("pet", "Dear harbour,\nShall I send it?")


def test_chatgpt_without_a_current_node_gives_the_newest_branch_to_its_end(tmp_path: Path) -> None:
    whole = as_exported.chatgpt_conversation()
    whole["current_node"] = None
    whole["mapping"]["a3"]["message"]["create_time"] = None
    _, (talk,) = read(written(tmp_path / "conversations.json", [whole]))
    assert talk[-1] == ("pet", "Here is\n\nthe chart.")


def test_qwen_chat_gives_the_answers_of_its_replies(tmp_path: Path) -> None:
    whole = as_exported.open_webui_chat(history=True)
    phases = [{"phase": "think", "content": "hm"}, {"phase": "answer", "content": "Since when?"}]
    whole["chat"]["history"]["messages"]["2"] |= {"content": "", "content_list": phases}
    file = written(tmp_path / "chat-export-1.json", {"success": True, "data": [whole]})
    _, (talk,) = read(file)
    assert talk == [("owner", "I play the cello\n\n[score.pdf]"), ("pet", "Since when?")]


def test_claw0s_daily_lines_become_entries_of_their_day(tmp_path: Path) -> None:
    def line(text: str, clock: str, category: str = "general") -> str:
        return json.dumps({"ts": f"2026-02-01T{clock}.123456+00:00", "category": category, "content": text}) + "\n"

    lines = line("Ana sails.", "08:53:20", "fact") + "{cut off\n" + line("# Tea\nfor two", "09:00:00")
    files = {
        "SOUL.md": "# Claw\n",
        "memory/daily/2026-02-01.jsonl": lines,
        "memory/daily/2026-02-31.jsonl": line("Never.", "10:00:00"),
        "memory/2026-02-01.md": "Rain.\n",
    }
    for each in files:
        (tmp_path / "claw" / each).parent.mkdir(parents=True, exist_ok=True)
    write_files(tmp_path / "claw", files)
    found, _ = read(tmp_path / "claw")
    entries = "## [08:53:20] fact\n\nAna sails.\n\n## [09:00:00] general\n\n\\# Tea\nfor two\n"
    assert found.files["memory/2026-02-01.md"] == f"Rain.\n\n{entries}"
    assert [(each.name, each.reason) for each in found.skipped] == [("memory/daily/2026-02-31.jsonl", "name")]
    assert found.left_out["other"] == 1
