"""Erase a text from a file and from its whole history.

The only operation that rewrites history. Order: the file itself, displaced files, each earlier version, the log in
one swap, then unreferenced objects. Idempotent: after a crash, running it again completes it. Refuses files that are
not text, and drops no version for any other reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from pet.errors import FileConflict
from pet.model import MISSING, Author, Version
from pet.workspace.fs.directory import Contents, version_of
from pet.workspace.history.file_history import HistoryEntry
from pet.workspace.versioned.locked_file import LockedFile
from pet.workspace.versioned.safe_replace import Change, Committed, commit

Cut = Callable[[str, bytes], bytes | None]
"""Maps a file's name and bytes to the bytes without the text; to None if they contain it and are not text."""

_ROUNDS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """Result of an erase. ``versions``: number rewritten or removed; ``renamed``: old version to new version."""

    changed: bool = False
    versions: int = 0
    renamed: dict[Version, Version] = field(default_factory=dict)


def erase_file(place: LockedFile, cut: Cut, named_elsewhere: Callable[[], set[Version]]) -> Erased:
    """Erase from one file. Raises what ``commit`` raises; the history is then unchanged."""
    place.log.merge_remote_logs()
    place.drop_leftovers()
    commits = _cut_file(place, cut)
    place.drop_displaced()
    fates, sizes = _fates(place, cut)
    entries = place.log.entries()
    mapped = _mapped(entries, fates, {each.entry.id for each in commits})
    kept = [replace(entry, size=sizes.get(entry.after, entry.size)) for entry in mapped]
    if kept != entries:
        place.log.rewrite(kept)
    gone = {version for version, fate in fates.items() if fate != version}
    if gone:
        place.log.drop_objects(gone - named_elsewhere() - _named(kept))
    return Erased(
        changed=bool(commits),
        versions=len({e.id for e in entries if e.after in gone} - {each.entry.id for each in commits}),
        renamed={version: fate for version, fate in fates.items() if fate is not None and fate != version},
    )


def _cut_file(place: LockedFile, cut: Cut) -> list[Committed]:
    """Erase from the file itself, retrying while other programs restore the text."""
    commits: list[Committed] = []
    for _ in range(_ROUNDS):
        now = place.read()
        data = cut(place.name, now.data) if isinstance(now, Contents) else None
        if not isinstance(now, Contents) or data is None or data == now.data:
            return commits
        committed = commit(place, Change(base=now, data=data, author=Author.OWNER))
        if committed is not None:
            commits.append(committed)
    raise FileConflict(file=place.name)


def _fates(place: LockedFile, cut: Cut) -> tuple[dict[Version, Version | None], dict[Version, int]]:
    """Map each version to itself, a rewritten one, or None if it is removed; and rewritten ones to their length."""
    now = place.read()
    current = version_of(now.data) if isinstance(now, Contents) else MISSING
    fates: dict[Version, Version | None] = {}
    sizes: dict[Version, int] = {}
    for version in _named(place.log.entries()):
        data = place.log.raw_bytes(version)
        if data is None:
            fates[version] = version
            continue
        wanted = cut(place.name, data)
        if wanted is None:
            fates[version] = version if version == current else None
        else:
            fates[version] = version if wanted == data else place.log.put_object(wanted)
            sizes[fates[version] or version] = len(wanted)
    return fates, sizes


def _mapped(
    entries: Iterable[HistoryEntry], fates: dict[Version, Version | None], ours: set[str]
) -> Iterator[HistoryEntry]:
    """Yield the rewritten log. Ids are kept; an entry that only removed the forgotten text is dropped."""
    last = MISSING
    for entry in entries:
        before, after = fates.get(entry.before, entry.before), fates.get(entry.after, entry.after)
        if after is None or (entry.id in ours and before == after):
            continue
        yield replace(entry, before=last if before is None else before, after=after)
        last = after


def _named(entries: Iterable[HistoryEntry]) -> set[Version]:
    return {version for entry in entries for version in (entry.before, entry.after)} - {MISSING}
