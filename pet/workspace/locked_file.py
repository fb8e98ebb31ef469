"""One file under its lock: folder, history, and the reconciliation every operation starts with.

Recovers from writers killed in mid-change, foreign editors that saved without a lock, and late writes into a file
that was already displaced. Never discards bytes that no history has. Refuses a folder that a newer program wrote, by
the format number in pet.toml.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from pet.clock import Clock
from pet.errors import FileBroken
from pet.fs.directory import (
    Absent,
    Contents,
    Folder,
    FolderIsLink,
    MissingFolder,
    Raw,
    Signature,
    Unusable,
    open_folder,
    temp_owner,
    version_of,
)
from pet.fs.locks import lock_file, locked
from pet.ids import new_id
from pet.model import MISSING, Author, Broken, FileState, Missing, Present, Source, Version
from pet.workspace.file_history import ASIDE, FileHistory, HistoryEntry, Kind, Seen, detect_lost_update, rebased_entry
from pet.workspace.file_names import HISTORY_FOLDER, flat_name
from pet.workspace.pet_registry import LIMIT, require_known_folder
from pet.workspace.text_encoding import NotText, decode_text


def file_state(name: str, raw: Raw) -> FileState:
    """Return the content as text, as missing, or as broken if it can't be used."""
    match raw:
        case Absent():
            return Missing(name=name)
        case Unusable(problem=problem):
            return Broken(name=name, problem=problem, version="")
        case Contents(data=data):
            try:
                return Present(name=name, text=decode_text(data).text, version=version_of(data))
            except NotText:
                return Broken(name=name, problem="not_utf8", version=version_of(data))


def contents_of(name: str, raw: Raw) -> Contents | None:
    """Return the file's bytes and mode, None without a file. Raises FileBroken if it can't be used."""
    match raw:
        case Unusable(problem=problem):
            raise FileBroken(file=name, problem=problem)
        case Contents():
            return raw
        case Absent():
            return None


