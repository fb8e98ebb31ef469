"""Nearness to a question over a matrix of vectors."""

from __future__ import annotations

import tracemalloc
from datetime import date
from pathlib import Path

import numpy as np

from pet.memory.database import open_database
from pet.memory.query import parse_query
from pet.memory.ranking import SIGNS, Candidate, signs_of
from pet.memory.vectors import Question, VectorTable, _cosines


class _Usual:
    mean = 0.0
    spread = 0.1


def test_cosines_with_both_vectors_of_a_question_are_those_of_the_whole_matrix() -> None:
    numbers = np.random.default_rng(5)
    rows = numbers.standard_normal((1_300, 16), dtype=np.float32)
    one, other = numbers.standard_normal((2, 16), dtype=np.float32)
    alone, beside = _cosines(rows, Question(alone=one, alone_usual=_Usual(), around=other, around_usual=_Usual()))
    assert np.allclose(alone, rows @ one, atol=1e-5) and np.allclose(beside, rows @ other, atol=1e-5)
    alone, beside = _cosines(rows, Question(alone=one, alone_usual=_Usual(), around=one, around_usual=_Usual()))
    assert np.allclose(alone, rows @ one, atol=1e-5) and beside is alone


def test_signs_are_told_in_the_order_of_their_weights() -> None:
    entry = Candidate(
        id=1, file=1, path="MEMORY.md", start_line=1, end_line=1, day=None, due=None, text="tea", tokens=["tea"]
    )
    question = parse_query("tea", date(2026, 11, 21))
    ((_, signs, _),) = signs_of(question, [entry], {1: entry}, {"tea": 1.0}, 1.0, None)
    assert tuple(signs) == SIGNS


def test_rows_of_a_replaced_file_are_used_again(tmp_path: Path) -> None:
    """A conversation is indexed anew as it grows: with its former rows the table took several times its size."""
    connection = open_database(tmp_path / "index.sqlite")
    table = VectorTable("m", utterances=False)
    connection.execute("INSERT INTO vectors VALUES ('m', x'00', ?)", (np.ones(384, dtype="<f4").tobytes(),))
    tracemalloc.start()
    try:
        for version in range(1, 30):
            for name in ("embedded", "entries", "files"):
                connection.execute(f"DELETE FROM {name}")
            connection.execute("INSERT INTO files VALUES (?, 'MEMORY.md', 0, '', x'00', 0)", (version,))
            connection.execute("INSERT INTO embedded VALUES ('m', ?)", (version,))
            connection.executemany(
                "INSERT INTO entries VALUES (?, ?, 1, 1, NULL, NULL, NULL, x'00', '', '', '')",
                [(version * 1_000 + row, version) for row in range(250)],
            )
            assert not table.sync(connection)
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
        connection.close()
    assert kept < 2 * 250 * 384 * 4
