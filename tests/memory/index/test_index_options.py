"""Other pieces and weights, for those who set them: the index follows, and finds what it has to."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pet.memory.entries import count_tokens
from pet.memory.index.fixed_chunks import split_windows
from pet.memory.index.memory_index import open_index
from pet.memory.index_options import IndexOptions, index_options
from pet.settings.schema import Settings
from tests.memory.index.test_index_file import CountingEmbedder
from tests.memory.talks import Talk
from tests.memory.workspaces import TODAY, log


def test_the_settings_ship_with_what_is_best() -> None:
    assert index_options(Settings()) == IndexOptions()
    assert index_options(replace(Settings(), index_pieces="windows")).cut == "windows 400 80"


def test_an_index_cut_otherwise_is_made_anew(workspace: Path, tmp_path: Path) -> None:
    talk = Talk(workspace)
    talk.turn("The sunrise again.", "Lovely.")
    cache, windows = tmp_path / "cache", IndexOptions(pieces="windows", piece_tokens=60, overlap_tokens=10)
    index = open_index(workspace, cache, embedder=None)
    assert index.search("sunrise", 1)[0].start_line == 5
    index.use(windows)
    found = index.search("sunrise", 5, conversations=True)
    assert {(hit.start_line, hit.end_line) for hit in found if hit.path == "memory/2026-11-17.md"} == {(1, 9)}
    assert any(hit.path == talk.path for hit in found)
    total = index.pending()[1]
    index.close()
    index = open_index(workspace, cache, embedder=None, options=windows)  # it stays
    assert index.pending()[1] == total
    index.use(IndexOptions())
    assert index.search("sunrise", 1)[0].start_line == 5 and index.pending()[1] > total
    index.close()


@given(
    st.lists(st.text(alphabet="ab 中\t", max_size=90), max_size=60),
    st.integers(50, 120),
    st.integers(0, 1_000),
)
def test_windows_hold_every_line_and_are_no_longer_than_asked(lines: list[str], tokens: int, overlap: int) -> None:
    pieces = list(split_windows("memory/2026-01-02.md", lines, 3, tokens, overlap))
    held = {number for piece in pieces for number in range(piece.start_line, piece.end_line + 1)}
    assert {number for number, line in enumerate(lines, 3) if line.strip()} <= held
    for piece in pieces:
        assert count_tokens(piece.text) <= tokens + 2
        assert piece.text in "\n".join(lines[piece.start_line - 3 : piece.end_line - 2])


def test_windows_overlap_and_a_line_longer_than_one_is_split() -> None:
    lines = [f"line {number} of some words" for number in range(100)]
    pieces = list(split_windows("MEMORY.md", lines, 1, 100, 30))
    assert all(b.start_line <= a.end_line for a, b in itertools.pairwise(pieces)) and len(pieces) > 5
    (first, *rest) = split_windows("MEMORY.md", ["word " * 500], 7, 100, 30)
    assert rest and all((piece.start_line, piece.end_line) == (7, 7) for piece in (first, *rest))


def test_fixed_weights_go_by_raw_scores(workspace: Path, tmp_path: Path) -> None:
    fixed = IndexOptions(weights="fixed", meaning_weight=0.0, word_weight=1.0)
    index = open_index(workspace, tmp_path / "cache", embedder=None, options=fixed)
    hits = index.search("sunrise lake", 3)
    assert "sunrise" in hits[0].snippet and hits[0].score == 1.0
    index.close()
    index = open_index(workspace, tmp_path / "vectors", embedder=CountingEmbedder(), options=fixed)
    index.refresh()
    assert index.search("sunrise lake", 3)[0].score == 1.0
    index.use(replace(fixed, meaning_weight=1.0, word_weight=0.0))
    by_meaning = index.search("sunrise lake", 3)
    assert all(0 <= hit.score <= 1 for hit in by_meaning) and by_meaning[0].score > 0.9
    index.close()


def test_a_half_life_lets_old_entries_fall_behind(workspace: Path, tmp_path: Path) -> None:
    for day in ("2025-11-21", "2026-11-20"):
        log(workspace, day, [f"The narwhal of {day[:4]} sang."])
    index = open_index(workspace, tmp_path / "cache", embedder=None, options=IndexOptions(half_life_days=30))
    new, old = (hit for hit in index.search("narwhal sang", 2, TODAY))
    assert "2026" in new.snippet and old.score < new.score / 1_000
    index.use(IndexOptions())
    new, old = index.search("narwhal sang", 2, TODAY)
    assert old.score > new.score / 2
    index.close()
