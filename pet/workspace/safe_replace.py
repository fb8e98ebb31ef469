"""Replace one file safely: write history, swap atomically, verify the displaced bytes.

Foreign editors take no lock. If the displaced bytes are not the change's base, the swap is reverted, their version is
recorded, and the change is merged onto it and retried; if the two overlap, FileConflict is raised and the foreign
text stays. There is no intermediate state: the file is old or new.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum, auto

from pet.errors import FileBroken, FileConflict, WriteFailed
from pet.fs.directory import Absent, Contents, Raw, Signature, Unusable, temp_name, version_of
from pet.model import MISSING, Author, Source
from pet.workspace.file_history import HistoryEntry, Kind
from pet.workspace.line_diff import merge3, remove_block, restore_block
from pet.workspace.locked_file import LockedFile
from pet.workspace.text_encoding import NotText, decode_text, normalize_newlines, with_text

_TRIES = 16
_ROUNDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A wanted change. ``base``: the file as read under the lock; ``data`` None removes it; ``check`` runs right
    before the swap and may raise to cancel it.
    """

    base: Contents | None
    data: bytes | None
    author: Author
    source: Source | None = None
    kind: Kind = "write"
    check: Callable[[], None] | None = None
    merged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """A committed change, as merged; ``replaced`` is the id of the version that it replaced."""

    entry: HistoryEntry
    change: Change
    replaced: str


def commit(place: LockedFile, wanted: Change) -> Committed | None:
    """Commit the change and return it as merged. None if it changes nothing, or another program had just made it.

    Raises FileConflict, FileBroken, WriteFailed (read-only), OSError; the file then has the other programs' content.

        with owner_files.open("pet.toml") as (place, raw):
            commit(place, Change(base=contents_of("pet.toml", raw), data=b"format = 1\\n", author=Author.OWNER))
    """
    if wanted.data == (wanted.base.data if wanted.base else None):
        return None
    for _ in range(_TRIES):
        if wanted.base is not None and not wanted.base.mode & 0o200:
            raise WriteFailed(place.name, errno.EROFS)
        committed = _attempt(place, wanted)
        if committed is not None:
            return committed
        rebased = _rebase(place, wanted)
        if rebased is None:
            return None
        wanted = rebased
    raise FileConflict(file=place.name)


