"""Context that changes with each message: date, recall, recent days, summary, changes of files. Sent beside the
message, not in the prompt. Pure.

All texts are escaped, so that none can end its section or imitate a message.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile
from typing import TYPE_CHECKING

from pet.access import VisibleFiles
from pet.i18n import Texts
from pet.language.labels import strip_owner
from pet.memory.store.split_entries import leads, list_heading, shown_heading
from pet.model import ContextPart, CoreFile, FileState, Missing, UsedMemory
from pet.prompt.build import memory_state, text_of, user_state
from pet.prompt.fence import escape, one_line
from pet.text.markup import SUMMARY, TALK, fenced, holds_two_versions, wrap

if TYPE_CHECKING:
    from pet.memory.store.digest import RecentDay

_LONGEST_PATH = 120
_LOG = re.compile(r"memory/(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})\.md")


def time_context(now: datetime, texts: Texts) -> ContextPart:
    """Return the date, weekday, time and UTC offset, to the minute. ``now`` is aware."""
    offset = now.strftime("%z")
    text = texts(
        "prompt.context.time",
        date=now.strftime("%Y-%m-%d"),
        weekday=texts(f"prompt.weekday.{now.weekday()}"),
        time=now.strftime("%H:%M"),
        offset=f"{offset[:3]}:{offset[3:5]}",
    )
    return ContextPart(kind="time", text=text, gated=False)


def recall_context(entries: Sequence[UsedMemory], texts: Texts) -> ContextPart:
    """Return the entries recalled for a message in one section, each after its file and lines, or the day of a daily
    log, and the heading it is under, once for those that follow one another; superseded ones are marked.
    """
    earlier = f" {texts('prompt.context.earlier')}"
    lines: list[str] = []
    above = ("", "")
    for each in entries:
        snippet = escape(strip_owner(each.snippet))
        again = above == (each.path, each.heading)
        if again and leads(each.heading) and not each.superseded:
            lines.append(snippet)
            continue
        heading = "" if again or not each.heading else f"{one_line(shown_heading(each.heading), _LONGEST_PATH)} "
        lines.append(f"{_place(each)}{earlier if each.superseded else ''} {heading}{snippet}")
        above = each.path, list_heading(each.heading, each.snippet) or each.heading
    section = fenced("recall", "\n".join(lines))
    return ContextPart(kind="recall", text=f"{texts('prompt.context.recall')}\n{section}", gated=True)


def _place(used: UsedMemory) -> str:
    if log := _LOG.fullmatch(used.path):
        return log["day"]
    lines = f"{used.start_line}" if used.start_line == used.end_line else f"{used.start_line}-{used.end_line}"
    return f"{_file(used.path)}:{lines}"


def question_context(question: str, note: str, texts: Texts) -> ContextPart:
    """Return the pet's opening question that the message answers, with the whole note that it is about."""
    pieces = [texts("prompt.context.asked"), wrap(TALK, escape(question.strip()))]
    if note.strip():
        pieces += [texts("prompt.context.asked_note"), wrap(TALK, escape(note.strip()))]
    return ContextPart(kind="recall", text="\n".join(pieces), gated=True)


def recent_days_context(days: Sequence[RecentDay], texts: Texts) -> ContextPart:
    """Return the text of the last days' logs."""
    pieces = [fenced(_file(each.file), escape(each.text.strip())) for each in days]
    split = (_file(each.file) for each in days if holds_two_versions(each.text))
    pieces += [texts("prompt.guide.two_versions", file=file) for file in split]
    return ContextPart(kind="recent_days", text="\n".join((texts("prompt.context.recent"), *pieces)), gated=True)


def summary_context(summary: str, texts: Texts, *, gated: bool) -> ContextPart:
    """Return the summary that replaces turns that are no longer sent."""
    text = texts("prompt.context.summary") + "\n" + wrap(SUMMARY, escape(summary.strip()))
    return ContextPart(kind="summary", text=text, gated=gated)


def _file(path: str) -> str:
    return one_line(path.replace('"', "'"), _LONGEST_PATH)


KEPT_FILES = (CoreFile.USER, CoreFile.MEMORY)
"""The files whose text in the prompt is kept while the provider's cache is warm."""

_CHANGED_SHARE = 0.25
"""Share of the files' characters in the prompt: a model that reads more corrections misses some."""
_FEW_CHANGES = 2_000
"""Characters of changes that are never too many: small files would be sent again with every second edit, and the
whole conversation with them."""
_QUOTED = 120  # characters of a line as it was: enough to find it


