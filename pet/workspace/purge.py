"""Erase a text from a file, its whole history, and the copies next to it.

The only operation that rewrites history. Order: the file itself, displaced files, each earlier version, the log in
one swap, then unreferenced objects. Idempotent: after a crash, running it again completes it. Refuses files that are
not text, and drops no version for any other reason. Touches only known copies of gated files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from pet.errors import FileConflict
from pet.fs.directory import (
    Contents,
    Unusable,
    open_folder,
    remove_leftovers,
    temp_beside,
    version_of,
    write_atomically,
)
from pet.fs.locks import as_write_errors, lock_file, locked
from pet.model import MISSING, Author, CoreFile, Version
from pet.workspace.file_history import HistoryEntry, versions_in
from pet.workspace.file_names import ASIDE, HISTORY_FOLDER, is_name, read_copy_name, read_note_copy
from pet.workspace.locked_file import LockedFile
from pet.workspace.note_files import note_folders
from pet.workspace.safe_replace import Change, Committed, commit

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
        place.log.drop_objects(gone - named_elsewhere() - versions_in(kept).keys())
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
    for version in versions_in(place.log.entries()).keys() - {MISSING}:
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


_BACKUP = re.compile(r"#(?P<unsaved>.+)#|(?P<of>.+?)(?:\.~\d+~|~|\.bak|\.old|\.orig|\.save)")
_GATED_CORE = frozenset({CoreFile.USER.value, CoreFile.MEMORY.value, ASIDE})
_LIMIT = 1 << 26


@dataclass(frozen=True, slots=True, kw_only=True)
class Sidecar:
    """A copy of the gated file ``of`` in the same folder."""

    folder: str
    leaf: str
    of: str

    @property
    def path(self) -> str:
        return f"{self.folder}/{self.leaf}" if self.folder else self.leaf


def list_sidecars(root: Path) -> tuple[Sidecar, ...]:
    """Return the copies of gated files, by name."""
    sidecars: list[Sidecar] = []
    for folder in ("", *note_folders(root)):
        with suppress(OSError), open_folder(root, *_parts(folder)) as opened:
            leaves = opened.names()
            sidecars += (
                Sidecar(folder=folder, leaf=leaf, of=of) for leaf in leaves if (of := original_of(folder, leaf))
            )
    return tuple(sorted(sidecars, key=lambda each: each.path))


def read_sidecar(root: Path, copy: Sidecar) -> bytes:
    """Return the copy's bytes; empty if it can't be read."""
    with suppress(OSError), open_folder(root, *_parts(copy.folder)) as folder:
        raw = folder.read(copy.leaf, _LIMIT)
        return raw.data if isinstance(raw, Contents) else b""
    return b""


def original_of(folder: str, leaf: str) -> str | None:
    """Return the gated file that a sync program or an editor copied to this name, or None."""
    path = f"{folder}/{leaf}" if folder else leaf
    copy = read_note_copy(path) if folder else read_copy_name(leaf, _GATED_CORE.__contains__)
    if copy is not None:
        return copy.of
    backup = _BACKUP.fullmatch(leaf)
    name = path.removesuffix(leaf) + (backup["of"] or backup["unsaved"]) if backup else ""
    return name if (is_name(name) if folder else name in _GATED_CORE) else None


def erase_sidecar(root: Path, locks: Path, copy: Sidecar, cut: Cut) -> bool:
    """Erase from a copy; return whether it changed. Raises WriteFailed."""
    with (
        as_write_errors(HISTORY_FOLDER),
        locked(lock_file(locks, root, copy.of)),
        open_folder(root, *_parts(copy.folder)) as folder,
    ):
        raw = folder.read(copy.leaf, _LIMIT)
        if isinstance(raw, Unusable) and raw.problem == "unreadable":
            raise OSError(raw.problem)
        data = cut(copy.of, raw.data) if isinstance(raw, Contents) else None
        if not isinstance(raw, Contents) or data is None or data == raw.data:
            return False
        remove_leftovers(folder, copy.leaf)
        write_atomically(folder, copy.leaf, data, mode=raw.mode, temp=temp_beside(copy.leaf))
        return True


def _parts(folder: str) -> tuple[str, ...]:
    return tuple(folder.split("/")) if folder else ()