def merge_bytes(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Merge both changes using ``theirs``' BOM and line ends; None if they overlap or are not text."""
    try:
        under = decode_text(theirs)
        merged = merge3(*(normalize_newlines(decode_text(data).text) for data in (base, ours, theirs)))
        return None if merged is None else with_text(under, merged)
    except NotText:
        return None


def revert_change(after: bytes, before: bytes, now: bytes) -> bytes | None:
    """Return ``now`` with the change from ``before`` to ``after`` reverted; None if a later change overlaps it."""
    merged = merge_bytes(after, before, now)
    if merged is not None:
        return merged
    try:
        under = decode_text(now)
        texts = tuple(normalize_newlines(decode_text(data).text) for data in (before, after, now))
        reverted = remove_block(*texts)
        if reverted is None:
            reverted = restore_block(*texts)
        return None if reverted is None else with_text(under, reverted)
    except NotText:
        return None


class _Swap(Enum):
    """Whether the file holds the change. ``UNVERIFIED``: it does, but which bytes it displaced could not be read."""

    REFUSED = auto()
    DONE = auto()
    UNVERIFIED = auto()


def _attempt(place: LockedFile, wanted: Change) -> Committed | None:
    """Try once; None if another writer came first, whose state is restored.

    Raises OSError only while the file is unchanged: after the swap nothing that fails undoes it, and the line that
    stays pending is settled when the file is opened next.
    """
    base = wanted.base.data if wanted.base else None
    if base is not None:
        place.log.put_object(base)
    before = [each.id for each in place.log.entries() if each.after == version_of(base)]
    replaced = before[-1] if before and base is not None else MISSING
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
    swap = _Swap.REFUSED
    foreign: list[bytes] = []
    try:
        _write_temp(place, temp, wanted)
        swap = _swap(place, temp, wanted, foreign)
    finally:
        if swap is _Swap.REFUSED:
            place.log.void(entry.id)
    if swap is _Swap.REFUSED:
        for data in foreign:
            place.record_outside(data)
        return None
    with suppress(OSError):
        place.folder.sync()
        if swap is _Swap.DONE:
            place.log.done(entry.id)
    return Committed(entry=replace(entry, done=True), change=wanted, replaced=replaced)


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


def _swap(place: LockedFile, temp: str, wanted: Change, foreign: list[bytes]) -> _Swap:
    """Swap, or refuse with the file back in place if it was no longer the base. Adds displaced bytes of other
    programs to ``foreign``.
    """
    if wanted.base is None:
        try:
            place.folder.add(temp, place.leaf)
        except FileExistsError:
            _forget(place, temp)
            return _Swap.REFUSED
        return _Swap.DONE
    if wanted.data is None:
        return _take_away(place, temp, wanted.base, foreign)
    # Compared before the exchange too: another program that reads a text which is swapped out again may save it with
    # its own change, next to the caller's retry.
    if not _holds(place.read(), wanted.base):
        _forget(place, temp)
        return _Swap.REFUSED
    try:
        exchanged = place.folder.exchange(temp, place.leaf)
    except FileNotFoundError:
        _forget(place, temp)
        return _Swap.REFUSED
    if not exchanged:  # unsupported by the file system: a write between check and rename is lost
        place.folder.replace(temp, place.leaf)
        return _Swap.DONE
    displaced = _displaced(place, temp)
    if displaced is None:
        return _Swap.UNVERIFIED
    if _holds(displaced[0], wanted.base):
        place.quarantine(temp, version_of(wanted.base.data), displaced[1])
        return _Swap.DONE
    try:
        _put_back(place, temp, version_of(wanted.data), foreign)
    except OSError:
        if place.read() == Contents(data=wanted.data, mode=wanted.base.mode):
            return _Swap.UNVERIFIED
        raise
    return _Swap.REFUSED


def _holds(raw: Raw, base: Contents) -> bool:
    return isinstance(raw, Contents) and raw.data == base.data


def _displaced(place: LockedFile, temp: str) -> tuple[Raw, Signature | None] | None:
    """Return the displaced file and its signature from before it was read; None if it can't be read now."""
    try:
        signature = place.folder.signature(temp)
    except OSError:
        return None
    raw = place.folder.read(temp, place.limit)
    return None if raw == Unusable("unreadable") else (raw, signature)


def _take_away(place: LockedFile, temp: str, base: Contents, foreign: list[bytes]) -> _Swap:
    try:
        place.folder.move(place.leaf, place.folder, temp)
    except FileNotFoundError:
        return _Swap.REFUSED
    displaced = _displaced(place, temp)
    if displaced is None:
        return _Swap.UNVERIFIED
    taken, signature = displaced
    if _holds(taken, base):
        place.quarantine(temp, version_of(base.data), signature)
        return _Swap.DONE
    if isinstance(taken, Contents):
        foreign.append(taken.data)
        place.log.put_object(taken.data)
    try:
        place.folder.add(temp, place.leaf)
    except FileExistsError:  # a third program recreated the file; the bytes we took are in the history
        _forget(place, temp)
    return _Swap.REFUSED


def _put_back(place: LockedFile, temp: str, ours: str, foreign: list[bytes]) -> None:
    """Swap back until the bytes that come out are the bytes that went in, so that no concurrent save is lost.

    An editor that keeps writing in place could prolong this: after a few rounds the bytes that came out are recorded
    and the file is quarantined like any displaced file.
    """
    expected = ours
    for round_ in range(_ROUNDS):
        theirs = place.folder.read(temp, place.limit)
        try:
            place.folder.exchange(temp, place.leaf)  # before any wait for the disk: ours is visible until then
        except FileNotFoundError:
            _keep_foreign(place, theirs, foreign)
            place.folder.add(temp, place.leaf)
            return
        held = _keep_foreign(place, theirs, foreign)
        # An editor may have finished writing into the displaced file after we read it: read it again in place.
        _keep_foreign(place, place.read(), foreign)
        signature = place.folder.signature(temp)
        came_out = place.folder.read(temp, place.limit)
        version = version_of(came_out.data) if isinstance(came_out, Contents) else ""
        if version != expected and round_ == _ROUNDS - 1:
            _keep_foreign(place, came_out, foreign)
        if version == expected or round_ == _ROUNDS - 1:
            place.quarantine(temp, version, signature)  # another program may still have it open
            return
        expected = held


def _keep_foreign(place: LockedFile, raw: Raw, foreign: list[bytes]) -> str:
    """Store bytes another program saved, and return their version."""
    if not isinstance(raw, Contents):
        return ""
    if raw.data not in foreign:
        place.log.put_object(raw.data)
        foreign.append(raw.data)
    return version_of(raw.data)


def _rebase(place: LockedFile, wanted: Change) -> Change | None:
    """Rebase the change onto the version another program just saved."""
    now = place.read_settled()
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
