"""The tools that other agents may call, under the gate: the only way from ``pet mcp`` to the pet's files.

Search and reading are the pet's own tools. Every result passes the gate once more after it was read, secrets in it
are masked, and its places are recorded for the owner before it is returned.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from json import JSONDecoder
from typing import TYPE_CHECKING, Literal

from pet.access import FileKind, PetGate, TurnGate
from pet.errors import FileBroken, FileLost, FileMissing, PetError, ToolRefused, WriteFailed
from pet.extras.agents.access import AGENT_WRITE, AgentGate
from pet.extras.agents.agent_tools import FORMER_NAMES, LONGEST_DUE, LONGEST_ENTRY, AgentAnswer, agent_tools
from pet.extras.agents.book import AgentBook, AgentClient, AgentLabel, AgentNote, AgentRead, text_digest
from pet.i18n import Texts, catalogue
from pet.ids import new_id
from pet.language.categories import CATEGORIES
from pet.language.redaction import redact
from pet.language.repetition import repeat_words, time_words
from pet.language.wishes import reads_as_order
from pet.memory.reminders.reminder import Reminder, Reminders
from pet.model import Author, CoreFile, Decision, NotedText, Proposal, Refused, Source, ToolCallPart
from pet.text.unseen import count_unseen
from pet.tools.memory import due_of, reminder_text
from pet.tools.tool import ToolContext, ToolOutcome
from pet.tools.tool_arguments import Arguments, bad_arguments, decode_arguments, string
from pet.tools.toolset import run_call
from pet.untrusted.parsers import read_json
from pet.workspace.file_names import LOG_FOLDER, is_daily_log, is_transcript
from pet.workspace.gated_files import GatedFiles, Snapshot
from pet.workspace.text_encoding import normalize_newlines

if TYPE_CHECKING:
    from pet.memory.search.memory_index import MemoryIndex
    from pet.services.pet_files import PetFiles

LONGEST_ARGUMENTS = 64_000
"""Characters; the longest allowed entry is far shorter."""
ASK_AGAIN_SECONDS = 30
"""After these an agent may call again while its owner decides about it."""
_MOST_REMINDERS = 50
_MOST_HEADINGS = 200
_NO_CONVERSATION = "-"  # the id of none: with "" every one would be left out
_HEADING = re.compile(r"#{1,6}\s+(.+)")


Asked = Literal["asking", "not_asked", "no_pet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentGateway:
    """``pet``: the pet's pause. ``ask``: returns whether the owner is being asked about an agent, or can't be as no
    pet runs; True: begins to."""

    files: PetFiles
    pet: PetGate
    book: AgentBook
    index: Callable[[], MemoryIndex]
    reminders: Callable[[], Reminders]
    ask: Callable[[AgentClient, bool], Asked] = lambda _client, _new: "not_asked"

    def call(self, label: AgentLabel, tool: str, arguments: str) -> AgentAnswer:
        """Run one call of an agent; refusals are replies too. Raises WriteFailed if it can't be recorded."""
        texts, now = self.files.texts(), self.files.clock.now()
        client = self.book.note_call(label, now)
        gate = self._gate(label).begin_call()
        if not gate.access().memory:
            return AgentAnswer(text=self._closed(client, now), error=True)
        specs = {each.spec.name: each.spec for each in agent_tools(texts)}
        tool = FORMER_NAMES.get(tool, tool)
        try:
            if tool not in specs:
                raise ToolRefused("unknown_tool", tool=tool[:40], tools=", ".join(specs))
            if len(arguments) > LONGEST_ARGUMENTS:
                raise ToolRefused("too_long", limit=LONGEST_ENTRY, characters=len(arguments))
            given = decode_arguments(specs[tool], arguments)
            reply = self._run(label, gate, tool, given)
            gate.check_recall()  # the last check: nothing leaves after the position was taken back
        except PetError as error:
            return AgentAnswer(text=agent_error(texts, error), error=True)
        return AgentAnswer(text=json.dumps(reply, ensure_ascii=False), error=False)

    def _gate(self, label: AgentLabel) -> AgentGate:
        book = self.book
        return AgentGate(self.pet, lambda: book.mode(label), lambda: book.grants(label, "conversations"))

    def _closed(self, client: AgentClient, now: datetime) -> str:
        """Return the refusal, after asking the owner at most once a day; while the question is open, JSON with the
        seconds to wait."""
        texts = self.files.texts()
        if self.pet.snapshot()[0]:
            return texts("agents.paused")
        if client.never:
            return texts("agents.refused")
        new = client.asked_on != now.date().isoformat()
        asked = self.ask(client, new)
        if asked != "asking":
            return texts("agents.not_running" if asked == "no_pet" else "agents.off")
        if new:
            self.book.note_asked(client.label, now)
        note = texts("agents.asked", seconds=ASK_AGAIN_SECONDS)
        asking = {"status": "asking", "wait_seconds": ASK_AGAIN_SECONDS, "note": note}
        return json.dumps(asking, ensure_ascii=False)

    def _run(self, label: AgentLabel, gate: TurnGate, tool: str, given: Arguments) -> object:
        """Return the answer's fields. Raises PetError."""
        context = self._context(label, gate)
        match tool:
            case "memory_search" | "memory_get":
                reply = read_json(self._call(tool, given, context).text)
            case "owner_profile":
                reply = self._profile(context, string(given, "section"))
            case "owner_reminders":
                reply = self._reminders(gate)
            case _:
                return self._remember(label, context, given)
        gate.check_recall()
        self._record(label, _places(reply))
        gate.check_recall()
        return _marked(reply)

    @staticmethod
    def _call(tool: str, given: Arguments, context: ToolContext) -> ToolOutcome:
        """Run a tool of the pet's own. Raises PetError."""
        call = ToolCallPart(id=new_id(), name=tool, arguments=json.dumps(dict(given)))
        outcome = asyncio.run(run_call(call, context))
        if outcome.error is not None:
            raise outcome.error
        return outcome

    def _context(self, label: AgentLabel, gate: TurnGate, *, searches: bool = True) -> ToolContext:
        from pet.memory.search.gated_memory import GatedMemory

        source = Source(conversation="", turn="", agent=f"{label.title} · {label.folder}")
        searches = searches and gate.access().recalls
        return ToolContext(
            files=GatedFiles(self.files.store, gate, source),
            gate=gate,
            confirm=_nobody,
            snapshot=Snapshot(files={}),
            texts=self.files.texts(),
            file_characters=self.files.effective.current().prompt_file_characters,
            losing_share=0.0,
            now=self.files.clock.now,
            memory=GatedMemory(self.index(), gate, _NO_CONVERSATION) if searches else None,
            speaker=label.title,
        )

    def _profile(self, context: ToolContext, wanted: str) -> dict[str, object]:
        """Return USER.md whole and the headings of MEMORY.md, or the sections of that heading in both; where there is
        none, all headings. ``left_out``: the lines of a section for which there is no room."""
        sections: list[dict[str, object]] = []
        headings: list[str] = []
        room = context.file_characters
        for file in (CoreFile.USER, CoreFile.MEMORY):
            try:
                lines = normalize_newlines(context.files.read(file).text).split("\n")
            except (FileMissing, FileLost):
                continue
            for heading, first, last in _sections(lines):
                headings.append(f"{file}: {heading}")
                if wanted and wanted.strip().casefold() not in heading.casefold():
                    continue
                section: dict[str, object] = {
                    "path": str(file),
                    "heading": heading,
                    "start_line": first,
                    "end_line": last,
                }
                if wanted or file is CoreFile.USER:
                    shown = _fitting(lines[first - 1 : last], room)
                    room -= sum(map(len, shown))
                    if shown:
                        section |= {"end_line": first + len(shown) - 1, "text": "\n".join(shown)}
                    if first + len(shown) <= last:
                        section["left_out"] = {"from_line": first + len(shown), "to_line": last}
                sections.append(section)
        if sections or not wanted:
            return {"sections": sections}
        note = context.texts("agents.no_section")
        return {"sections": [], "headings": headings[:_MOST_HEADINGS], "note": note}

    def _reminders(self, gate: TurnGate) -> dict[str, object]:
        gate.check_read(FileKind.LOG, LOG_FOLDER)
        reminders = self.reminders()
        return {
            "due": [self._reminder(each) for each in reminders.due[:_MOST_REMINDERS]],
            "coming": [self._reminder(each) for each in reminders.coming[:_MOST_REMINDERS]],
        }

    def _reminder(self, reminder: Reminder) -> dict[str, object]:
        repeats = repeat_words(reminder.repeat, self.files.texts())
        return {
            "path": reminder.file,
            "start_line": reminder.line,
            "end_line": reminder.line + reminder.text.count("\n") + 1,
            "day": reminder.due.isoformat(),
            **({"at": time_words(reminder.at)} if reminder.at else {}),
            **({"repeats": repeats} if repeats else {}),
            "text": reminder.text,
        }

    # --- what agents write ----------------------------------------------------------------------

    def _remember(self, label: AgentLabel, context: ToolContext, given: Arguments) -> dict[str, object]:
        access = context.gate.access()
        content, due = string(given, "content").strip(), string(given, "due").strip()
        category = string(given, "category").strip().casefold()
        if not access.proposes:
            raise ToolRefused("memory_read_only")
        if not content:
            raise bad_arguments("remember", "missing: content")
        if len(content) > LONGEST_ENTRY:
            raise ToolRefused("too_long", limit=LONGEST_ENTRY, characters=len(content))
        if category and category not in CATEGORIES:
            raise bad_arguments("remember", f"category: {', '.join(CATEGORIES)}")
        if len(due) > LONGEST_DUE:
            raise bad_arguments("remember", f"due: <= {LONGEST_DUE}")
        made = redact(content)
        context.files.check_learned(CoreFile.MEMORY, made.text)
        note = AgentNote(
            id="",
            name=label.name,
            folder=label.folder,
            at=self.files.clock.now().isoformat(timespec="seconds"),
            text=made.text,
            category=category,
            due=due,
            order=reads_as_order(made.text),
            masked=made.kinds,
        )
        marks: dict[str, object] = {"reads_as_order": True} if note.order else {}
        marks |= {"masked": list(note.masked)} if note.masked else {}
        unseen = count_unseen(f"{note.text}{note.due}")  # which the receipt alone would not let its owner see
        if access.appendable and not note.order and not unseen:
            return self._write(note, context) | marks
        context.gate.check_recall()
        self.book.add_note(note)
        return {"status": "proposed", "note": context.texts("agents.proposed"), **marks}

    def reminder(self, note: AgentNote) -> NotedText | None:
        """Return when a proposal would remind if it were kept now; None if it doesn't, or not at one moment."""
        texts = self.files.texts()
        try:
            due = due_of(note.category, note.due, self.files.clock.now(), texts)
        except ToolRefused:
            return None
        return reminder_text(note.text, due, texts) if due else None

    def keep(self, note: AgentNote, text: str) -> None:
        """Write a proposal at the owner's wish, as it is or edited. Raises PetError."""
        edited = replace(note, text=text.strip())
        always = TurnGate(AGENT_WRITE, lambda: AGENT_WRITE)
        self._write(edited, self._context(note.label, always))

    def _write(self, note: AgentNote, context: ToolContext) -> dict[str, object]:
        """Write the entry; return the answer's fields. Raises PetError."""
        given = {"content": note.text, "category": note.category, "due": note.due}
        outcome = self._call("memory_write", {name: value for name, value in given.items() if value}, context)
        if outcome.receipt is not None:
            self.book.add_note(replace(note, receipt=outcome.receipt))
        reply, _ = JSONDecoder().raw_decode(outcome.text)  # words for the pet's own model may follow it
        return dict(reply)

    def note_work(self, label: AgentLabel, turns: int) -> None:
        """Note how many turns the owner worked with an agent in its folder today, in one entry of the log a day.

        Does nothing unless the owner switched it on for this agent and its position allows writing now. An entry
        that was changed since stays as it is. Raises PetError, also if it can't be written.
        """
        gate = self._gate(label).begin_call()
        if not self.book.grants(label, "days") or FileKind.LOG not in gate.access().appendable:
            return
        now = self.files.clock.now().isoformat(timespec="seconds")
        own = [each for each in self.book.state().notes if each.label == label and each.turns]
        earlier = next((each for each in own if each.at[:10] == now[:10] and each.receipt), None)
        total = turns + (earlier.turns if earlier else 0)
        text = redact(
            self.files.texts()("agents.worked", folder=label.folder_name, name=label.title, turns=total)
        ).text
        if reads_as_order(label.folder_name) or reads_as_order(text):
            return
        context = replace(self._context(label, gate, searches=False), speaker="")
        context.files.check_learned(CoreFile.MEMORY, text)
        if earlier is not None and earlier.receipt is not None:
            self.files.store.undo(earlier.receipt, author=Author.SYSTEM)
            self.book.take_note(earlier.id)
        note = AgentNote(
            id="", name=label.name, folder=label.folder, at=now, text=text, category="event", turns=total
        )
        self._write(note, context)

    # --- what they read -------------------------------------------------------------------------

    def _record(self, label: AgentLabel, places: Iterable[tuple[str, int, int]]) -> None:
        at = self.files.clock.now().isoformat(timespec="seconds")
        reads = tuple(
            AgentRead(
                name=label.name,
                folder=label.folder,
                at=at,
                file=file,
                start_line=start,
                end_line=end,
                digest=text_digest(self.lines(file, start, end)),
            )
            for file, start, end in places
        )
        if reads:
            self.book.note_reads(reads, at[:10])

    def lines(self, file: str, start: int, end: int) -> str:
        """Return these lines of a file for the owner; "" for lines that are gone."""
        if is_transcript(file):
            utterances = self.index().read_utterances(file, start)
            return "\n".join(text for line, text in utterances if start <= line <= end)
        state = self.files.store.read(file)
        text = getattr(state, "text", "")
        return "\n".join(normalize_newlines(text).split("\n")[start - 1 : end])


