"""What the editor is offered to start from, and how much of a file goes into a prompt."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from pet.bridge.commands.files import FileCommands, TemplateList
from pet.i18n import LANGUAGES, Language
from pet.model import OPTIONAL_FILES, CoreFile
from pet.prompt.budget import characters_cut
from pet.settings.schema import Settings
from tests.support.program.parts import pet_of
from tests.workspace.conftest import Desk


def _commands(desk: Desk, language: Language = "en", limit: int = 20_000) -> FileCommands:
    settings = replace(Settings(), prompt_file_characters=limit)
    app = pet_of(
        store=desk.open(),
        effective=SimpleNamespace(current=lambda: settings),
        language=lambda: language,
        home=SimpleNamespace(data=desk.folder),
    )
    return FileCommands(app)


def _listed(desk: Desk, language: Language) -> TemplateList:
    return _commands(desk, language).list_templates()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_file_has_shipped_texts_and_the_owners_come_after_them(desk: Desk, language: Language) -> None:
    shipped = _listed(desk, language)
    assert {each.file for each in shipped.templates} == {*CoreFile, *OPTIONAL_FILES}
    assert not any(each.own for each in shipped.templates)
    folder = desk.folder / "templates"
    folder.mkdir()
    (folder / "heartbeat in exams.md").write_text("# Quiet, please\n", encoding="utf-8")
    now = _listed(desk, language)
    assert now.templates[:-1] == shipped.templates
    own = now.templates[-1]
    assert (own.file, own.text, own.own) == ("HEARTBEAT.md", "# Quiet, please\n", True)
    assert now.folder == str(folder)


def test_the_owners_own_texts_are_not_written_to_nor_made(desk: Desk) -> None:
    _listed(desk, "en")
    assert not (desk.folder / "templates").exists()


def test_the_cut_is_what_a_prompt_leaves_out(desk: Desk) -> None:
    desk.put("SOUL.md", b"a" * 1_000)
    view = _commands(desk, limit=400).read_file(file="SOUL.md")
    assert (view.characters, view.limit, view.cut) == (1_000, 400, characters_cut("a" * 1_000, 400))
    assert view.cut > 1_000 - 400  # the line in between takes room as well
    whole = _commands(desk, limit=1_000).read_file(file="SOUL.md")
    assert whole.cut == 0
