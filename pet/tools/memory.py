"""``memory_write``, ``memory_search``, ``memory_get`` and ``memory_forget``: the daily log and the search index.

Access is checked by the gated files and the index. Results are JSON, so that no text in them can imitate another part
of the request.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from pet.access import Access, FileKind
from pet.errors import EmptyContent, EmptySearch, FileConflict, FileMissing, ToolRefused
from pet.i18n import Texts, day_comes_first
from pet.ids import new_id
from pet.language.categories import CATEGORIES, TASK
from pet.language.contradictions import refutes, says_the_same, stance_of
from pet.language.moment import Due, MomentUnclear, parse_moment
from pet.language.redaction import Redacted, find_secrets, redact
from pet.language.repetition import repeat_words, time_words, when_words
from pet.language.wishes import asks_for_reminder, names_reminder
from pet.memory.search.foreign_notes import FoundSources, in_note, no_talk
from pet.memory.search.recall_selection import DEFAULT_RESULTS, Hit
from pet.memory.store.daily_log import (
    Who,
    add_days,
    add_speaker,
    agent_of,
    append_entry,
    fact_key,
    has_entry,
    parse_log,
    render_entry,
)
from pet.memory.store.digest import noted_text
from pet.memory.store.forget_plan import format_plan
from pet.memory.store.split_entries import found_heading, without_mark
from pet.model import MISSING, NotedText, Proposal, Receipt
from pet.tools.approval import ask_owner
from pet.tools.files import SAID_PATTERN, line_range_properties, read_path, redaction_notice, split
from pet.tools.tool import Skills, Tool, ToolContext, ToolOutcome, text_property
from pet.tools.tool_arguments import Arguments, bad_arguments, string, whole_number
from pet.transcripts.foreign import source
from pet.workspace.file_names import LOG_FOLDER, is_transcript, log_name

MAX_CHARACTERS = 4_000
MAX_RESULTS = 20
_MANY_WAITING = 10  # entries that wait to be embedded; fewer are done in a second
_NEAR = 0.01  # score; below it nothing is near
_MAX_CATEGORY = 40
_LONGEST_WORD = 16  # of a category of the model's own, such as "reminder"
_SAME_WITHIN_DAYS = 60  # logs searched for the same fact
_DAYS_TRIED = 3  # midnight can pass once during a write


def _appends(access: Access, _skills: Skills) -> bool:
    return FileKind.LOG in access.appendable


def _searches(access: Access, _skills: Skills) -> bool:
    return access.recalls


def _reads_logs(access: Access, _skills: Skills) -> bool:
    return FileKind.LOG in access.readable


# --- memory_write -------------------------------------------------------------------------------


def _write_properties(_access: Access, texts: Texts, _skills: Skills) -> dict[str, object]:
    return {
        "content": text_property(texts, "tool.memory_write.content"),
        "category": {"type": "string", "enum": list(CATEGORIES)},
        "due": text_property(texts, "tool.memory_write.due"),
        "who": {"type": "string", "enum": ["owner", "pet"], "description": texts("tool.memory_write.who")},
    }


async def _write(context: ToolContext, arguments: Arguments) -> ToolOutcome:
    content = string(arguments, "content").strip()
    if not content:
        raise EmptyContent(file=log_name(context.now().date()))
    if len(content) > MAX_CHARACTERS:
        raise ToolRefused("too_long", limit=MAX_CHARACTERS, characters=len(content))
    category = string(arguments, "category").strip()[:_MAX_CATEGORY]
    due = due_of(category, string(arguments, "due").strip(), context.now(), context.texts)
    category = category or (TASK if due else "general")
    if find_secrets(category):
        category = "general"
    is_word = category.isascii() and category.isalpha() and len(category) <= _LONGEST_WORD
    named = content if is_word else f"{content}\n{category}"  # a sentence in its place is text too
    asking = context.foreign.asking(named, reminds=due is not None)
    content = content if due else add_days(content, context.now().date())
    speaker = speaker_of(string(arguments, "who"))
    made = redact(f"{context.speaker}: {content}" if context.speaker else add_speaker(content, speaker))
    asks = asking or context.unasked
    if (
        asks
        and await asyncio.to_thread(_known_place, context, made.text, category, due, _core_lines(context)) is None
    ):
        shown = Proposal(
            id=new_id(),
            file=log_name(context.now().date()),
            reason="foreign" if asking else "unasked",
            before="",
            after=made.text,
            base=MISSING,
            category=category,
            noted=reminder_text(made.text, due, context.texts) if due else None,
            foreign=asking,
        )
        decision = await ask_owner(context, shown)
        made = redact(decision.text.strip()) if decision.edited else made
        if not made.text:
            raise EmptyContent(file=shown.file)
    noted = await asyncio.to_thread(_note, context, made.text, category, due)
    return _write_outcome(context, made, noted, category, due)


@dataclass(frozen=True, slots=True)
class _Noted:
    """``name``: the file of the entry; ``other``: the line that says the same in other words if nothing was written,
    else the line of a core file that the entry contradicts."""

    name: str
    receipt: Receipt | None = None
    other: str = ""
    other_file: str = ""


def _note(context: ToolContext, text: str, category: str, due: Due | None) -> _Noted:
    """Add the entry to today's log, which may be another day than the turn's start. Raises FileConflict."""
    lines = [] if due else list(_core_lines(context))
    if (known := _known_place(context, text, category, due, lines)) is not None:
        return known
    for _ in range(_DAYS_TRIED):
        day = context.now().date()
        name = log_name(day)

        def with_entry(log: str, day: date = day) -> str:
            # The time is taken after reading the log, and the write fails if the log changed meanwhile: this keeps
            # entries in the order of their times, even in the repeated hour of a clock change.
            now = context.now()
            _check_day(now, day)
            day_due, at, repeat = (due.day, due.at, due.repeat) if due else (None, None, None)
            entry = render_entry(text, at=now.time(), category=category, due=day_due, due_at=at, repeat=repeat)
            return log if has_entry(log, entry) else append_entry(log, entry, day)

        def still_that_day(day: date = day) -> None:
            _check_day(context.now(), day)

        try:
            receipt = context.files.append_log(with_entry, name, owner_text=context.message, check=still_that_day)
        except _AnotherDay:
            continue
        if receipt is None:
            return _Noted(name)
        contradicted = ((file, line) for file, line in lines if refutes(text, without_mark(line)))
        file, line = next(contradicted, ("", ""))
        return _Noted(name, receipt, line, file)
    raise FileConflict(file=name)


def _known_place(
    context: ToolContext, text: str, category: str, due: Due | None, lines: Iterable[tuple[str, str]]
) -> _Noted | None:
    """Return where the same is said already, in other case, signs or words: in a recent log or in ``lines``, those of
    USER.md and MEMORY.md; None if a newer entry of a log contradicts that. What happened (an event) may happen again
    another day, and a reminder has its own."""
    wanted = fact_key(text)
    if not wanted or due is not None or category == "event":
        return None
    mine = stance_of(text)
    for name, log in context.files.recent_logs(context.now().date(), _SAME_WITHIN_DAYS).items():
        for each in reversed(list(parse_log(log.split("\n")))):
            if each.due is None and (known := _known(name, each.text, text, wanted)) is not None:
                return known
            if mine and (theirs := stance_of(each.text)) and mine.against(theirs):
                return None
    return next((known for core, line in lines if (known := _known(core, line, text, wanted)) is not None), None)


def _known(file: str, line: str, text: str, wanted: str) -> _Noted | None:
    if fact_key(line) == wanted:
        return _Noted(file)
    return _Noted(file, None, line.strip()) if says_the_same(without_mark(line.strip()), text) else None


def _core_lines(context: ToolContext) -> Iterator[tuple[str, str]]:
    """Yield the lines of USER.md and MEMORY.md that say something, each with its file."""
    for name, text in context.files.about_owner().items():
        yield from ((name, line.strip()) for line in text.split("\n") if line.strip())


class _AnotherDay(Exception):
    """The day has changed since the entry was made."""


def _check_day(now: datetime, day: date) -> None:
    if now.date() != day:
        raise _AnotherDay


def _write_outcome(
    context: ToolContext, made: Redacted, noted: _Noted, category: str, due: Due | None
) -> ToolOutcome:
    receipt = noted.receipt
    reply = {"status": "saved" if receipt else "already_noted", "path": noted.name, "category": category}
    quotes = (
        noted.other != "" and not context.speaker
    )  # another program reads lines by its own tools, which list them
    if quotes and receipt is None:
        reply["known_as"] = noted.other
    elif quotes:
        reply["contradicts"] = context.texts("tool.memory_write.contradicts", file=noted.other_file, line=noted.other)
    noted_as = reminder_text(made.text, due, context.texts) if due else noted_text(made.text)
    if due:
        at = noted_as.at
        reply["due"] = f"{due.day.isoformat()}T{at}" if at else due.day.isoformat()
        reply["reminds"] = when_words(due.day, at, noted_as.repeats, context.now().date(), context.texts)
    elif names_reminder(f"{category}: {made.text}") or asks_for_reminder(context.message):
        reply["note"] = context.texts("tool.no_reminder")
    note = redaction_notice(context.texts, made.kinds)
    shown = receipt and replace(receipt, masked=made.kinds, noted=(noted_as,))
    agent = agent_of(noted.other)
    return ToolOutcome(text=_json(reply) + note, receipt=shown, foreign=(source("agent", agent),) if agent else ())


def reminder_text(text: str, due: Due, texts: Texts) -> NotedText:
    """Return a reminder as it is shown."""
    return noted_text(text, due.day, at=time_words(due.at), repeats=repeat_words(due.repeat, texts))


def due_of(category: str, text: str, now: datetime, texts: Texts) -> Due | None:
    """Return when an entry is due; None without words. Raises ToolRefused for words that don't name one moment. Of an
    entry that is no task, only a future day counts, without an error: small models fill every field.
    """
    if not text:
        return None
    if category in ("", TASK) or category not in CATEGORIES:  # models also write "task" and "reminder"
        return _due(text, now, texts)
    try:
        due = _due(text, now, texts)
    except ToolRefused:
        return None
    return due if due.day > now.date() else None


def _due(text: str, now: datetime, texts: Texts) -> Due:
    try:
        return parse_moment(text, now, day_comes_first())
    except MomentUnclear as unclear:
        problem = texts(f"tool.memory_write.due_{unclear.why}", now=_now_words(now, texts))
        raise bad_arguments("memory_write", problem) from None


def _now_words(now: datetime, texts: Texts) -> str:
    return f"{texts(f'prompt.weekday.{now.weekday()}')} {now:%Y-%m-%d %H:%M}"


def speaker_of(speaker: str) -> Who:
    """Return who an entry quotes, from the model's word for it; the owner unless it names itself."""
    return "pet" if speaker.strip().casefold() in ("pet", "assistant", "me", "self") else "owner"


