"""settings.toml: re-read on change; writing preserves the owner's comments and unknown keys.

Environment variables override the file. An invalid value keeps the previous one and is reported as a problem; a file
that is not valid TOML changes nothing and is never overwritten. Settings that decide whether memory is used are then
closed, also if a line that closed one is gone.
"""

from __future__ import annotations

import codecs
import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pet.errors import SettingsInvalid
from pet.fs.directory import replace_file
from pet.i18n import choose_date_order
from pet.paths import make_private
from pet.serde import FORMAT, KEY, is_newer
from pet.settings.connections import (
    COMPUTER,
    MAIN,
    MOST,
    Connection,
    as_table,
    decode_connections,
    main_connection,
    valid_connection,
)
from pet.settings.program_state import ClosedValues
from pet.settings.schema import (
    CLOSED,
    FORMER_NAMES,
    SHORTCUTS,
    Settings,
    changed,
    check,
    check_shortcuts,
    decode_settings,
    with_place,
)
from pet.settings.setting import SettingValue
from pet.untrusted.parsers import read_toml, read_toml_document
from pet.untrusted.regular_files import NotRegular, read_regular

if TYPE_CHECKING:
    from tomlkit import TOMLDocument
    from watchdog.events import FileSystemEvent

_log = logging.getLogger(__name__)

ENVIRONMENT = {"ANTHROPIC_BASE_URL": "base_url", "PET_MODEL": "model"}
_MAX_BYTES = 1024 * 1024
_LOCK_SECONDS = 10
_Stamp = tuple[int, int, int] | None  # None: there is no file
_UNREAD: _Stamp = (0, 0, 0)


