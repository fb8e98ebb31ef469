"""Context that changes with each message: date, recall, recent days, summary. Sent beside the message, not in the
prompt.

All texts are escaped, so that none can end its section or imitate a message.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from pet.i18n import Texts
from pet.memory.daily_log import strip_owner
from pet.model import ContextPart, UsedMemory
from pet.prompt.fence import escape, one_line
from pet.text.markup import SUMMARY, TALK, fenced, wrap

if TYPE_CHECKING:
    from pet.memory.digest import RecentDay

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
    log; superseded ones are marked.
    """
    earlier = f" {texts('prompt.context.earlier')}"
    lines = [
        f"{_place(each)}{earlier if each.superseded else ''} {escape(strip_owner(each.snippet))}" for each in entries
    ]
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
    return ContextPart(kind="recent_days", text="\n".join((texts("prompt.context.recent"), *pieces)), gated=True)


def summary_context(summary: str, texts: Texts, *, gated: bool) -> ContextPart:
    """Return the summary that replaces turns that are no longer sent."""
    text = texts("prompt.context.summary") + "\n" + wrap(SUMMARY, escape(summary.strip()))
    return ContextPart(kind="summary", text=text, gated=gated)


def _file(path: str) -> str:
    return one_line(path.replace('"', "'"), 120)
