"""The lines of the core files that a question may be about, and what the owner's answer changes in them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from pet.clock import Clock
from pet.errors import FileConflict, PetError
from pet.extras.questions.rechecks import Recheck, find_ended, find_rechecks
from pet.i18n import Language, Texts, is_chinese
from pet.language.contradictions import ended_line
from pet.language.labels import strip_owner
from pet.language.second_person import looks_spanish
from pet.memory.store.about_owner import Statement, replaced, statements
from pet.memory.store.provenance import pasts
from pet.model import Author, CoreFile, Present, Receipt
from pet.services.reminders import read_logs
from pet.workspace.file_names import LOG_FOLDER
from pet.workspace.store import WorkspaceStore
from pet.workspace.text_encoding import normalize_newlines

_RECENT = timedelta(days=45)
"""Logs in which a newer line is sought."""
_DAYS = timedelta(days=7)
"""Logs in which the end of a line is sought whenever the owner comes."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RecheckFiles:
    store: WorkspaceStore
    clock: Clock

    def find(self, wanted: Callable[[Recheck], bool], ended: bool) -> Recheck | None:
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
        ``WorkspaceStore.rewrite``."""
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

        return self.store.rewrite(stale.file, change, author=Author.OWNER)

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
