"""Vaults of notes: daily notes become days, other notes come with their titles, and nothing is left out unsaid."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Collection
from pathlib import Path

import pytest

from pet.extras.imports.contents import LeftOut, SourceContents
from pet.extras.imports.detect import find
from pet.extras.imports.markdown_files import note_text
from pet.extras.imports.source import open_source
from pet.memory.store.split_entries import split_file
from tests.support.files import write_files


def read(path: Path, folders: Collection[str] | None = None) -> SourceContents:
    with open_source(path) as source:
        return find(source, folders=folders)


def vault(root: Path, files: dict[str, str], daily: dict[str, str] | None = None) -> Path:
    for each in ({} if daily is None else {".obsidian/daily-notes.json": json.dumps(daily)}) | files:
        (root / each).parent.mkdir(parents=True, exist_ok=True)
    settings = {} if daily is None else {".obsidian/daily-notes.json": json.dumps(daily)}
    write_files(root, {**settings, **files})
    return root


DAILY = "---\ntags: [daily]\n---\n![[sea.png]]\n\n- Swam at Kilbride\n- [ ] Buy tea\n- [x] Call Ana\n"


def test_daily_notes_become_days_with_their_tasks_and_without_front_matter(tmp_path: Path) -> None:
    found = read(vault(tmp_path / "v", {"Daily/2026-02-01.md": DAILY, "People/Femi.md": "Likes [[Tea|tea]].\n"}))
    assert found.kind == "vault"
    assert found.files == {
        "memory/2026-02-01.md": "- Swam at Kilbride\n- [ ] Buy tea\n- [x] Call Ana\n",
        "memory/People/Femi.md": "Likes [[Tea|tea]].\n",
    }
    assert found.folders == {"Daily": 1, "People": 1}


@pytest.mark.parametrize(
    ("folder", "form", "path"),
    [
        ("", "", "2026-02-01.md"),
        ("Daily", "YYYY-MM-DD", "Daily/2026-02-01.md"),
        ("Journal/", "YYYY/MM/YYYY-MM-DD", "Journal/2026/02/2026-02-01.md"),
        ("Journal", "YYYY/MM-MMMM/YYYY-MM-DD-dddd", "Journal/2026/02-February/2026-02-01-Sunday.md"),
        ("Tagebuch", "DD.MM.YYYY", "Tagebuch/01.02.2026.md"),
        ("", "dddd, MMMM Do YYYY", "Sunday, February 1st 2026.md"),
        ("", "D MMM YY", "1 Feb 26.md"),
        ("Diario", "D [de] MMMM [de] YYYY", "Diario/1 de febrero de 2026.md"),
        ("日记", "YYYY年M月D日", "日记/2026年2月1日.md"),
        ("", "MMMM D YYYY", "二月 1 2026.md"),
        ("", "YYYYMMDD", "20260201.md"),
        ("", "GGGG-[W]WW/YYYY-MM-DD", "2026-W05/2026-02-01.md"),
    ],
)
def test_daily_notes_are_found_by_the_vaults_own_settings(tmp_path: Path, folder: str, form: str, path: str) -> None:
    settings = {"folder": folder, "format": form} if form else {"folder": folder}
    found = read(vault(tmp_path / "v", {path: "- Swam\n", "Other.md": "- Tea\n"}, settings))
    assert found.files == {"memory/2026-02-01.md": "- Swam\n", "memory/Other.md": "- Tea\n"}


@pytest.mark.parametrize("form", ["YYYY", "[", "YYYY-MM-DD (YYYY", "YYYY-" * 200, "dddd", "dddd" * 50])
def test_a_format_that_names_no_day_makes_notes(tmp_path: Path, form: str) -> None:
    found = read(vault(tmp_path / "v", {"2026.md": "- Swam\n", "2026-02-01.md": "- Tea\n"}, {"format": form}))
    assert set(found.files) == {"memory/2026.md", "memory/2026-02-01.md"}


def test_periodic_notes_and_logseqs_journals_are_days_as_well(tmp_path: Path) -> None:
    plugin = {"daily": {"folder": "log", "format": "DD-MM-YYYY"}}
    files = {
        ".obsidian/plugins/periodic-notes/data.json": json.dumps(plugin),
        "log/03-02-2026.md": "- Tea\n",
        "journals/2026_02_04.md": "- Cake\n",
        "logseq/bak/journals/2026_02_04.md": "- Old cake\n",
        "2026-02-05 Thu.md": "- Rain\n",
        "2026-02-05 Boat.md": "- Boat\n",
    }
    found = read(vault(tmp_path / "v", files))
    assert found.files == {
        "memory/2026-02-03.md": "- Tea\n",
        "memory/2026-02-04.md": "- Cake\n",
        "memory/2026-02-05.md": "- Rain\n",
        "memory/2026-02-05 Boat.md": "- Boat\n",
    }
    assert "logseq/" in [each.name for each in found.skipped]


def test_basic_memorys_notes_have_their_titles(tmp_path: Path) -> None:
    note = "---\ntitle: Coffee Methods\ntype: note\npermalink: coffee/methods\n---\n- [method] Pour over #brew\n"
    headed = "---\ntitle: 'Tea'\npermalink: tea\n---\n\n# Tea\n\n- Green\n"
    found = read(vault(tmp_path / "v", {"coffee/coffee-methods.md": note, "tea.md": headed}))
    assert found.files == {
        "memory/coffee/coffee-methods.md": "# Coffee Methods\n\n- [method] Pour over #brew\n",
        "memory/tea.md": "# Tea\n\n- Green\n",
    }


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("---\ntags: x\n---\n", ""),
        ("---\n---\n- a\n", "- a\n"),
        ("---\nno end\n- a\n", "---\nno end\n- a\n"),
        ("---\nBetween two rules\n---\n", "---\nBetween two rules\n---\n"),
        ("\ufeff- a\n".removeprefix("\ufeff"), "- a\n"),
        ("- ![[a.png]]\n- b ![x](y.png) c\n![[Note#Part]]\n", "- b  c\n"),
        ("a %%hidden%% b\n<!-- x -->\n", "a  b\n"),
        ("```dataview\nlist from #x\n```\n- a\n```python\nprint()\n```\n", "- a\n```python\nprint()\n```\n"),
        ("- [ ] call 📅 2026-03-01\n", "- [ ] call 📅 2026-03-01\n"),
        ("50% of 100%\n", "50% of 100%\n"),
    ],
)
def test_a_notes_text_is_what_it_says(text: str, kept: str) -> None:
    assert note_text(text, LeftOut()) == kept


def test_what_a_note_does_not_say_is_counted(tmp_path: Path) -> None:
    text = "---\ntags: x\n---\n![[a.png]] %%aside%%\n<!-- x -->\n![b](c.png)\n```tasks\nnot done\n```\n- Tea\n"
    found = read(vault(tmp_path / "v", {"a.md": text, "b.md": "- Cake\n"}))
    assert {kind: count for kind, count in found.left_out.items() if count} == {
        "hidden": 3,
        "pictures": 2,
        "tools": 1,
    }


def test_chosen_folders_alone_come_and_what_stays_is_named(tmp_path: Path) -> None:
    files = {
        "root.md": "- Root\n",
        "Daily/2026-02-01.md": "- Swam\n",
        "Work/a.md": "- Work\n",
        "Work/deep/er/and/deeper/still/b.md": "- Deep\n",
        "Work/CON.md": "- A device\n",
        "Templates/day.md": "{{date}}\n",
        ".trash/gone.md": "- Gone\n",
        ".obsidian/templates.json": json.dumps({"folder": "Templates"}),
        "files/sea.png": "",
        "Map.excalidraw.md": "x",
        "Board.canvas": "{}",
    }
    root = vault(tmp_path / "v", files, {})
    found = read(root, ["Daily", ""])
    assert found.files == {"memory/root.md": "- Root\n", "memory/2026-02-01.md": "- Swam\n"}
    assert found.folders == {"": 1, "Daily": 1, "Work": 2}
    named = {each.name: each.reason for each in read(root).skipped}
    assert named == {
        "Work/CON.md": "name",
        "Work/deep/er/and/deeper/still/": "deep",
        "Templates/": "other",
        ".trash/": "other",
        ".obsidian/": "other",
        "files/": "other",
        "Map.excalidraw.md": "other",
        "Board.canvas": "other",
    }


def test_a_zipped_vault_is_read_as_its_folder(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "v.zip", "w") as made:
        made.writestr("v/.obsidian/daily-notes.json", json.dumps({"folder": "D", "format": "D.M.YYYY"}))
        made.writestr("v/D/1.2.2026.md", "- Swam\n")
        made.writestr("v/.trash/gone.md", "- Gone\n")
    found = read(tmp_path / "v.zip")
    assert found.files == {"memory/2026-02-01.md": "- Swam\n"}
    assert {each.name for each in found.skipped} == {".obsidian/", ".trash/"}


def test_settings_behind_a_link_are_not_read(tmp_path: Path) -> None:
    outside = vault(tmp_path / "other", {"x.md": "x\n"}, {"format": "DD.MM.YYYY"})
    root = vault(tmp_path / "v", {"01.02.2026.md": "- Swam\n", "a.md": "- Tea\n"})
    (root / ".obsidian").symlink_to(outside / ".obsidian")
    assert "memory/2026-02-01.md" not in read(root).files


@pytest.mark.parametrize(
    "piece",
    ["<!--", "%%a% ", "![[", "![a](", "```tasks\n", "# # #", "---\n   \n", "title: ' ", "   \n", "a: b\n", "- [ ] "],
)
def test_hostile_notes_are_read_soon(tmp_path: Path, piece: str) -> None:
    """Each took minutes with a pattern that looks for its end from every beginning."""
    text = f"---\n{piece * (200_000 // len(piece))}x\n"
    found = read(vault(tmp_path / "v", {"a.md": text, "b.md": text.removeprefix("---\n")}))
    assert set(found.files) == {"memory/a.md", "memory/b.md"}
    assert all(entry.text.strip() for entry in split_file("memory/a.md", text.split("\n")[:5000]))
