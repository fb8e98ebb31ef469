"""The questions about a line that has ended or may no longer hold, and Undo for what its answer changed."""

from __future__ import annotations

from dataclasses import replace

from pet.errors import PetError
from pet.events import ErrorInfo
from pet.i18n import Texts
from pet.memory.reminders.followups import quoted
from pet.memory.reminders.rechecks import Recheck
from pet.model import Author, Receipt
from pet.services.offers.follow_ups import FOLLOW_UP
from pet.services.offers.offer import Answer, BubbleLine, Cue, Desk, Offer, always
from pet.services.offers.replies import failure


def _due(desk: Desk, _cue: Cue) -> BubbleLine | None:
    recheck = desk.proactive.recheck(desk.settings(), desk.life.rechecks.find)
    return _line(desk, recheck) if recheck is not None else None


RECHECK = replace(FOLLOW_UP, kind="recheck", due=_due)
CHANGED: Offer = replace(
    RECHECK, kind="changed", on=(), due=None, setting=always, memory="any", questions=0, pauses=False
)


def _line(desk: Desk, recheck: Recheck) -> BubbleLine:
    proactive = desk.proactive

    def unwelcome() -> None:
        proactive.answered(welcome=False)

    def end() -> None:
        proactive.answered(welcome=True)
        try:
            receipt = desk.life.rechecks.end(recheck)
        except PetError as refused:  # the line changed meanwhile, or the file can't be written
            desk.offer(failure(desk, ErrorInfo.of(refused)))
            return
        if receipt is not None:
            desk.offer(_changed(desk, receipt))

    def leave_alone() -> None:
        unwelcome()
        proactive.leave_alone(recheck)

    holds, ended = ("bubble.leave_it", "bubble.yes") if recheck.ends else ("bubble.yes", "bubble.no_longer")
    answers = (
        Answer(id="holds", text=holds, act=lambda: proactive.answered(welcome=True)),
        Answer(id="ended", text=ended, act=end),
    )
    return BubbleLine(
        offer=RECHECK,
        words=lambda texts: recheck_text(recheck, texts),
        answers=(
            *(reversed(answers) if recheck.ends else answers),
            Answer(id="no_recheck", text="bubble.dont_ask_again", style="quiet", act=leave_alone),
        ),
        begin=lambda: proactive.mark_rechecked(recheck),
        closed=unwelcome,
    )


def _changed(desk: Desk, receipt: Receipt) -> BubbleLine:
    undo = Answer(
        id="undo",
        text="bubble.undo",
        act=lambda: desk.life.rechecks.store.undo(receipt, author=Author.OWNER),
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
