"""Scenes of moving in: each kind of import with its preview, and what came of one."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from lab.gallery.home import moving
from lab.gallery.scenes.table import Played, scene
from lab.gallery.studio.stage import Stage
from pet.i18n import Language
from pet.paths import find_home
from pet.workspace.pet_zip import export_pet
from tests.support.desktop.dialogs import answer_dialog

PART = "Importing"
SIZE = 900, 760


def _open(stage: Stage) -> None:
    stage.open_chat(*SIZE)
    stage.show_settings("ui.section.privacy", "moving.tab")
    for key in ("ui.cancel", "moving.other"):
        button = stage.page.locator(".import").get_by_role("button", name=stage.texts(key), exact=True)
        if button.count():
            button.first.click()
    expect(stage.page.locator(".import-ways")).to_be_visible()


def _choose(stage: Stage, path: Path) -> None:
    """With the system's own dialog: the path is typed into it."""
    kind = "folder" if path.is_dir() else "file"
    stage.button(f"moving.{kind}").click()
    answer_dialog(stage.running, stage.texts(f"desktop.choose_{kind}"), path)
    expect(stage.page.locator(".import-preview")).to_be_visible()


def _preview(stage: Stage, make: Callable[[Path, Language], Path]) -> Played:
    with tempfile.TemporaryDirectory(prefix="soulpet-moving-") as folder:
        _open(stage)
        _choose(stage, make(Path(folder), stage.words.language))
        yield None
        stage.button("ui.cancel").click()


@scene("moving", PART, "From another computer or another program: what can move in.")
def start(stage: Stage) -> Played:
    _open(stage)
    stage.page.locator(".import details > summary").first.click()
    expect(stage.page.locator(".import-can")).to_be_visible()
    yield None


@scene("moving-workspace", PART, "A workspace of OpenClaw: every change, before it happens.", lights=True)
def workspace(stage: Stage) -> Played:
    for page in _preview(stage, moving.workspace):
        stage.page.locator(".import-row summary").filter(has_text="MEMORY.md").click()
        expect(stage.page.locator(".import .diff-lines")).to_be_visible()
        yield page


@scene("moving-chats", PART, "The export of ChatGPT; what may be remembered is the owner's choice.", lights=True)
def chats(stage: Stage) -> Played:
    yield from _preview(stage, moving.chats)


@scene("moving-claude", PART, "The export of Claude: conversations, and what it noted.", lights=True)
def claude(stage: Stage) -> Played:
    yield from _preview(stage, moving.claude)


@scene("moving-tavern", PART, "Chats of SillyTavern, with their card.", lights=True)
def tavern(stage: Stage) -> Played:
    yield from _preview(stage, moving.tavern)


@scene("moving-pet", PART, "A whole pet from its own zip, as a neighbour.", lights=True)
def pet(stage: Stage) -> Played:
    assert stage.furnished
    root = stage.furnished.root
    yield from _preview(
        stage, lambda folder, _: export_pet(root, folder, root.name, locks=find_home(stage.home).locks)
    )


@scene("moving-list", PART, "A list of notes, pasted.", lights=True)
def pasted(stage: Stage) -> Played:
    _open(stage)
    stage.button("moving.paste").click()
    stage.page.locator(".import-paste textarea").fill(moving.pasted(stage.words.language))
    stage.button("moving.look").click()
    expect(stage.page.locator(".import .diff-lines")).to_be_visible()
    yield None


@scene("moving-done", PART, "What was imported, with Undo.")
def done(stage: Stage) -> Played:
    if not stage.page.locator(".import-preview").count():
        for _ in pasted(stage):
            pass
    stage.button("moving.go").click()
    expect(stage.page.locator(".import-done")).to_be_visible()
    yield None
    stage.page.locator(".import-done").get_by_role("button", name=stage.texts("moving.undo")).click()
    expect(stage.page.locator(".import-ways")).to_be_visible()
    stage.page.locator(".notices").get_by_role("button", name=stage.texts("ui.dismiss")).click()
