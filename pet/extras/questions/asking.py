"""Questions in the bubble, alone or with the greeting of the day: how the exam went, whether a line still holds; and
Undo for what an answer changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from pet.errors import PetError
from pet.events import ErrorInfo
from pet.extras.questions.followups import DAYS_BACK, FollowUp, find_followups
from pet.extras.questions.rechecks import Recheck, RecheckFiles
from pet.i18n import Texts
from pet.memory.reminders.occasions import ACQUAINTED, quoted
from pet.model import Author, Receipt
from pet.services.offers.bubble import SpeechBubble
from pet.services.offers.offer import LAST, UNASKED, Answer, BubbleLine, Cue, Offer, OwnerCame, always
from pet.services.offers.replies import failure
from pet.services.offers.wording import joined
from pet.services.proactive_limits import MOST_KEPT, day_of
from pet.services.reminders import read_logs
from pet.settings.schema import Settings

if TYPE_CHECKING:
    from pet.app.pet import Pet

_QUESTIONS_A_DAY = 1
_ENDED_A_DAY = 3
"""Questions a day after which none comes about a line that has ended."""
_RECHECK_EVERY = timedelta(days=7)
FindRecheck = Callable[[Callable[[Recheck], bool], bool], Recheck | None]
"""Returns the first question that is wanted; with True only about lines that have lately ended."""


class QuestionRecord:
    """Record of the questions asked, each as a hash, never as text."""

    def __init__(self, pet: Pet) -> None:
        self._log = pet.proactive
        self._store = pet.store
        self._clock = pet.clock
        self._sought: date | None = None  # day on which a question of the week was last sought

    def question(self, settings: Settings) -> FollowUp | None:
        """Return a follow-up question, each at most once; None if it is not due."""
        now = self._clock.now()
        if not self._may_ask(settings, now):
            return None
        known, alone = set(self._log.kept("asked")), self._log.left_alone()
        for question in find_followups(read_logs(self._store, now.date() - timedelta(DAYS_BACK)), now.date()):
            if (
                question.key not in known
                and not alone(question.text)
                and not self._store.forgotten.is_forgotten(question.text)
            ):
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


_WEEK = 6  # days back that a weekday's name means
QUESTIONS = 2
"""Variants per kind of question."""


FOLLOW_UP = Offer(
    kind="asking",
    on=(OwnerCame,),
    due=None,
    setting=lambda settings: settings.ask_after,
    memory="settled",
    held="dropped",
    chat="shown",
    stays="time",
    rank=LAST,
    seconds=UNASKED,
    questions=1,
    pauses=True,
    voiced=True,
)


def _question_line(
    bubble: SpeechBubble,
    offer: Offer,
    words: Callable[[Texts], str],
    answers: Iterable[Answer],
    never: tuple[str, str, str],
    begin: Callable[[], bool],
) -> BubbleLine:
    """Return a question that the owner may close, or want no more. ``never``: id and text of that answer, and what it
    leaves alone."""
    proactive = bubble.pet.proactive

    def unwelcome() -> None:
        proactive.answered(welcome=False)

    def leave_alone() -> None:
        unwelcome()
        proactive.leave_alone(never[2])

    quiet = Answer(id=never[0], text=never[1], style="quiet", act=leave_alone)
    return BubbleLine(offer=offer, words=words, answers=(*answers, quiet), begin=begin, closed=unwelcome)


def follow_up_line(bubble: SpeechBubble, record: QuestionRecord, question: FollowUp, *, name: str = "") -> BubbleLine:
    """Return the question; ``name``: the owner's, whom it greets at once."""
    proactive, now = bubble.pet.proactive, bubble.pet.clock.now()

    def words(texts: Texts) -> str:
        asked = texts(question_key(question.kind, now.date()), what=question.what)
        return joined((*lead_in(name, question, now, texts), asked), texts.language)

    def begin() -> bool:
        record.mark_asked(question)
        return True

    def begin_conversation() -> None:
        proactive.answered(welcome=True)
        live = bubble.pet.conversations.create(memory=True)
        live.record.open_with(words(bubble.pet.texts()), question.text)
        bubble.open_chat(live.id)

    answers = (
        Answer(id="open", text="bubble.tell", style="main", act=begin_conversation),
        Answer(id="close", text="bubble.not_now", act=lambda: proactive.answered(welcome=False)),
    )
    never = ("leave_alone", "bubble.dont_ask", question.text)
    return _question_line(bubble, FOLLOW_UP, words, answers, never, begin)


