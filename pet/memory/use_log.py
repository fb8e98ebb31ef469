"""When notes were last of use: recalled, found by the pet's search, or corrected. Kept beside the index.

A file in the cache with hashes and months, no text. If it is deleted a new one begins, and for a year no note counts
as unused. So does a clock that was set back.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from threading import Lock

from pet.memory.daily_log import fact_key, iso_day

UNUSED_MONTHS = 12
_MOST_BYTES = 8 << 20
_COMPARED = 120  # letters and digits of a note: what recall shows of a long one is cut
_BEGINNING = "since"
_log = logging.getLogger(__name__)


def use_file(index_file: Path) -> Path:
    """Return the path of the file, beside the pet's index."""
    return index_file.with_name(f"{index_file.name}.use")


class UseLog:
    """Thread-safe. ``file`` is created with the first record; one that can't be read or written counts as new."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = Lock()
        self._read: tuple[int, int] | None = None  # size and time of the file when it was read
        self._began: date | None = None
        self._salt = ""
        self._months: dict[str, int] = {}

    def record(self, texts: Iterable[str], today: date) -> None:
        """Note that these texts were of use today. Never raises."""
        with self._lock:
            try:
                self._load(today)
                month = _month(today)
                new = {key for key in map(self._key, texts) if self._months.get(key, -1) < month}
                if new:
                    lines = "".join(f"{month} {key}\n" for key in sorted(new))
                    with self._file.open("a", encoding="ascii") as file:
                        file.write(lines)
                    self._months.update(dict.fromkeys(new, month))
                    self._read = self._state_after(len(lines))
            except OSError as error:
                _log.info("use not noted: %s", type(error).__name__)

    def unused(self, texts: Iterable[str], today: date) -> set[str]:
        """Return those texts that were of no use for a year; none before the file is a year old. Never raises."""
        with self._lock:
            try:
                self._load(today)
            except OSError as error:
                _log.info("use not known: %s", type(error).__name__)
                return set()
            last = _month(today) - UNUSED_MONTHS
            if self._began is None or _month(self._began) > last or self._began.replace(day=1) > today:
                return set()
            return {text for text in texts if self._months.get(self._key(text), last) <= last}

    def _load(self, today: date) -> None:
        """Read what changed, or begin a new file. Raises OSError."""
        try:
            status = self._file.stat()
            if self._read != (status.st_size, status.st_mtime_ns):
                self._parse(self._file.read_text("ascii", errors="replace") if status.st_size <= _MOST_BYTES else "")
                self._read = status.st_size, status.st_mtime_ns
        except FileNotFoundError:
            self._began = None
        if self._began is None or self._began > today:
            self._began, self._salt, self._months = today, secrets.token_hex(16), {}
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text(f"{_BEGINNING} {today.isoformat()} {self._salt}\n", encoding="ascii")
            self._read = None

    def _state_after(self, added: int) -> tuple[int, int] | None:
        """Return the file's size and time, so that it isn't read again; None if another program added to it too."""
        status = self._file.stat()
        ours = self._read is not None and status.st_size == self._read[0] + added
        return (status.st_size, status.st_mtime_ns) if ours else None

    def _parse(self, content: str) -> None:
        self._began, self._salt, self._months = None, "", {}
        for line in content.split("\n"):
            words = line.split(" ")
            if len(words) == 3 and words[0] == _BEGINNING and self._began is None:
                self._began, self._salt = iso_day(words[1]), words[2]
            elif len(words) == 2 and words[0].isdecimal() and len(words[0]) < 7:
                self._months[words[1]] = max(int(words[0]), self._months.get(words[1], 0))

    def _key(self, text: str) -> str:
        return hashlib.blake2b(
            fact_key(text)[:_COMPARED].encode("utf-8", "surrogatepass"), key=self._salt.encode()[:64], digest_size=9
        ).hexdigest()


def _month(day: date) -> int:
    return day.year * 12 + day.month