class SettingsStore:
    """One settings file. Thread-safe and safe beside other processes."""

    def __init__(
        self,
        file: Path,
        environ: Mapping[str, str],
        on_change: Callable[[], object],
        closed: ClosedValues | None = None,
    ) -> None:
        self._file = file
        self._closed = closed
        self._on_change = on_change
        self._lock = threading.RLock()
        self._from_environment, self._environment_problems = _read_environment(environ)
        self._read: _Read = _Read(stamp=_UNREAD, of_file=Settings(), problems=())
        self._refresh()

    @property
    def file(self) -> Path:
        return self._file

    def current(self) -> Settings:
        """Return the current settings from disk, overridden by the environment."""
        with self._lock:
            before = self._read
            self._refresh()
            now = self._now()
            changed_on_disk = replace(before, stamp=None) != replace(self._read, stamp=None)
        if changed_on_disk:
            self._on_change()
        return now

    def overridden(self) -> list[str]:
        """Return the settings set by an environment variable."""
        return sorted(self._from_environment)

    def problems(self) -> list[SettingsInvalid]:
        """Return the problems of environment and file as they are now."""
        self.current()
        return [*self._environment_problems, *self._read.problems]

    def address_problem(self, connection: str = MAIN) -> SettingsInvalid | None:
        """Return why the server is unknown: an invalid URL, or an unreadable file. None if it is known.

        Check before sending: the default URL would be wrong for an owner who set another.
        """
        problems = self._environment_problems
        if "base_url" not in self._from_environment:
            problems = self.problems()
        of_main = ("base_url", "ANTHROPIC_BASE_URL") if connection == MAIN else ()
        relevant = (*of_main, None)  # None: the file as a whole
        return next((problem for problem in problems if problem.args_.get("setting") in relevant), None)

    def connections(self) -> tuple[Connection, ...]:
        """Return the connections, that of the file's top level first."""
        with self._lock:
            main = main_connection(self.current(), self._read.main_name)
            return main, *self._read.connections

    def main_is_written(self) -> bool:
        """Whether file or environment set the main connection's address."""
        self.current()
        return self._read.main_is_written or "base_url" in self._from_environment

    def save_connection(self, connection: Connection) -> None:
        """Add a connection, or replace the one with its id. Raises SettingsInvalid."""
        checked = valid_connection(connection)
        if checked.id == COMPUTER:
            raise SettingsInvalid(problem="not_a_connection", setting="connection")
        if checked.id not in (each.id for each in self.connections()) and len(self._read.connections) >= MOST:
            raise SettingsInvalid(problem="too_many_connections", most=MOST)
        table = as_table(checked)
        if checked.id == MAIN:
            self._store(table, {"name": table.pop("name")}, MAIN)
        else:
            self._store({}, table, checked.id)

    def remove_connection(self, connection: str) -> None:
        """Remove a connection; the main one gets its shipped values back. Raises SettingsInvalid."""
        unset = dict.fromkeys(("base_url", "protocol", "model")) if connection == MAIN else {}
        self._store(unset, None, connection)

    def change(self, changes: Mapping[str, SettingValue]) -> Settings:
        """Store these settings, all or none. Raises SettingsInvalid, also if the file is not valid TOML: writing
        would lose its content.
        """
        checked = {name: check(name, value) for name, value in changes.items()}
        check_shortcuts(changed(self.current(), checked), [name for name in SHORTCUTS if name in checked])
        return self._store(checked)

    def _store(
        self, values: Mapping[str, object], table: Mapping[str, object] | None = None, connection: str = ""
    ) -> Settings:
        """Set these values and this connection's table; None removes. Raises SettingsInvalid."""
        from filelock import Timeout

        with self._lock:
            try:
                self._write(values, table, connection)
            except Timeout as error:
                raise SettingsInvalid(problem="busy", file=self._file.name) from error
            except OSError as error:
                raise SettingsInvalid(problem="not_written", file=self._file.name) from error
            self._refresh()
            now = self._now()
        self._on_change()
        return now

    def _now(self) -> Settings:
        now = changed(self._read.of_file, self._from_environment)
        return replace(now, connection=MAIN) if "base_url" in self._from_environment else now

    def _write(self, values: Mapping[str, object], table: Mapping[str, object] | None, connection: str) -> None:
        import tomlkit  # lazy, like the lock: most starts write no settings
        from filelock import FileLock

        make_private(self._file.parent)
        with FileLock(self._file.with_name(self._file.name + ".lock"), timeout=_LOCK_SECONDS):
            content = _read_bytes(self._file)
            document = _parse(content, self._file.name)
            _require_known(document, self._file.name)
            if not content:
                document[KEY] = FORMAT
            for name, value in ({name: CLOSED[name] for name in self._read.lost} | dict(values)).items():
                _put(document, name, value)
                if name in FORMER_NAMES:
                    document.pop(FORMER_NAMES[name], None)
            if connection:
                tables = document.setdefault("connections", tomlkit.table(is_super_table=True))
                if not isinstance(tables, dict):
                    raise SettingsInvalid(problem="not_a_connection", setting="connections")
                _put(tables, connection, table)
                _normalise_connections(document)
            mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
            replace_file(self._file, mark + tomlkit.dumps(document).encode())

    def _refresh(self) -> None:
        stamp = _stamp(self._file)
        if stamp == self._read.stamp:
            return
        try:
            raw = read_settings_file(self._file)
        except SettingsInvalid as problem:
            closed = changed(self._read.of_file, CLOSED)
            self._read = replace(self._read, stamp=stamp, of_file=closed, problems=(problem,))
            return
        settings, problems = decode_settings(raw, self._read.of_file)
        lost = self._lost(raw, [str(each.args_.get("setting")) for each in problems])
        settings = changed(settings, {name: CLOSED[name] for name in lost})
        problems = tuple(each for each in problems if each.args_.get("setting") not in lost)
        problems += tuple(
            SettingsInvalid(problem="no_longer_set", setting=name, file=self._file.name) for name in lost
        )
        name, connections, bad = decode_connections(raw.get("connections"))
        self._read = _Read(
            stamp=stamp,
            of_file=settings,
            problems=(*problems, *bad),
            lost=lost,
            main_name=name,
            connections=connections,
            main_is_written="base_url" in raw,
        )
        choose_date_order(settings.date_order)

    def _lost(self, raw: Mapping[str, object], bad: list[str]) -> tuple[str, ...]:
        """Return the settings that count as closed: by a bad value, or by a line that closed them and is gone."""
        written = {name: None if name in bad or name not in raw else raw[name] == CLOSED[name] for name in CLOSED}
        if written["memory_read_only"] is not None:  # without its line it is closed, but memory_default may be open
            written["memory_read_only"] = bool(raw["memory_read_only"]) and raw.get("memory_default") is False
        lost = self._closed.lost(written) if self._closed else []
        return tuple(name for name in CLOSED if name in bad or name in lost)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """The parsed file, and the file state it was read from."""

    stamp: _Stamp
    of_file: Settings
    problems: tuple[SettingsInvalid, ...]
    lost: tuple[str, ...] = ()  # count as closed
    main_name: str = ""
    connections: tuple[Connection, ...] = ()
    main_is_written: bool = False


