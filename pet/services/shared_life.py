"""Signs of the life together: the pet's things, clothes and acts of a day, its first words, and why.

``pet.memory.reminders.occasions`` decides; this module reads the files for it, once for each day and change of them.
While memory is paused or off by default nothing is read and nothing remembered shows, whatever was read before. It
makes no model calls and stores no text.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from threading import RLock
from typing import ClassVar

from pet.access import FileKind
from pet.clock import Clock
from pet.errors import FileConflict, PetError
from pet.events import (
    DayChanged,
    Event,
    Forgotten,
    LifeChanged,
    MemoryPaused,
    RemindersChanged,
    SettingsChanged,
    WorkspaceChanged,
)
from pet.i18n import Language, Texts, is_chinese
from pet.language.contradictions import ended_line
from pet.language.labels import strip_owner
from pet.language.second_person import looks_spanish
from pet.memory.reminders.occasions import DayShown, Reason, Remembered, Weather, day_shown, logs_wanted
from pet.memory.reminders.rechecks import Recheck, find_ended, find_rechecks
from pet.memory.reminders.reminder import Reminder, Reminders
from pet.memory.store.about_owner import Statement, replaced, statements
from pet.memory.store.daily_log import log_day
from pet.memory.store.provenance import pasts
from pet.model import Author, CoreFile, Present, Receipt
from pet.services.proactive_limits import ProactiveLog, may_remind
from pet.services.reminders import read_logs
from pet.settings.schema import Settings
from pet.workspace.file_names import LOG_FOLDER, kind_of, log_name
from pet.workspace.store import WorkspaceStore, rewrite_text
from pet.workspace.text_encoding import normalize_newlines

_RECENT = timedelta(days=45)
"""Logs in which a newer line is sought."""
_DAYS = timedelta(days=7)
"""Logs in which the end of a line is sought whenever the owner comes."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Rechecks:
    store: WorkspaceStore
    clock: Clock

    def find(self, wanted: Callable[[Recheck], bool], *, ended: bool = False) -> Recheck | None:
        """Return the first question that is ``wanted``; None also if a file can't be read now. ``ended``: only about
        lines that have lately ended."""
        today = self.clock.now().date()
        try:
            core = [each for name in (CoreFile.USER, CoreFile.MEMORY) for each in self._statements(name.value)]
            logged = [
                each
                for name, text in read_logs(self.store, today - (_DAYS if ended else _RECENT))
                for each in statements(name, normalize_newlines(text))
            ]
            asked = find_ended(core, logged, self._noted, today)
            if not ended:
                asked += find_rechecks(core, logged, self._noted, today)
        except PetError as refused:
            _log.info("no question: %s", refused.error_code)
            return None
        forgotten = self.store.forgotten.is_forgotten
        return next((each for each in asked if wanted(each) and not forgotten(each.text)), None)

    def end(self, recheck: Recheck) -> Receipt | None:
        """Carry out "no longer". Raises FileConflict if the line has changed since the question, and as
        ``rewrite_text``."""
        stale, newer = recheck.stale, recheck.newer

        def change(current: str | None) -> str:
            text = current or ""
            there = next((each for each in statements(stale.file, text) if each.text == stale.text), None)
            if there is None:
                raise FileConflict(file=stale.file)
            if newer is None or recheck.ends:
                return replaced(text, there, ended_line(stale.text, self._until(recheck)))
            if newer.file == stale.file:
                lines = text.split("\n")
                return "\n".join([*lines[: there.start_line - 1], *lines[there.end_line :]])
            day = f" ({newer.day.isoformat()})" if newer.file.startswith(LOG_FOLDER) and newer.day else ""
            return replaced(text, there, f"{strip_owner(newer.text)}{day}")

        return rewrite_text(self.store, stale.file, change, author=Author.OWNER)

    def _until(self, recheck: Recheck) -> str:
        text, day = recheck.text, recheck.over or self.clock.now().date()
        language: Language = "zh" if is_chinese(text) else "es" if looks_spanish(text) else "en"
        return Texts(language)("memory.until", day=day.isoformat())

    def _noted(self, statement: Statement) -> date | None:
        """Return the local day on which a line came, by the history."""
        (past,) = pasts(statement.file, self.store, [statement])
        try:
            return datetime.fromisoformat(past.change.at).date() if past.change else None
        except ValueError:
            return None

    def _statements(self, name: str) -> list[Statement]:
        state = self.store.read(name)
        return statements(name, normalize_newlines(state.text)) if isinstance(state, Present) else []


