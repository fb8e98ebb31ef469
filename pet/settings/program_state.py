"""Small program state: open tabs, window positions, recent pets, this machine's id.

Disposable: a broken file counts as empty, and no data of the pet is stored here. A file of a newer program counts as
empty too, but is not written to. That a file was broken stays recorded in the one that replaces it: entries may be
missing that kept something closed.
"""

from __future__ import annotations

import errno
import json
import os
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pet.fs.directory import replace_file
from pet.paths import make_private
from pet.serde import FORMAT, KEY, is_newer, require_known
from pet.untrusted.parsers import read_json
from pet.untrusted.regular_files import Stamp, read_regular, settled_stamp

if TYPE_CHECKING:
    from filelock import FileLock

_MACHINE_LENGTH = 8
_LONGEST_MACHINE = 1024
_LOCK_SECONDS = 10
_DAMAGED = "damaged"
RESERVED = (KEY, _DAMAGED)
"""Names that no entry can have."""


class JsonState:
    """One JSON object in one file. Thread-safe; programs may update different entries concurrently."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.RLock()
        self._among_programs: FileLock | None = None
        self._kept: tuple[Stamp | None, bytes] = None, b""

    @property
    def name(self) -> str:
        """The file's name, for errors."""
        return self._file.name

    def read(self) -> dict[str, object]:
        """Return the entries; none if the file can't be read."""
        try:
            return self.read_known()
        except OSError:
            return {}

    def read_known(self) -> dict[str, object]:
        """Return what ``read`` does, but raise OSError if the file exists and can't be read now. For
        values that are written back, or that decide whether something may be sent.
        """
        stored = self._stored()
        return {} if is_newer(stored) else {name: value for name, value in stored.items() if name not in RESERVED}

    def read_or_lost(self) -> tuple[dict[str, object], bool]:
        """Return the entries, and whether some may be missing: the file is or was broken, can't be read now, or is of
        a newer program."""
        try:
            stored = self._stored()
        except OSError:
            return {}, True
        return ({}, True) if is_newer(stored) else (stored, _DAMAGED in stored)

    def is_broken(self) -> bool:
        """Whether there is a file that can't be parsed: writing would drop all in it. Raises OSError if it can't be
        read now."""
        return self._stored() == {_DAMAGED: True}

    def require_known_format(self) -> None:
        """Raises NewerFormat for a file of a newer program, OSError for an unreadable one."""
        require_known(self._stored(), self._file.name)

    def write(self, state: Mapping[str, object]) -> None:
        """Replace the whole state. Raises OSError, also for a file of a newer program."""
        with self._lock:
            self._replace(state)

    def update(self, values: Mapping[str, object]) -> None:
        """Update these entries, keeping the others. Raises OSError."""
        with self.held():
            self._replace({**self.read_known(), **values})

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock against other programs and threads; reentrant. Raises OSError on timeout."""
        from filelock import FileLock, Timeout

        with self._lock:
            make_private(self._file.parent)
            if self._among_programs is None:
                lock = self._file.with_name(self._file.name + ".lock")
                self._among_programs = FileLock(lock, timeout=_LOCK_SECONDS)
            try:
                self._among_programs.acquire()
            except Timeout as error:
                raise OSError(f"{self._file.name} is locked by another program") from error
            try:
                yield
            finally:
                self._among_programs.release()

    def drop(self, unwanted: Callable[[str], bool]) -> None:
        """Remove the matching entries; doesn't write the file without any. Raises OSError."""
        with self.held():
            state = self.read_known()
            kept = {name: value for name, value in state.items() if not unwanted(name)}
            if len(kept) < len(state):
                self._replace(kept)

    def _stored(self) -> dict[str, object]:
        try:
            state = read_json(self._content())
        except FileNotFoundError:
            return {}
        except ValueError:
            return {_DAMAGED: True}
        return state if isinstance(state, dict) else {_DAMAGED: True}

    def _content(self) -> bytes:
        """Return the file's bytes; it is opened only after a change, since each message reads it many times."""
        stamp, (known, content) = settled_stamp(self._file), self._kept
        if stamp is None or stamp != known:
            content = read_regular(self._file)
            self._kept = stamp, content
        return content

    def _replace(self, state: Mapping[str, object]) -> None:
        before = self._stored()
        if is_newer(before):
            raise OSError(errno.EROFS, "written by a newer version", str(self._file))
        ours = {KEY: FORMAT} | ({_DAMAGED: True} if _DAMAGED in before else {})
        content = json.dumps({**ours, **state}, ensure_ascii=False, indent=1)
        replace_file(self._file, content.encode("utf-8", "replace"), mode=0o600)