class SettingsWatcher:
    """Reports edits of the settings file, so that open windows update immediately; correctness doesn't depend on it.

    ``refresh`` is called on every event of the file: redundant calls must be cheap and have no effect.
    """

    def __init__(self, file: Path, refresh: Callable[[], object]) -> None:
        from watchdog.observers import Observer  # lazy: the command line watches nothing

        self._file = file
        self._refresh = refresh
        self._observer = Observer()

    def start(self) -> None:
        """Watch; if the system can't, changes are still found before each use."""
        from watchdog.events import FileSystemEventHandler

        handler = FileSystemEventHandler()
        handler.on_any_event = self._on_event  # type: ignore[method-assign]
        make_private(self._file.parent)
        try:
            self._observer.schedule(handler, str(self._file.parent))
            self._observer.start()
        except OSError as error:
            _log.info("settings are not watched: %s", error)
        self._refresh()  # for changes since the first reading, while nothing was watched

    def stop(self) -> None:
        if self._observer.is_alive():
            self._observer.stop()
            self._observer.join()

    def _on_event(self, event: FileSystemEvent) -> None:
        if event.event_type in ("opened", "closed_no_write"):
            return  # caused by our own reads
        names = {Path(str(path)).name for path in (event.src_path, event.dest_path) if path}
        if self._file.name in names:
            self._refresh()


def _read_environment(environ: Mapping[str, str]) -> tuple[dict[str, SettingValue], list[SettingsInvalid]]:
    values: dict[str, SettingValue] = {}
    problems: list[SettingsInvalid] = []
    for variable, name in ENVIRONMENT.items():
        if not environ.get(variable, "").strip():
            continue
        try:
            values[name] = check(name, environ[variable])
        except SettingsInvalid as problem:
            problems.append(with_place(problem, variable))
    return values, problems


def _put(table: dict[str, Any], name: str, value: object) -> None:
    if value is not None:
        table[name] = value
    else:
        table.pop(name, None)


def _normalise_connections(document: TOMLDocument) -> None:
    """Normalise inline connections to tables if the document would not parse to its values: a table added between
    lines such as ``connections.home.model = "x"`` takes over those that follow.
    """
    values = document.unwrap()
    try:
        if read_toml(document.as_string().encode()) == values:
            return
    except ValueError:
        pass
    del document["connections"]
    document["connections"] = values["connections"]


def _stamp(file: Path) -> _Stamp:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _read_bytes(file: Path) -> bytes:
    """Return the file's bytes; empty if missing. Raises SettingsInvalid if it exists and can't be read."""
    try:
        content = read_regular(file, _MAX_BYTES + 1)
    except FileNotFoundError:
        return b""
    except NotRegular as error:
        raise SettingsInvalid(problem="not_a_file", file=file.name) from error
    except OSError as error:
        raise SettingsInvalid(problem="file_broken", file=file.name, line=0) from error
    if len(content) > _MAX_BYTES:
        raise SettingsInvalid(problem="file_broken", file=file.name, line=0)
    return content


def read_settings_file(file: Path) -> dict[str, object]:
    """Return a TOML file's values; none if it is missing. Raises SettingsInvalid.

    Parses with the standard library; only an invalid file is parsed again, for the error's position.
    """
    content = _read_bytes(file)
    try:
        values = read_toml(content)
    except ValueError:
        values = dict(_parse(content, file.name).unwrap())
    _require_known(values, file.name)
    return values


def _require_known(values: Mapping[str, object], file: str) -> None:
    """Raises SettingsInvalid for a file of a newer program, whose values may mean something else."""
    if is_newer(values):
        raise SettingsInvalid(problem="newer", file=file)


def _parse(content: bytes, file: str) -> TOMLDocument:
    """Parse with comments and order, for writing. Raises SettingsInvalid."""
    try:
        return read_toml_document(content)
    except ValueError as error:
        line = getattr(error, "line", 0)  # the parser's message is omitted, as it may quote any content
        raise SettingsInvalid(problem="file_broken", file=file, line=line if isinstance(line, int) else 0) from error
