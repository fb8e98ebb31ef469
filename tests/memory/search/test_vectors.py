"""Nearness to a question over a matrix of vectors."""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys
import tracemalloc
from concurrent.futures import Future
from datetime import date
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pet.language.tokens import tokenize
from pet.memory.search import vectors
from pet.memory.search.database import open_database
from pet.memory.search.embedders import _result
from pet.memory.search.query import parse_query
from pet.memory.search.ranking import SIGNS, Candidate, rank, signs_of
from pet.memory.search.vectors import Question, VectorTable, _cosines, _lowest

if TYPE_CHECKING:
    from pet.memory.search.embedders import Vectors


class _Usual:
    mean = 0.0
    spread = 0.1


def test_cosines_with_both_vectors_of_a_question_are_those_of_the_whole_matrix() -> None:
    numbers = np.random.default_rng(5)
    rows = numbers.standard_normal((1_300, 16), dtype=np.float32)
    one, other = numbers.standard_normal((2, 16), dtype=np.float32)
    alone, beside = _cosines(
        rows, Question(alone=one, alone_usual=_Usual(), around=other, around_usual=_Usual(), embedder_usual=_Usual())
    )
    assert np.allclose(alone, rows @ one, atol=1e-5) and np.allclose(beside, rows @ other, atol=1e-5)
    alone, beside = _cosines(
        rows, Question(alone=one, alone_usual=_Usual(), around=one, around_usual=_Usual(), embedder_usual=_Usual())
    )
    assert np.allclose(alone, rows @ one, atol=1e-5) and beside is alone


@pytest.mark.parametrize("count", [1, 40, 1_024, 2_000])
def test_the_lowest_of_many_values_are_those_of_all(count: int) -> None:
    values = np.random.default_rng(6).standard_normal(20_000, dtype=np.float32)
    for each in (values, np.sort(values), values[:2_000], np.where(np.arange(20_000) % 16, values - 9, values)):
        assert np.array_equal(np.sort(each[_lowest(each, count)]), np.sort(each)[:count])
    few = np.where(np.arange(20_000) % 16, 99, values)  # nearly all are left out
    assert np.array_equal(np.sort(few[_lowest(few, count)]), np.sort(few)[:count])


def test_a_draft_that_was_replaced_has_no_vector() -> None:
    future: Future[Vectors | None] = Future()
    assert future.cancel()
    assert _result(future) is None


def test_signs_are_told_in_the_order_of_their_weights() -> None:
    entry = Candidate(
        id=1, file=1, path="MEMORY.md", start_line=1, end_line=1, day=None, due=None, text="tea", tokens=["tea"]
    )
    question = parse_query("tea", date(2026, 11, 21))
    ((_, signs, _),) = signs_of(question, [entry], {1: entry}, {"tea": 1.0}, 1.0, None)
    assert tuple(signs) == SIGNS


@pytest.mark.parametrize(("names", "first"), [(("Ana", "Ben"), "lantern"), (("",), "harbour")])
def test_notes_of_talk_are_ranked_by_their_words_first(names: tuple[str, ...], first: str) -> None:
    said = ["lantern boat", "harbour evening", *("nothing much",) * 6]
    texts = [f"{name}: {each}" if name else each for name, each in zip(cycle(names), said, strict=False)]
    entries = [
        Candidate(
            id=number,
            file=number,
            path="memory/2026-03-02.md",
            start_line=number,
            end_line=number,
            day=None,
            due=None,
            text=text,
            tokens=tokenize(text),
        )
        for number, text in enumerate(texts)
    ]
    around = {each.id: each for each in entries}
    rarity = dict.fromkeys(tokenize("lantern boat"), 5.0)
    question = parse_query("Where is the lantern boat?", date(2026, 11, 21))

    def near(_file: int, id_: int) -> tuple[float, float]:
        return (4.5, 4.5) if id_ == 1 else (0.0, 0.0)

    best = rank(question, entries, around, rarity, 3.0, near, rarest=6.0, count=300)[0]
    assert first in best.candidate.text


