"""Tombstones of forgotten texts: recognise them and block re-learning.

``.history/forgotten.json`` holds salted, keyed hashes of the folded texts with their lengths, never the texts. Texts
too short to be specific are refused.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import RLock

from pet.errors import ForgetTooShort
from pet.fs.directory import Contents, Folder, Signature, Unusable, open_folder, write_atomically
from pet.fs.locks import as_write_errors, lock_file, locked
from pet.text.characters import FORM, comparable_forms, comparable_line, search_forms
from pet.text.lazy_pattern import lazy_pattern
from pet.untrusted.parsers import read_json
from pet.untrusted.regular_files import Stamp, settled_stamp
from pet.workspace.file_names import HISTORY_FOLDER

FILE = "forgotten.json"
_LIMIT = 16 << 20
_LEAST_CJK = 2
_LEAST = 3
_RUN, _RUN_CJK = 40, 20  # characters in a row that two texts don't share by chance
_ANCHOR = 4  # prefix length whose character classes a tombstone stores
_CLASSES = "abcdefghijklmnop"
# Zero-width characters, soft hyphen and BOM are invisible and ignored in comparisons.
_UNSEEN = dict.fromkeys((0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))
_LETTER = lazy_pattern("[a-z\u00df-\u024f\u0370-\u052f\u1e00-\u1fff]")  # folded, of scripts with spaces between words
_ENDING = 2  # letters: "Anna" is meant in "Annas", "Tom" is not in "tomorrow"
_ENCODINGS = ("utf-8", "gb18030", "utf-16-le", "utf-16-be")


def normalize(text: str) -> str:
    """Return the form of stored hashes: case, width and composition folded, white space as single spaces.

    Only for what earlier versions stored; texts are compared by ``comparable_forms``.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_UNSEEN))
        text = unicodedata.normalize("NFKC", text.casefold())
    return " ".join(text.lower().split())


def check_length(text: str) -> None:
    """Raises ForgetTooShort for a text that would match too much."""
    seen = comparable_line(text).replace(" ", "")
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in seen)
    if wide < _LEAST_CJK and len(seen) < _LEAST:
        raise ForgetTooShort


@dataclass(frozen=True, slots=True)
class SearchPatterns:
    """Folded search texts; create with ``of``."""

    folded: tuple[str, ...]

    @staticmethod
    def of(texts: Iterable[str]) -> SearchPatterns:
        """Fold these texts. Raises ForgetTooShort."""
        texts = tuple(texts)
        for text in texts:
            check_length(text)
        return SearchPatterns(tuple(dict.fromkeys(form for text in texts for form in search_forms(text))))

    def matches(self, text: str) -> bool:
        """Whether one of the texts occurs in comparable form."""
        return any(wanted in form for form in comparable_forms(text) for wanted in self.folded)

    def quoted(self) -> Callable[[str], bool]:
        """Return a test for partial quotes of long texts, since looked-up text is cut to a few hundred characters.
        Any part of at least twice the run length is found.
        """
        runs = tuple(run for wanted in self.folded for run in _runs(wanted))

        def is_quoted(text: str) -> bool:
            return bool(runs) and any(run in form for form in comparable_forms(text) for run in runs)

        return is_quoted

    def matches_bytes(self, data: bytes) -> bool:
        """Whether one of the texts occurs in bytes of any encoding, even damaged ones."""
        if b"\0" not in data:
            with suppress(UnicodeDecodeError):
                return self.matches(data.decode())
        for encoding in _ENCODINGS:
            shifts = (data, data[1:]) if encoding.startswith("utf-16") else (data,)
            if any(self.matches(shifted.decode(encoding, "replace")) for shifted in shifts):
                return True
        return False


