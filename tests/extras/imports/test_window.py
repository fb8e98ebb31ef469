"""Import through the command table, as the settings window asks for it: choose, preview, run, stop, undo."""

from __future__ import annotations

import json
import threading
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pet.app import Pet
from pet.bridge.command import Client
from pet.events import ConversationDeleted, Event, PetsChanged, WorkspaceChanged
from pet.extras.imports.card import png_with
from pet.extras.imports.events import ImportMoved
from pet.fs import zip_reading
from pet.paths import Home
from pet.services.desktop_port import DesktopPort, PathKind
from pet.workspace.pet_zip import export_pet_to
from tests.extras.imports import sources
from tests.extras.imports.test_cards import V2, png
from tests.support.examples import examples
from tests.support.program.invoking import ask, invoke, refused

_CARD = png_with(png(), {b"chara": V2})
COMMANDS: tuple[str, ...] = (
    "choose_import",
    "paste_import",
    "get_import",
    "change_import",
    "get_import_diff",
    "run_import",
)
COMMANDS += ("stop_import", "list_imports", "undo_import")


class Dialog(DesktopPort):
    """The owner picks what ``answer`` says."""

    def __init__(self) -> None:
        self.answer: Path | None = None
        self.asked: list[PathKind] = []

    def choose_path(self, kind: PathKind) -> Path | None:
        self.asked.append(kind)
        return self.answer


class Opened:
    def __init__(self, home: Home) -> None:
        self.told = threading.Condition()
        self.events: list[Event] = []
        self.dialog = Dialog()
        self.app: Pet = Pet(home, environ={}, channel="terminal", windows=self.dialog)
        self.app.emitter.subscribe(self._on_event, name="test")
        self.root = self.app.store.root

    def _on_event(self, event: Event) -> None:
        with self.told:
            self.events.append(event)
            self.told.notify_all()

    def wait_for(self, event: type[Event], **fields: object) -> None:
        """Until an event of this kind with these fields was delivered, by the thread that delivers."""

        def came() -> bool:
            return any(
                isinstance(each, event) and all(getattr(each, name) == value for name, value in fields.items())
                for each in self.events
            )

        with self.told:
            assert self.told.wait_for(came, 60)

    def ask(self, command: str, /, **args: object) -> Any:
        return ask(self.app.commands, command, **args)

    def refused(self, command: str, /, **args: object) -> str:
        return str(refused(self.app.commands, command, **args)["code"])

    def settled(self) -> Any:
        """The state once nothing is on its way."""
        with self.told:
            assert self.told.wait_for(lambda: self.ask("get_import")["phase"] not in ("reading", "writing"), 120)
        return self.ask("get_import")

    def choose(self, path: Path) -> Any:
        self.dialog.answer = path
        self.ask("choose_import", kind="folder" if path.is_dir() else "file")
        return self.settled()

    def run(self, memory: bool = False, name: str = "") -> Any:
        self.ask("run_import", memory=memory, name=name)
        return self.settled()

    def files(self) -> dict[str, bytes]:
        kept = (each for each in self.root.rglob("*") if each.is_file())
        names = ((each.relative_to(self.root).as_posix(), each.read_bytes()) for each in kept)
        return {name: data for name, data in names if not name.startswith(".history")}


@pytest.fixture
def opened(home: Home) -> Iterator[Opened]:
    made = Opened(home)
    yield made
    made.app.close()


def test_workspace_is_previewed_written_and_taken_back(opened: Opened, tmp_path: Path) -> None:
    before = opened.files()
    shown = opened.choose(sources.openclaw_workspace(tmp_path / "claw"))
    assert (shown["phase"], shown["source"], shown["preview"]["kind"]) == ("ready", "claw", "workspace")
    files = {each["file"]: each for each in shown["preview"]["files"]}
    assert set(files) == {
        "SOUL.md",
        "USER.md",
        "IDENTITY.md",
        "MEMORY.md",
        "memory/2026-02-12.md",
        "memory/ideas.md",
        "memory/2026-02-31.md",
    }
    assert files["memory/2026-02-12.md"]["day"] and not files["SOUL.md"]["day"]
    assert {(each["name"], each["reason"]) for each in shown["preview"]["skipped"]} == {
        ("AGENTS.md", "instructions"),
    }
    diff = opened.ask("get_import_diff", file="SOUL.md")
    assert "Be genuinely helpful." in [line["text"] for line in diff["lines"] if line["kind"] == "added"]
    assert opened.files() == before
    done = opened.run()["done"]
    assert (done["files"], done["days"], done["conversations"], done["mine"]) == (6, 1, 0, True)
    assert opened.files()["SOUL.md"] == b"# Claw\n\nBe genuinely helpful.\n"
    opened.wait_for(WorkspaceChanged, file="SOUL.md")
    opened.ask("stop_import")
    (listed,) = opened.ask("list_imports")["imports"]
    assert listed == done
    undone = opened.ask("undo_import", id=done["id"])
    assert undone == {"imports": [], "left": []}
    assert opened.files() == before