def test_rows_of_a_replaced_file_are_used_again(tmp_path: Path) -> None:
    """A conversation is indexed anew as it grows: with its former rows the table took several times its size."""
    connection = open_database(tmp_path / "index.sqlite")
    table = VectorTable("m", tmp_path / "none", utterances=False)  # in memory, which is counted here
    connection.execute("INSERT INTO vectors VALUES ('m', x'00', ?)", (np.ones(384, dtype="<f4").tobytes(),))
    tracemalloc.start()
    try:
        for version in range(1, 30):
            for name in ("embedded", "entries", "files"):
                connection.execute(f"DELETE FROM {name}")
            connection.execute("INSERT INTO files VALUES (?, 'MEMORY.md', 0, '', x'00', 0)", (version,))
            connection.execute("INSERT INTO embedded VALUES ('m', ?)", (version,))
            connection.executemany(
                "INSERT INTO entries VALUES (?, ?, 1, 1, NULL, NULL, NULL, x'00', '', '', '', '')",
                [(version * 1_000 + row, version) for row in range(250)],
            )
            assert not table.sync(connection)
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
        connection.close()
    assert kept < 2 * 250 * 384 * 4


def _put(connection: sqlite3.Connection, file: int, rows: np.ndarray) -> None:
    """Store a file of entries with these vectors, ids from ``1000 * file`` on."""
    connection.execute("INSERT INTO files VALUES (?, ?, 0, '', x'00', 0)", (file, f"memory/{file}.md"))
    connection.execute("INSERT INTO embedded VALUES ('m', ?)", (file,))
    for number, row in enumerate(rows):
        id_ = 1_000 * file + number
        hash_ = id_.to_bytes(8, "big")
        connection.execute("INSERT INTO vectors VALUES ('m', ?, ?)", (hash_, row.astype("<f4").tobytes()))
        connection.execute(
            "INSERT INTO entries VALUES (?, ?, 1, 1, NULL, NULL, NULL, ?, '', '', '', '')", (id_, file, hash_)
        )


_ON_DISK = pytest.mark.skipif(sys.platform == "win32", reason="there the rows are in memory")


