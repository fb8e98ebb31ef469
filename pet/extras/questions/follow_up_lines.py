"""Questions after what is remembered: how the exam went, whether the task is done."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime

from pet.extras.questions.followups import FollowUp
from pet.extras.questions.record import QuestionRecord
from pet.i18n import Texts
from pet.services.offers.offer import LAST, UNASKED, Answer, BubbleLine, Desk, Offer, OwnerCame
from pet.services.offers.wording import joined

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


def follow_up_line(desk: Desk, record: QuestionRecord, question: FollowUp, *, name: str = "") -> BubbleLine:
    """Return the question; ``name``: the owner's, whom it greets at once."""
    proactive, now = desk.proactive, desk.clock.now()

    def words(texts: Texts) -> str:
        asked = texts(question_key(question.kind, now.date()), what=question.what)
        return joined((*lead_in(name, question, now, texts), asked), texts.language)

    def begin() -> bool:
        record.mark_asked(question)
        return True

    def begin_conversation() -> None:
        proactive.answered(welcome=True)
        live = desk.conversations.create(memory=True)
        live.record.open_with(words(desk.texts()), question.text)
        desk.open_chat(live.id)

    def unwelcome() -> None:
        proactive.answered(welcome=False)

    def leave_alone() -> None:
        proactive.leave_alone(question.text)
        unwelcome()

    return BubbleLine(
        offer=FOLLOW_UP,
        words=words,
        answers=(
            Answer(id="open", text="bubble.tell", style="main", act=begin_conversation),
            Answer(id="close", text="bubble.not_now", act=unwelcome),
            Answer(id="leave_alone", text="bubble.dont_ask", style="quiet", act=leave_alone),
        ),
        begin=begin,
        closed=unwelcome,
    )


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