# --- memory_search ------------------------------------------------------------------------------


def _search_properties(_access: Access, texts: Texts, _skills: Skills) -> dict[str, object]:
    return {
        "query": text_property(texts, "tool.memory_search.query"),
        "max_results": {"type": "integer", "minimum": 1, "maximum": MAX_RESULTS},
        "min_score": {"type": "number", "minimum": 0, "maximum": 1},
    }


async def _search(context: ToolContext, arguments: Arguments) -> ToolOutcome:
    query = string(arguments, "query").strip()
    if not query:
        raise EmptySearch
    count = min(whole_number(arguments, "max_results") or DEFAULT_RESULTS, MAX_RESULTS)
    given = arguments.get("min_score")
    least = float(given) if isinstance(given, int | float) else 0.0
    context.gate.check_recall()
    memory = context.memory
    near = await asyncio.to_thread(memory.search, query, count, context.now()) if memory else []
    hits = [hit for hit in near if hit.score >= least]
    embedder = memory.embedder if memory else None
    reply: dict[str, object] = {"results": [_result(hit) for hit in hits], "embedder": embedder}
    if memory and (waiting := await asyncio.to_thread(memory.count_waiting)) >= _MANY_WAITING:
        reply["indexing"] = context.texts("tool.memory_search.waiting", count=waiting)
    best = max((hit.score for hit in near), default=0.0)
    if not hits and best >= _NEAR:
        reply["note"] = context.texts("tool.memory_search.below", least=least, best=best)
    elif not hits:
        reply["note"] = context.texts("tool.memory_search.nothing")
    return ToolOutcome(text=_json(reply), foreign=await asyncio.to_thread(_sources(context).of, hits))


