"""Memories as nobody writes them: search and recall answer, and nothing raises."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pet.memory.search.memory_index import open_index
from pet.memory.search.recall_selection import MAX_SNIPPET
from tests.memory.gated import recalled
from tests.memory.workspaces import TODAY

if TYPE_CHECKING:
    from pet.memory.search.embedders import Vectors


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "pet" / "memory"
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize("separator", [" ", "", "\n", "。"])
def test_an_entry_of_400_kilobytes_is_found_at_both_ends(logs: Path, separator: str) -> None:
    filler = separator.join(["lorem ipsum dolor"] * (400_000 // (17 + len(separator))))
    text = f"The heron stands at the weir. {filler} The otter sleeps in the boathouse."
    (logs / "2026-02-01.md").write_text(f"# Memory Log: 2026-02-01\n\n## [10:00:00] fact\n\n{text}\n", "utf-8")
    with closing(open_index(logs.parent, logs.parent.parent / "cache", embedder=None)) as index:
        heron, otter = index.search("heron at the weir", 1), index.search("otter in the boathouse", 1)
    assert "heron" in heron[0].snippet and "otter" in otter[0].snippet
    assert max(len(hit.snippet) for hit in (*heron, *otter)) <= MAX_SNIPPET


def test_a_year_of_logs_in_one_file_is_found_with_its_lines(logs: Path) -> None:
    days = [date(2025, 1, 1) + timedelta(at) for at in range(365)]
    text = "".join(
        f"# {day}\n\n## 10:30 AM - Walk {at}\nSaw {at} herons by canal {at}\n\n" for at, day in enumerate(days)
    )
    (logs / "2025-01-01.md").write_text(text, "utf-8")
    (logs.parent / "MEMORY.md").write_text(text, "utf-8")
    with closing(open_index(logs.parent, logs.parent.parent / "cache", embedder=None)) as index:
        (hit,) = index.search("herons by canal 217", 1, TODAY)
        lines = (logs.parent / hit.path).read_text("utf-8").splitlines()
    assert "Saw 217 herons by canal 217" in hit.snippet
    assert "Saw 217 herons by canal 217" in lines[hit.start_line - 1 : hit.end_line]


@pytest.mark.parametrize(
    ("name", "heading"),
    [
        ("2026-02-01", "[10:00:00] todo @9999-12-31"),
        ("2026-02-01", "[99:99:99] fact"),
        ("2026-02-01", "[10:00:00] todo @2026-02-31"),
        ("9999-12-31", "[10:00:00] fact"),
        ("0001-01-01", "[10:00:00] fact"),
        ("0000-00-00", "[10:00:00] fact"),
        ("2026-13-45", "[10:00:00] fact"),
    ],
)
@pytest.mark.parametrize(
    "question",
    [
        "Which day has the flux capacitor?",
        "capacitor on 31 December 9999",
        "capacitor 99999 years ago",
        "十万年前的 capacitor",
    ],
)
def test_a_date_beyond_every_calendar_hides_nothing(logs: Path, name: str, heading: str, question: str) -> None:
    (logs / f"{name}.md").write_text(
        f"# Memory Log: {name}\n\n## {heading}\n\nThe flux capacitor is ready\n", "utf-8"
    )
    (logs.parent / "MEMORY.md").write_text("- The flux capacitor was ordered (9999-12-31)\n", "utf-8")
    with closing(open_index(logs.parent, logs.parent.parent / "cache", embedder=None)) as index:
        assert any("capacitor" in hit.snippet for hit in index.search(question, 5, TODAY))
        recalled(index, question, TODAY)


@pytest.mark.parametrize("now", [date.min, date.max])
def test_a_clock_at_the_end_of_time_answers(logs: Path, now: date) -> None:
    (logs / "2026-02-01.md").write_text("# Memory Log: 2026-02-01\n\n## [10:00:00] fact\n\nHeron seen\n", "utf-8")
    with closing(open_index(logs.parent, logs.parent.parent / "cache", embedder=None)) as index:
        for question in ("heron yesterday", "heron next week", "上个月的 heron", "heron lately", "heron a year ago"):
            assert any("Heron" in hit.snippet for hit in index.search(question, 5, now)), question
            recalled(index, question, now)


class _Dying:
    """Embeds three entries, then nothing any more."""

    name, model, mean, spread = "dying", "dying-1", 0.0, 0.5

    def __init__(self, error: type[Exception]) -> None:
        self._error = error
        self._left = 3

    def embed_entries(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        self._left -= len(texts)
        if self._left < 0:
            raise self._error
        return np.full((len(texts), 4), 0.5, dtype=np.float32)

    def embed_question(self, text: str) -> Vectors:
        vector: Vectors = self.embed_entries([text])[0]
        return vector


@pytest.mark.parametrize("error", [OSError, ImportError, ValueError, MemoryError])
def test_an_embedder_that_dies_leaves_the_words(logs: Path, error: type[Exception]) -> None:
    notes = "".join(f"\n## [10:00:{at:02}] fact\n\nHeron number {at}\n" for at in range(12))
    (logs / "2026-02-01.md").write_text(f"# Memory Log: 2026-02-01\n{notes}", "utf-8")
    with closing(open_index(logs.parent, logs.parent.parent / "cache", embedder=_Dying(error))) as index:
        index.refresh()
        assert index.embedder is None
        assert "Heron number 7" in index.search("heron number 7", 1)[0].snippet
        recalled(index, "heron number 7", TODAY)
