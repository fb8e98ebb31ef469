"""Moving in through the real program: the system's own dialog, the preview, the run, Undo; and quitting over it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Page, Playwright, expect

from pet.i18n import Texts
from pet.paths import find_home
from pet.services.pets.open_pets import open_pets
from pet.workspace.pets.export_zip import export_pet_to
from tests.imports import as_exported, sources
from tests.support.desktop import Desktop, wait_for
from tests.support.dialogs import answer_dialog, dialog_of
from tests.window.programs.dragging import drag_files
from tests.window.settings.test_skins_and_cards import settings

pytestmark = pytest.mark.window

T = Texts("en")


def _open(page: Page) -> None:
    page.get_by_role("button", name=T("ui.section.memory"), exact=True).click()
    page.get_by_role("button", name=T("moving.tab"), exact=True).click()


def test_folder_is_chosen_previewed_brought_along_and_taken_back(
    desktop: Desktop, home: Path, playwright: Playwright, tmp_path: Path
) -> None:
    claw = sources.openclaw_workspace(tmp_path / "claw")
    memory = home / "data" / "pets" / "pet" / "MEMORY.md"
    with settings(desktop, home, playwright) as shown:
        page = shown.page
        _open(shown.page)
        page.get_by_role("button", name=T("moving.folder"), exact=True).click()
        answer_dialog(shown.running, T("desktop.choose_folder"), claw)
        preview = page.locator(".moving-preview")
        expect(preview).to_contain_text("MEMORY.md")
        assert not memory.exists()
        page.get_by_role("button", name=T("moving.go"), exact=True).click()
        expect(page.locator(".moving-done")).to_be_visible()
        assert "cello" in memory.read_text(encoding="utf-8")
        page.locator(".moving-done").get_by_role("button", name=T("moving.undo")).click()
        expect(page.locator(".moving-can")).to_be_visible()
        assert not memory.exists()


def _workspace(folder: Path) -> Path:
    return sources.openclaw_workspace(folder / "claw")


def _hermes(folder: Path) -> Path:
    return sources.hermes_home(folder / "hermes")


def _chatgpt(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return sources.chatgpt_zip(folder / "chatgpt.zip", [as_exported.chatgpt_conversation()])


def _claude(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return sources.claude_zip(folder / "claude.zip", [as_exported.claude_conversation()], "- Ana sails.\n")


def _tavern(folder: Path) -> Path:
    return as_exported.tavern_chat(folder / "Pim" / "Pim.jsonl").parent


def _list(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "memories.txt").write_text("[2025-08-02] - Is allergic to hazelnuts\n", encoding="utf-8")
    return folder / "memories.txt"


def _whole_pet(folder: Path) -> Path:
    home = find_home(folder / "elsewhere")
    made = open_pets(home).create("Mochi", "en")
    export_pet_to(home.workspace(made), folder / "mochi.zip", locks=home.locks)
    return folder / "mochi.zip"


KINDS: dict[str, tuple[Callable[[Path], Path], str]] = {
    "workspace": (_workspace, "MEMORY.md"),
    "hermes": (_hermes, "MEMORY.md"),
    "chatgpt": (_chatgpt, "6 "),
    "claude": (_claude, "MEMORY.md"),
    "tavern": (_tavern, "Pim"),
    "list": (_list, "hazelnuts"),
    "pet": (_whole_pet, T("moving.pet_note")),
}


def _holds(folder: Path, tree: dict[str, bytes]) -> bool:
    return _tree(folder) == tree


def _tree(folder: Path) -> dict[str, bytes]:
    """A pet's files, without the earlier versions of what was taken back."""
    files = (file for file in folder.rglob("*") if file.is_file() and ".history" not in file.parts)
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


def test_each_kind_is_dropped_on_the_pane_previewed_brought_along_and_taken_back(
    desktop: Desktop, home: Path, playwright: Playwright, tmp_path: Path, shots: Path
) -> None:
    pets = home / "data" / "pets"
    with settings(desktop, home, playwright) as shown:
        page = shown.page
        _open(page)
        for number, (kind, (make, words)) in enumerate(KINDS.items()):
            given = make(tmp_path / str(number))
            before = _tree(pets)
            pane = page.locator("section.moving")
            window = desktop.box(shown.running.window(T("shell.title_chat_of", name=T("pet.name"))))
            box = pane.bounding_box()
            assert box is not None
            goal = window.x + int(box["x"] + box["width"] / 2), window.y + int(box["y"]) + 60
            drag_files(desktop, page, goal, [given])
            preview = page.locator(".moving-preview")
            expect(preview).to_contain_text(words)
            shown.shot(shots / f"dropped-{kind}.png")
            assert _tree(pets) == before  # nothing before the owner says so
            remember = preview.get_by_role("radio", name=T("moving.memory.no"))
            if remember.count():
                remember.check(force=True)
            page.get_by_role("button", name=T("moving.go"), exact=True).click()
            done = page.locator(".moving-done")
            expect(done).to_be_visible()
            after = _tree(pets)
            assert len(after) > len(before) or after != before
            assert all(name in after for name in before)
            done.get_by_role("button", name=T("moving.undo")).click()
            if kind == "pet":
                page.get_by_role("dialog").get_by_role("button", name=T("moving.undo_pet"), exact=True).click()
            expect(page.locator(".moving-can")).to_be_visible()
            wait_for("what was before", partial(_holds, pets, before))


def test_program_ends_while_the_dialog_is_open(desktop: Desktop, home: Path, playwright: Playwright) -> None:
    with settings(desktop, home, playwright) as shown:
        _open(shown.page)
        shown.page.get_by_role("button", name=T("moving.file"), exact=True).click()
        wait_for("the dialog", lambda: dialog_of(shown.running, T("desktop.choose_file")) is not None)
        assert shown.running.stop() == 0
