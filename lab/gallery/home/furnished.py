"""A home as it looks after six weeks: files with their versions, logs, conversations, a second pet.

Everything goes through the program's own stores, so that receipts, versions and chips are real. Only the days are
made up: a clock is passed in that says what it is told.
"""

from __future__ import annotations

import io
import json
import shutil
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from pathlib import Path

from PIL import Image

from lab.gallery.home.drawn import dyed, landscape
from lab.gallery.home.words import Dye, Exchange, Note, Talk, Words
from pet.ids import new_id
from pet.language.moment import parse_plan
from pet.memory.store.daily_log import render_entry
from pet.memory.store.digest import noted_entries, noted_text
from pet.model import (
    MISSING,
    Attachment,
    Author,
    Present,
    Receipt,
    Source,
    StopReason,
    TextPart,
    ToolCallPart,
    TurnEnd,
    Usage,
    UsedMemory,
)
from pet.paths import Home, find_home, ui_folder
from pet.services.home import open_pets
from pet.transcripts.entries import (
    ContextFound,
    MemorySet,
    RoundCompleted,
    TitleSet,
    ToolCompleted,
    TurnFinished,
    UserMessage,
)
from pet.transcripts.store import Transcript, TranscriptStore
from pet.workspace.attachments import Attachments
from pet.workspace.store import WorkspaceStore

MACHINE = "desk"