def test_orders_come_along_only_when_the_owner_ticks_them(opened: Opened, tmp_path: Path) -> None:
    preview = opened.choose(sources.openclaw_workspace(tmp_path / "claw"))["preview"]
    assert (preview["orders"], preview["instructions"]) == (True, False)
    opened.ask("change_import", instructions=True, new_pet=False)
    preview = opened.settled()["preview"]
    assert (preview["orders"], preview["instructions"]) == (True, True)
    assert "AGENTS.md" in [each["file"] for each in preview["files"]]


def test_what_the_owner_wrote_stays_and_a_new_pet_takes_it_instead(opened: Opened, tmp_path: Path) -> None:
    (opened.root / "SOUL.md").write_text("# Mine\n", encoding="utf-8")
    preview = opened.choose(sources.hermes_home(tmp_path / "hermes"))["preview"]
    assert {"name": "SOUL.md", "reason": "kept"} in preview["skipped"]
    opened.ask("change_import", instructions=False, new_pet=True)
    preview = opened.settled()["preview"]
    assert preview["new_pet"] and preview["skipped"] == [{"name": "config.yaml", "reason": "other"}]
    assert opened.refused("run_import", memory=False, name="") == "pet_name_refused"
    before = opened.files()
    done = opened.run(name="Hermes")["done"]
    assert (done["pet"], done["name"], done["new_pet"], done["mine"]) == ("hermes", "Hermes", True, False)
    made = opened.app.home.workspace("hermes")
    assert (made / "SOUL.md").read_text(encoding="utf-8") == "# Hermes\n\nSwift and kind.\n"
    assert opened.files() == before
    opened.wait_for(PetsChanged)
    opened.ask("undo_import", id=done["id"])
    assert not made.exists()


def test_whole_pet_moves_in_beside_the_others(opened: Opened, tmp_path: Path) -> None:
    file = tmp_path / "whole.zip"
    export_pet_to(opened.root, file, locks=opened.app.home.locks)
    preview = opened.choose(file)["preview"]
    assert preview["kind"] == "pet" and preview["pet"]["files"] > 1 and preview["new_pet"]
    done = opened.run()["done"]
    assert done["new_pet"] and done["undoable"]
    assert (opened.app.home.workspace(done["pet"]) / "SOUL.md").read_bytes() == opened.files()["SOUL.md"]


def test_whole_pet_without_a_name_of_its_own_is_called_as_its_file_without_the_day(
    opened: Opened, tmp_path: Path
) -> None:
    export_pet_to(opened.root, tmp_path / "Mochi 2026-11-27 (2).zip", locks=opened.app.home.locks)
    assert opened.choose(tmp_path / "Mochi 2026-11-27 (2).zip")["preview"]["pet"]["name"] == "Mochi"
    done = opened.run()["done"]
    assert (done["pet"], done["name"]) == ("mochi", "Mochi")


@pytest.mark.parametrize(
    ("toml", "heartbeat", "shown"),
    [
        (
            "memory = true\n",
            "# Heartbeat\n\n- Ask after the ferns.\n",
            (True, "# Heartbeat\n\n- Ask after the ferns.\n"),
        ),
        ("memory = false\n", "# Heartbeat\n", (False, "")),
        ("memory = [\n", "", (False, "")),
    ],
)
def test_preview_of_a_whole_pet_shows_what_it_does_by_itself(
    opened: Opened, tmp_path: Path, toml: str, heartbeat: str, shown: tuple[bool, str]
) -> None:
    (opened.root / "pet.toml").write_bytes(toml.encode())
    (opened.root / "HEARTBEAT.md").write_bytes(heartbeat.encode())
    export_pet_to(opened.root, tmp_path / "whole.zip", locks=opened.app.home.locks)
    pet = opened.choose(tmp_path / "whole.zip")["preview"]["pet"]
    assert (pet["memory"], pet["heartbeat"]) == shown


