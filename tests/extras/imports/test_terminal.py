"""``pet import`` and ``pet export --all``: a preview of every change, nothing written over, and back again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pet.extras.imports.card import png_with, read_card
from tests.cli.conftest import PetCommand
from tests.cli.test_chat import Console
from tests.extras.imports import sources
from tests.extras.imports.test_cards import V2, png
from tests.support.files import write_files


def test_a_workspace_fills_templates_and_is_added_to_what_is_there(pet: PetCommand, tmp_path: Path) -> None:
    sources.openclaw_workspace(tmp_path / "claw")
    assert pet("history", "SOUL.md").code == 0
    pet.write("MEMORY.md", "- Mine\n- Ana plays the cello\n")
    before = {name: pet.read(name) for name in ("SOUL.md", "USER.md", "MEMORY.md")}
    shown = pet("import", str(tmp_path / "claw"))
    assert shown.code == 1
    assert "+ Be genuinely helpful." in shown.out
    assert "AGENTS.md" in shown.out
    assert before == {name: pet.read(name) for name in before}
    assert pet("import", str(tmp_path / "claw"), "--yes").code == 0
    assert pet.read("SOUL.md") == "# Claw\n\nBe genuinely helpful.\n"
    assert pet.read("MEMORY.md") == before["MEMORY.md"]
    assert not (pet.workspace / "AGENTS.md").exists()
    assert "Cello on Thursdays." in pet.read("memory/2026-02-12.md")
    undone = pet("import", "--undo", "--yes")
    assert undone.code == 0, undone.err
    assert before == {name: pet.read(name) for name in before}
    assert not (pet.workspace / "memory" / "2026-02-12.md").exists()


def test_a_soul_of_its_own_stays_and_an_undo_goes_around_later_changes(pet: PetCommand, tmp_path: Path) -> None:
    sources.hermes_home(tmp_path / "hermes")
    pet.write("SOUL.md", "# Mine\n")
    pet.write("MEMORY.md", "- Mine\n")
    done = pet("import", str(tmp_path / "hermes"), "--yes")
    assert done.code == 0, done.err
    assert "--new" in done.out
    assert pet.read("SOUL.md") == "# Mine\n"
    taken = pet.read("MEMORY.md")
    assert taken.startswith("- Mine\n\n## From ")
    assert "- Uses pnpm\n" in taken
    pet.write("MEMORY.md", "- First\n" + taken)
    assert pet("import", "--undo", "--yes").code == 0
    assert pet.read("MEMORY.md").rstrip() == "- First\n- Mine"
    assert "no import" in pet("import", "--undo", "--yes").err


def test_conversations_count_as_said_with_memory_on_only_if_the_owner_says_so(
    pet: PetCommand, tmp_path: Path
) -> None:
    file = sources.chatgpt_zip(tmp_path / "a.zip", [sources.chatgpt_conversation(n) for n in range(3)])
    preview = pet("import", str(file), "--json")
    assert (preview.code, preview.json["conversations"], preview.json["messages"]) == (0, 3, 12)
    assert preview.json["done"] is False
    assert preview.json["left_out"] == {"branches": 3, "tools": 3}
    assert "Not imported: earlier versions of messages (3)\n" in pet("import", str(file)).out
    assert not (pet.workspace / "conversations").exists()
    assert pet("import", str(file), "--yes").code == 0
    assert pet("search", "walnut cake").code == 1
    again = pet("import", str(file), "--yes", "--json")
    assert (again.json["conversations"], again.json["there_already"]) == (0, 3)
    assert pet("import", "--undo", "--yes").code == 0
    assert not list((pet.workspace / "conversations").glob("*.jsonl"))
    assert pet("import", str(file), "--yes", "--memory", "on").code == 0
    found = pet("search", "walnut cake", "--json")
    assert found.json["results"][0]["source"] == "conversation"


def test_an_imported_conversation_reads_like_one_of_its_own(pet: PetCommand, tmp_path: Path) -> None:
    (tmp_path / "chats").mkdir()
    sources.tavern_chat(tmp_path / "chats" / "Momo - 2024.jsonl")
    (tmp_path / "chats" / "momo.png").write_bytes(png_with(png(), {b"chara": V2}))
    done = pet("import", str(tmp_path / "chats"), "--new", "Momo", "--yes", "--json")
    assert (done.code, done.json["pet"]) == (0, "momo"), done.err
    root = pet.home / "data" / "pets" / "momo"
    assert (root / "SOUL.md").read_text(encoding="utf-8").startswith("# Momo\n")
    (transcript,) = (root / "conversations").glob("*.jsonl")
    told = pet("--pet", "momo", "export", "--conversation", transcript.stem, "--format", "json", "-")
    (turn,) = told.json["turns"]
    assert (turn["owner"], turn["pet"], turn["memory"]) == ("Hi Momo", "Hello, Ana.", False)
    assert told.json["opening"] == "*yawns*"
    only = pet("--pet", "momo", "import", "--undo", "--yes")
    assert (only.code, root.exists()) == (1, True)
    assert pet("pets", "create", "Other").code == 0
    assert pet("--pet", "momo", "import", "--undo", "--yes").code == 0
    assert not root.exists()


def test_a_new_pet_has_the_name_that_its_workspace_says(pet: PetCommand, tmp_path: Path) -> None:
    sources.openclaw_workspace(tmp_path / "claw-main")
    done = pet("import", "--new", str(tmp_path / "claw-main"), "--yes", "--json")
    assert (done.code, done.json["pet"]) == (0, "claw"), done.err
    (only,) = pet("pets", "list", "--json").json["pets"]
    assert only["name"] == "Claw"
    sources.hermes_home(tmp_path / "hermes")
    assert pet("import", str(tmp_path / "hermes"), "--new", "--yes", "--json").json["pet"] == "hermes"


def test_a_character_that_is_taken_back_is_not_given_away(pet: PetCommand, tmp_path: Path) -> None:
    (tmp_path / "chats").mkdir()
    sources.tavern_chat(tmp_path / "chats" / "Momo - 2024.jsonl")
    (tmp_path / "chats" / "momo.png").write_bytes(png_with(png(), {b"chara": V2}))
    assert pet("import", str(tmp_path / "chats"), "--yes").code == 0
    card = pet("export", "--card", str(tmp_path / "momo.card"))
    assert (card.code, (tmp_path / "momo.card").read_bytes()) == (0, (tmp_path / "chats" / "momo.png").read_bytes())
    undone = pet("import", "--undo", "--yes")
    assert undone.code == 0, undone.err
    assert not list(pet.workspace.glob("card.*"))
    assert pet("export", "--card", str(tmp_path / "own.card")).code == 0
    assert read_card((tmp_path / "own.card").read_bytes()).card.name != "Momo"


@pytest.mark.parametrize("text", ["[]", '[{"header": "Gemini Apps", "title": "Prompted"}]', '{"entries": {}}'])
def test_an_export_of_another_kind_is_no_card_without_a_name(pet: PetCommand, tmp_path: Path, text: str) -> None:
    (tmp_path / "MyActivity.json").write_text(text)
    refused = pet("import", str(tmp_path / "MyActivity.json"))
    assert refused.code == 1 and "MyActivity.json holds nothing that can be imported" in refused.err


def test_a_file_of_another_kind_is_no_damaged_card(pet: PetCommand, tmp_path: Path) -> None:
    (tmp_path / "notes.py").write_text("print()\n")
    refused = pet("import", str(tmp_path / "notes.py"))
    assert refused.code == 1 and "holds nothing that can be imported" in refused.err


def test_a_memory_list_can_be_piped_in(pet: PetCommand) -> None:
    done = pet("import", "-", "--yes", typed="[2024-05-01] - Works as a luthier\nLikes tea\n")
    assert done.code == 0, done.err
    assert pet.read("MEMORY.md") == "- Works as a luthier (2024-05-01)\n- Likes tea\n"


def test_an_empty_list_piped_in_holds_nothing(pet: PetCommand) -> None:
    assert "nothing new" in pet("import", "-", "--yes", typed="").out


def test_a_whole_pet_goes_out_and_comes_in(pet: PetCommand, tmp_path: Path) -> None:
    assert pet("chat", "--once", "Hello").code == 0
    (pet.workspace / "HEARTBEAT.md").write_text("- Ask after the ferns.\n")
    (pet.workspace / "pet.toml").write_text("memory = true\n")
    file = tmp_path / "whole.zip"
    assert pet("export", "--all", str(file)).code == 0
    assert pet("export", "--all", str(file)).code == 1
    shown = pet("import", str(file))
    assert shown.code == 1
    assert "turn memory on in new conversations" in shown.out and "  - Ask after the ferns." in shown.out
    assert pet("import", str(file), "--into", "pet", "--yes").code == 1
    done = pet("import", str(file), "--yes", "--json")
    assert done.code == 0, done.err
    made = pet.home / "data" / "pets" / done.json["pet"]

    def tree(root: Path) -> dict[str, bytes]:
        return {each.relative_to(root).as_posix(): each.read_bytes() for each in root.rglob("*") if each.is_file()}

    asked = {"pet.toml": b'memory = true\ninstructions = "ask"\n'}  # for HEARTBEAT.md
    assert tree(made) == tree(pet.workspace) | asked
    assert pet("--pet", made.name, "import", "--undo", "--yes").code == 0
    assert not made.exists()


def test_on_a_terminal_only_a_yes_agrees_and_memory_is_asked_for(pet: PetCommand, tmp_path: Path) -> None:
    file = sources.claude_zip(tmp_path / "a.zip", [sources.claude_conversation(1)], "Ana gardens.")
    for answer, code in (("\n", 1), ("yes\n", 0)):
        console = Console(pet.line("import", str(file)), pet.environment())
        try:
            shown = console.expect("Go ahead? [yes/no] ")
            assert "+ Ana gardens." in shown
            console.type(answer, enter=False)
            if code == 0:
                console.expect("memory on? [yes/no] ")
                console.type("yes\n", enter=False)
            assert console.ends() == code
        finally:
            console.close()
    assert pet("search", "tulips").code == 0


def test_what_claude_noted_comes_alone(pet: PetCommand, tmp_path: Path) -> None:
    (tmp_path / "memories.json").write_text('[{"conversations_memory": "Ana sails."}]', encoding="utf-8")
    assert pet("import", str(tmp_path / "memories.json"), "--yes").code == 0
    assert pet.read("MEMORY.md") == "Ana sails.\n"


@pytest.mark.parametrize("name", ["missing.zip", "empty", "broken.zip"])
def test_what_can_not_be_imported_has_its_sentence(pet: PetCommand, tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 and nothing more")
    ended = pet("import", str(tmp_path / name), "--yes")
    assert (ended.code, ended.out) == (1, "")
    assert len(ended.err.strip().splitlines()) == 1


def test_what_to_import_has_to_be_said(pet: PetCommand) -> None:
    assert pet("import").code == 2
    assert pet("import", "x.txt", "--new", "A", "--into", "pet").code == 2
    assert pet("import", "--undo", "--memory", "on").code == 2


def _skill(folder: Path, text: str) -> None:
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(text, encoding="utf-8")


def test_skills_move_in_and_out_again_and_never_over_one_that_is_there(pet: PetCommand, tmp_path: Path) -> None:
    claw = sources.openclaw_workspace(tmp_path / "claw")
    weather = "---\nname: weather\ndescription: The forecast\n---\nLook up York.\n"
    _skill(claw / "skills" / "weather", weather)
    _skill(claw / "skills" / "trains", weather.replace("weather", "trains"))
    _skill(claw / "skills" / "stars", weather.replace("weather", "stars"))
    mine = weather.replace("York", "Oslo").replace("weather", "trains")
    _skill(pet.workspace / "skills" / "my trains", mine)
    _skill(pet.workspace / "skills" / "stars", "Not a skill yet.\n")
    shown = pet("import", str(claw))
    assert "+ Look up York." in shown.out
    done = pet("import", str(claw), "--yes")
    assert done.code == 0, done.err
    assert pet.read("skills/weather/SKILL.md") == weather
    assert pet.read("skills/my trains/SKILL.md") == mine
    assert pet.read("skills/stars/SKILL.md") == "Not a skill yet.\n"
    assert not (pet.workspace / "skills" / "trains").exists()
    for kept in ("trains", "stars"):
        assert f"Not imported: skills/{kept}/SKILL.md" in done.out
    assert "weather: The forecast" in pet("prompt").out
    pet.write("skills/weather/SKILL.md", f"{weather}And Leeds.\n")
    undone = pet("import", "--undo", "--yes")
    assert undone.code == 1
    assert "skills/weather/SKILL.md" in undone.err
    pet.write("skills/weather/SKILL.md", weather)
    assert "same" not in pet("import", str(claw), "--yes").err
    (pet.workspace / "skills" / "weather" / "SKILL.md").unlink()
    assert pet("import", str(claw), "--yes").code == 0
    assert pet.read("skills/weather/SKILL.md") == weather
    assert pet("import", "--undo", "--yes").code == 0
    assert not (pet.workspace / "skills" / "weather").exists()


def test_a_vault_is_offered_by_folder_and_its_notes_are_found(pet: PetCommand, tmp_path: Path) -> None:
    daily = {"folder": "Daily", "format": "DD.MM.YYYY"}
    files = {
        ".obsidian/daily-notes.json": json.dumps(daily),
        "Daily/01.02.2026.md": "- Swam at Kilbride\n- [ ] Buy a wetsuit\n",
        "People/Femi.md": "---\ntags: x\n---\nFemi plays the cello.\n",
        "Work/plan.md": "Sell the boat.\n",
    }
    for each in files:
        (tmp_path / "v" / each).parent.mkdir(parents=True, exist_ok=True)
    write_files(tmp_path / "v", files)
    shown = pet("import", str(tmp_path / "v"))
    assert "Its folders: Daily (1), People (1), Work (1)." in shown.out
    chosen = ("--folder", "Daily", "--folder", "People/")
    done = pet("import", str(tmp_path / "v"), *chosen, "--yes", "--json")
    assert done.code == 0, done.err
    assert {each["file"] for each in done.json["files"]} == {"memory/2026-02-01.md", "memory/People/Femi.md"}
    assert pet.read("memory/2026-02-01.md") == "- Swam at Kilbride\n- [ ] Buy a wetsuit\n"
    hits = pet("search", "cello", "--json").json["results"]
    assert hits[0]["path"] == "memory/People/Femi.md"
    assert pet("import", "--undo", "--yes").code == 0
    assert not (pet.workspace / "memory" / "2026-02-01.md").exists()
    assert not (pet.workspace / "memory" / "People" / "Femi.md").exists()


def petgpt_workspaces(root: Path) -> Path:
    files = {
        "a1b2/SOUL.md": "# 我是谁\n\n- **名字：**小花\n",
        "a1b2/USER.md": "# Ana\n",
        "c3d4/SOUL.md": "# Pim\n",
        "c3d4/MEMORY.md": "- Likes soup\n",
        "c3d4/AGENTS.md": "Obey.\n",
        "skins/cat.png": "",
    }
    for each in files:
        (root / each).parent.mkdir(parents=True, exist_ok=True)
    write_files(root, files)
    return root


def test_a_folder_of_workspaces_becomes_a_pet_for_each(pet: PetCommand, tmp_path: Path) -> None:
    root = petgpt_workspaces(tmp_path / "workspace")
    shown = pet("import", str(root))
    assert shown.code == 1 and "小花, from a1b2/:" in shown.out and "c3d4, from c3d4/:" in shown.out
    assert "AGENTS.md" in shown.out and "Not imported: skins/" in shown.out
    assert pet("pets", "list", "--json").json["pets"] == []
    assert pet("import", str(root), "--new", "Momo").code == 2
    done = pet("import", str(root), "--yes", "--json")
    assert done.code == 0, done.err
    pets = {each["name"]: Path(each["workspace"]) for each in pet("pets", "list", "--json").json["pets"]}
    assert set(pets) == {"小花", "c3d4"} == {each["name"] for each in done.json["pets"]}
    assert (pets["小花"] / "SOUL.md").read_text(encoding="utf-8").startswith("# 我是谁")
    assert (pets["c3d4"] / "MEMORY.md").read_text(encoding="utf-8") == "- Likes soup\n"
    assert not (pets["c3d4"] / "AGENTS.md").exists()
    assert pet("--pet", "c3d4", "import", "--undo", "--yes").code == 0
    assert not pets["c3d4"].exists()


def test_of_several_workspaces_the_named_ones_come(pet: PetCommand, tmp_path: Path) -> None:
    root = petgpt_workspaces(tmp_path / "PetGPT" / "workspace")
    done = pet("import", str(root.parent), "--folder", "workspace/c3d4", "--yes", "--json")
    assert [each["name"] for each in done.json["pets"]] == ["c3d4"], done.err
    assert [each["id"] for each in pet("pets", "list", "--json").json["pets"]] == ["c3d4"]
    assert pet("import", str(root.parent), "--folder", "Nobody", "--yes", "--json").json["pets"] == []