def _result(hit: Hit) -> dict[str, object]:
    return {
        "path": hit.path,
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "score": hit.score,
        "snippet": hit.snippet,
        "source": str(hit.source),
        **({"heading": heading} if (heading := found_heading(hit.heading)) else {}),
        **({"superseded": True} if hit.superseded else {}),
    }


# --- memory_get ---------------------------------------------------------------------------------

_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")  # the date beside a recalled line of a log


def _get_properties(access: Access, _texts: Texts, _skills: Skills) -> dict[str, object]:
    return line_range_properties(read_path(access, SAID_PATTERN, _DAY.pattern))


async def _get(context: ToolContext, arguments: Arguments) -> ToolOutcome:
    path = string(arguments, "path")
    path = f"{LOG_FOLDER}/{path}.md" if _DAY.fullmatch(path) else path
    if is_transcript(path):
        return await _get_utterances(context, arguments, path)
    try:
        text = (await asyncio.to_thread(context.files.read, path)).text
    except FileMissing:
        text = ""
    lines = split(text)
    first = whole_number(arguments, "from_line") or 1
    wanted = [*enumerate(lines, 1)][first - 1 :][: whole_number(arguments, "lines")]
    shown, last = _fitting(context, path, wanted, lines=len(lines))
    return ToolOutcome(text=shown, foreign=in_note(path, text, first, last or first - 1))


