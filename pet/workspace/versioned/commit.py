"""Making one change of one file real: kept first, then swapped, then looked at what the swap displaced.

Foreign editors take no lock. If the displaced bytes are not the ones the change was based on, everything is put
back, their version is kept, and the change is merged into it and tried again; where the two overlap the answer is
FileConflict and the foreign text stays. Refuses to leave a state in between: old or new, never half.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from pet.errors import FileBroken, FileConflict, WriteFailed
from pet.model import Author, Source
from pet.workspace.file_names import temp_name
from pet.workspace.fs.directory import Absent, Contents, Raw, Unusable, version_of
from pet.workspace.text.encoded_text import NotText, decode_text, normalize_newlines, with_text
from pet.workspace.text.merge import merge3, remove_block
from pet.workspace.versioned.history import HistoryEntry, Kind
from pet.workspace.versioned.locked_file import LockedFile

_TRIES = 16
_ROUNDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """``base`` is the file as read under the lock; ``data`` None removes it."""

    base: Contents | None
    data: bytes | None
    author: Author
    source: Source | None = None
    kind: Kind = "write"
    check: Callable[[], None] | None = None
    merged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    entry: HistoryEntry
    change: Change


def commit(place: LockedFile, wanted: Change) -> Committed | None:
    """The change as it was made in the end. None: another program had just made the very same one.

    Raises FileConflict, FileBroken, WriteFailed (read-only) or OSError; then the file is as others left it.
    """
    for _ in range(_TRIES):
        if wanted.base is not None and not wanted.base.mode & 0o200:
            raise WriteFailed(file=place.name, reason="EROFS")
        entry = _attempt(place, wanted)
        if entry is not None:
            return Committed(entry=entry, change=wanted)
        rebased = _rebase(place, wanted)
        if rebased is None:
            return None
        wanted = rebased
    raise FileConflict(file=place.name)


def merge_bytes(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Both changes in the form (BOM, line ends) of ``theirs``; None where they overlap or are not text."""
    try:
        under = decode_text(theirs)
        merged = merge3(*(normalize_newlines(decode_text(data).text) for data in (base, ours, theirs)))
        return None if merged is None else with_text(under, merged)
    except NotText:
        return None


def revert_change(after: bytes, before: bytes, now: bytes) -> bytes | None:
    """``now`` as if ``before`` had never become ``after``; None where what came later is in the way."""
    merged = merge_bytes(after, before, now)
    if merged is not None:
        return merged
    try:
        under = decode_text(now)
        left = remove_block(*(normalize_newlines(decode_text(data).text) for data in (before, after, now)))
        return None if left is None else with_text(under, left)
    except NotText:
        return None


def _attempt(place: LockedFile, wanted: Change) -> HistoryEntry | None:
    """One try. None: somebody else got in first, and everything is as they left it."""
    base = wanted.base.data if wanted.base else None
    if base is not None:
        place.log.put_object(base)
    entry = place.log.add(
        place.entry(
            before=version_of(base),
            after=wanted.data,
            author=wanted.author,
            source=wanted.source,
            kind=wanted.kind,
            done=False,
        )
    )
    temp = temp_name(place.leaf, entry.id)
    swapped = False
    found: list[bytes] = []
    try:
        _write_temp(place, temp, wanted)
        swapped = _swap(place, temp, wanted, found)
    finally:
        if not swapped:
            place.log.void(entry.id)
    if not swapped:
        for data in found:
            place.record_outside(data)
        return None
    place.folder.sync()
    place.log.done(entry.id)
    return replace(entry, done=True)


def _write_temp(place: LockedFile, temp: str, wanted: Change) -> None:
    ready = False
    try:
        if wanted.data is not None:
            place.folder.create(temp, wanted.data, wanted.base.mode if wanted.base else 0o600)
        if wanted.check is not None:
            wanted.check()
        ready = True
    finally:
        if not ready:
            _forget(place, temp)