def _unit_rows(count: int, width: int) -> np.ndarray:
    rows = np.random.default_rng(9).standard_normal((count, width), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


@_ON_DISK
def test_rows_take_no_memory_and_leave_no_file(tmp_path: Path) -> None:
    connection = open_database(tmp_path / "index.sqlite")
    rows = _unit_rows(2_000, 512)
    for file in range(1, 9):
        _put(connection, file, rows[250 * (file - 1) : 250 * file])
    table = VectorTable("m", tmp_path, utterances=False)
    tracemalloc.start()
    try:
        assert not table.sync(connection)
        near = table.nearest(_question(rows[300]), 5)
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    connection.close()
    assert near is not None and near.best[0] == 2_050
    assert kept < rows.nbytes / 8
    assert [file.name for file in tmp_path.iterdir() if not file.name.startswith("index.")] == []


def test_rows_are_not_read_where_all_of_them_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As of the only conversation: it is left out of its own recall, and what was read of its rows stayed mapped."""
    connection = open_database(tmp_path / "index.sqlite")
    rows = _unit_rows(20, 64)
    _put(connection, 1, rows)
    table = VectorTable("m", tmp_path, utterances=False)
    assert not table.sync(connection)
    reads: list[int] = []

    def noting(read: Vectors, question: Question) -> tuple[Vectors, Vectors]:
        reads.append(len(read))
        return _cosines(read, question)

    monkeypatch.setattr(vectors, "_cosines", noting)
    assert table.nearest(_question(rows[0]), 5, left_out=[1]) is None
    assert reads == []
    near = table.nearest(_question(rows[0]), 5)
    assert near is not None and near.best[0] == 1_000 and reads == [20]
    connection.close()


@_ON_DISK
def test_a_full_disk_moves_the_rows_to_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = open_database(tmp_path / "index.sqlite")
    rows = _unit_rows(600, 64)
    _put(connection, 1, rows[:200])
    table, in_memory = VectorTable("m", tmp_path, utterances=False), VectorTable("m", tmp_path, utterances=False)
    assert not table.sync(connection)

    def full(file: int, data: bytes, place: int) -> int:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(os, "pwrite", full)
    _put(connection, 2, rows[200:])
    assert not table.sync(connection) and not in_memory.sync(connection)
    for row in (0, 150, 250, 599):
        one, other = table.nearest(_question(rows[row]), 10), in_memory.nearest(_question(rows[row]), 10)
        assert one is not None and other is not None and one.best == other.best
        assert one.best[0] == (1_000 + row if row < 200 else 2_000 + row - 200)
    connection.close()


_LEAVE_FILE = """
import errno, os, sys
from pathlib import Path
import numpy as np
from pet.memory.search.vectors import _Rows

def full(*_):
    raise OSError(errno.ENOSPC, "no space left")

rows = _Rows(Path(sys.argv[1]))
rows.grow(4_096, 8)
rows.write(0, np.ones((1, 8), dtype=np.float32))
os.ftruncate(rows._file, 32)
os.pwrite = full
rows.write(4_000, np.ones((1, 8), dtype=np.float32))
assert rows.matrix.sum(axis=1).nonzero()[0].tolist() == [0, 4_000], rows.matrix
"""


@_ON_DISK
def test_rows_leave_a_full_disk_without_reading_the_mapping(tmp_path: Path) -> None:
    """A tmpfs allocates a page where a hole is read through a mapping: if it is full, the read ends the process. So
    does a read past the end of a file, on any disk."""
    done = subprocess.run([sys.executable, "-c", _LEAVE_FILE, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def _question(vector: np.ndarray) -> Question:
    return Question(alone=vector, alone_usual=_Usual(), around=vector, around_usual=_Usual(), embedder_usual=_Usual())


def test_a_large_table_finds_what_reading_all_of_it_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = np.random.default_rng(3)
    themes = numbers.standard_normal((24, 64), dtype=np.float32)

    def about(count: int) -> np.ndarray:
        rows = numbers.standard_normal((count, 24), dtype=np.float32) @ themes
        rows += 0.5 * numbers.standard_normal((count, 64), dtype=np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows

    connection = open_database(tmp_path / "index.sqlite")
    whole, large = VectorTable("m", tmp_path, utterances=False), VectorTable("m", tmp_path, utterances=False)
    for file in range(1, 9):
        _put(connection, file, about(100))
    for step in range(3):
        if step == 1:  # the last file is replaced, and its rows are used again
            for name, key in (("embedded", "file"), ("entries", "file"), ("files", "id")):
                connection.execute(f"DELETE FROM {name} WHERE {key} = 8")
            _put(connection, 20, about(100))
        if step == 2:
            _put(connection, 21, about(100))
        assert not whole.sync(connection)
        with monkeypatch.context() as patched:
            for name, value in {"_LARGE": 400, "_PROJECTED": 24, "_READ_WHOLE": 60}.items():
                patched.setattr(vectors, name, value)
            assert not large.sync(connection)
            for one, other in about(40).reshape(20, 2, 64):
                question = Question(
                    alone=one, alone_usual=_Usual(), around=other, around_usual=_Usual(), embedder_usual=_Usual()
                )
                close, exact = large.nearest(question, 10, ()), whole.nearest(question, 10, ())
                assert close is not None and exact is not None
                assert len(set(close.best) & set(exact.best)) >= 8
                place = exact.best[0] // 1_000, exact.best[0]
                assert close.z(*place) == pytest.approx(exact.z(*place), abs=0.2)
    connection.close()
