"""Run one case of the benchmark against the real core, and say what was right. No network, and no real model.

A case of *change* is a message to an owner's lines, with a model that always wants to change the line that fits
best. *Contradiction*: two lines, and whether the question of the week is about the older one. *Source*: how a line
came, and what the page says of it. *Time*: a fact of March and one of October, and what a question brings along.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pet.app import Pet
from pet.bridge.commands.about_owner import AboutOwnerCommands
from pet.extras.questions.rechecks import RecheckFiles
from pet.extras.small_models.decisions import fitting_lines
from pet.memory.store.provenance import Origin
from pet.model import Author, Present, Receipt, Request, Source
from pet.paths import find_home
from pet.settings.import_records import ImportRecord, ImportRecords
from pet.workspace.store import FileLimits, WorkspaceStore
from tests.property.memory_mode.test_memory_off import leaves
from tests.support.clocks import StandingClock
from tests.support.models.scripted import Scripted, ScriptedProvider, ScriptedRound, call, say

Kind = Literal["change", "contradiction", "source", "time"]
KINDS: tuple[Kind, ...] = ("change", "contradiction", "source", "time")
LANGUAGES = ("en", "zh", "es")
HERE = Path(__file__).parent
USER = "USER.md"
MARCH, OCTOBER, NOW = (datetime(2026, month, day, 12, tzinfo=UTC) for month, day in ((3, 10), (10, 5), (11, 23)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """``id``: kind, language and number; ``row``: as in the data."""

    id: str
    kind: Kind
    row: list[Any]
    fill: list[str]
    books: dict[str, list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """``lines``: true lines that had to stay, of which ``lost`` did not. ``got``: what is shown of a miss."""

    case: Case
    right: bool
    lines: int = 0
    lost: int = 0
    got: str = ""


def all_cases() -> list[Case]:
    """Return the cases in the order of kinds and languages."""
    data = {each: json.loads((HERE / f"{each}.json").read_text("utf-8")) for each in LANGUAGES}
    return [
        Case(
            id=f"{kind}-{language}-{number:02}",
            kind=kind,
            row=row,
            fill=data[language]["fill"],
            books=data[language]["books"],
        )
        for kind in KINDS
        for language in LANGUAGES
        for number, row in enumerate(data[language][kind], 1)
    ]


@dataclass(slots=True)
class Bench:
    """A pet of its own for one case. ``configure``: for a real model instead of the scripted one."""

    folder: Path
    script: tuple[Scripted, ...] = ()
    configure: Callable[[Pet], None] | None = None
    clock: StandingClock = field(default_factory=lambda: StandingClock(NOW))
    provider: ScriptedProvider = field(init=False)
    app: Pet = field(init=False)

    def __post_init__(self) -> None:
        self.provider = ScriptedProvider(*self.script)
        self.app = Pet(
            find_home(self.folder),
            environ={},
            clock=self.clock,
            provider=None if self.configure else self.provider,
            channel="terminal",
            recall_seconds=30,
        )
        self.app.settings.change({"language": "en", "upkeep": False, "notes_at_rest": False})
        if self.configure:
            self.configure(self.app)

    def put(self, name: str, text: str, *, author: Author = Author.OWNER, source: Source | None = None) -> Receipt:
        receipt = self.app.store.rewrite(name, lambda _now: text, author=author, source=source)
        assert receipt is not None
        return receipt

    def text(self, name: str) -> str:
        state = self.app.store.read(name)
        return state.text if isinstance(state, Present) else ""

    def tell(self, message: str) -> str:
        """Send a message in a new conversation; return its id."""
        chat = self.app.conversations.create(memory=True)
        chat.send(message)
        chat.wait(600)
        return chat.id

    def page(self) -> AboutOwnerCommands:
        return AboutOwnerCommands(self.app)

    def origin(self, note: str) -> Origin:
        page = self.page()
        hit = next((each for each in page.statements() if note in each.text), None)
        return page.explain_statement(hit.file, hit.start_line) if hit else Origin(kind="unknown", name="no line")


@contextmanager
def bench(*script: Scripted, configure: Callable[[Pet], None] | None = None) -> Iterator[Bench]:
    with tempfile.TemporaryDirectory(prefix="soulpet-truth-") as folder:
        made = Bench(Path(folder), script, configure)
        try:
            yield made
        finally:
            made.app.close()


def run(case: Case, configure: Callable[[Pet], None] | None = None) -> Result:
    """Run a case. ``configure``: only of change and time, which a real model can be asked."""
    match case.kind:
        case "change":
            return _change(case, configure)
        case "contradiction":
            return _contradiction(case)
        case "source":
            return _source(case)
        case "time":
            return _time(case)


def pruned(app: Pet) -> None:
    """Let the history keep the last two versions only."""
    limits = FileLimits(history_days=1, history_daily_days=1, history_newest=2)
    store = app.store
    WorkspaceStore(store.root, locks=store.locks, clock=app.clock, limits=limits, on_change=lambda _: None).prune()


def _about(lines: list[str]) -> str:
    return "# About\n\n" + "".join(f"- {line}\n" for line in lines)


# --- change ---------------------------------------------------------------------------------------------------------


def _change(case: Case, configure: Callable[[Pet], None] | None) -> Result:
    """Tell the message to a model that names the right line, and to one that names the line that looks most alike."""
    book, number, message, has = case.row
    lines = case.books[book]
    likest = (fitting_lines(lines, message) or [0])[0] + 1
    told = [
        _told(lines, message, place, configure) for place in ([number or likest, likest] if not configure else [0])
    ]
    lost = [line for left in told for line in lines if line not in left]
    new = [line for line in told[0] if line.strip() and line not in lines]
    right = not lost and (not number or any(has in line for line in new))
    return Result(case=case, right=right, lines=len(lines) * len(told), lost=len(lost), got=f"lost {lost}, new {new}")


def _told(lines: list[str], message: str, place: int, configure: Callable[[Pet], None] | None) -> list[str]:
    """Return the lines of USER.md and today's log after the message; ``place``: the line that the model takes for
    changed. A small model only adds, so every line has to stay."""
    change = json.dumps({"is": "change", "line": place, "new": message}, ensure_ascii=False)

    def always_change(request: Request) -> ScriptedRound:
        return say("All right." if request.schema is None else change)

    with bench(*[always_change] * 8, configure=configure) as pet:
        if not configure:
            pet.app.settings.change({"notebook": "on"})
        pet.put(USER, _about(lines))
        pet.tell(message)
        logs = [file.read_text("utf-8") for file in (pet.app.store.root / "memory").glob("*.md")]
        return [line.removeprefix("- ") for line in "\n".join([pet.text(USER), *logs]).split("\n")]


# --- contradiction --------------------------------------------------------------------------------------------------


def _contradiction(case: Case) -> Result:
    older, newer, both_cannot = case.row
    in_log = int(case.id[-2:]) % 3 == 0
    old = f"{older} (2026-03-02)"
    lines = [case.fill[0], old, case.fill[1], *([] if in_log else [f"{newer} (2026-09-01)"])]
    with bench() as pet:
        pet.put(USER, _about(lines))
        if in_log:
            pet.put("memory/2026-11-20.md", f"# Memory Log: 2026-11-20\n\n## [10:00:00] fact\n\n{newer}\n")
        rechecks = RecheckFiles(pet.app.store, pet.clock)
        asked = rechecks.find(lambda _each: True, False)
        if not both_cannot:
            return Result(case=case, right=asked is None, lines=len(lines), got=f"asked about {asked}")
        if asked is None or asked.newer is None or asked.stale.text != old:
            return Result(case=case, right=False, lines=len(lines) - 1, got=f"asked about {asked}")
        rechecks.end(asked)
        after = pet.text(USER)
        stay = [line for line in lines if line != old]
        lost = [line for line in stay if f"- {line}\n" not in after]
        (now,) = [
            each
            for group in pet.page().list_statements().groups
            for each in group.statements
            if each.file == USER and newer in each.text
        ]
    right = not lost and f"- {old}\n" not in after and newer in after and len(now.earlier) == 1
    return Result(case=case, right=right, lines=len(stay), lost=len(lost), got=f"{after!r}, before: {now.earlier}")


# --- source ---------------------------------------------------------------------------------------------------------


def _source(case: Case) -> Result:
    how, given, note = case.row
    with bench(*_writes(case, how, note)) as pet:
        wanted = _bring(pet, case, how, given, note)
        origin = pet.origin(note)
    got = (origin.kind, origin.name, origin.quote, origin.gone)
    return Result(case=case, right=got == wanted, got=f"{got}, wanted {wanted}")


def _writes(case: Case, how: str, note: str) -> list[ScriptedRound]:
    before = _about(case.fill[:2])
    match how:
        case "said" | "deleted" | "undone":
            return [call("memory_write", {"content": note, "category": "fact"}), say("Noted.")]
        case "removed":
            return [say("Hi."), call("memory_write", {"content": note, "category": "fact"}), say("Noted.")]
        case "profile":
            return [call("write", {"path": USER, "content": f"{before}- {note}\n"}), say("Noted.")]
        case "corrected":
            old = {"old_text": case.fill[1], "new_text": note}
            return [call("edit", {"path": USER, **old}), say("Noted.")]
    return []


def _bring(pet: Bench, case: Case, how: str, given: str, note: str) -> tuple[str, str, str, bool]:
    """Let the line come about; return kind, name, quote and whether its conversation is gone."""
    before, store = _about(case.fill[:2]), pet.app.store
    pet.put(USER, before)
    line = f"{before}- {note}\n"
    match how:
        case "said" | "profile" | "corrected":
            pet.tell(given)
            return "conversation", "", given, False
        case "deleted":
            pet.app.conversations.delete(pet.tell(given))
            return "conversation", "", "", True
        case "removed":
            chat = pet.app.conversations.create(memory=True)
            for message in ("Hi", given):
                chat.send(message)
                chat.wait(600)
            chat.record.remove_turn(chat.folded().turns[-1].id)
            return "conversation", "", "", True
        case "undone":
            pet.tell(given)
            (name,) = store.log_names()
            store.undo(pet.put(name, "# Memory Log\n\nempty\n"), author=Author.OWNER)
            return "conversation", "", given, False
        case "outside":
            (store.root / USER).write_text(line, encoding="utf-8")
            store.observe(USER)
            return "outside", "", "", False
        case "agent":
            pet.put(USER, line, author=Author.PET, source=Source(conversation="", turn="", agent=given))
            return "agent", given, "", False
        case "import":
            record = ImportRecord(at=NOW.isoformat(), kind=given, receipts=[pet.put(USER, line)])
            ImportRecords(pet.app.home.imports_file, pet.app.pet_id).add(record)
            return "import", given, "", False
        case "pruned":
            pet.put(USER, line)
            for more in case.fill[2:6]:
                pet.clock.later(days=2)
                pet.put(USER, f"{line}- {more}\n")
            pruned(pet.app)
            return "unknown", "", "", False
    pet.put(USER, line)
    return "owner", "", "", False


# --- time -----------------------------------------------------------------------------------------------------------


def _time(case: Case) -> Result:
    older, newer, question, key, when = case.row
    with bench(*[say("Hm.")] * 4) as pet:
        for number, text in enumerate(case.fill, 1):
            _note(pet, datetime(2026, 6, number, tzinfo=UTC), text)
        if when == "now":
            _note(pet, MARCH, older)
            _note(pet, OCTOBER, newer)
        else:
            pet.clock.at = MARCH
            pet.put(USER, _about([case.fill[0], older]))
            pet.clock.at = OCTOBER
            pet.put(USER, _about([case.fill[0], newer]), author=Author.PET)
            pet.clock.at = NOW
        pet.app.index.get().refresh()
        pet.tell(question)
        sent = leaves(pet.provider.requests[0])
    return Result(case=case, right=key in sent, got=f"{newer if when == 'now' else older} not sent")


def _note(pet: Bench, day: datetime, text: str) -> None:
    name = f"memory/{day.date().isoformat()}.md"
    pet.put(name, f"# Memory Log: {day.date().isoformat()}\n\n## [10:00:00] fact\n\n{text}\n")