_LATE_SECONDS = 60
"""Time for which a displaced file is kept and re-checked: an editor may still be writing into it."""
_UNREADABLE = Unusable("unreadable")  # maybe only for now, and its content may be in no history yet
_STILL_SECONDS = 0.01
_SETTLING_SECONDS = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedFile:
    """A file's open folder, history and quarantine. Valid while the lock is held."""

    name: str
    leaf: str
    folder: Folder
    log: FileHistory
    aside: Folder
    clock: Clock
    limit: int

    def read(self) -> Raw:
        """Read the file now. Raises OSError."""
        return self.folder.read(self.leaf, self.limit)

    def read_settled(self) -> Raw:
        """Read the file once it has stopped changing, if another program has just written it.

        A program that saves in place empties the file before it writes: a change based on the partial content would
        displace the rest. Waits at most ``_SETTLING_SECONDS``.
        """
        until = time.monotonic() + _SETTLING_SECONDS
        while True:
            signature = self.folder.signature(self.leaf)
            raw = self.read()
            if isinstance(raw, Unusable) or not self._is_fresh(raw, signature) or time.monotonic() > until:
                return raw
            time.sleep(_STILL_SECONDS)
            if self.folder.signature(self.leaf) == signature:
                return raw

    def _is_fresh(self, raw: Raw, signature: Signature | None) -> bool:
        """Whether these bytes are not the last version and were written within ``_SETTLING_SECONDS``."""
        last = self.log.last()
        if version_of(raw.data if isinstance(raw, Contents) else None) == (last.after if last else MISSING):
            return False
        return signature is None or abs(time.time() - signature[2] / 1e9) < _SETTLING_SECONDS

    def entry(
        self,
        *,
        before: Version,
        after: bytes | None,
        author: Author,
        source: Source | None = None,
        kind: Kind,
        done: bool = True,
    ) -> HistoryEntry:
        """Build a log entry; its bytes are stored before this returns."""
        return HistoryEntry(
            id=new_id(),
            file=self.name,
            at=self.clock.now().isoformat(),
            author=author,
            source=source,
            before=before,
            after=MISSING if after is None else self.log.put_object(after),
            size=len(after or b""),
            kind=kind,
            done=done,
        )

    def reconcile(self) -> tuple[Raw, str | None]:
        """Resolve leftovers of other writers, then record the current bytes if they are new.

        Return the current file, and the id of the version another program overwrote unknowingly.
        """
        lost = self._settle_killed_writer()
        lost = self._settle_late_writers() or lost
        raw = self.read_settled()
        if isinstance(raw, Unusable):
            return raw, lost
        return raw, self.record_outside(raw.data if isinstance(raw, Contents) else None) or lost

    def record_outside(self, data: bytes | None) -> str | None:
        """Record another program's version, if it is new. Return the id of the version it overwrote unknowingly."""
        entries = self.log.entries()
        known = entries[-1].after if entries else MISSING
        if version_of(data) == known:
            return None
        lost = detect_lost_update(data, entries, self.log.get_object)
        self.log.add(self.entry(before=known, after=data, author=Author.OUTSIDE, kind="outside"))
        return lost

    def quarantine(self, temp: str, version: Version, signature: Signature | None) -> None:
        """Keep the displaced file for ``_LATE_SECONDS``: an editor that has it open may still write into it.

        The signature must be taken before the bytes are read, or a write in between would go unnoticed.
        """
        try:
            self._set_aside(self.folder, temp, version, signature)
        except OSError:  # the change is committed and the previous bytes are stored already
            with suppress(OSError):
                self.folder.remove(temp)

    def _settle_killed_writer(self) -> str | None:
        """Resolve a pending line left by a killed writer.

        The swap took effect if the file holds our bytes or the temporary file holds the bytes they displaced. Any
        other content is another program's and proves nothing.
        """
        pending = self.log.last()
        if pending is None or pending.done:
            return None
        took_effect = self._took_effect(pending)
        lost = None
        for temp in self._temps():
            lost = self._settle_temp(temp, pending, took_effect=took_effect) or lost
        if lost is None:
            (self.log.done if took_effect else self.log.void)(pending.id)
        return lost

    def _took_effect(self, pending: HistoryEntry) -> bool:
        raw = self.read()
        if not isinstance(raw, Unusable):
            version = version_of(raw.data) if isinstance(raw, Contents) else MISSING
            if version == pending.after:
                return True
        return any(self._was_displaced(temp, pending) for temp in self._temps()) or any(
            aside.version == pending.before and aside.stamp >= int(datetime.fromisoformat(pending.at).timestamp())
            for _, aside in self._displaced()
        )

    def _was_displaced(self, temp: str, pending: HistoryEntry) -> bool:
        """Whether the temporary file holds the bytes that the swap displaced, rather than a partial write of ours."""
        raw = self.folder.read(temp, self.limit)
        if not isinstance(raw, Contents) or not raw.data:
            return False
        if version_of(raw.data) == pending.before:
            return True
        ours = self.log.get_object(pending.after)
        return ours is None or not ours.startswith(raw.data)

    def drop_leftovers(self) -> None:
        """Remove temporary files without a pending line, as after the history was deleted by hand."""
        for temp in self._temps():
            raw = self.folder.read(temp, self.limit)
            if raw == _UNREADABLE:
                continue
            if isinstance(raw, Contents) and raw.data:
                self.record_late_write(raw.data, MISSING)
            self.folder.remove(temp)

    def drop_displaced(self) -> None:
        """Remove displaced files immediately, after recording late writes into them."""
        for file, aside in self._displaced():
            raw = self.aside.read(file, self.limit)
            if isinstance(raw, Contents) and raw.data and version_of(raw.data) != aside.version:
                self.record_late_write(raw.data, aside.version)
            self.aside.remove(file)

    def _settle_temp(self, temp: str, pending: HistoryEntry, *, took_effect: bool) -> str | None:
        """Remove a killed writer's temporary file, after recording a foreign editor's text in it."""
        raw = self.folder.read(temp, self.limit)
        lost = None
        if raw == _UNREADABLE:
            return None
        if isinstance(raw, Contents) and not self._is_known(raw.data, pending):
            foreign = self.entry(before=pending.before, after=raw.data, author=Author.OUTSIDE, kind="outside")
            self.log.void(pending.id)
            self.log.add(foreign)
            if took_effect:
                self.log.add(rebased_entry(pending, before=foreign.after))
            lost = foreign.id
        with suppress(FileNotFoundError):
            self.folder.remove(temp)
        return lost

    def _is_known(self, data: bytes, pending: HistoryEntry) -> bool:
        ours = self.log.get_object(pending.after)
        if ours is not None and ours.startswith(data):
            return True
        return version_of(data) == pending.before or self.log.find(version_of(data)) is not None

    def _settle_late_writers(self) -> str | None:
        """Record the versions of displaced files that changed after they were read."""
        lost = None
        now = self.clock.now().timestamp()
        for file, aside in self._displaced():
            expired = not 0 <= now - aside.stamp <= _LATE_SECONDS
            if not expired and self.aside.signature(file) == aside.signature:
                continue  # timestamps are coarse: the bytes are compared once more on expiry
            signature = self.aside.signature(file)
            raw = self.aside.read(file, self.limit)
            changed = isinstance(raw, Contents) and bool(raw.data) and version_of(raw.data) != aside.version
            if isinstance(raw, Contents) and changed:
                lost = self.record_late_write(raw.data, aside.version) or lost
                self._set_aside(self.aside, file, version_of(raw.data), signature)
            elif expired and raw != _UNREADABLE:
                self.aside.remove(file)
        return lost

    def record_late_write(self, data: bytes, before: Version) -> str | None:
        """Record late bytes as a version unless one has them, and return its id."""
        last = self.log.last()
        if self.log.find(version_of(data)) is not None:
            return None
        late = self.log.add(self.entry(before=before, after=data, author=Author.OUTSIDE, kind="outside"))
        if last is not None:
            self.log.add(rebased_entry(last, before=late.after))
        return late.id

    def _set_aside(self, folder: Folder, file: str, version: Version, signature: Signature | None) -> None:
        """Move a file to the displaced ones, under a name that ``_Aside.parse`` reads."""
        stamp = int(self.clock.now().timestamp())
        numbers = map(str, signature or (0, 0, 0))
        folder.move(file, self.aside, "~".join((flat_name(self.name), str(stamp), version, *numbers)))

    def _displaced(self) -> list[tuple[str, _Aside]]:
        parsed = ((file, _Aside.parse(file)) for file in self.aside.names())
        return [(file, aside) for file, aside in parsed if aside is not None and aside.owner == flat_name(self.name)]

    def _temps(self) -> list[str]:
        return [temp for temp in self.folder.names() if temp_owner(temp) == self.leaf]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Aside:
    """Parsed name of a displaced file: owner file, time, and signature when it was displaced."""

    owner: str
    stamp: int
    version: Version
    signature: Signature

    @classmethod
    def parse(cls, file: str) -> _Aside | None:
        owner, *rest = file.split("~")
        if len(rest) != 5 or not all(part.isdigit() for part in (rest[0], *rest[2:])):
            return None
        inode, size, changed = map(int, rest[2:])
        return cls(owner=owner, stamp=int(rest[0]), version=rest[1], signature=(inode, size, changed))