def _runs(folded: str) -> tuple[str, ...]:
    """Split a long text into consecutive pieces."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in folded)
    length = _RUN_CJK if wide * 2 > len(folded) else _RUN
    return tuple(folded[at : at + length] for at in range(0, len(folded) - length, length))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tombstone:
    """``anchor``: one of sixteen classes for each of the first characters, a pre-filter before hashing. ``form``: 1
    is the normal form of earlier versions, later ones are versions of the comparable form."""

    length: int
    anchor: str
    hash: str
    form: int


class _Classes(dict[int, str]):
    """Character class under one salt, computed on first use."""

    def __init__(self, salt: bytes) -> None:
        super().__init__()
        self._salt = salt

    def __missing__(self, code: int) -> str:
        data = chr(code).encode("utf-8", "surrogatepass")
        class_ = _CLASSES[hashlib.blake2b(data, key=self._salt, digest_size=1).digest()[0] & 15]
        self[code] = class_
        return class_


@dataclass(frozen=True, slots=True)
class _Stones:
    """The tombstones made with one salt."""

    salt: bytes
    stones: tuple[_Tombstone, ...]
    classes: _Classes

    def occurring_in(self, text: str) -> set[str]:
        """Return the hashes of the tombstones whose text occurs."""
        hashes: set[str] = set()
        for version in {min(stone.form, FORM) for stone in self.stones}:
            stones = [stone for stone in self.stones if min(stone.form, FORM) == version]
            for folded in (normalize(text),) if version <= 1 else comparable_forms(text, version):
                hashes.update(self._in_folded(folded, stones))
        return hashes

    def _in_folded(self, folded: str, stones: Iterable[_Tombstone]) -> Iterator[str]:
        """Yield the hashes of the texts that occur; the classes leave few positions to hash."""
        classed = folded.translate(self.classes)
        for stone in stones:
            at = classed.find(stone.anchor)
            while at >= 0:
                end = at + stone.length
                if _hash(self.salt, folded[at:end]) == stone.hash and _is_whole(folded, at, end):
                    yield stone.hash
                    break
                at = classed.find(stone.anchor, at + 1)

    def with_text(self, folded: str) -> _Stones:
        anchor = folded[:_ANCHOR].translate(self.classes)
        stone = _Tombstone(length=len(folded), anchor=anchor, hash=_hash(self.salt, folded), form=FORM)
        return self if stone in self.stones else _Stones(self.salt, (*self.stones, stone), self.classes)


class TombstoneStore:
    """The tombstones of one workspace. Thread-safe; picks up those other processes add."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._lock = RLock()
        self._seen: dict[str, Signature] | None = None
        self._all: dict[str, _Stones] = {}
        self._stamps: list[Stamp | None] = []  # of the folder and the files, when what was read was the newest

    def remember(self, text: str, *, locks: Path) -> None:
        """Add a tombstone, synced to disk on return.

        Raises ForgetTooShort; WriteFailed, also if the stored ones can't be read now: they would be lost.
        """
        check_length(text)
        with (
            as_write_errors(FILE),
            locked(lock_file(locks, self._root, FILE)),
            open_folder(self._root, HISTORY_FOLDER, create=True) as kept,
        ):
            own = _read(kept, FILE) or _Stones(salt := secrets.token_bytes(16), (), _Classes(salt))
            wanted = own
            for form in search_forms(text):
                wanted = wanted.with_text(form)
            if wanted is not own:
                _write(kept, wanted)

    def is_forgotten(self, text: str, *, owner_text: str = "") -> bool:
        """Whether ``text`` contains a forgotten text that is not in ``owner_text``, what the owner wrote again.

        Inside a longer word of an alphabet it doesn't count: after "Tom", "tomorrow" is still learned.
        """
        sets = self._current()
        if not sets or not text:
            return False
        for stones in sets:
            hits = stones.occurring_in(text)
            if hits and not hits <= stones.occurring_in(owner_text):
                return True
        return False

    def mark(self) -> str:
        """Return a string that changes with the set of tombstones; "" without any."""
        with self._lock:
            self._current()
            return str(self._seen or "")

    def _current(self) -> tuple[_Stones, ...]:
        """Return all tombstones, those of other machines in conflict copies of the file included. Opens nothing while
        neither folder nor files changed."""
        folder = self._root / HISTORY_FOLDER
        with self._lock, suppress(OSError):
            stamps = [settled_stamp(folder / name) for name in ("", *(self._seen or ()))]
            if stamps != self._stamps or None in stamps:
                self._stamps = []
                with open_folder(self._root, HISTORY_FOLDER) as kept:
                    self._stamps = [] if self._read_changed(kept) else stamps
        return tuple(self._all.values())

    def _read_changed(self, kept: Folder) -> bool:
        """Read the files if one changed; return whether one did."""
        names = sorted(name for name in kept.names() if _is_ours(name))
        seen = {name: signature for name in names if (signature := kept.signature(name))}
        if seen == self._seen:
            return False
        self._seen, before, self._all = seen, self._all, {}
        for name in tuple(seen):
            try:
                stones = _read(kept, name)
            except OSError:  # keep the last known ones, and read it again the next time
                stones = before.get(name)
                del seen[name]
            if stones is not None:
                self._all[name] = stones
        return True


def _is_ours(name: str) -> bool:
    return name.startswith("forgotten") and name.endswith(".json")


def _is_whole(folded: str, start: int, end: int) -> bool:
    """Whether this part begins and ends with a word, apart from a short ending."""
    letter = _LETTER.match
    if start and letter(folded, start - 1) and letter(folded, start):
        return False
    return not (letter(folded, end - 1) and all(letter(folded, at) for at in range(end, end + _ENDING + 1)))


def _hash(salt: bytes, folded: str) -> str:
    return hashlib.blake2b(folded.encode("utf-8", "surrogatepass"), key=salt, digest_size=16).hexdigest()


def _read(kept: Folder, name: str) -> _Stones | None:
    """Return None if the file is missing or can't be parsed. Raises OSError if it can't be read."""
    raw = kept.read(name, _LIMIT)
    if isinstance(raw, Unusable):
        raise OSError(raw.problem)
    if not isinstance(raw, Contents):
        return None
    try:
        data = read_json(raw.data)
        salt = bytes.fromhex(data["salt"])
        stones = tuple(
            _Tombstone(
                length=int(each["length"]),
                anchor=str(each["anchor"]),
                hash=str(each["hash"]),
                form=int(each.get("form", 1)),
            )
            for each in data["texts"]
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return _Stones(salt, stones, _Classes(salt))


def _write(kept: Folder, stones: _Stones) -> None:
    texts = [
        {"length": each.length, "anchor": each.anchor, "hash": each.hash, "form": each.form} for each in stones.stones
    ]
    data = {"version": 1, "salt": stones.salt.hex(), "texts": texts}
    write_atomically(kept, FILE, json.dumps(data, indent=1).encode())
