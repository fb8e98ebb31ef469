"""The format of a daily log: text to entries, entries to text; pure.

Any text is a valid log: an unknown category is kept, and text under no heading is an entry without a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import Literal

from pet.i18n import is_chinese
from pet.language.labels import label_for, note_label, strip_speaker
from pet.language.moment import parse_plan
from pet.language.ranges import relative_day
from pet.language.repetition import Repeat, plan_text
from pet.text.lazy_pattern import lazy_pattern
from pet.workspace.text_encoding import normalize_newlines

Who = Literal["owner", "pet"]
"""Speaker of a noted text."""

_AGENTS = (
    *("Claude Code", "Claude Desktop", "Cline", "Codex", "Continue", "Cursor", "Gemini CLI", "Qwen Code", "VS Code"),
    *("Zed", "opencode"),
)
"""Names that precede the notes of known agents; other agents' names are quoted."""
_AGENT = lazy_pattern(rf"(?P<name>\u201c[^\u201d\n]{{1,60}}\u201d|{'|'.join(_AGENTS)}): ")
_LIST_MARK = lazy_pattern(r"^\s*[-*+]\s+")
_DAY_IN_DIGITS = lazy_pattern(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}")
_SIGNS = lazy_pattern(r"[\W_]+")
_ENTRY = lazy_pattern(
    r"##[ \t]+\[(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}))?\]"
    r"[ \t]*(?P<category>[^@]*?)(?:[ \t]+\((?P<plan>[^()@]{1,120})\)(?=[ \t]*@))?"
    r"(?:[ \t]*@(?P<due>[0-9]{4}-[0-9]{2}-[0-9]{2}))?"
    r"(?:[ \t]+\(was (?P<first>[0-9]{4}-[0-9]{2}-[0-9]{2})\))?"
    r"(?P<done>[ \t]*[\u2713\u2714](?:[ \t]?(?P<done_on>[0-9]{4}-[0-9]{2}-[0-9]{2}))?)?[ \t]*"
)
_CLOCK_HEADING = lazy_pattern(
    r"##[ \t]+(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}))?[ \t]*(?P<half>[AaPp])?"
    r"(?(half)\.?[Mm]\.?)(?:[ \t]+(?:[-\u2013\u2014:|][ \t]*)?(?P<category>\S[^\n]{0,120}?)?)?[ \t]*"
    r"(?P<plan>(?!))?(?P<due>(?!))?(?P<first>(?!))?(?P<done>(?!))?(?P<done_on>(?!))?"  # it has none of these
)
"""The heading of an entry as other companions' documents write it: ``## 10:30 AM - API Discussion``."""
_LONGEST_HEADING = 300  # the pattern takes quadratic time on blanks
_TITLE = lazy_pattern(r"#[ \t]+(?:Memory Log:.*|[0-9]{4}-[0-9]{2}-[0-9]{2}[ \t]*)")
_DAY_IN_PATH = lazy_pattern(r"(?<![0-9])((?:19|20)[0-9]{2})([-_./])([0-9]{2})\2([0-9]{2})(?![0-9])")
_ISO_DAY = lazy_pattern(r"(?<![0-9])(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}(?![0-9])")
_HEADING_LIKE = lazy_pattern(r"^(?=#{1,2}[ \t])", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """An entry of a log. Lines are 1-based and inclusive and cover the text without its heading.

    ``first`` is the original day of a postponed entry; a done entry has a check mark in its heading. Brackets before
    the day hold time and series, as ``moment.parse_plan`` reads them; any other words there belong to the
    category, which is how versions that know only days read them.
    """

    start_line: int
    end_line: int
    at: time | None
    category: str
    due: date | None
    text: str
    first: date | None = None
    done: bool = False
    done_on: date | None = None
    heading_line: int = 0  # 0: it has none
    due_at: time | None = None
    repeat: Repeat | None = None


def parse_log(lines: Sequence[str], first_line: int = 1) -> Iterator[LogEntry]:
    """Yield the entries of a log in order; headings without text under them are left out."""
    heading: re.Match[str] | None = None
    body: list[str] = []
    body_line = first_line
    for number, line in enumerate(lines, first_line):
        is_heading = line.startswith("##") and len(line) <= _LONGEST_HEADING
        next_heading = (_ENTRY.fullmatch(line) or _CLOCK_HEADING.fullmatch(line)) if is_heading else None
        if next_heading is None and not (line.startswith("#") and _TITLE.fullmatch(line)):
            body.append(line)
            continue
        yield from _entry(heading, body, body_line)
        heading, body, body_line = next_heading, [], number + 1
    yield from _entry(heading, body, body_line)


def read_log(text: str) -> Iterator[LogEntry]:
    """Yield the entries of a log's text, whatever its line ends."""
    return parse_log(normalize_newlines(text).split("\n"))


def render_title(day: date) -> str:
    """Return the first line of a new log."""
    return f"# Memory Log: {day.isoformat()}\n"


def render_entry(
    text: str,
    *,
    at: time,
    category: str = "general",
    due: date | None = None,
    due_at: time | None = None,
    repeat: Repeat | None = None,
) -> str:
    """Return one entry as written to a log. Lines of ``text`` that look like headings get a backslash, so that no
    text can start an entry."""
    mark = due_mark(due, due_at, repeat) if due else ""
    return f"## [{at.strftime('%H:%M:%S')}] {_one_word(category)}{mark}\n\n{entry_body(text)}\n"


def due_mark(day: date, at: time | None = None, repeat: Repeat | None = None) -> str:
    """Return the due date as in a heading: `` (every Monday at 15:00) @2026-03-02``."""
    plan = plan_text(at, repeat)
    return f" ({plan}) @{day.isoformat()}" if plan else f" @{day.isoformat()}"


def done_mark(entry: LogEntry) -> str:
    """Return the check mark and day of a done entry as in its heading: `` ✓ 2026-03-02``; "" if not done."""
    if not entry.done:
        return ""
    return f" \u2713 {entry.done_on.isoformat()}" if entry.done_on else " \u2713"


def entry_body(text: str) -> str:
    """Return the text of an entry as written to a log."""
    return _HEADING_LIKE.sub(r"\\", text.replace("\r\n", "\n").replace("\r", "\n").strip())


def add_speaker(text: str, who: Who) -> str:
    """Return the text with a speaker label in the language of the text; unchanged if it has one, or if it names the
    owner itself ("User's name is Alex")."""
    text = text.strip()
    if note_label("speaker", text) or (who == "owner" and note_label("subject", text)):
        return text
    return label_for(who == "owner", text) + text


def agent_of(text: str) -> str:
    """Return the name of the agent that wrote a note, as written before its text; "" for other notes.

    >>> agent_of("Codex: Owner deploys on Fridays"), agent_of("Owner: likes tea")
    ('Codex', '')
    """
    match = _AGENT.match(text.lstrip())
    return match["name"] if match else ""


def add_days(text: str, today: date) -> str:
    """Return the text with the day behind the first "tomorrow", "yesterday" or the like, which would be wrong the day
    after; unchanged if it names a day in digits.

    >>> add_days("Flies to Rome tomorrow", date(2026, 11, 26))
    'Flies to Rome tomorrow (2026-11-27)'
    """
    named = None if _DAY_IN_DIGITS.search(text) else relative_day(text)
    if named is None:
        return text
    offset, end = named
    try:
        day = today + timedelta(days=offset)
    except OverflowError:  # the calendar's last days
        return text
    space = "" if is_chinese(text[end - 1]) else " "
    return f"{text[:end]}{space}({day.isoformat()}){text[end:]}"


def fact_key(text: str) -> str:
    """Return what two notes of the same fact have in common: letters and digits, without case, label or signs.

    >>> fact_key("- Owner: Likes TEA.") == fact_key("likes tea")
    True
    """
    return _SIGNS.sub("", strip_speaker(_LIST_MARK.sub("", text)).casefold())


def has_entry(log: str, entry: str) -> bool:
    """Return whether the log has an open entry with the fact and moment of ``entry``, a result of
    ``render_entry``."""
    wanted = next(parse_log(entry.split("\n")), None)
    return wanted is not None and any(
        fact_key(each.text) == fact_key(wanted.text) and _when(each) == _when(wanted)
        for each in parse_log(log.split("\n"))
        if not each.done
    )


def append_entry(log: str, entry: str, day: date) -> str:
    """Return the log with the entry at its end; ``log`` is empty for a new day."""
    before = log.rstrip("\n") + "\n" if log.strip() else render_title(day)
    return f"{before}\n{entry}"


def _entry(heading: re.Match[str] | None, body: list[str], first: int) -> Iterator[LogEntry]:
    filled = [number for number, line in enumerate(body) if line.strip()]
    if not filled:
        return
    start, end = filled[0], filled[-1]
    due = iso_day(heading["due"]) if heading else None
    plan = parse_plan(heading["plan"], due) if heading and heading["plan"] and due else None
    category = (heading["category"] or "") if heading else ""
    yield LogEntry(
        start_line=first + start,
        end_line=first + end,
        at=_time(heading) if heading else None,
        category=f"{category} ({heading['plan']})" if heading and heading["plan"] and plan is None else category,
        due=due,
        text="\n".join(body[start : end + 1]),
        first=iso_day(heading["first"]) if heading else None,
        done=bool(heading and heading["done"]),
        done_on=iso_day(heading["done_on"]) if heading else None,
        heading_line=first - 1 if heading else 0,
        due_at=plan[0] if plan else None,
        repeat=plan[1] if plan else None,
    )


def _when(entry: LogEntry) -> tuple[object, ...]:
    return entry.due, entry.due_at, entry.repeat


def _time(heading: re.Match[str]) -> time | None:
    hour, half = int(heading["hour"]), heading.groupdict().get("half")
    if half and 1 <= hour <= 12:
        hour = hour % 12 + (12 if half in "Pp" else 0)
    try:
        return time(hour, int(heading["minute"]), int(heading["second"] or 0))
    except ValueError:
        return None


def log_titles(lines: Sequence[str], first_line: int = 1) -> list[tuple[int, date]]:
    """Return line and day of each title, of which the archive has one for each log that entries came from."""
    titles = ((number, line) for number, line in enumerate(lines, first_line) if line.startswith("# "))
    days = ((number, iso_day(line.rpartition(" ")[2])) for number, line in titles if _TITLE.fullmatch(line))
    return [(number, day) for number, day in days if day]


def log_day(name: str) -> date | None:
    """Return the day of a daily log by its file name; None for other files."""
    return iso_day(name.rpartition("/")[2].removesuffix(".md"))


def day_in_path(name: str) -> date | None:
    """Return the day in a log's or note's path, the last of several; None without one.

    >>> day_in_path("memory/2026-06-27-baking.md"), day_in_path("memory/2026/06/27.md"), day_in_path("memory/one.md")
    (datetime.date(2026, 6, 27), datetime.date(2026, 6, 27), None)
    """
    days = (iso_day("-".join(match.group(1, 3, 4))) for match in _DAY_IN_PATH.finditer(name))
    return next(filter(None, reversed([*days])), None)


def title_days(lines: Sequence[str], first_line: int = 1) -> list[tuple[int, date]]:
    """Return line and day of each first-level heading of a note that names a day."""
    titles = ((number, first_day(line)) for number, line in enumerate(lines, first_line) if line.startswith("# "))
    return [(number, day) for number, day in titles if day]


def first_day(text: str) -> date | None:
    """Return the first day in YYYY-MM-DD that a text names."""
    match = _ISO_DAY.search(text)
    return iso_day(match[0]) if match else None


def iso_day(text: str | None) -> date | None:
    """Return the day of a YYYY-MM-DD text; None for other texts and impossible days."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None


def _one_word(category: str) -> str:
    return re.sub(r"[\s@\[\]#]+", "-", category.strip()).strip("-") or "general"