@pytest.mark.parametrize("memory", [True, False])
def test_conversations_are_listed_and_found_with_memory_only_if_allowed(
    opened: Opened, tmp_path: Path, memory: bool
) -> None:
    file = sources.claude_zip(tmp_path / "a.zip", [sources.claude_conversation(n) for n in (1, 2)], "Ana gardens.")
    preview = opened.choose(file)["preview"]
    assert (preview["kind"], preview["talks_new"], preview["messages"]) == ("claude", 2, 4)
    assert [(each["kind"], each["count"]) for each in preview["left_out"]] == [("thoughts", 2), ("tools", 2)]
    first = preview["talks"][0]
    assert (first["title"], first["at"]) == ("Garden 1", "2025-03-04T08:00:00+00:00")
    assert (first["messages"], first["there"]) == (2, False)
    assert opened.run(memory)["done"]["conversations"] == 2
    assert len(opened.ask("list_conversations")["conversations"]) == 2
    found = opened.ask("search_memory", query="plant tulips")["hits"]
    assert bool([hit for hit in found if "tulips" in hit["snippet"]]) == memory
    again = opened.choose(file)["preview"]
    assert (again["talks_new"], again["talks_there"], again["empty"]) == (0, 2, True)


def test_undo_closes_conversations_and_keeps_those_that_went_on(opened: Opened, tmp_path: Path) -> None:
    file = sources.chatgpt_zip(tmp_path / "a.zip", [sources.chatgpt_conversation(n) for n in (1, 2)])
    opened.choose(file)
    done = opened.run()["done"]
    kept, gone = (each["id"] for each in opened.ask("list_conversations")["conversations"])
    opened.ask("open_conversation", conversation=gone)
    opened.ask("rename_conversation", conversation=kept, title="Mine now")
    undone = opened.ask("undo_import", id=done["id"])
    assert undone["left"] == [kept]
    opened.wait_for(ConversationDeleted)
    assert [each.conversation for each in opened.events if isinstance(each, ConversationDeleted)] == [gone]


def test_sillytavern_comes_with_its_card(opened: Opened, tmp_path: Path) -> None:
    folder = tmp_path / "chats"
    folder.mkdir()
    sources.tavern_chat(folder / "Momo - 2024.jsonl")
    (folder / "Momo.png").write_bytes(_CARD)
    preview = opened.choose(folder)["preview"]
    assert (preview["kind"], preview["talks_new"]) == ("sillytavern", 1)
    assert [each["file"] for each in preview["files"]] == ["SOUL.md"]


def test_what_was_forgotten_comes_back_by_no_import_and_no_undo(opened: Opened, tmp_path: Path) -> None:
    claw = sources.openclaw_workspace(tmp_path / "claw")
    (claw / "MEMORY.md").write_text("- Likes tea.\n- Went to Zanzibar.\n", encoding="utf-8")
    opened.choose(claw)
    done = opened.run(memory=True)["done"]
    assert b"Zanzibar" in opened.files()["MEMORY.md"]
    forgetting = opened.app.forgetting
    assert forgetting.forget(forgetting.find("Zanzibar")).left == ()
    preview = opened.choose(claw)["preview"]
    assert {"name": "MEMORY.md", "reason": "forgotten"} in preview["skipped"]
    opened.run(memory=True)
    opened.ask("stop_import")
    opened.ask("undo_import", id=done["id"])
    opened.choose(claw)
    opened.run(memory=True)
    assert not [name for name, data in opened.files().items() if b"Zanzibar" in data]
    assert not [
        file for file in (opened.root / ".history").rglob("*") if file.is_file() and b"Zanz" in file.read_bytes()
    ]
    assert opened.ask("search_memory", query="Zanzibar")["hits"] == []


def test_pasted_list_needs_no_file(opened: Opened) -> None:
    opened.ask("paste_import", text="[2024-05-01] - Works as a luthier\n- Has a cat\n")
    shown = opened.settled()
    assert (shown["preview"]["kind"], shown["source"]) == ("memory_list", "")
    opened.run()
    assert b"- Works as a luthier (2024-05-01)\n- Has a cat" in opened.files()["MEMORY.md"]
    assert opened.refused("paste_import", text=" \n ") == "bad_arguments"
    opened.ask("paste_import", text="ä" * 700_000)
    assert opened.settled()["error"]["code"] == "import_long_text"