@contextmanager
def open_locked(
    root: Path, name: str, *, locks: Path, clock: Clock, limit: int, seen: dict[str, Seen], create: bool
) -> Iterator[tuple[LockedFile, Raw, str | None]]:
    """Yield the file under its lock, and what ``reconcile`` returns. Creates the history's folder, and with
    ``create`` the file's own; without, a missing one reads as empty.

    Raises OSError, NewerFormat.
    """
    *folders, leaf = name.split("/")
    with locked(lock_file(locks, root, name)), ExitStack() as opened:
        top = opened.enter_context(open_folder(root))
        require_known_folder(top)
        kept = opened.enter_context(top.sub(HISTORY_FOLDER, create=True))
        aside = opened.enter_context(kept.sub(ASIDE, create=True))
        folder = top
        for part in folders:
            try:
                folder = opened.enter_context(folder.sub(part, create=create))
            except FileNotFoundError:
                folder = MissingFolder()
                break
        log = FileHistory(kept, name, seen)
        place = LockedFile(name=name, leaf=leaf, folder=folder, log=log, aside=aside, clock=clock, limit=limit)
        yield place, *place.reconcile()


def read_raw(root: Path, name: str, limit: int) -> Raw:
    """Read the file without a lock and without side effects."""
    *folders, leaf = name.split("/")
    try:
        with open_folder(root, *folders) as folder:
            return folder.read(leaf, limit)
    except FileNotFoundError:
        return Absent()
    except FolderIsLink:
        return Unusable("link")
    except OSError:
        return Unusable("unreadable")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerFiles:
    """Files that only the owner edits: pet.toml and the skills.

    Uses the same lock, history and swap as the store. Does not validate names: callers must pass workspace names.
    """

    root: Path
    locks: Path
    clock: Clock
    seen: dict[str, Seen] = field(default_factory=dict)

    @contextmanager
    def open(self, name: str, *, create: bool = False) -> Iterator[tuple[LockedFile, Raw]]:
        """Yield the file under its lock, its content recorded in the history. ``create``: make its folder. Raises
        OSError, NewerFormat."""
        with open_locked(
            self.root, name, locks=self.locks, clock=self.clock, limit=LIMIT, seen=self.seen, create=create
        ) as (place, raw, _lost):
            yield place, raw
