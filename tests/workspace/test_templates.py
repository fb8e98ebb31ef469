"""The first start of a pet, and the words of its files in both languages."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from pet.errors import FileBroken, PetError, WorkspaceError
from pet.i18n import LANGUAGES, Language, Texts
from pet.memory.store.split_entries import split_file
from pet.model import OPTIONAL_FILES, Author, CoreFile, Present
from pet.prompt.build import user_state
from pet.workspace.templates import create_workspace, default_soul, gallery, is_untouched, own_templates, templates
from tests.workspace.conftest import Desk

HEADINGS: dict[Language, dict[CoreFile, list[str]]] = {
    "en": {
        CoreFile.SOUL: ["Who I am", "Personality", "Values", "Language style", "Limits"],
        CoreFile.USER: ["Name", "What to call them", "Preferences", "Habits"],
    },
    "zh": {
        CoreFile.SOUL: ["我是谁", "性格", "价值观", "语言风格", "底线"],
        CoreFile.USER: ["名字", "怎么称呼", "喜好", "习惯"],
    },
    "es": {
        CoreFile.SOUL: ["Quién soy", "Personalidad", "Valores", "Forma de hablar", "Límites"],
        CoreFile.USER: ["Nombre", "Cómo tratarle", "Preferencias", "Costumbres"],
    },
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_templates_have_the_sections_of_their_file(language: Language) -> None:
    for template in gallery(language):
        headings = [line[3:] for line in template.text.splitlines() if line.startswith("## ")]
        if template.file == CoreFile.SOUL or template.id == "profile":
            assert headings == HEADINGS[language][CoreFile(template.file)]
        assert template.text.startswith("# ")
        assert template.text.endswith("\n")
        assert len(template.text) < 2_500
        assert template.title
        assert template.about
    assert 100 < len(default_soul(language)) < 1000


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_gallery_has_personalities_that_differ_and_name_themselves(language: Language) -> None:
    souls = [each for each in gallery(language) if each.file == CoreFile.SOUL]
    assert len(souls) == 5
    assert souls[0].text == templates(language)[0].text
    assert len({each.name for each in souls}) == len({each.about for each in souls}) == 5
    for soul in souls:
        assert soul.name in soul.text.splitlines()[3]
        assert is_untouched("SOUL.md", soul.text)
        lines = soul.text.splitlines()  # a paragraph is one line: each editor wraps it as wide as it is
        for line, after in pairwise(lines):
            assert not line or not after or line.startswith("#") or after.startswith(("- ", "#"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_file_of_a_pet_has_a_starting_text_of_its_own(language: Language) -> None:
    files = [each.file for each in gallery(language)]
    assert set(files) == {*CoreFile, *OPTIONAL_FILES}
    assert files.count(CoreFile.USER.value) == 3
    assert len({each.id for each in gallery(language)}) == len(files)
    assert len({each.text for each in gallery(language)}) == len(files)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_unfilled_profile_or_memory_says_nothing_to_be_found_or_to_be_rich_by(language: Language) -> None:
    for template in gallery(language):
        if template.file in (CoreFile.USER, CoreFile.MEMORY):
            assert list(split_file(template.file, template.text.split("\n"))) == [], template.id
        if template.file == CoreFile.USER:
            state = Present(name=template.file, text=template.text, version="v")
            assert user_state(state, 20_000) == "thin", template.id


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_start_makes_soul_and_profile_and_no_memory(language: Language, desk: Desk) -> None:
    root = desk.folder / "pets" / "new"
    create_workspace(root, language)
    assert sorted(path.name for path in root.iterdir()) == [".history", "SOUL.md", "USER.md"]
    for template in templates(language):
        assert (root / template.file).read_text(encoding="utf-8") == template.text
    desk.root = root
    [made] = desk.open().history("SOUL.md")
    assert (made.author, made.current) == (Author.SYSTEM, True)


def test_the_owners_templates_are_those_that_can_be_read(tmp_path: Path) -> None:
    assert own_templates(tmp_path / "nowhere") == ()
    for name, content in {
        "sleepy fox.md": b"\xef\xbb\xbf# Fox\n",
        "User-shy.md": "# 关于我\n".encode(),
        "agents at work.md": b"# Work\n",
        "gbk.md": "狐狸".encode("gbk"),
        "huge.md": b"x" * (1024 * 1024 + 1),
        "notes.txt": b"no",
    }.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder.md").mkdir()
    found = own_templates(tmp_path)
    assert [(each.id, each.title, each.file) for each in found] == [
        ("own:User-shy", "User-shy", CoreFile.USER),
        ("own:agents at work", "agents at work", "AGENTS.md"),
        ("own:sleepy fox", "sleepy fox", CoreFile.SOUL),
    ]
    assert found[2].text == "# Fox\n"


def test_a_later_start_overwrites_nothing(desk: Desk) -> None:
    desk.put("SOUL.md", b"")
    (desk.root / "USER.md").symlink_to(desk.folder / "nowhere")
    create_workspace(desk.root, "en")
    assert desk.bytes("SOUL.md") == b""
    assert (desk.root / "USER.md").is_symlink()
    assert not (desk.folder / "nowhere").exists()
    (desk.root / "SOUL.md").unlink()
    create_workspace(desk.root, "en")
    assert desk.bytes("SOUL.md") != b""


def _all_errors(root: type[PetError]) -> list[type[PetError]]:
    return [root, *(deeper for kind in root.__subclasses__() for deeper in _all_errors(kind))]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_error_of_the_files_has_words(language: Language) -> None:
    texts = Texts(language)
    problems = ("not_utf8", "too_large", "unreadable", "link", "not_a_file")
    codes = [FileBroken(file="USER.md", problem=problem).error_code for problem in problems]
    codes += [kind.code for kind in _all_errors(WorkspaceError)]
    for code in [*codes, "bad_pet_id"]:
        said = texts(f"error.{code}", file="USER.md", count=2, reason="ENOSPC", pet_id="x", limit=1)
        assert "{" not in said
        assert said.endswith((".", "。"))


def test_profile_template_of_earlier_version_counts_as_untouched() -> None:
    earlier = "# About my owner\n\n## Name\n-\n\n## How to address them\n-\n\n## Preferences\n-\n\n## Habits\n-\n"
    assert is_untouched("USER.md", earlier)
    assert is_untouched("USER.md", earlier.replace("\n", "\r\n"))
    assert not is_untouched("USER.md", earlier.replace("## Name\n-", "## Name\n- Lin"))
    assert not is_untouched("MEMORY.md", earlier)
    spanish = "# Sobre mi persona\n\n## Nombre\n-\n\n## Cómo tratarle\n-\n\n## Preferencias\n-\n\n## Costumbres\n-\n"
    assert is_untouched("USER.md", spanish)
