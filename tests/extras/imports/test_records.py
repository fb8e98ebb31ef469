"""What is kept of imports, so that they can be taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from pet.errors import WriteFailed
from pet.settings.import_records import ImportRecord, ImportRecords
from pet.untrusted.regular_files import read_regular


def test_records_that_can_not_be_read_for_a_moment_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records = ImportRecords(tmp_path / "imports.json", "mochi")
    first = ImportRecord(at="2026-03-01T12:00:00+00:00", kind="claude")
    records.add(first)
    failures = [PermissionError(13, "held by another program")]

    def held_once(file: Path, most: int = -1) -> bytes:
        if failures:
            raise failures.pop()
        return read_regular(file, most)

    monkeypatch.setattr("pet.settings.program_state.read_regular", held_once)
    with pytest.raises(WriteFailed):
        records.add(ImportRecord(at=first.at, kind="chatgpt"))
    assert [each.id for each in records.all()] == [first.id]
    records.drop(first.id)
    assert records.all() == []
