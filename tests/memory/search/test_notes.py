"""Notes below ``memory`` that are no logs: read, searched, dated, forgotten and left alone where they are none."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from pet.extras.standing_facts.facts import find_standing_facts
from pet.memory.search import index_sync
from pet.memory.search.memory_index import MemoryIndex, open_index
from pet.memory.search.recall_selection import HitSource
from pet.memory.store.split_entries import split_file
from pet.model import Source
from tests.memory.care_desk import CareDesk
from tests.memory.forget_desk import Pet
from tests.memory.gated import recalled
from tests.memory.workspaces import TODAY
from tests.support.files import write_files

NOTES = {
    "memory/2026-06-27-baking.md": "# Baking\n\n## Sourdough\n\nThe starter lives in the blue jar.\n",
    "memory/projects.md": "# Projects\n\n- Greenhouse: the glass is from a station in Turin\n- Boat shed\n",
    "memory/people/femi.md": "# Femi\n\nFemi repairs accordions in a cellar in Porto.\n",
    "memory/2026/03/05.md": "We flew kites on the dunes.\n",
    "memory/日记/旅行.md": "## 2026-05-01\n\n在泉州吃了姜母鸭。\n",
    "memory/garden.md": "# Garden diary\n\n## 2026-04-02\n\n- Planted quinces\n\n## Ideas\n\n- A pond\n",
}
LEFT: dict[str, str | bytes] = {
    "memory/.dreams/night.md": "A dream of walruses.\n",
    "memory/.hidden.md": "Hidden walruses.\n",
    "memory/notes.txt": "Text walruses.\n",
    "memory/people/big.md": "walruses " * 150_000,
    "memory/people/gbk.md": "海象很多 walruses".encode("gbk"),
    "memory/people/femi.sync-conflict-20260101-101010-ABCDEFG.md": "Copied walruses.\n",
    "Memory.md": "- Misspelt walruses\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "pet"
    write_files(folder, NOTES)
    write_files(folder, LEFT)
    outside = tmp_path / "outside"
    write_files(outside, {"secret.md": "Outside walruses.\n"})
    (folder / "memory" / "linked").symlink_to(outside)
    (folder / "memory" / "linked.md").symlink_to(outside / "secret.md")
    (folder / "memory" / "inner.md").symlink_to(folder / "memory" / "projects.md")
    return folder


@pytest.fixture
def index(root: Path, tmp_path: Path) -> Iterator[MemoryIndex]:
    opened = open_index(root, tmp_path / "cache", embedder=None)
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("sourdough starter", ("memory/2026-06-27-baking.md", 5, 5)),
        ("greenhouse", ("memory/projects.md", 3, 3)),
        ("Who repairs accordions?", ("memory/people/femi.md", 3, 3)),
        ("kites", ("memory/2026/03/05.md", 1, 1)),
        ("姜母鸭", ("memory/日记/旅行.md", 3, 3)),
    ],
)
def test_a_note_is_found_with_its_path_and_lines(
    index: MemoryIndex, question: str, place: tuple[str, int, int]
) -> None:
    hit = index.search(question, 3, now=TODAY)[0]
    assert (hit.path, hit.start_line, hit.end_line) == place
    assert hit.source is HitSource.LOG


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What did we do on 5 March?", "kites"),
        ("What happened on 2026-06-27?", "blue jar"),
        ("What did I plant on 2 April?", "quinces"),
        ("2026年5月1日我们做了什么", "姜母鸭"),
    ],
)
def test_a_date_in_the_name_or_the_heading_is_its_day(index: MemoryIndex, question: str, found: str) -> None:
    assert found in index.search(question, 3, now=TODAY)[0].snippet


@pytest.mark.parametrize(
    ("name", "text", "days"),
    [
        ("memory/2026-06-27-baking.md", "# Baking\n\nRye\n\n## 2026-06-29\n\nOats", ["2026-06-27", "2026-06-29"]),
        ("memory/baking_2026-06-27.md", "Rye", ["2026-06-27"]),
        ("memory/2026/06/27.md", "Rye", ["2026-06-27"]),
        ("memory/2026-06/27.md", "Rye", [None]),
        ("memory/2026-02-30.md", "Rye", [None]),
        ("memory/projects.md", "# Plans\n\n- Rye\n- Since 2026-06-27: oats", [None, "2026-06-27"]),
        ("memory/projects.md", "# 2026-06-27\n\nRye\n\n# 2026-06-28 more\n\nOats", ["2026-06-27", "2026-06-28"]),
        (
            "memory/p.md",
            "# Diary 2026-06-27\n\n## 10:30 AM - Bread\n\nRye\n\n## [11:00] fact\n\nOats",
            ["2026-06-27"] * 2,
        ),
        ("memory/p.md", "## 2026-06-27\n\nRye\n\n### Later\n\nOats\n\n## Ideas\n\nPond", ["2026-06-27"] * 2 + [None]),
    ],
)
def test_the_days_of_a_notes_entries(name: str, text: str, days: list[str | None]) -> None:
    entries = split_file(name, text.split("\n"))
    assert [each.day for each in entries] == [day and date.fromisoformat(day) for day in days]


def test_a_note_is_recalled_with_its_path(index: MemoryIndex) -> None:
    hits = recalled(index, "Where does Femi repair accordions?", TODAY)
    assert [(hit.path, hit.start_line) for hit in hits] == [("memory/people/femi.md", 3)]


def test_what_is_no_note_is_not_found(index: MemoryIndex, root: Path) -> None:
    assert index.search("walruses", 10, now=TODAY) == []
    (root / "memory" / "people" / "big.md").write_text("Small walruses now.\n", encoding="utf-8")
    assert [hit.path for hit in index.search("walruses", 10, now=TODAY)] == ["memory/people/big.md"]
    (root / "memory" / "people" / "big.md").write_text("walruses " * 150_000, encoding="utf-8")
    assert index.search("walruses", 10, now=TODAY) == []


def test_changes_below_are_seen_by_the_next_search(index: MemoryIndex, root: Path) -> None:
    memory = root / "memory"
    assert index.search("greenhouse", 1, now=TODAY)
    (memory / "people" / "femi.md").rename(memory / "people" / "luthier.md")
    assert index.search("accordions", 1, now=TODAY)[0].path == "memory/people/luthier.md"
    shutil.move(memory / "people", memory / "crowd")
    assert index.search("accordions", 1, now=TODAY)[0].path == "memory/crowd/luthier.md"
    shutil.rmtree(memory / "crowd")
    assert index.search("accordions", 1, now=TODAY) == []
    write_files(root, {"memory/a/b/c.md": "Lighthouse keepers eat late.\n"})
    assert index.search("lighthouse", 1, now=TODAY)[0].path == "memory/a/b/c.md"
    (memory / "a").rename(root / "elsewhere")
    (memory / "a").symlink_to(root / "elsewhere")
    assert index.search("lighthouse", 1, now=TODAY) == []


def test_a_folder_that_becomes_a_link_after_it_was_listed_is_not_read(
    index: MemoryIndex, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = index_sync.list_files

    def swapped(*given: object) -> object:
        result = listed(*given)  # type: ignore[arg-type]
        write_files(root.parent, {"other/femi.md": "Walruses from elsewhere.\n"})
        shutil.rmtree(root / "memory" / "people")
        (root / "memory" / "people").symlink_to(root.parent / "other")
        return result

    monkeypatch.setattr("pet.memory.search.index_sync.list_files", swapped)
    assert index.search("walruses", 5, now=TODAY) == []


def test_files_that_are_renamed_while_they_are_read_are_no_error(index: MemoryIndex, root: Path) -> None:
    stop = threading.Event()
    one, other = root / "memory" / "people" / "femi.md", root / "memory" / "people" / "iza.md"

    def rename() -> None:
        while not stop.is_set():
            one.rename(other)
            other.rename(one)

    thread = threading.Thread(target=rename)
    thread.start()
    try:
        for turn in range(30):
            write_files(root, {"memory/people/other.md": f"Turn {turn}\n"})
            assert index.search("greenhouse", 1, now=TODAY)
    finally:
        stop.set()
        thread.join()
    assert index.search("accordions", 1, now=TODAY)[0].path == "memory/people/femi.md"


def test_ten_thousand_notes_are_found_and_asked_for_changes_once_each(tmp_path: Path) -> None:
    root = tmp_path / "pet"
    write_files(root, {f"memory/{n % 20}/note {n}.md": f"The word here is w{n}x.\n" for n in range(10_000)})
    index = open_index(root, tmp_path / "cache", embedder=None)
    try:
        index.refresh_words()
        assert index.count_entries() == 10_000
        assert index.search("w7777x", 1, now=TODAY)[0].path == "memory/17/note 7777.md"
        write_files(root, {"memory/3/note 3.md": "The word here is zeppelin.\n"})
        assert index.search("zeppelin", 1, now=TODAY)[0].path == "memory/3/note 3.md"
    finally:
        index.close()


def test_a_later_note_of_another_kind_keeps_a_fact_out_of_the_profile(care: CareDesk) -> None:
    care.put("USER.md", "# About you\n")
    care.note("2026-03-02", "Owner: My grandmother Rosa lives with us", "Owner: Allergic to hazelnuts")
    write_files(care.root, {"memory/2026-08-01-family.md": "# Family\n\nRosa died this morning.\n"})
    write_files(care.root, {"memory/people/old/2025-01-01.md": "We ate hazelnuts.\n"})
    care.keep()
    assert "Rosa" not in care.text("USER.md")
    assert "hazelnuts" in care.text("USER.md")


def test_no_fact_is_taken_from_a_note() -> None:
    assert find_standing_facts({"memory/2026-06-27-x.md": "## [10:00:00] fact\n\nAllergic to nuts\n"}, []) == []


SECRET = "Zanzibar blue"


def test_a_text_is_forgotten_in_notes_their_versions_and_copies(pet: Pet) -> None:
    pet.put("memory/people/femi.md", f"# Femi\n\n- Paints in {SECRET}\n- Likes figs\n")
    pet.store.observe("memory/people/femi.md")
    pet.save("memory/projects.md", f"- The wall in {SECRET}\n", Source(conversation="c", turn="t"))
    pet.save("memory/projects.md", "- The wall in white\n", Source(conversation="c", turn="t"))
    pet.put("memory/people/femi.md~", f"- Paints in {SECRET}\n")
    pet.put("memory/gone/a_b.md", f"- {SECRET}\n")
    pet.store.observe("memory/gone/a_b.md")
    shutil.rmtree(pet.root / "memory" / "gone")
    pet.index.refresh_words()
    plan = pet.forgetting.find(SECRET)
    assert {(piece.where, piece.path) for piece in plan.goes} >= {
        ("file", "memory/people/femi.md"),
        ("history", "memory/projects.md"),
        ("history", "memory/gone/a_b.md"),
    }
    report = pet.forgetting.forget(plan)
    assert (report.unreached, report.left) == (0, ())
    assert pet.where(SECRET) == []
    assert pet.text("memory/people/femi.md") == "# Femi\n\n- Likes figs\n"
    assert not (pet.root / "memory" / "gone").exists(), "what is gone is not made again"
    pet.index.close()


def test_a_notes_name_that_has_the_text_is_said_to_be_left(pet: Pet) -> None:
    pet.put("memory/people/Femi Ade.md", "- Femi Ade likes figs\n")
    pet.store.observe("memory/people/Femi Ade.md")
    talk = pet.talk()
    turn = talk.said("hello")
    call = talk.call("read", path="memory/people/Femi Ade.md")
    talk.replied(turn, "hi", calls=(call,))
    talk.answered(turn, call, "nothing")
    report = pet.forgetting.forget(pet.forgetting.find("Femi Ade"))
    assert [piece.path for piece in report.left] == ["memory/people/Femi Ade.md"]
    assert "Femi Ade" not in (pet.root / "conversations" / f"{talk.id}.jsonl").read_text(encoding="utf-8")
    pet.index.close()


def test_front_matter_and_embeds_are_no_entries_and_lines_stay_where_they_are() -> None:
    lines = [
        "---",
        "title: Femi",
        "tags: [daily]",
        "---",
        "![[harbour.png]]",
        "Plays the cello.",
        "",
        "- [ ] Buy tea",
    ]
    found = [(entry.start_line, entry.text) for entry in split_file("memory/Daily/2026-02-01.md", lines)]
    assert found == [(6, "Plays the cello."), (8, "- [ ] Buy tea")]
    open_end = ["---", "no end", "", "- Tea"]
    assert [entry.text for entry in split_file("memory/a.md", open_end)] == ["---\nno end", "- Tea"]
    inside = ["- Tea ![[cup.png]]", "---", "- Cake", "---"]
    assert "- Tea ![[cup.png]]" in next(split_file("memory/a.md", inside)).text
