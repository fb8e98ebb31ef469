"""Scenes of the settings: the files with their versions, memory, what the pet sees, looks, privacy."""

from __future__ import annotations

from playwright.sync_api import expect

from lab.gallery.scenes.desktop import note_event
from lab.gallery.scenes.table import Played, scene
from lab.gallery.studio.stage import Stage
from tests.support.desktop.xvfb import call_page

PART = "The settings"
SIZE = 900, 690


def _file(stage: Stage, name: str) -> None:
    stage.show_settings("ui.section.me" if name == "SOUL.md" else "ui.section.us")
    stage.page.locator(".file-link").filter(has_text=name).click()
    expect(stage.page.locator(".cm-content")).to_be_visible()


@scene("who-i-am", PART, "Who it is, how it looks, and its company.")
def who_i_am(stage: Stage) -> Played:
    stage.open_chat(*SIZE)
    stage.show_settings("ui.section.me")
    _pictured(stage)
    yield None


@scene("files", PART, "The soul is a text file.", hero=True)
def files(stage: Stage) -> Played:
    stage.open_chat(*SIZE)
    _file(stage, "SOUL.md")
    yield None


@scene("preview", PART, "The preview.")
def preview(stage: Stage) -> Played:
    stage.open_chat(*SIZE)
    _file(stage, "SOUL.md")
    shown = stage.button("ui.file.preview")
    shown.click()
    expect(stage.page.get_by_label(stage.texts("ui.file.preview_of", file="SOUL.md"))).to_be_visible()
    yield None
    shown.click()


@scene("templates", PART, "Templates, to be read before one is used.")
def templates(stage: Stage) -> Played:
    stage.open_chat(*SIZE)
    _file(stage, "SOUL.md")
    stage.button("ui.file.templates").click()
    expect(stage.page.get_by_role("dialog")).to_be_visible()
    expect(stage.page.get_by_role("dialog").get_by_text(stage.texts("ui.loading"))).to_have_count(0)
    yield None


@scene("versions", PART, "Every earlier version, beside the current one.")
def versions(stage: Stage) -> Played:
    stage.open_chat(1020, 690)
    _file(stage, "SOUL.md")
    stage.button("ui.file.versions").click()
    stage.page.locator("button.version").last.click()
    expect(stage.button("ui.versions.restore")).to_be_visible()
    yield None


@scene("conflict", PART, "A conflict with another program: theirs, mine, or both.")
def conflict(stage: Stage) -> Played:
    stage.open_chat(*SIZE)
    _file(stage, "USER.md")
    words = stage.words.files
    editor = stage.page.locator(".cm-content")
    line = editor.locator(".cm-line").filter(has_text=words["user_line"])
    line.click()
    stage.page.keyboard.press("Home")
    stage.page.keyboard.press("Shift+End")
    stage.page.keyboard.insert_text(words["user_typed"])
    assert stage.furnished
    file = stage.furnished.root / "USER.md"
    before = file.read_text(encoding="utf-8")
    file.write_text(before.replace(words["user_line"], words["user_outside"]), encoding="utf-8")
    expect(stage.page.locator(".conflict .diff")).to_be_visible()
    stage.page.locator(".conflict").scroll_into_view_if_needed()
    yield None
    stage.button("ui.conflict.theirs").click()
    expect(stage.page.locator(".conflict")).to_have_count(0)


@scene("memory", PART, "Everything remembered, by day; each entry can be forgotten.", lights=True)
def memory(stage: Stage) -> Played:
    stage.open_chat(*SIZE)
    stage.show_settings("ui.section.us", "ui.memory.browse")
    expect(stage.page.locator(".shelf .month").first).to_be_visible()
    yield None


@scene("reminders", PART, "Reminders.")
def reminders(stage: Stage) -> Played:
    stage.open_chat(*SIZE)
    stage.show_settings("ui.section.us", "ui.memory.reminders")
    yield None


@scene("agents", PART, "Other agents: who may what, what works now, and programs to set up.")
def agents(stage: Stage) -> Played:
    for event in ("SessionStart", "UserPromptSubmit", "PreToolUse"):
        note_event(stage, event)
    stage.open_chat(*SIZE)
    stage.show_settings("ui.section.privacy", "ui.agents.tab")
    expect(stage.page.locator(".agent-sessions")).to_be_visible()
    yield None
    note_event(stage, "SessionEnd")


@scene("sees", PART, "Exactly what would be sent now.")
def sees(stage: Stage) -> Played:
    stage.open_chat(*SIZE)
    stage.show_settings("ui.section.privacy", "ui.memory.sees")
    yield None


