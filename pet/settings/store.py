"""settings.toml: read anew whenever it changed, written so that the owner's comments and unknown names survive.

The environment wins over the file. A value that can't be used keeps the one before and shows as a problem; a
file that is no TOML at all changes nothing and is never overwritten.
"""

from __future__ import annotations

import codecs
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pet.errors import PetNameRefused, SettingsInvalid
from pet.ids import check_pet_name
from pet.outside_data import read_toml, read_toml_document
from pet.regular_files import NotRegular, read_regular
from pet.settings.atomic_write import replace_file
from pet.settings.schema import SHORTCUTS, Settings, SettingValue, changed, check, check_shortcuts, decode

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

ENVIRONMENT = {"ANTHROPIC_BASE_URL": "base_url", "PET_MODEL": "model"}
_MAX_BYTES = 1024 * 1024
_LOCK_SECONDS = 10
_Stamp = tuple[int, int, int] | None


class SettingsStore:
    """One settings file. Safe from any thread and beside other processes."""

    def __init__(self, file: Path, environ: Mapping[str, str], on_change: Callable[[], None]) -> None:
        self._file = file
        self._on_change = on_change
        self._lock = threading.RLock()
        self._from_environment, self._environment_problems = _read_environment(environ)
        self._read: _Read = _Read(stamp=None, of_file=Settings(), problems=())
        self._refresh()

    @property
    def file(self) -> Path:
        return self._file

    def current(self) -> Settings:
        """The settings as they stand on disk now, the environment on top."""
        with self._lock:
            before = self._read
            self._refresh()
            now = changed(self._read.of_file, self._from_environment)
            told = (before.of_file, before.problems) != (self._read.of_file, self._read.problems)
        if told:
            self._on_change()
        return now

    def overridden(self) -> list[str]:
        """The settings an environment variable decides."""
        return sorted(self._from_environment)

    def problems(self) -> list[SettingsInvalid]:
        self.current()
        return [*self._environment_problems, *self._read.problems]

    def address_problem(self) -> SettingsInvalid | None:
        """Why it is not known which server is meant: an address that can't be used, or a file that can't be read.

        Whoever would send something asks first: the shipped address is no answer for an owner who named another.
        """
        problems = self._environment_problems
        if "base_url" not in self._from_environment:
            problems = self.problems()
        about = ("base_url", "ANTHROPIC_BASE_URL", None)  # None: about the file as a whole
        return next((problem for problem in problems if problem.args_.get("setting") in about), None)

    def change(self, changes: Mapping[str, SettingValue]) -> Settings:
        """Store these settings, all or none. Raises SettingsInvalid; also when the file is no TOML, since writing
        would lose what the owner has in it."""
        checked = {name: check(name, value) for name, value in changes.items()}
        check_shortcuts(changed(self.current(), checked), [name for name in SHORTCUTS if name in checked])
        from filelock import Timeout

        with self._lock:
            try:
                self._write(checked)
            except Timeout as error:
                raise SettingsInvalid(problem="busy", file=self._file.name) from error
            except OSError as error:
                raise SettingsInvalid(problem="not_written", file=self._file.name) from error
            self._refresh()
            now = changed(self._read.of_file, self._from_environment)
        self._on_change()
        return now

    def _write(self, values: Mapping[str, SettingValue]) -> None:
        import tomlkit  # late, like the lock: most starts write no settings
        from filelock import FileLock

        self._file.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(self._file.with_name(self._file.name + ".lock"), timeout=_LOCK_SECONDS):
            content = _read_bytes(self._file)
            document = _parse(content)
            for name, value in values.items():
                document[name] = value
            mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
            replace_file(self._file, mark + tomlkit.dumps(document).encode())

    def _refresh(self) -> None:
        stamp = _stamp(self._file)
        if stamp == self._read.stamp:
            return
        try:
            raw = _values(_read_bytes(self._file))
        except SettingsInvalid as problem:
            self._read = _Read(stamp=stamp, of_file=self._read.of_file, problems=(problem,))
            return
        settings, problems = decode(raw, self._read.of_file)
        self._read = _Read(stamp=stamp, of_file=settings, problems=problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """What was read of the file, and which state of it."""

    stamp: _Stamp
    of_file: Settings
    problems: tuple[SettingsInvalid, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PetSettings:
    """pet.toml: what this pet has of its own. None: nothing said, the settings decide."""

    name: str | None = None
    model: str | None = None
    language: str | None = None
    memory: bool | None = None
    recall: bool | None = None
    problems: tuple[SettingsInvalid, ...] = ()

    def over(self, settings: Settings, overridden: list[str]) -> tuple[Settings, list[str]]:
        """The settings with this pet's on top, and the names decided elsewhere. The environment still wins."""
        own = {
            "model": self.model,
            "language": self.language,
            "memory_default": self.memory,
            "recall": self.recall,
        }
        values: dict[str, SettingValue] = {
            name: value for name, value in own.items() if value is not None and name not in overridden
        }
        return changed(settings, values), sorted({*overridden, *values})


def read_pet_settings(workspace: Path) -> PetSettings:
    """A bad value is a problem and counts as not said; a file that is no TOML is ignored whole."""
    try:
        raw = _values(_read_bytes(workspace / "pet.toml"), file="pet.toml")
    except SettingsInvalid as problem:
        return PetSettings(problems=(problem,))
    problems: list[SettingsInvalid] = []

    def value(name: str, as_setting: str) -> SettingValue | None:
        try:
            return check(as_setting, raw[name]) if name in raw else None
        except SettingsInvalid as problem:
            problems.append(
                SettingsInvalid(problem=problem.problem, **{**problem.args_, "setting": f"pet.toml: {name}"})
            )
            return None

    model, language, memory, recall = (
        value("model", "model"),
        value("language", "language"),
        value("memory", "memory_default"),
        value("recall", "recall"),
    )
    name: str | None = None
    try:
        name = check_pet_name(str(raw["name"])) if "name" in raw else None
    except PetNameRefused:
        problems.append(SettingsInvalid(problem="not_a_name", setting="pet.toml: name"))
    return PetSettings(
        name=name,
        model=model if isinstance(model, str) else None,
        language=language if isinstance(language, str) else None,
        memory=memory if isinstance(memory, bool) else None,
        recall=recall if isinstance(recall, bool) else None,
        problems=tuple(problems),
    )


def _read_environment(environ: Mapping[str, str]) -> tuple[dict[str, SettingValue], list[SettingsInvalid]]:
    values: dict[str, SettingValue] = {}
    problems: list[SettingsInvalid] = []
    for variable, name in ENVIRONMENT.items():
        if not environ.get(variable, "").strip():
            continue
        try:
            values[name] = check(name, environ[variable])
        except SettingsInvalid as problem:
            problems.append(SettingsInvalid(problem=problem.problem, **{**problem.args_, "setting": variable}))
    return values, problems


def _stamp(file: Path) -> _Stamp:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _read_bytes(file: Path) -> bytes:
    """The file's bytes; none if it is missing. Raises SettingsInvalid if it is there and can't be read."""
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


def _values(content: bytes, *, file: str = "settings.toml") -> dict[str, object]:
    """What the file says, read by the standard library; only a file that is no TOML is looked at closer."""
    try:
        return read_toml(content)
    except ValueError:
        return dict(_parse(content, file=file).unwrap())


def _parse(content: bytes, *, file: str = "settings.toml") -> TOMLDocument:
    """With comments and order, for writing. Raises SettingsInvalid."""
    try:
        return read_toml_document(content)
    except ValueError as error:
        line = getattr(error, "line", 0)  # the text itself stays out of the message: it may hold anything
        raise SettingsInvalid(problem="file_broken", file=file, line=line if isinstance(line, int) else 0) from error