class Calendar:
    """A clock that stands where it is put, and goes on a second with every look."""

    def __init__(self, today: date) -> None:
        self.today = today
        self._now = datetime.combine(today, time(7)).astimezone()

    def put(self, ago: int, at: str) -> None:
        self._now = datetime.combine(self.today - timedelta(days=ago), time.fromisoformat(at)).astimezone()

    def now(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now

    def monotonic(self) -> float:
        return self._now.timestamp()


@dataclass(frozen=True, slots=True, kw_only=True)
class Furnished:
    """Where it all is: the pet's folder, and the conversations by their keys."""

    root: Path
    talks: dict[str, str]


def furnish(folder: Path, words: Words, today: date) -> Furnished:
    """Fill an empty home."""
    home, clock = find_home(folder), Calendar(today)
    clock.put(41, "10:00:00")
    pets = open_pets(home, clock)
    pet = pets.create(words.files["pet"], words.language)
    pets.create(words.files["other_pet"], words.language)
    root = home.workspace(pet)
    store = WorkspaceStore(root, locks=home.locks, clock=clock)
    noted = _Writer(store, clock, words).write_all()
    talks = _Teller(home, store, clock, words, noted).tell_all()
    for skin in words.skins:
        _hang_up(home, skin)
    opened = [talk.key for talk in words.talks if talk.open]
    tabs = [{"conversation": talks[key], "draft": "", "scroll": 0} for key in opened]
    _write_json(home.state_file, {"welcome": 0, "pet": pet})
    _write_json(home.tabs_file, {f"tabs.{pet}": tabs, f"active.{pet}": talks[opened[0]]})
    return Furnished(root=root, talks=talks)


def _hang_up(home: Home, skin: Dye) -> None:
    """Something else to wear."""
    with Image.open(ui_folder() / "skin" / "spritesheet.png") as ours:
        sheet = dyed(ours.convert("RGBA"), skin.turn)
    folder = home.data / "skins" / skin.id
    folder.mkdir(parents=True)
    sheet.save(folder / "spritesheet.webp", "WEBP", quality=90, method=0)
    said = {
        "id": skin.id,
        "displayName": skin.name,
        "description": skin.about,
        "spriteVersionNumber": 2,
        "spritesheetPath": "spritesheet.webp",
    }
    _write_json(folder / "pet.json", said)


def _write_json(file: Path, value: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(value), encoding="utf-8")


class _Writer:
    """The files and the logs, each version on its day."""

    def __init__(self, store: WorkspaceStore, clock: Calendar, words: Words) -> None:
        self._store = store
        self._clock = clock
        self._words = words

    def write_all(self) -> dict[str, Receipt]:
        """The receipts of the notes, by their words. What the pet was made with was written today: it goes."""
        for name in ("SOUL.md", "USER.md"):
            (self._store.root / name).unlink()
        shutil.rmtree(self._store.root / ".history", ignore_errors=True)
        files = self._words.files
        self._write("SOUL.md", files["soul_before"], Author.OWNER, 40, "18:00:00")
        self._write("SOUL.md", files["soul"], Author.OWNER, 14, "19:30:00")
        self._write("USER.md", files["user_before"], Author.PET, 38, "09:10:00")
        self._write("MEMORY.md", files["memory_before"], Author.PET, 19, "20:56:00")
        self._write("MEMORY.md", files["memory"], Author.PET, 6, "12:01:00")
        notes = sorted(self._words.notes, key=lambda note: (-note.ago, note.at))
        return {note.text: self._note(note) for note in notes}

    def _write(self, name: str, text: str, author: Author, ago: int, at: str) -> Receipt:
        self._clock.put(ago, at)
        found = self._store.read(name)
        base = found.version if isinstance(found, Present) else MISSING
        receipt = self._store.write(name, text, base=base, author=author)
        assert receipt, f"{name} said so already"
        return receipt

    def _note(self, note: Note) -> Receipt:
        day = self._clock.today - timedelta(days=note.ago)
        name = f"memory/{day.isoformat()}.md"
        found = self._store.read(name)
        before = found.text if isinstance(found, Present) else f"# Memory Log: {day.isoformat()}\n"
        due = None if note.due is None else self._clock.today - timedelta(days=note.due)
        due_at, repeat = (due and parse_plan(note.plan, due)) or (None, None)
        at = time.fromisoformat(note.at)
        entry = render_entry(note.text, at=at, category=note.category, due=due, due_at=due_at, repeat=repeat)
        return self._write(name, f"{before}\n{entry}", Author.PET, note.ago, note.at)


class _Teller:
    """The conversations, with what was written and recalled in them."""

    def __init__(
        self, home: Home, store: WorkspaceStore, clock: Calendar, words: Words, noted: dict[str, Receipt]
    ) -> None:
        self._noted = noted
        self._store = store
        self._clock = clock
        self._words = words
        self._transcripts = TranscriptStore(store.root / "conversations", MACHINE, clock)
        self._attachments = Attachments(store.root, clock)
        _keep_machine(home)

    def tell_all(self) -> dict[str, str]:
        told = sorted(self._words.talks, key=lambda talk: (-talk.ago, talk.at))
        return {talk.key: self._tell(talk) for talk in told}

    def _tell(self, talk: Talk) -> str:
        self._clock.put(talk.ago, talk.at)
        transcript = self._transcripts.create(memory=True)
        transcript.append(TitleSet(id=new_id(), at=self._at(), title=talk.title))
        on = True
        for number in range(max(len(talk.turns), talk.turns_of)):
            exchange = _nth(talk, number)
            if exchange.off and on:
                on = False
                transcript.append(MemorySet(id=new_id(), at=self._at(), memory=False))
            self._exchange(transcript, exchange, on)
        return transcript.id

    def _exchange(self, transcript: Transcript, exchange: Exchange, on: bool) -> None:
        turn = new_id()
        pictures = (self._picture(exchange.picture),) if exchange.picture else ()
        said = UserMessage(
            id=new_id(), at=self._at(), turn=turn, text=exchange.owner, memory=on, attachments=pictures
        )
        transcript.append(said)
        if exchange.used:
            used = tuple(self._used(each) for each in exchange.used)
            transcript.append(ContextFound(id=new_id(), at=self._at(), turn=turn, context=(), used=used))
        number = 1
        if exchange.note or exchange.edit:
            self._change(transcript, exchange, turn)
            number = 2
        self._round(transcript, turn, number, TextPart(text=exchange.pet))
        transcript.append(
            TurnFinished(
                id=new_id(), at=self._at(), turn=turn, end=TurnEnd.DONE, error=None, round=number, cut_text=""
            )
        )

    def _round(self, transcript: Transcript, turn: str, number: int, part: TextPart | ToolCallPart) -> None:
        call = isinstance(part, ToolCallPart)
        transcript.append(
            RoundCompleted(
                id=new_id(),
                at=self._at(),
                turn=turn,
                round=number,
                parts=(part,),
                stop=StopReason.TOOL_USE if call else StopReason.END_TURN,
                usage=Usage(input_tokens=1480, output_tokens=64, cache_read_tokens=1320, cache_write_tokens=90),
                model="test-model",
            )
        )

    def _change(self, transcript: Transcript, exchange: Exchange, turn: str) -> None:
        source = Source(conversation=transcript.id, turn=turn)
        if exchange.note:
            name = "memory_write"
            arguments: dict[str, object] = {"content": exchange.note, "category": exchange.category}
            receipt = replace(self._noted[exchange.note], noted=(noted_text(exchange.note),))
        else:
            name = "edit"
            before, after = self._words.files["user_before"], self._words.files["user"]
            arguments = {"path": "USER.md", "old_text": before, "new_text": after}
            edited = self._store.edit("USER.md", before, after, author=Author.PET, source=source)
            receipt = replace(edited, noted=noted_entries("USER.md", before, after))
        call = ToolCallPart(id=f"toolu_{turn}", name=name, arguments=json.dumps(arguments, ensure_ascii=False))
        self._round(transcript, turn, 1, call)
        transcript.append(
            ToolCompleted(
                id=new_id(),
                at=self._at(),
                turn=turn,
                round=1,
                call_id=call.id,
                tool=name,
                file=receipt.file,
                text="ok",
                is_error=False,
                error=None,
                receipt=receipt,
            )
        )

    def _used(self, told: str) -> UsedMemory:
        place, _, words = told.partition("|")
        ago = place.removeprefix("log")
        log = ago != place
        path = f"memory/{(self._clock.today - timedelta(days=int(ago))).isoformat()}.md" if log else place
        found = self._store.read(path)
        assert isinstance(found, Present)
        lines = found.text.splitlines()
        at = next(number for number, line in enumerate(lines) if words in line)
        source = "log" if log else "memory"
        return UsedMemory(path=path, start_line=at + 1, end_line=at + 1, source=source, snippet=lines[at])

    def _picture(self, name: str) -> Attachment:
        out = io.BytesIO()
        landscape((960, 600), dark=False).save(out, "PNG")
        return self._attachments.add(name, out.getvalue())

    def _at(self) -> str:
        return self._clock.now().isoformat()


def _nth(talk: Talk, number: int) -> Exchange:
    """What is said once, then the others over and over."""
    if number < len(talk.turns):
        return talk.turns[number]
    return talk.turns[1 + (number - 1) % (len(talk.turns) - 1)]


def _keep_machine(home: Home) -> None:
    home.machine_file.parent.mkdir(parents=True, exist_ok=True)
    home.machine_file.write_text(MACHINE, encoding="utf-8")