def _swap(place: LockedFile, temp: str, wanted: Change, found: list[bytes]) -> bool:
    """False: the file was not the base any more and is back in its place; ``found`` gets what was displaced."""
    if wanted.base is None:
        try:
            place.folder.add(temp, place.leaf)
        except FileExistsError:
            _forget(place, temp)
            return False
        return True
    if wanted.data is None:
        return _take_away(place, temp, wanted.base, found)
    try:
        exchanged = place.folder.exchange(temp, place.leaf)
    except FileNotFoundError:
        _forget(place, temp)
        return False
    if not exchanged:
        return _compare_and_replace(place, temp, wanted.base)
    signature = place.folder.signature(temp)
    displaced = place.folder.read(temp, place.limit)
    if displaced == wanted.base or (isinstance(displaced, Contents) and displaced.data == wanted.base.data):
        place.quarantine(temp, version_of(wanted.base.data), signature)
        return True
    _put_back(place, temp, version_of(wanted.data), found)
    return False


def _compare_and_replace(place: LockedFile, temp: str, base: Contents) -> bool:
    """For file systems that can't exchange: the gap between look and rename is as small as it can be."""
    now = place.read()
    if isinstance(now, Contents) and now.data == base.data:
        place.folder.replace(temp, place.leaf)
        return True
    _forget(place, temp)
    return False


def _take_away(place: LockedFile, temp: str, base: Contents, found: list[bytes]) -> bool:
    try:
        place.folder.move(place.leaf, place.folder, temp)
    except FileNotFoundError:
        return False
    signature = place.folder.signature(temp)
    taken = place.folder.read(temp, place.limit)
    if isinstance(taken, Contents) and taken.data == base.data:
        place.quarantine(temp, version_of(base.data), signature)
        return True
    if isinstance(taken, Contents):
        found.append(taken.data)
        place.log.put_object(taken.data)
    try:
        place.folder.add(temp, place.leaf)
    except FileExistsError:  # a third program made the file anew; what we took is kept
        _forget(place, temp)
    return False


def _put_back(place: LockedFile, temp: str, ours: str, found: list[bytes]) -> None:
    """Until what comes out is what went in: then nobody's save was displaced by the putting back.

    An editor that keeps writing in place would make that a long game: after a few rounds what came out is kept
    and watched like any displaced file.
    """
    expected = ours
    for round_ in range(_ROUNDS):
        held = _keep_found(place, place.folder.read(temp, place.limit), found)
        try:
            place.folder.exchange(temp, place.leaf)
        except FileNotFoundError:
            place.folder.add(temp, place.leaf)
            return
        # An editor may have finished writing into what we hold after we read it: so look at it in its place.
        _keep_found(place, place.read(), found)
        signature = place.folder.signature(temp)
        came_out = place.folder.read(temp, place.limit)
        version = version_of(came_out.data) if isinstance(came_out, Contents) else ""
        if version != expected and round_ == _ROUNDS - 1:
            _keep_found(place, came_out, found)
        if version == expected or round_ == _ROUNDS - 1:
            place.quarantine(temp, version, signature)  # somebody may still have it open
            return
        expected = held


def _keep_found(place: LockedFile, raw: Raw, found: list[bytes]) -> str:
    """Bytes that another program saved and that no version has yet: on the disk before anything else happens."""
    if not isinstance(raw, Contents):
        return ""
    if raw.data not in found:
        place.log.put_object(raw.data)
        found.append(raw.data)
    return version_of(raw.data)


def _rebase(place: LockedFile, wanted: Change) -> Change | None:
    """The same change on top of what another program just saved."""
    now = place.read()
    match now:
        case Unusable(problem=problem):
            raise FileBroken(file=place.name, problem=problem)
        case Absent():
            place.record_outside(None)
            raise FileConflict(file=place.name)
        case Contents(data=theirs):
            place.record_outside(theirs)
            if theirs == wanted.data:
                return None
            if wanted.base is None or wanted.data is None:
                raise FileConflict(file=place.name)
            merged = merge_bytes(wanted.base.data, wanted.data, theirs)
            if merged is None:
                raise FileConflict(file=place.name)
            return None if merged == theirs else replace(wanted, base=now, data=merged, merged=True)


def _forget(place: LockedFile, temp: str) -> None:
    with suppress(FileNotFoundError):
        place.folder.remove(temp)