def test_what_is_dropped_is_looked_at_and_what_is_out_of_reach_is_told(opened: Opened, tmp_path: Path) -> None:
    opened.dialog.answer = sources.openclaw_workspace(tmp_path / "claw")
    opened.ask("choose_import", kind="dropped")
    assert opened.settled()["preview"]["kind"] == "workspace"
    opened.ask("stop_import")
    opened.dialog.answer = None
    reply = invoke(opened.app.commands, "choose_import", Client.CHAT, kind="dropped")
    assert reply["error"]["code"] == "import_not_dropped"
    assert opened.dialog.asked == ["dropped", "dropped"]


def test_file_that_changed_since_the_preview_is_not_written_over(opened: Opened) -> None:
    (opened.root / "MEMORY.md").write_text("- one\n", encoding="utf-8")
    opened.ask("paste_import", text="- two\n")
    opened.settled()
    (opened.root / "MEMORY.md").write_bytes(b"- three\n")
    assert opened.run()["error"]["code"] == "file_conflict"
    assert opened.files()["MEMORY.md"] == b"- three\n"
    opened.ask("change_import", instructions=False, new_pet=False)
    assert opened.settled()["phase"] == "ready"
    opened.run()
    assert opened.files()["MEMORY.md"].endswith(b"- two\n")


def test_import_that_could_not_be_taken_back_changes_nothing(opened: Opened, home: Home, tmp_path: Path) -> None:
    claw, packed = sources.openclaw_workspace(tmp_path / "claw"), tmp_path / "pet.zip"
    export_pet_to(opened.root, packed, locks=home.locks)
    home.imports_file.write_text('{"format": 99}', encoding="utf-8")  # of a newer program
    before = opened.files()
    for source, new_pet in ((claw, False), (claw, True), (packed, True)):
        opened.choose(source)
        opened.ask("change_import", instructions=False, new_pet=new_pet)
        opened.settled()
        state = opened.run(name="Other")
        assert (state["phase"], state["error"]["code"]) == ("failed", "newer_format")
    assert opened.files() == before
    assert [each.name for each in home.pets.iterdir()] == ["pet"]


def test_dialog_that_is_left_changes_nothing(opened: Opened) -> None:
    assert opened.ask("choose_import", kind="file")["phase"] == "none"
    assert opened.dialog.asked == ["file"]
    assert opened.refused("run_import", memory=True) == "import_none"
    assert opened.refused("change_import", instructions=True, new_pet=False) == "import_none"
    assert opened.refused("undo_import", id="nothing") == "import_no_undo"
    assert opened.refused("get_import_diff", file="SOUL.md") == "path_refused"


@pytest.mark.parametrize("name", COMMANDS)
def test_only_the_chat_window_may_import_and_none_says_a_path(opened: Opened, name: str, tmp_path: Path) -> None:
    for client in (Client.PET, Client.BUBBLE, Client.SOCKET):
        assert refused(opened.app.commands, name, client)["code"] == "not_allowed"
    assert invoke(opened.app.commands, name, path=str(tmp_path))["error"]["code"] == "bad_arguments"


def _hostile_zip(file: Path) -> Path:
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("conversations.json", "[]")
        info = zipfile.ZipInfo("x")
        info.filename = "../../evil"
        made.writestr(info, b"evil")
    return file


def _cut_zip(file: Path) -> Path:
    data = sources.claude_zip(file, [sources.claude_conversation(1)]).read_bytes()
    file.write_bytes(data[: len(data) // 2])
    return file


def _card(file: Path) -> Path:
    file = file.with_suffix(".png")
    file.write_bytes(_CARD)
    return file


def _nothing(file: Path) -> Path:
    file.write_bytes(b"\x7fELF\x00")
    return file


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (_hostile_zip, "import_names"),
        (_cut_zip, "import_broken_zip"),
        (_card, "import_card"),  # it has a place of its own
        (_nothing, "import_unknown"),
        (lambda file: file, "import_unreadable"),
    ],
)
def test_what_can_not_be_imported_says_why(
    opened: Opened, tmp_path: Path, make: Callable[[Path], Path], code: str
) -> None:
    before = opened.files()
    shown = opened.choose(make(tmp_path / "given.bin"))
    assert (shown["phase"], shown["error"]["code"], shown["preview"]) == ("failed", code, None)
    assert opened.files() == before
    assert opened.ask("stop_import")["phase"] == "none"


