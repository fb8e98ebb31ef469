"""Select lines of the core files that may no longer hold, without a model; and what the owner's answer changes.

``find_ended``, for a question on the same day: what a later line ends by a row of ``data/endings.json``, such as
"Drives a Volvo" and "Sold the Volvo". ``find_rechecks``, for the one question a week: two lines that contradict each
other (``pet.language.contradictions``), or a plan or state that may have passed, if a day it names is over or it is
months old. Nothing about health or grief. Neither asks about secrets.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from pet.clock import Clock
from pet.errors import FileConflict, PetError
from pet.i18n import Language, Texts, day_comes_first, is_chinese
from pet.language.contradictions import (
    LONGEST_LINE,
    bare_statement,
    end_patterns,
    ended_line,
    ended_on,
    refutes,
    says_end,
    says_plan,
    stance_of,
)
from pet.language.labels import strip_owner, strip_speaker
from pet.language.ranges import find_ranges
from pet.language.redaction import find_secrets
from pet.language.second_person import looks_spanish
from pet.memory.reminders.occasions import is_hard, quoted
from pet.memory.store.about_owner import Statement, replaced, statements
from pet.memory.store.daily_log import fact_key
from pet.memory.store.provenance import pasts
from pet.model import Author, CoreFile, Present, Receipt
from pet.services.reminders import read_logs
from pet.workspace.file_names import LOG_FOLDER
from pet.workspace.store import WorkspaceStore
from pet.workspace.text_encoding import normalize_newlines

OVER_DAYS = 7
"""Days since the day that a plan names."""
OLD_DAYS = 120
"""Age in days of a plan or state that names no day."""
_MOST_LOGGED = 2_000  # entries of the logs, the newest


@dataclass(frozen=True, slots=True, kw_only=True)
class Recheck:
    """``stale``: the line in doubt, noted on ``day``; ``newer``: the line that contradicts it, None for a plan or
    state that may have passed; ``over``: the last day that such a plan names, or the day of a ``newer`` that ends the
    line (``ends``)."""

    stale: Statement
    day: date
    newer: Statement | None = None
    over: date | None = None
    ends: bool = False

    @property
    def key(self) -> str:
        """Hash of both texts, to recognise the question without storing its words."""
        both = f"{fact_key(self.stale.text)}\0{fact_key(self.newer.text) if self.newer else ''}"
        return hashlib.sha256(both.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @property
    def text(self) -> str:
        return self.stale.text


def find_ended(
    core: Sequence[Statement], logged: Iterable[Statement], noted: Callable[[Statement], date | None], today: date
) -> list[Recheck]:
    """Return the lines that a later one ends, the latest end first. Parameters as of ``find_rechecks``."""
    facts = [(each, end_patterns(bare_statement(each.text))) for each in core if _is_askable(each)]
    facts = [(each, patterns) for each, patterns in facts if patterns]
    later = [each for each in (*core, *_of_owner(logged)) if _is_askable(each)] if facts else []
    ended: list[Recheck] = []
    for fact, patterns in facts:
        ends = [each for each in later if each is not fact and says_end(bare_statement(each.text), patterns)]
        dated = [
            (day, place, each) for place, each in enumerate(ends) if (day := each.day or noted(each)) is not None
        ]
        day = (fact.day or noted(fact)) if dated else None
        if day is not None:
            over, _, newest = max(dated)
            if day <= over <= today:
                ended.append(Recheck(stale=fact, day=day, newer=newest, over=over, ends=True))
    return sorted(ended, key=lambda each: each.over or each.day, reverse=True)


def find_rechecks(
    core: Sequence[Statement], logged: Iterable[Statement], noted: Callable[[Statement], date | None], today: date
) -> list[Recheck]:
    """Return the lines to ask about, contradictions first, then the oldest. ``core``: the statements of USER.md and
    MEMORY.md; ``logged``: recent ones of the logs, which may contradict them; ``noted``: the day on which a line
    came, asked only for lines in question, None if unknown."""
    doubts: list[Recheck] = []
    usable = [each for each in core if _may_be_asked(each)]
    owners = [each for each in _of_owner(logged) if _may_be_asked(each)]
    stances = [(each, stance) for each in (*usable, *owners) if (stance := stance_of(each.text))]
    for place, (one, mine) in enumerate(stances):
        for other, theirs in stances[place + 1 :] if one.file in tuple(CoreFile) else ():
            if mine.against(theirs):
                doubts.extend(_ordered(one, other, noted, today))
    doubts.sort(key=lambda each: each.day)
    plans = [_passed(each, noted, today) for each in usable]
    seen = {(each.stale.file, each.stale.start_line) for each in doubts}
    passed = [each for each in plans if each and (each.stale.file, each.stale.start_line) not in seen]
    return [*doubts, *sorted(passed, key=lambda each: each.day)]


def _of_owner(logged: Iterable[Statement]) -> list[Statement]:
    """Return the newest statements of the logs that are the owner's."""
    newest = list(logged)[-_MOST_LOGGED:]
    return [each for each in newest if strip_speaker(each.text) == strip_owner(each.text)]


def _ordered(
    one: Statement, other: Statement, noted: Callable[[Statement], date | None], today: date
) -> list[Recheck]:
    """Return the question about the older line; none if the days are unknown or the older one is only in a log."""
    mine, theirs = one.day or noted(one), other.day or noted(other)
    if mine is None or theirs is None or max(mine, theirs) > today:
        return []
    if mine <= theirs:
        return [Recheck(stale=one, day=mine, newer=other)] if refutes(other.text, one.text) else []
    is_core = other.file in tuple(CoreFile)
    return [Recheck(stale=other, day=theirs, newer=one)] if is_core and refutes(one.text, other.text) else []


def _passed(each: Statement, noted: Callable[[Statement], date | None], today: date) -> Recheck | None:
    line = bare_statement(each.text)
    if each.group == "health" or not says_plan(line):
        return None
    day = each.day or noted(each)
    if day is None or day > today:
        return None
    days = [stretch.last for stretch in find_ranges(line, day, day_comes_first())]
    if not days:
        days = [date(int(year), 12, 31) for year in re.findall(r"(?<!\d)20\d\d(?!\d)", line)]
    last = max((_not_before(each_day, day) for each_day in days), default=None)
    over = (today - last).days >= OVER_DAYS if last else (today - day).days >= OLD_DAYS
    return Recheck(stale=each, day=day, over=last) if over else None


def _not_before(day: date, noted: date) -> date:
    """Return the day that a plan names; one that search takes for the last is the next."""
    if day >= noted:
        return day
    try:
        return day.replace(year=day.year + (1 if (noted - day).days < 366 else 0))
    except ValueError:
        return day


def _may_be_asked(each: Statement) -> bool:
    """Whether a question may be about this line: short, not about health or grief, without a secret. What one eats or
    drinks may be asked about if another line contradicts it."""
    return (
        (each.group != "health" or stance_of(each.text) is not None) and not is_hard(each.text) and _is_askable(each)
    )


def _is_askable(each: Statement) -> bool:
    return (
        each.due is None
        and 0 < len(each.text) <= LONGEST_LINE
        and "\n" not in each.text
        and not find_secrets(each.text)
        and ended_on(each.text) is None
        and bool(quoted(each.sentence))
    )


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
