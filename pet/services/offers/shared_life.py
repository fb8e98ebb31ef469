"""Signs of the life together: the pet's things, clothes and acts of a day, its first words, and why.

``pet.memory.reminders.occasions`` decides; this module reads the files for it, once for each day and change of them.
While memory is paused or off by default nothing is read and nothing remembered shows, whatever was read before. It
makes no model calls and stores no text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from threading import RLock
from typing import TYPE_CHECKING, ClassVar

from pet.access import FileKind
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
from pet.i18n import Language, Texts
from pet.memory.reminders.occasions import DayShown, Reason, Remembered, Weather, day_shown, logs_wanted
from pet.memory.reminders.reminder import Reminder
from pet.memory.store.about_owner import statements
from pet.memory.store.daily_log import log_day
from pet.model import CoreFile, Present
from pet.services.proactive_limits import may_remind
from pet.workspace.file_names import kind_of, log_name
from pet.workspace.text_encoding import normalize_newlines

if TYPE_CHECKING:
    from pet.app.pet import Pet


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


@dataclass(slots=True)
class SharedLife:
    """Thread-safe."""

    pet: Pet
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
        return self.pet.effective.current().memory_default and not self.pet.conversations.paused

    @property
    def days_together(self) -> int:
        """Days since they met, or since the first log of a pet that came from elsewhere."""
        today = self.pet.clock.now().date()
        first = next(filter(None, map(log_day, self.pet.store.log_names())), today)
        return max(self.pet.proactive.together(self._talks()).days, (today - first).days)

    def today(self) -> DayShown:
        """Return what shows today."""
        today, language = self.pet.clock.now().date(), self.pet.language()
        if not self.may_remember:
            return day_shown(today, language, None)
        with self._lock:
            if self._read is None or self._read[:2] != (today, language):
                self._read = today, language, day_shown(today, language, self._remembered(today))
            shown = self._read[2]
        return shown if self.may_remember else day_shown(today, language, None)  # paused meanwhile

    def held(self) -> tuple[Reminder, ...]:
        """Return the due reminders that the owner has not taken."""
        if not may_remind(self.pet.effective.current(), paused=self.pet.conversations.paused):
            return ()
        return self.pet.proactive.untaken(self.pet.reminders.snapshot().due)

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
            self.pet.emit(LifeChanged())

    def _remembered(self, today: date) -> Remembered:
        facts = [each for name in (CoreFile.USER, CoreFile.MEMORY) for each in statements(name, self._text(name))]
        store, proactive = self.pet.store, self.pet.proactive
        written = set(store.log_names())
        logs = [log_name(day) for day in logs_wanted(today)]
        return Remembered(
            together=proactive.together(self._talks()),
            facts=[each for each in facts if not store.forgotten.is_forgotten(each.text)],
            logs=[(name, self._text(name)) for name in logs if name in written],
            welcome=proactive.may_bring_up(self.pet.effective.current()),
        )

    def _talks(self) -> int:
        return len(self.pet.conversations.saved())

    def _text(self, name: str) -> str:
        state = self.pet.store.read(name)
        return normalize_newlines(state.text) if isinstance(state, Present) else ""


_READ = (FileKind.USER, FileKind.MEMORY, FileKind.LOG)
