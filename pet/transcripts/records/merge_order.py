"""Order of entries from several machines, by time. Deterministic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from pet.transcripts.records.entries import TranscriptEntry

LONG_AGO = datetime.min.replace(tzinfo=UTC)


def instant(at: str) -> datetime:
    """Parse a stored time for comparison; an invalid one sorts first."""
    try:
        moment = datetime.fromisoformat(at)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return LONG_AGO


def merge(files: Mapping[str, Sequence[TranscriptEntry]]) -> tuple[TranscriptEntry, ...]:
    """Merge all files' entries by time, each id once: conflict copies repeat entries. Entries of one file keep their
    order, whatever that machine's clock did; ties are broken by file name.
    """
    if len(files) == 1:
        (only,) = files.values()
        return tuple(only)
    keyed: list[tuple[datetime, str, int, TranscriptEntry]] = []
    for name, entries in files.items():
        latest = LONG_AGO
        for place, entry in enumerate(entries):
            latest = max(latest, instant(entry.at))
            keyed.append((latest, name, place, entry))
    keyed.sort(key=lambda item: item[:3])
    seen: set[str] = set()
    merged: list[TranscriptEntry] = []
    for *_, entry in keyed:
        if not entry.id or entry.id not in seen:
            seen.add(entry.id)
            merged.append(entry)
    return tuple(merged)
