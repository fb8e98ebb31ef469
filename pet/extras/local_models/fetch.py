"""Download a catalogue model: several sources, resumable, verified by SHA-256.

The partial file is ``<sha256>.part`` in the models folder; a file under its final name has been verified. A lock file
admits one process per file. Requests carry no token or cookie. Import it late: pet.net takes 0.1 s.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from pet.errors import FetchRefused, LocalModelRefused
from pet.extras.local_models.catalogue import CatalogueEntry
from pet.extras.local_models.machine import free_disk
from pet.extras.local_models.model_store import in_gb, is_here, part_of
from pet.net.fetch import Deadline, FetchPolicy, Response, fetch
from pet.net.web_address import WebAddress, read_web_address
from pet.providers.endpoint import endpoint_of, find_proxy

_PIECE = 1024 * 1024
_SPARE_DISK = 1_000_000_000
_SILENT_SECONDS = 60.0
_REPORT_EVERY = 0.2  # seconds
_SPEED_WINDOW = 10.0  # seconds
_STATUSES = frozenset({200, 206, 416})
_FINAL = frozenset({"fetch_cancelled", "local_model_disk_full", "local_model_disk"})  # for every source
_PROBLEMS = {
    "cancelled": "stopped",
    "failed": "unreachable",
    "slow": "slow",
    "status": "no_file",
    "redirects": "no_file",
    "too_large": "wrong_size",
}
_RANGE = re.compile(r"bytes (\d{1,15})-(\d{1,15})/(\d{1,15})", re.ASCII)
_LEAST_BYTES = 65_536
"""Least bytes of one source within its silent time, and of a round over all; with fewer the download ends. A
server that drips sends each single byte in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadProgress:
    """``done`` of ``total`` bytes from ``host``; ``speed`` in bytes per second, 0 if unknown. ``checking``: existing
    bytes are being hashed."""

    done: int
    total: int
    host: str = ""
    speed: int = 0
    checking: bool = False

    @property
    def seconds_left(self) -> int | None:
        return None if not self.speed else (self.total - self.done) // self.speed


Report = Callable[[DownloadProgress], None]