async def _get_utterances(context: ToolContext, arguments: Arguments, path: str) -> ToolOutcome:
    """Return utterances of another conversation, as indexed: none from while memory was off, no tool results or
    thinking.
    """
    first = whole_number(arguments, "from_line") or 1
    count = whole_number(arguments, "lines")
    context.gate.check_recall()
    memory = context.memory
    utterances = await asyncio.to_thread(memory.read_utterances, path, first) if memory else []
    wanted = [(line, text) for line, text in utterances if count is None or line < first + count]
    shown, last = _fitting(context, path, wanted, between="\n")
    sources = _sources(context)
    return ToolOutcome(text=shown, foreign=await asyncio.to_thread(sources.of_talk, path) if last else ())


def _fitting(
    context: ToolContext, path: str, wanted: Sequence[tuple[int, str]], *, between: str = "", **more: object
) -> tuple[str, int]:
    """Return the reply with the lines, by their numbers, that a request has room for, of a first one that has none
    its beginning; and the number of the last one shown, 0 without any."""
    shown: list[tuple[int, str]] = []
    room = context.file_characters
    for number, line in wanted:
        if len(line) > room:
            shown += [] if shown else [(number, line[:room])]
            break
        shown.append((number, line))
        room -= len(line)
    last = shown[-1][0] if shown else 0
    reply: dict[str, object] = {"path": path, "start_line": shown[0][0] if shown else 0, "end_line": last, **more}
    reply["text"] = between.join(text for _, text in shown)
    if shown != wanted:
        reply["cut"] = context.texts("tool.memory_get.cut")
    return _json(reply), last


def _sources(context: ToolContext) -> FoundSources:
    return FoundSources(
        lambda path: context.files.read(path).text, context.memory.open_talk if context.memory else no_talk
    )


def _json(reply: Mapping[str, object]) -> str:
    return json.dumps(reply, ensure_ascii=False)


MEMORY_WRITE = Tool("memory_write", _appends, _write_properties, ("content",), _write, icon="pin", saves=True)
MEMORY_SEARCH = Tool("memory_search", _searches, _search_properties, ("query",), _search, icon="search", saves=False)
MEMORY_GET = Tool("memory_get", _reads_logs, _get_properties, ("path",), _get, icon="book", saves=False)


def _offered(access: Access, _skills: Skills) -> bool:
    return access.recalls and access.learns


def _properties(_access: Access, texts: Texts, _skills: Skills) -> dict[str, object]:
    return {"query": text_property(texts, "tool.memory_forget.query")}


async def _forget(context: ToolContext, arguments: Arguments) -> ToolOutcome:
    query = string(arguments, "query").strip()
    if not query:
        raise EmptySearch
    forgetter = context.forget
    if forgetter is None:
        raise ToolRefused("unknown_tool", tool="memory_forget", tools="read, write, edit")
    context.gate.check_recall()
    plan = await asyncio.to_thread(forgetter.find, query)
    context.gate.check_recall()
    if not (plan.goes or plan.begun):
        return ToolOutcome(text=_json({"status": "nothing_found"}))
    stays = [context.texts("forget.stays_why")] if plan.stays else []
    listed = "\n\n".join([format_plan(plan, context.texts), *stays])  # in full, and what would remain
    shown = Proposal(id=new_id(), file="", reason="forget", before=listed, after="", base="")
    await ask_owner(context, shown)
    context.gate.check_recall()
    report = await asyncio.to_thread(forgetter.forget, plan)
    context.seen.clear()  # the files changed, and the model's copies may hold the erased text
    return ToolOutcome(text=_json({"status": "forgotten", "entries": report.entries}))


MEMORY_FORGET = Tool("memory_forget", _offered, _properties, ("query",), _forget, icon="trash", saves=False)