@scene("thinking", PART, "Models.")
def thinking(stage: Stage) -> Played:
    stage.open_chat(*SIZE)
    stage.show_settings("ui.section.model")
    yield None


def _more_connections(stage: Stage) -> list[str]:
    """Their ids. Whoever asks for them removes them again."""
    ids = []
    for name, url, model in (
        ("OpenAI", "https://api.openai.com/v1", "gpt-5.6"),
        ("", "https://llm.example.org", "big-1"),
    ):
        draft = {"id": "", "name": name, "base_url": url, "protocol": "auto", "model": model}
        ids.append(str(call_page(stage.page, "save_connection", draft)["value"]["id"]))
    return ids


def _fewer_connections(stage: Stage, ids: list[str]) -> None:
    for each in ids:
        assert call_page(stage.page, "remove_connection", {"connection": each})["ok"]


@scene("connections", PART, "Several connections, each with its key; one click uses another.")
def connections(stage: Stage) -> Played:
    stage.open_chat(*SIZE)
    ids = _more_connections(stage)
    stage.show_settings("ui.section.model")
    expect(stage.page.locator(".connection")).to_have_count(5)  # with the demo
    stage.page.get_by_role("button", name=stage.texts("connections.edit")).nth(1).click()
    stage.page.locator(".connections").scroll_into_view_if_needed()
    yield None
    _fewer_connections(stage, ids)


@scene("model-choice", PART, "A model of its own for one conversation.")
def model_choice(stage: Stage) -> Played:
    stage.open_chat(*SIZE)
    ids = _more_connections(stage)
    stage.show_talk("hill")
    stage.button("ui.menu.label").click()
    stage.page.get_by_text(stage.texts("choice.menu"), exact=True).click()
    dialog = stage.page.locator("dialog")
    expect(dialog.locator(".connection").nth(2)).to_be_visible()
    dialog.locator("input[type=radio]").nth(2).check()
    yield None
    stage.rest()
    _fewer_connections(stage, ids)


@scene("pets", PART, "More than one pet, each with its own files.")
def pets(stage: Stage) -> Played:
    stage.open_chat(*SIZE)
    stage.show_settings("ui.section.me")
    expect(stage.page.locator(".pet-row")).to_have_count(2)
    stage.page.locator(".pet-row").last.scroll_into_view_if_needed()
    yield None


@scene("skins", PART, "Skins.")
def skins(stage: Stage) -> Played:
    stage.open_chat(*SIZE)
    stage.show_settings("ui.section.me")
    skin = stage.page.locator(".wardrobe .skin-main").first
    skin.scroll_into_view_if_needed()
    skin.hover()
    _pictured(stage)
    yield None


def _pictured(stage: Stage) -> None:
    """Wait until each card of a skin has its picture."""
    expect(stage.page.locator(".wardrobe .skin").first).to_be_visible()
    still = stage.page.locator(".wardrobe .skin-picture:not(.live-skin)")
    expect(still.and_(stage.page.locator(":not([style])"))).to_have_count(0)


@scene("shortcuts", PART, "Shortcuts that work in every program.")
def shortcuts(stage: Stage) -> Played:
    stage.open_chat(*SIZE)
    stage.show_settings("ui.section.privacy", "settings.section.keys")
    yield None


@scene("on-the-desktop", PART, "Language and light, when it speaks first, how it moves.")
def on_the_desktop(stage: Stage) -> Played:
    stage.open_chat(*SIZE)
    stage.show_settings("desktop.title")
    yield None


@scene("memory-works", PART, "What memory does in every conversation.")
def memory_works(stage: Stage) -> Played:
    stage.open_chat(*SIZE)
    stage.show_settings("ui.section.privacy", "ui.memory.settings")
    yield None


@scene("advanced", PART, "What few ever need, in one place.")
def advanced(stage: Stage) -> Played:
    stage.open_chat(*SIZE)
    stage.show_settings("ui.section.privacy", "ui.settings.advanced")
    stage.page.locator("details.advanced > summary").first.click()
    expect(stage.page.locator("#effort")).to_be_visible()
    yield None


@scene("privacy", PART, "Who receives what, and what few need.")
def privacy(stage: Stage) -> Played:
    stage.open_chat(*SIZE)
    stage.show_settings("ui.section.privacy")
    yield None


@scene("erase", PART, "Deleting all data takes a typed word.")
def erase(stage: Stage) -> Played:
    stage.open_chat(*SIZE)
    stage.show_settings("ui.section.privacy")
    stage.button("settings.privacy.erase_do").click()
    expect(stage.page.locator(".erase-paths li").first).to_be_visible()
    yield None
