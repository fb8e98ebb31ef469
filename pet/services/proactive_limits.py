"""Rate limits of proactive messages (greetings, due reminders, follow-up questions), and the quiet hours.

Stores what was shown in the program's state as days, counts and hashes, never text. ``SpeechBubble`` decides whether
a message may be shown at all.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta

from pet.clock import Clock, instant_of
from pet.memory.reminders.occasions import Together, topic
from pet.memory.reminders.reminder import Reminder
from pet.services.reminders import shown_moment
from pet.settings.program_state import JsonState, first_start_over
from pet.settings.schema import Settings

MOST_REMINDERS = 3
MOST_KEPT = 2_000
_BREATHER = timedelta(minutes=20)
"""Minimum interval between unsolicited messages, and after a conversation."""
_ALIKE = 0.5
_UNWELCOME = 2
"""Dismissed questions in a row after which questions pause."""
_REST = timedelta(days=14)
_log = logging.getLogger(__name__)


def may_remind(settings: Settings, *, paused: bool) -> bool:
    """Return whether reminders may be shown unasked, regardless of quiet hours."""
    return settings.reminder_bubbles and settings.memory_default and not paused


def is_quiet(now: datetime, start: str, end: str) -> bool:
    """Return whether the time is within quiet hours, also across midnight. False if either time is missing."""
    if not start or not end:
        return False
    begins, ends, at = time.fromisoformat(start), time.fromisoformat(end), now.time()
    return begins <= at < ends if begins <= ends else at >= begins or at < ends


def wants_quiet(settings: Settings, now: datetime) -> bool:
    """Return whether the owner wants no unasked sign of life now: do not disturb, or quiet hours."""
    return settings.do_not_disturb or is_quiet(now, settings.quiet_from, settings.quiet_until)


def seconds_until(now: datetime, end: str) -> float:
    """Return the seconds until the next occurrence of this time of day."""
    ends = datetime.combine(now.date(), time.fromisoformat(end))
    seconds = (instant_of(ends, now) - now).total_seconds()
    return seconds if seconds >= 0 else (instant_of(ends + timedelta(days=1), now) - now).total_seconds()


class ProactiveLog:
    """Log of proactive messages of one pet. ``forgotten``: whether the owner had a text forgotten."""

    def __init__(self, *, forgotten: Callable[[str], bool], state: JsonState, pet: str, clock: Clock) -> None:
        self._forgotten = forgotten
        self._state = state
        self._pet = pet
        self._clock = clock
        self._spoke: datetime | None = None
        self._unanswered: date | None = None
        self._unread: set[str] = set()  # hashes of reminders that were replaced before an answer

    def may_begin(self, settings: Settings) -> bool:
        """Return whether the settings allow unasked messages, and the first start is over."""
        return settings.memory_default and first_start_over(self._state)

    # --- greetings ------------------------------------------------------------------------------

    def greeting_due(self, settings: Settings) -> bool:
        return settings.greetings != "off" and self.kept("greeted") != [_part_of_day(self._clock.now(), settings)]

    def greeted(self, settings: Settings) -> None:
        """Record a greeting, or that a conversation is active anyway."""
        self.keep("greeted", [_part_of_day(self._clock.now(), settings)])

    # --- reminders ------------------------------------------------------------------------------

    def fresh_reminders(self, due: Iterable[Reminder]) -> tuple[Reminder, ...]:
        """Return the reminders not shown today, at most as many as a bubble holds."""
        known = set(self.today("promised")) - self._unread
        return tuple(each for each in due if _hash(each) not in known)[:MOST_REMINDERS]

    def note_shown(self, reminders: Iterable[Reminder]) -> None:
        shown, known = [_hash(reminder) for reminder in reminders], self.today("promised")
        self.add_today("promised", [each for each in shown if each not in known])
        self._unread.difference_update(shown)

    def cut_short(self, reminders: Iterable[Reminder]) -> None:
        """Record that another message replaced these reminders: they may be shown once more."""
        self._unread.update(_hash(reminder) for reminder in reminders)

    def untaken(self, due: Iterable[Reminder]) -> tuple[Reminder, ...]:
        """Return the reminders that the owner has not closed today."""
        taken = set(self.today("taken"))
        return tuple(each for each in due if _hash(each) not in taken)

    def mark_taken(self, reminders: Iterable[Reminder]) -> None:
        self.add_today("taken", [_hash(reminder) for reminder in reminders])

    # --- the life together ----------------------------------------------------------------------

    def together(self, talks: int) -> Together:
        """Return the days since they met, and the most conversations there ever were: deleting some loses nothing."""
        known = max((int(each) for each in self.kept("talks") if each.isdecimal()), default=0)
        if talks > known:
            self.keep("talks", [str(talks)])
        return Together(days=self.days_together(self._clock.now().date()), talks=max(talks, known))

    def may_bring_up(self, settings: Settings) -> Callable[[str], bool]:
        """Return whether the owner likes a remembered text to be brought up: none while questions are unwelcome."""
        alone = self.left_alone()
        if not settings.ask_after or self.is_unwelcome(self._clock.now().date()):
            return lambda _text: False
        return lambda text: not alone(text) and not self._forgotten(text)

    # --- questions ------------------------------------------------------------------------------

    def spend(self, questions: int) -> None:
        """Take this number from the questions of the day."""
        if questions:
            self.add_today("asked_on", ["asked"] * questions)

    def answered(self, *, welcome: bool) -> None:
        """Record whether the owner answered or dismissed the question."""
        refused = [] if welcome else self.kept("put_away")
        self.keep("put_away", [] if welcome else [*refused, self._clock.now().date().isoformat()][-_UNWELCOME:])

    def leave_alone(self, text: str) -> None:
        """Bring up this text and others about the same no more."""
        salt, *topics = self.kept("left_alone") or [secrets.token_hex(16)]
        words = ",".join(sorted(_salted(salt, word) for word in topic(text)))
        self.keep("left_alone", [salt, *topics, words][: MOST_KEPT + 1])

    def days_together(self, today: date) -> int:
        """Return the days since they met. Setting the clock back restarts them."""
        met = day_of(self.kept("met"))
        if met is None or met > today:
            self.keep("met", [today.isoformat()])
            return 0
        return (today - met).days

    def is_unwelcome(self, today: date) -> bool:
        """Return whether questions pause, since the owner dismissed some in a row."""
        put_away = self.kept("put_away")
        last = day_of(put_away[-1:])
        return len(put_away) >= _UNWELCOME and last is not None and timedelta() <= today - last < _REST

    # --- what the pet says by itself -------------------------------------------------------------

    def wait_for_owner(self) -> None:
        """Record that the pet has spoken by itself: nothing more today before the owner was there."""
        self._unanswered = self._clock.now().date()

    @property
    def waits_for_owner(self) -> bool:
        return self._unanswered == self._clock.now().date()

    def owner_is_there(self) -> None:
        self._unanswered = None

    # --- taking turns ---------------------------------------------------------------------------

    def spoke(self) -> None:
        """Record a message: delays the next question."""
        self._spoke = self._clock.now()

    def is_too_soon(self, now: datetime) -> bool:
        """Return whether a message came just before."""
        return self._spoke is not None and timedelta() <= now - self._spoke < _BREATHER

    # --- stored state ----------------------------------------------------------------------------

    def left_alone(self) -> Callable[[str], bool]:
        """Return whether a text is about what the owner wants left alone."""
        salt, *topics = self.kept("left_alone") or [""]
        sets = [frozenset(each.split(",")) for each in topics]

        def alike(text: str) -> bool:
            words = frozenset(_salted(salt, word) for word in topic(text))
            return any(_overlap(words, each) >= _ALIKE for each in sets)

        return alike if sets else lambda _text: False

    def today(self, name: str) -> list[str]:
        """Return what is kept of today."""
        return self.of_today(name)[1:]

    def of_today(self, name: str) -> list[str]:
        """Return the day, and what is kept of it. What tomorrow has had counts today: a clock or zone that goes back
        and forth gives no second share."""
        today, kept = self._clock.now().date(), self.kept(name)
        day = day_of(kept)
        return kept if day in (today, today + timedelta(1)) else [today.isoformat()]

    def add_today(self, name: str, values: list[str]) -> bool:
        """Keep more of today; False if it could not be stored."""
        return self.keep(name, [*self.of_today(name), *values])

    def kept(self, name: str) -> list[str]:
        """Return what the program's state keeps by this name for this pet."""
        stored = self._state.read().get(f"{name}.{self._pet}")
        return [item for item in stored if isinstance(item, str)] if isinstance(stored, list) else []

    def keep(self, name: str, values: list[str]) -> bool:
        """Replace the stored state by it; False if it could not be stored."""
        try:
            self._state.update({f"{name}.{self._pet}": values})
        except OSError as error:  # not persisted: it may repeat
            _log.warning("not stored: %s", type(error).__name__)
            return False
        return True


def day_of(kept: list[str]) -> date | None:
    try:
        return date.fromisoformat(kept[0]) if kept else None
    except ValueError:
        return None


def _part_of_day(now: datetime, settings: Settings) -> str:
    """Key of the greeting period: the local day, or its morning and evening; a night belongs to the evening
    before.
    """
    if settings.greetings != "twice":
        return now.date().isoformat()
    if now.hour < 5:
        return f"{(now.date() - timedelta(1)).isoformat()} evening"
    return f"{now.date().isoformat()} {'morning' if now.hour < 17 else 'evening'}"


def _hash(reminder: Reminder) -> str:
    return hash_of(f"{reminder.file}\0{shown_moment(reminder)}\0{reminder.text}")


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _salted(salt: str, word: str) -> str:
    return hashlib.blake2b(word.encode("utf-8", "surrogatepass"), key=salt.encode(), digest_size=6).hexdigest()


def _overlap(some: frozenset[str], others: frozenset[str]) -> float:
    """Return the word overlap relative to the shorter text. A single common word is ignored unless it is the whole
    text.
    """
    common = len(some & others)
    least = min(len(some), len(others))
    return common / least if least and (common > 1 or least == 1) else 0.0