DiffLines = Callable[[list[str], list[str]], Sequence[tuple[int, int, int, int]]]
"""A line diff: of old and new lines the ranges that differ, as (old start, old end, new start, new end)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChanges:
    """Changes of the files, sent with the message of ``turn``. ``files``: as they were then."""

    turn: str
    part: ContextPart
    files: VisibleFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class SentFiles:
    """The files as the requests of a conversation carry them: ``base`` in the prompt, ``changes`` since then beside
    messages, in order. Together they are the files as they are. ``key``: what else the prompt depends on."""

    key: object
    base: VisibleFiles
    changes: tuple[FileChanges, ...] = ()

    @property
    def beside(self) -> Mapping[str, ContextPart]:
        """The parts by turn."""
        return {each.turn: each.part for each in self.changes}

    def texts(self) -> str:
        """Return every text of the files that is in the prompt or beside a message."""
        states = (self.base, *(each.files for each in self.changes))
        return "\n".join(text_of(_state(files, name)) for files in states for name in KEPT_FILES)

    def follow(
        self, files: VisibleFiles, turns: Sequence[str], texts: Texts, *, limit: int, diff: DiffLines
    ) -> SentFiles | None:
        """Return these with what changed up to ``files``, sent with the last of ``turns``, the ids of the sent ones.

        Changes of turns that are no longer sent are made again. ``limit``: characters of a file in the prompt. None
        if too much changed, or if the guidance beside a file would be another, but for one that is nearly full now.
        """
        *earlier, newest = turns
        if files == (self.changes[-1].files if self.changes else self.base) and self.beside.keys() <= set(turns):
            return self
        kept = tuple(takewhile(lambda each: each.turn in earlier, self.changes))
        before = kept[-1].files if kept else self.base
        guidance = zip(_guidance(self.base, limit), _guidance(files, limit), strict=True)
        if any(new != old and not (new == "full" and old in ("some", "rich")) for old, new in guidance):
            return None
        filled = [name for name in _full(files, limit) if name not in _full(before, limit)]
        part = changes_context(before, files, texts, diff, filled)
        if part is not None:
            kept = (*kept, FileChanges(turn=newest, part=part, files=files))
        shown = sum(min(limit, len(text_of(_state(self.base, name)))) for name in KEPT_FILES)
        if sum(len(each.part.text) for each in kept) > max(_FEW_CHANGES, shown * _CHANGED_SHARE):
            return None
        return replace(self, changes=kept)


def changes_context(
    before: VisibleFiles, now: VisibleFiles, texts: Texts, diff: DiffLines, filled: Sequence[str] = ()
) -> ContextPart | None:
    """Return the lines of USER.md and MEMORY.md that differ, by their numbers in ``now``; None if none does.
    ``filled``: files that are nearly full since, which is said here: in the prompt it would write that again.

    Each group of lines is applied to the text as the groups before left it, so that its number is also the one there.
    """
    sections: list[str] = []
    for name in KEPT_FILES:
        old, new = (_lines(_state(files, name)) for files in (before, now))
        groups: list[str] = []
        for old_from, old_to, new_from, new_to in diff(old, new):
            groups.append(texts("prompt.context.changed_line", line=new_from + 1))
            groups += [f"- {_quoted(line)}" for line in _escaped(old[old_from:old_to])]
            groups += [f"+ {line}" for line in _escaped(new[new_from:new_to])]
        if groups:
            sections.append(fenced(name, "\n".join(groups), "changed"))
    if not sections:
        return None
    hints = [texts("prompt.guide.user.full" if name == "USER.md" else "prompt.guide.memory.full") for name in filled]
    return ContextPart(
        kind="file_changes", text="\n".join((texts("prompt.context.changes"), *sections, *hints)), gated=True
    )


def _guidance(files: VisibleFiles, limit: int) -> tuple[object, ...]:
    """Return the inputs of the lines beside the files; a file without text counts as it is."""
    user, memory = (_state(files, name) for name in KEPT_FILES)
    blank = (None if text_of(each).strip() else each for each in (user, memory))
    split = (holds_two_versions(text_of(each)) for each in (user, memory))
    return user_state(user, limit), memory_state(memory, limit), *blank, *split


def _full(files: VisibleFiles, limit: int) -> list[str]:
    return [name for name, state in zip(KEPT_FILES, _guidance(files, limit), strict=False) if state == "full"]


def _state(files: VisibleFiles, name: str) -> FileState:
    return next((state for state in files.states if state.name == name), Missing(name=name))


def _lines(state: FileState) -> list[str]:
    return text_of(state).rstrip("\n").split("\n")


def _escaped(lines: list[str]) -> list[str]:
    return escape("\n".join(lines)).split("\n") if lines else []


def _quoted(line: str) -> str:
    return line if len(line) <= _QUOTED else f"{line[:_QUOTED]}…"
