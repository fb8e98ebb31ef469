"""A file's versions as listed for its owner, and the retention policy. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pet.model import MISSING, Author, Source, Version
from pet.workspace.history.file_history import HistoryEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptVersion:
    """One version of a file. ``replaced_by``: author of the next one; None for the current one."""

    id: str
    file: str
    version: Version
    at: str
    author: Author
    replaced_by: Author | None
    source: Source | None
    bytes: int
    current: bool
    backup: bool


def list_versions(entries: Sequence[HistoryEntry], current: Version) -> list[KeptVersion]:
    """List versions newest first. A deletion is not a version, but counts as the replacement of the one before."""
    versions: list[KeptVersion] = []
    replaced_by: Author | None = None
    for at, entry in reversed(list(enumerate(entries))):
        following = entries[at + 1] if at + 1 < len(entries) else None
        if following is not None and following.after != entry.after:
            replaced_by = following.author
        is_current = following is None and entry.after == current
        if entry.after == MISSING:
            continue
        versions.append(
            KeptVersion(
                id=entry.id,
                file=entry.file,
                version=entry.after,
                at=entry.at,
                author=entry.author,
                replaced_by=replaced_by,
                source=entry.source,
                bytes=entry.size,
                current=is_current,
                backup=entry.kind == "backup",
            )
        )
    return versions


def versions_to_keep(
    entries: Sequence[HistoryEntry], *, now: datetime, days: int, daily_days: int, newest: int
) -> list[HistoryEntry]:
    """Return all versions of the last ``days``, the last of each day up to ``daily_days``, and the ``newest`` ones.

    Only days on which the file changed count: see ``_ages``.
    """
    last_of_day = {_day(entry): entry.id for entry in entries}
    always = {entry.id for entry in entries[-max(1, newest) :]}
    kept: list[HistoryEntry] = []
    for entry, age in zip(entries, _ages(entries, now), strict=True):
        daily = age <= daily_days and last_of_day[_day(entry)] == entry.id
        if age <= days or daily or entry.id in always or not entry.done:
            kept.append(entry)
    return kept


def _ages(entries: Sequence[HistoryEntry], now: datetime) -> list[float]:
    """Return the versions' ages in days. Between neighbours at most a day counts, so that a clock that jumps ahead
    makes everything one day older at most.
    """
    ages: list[float] = []
    age, later = 0.0, now
    for entry in reversed(entries):
        at = datetime.fromisoformat(entry.at)
        age += min(1.0, max(0.0, (later - at).total_seconds() / 86400))
        ages.append(age)
        later = at
    return ages[::-1]


def _day(entry: HistoryEntry) -> str:
    return entry.at[:10]