@dataclass(frozen=True, slots=True, kw_only=True)
class PetLife:
    """Drawings and movements that the life together calls for. ``holds``: a due reminder, as a note; ``wears``: what
    belongs to the day; ``ways``: movements that came with acquaintance; ``keeps``: this month's thing."""

    holds: bool = False
    wears: str = ""
    weather: Weather = ""
    ways: list[str] = field(default_factory=list)
    keeps: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LifeReason:
    """A sign and its reason, in a sentence; ``file`` and ``line`` of the entry it comes from, "" for none."""

    text: str
    file: str
    line: int


@dataclass(slots=True, kw_only=True)
class SharedLife:
    """Thread-safe. ``talks``: counts the conversations; ``reminders``: returns them; ``paused``: whether memory
    is paused."""

    store: WorkspaceStore
    proactive: ProactiveLog
    rechecks: Rechecks
    reminders: Callable[[], Reminders]
    talks: Callable[[], int]
    paused: Callable[[], bool]
    settings: Callable[[], Settings]
    language: Callable[[], Language]
    clock: Clock
    emit: Callable[[Event], object]
    _lock: RLock = field(init=False, default_factory=RLock)
    _read: tuple[date, Language, DayShown] | None = field(init=False, default=None)
    _drawn: PetLife = field(init=False, default_factory=PetLife)
    EVENTS: ClassVar[tuple[type[Event], ...]] = (
        DayChanged,
        Forgotten,
        MemoryPaused,
        RemindersChanged,
        SettingsChanged,
        WorkspaceChanged,
    )

    # --- what shows -----------------------------------------------------------------------------

    @property
    def may_remember(self) -> bool:
        """Whether anything remembered may show now."""
        return self.settings().memory_default and not self.paused()

    @property
    def days_together(self) -> int:
        """Days since they met, or since the first log of a pet that came from elsewhere."""
        today = self.clock.now().date()
        first = next(filter(None, map(log_day, self.store.log_names())), today)
        return max(self.proactive.together(self.talks()).days, (today - first).days)

    def today(self) -> DayShown:
        """Return what shows today."""
        today, language = self.clock.now().date(), self.language()
        if not self.may_remember:
            return day_shown(today, language, None)
        with self._lock:
            if self._read is None or self._read[:2] != (today, language):
                self._read = today, language, day_shown(today, language, self._remembered(today))
            shown = self._read[2]
        return shown if self.may_remember else day_shown(today, language, None)  # paused meanwhile

    def held(self) -> tuple[Reminder, ...]:
        """Return the due reminders that the owner has not taken."""
        if not may_remind(self.settings(), paused=self.paused()):
            return ()
        return self.proactive.untaken(self.reminders().due)

    def drawn(self) -> PetLife:
        """Return what the pet's page draws."""
        today = self.today()
        self._drawn = PetLife(
            holds=bool(self.held()),
            wears=today.wears,
            weather=today.weather,
            ways=list(today.ways),
            keeps=today.keeps,
        )
        return self._drawn

    def reasons(self, texts: Texts) -> list[LifeReason]:
        """Return what shows today and why, in words."""
        held = [Reason(key="holds", file=each.file, line=each.line) for each in self.held()[:1]]
        return [
            LifeReason(
                text=texts(f"life.why_{each.key}", what=each.what, count=each.count), file=each.file, line=each.line
            )
            for each in (*held, *self.today().reasons)
        ]

    # --- what happens ---------------------------------------------------------------------------

    def on_event(self, event: Event) -> None:
        if isinstance(event, WorkspaceChanged) and kind_of(event.file) not in _READ:
            return
        with self._lock:
            self._read = None
        self.changed()

    def changed(self) -> None:
        """Announce it if the page must draw something else."""
        if self._drawn != self.drawn():
            self.emit(LifeChanged())

    def _remembered(self, today: date) -> Remembered:
        facts = [each for name in (CoreFile.USER, CoreFile.MEMORY) for each in statements(name, self._text(name))]
        written = set(self.store.log_names())
        logs = [log_name(day) for day in logs_wanted(today)]
        return Remembered(
            together=self.proactive.together(self.talks()),
            facts=[each for each in facts if not self.store.forgotten.is_forgotten(each.text)],
            logs=[(name, self._text(name)) for name in logs if name in written],
            welcome=self.proactive.may_bring_up(self.settings()),
        )

    def _text(self, name: str) -> str:
        state = self.store.read(name)
        return normalize_newlines(state.text) if isinstance(state, Present) else ""


_READ = (FileKind.USER, FileKind.MEMORY, FileKind.LOG)
