"""In which order several machines' entries are read: by time, and the same on every machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from pet.transcripts.entries import Entry

LONG_AGO = datetime.min.replace(tzinfo=UTC)


def instant(at: str) -> datetime:
    """A stored time as a moment that compares; one that can't be read counts as long ago."""
    try:
        moment = datetime.fromisoformat(at)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return LONG_AGO


def merge(files: Mapping[str, Sequence[Entry]]) -> tuple[Entry, ...]:
    """All files' entries by time, each once. Within one file its own order stands, whatever that machine's clock did;
    ties go by the file's name. An entry that is in two files (one is a conflict copy of the other) has one id."""
    if len(files) == 1:
        (only,) = files.values()
        return tuple(only)
    keyed: list[tuple[datetime, str, int, Entry]] = []
    for name, entries in files.items():
        latest = LONG_AGO
        for place, entry in enumerate(entries):
            latest = max(latest, instant(entry.at))
            keyed.append((latest, name, place, entry))
    keyed.sort(key=lambda item: item[:3])
    seen: set[str] = set()
    merged: list[Entry] = []
    for *_, entry in keyed:
        if not entry.id or entry.id not in seen:
            seen.add(entry.id)
            merged.append(entry)
    return tuple(merged)
