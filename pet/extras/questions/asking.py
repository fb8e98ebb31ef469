"""Questions in the bubble: alone, or with the greeting of the day."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pet.extras.questions.follow_up_lines import FOLLOW_UP, follow_up_line
from pet.extras.questions.recheck_files import RecheckFiles
from pet.extras.questions.recheck_lines import RECHECK, recheck_line
from pet.extras.questions.record import QuestionRecord
from pet.services.offers.bubble import SpeechBubble
from pet.services.offers.offer import BubbleLine, Cue, Desk
from pet.services.reminders import read_logs

if TYPE_CHECKING:
    from pet.app.pet import Pet


class Questions:
    def __init__(self, pet: Pet) -> None:
        store = pet.store
        forgotten = store.forgotten.is_forgotten
        self.files = RecheckFiles(store, pet.clock)
        self.record = QuestionRecord(pet.proactive, lambda since: read_logs(store, since), forgotten, pet.clock)

    def join(self, bubble: SpeechBubble) -> None:
        """Let the bubble ask."""
        bubble.kinds = (*bubble.kinds, replace(RECHECK, due=self._recheck), replace(FOLLOW_UP, due=self._follow_up))
        bubble.greeting_question = lambda name: self._question(bubble, name)

    def _recheck(self, desk: Desk, _cue: Cue) -> BubbleLine | None:
        recheck = self.record.recheck(desk.settings(), self.files.find)
        return recheck_line(desk, self.record, self.files, recheck) if recheck is not None else None

    def _follow_up(self, desk: Desk, _cue: Cue) -> BubbleLine | None:
        return self._question(desk, "")

    def _question(self, desk: Desk, name: str) -> BubbleLine | None:
        question = self.record.question(desk.settings())
        return follow_up_line(desk, self.record, question, name=name) if question is not None else None
