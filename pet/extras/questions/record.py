"""Record of the questions asked, each as a hash, never as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta

from pet.clock import Clock
from pet.extras.questions.followups import DAYS_BACK, FollowUp, find_followups
from pet.extras.questions.rechecks import Recheck
from pet.memory.reminders.occasions import ACQUAINTED
from pet.services.proactive_limits import MOST_KEPT, ProactiveLog, day_of
from pet.settings.schema import Settings

_QUESTIONS_A_DAY = 1
_ENDED_A_DAY = 3
"""Questions a day after which none comes about a line that has ended."""
_RECHECK_EVERY = timedelta(days=7)
FindRecheck = Callable[[Callable[[Recheck], bool], bool], Recheck | None]
"""Returns the first question that is wanted; with True only about lines that have lately ended."""


class QuestionRecord:
    """``logs``: returns the daily logs since a day, by name and text; ``forgotten``: whether the owner had a text
    forgotten."""

    def __init__(
        self,
        log: ProactiveLog,
        logs: Callable[[date], Iterable[tuple[str, str]]],
        forgotten: Callable[[str], bool],
        clock: Clock,
    ) -> None:
        self._log = log
        self._logs = logs
        self._forgotten = forgotten
        self._clock = clock
        self._sought: date | None = None  # day on which a question of the week was last sought

    def question(self, settings: Settings) -> FollowUp | None:
        """Return a follow-up question, each at most once; None if it is not due."""
        now = self._clock.now()
        if not self._may_ask(settings, now):
            return None
        known, alone = set(self._log.kept("asked")), self._log.left_alone()
        for question in find_followups(self._logs(now.date() - timedelta(DAYS_BACK)), now.date()):
            if question.key not in known and not alone(question.text) and not self._forgotten(question.text):
                return question
        return None

    def recheck(self, settings: Settings, find: FindRecheck) -> Recheck | None:
        """Return the question about a line that has ended, at any time, or else the week's about one that may no
        longer hold; each at most once. None if none is due.

        The week's is sought once a day at most. A clock that was set back delays no question for longer than a week.
        """
        now = self._clock.now()
        if not self._may_ask(settings, now, most=_ENDED_A_DAY):
            return None
        known, alone = set(self._log.kept("asked")), self._log.left_alone()

        def wanted(each: Recheck) -> bool:
            return each.key not in known and not alone(each.text)

        today, last = now.date(), day_of(self._log.kept("rechecked"))
        is_soon = last is not None and timedelta() <= today - last < _RECHECK_EVERY
        if is_soon or self._sought == today or not self._may_ask(settings, now):
            return find(wanted, True)
        self._sought = today
        return find(wanted, False)

    def mark_rechecked(self, recheck: Recheck) -> bool:
        """Record a question before it is shown. False: it could not be recorded and must not be shown."""
        asked = self._log.keep("asked", [*self._log.kept("asked"), recheck.key][-MOST_KEPT:])
        return asked if recheck.ends else self._log.keep("rechecked", [self._clock.now().date().isoformat()])

    def _may_ask(self, settings: Settings, now: datetime, most: int = _QUESTIONS_A_DAY) -> bool:
        if not settings.ask_after or len(self._log.today("asked_on")) >= most or self._log.is_too_soon(now):
            return False
        return self._log.days_together(now.date()) >= ACQUAINTED and not self._log.is_unwelcome(now.date())

    def mark_asked(self, question: FollowUp) -> None:
        self._log.keep("asked", [*self._log.kept("asked"), question.key][-MOST_KEPT:])