def machine_id(file: Path) -> str:
    """Return this machine's id, created once: eight hexadecimal digits, so it can be part of a file name.

    Raises OSError, also if it exists and can't be read: a new one would count as another machine for good.
    """
    known = _read_machine(file)
    if known is not None:
        return known
    from filelock import FileLock, Timeout

    make_private(file.parent)
    try:
        with FileLock(file.with_name(file.name + ".lock"), timeout=_LOCK_SECONDS):
            known = _read_machine(file)  # another program created it first
            if known is not None:
                return known
            id_ = os.urandom(_MACHINE_LENGTH // 2).hex()
            replace_file(file, id_.encode())
            return id_
    except Timeout as error:
        raise OSError(f"{file.name} is locked by another program") from error


def _read_machine(file: Path) -> str | None:
    try:
        text = read_regular(file, _LONGEST_MACHINE).decode("ascii").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    is_valid = len(text) == _MACHINE_LENGTH and all(character in "0123456789abcdef" for character in text)
    return text if is_valid else None


FIRST_START_STEP, FIRST_START_OVER = "welcome", 0


def first_start_over(state: JsonState) -> bool:
    return state.read().get(FIRST_START_STEP) == FIRST_START_OVER


_LAST = "pet"
_EARLIER = "pets_before"
COMPANY = "company"
"""The pets beside the one used last, of the extra ``several_pets``."""
_OWN = "own_pets"
_MOST = 32


def used_pets(state: JsonState) -> list[str]:
    """Return unique ids, newest first. A pet in the list may have been deleted by hand."""
    return _read(state.read())


def note_used(state: JsonState, pet_id: str) -> None:
    """Move this pet to the front: the program starts with it next time. Raises OSError."""
    if state.read().get(_LAST) == pet_id:
        return
    with state.held():
        _write(state, [pet_id, *(each for each in used_pets(state) if each != pet_id)])


def forget_used(state: JsonState, pet_id: str) -> None:
    """Remove a deleted pet; the one opened before it takes its place. Raises OSError."""
    with state.held():
        for name in (COMPANY, _OWN):
            ids = state.read().get(name)
            if isinstance(ids, list) and pet_id in ids:
                state.update({name: [each for each in ids if isinstance(each, str) and each != pet_id]})
        used = used_pets(state)
        if pet_id in used:
            _write(state, [each for each in used if each != pet_id])


def own_pets(state: JsonState) -> list[str] | None:
    """Return the pets that were opened or copied here; None before the first, in a damaged state, and in that of an
    earlier version. A folder that comes from elsewhere can't say so of itself, whatever history it brings."""
    ids = state.read().get(_OWN)
    return [each for each in ids if isinstance(each, str)] if isinstance(ids, list) else None


def note_own_pets(state: JsonState, ids: Collection[str]) -> None:
    """Record that these pets' folders belong to this home. Raises OSError."""
    if {*ids} <= {*(own_pets(state) or ())}:
        return
    with state.held():
        known = own_pets(state) or []
        if now := sorted({*ids} - {*known}):
            state.update({_OWN: [*known, *now]})


def _read(values: dict[str, object]) -> list[str]:
    earlier = values.get(_EARLIER)
    ids = [values.get(_LAST), *(earlier if isinstance(earlier, list) else ())]
    return list(dict.fromkeys(each for each in ids if isinstance(each, str)))


def _write(state: JsonState, used: list[str]) -> None:
    others = {name: value for name, value in state.read_known().items() if name not in (_LAST, _EARLIER)}
    kept: dict[str, object] = {_LAST: used[0]} if used else {}
    if used[1:]:
        kept[_EARLIER] = used[1:_MOST]
    state.write({**others, **kept})


@dataclass(frozen=True, slots=True)
class PauseRecord:
    """The pause of one pet's memory, recorded twice: in the program's state, and as an empty file beside the pets.

    Either is enough, so that damage to one of them ends no pause; so is a state of which entries may be missing.
    ``file``: of ``Home.pause_file``.
    """

    state: JsonState
    file: Path
    pet: str

    def read(self) -> tuple[bool, int]:
        """Return whether memory is paused, and the number of pauses so far, since a past pause still ends the turns
        it interrupted."""
        values, lost = self.state.read_or_lost()
        count = values.get(self._count)
        paused = values.get(self._key, lost) is not False or self._is_marked()
        return paused, count if isinstance(count, int) else 0

    def is_lost(self) -> bool:
        """Return whether memory is paused because the state doesn't say whether it was."""
        return self.read()[0] and self.state.read().get(self._key) is not True

    def start(self) -> None:
        """Record a pause and count it. Raises OSError."""
        with self.state.held():
            self.mark()
            count = self.state.read_known().get(self._count)
            self.state.update({self._key: True, self._count: (count if isinstance(count, int) else 0) + 1})

    def end(self) -> None:
        """Record that the owner resumed memory. Raises OSError; it is then still paused."""
        self.state.update({self._key: False})
        self.file.unlink(missing_ok=True)

    def mark(self) -> None:
        """Record the pause beside the pets, as earlier versions did not. Raises OSError."""
        if not self._is_marked():
            make_private(self.file.parent)
            replace_file(self.file, b"")

    def _is_marked(self) -> bool:
        try:
            self.file.lstat()
        except FileNotFoundError:
            return False
        except OSError:  # unreadable: it may be there
            return True
        return True

    @property
    def _key(self) -> str:
        return f"paused.{self.pet}"

    @property
    def _count(self) -> str:
        return f"pauses.{self.pet}"


@dataclass(frozen=True, slots=True)
class ClosedValues:
    """``key``: of the record in the state. ``records``: write changes to the state; False only reads it."""

    state: JsonState
    key: str = "closed_settings"
    records: bool = True

    def lost(self, written: Mapping[str, bool | None]) -> list[str]:
        """Return the settings that were last written closed and are not written now, or only beside such a one.

        ``written``: whether each has its closed value; None: it isn't there, or can't be read.
        """
        stored = self.state.read().get(self.key)
        before = {each for each in stored if isinstance(each, str)} if isinstance(stored, list) else set()
        lost = [name for name, closed in written.items() if closed is None and name in before]
        if lost:
            lost = [name for name, closed in written.items() if not closed and name in before]
        now = {*lost, *(name for name, closed in written.items() if closed)}
        if self.records and now != before:
            with suppress(OSError):  # recorded when the settings are read again
                self.state.update({self.key: sorted(now)})
        return lost