async def _nobody(_proposal: Proposal) -> Decision:
    return Refused(why="no_terminal")


def _sections(lines: list[str]) -> list[tuple[str, int, int]]:
    """Return heading, first and last line of each section, 1-based; what is before the first heading has none."""
    starts = [at for at, line in enumerate(lines, 1) if _HEADING.match(line)]
    bounds = zip([1, *starts], [*(at - 1 for at in starts), len(lines)], strict=True)
    sections = []
    for first, last in bounds:
        while last >= first and not lines[last - 1].strip():
            last -= 1  # noqa: PLW2901
        if last >= first:
            heading = _HEADING.match(lines[first - 1])
            sections.append((heading[1].strip() if heading else "", first, last))
    return sections


def _places(reply: dict[str, object]) -> list[tuple[str, int, int]]:
    """Return the places whose text is in the reply."""
    parts: list[dict[str, object]] = [reply]
    for value in reply.values():
        parts += [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
    return [
        (str(each["path"]), start, end)
        for each in parts
        if "path" in each and ("text" in each or "snippet" in each)
        if isinstance(start := each.get("start_line"), int) and isinstance(end := each.get("end_line"), int) and start
    ]


def _fitting(lines: list[str], room: int) -> list[str]:
    """Return the first lines that have room together."""
    shown: list[str] = []
    for line in lines:
        if len(line) > room:
            break
        room -= len(line)
        shown.append(line)
    return shown


def agent_error(texts: Texts, error: PetError) -> str:
    """Return an error in words for an agent, which has no window of the pet and none of its other files."""
    own = f"agents.error.{error.error_code}"
    if isinstance(error, FileBroken | WriteFailed):
        own = "agents.error.file_broken" if isinstance(error, FileBroken) else "agents.error.write_failed"
    args = error.args_ | ({"tool": "remember"} if error.args_.get("tool") == "memory_write" else {})
    return texts(own if own in catalogue(texts.language) else f"error.{error.error_code}", **args)


def _marked(value: object) -> object:
    """Return the reply without secrets, with the kinds of secrets that were in an object's texts, whether one is
    worded as an instruction, and the day of an entry of a daily log."""
    match value:
        case str():
            return redact(value).text
        case list():
            return [_marked(each) for each in value]
        case dict():
            made = {name: _marked(each) for name, each in value.items()}
            words = [each for each in value.values() if isinstance(each, str)]
            if masked := sorted({kind for each in words for kind in redact(each).kinds}):
                made["masked"] = masked
            if any(reads_as_order(str(value[name])) for name in ("text", "snippet") if name in value):
                made["reads_as_order"] = True
            path = value.get("path")
            if isinstance(path, str) and is_daily_log(path) and "day" not in made:
                made["day"] = path.removeprefix(f"{LOG_FOLDER}/").removesuffix(".md")
            return made
        case _:
            return value