def test_zip_of_two_gigabytes_of_nothing_is_stopped_at_once(opened: Opened, tmp_path: Path) -> None:
    """Ten megabytes that unpack to two gigabytes, all in one conversation."""
    file = tmp_path / "bomb.zip"
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made,
        made.open("conversations.json", "w", force_zip64=True) as out,
    ):
        out.write(b'[{"mapping": [""')
        block = b',"' + b"a" * (1 << 20) + b'"'
        for _ in range(2048):
            out.write(block)
    opened.dialog.answer = file
    tracemalloc.start()
    opened.ask("choose_import", kind="file")
    with opened.told:
        assert opened.told.wait_for(lambda: any(isinstance(e, ImportMoved) and e.done for e in opened.events), 30)
    assert opened.refused("choose_import", kind="file") == "import_busy"
    opened.ask("stop_import")
    assert opened.settled()["phase"] == "none"
    assert max(event.done for event in opened.events if isinstance(event, ImportMoved)) < 2 << 30
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 400 << 20


def test_whole_pet_larger_than_the_limit_is_refused(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "whole.zip"
    export_pet_to(opened.root, file, locks=opened.app.home.locks)
    monkeypatch.setattr(zip_reading, "MAX_BYTES", 1000)
    assert opened.choose(file)["error"]["code"] == "import_too_large"


def test_stopped_run_takes_back_what_it_wrote(opened: Opened, tmp_path: Path) -> None:
    conversations = [sources.chatgpt_conversation(number, messages=200) for number in range(150)]
    file = sources.chatgpt_zip(tmp_path / "many.zip", conversations)
    before = opened.files()
    assert opened.choose(file)["preview"]["messages"] == 30_000
    opened.ask("run_import", memory=True)
    with opened.told:
        assert opened.told.wait_for(
            lambda: any(isinstance(e, ImportMoved) and e.phase == "writing" and e.done for e in opened.events), 60
        )
    opened.ask("stop_import")
    stopped = opened.settled()
    assert (stopped["phase"], stopped["error"]["code"]) == ("failed", "import_stopped")
    assert opened.files() == before
    assert opened.ask("list_imports")["imports"] == []


def test_a_large_import_leaves_the_program_responsive(opened: Opened, tmp_path: Path) -> None:
    file, talks = tmp_path / "conversations.json", examples(10)
    with file.open("w", encoding="utf-8") as out:
        for number in range(talks):
            talk = json.dumps(sources.chatgpt_conversation(number, messages=1000))
            out.write(("[" if number == 0 else ",") + talk)
        out.write("]")
    opened.dialog.answer = file
    opened.ask("choose_import", kind="file")
    answered = 0
    while opened.ask("get_import")["phase"] == "reading":
        opened.ask("get_app_state")
        answered += 1
    shown = opened.settled()
    assert shown["preview"]["messages"] == talks * 1000
    assert len(shown["preview"]["talks"]) == talks
    assert answered > talks // 10
    done = opened.run(memory=True)["done"]
    assert done["conversations"] == talks
    totals = {event.total for event in opened.events if isinstance(event, ImportMoved) and event.phase == "writing"}
    assert max(totals) > file.stat().st_size // 2


def test_several_workspaces_are_offered_a_pet_for_each(opened: Opened, home: Home, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / "pets" / name).mkdir(parents=True)
        (tmp_path / "pets" / name / "SOUL.md").write_text(f"- Name: {name} Momo\n", encoding="utf-8")
    (tmp_path / "pets" / "b" / "AGENTS.md").write_text("Obey.\n")
    (tmp_path / "pets" / "config.json").write_text("{}")
    before = opened.files()
    preview = opened.choose(tmp_path / "pets")["preview"]
    assert [(each["name"], each["reason"]) for each in preview["skipped"]] == [
        ("b/AGENTS.md", "instructions"),
        ("config.json", "other"),
    ]
    assert preview["orders"]
    assert (preview["kind"], preview["new_pet"], preview["empty"]) == ("workspaces", True, False)
    assert [(each["pet"], each["chosen"]) for each in preview["folders"]] == [
        ("a Momo", True),
        ("b Momo", True),
        ("c Momo", True),
    ]
    opened.ask("change_import", instructions=False, new_pet=True, folders=["a/", "c/"])
    assert [each["chosen"] for each in opened.settled()["preview"]["folders"]] == [True, False, True]
    done = opened.run()["done"]
    assert done["new_pet"] and done["name"] == "a Momo"
    assert sorted(path.name for path in home.pets.iterdir() if not path.name.startswith(".")) == [
        "a-momo",
        "c-momo",
        "pet",
    ]
    assert len(opened.ask("list_imports")["imports"]) == 2
    assert opened.files() == before