class Download:
    """One download of one entry. ``stop`` is thread-safe; the partial file is kept."""

    def __init__(
        self,
        entry: CatalogueEntry,
        folder: Path,
        sources: Sequence[str],
        *,
        reach: FetchPolicy | None = None,
        report: Report = lambda _progress: None,
        now: Callable[[], float] = time.monotonic,
        free: Callable[[Path], int] = free_disk,
        silent_seconds: float = _SILENT_SECONDS,
    ) -> None:
        self.entry = entry
        self._folder = folder
        self._sources = sources
        self._reach = reach
        self._meter = _Meter(entry.size, report, now)
        self._now = now
        self._free = free
        self._silent_seconds = silent_seconds
        self._run = Deadline(None)
        self._hash = hashlib.sha256()
        self._done = 0

    def stop(self) -> None:
        self._run.stop()

    def run(self) -> Path:
        """Return the verified file.

        Raises LocalModelRefused: busy, disk_full, stopped, checksum, wrong_size, no_file, unreachable, slow, address,
        disk.
        """
        final, part = self._folder / self.entry.file, part_of(self.entry, self._folder)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with FileLock(part.with_suffix(".lock"), timeout=0):
                if not is_here(self.entry, self._folder):
                    self._take(part)
                    self._finish(part, final)
        except Timeout:
            raise LocalModelRefused("busy") from None
        except FetchRefused as refused:
            host = str(refused.args_.get("host", ""))
            raise LocalModelRefused(_PROBLEMS.get(refused.problem, "address"), host=host) from None
        except OSError as error:
            raise self._of_disk(error) from None
        return final

    def _take(self, part: Path) -> None:
        """Fetch all bytes from the sources in turn, as long as a round over them makes progress."""
        self._resume(part)
        failed: FetchRefused | LocalModelRefused = FetchRefused("failed", host="")
        while self._done < self.entry.size:
            before = self._done
            for source in self._sources:
                self._check_disk()
                try:
                    self._take_from(source, part)
                except (FetchRefused, LocalModelRefused) as refused:
                    if self._run.stopped or refused.error_code in _FINAL:
                        raise
                    failed = refused
                if self._done >= self.entry.size:
                    return
            if self._done - before < _LEAST_BYTES:
                raise failed

    def _resume(self, part: Path) -> None:
        if not part.exists():
            return
        with part.open("r+b") as file:
            if file.seek(0, 2) > self.entry.size:
                file.truncate(0)
            file.seek(0)
            while piece := file.read(_PIECE):
                self._run.left()
                self._hash.update(piece)
                self._done += len(piece)
                self._meter.report(self._done, "", checking=True)

    def _take_from(self, source: str, part: Path) -> None:
        reach = self._reach or FetchPolicy(proxy=find_proxy(endpoint_of(source)) or "")
        address = read_web_address(source, plain=reach.takes_plain)
        with fetch(
            address,
            self._run,
            reach,
            accept="application/octet-stream, */*;q=0.1",
            most=self.entry.size + _PIECE,
            headers=[("range", f"bytes={self._done}-")] if self._done else [],
            statuses=_STATUSES,
            silent_seconds=self._silent_seconds,
        ) as answer:
            self._check_answer(answer)
            if answer.status == 416:
                self._restart(part)
                return
            with part.open("ab") as file:
                if answer.status == 200 and self._done:  # no range support
                    self._restart(part)
                self._write(answer, file.fileno(), answer.address)

    def _write(self, answer: Response, file: int, address: WebAddress) -> None:
        since, before = self._now(), self._done
        for piece in answer.pieces(self.entry.size - self._done):
            self._write_piece(file, piece)
            self._hash.update(piece)
            self._done += len(piece)
            self._meter.report(self._done, address.host)
            now = self._now()
            if self._done - before >= _LEAST_BYTES:
                since, before = now, self._done
            elif now - since > self._silent_seconds:
                raise FetchRefused("slow", host=address.host)

    def _write_piece(self, file: int, piece: bytes) -> None:
        view = memoryview(piece)
        try:
            while view:
                view = view[os.write(file, view) :]
        except OSError as error:  # else it would count as the connection's
            os.truncate(file, self._done)
            raise self._of_disk(error) from None

    def _check_answer(self, answer: Response) -> None:
        host = answer.address.host
        if answer.header("content-type").partition(";")[0].strip().lower() in ("text/html", "application/json"):
            raise LocalModelRefused("no_file", host=host)
        if answer.status == 206:
            match = _RANGE.fullmatch(answer.header("content-range").strip())
            if match is None or int(match[1]) != self._done or int(match[3]) != self.entry.size:
                raise LocalModelRefused("wrong_size", host=host)
        elif answer.status == 200 and answer.size is not None and answer.size != self.entry.size:
            raise LocalModelRefused("wrong_size", host=host)

    def _restart(self, part: Path) -> None:
        os.truncate(part, 0)
        self._hash, self._done = hashlib.sha256(), 0
        self._meter.restart()

    def _finish(self, part: Path, final: Path) -> None:
        if self._done != self.entry.size or self._hash.hexdigest() != self.entry.sha256:
            part.unlink()
            raise LocalModelRefused("checksum", name=self.entry.name)
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(final)

    def _check_disk(self) -> None:
        rest, free = self.entry.size - self._done + _SPARE_DISK, self._free(self._folder)
        if free < rest:
            raise _disk_full(rest, free)

    def _of_disk(self, error: OSError) -> LocalModelRefused:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return _disk_full(self.entry.size - self._done + _SPARE_DISK, 0)
        return LocalModelRefused("disk", reason=error.strerror or type(error).__name__)


def remove_model(entry: CatalogueEntry, folder: Path) -> None:
    """Delete the model and its partial download. Raises LocalModelRefused: disk, busy."""
    part = part_of(entry, folder)
    try:
        with FileLock(part.with_suffix(".lock"), timeout=0):
            for file in (folder / entry.file, part):
                file.unlink(missing_ok=True)
    except Timeout:
        raise LocalModelRefused("busy") from None
    except FileNotFoundError:
        return  # no folder
    except OSError as error:
        raise LocalModelRefused("disk", reason=error.strerror or type(error).__name__) from None
    with suppress(OSError):
        part.with_suffix(".lock").unlink()


def _disk_full(needed: int, free: int) -> LocalModelRefused:
    return LocalModelRefused("disk_full", needed=in_gb(needed), free=in_gb(free))


class _Meter:
    """Reports progress a few times per second, with the speed of the last ten seconds."""

    def __init__(self, total: int, report: Report, now: Callable[[], float]) -> None:
        self._total = total
        self._report = report
        self._now = now
        self._seen: deque[tuple[float, int]] = deque()
        self._reported_at = -1.0

    def restart(self) -> None:
        self._seen.clear()

    def report(self, done: int, host: str, *, checking: bool = False) -> None:
        now = self._now()
        if now - self._reported_at < _REPORT_EVERY and done < self._total and self._reported_at >= 0:
            return
        self._reported_at = now
        speed = 0
        if not checking:
            self._seen.append((now, done))
            while now - self._seen[0][0] > _SPEED_WINDOW:
                self._seen.popleft()
            since, at = self._seen[0]
            speed = int((done - at) / (now - since)) if now > since else 0
        self._report(DownloadProgress(done=done, total=self._total, host=host, speed=speed, checking=checking))