def lead_in(name: str, question: FollowUp, now: datetime, texts: Texts) -> Iterator[str]:
    """Yield what a question begins with: the owner's name, and the day it is about if that is within a week."""
    if name:
        yield texts("bubble.hello", name=name)
    days = (now.date() - question.day).days
    if question.kind != "hard" and 1 <= days <= _WEEK:
        yield texts("bubble.about_yesterday" if days == 1 else f"bubble.about_{question.day.weekday()}")


def question_key(kind: str, day: date) -> str:
    """Return the catalogue key of a question about a remembered item."""
    return f"bubble.ask_{kind}_{1 + day.toordinal() % QUESTIONS}"


RECHECK = replace(FOLLOW_UP, kind="recheck")
CHANGED: Offer = replace(
    RECHECK, kind="changed", on=(), due=None, setting=always, memory="any", questions=0, pauses=False
)


def recheck_line(bubble: SpeechBubble, record: QuestionRecord, files: RecheckFiles, recheck: Recheck) -> BubbleLine:
    """Return the question about a line."""
    proactive = bubble.pet.proactive

    def end() -> None:
        proactive.answered(welcome=True)
        try:
            receipt = files.end(recheck)
        except PetError as refused:  # the line changed meanwhile, or the file can't be written
            bubble.offer(failure(bubble, ErrorInfo.of(refused)))
            return
        if receipt is not None:
            bubble.offer(changed_line(files, receipt))

    holds, ended = ("bubble.leave_it", "bubble.yes") if recheck.ends else ("bubble.yes", "bubble.no_longer")
    answers = [
        Answer(id="holds", text=holds, act=lambda: proactive.answered(welcome=True)),
        Answer(id="ended", text=ended, act=end),
    ]
    never = ("no_recheck", "bubble.dont_ask_again", recheck.text)
    return _question_line(
        bubble,
        RECHECK,
        partial(recheck_text, recheck),
        reversed(answers) if recheck.ends else answers,
        never,
        lambda: record.mark_rechecked(recheck),
    )


def changed_line(files: RecheckFiles, receipt: Receipt) -> BubbleLine:
    """Return what the answer changed, with Undo."""
    undo = Answer(
        id="undo",
        text="bubble.undo",
        act=lambda: files.store.undo(receipt, author=Author.OWNER),
    )
    return BubbleLine(offer=CHANGED, words=lambda texts: texts("memory.changed", file=receipt.file), answers=(undo,))


def recheck_text(recheck: Recheck, texts: Texts) -> str:
    """Return the question about a line that may no longer hold."""
    what, month = quoted(recheck.stale.sentence), texts(f"memory.month_{recheck.day.month}")
    if recheck.newer is not None:
        return texts(
            "memory.recheck_ended" if recheck.ends else "memory.recheck_newer",
            what=what,
            month=month,
            year=recheck.day.year,
            newer=quoted(recheck.newer.sentence),
        )
    return texts("memory.recheck", what=what, month=month, year=recheck.day.year)


class Questions:
    def __init__(self, pet: Pet) -> None:
        self.files = RecheckFiles(pet.store, pet.clock)
        self.record = QuestionRecord(pet)

    def join(self, bubble: SpeechBubble) -> None:
        """Let the bubble ask."""
        bubble.kinds = (*bubble.kinds, replace(RECHECK, due=self._recheck), replace(FOLLOW_UP, due=self._follow_up))
        bubble.greeting_question = lambda name: self._question(bubble, name)

    def _recheck(self, bubble: SpeechBubble, _cue: Cue) -> BubbleLine | None:
        recheck = self.record.recheck(bubble.pet.effective.current(), self.files.find)
        return recheck_line(bubble, self.record, self.files, recheck) if recheck is not None else None

    def _follow_up(self, bubble: SpeechBubble, _cue: Cue) -> BubbleLine | None:
        return self._question(bubble, "")

    def _question(self, bubble: SpeechBubble, name: str) -> BubbleLine | None:
        question = self.record.question(bubble.pet.effective.current())
        return follow_up_line(bubble, self.record, question, name=name) if question is not None else None
