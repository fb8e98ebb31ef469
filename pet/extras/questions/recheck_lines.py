"""The questions about a line that has ended or may no longer hold, and Undo for what its answer changed."""

from __future__ import annotations

from dataclasses import replace

from pet.errors import PetError
from pet.events import ErrorInfo
from pet.extras.questions.follow_up_lines import FOLLOW_UP
from pet.extras.questions.recheck_files import RecheckFiles
from pet.extras.questions.rechecks import Recheck
from pet.extras.questions.record import QuestionRecord
from pet.i18n import Texts
from pet.memory.reminders.quotes import quoted
from pet.model import Author, Receipt
from pet.services.offers.offer import Answer, BubbleLine, Desk, Offer, always
from pet.services.offers.replies import failure

RECHECK = replace(FOLLOW_UP, kind="recheck")
CHANGED: Offer = replace(
    RECHECK, kind="changed", on=(), due=None, setting=always, memory="any", questions=0, pauses=False
)


def recheck_line(desk: Desk, record: QuestionRecord, files: RecheckFiles, recheck: Recheck) -> BubbleLine:
    """Return the question about a line."""
    proactive = desk.proactive

    def unwelcome() -> None:
        proactive.answered(welcome=False)

    def end() -> None:
        proactive.answered(welcome=True)
        try:
            receipt = files.end(recheck)
        except PetError as refused:  # the line changed meanwhile, or the file can't be written
            desk.offer(failure(desk, ErrorInfo.of(refused)))
            return
        if receipt is not None:
            desk.offer(changed_line(files, receipt))

    def leave_alone() -> None:
        unwelcome()
        proactive.leave_alone(recheck.text)

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
        begin=lambda: record.mark_rechecked(recheck),
        closed=unwelcome,
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
