"""Survey, preview, carry out and undo an import.

``survey`` changes nothing. ``carry_out`` does all or nothing: what was written before a failure or a stop is
undone, and what could not be undone is recorded for the owner to undo. A whole pet, and a pet made for an import,
are separate pets; no other pet is changed then.

Files are written through the versioned store as the owner's change, on the version the preview showed; conversations
become transcripts. The record holds names, versions and ids only, no content.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from pet.clock import Clock
from pet.errors import FileConflict, ImportRefused, PetNameRefused, UnknownConversation, UnknownPet, WorkspaceError
from pet.extras.imports.character_cards import drop_card, store_card
from pet.extras.imports.contents import Kind, Skipped, SourceContents, Talk, left_behind
from pet.extras.imports.detect import find
from pet.extras.imports.markdown_files import workspace_folders
from pet.extras.imports.packed_pet import PackedPet, import_pet, read_packed_pet
from pet.extras.imports.plan import Action, ImportPlan, LeftOutCount, PlannedTalk, make_plan, talk_id
from pet.extras.imports.source import Origin, Pasted, Step, no_step, open_source
from pet.fs.directory import Absent, version_of
from pet.fs.locks import as_write_errors
from pet.fs.zip_reading import is_zip
from pet.i18n import Language
from pet.ids import MAX_PET_NAME, check_pet_name, new_id
from pet.model import MISSING, Author, CoreFile, FileState, Missing, Receipt, StopReason, TextPart, TurnEnd, Usage
from pet.paths import Home
from pet.serde import vars_of
from pet.settings.import_records import ImportRecord, ImportRecords
from pet.settings.program_state import machine_id
from pet.text.markup import has_instructions
from pet.transcripts.entries import (
    MemorySet,
    OpenerAsked,
    RoundCompleted,
    TitleSet,
    TranscriptEntry,
    TurnFinished,
    UserMessage,
)
from pet.transcripts.foreign import source
from pet.transcripts.store import TranscriptStore
from pet.workspace.file_names import CONVERSATIONS, is_daily_log
from pet.workspace.line_diff import count_changes
from pet.workspace.locked_file import OwnerFiles, contents_of, file_state, read_raw
from pet.workspace.pet_registry import DEFAULT_PET, list_ids, require_known_pet
from pet.workspace.pets import Pets
from pet.workspace.safe_replace import Change, commit
from pet.workspace.skills import MAX_BYTES, Skills, is_skill_name
from pet.workspace.store import WorkspaceStore

_LONGEST_TITLE = 120


@dataclass(slots=True)
class _Turn:
    """An incomplete turn: the owner's messages until the pet answers."""

    at: str
    texts: list[str] = field(default_factory=list)
    id: str = field(default_factory=new_id)
    rounds: int = 0


def talk_entries(talk: Talk, kind: Kind, *, memory: bool, at: str) -> Iterator[TranscriptEntry]:
    """Yield the entries. ``memory``: it counts as held with memory on; ``at``: for messages without a time."""
    last = talk.at or at
    yield MemorySet(id=new_id(), at=last, memory=memory)
    title = " ".join(talk.title.split())[:_LONGEST_TITLE]
    if title:
        yield TitleSet(id=new_id(), at=last, title=title)
    turn: _Turn | None = None
    opening: list[str] = []
    for message in talk.messages:
        last = max(last, message.at) if message.at else last
        if message.who == "owner":
            if turn is not None and turn.rounds:
                yield _finished(turn, last)
                turn = None
            turn = turn or _Turn(last)
            turn.texts.append(message.text)
        elif turn is None:
            opening.append(message.text)
        else:
            if not turn.rounds:
                yield from _begun(turn, opening, kind, memory=memory)
                opening = []
            turn.rounds += 1
            yield RoundCompleted(
                id=new_id(),
                at=last,
                turn=turn.id,
                round=turn.rounds,
                parts=(TextPart(text=message.text),),
                stop=StopReason.END_TURN,
                usage=Usage(),
                model=kind,
            )
    if turn is not None:
        if not turn.rounds:
            yield from _begun(turn, opening, kind, memory=memory)
        yield _finished(turn, last)
    elif opening:  # no answer followed
        turn = _Turn(last)
        yield from _begun(turn, opening, kind, memory=memory)
        yield _finished(turn, last)


def _begun(turn: _Turn, opening: list[str], kind: Kind, *, memory: bool) -> Iterator[TranscriptEntry]:
    if opening:
        yield OpenerAsked(id=new_id(), at=turn.at, text="\n\n".join(opening))
    text, foreign = "\n\n".join(turn.texts), (source("import", kind),)
    yield UserMessage(id=new_id(), at=turn.at, turn=turn.id, text=text, memory=memory, foreign=foreign)


def _finished(turn: _Turn, at: str) -> TurnFinished:
    return TurnFinished(id=new_id(), at=at, turn=turn.id, end=TurnEnd.DONE, error=None, round=0, cut_text="")


@dataclass(slots=True, kw_only=True)
class Undone:
    """``left``: files and conversations that changed since the import and were kept."""

    files: list[str] = field(default_factory=list)
    talks: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def _add_skill(owned: OwnerFiles, name: str, text: str) -> Receipt:
    """Create a skill. Raises FileConflict if there is one by now, WriteFailed, NewerFormat."""
    with as_write_errors(name), owned.open(name, create=True) as (place, raw):
        if not isinstance(raw, Absent):
            raise FileConflict(file=name)
        data = text.encode()
        made = commit(place, Change(base=None, data=data, author=Author.OWNER))
    id_ = made.entry.id if made is not None else ""
    lines = len(text.splitlines())
    after = version_of(data)
    return Receipt(
        file=name, history_id=id_, before=MISSING, after=after, added=lines, removed=0, author=Author.OWNER
    )


def _remove_skill(owned: OwnerFiles, receipt: Receipt) -> None:
    """Remove an imported skill, and its folder if that is empty. Raises FileConflict if it was changed."""
    with as_write_errors(receipt.file), owned.open(receipt.file, create=True) as (place, raw):
        now = contents_of(receipt.file, raw)
        if now is not None and version_of(now.data) != receipt.after:
            raise FileConflict(file=receipt.file)
        commit(place, Change(base=now, data=None, author=Author.OWNER, kind="restore"))
    with suppress(OSError):  # it holds other files
        (owned.root / receipt.file).parent.rmdir()


_EXPORTED_ON = re.compile(r" \d{4}-\d\d-\d\d( \(\d+\))?$")
WHOLE_PET = "pet"
"""The kind of an import of a whole pet, where the others are ``imports.found.Kind``."""
SEVERAL = "workspaces"
"""The kind of a folder of workspaces, each of which becomes a pet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The pet to import into."""

    pet: str
    store: WorkspaceStore
    transcripts: TranscriptStore

    def read(self, name: str) -> FileState:
        """Return a file or a skill of the pet."""
        if is_skill_name(name):
            return file_state(name, read_raw(self.store.root, name, MAX_BYTES))
        return self.store.read(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """Result of a survey. Exactly one of ``packed`` (a whole pet), ``plan`` and ``several`` is set.

    ``several``: the chosen of ``parts``, folders that become a pet each; ``beside``: what is in none of them.
    ``new_pet``: the import will make a pet.
    ``read``: bytes read.
    """

    origin: Origin
    packed: PackedPet | None
    plan: ImportPlan | None
    several: Mapping[str, ImportPlan]
    parts: tuple[str, ...]
    beside: tuple[Skipped, ...]
    new_pet: bool
    instructions: bool
    folders: tuple[str, ...] | None
    read: int

    @property
    def kind(self) -> str:
        return self.plan.kind if self.plan is not None else SEVERAL if self.parts else WHOLE_PET

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        own = self.plan.skipped if self.plan is not None else ()
        of_parts = (
            Skipped(part + each.name, each.reason) for part, plan in self.several.items() for each in plan.skipped
        )
        return (*own, *of_parts, *self.beside)

    @property
    def work(self) -> int:
        """Approximate bytes that ``carry_out`` reports to its step."""
        return self.packed.bytes if self.packed is not None else self.read


@dataclass(frozen=True, slots=True, kw_only=True)
class PastImport:
    pet: str
    record: ImportRecord


class Importer:
    """Stateless; the records of imports are in ``Home.imports_file``."""

    def __init__(self, home: Home, pets: Pets, clock: Clock, language: Callable[[], Language]) -> None:
        self._home = home
        self._pets = pets
        self._clock = clock
        self._language = language

    def survey(
        self,
        origin: Origin,
        target: Target | None,
        *,
        instructions: bool = False,
        folders: Collection[str] | None = None,
        step: Step = no_step,
    ) -> Survey:
        """Return what an import would do. ``target`` None: as a new pet. ``folders``: of a vault's root, or those of
        several workspaces, None for all. Raises ImportRefused, and as ``step``."""
        count = 0

        def counted(size: int) -> None:
            nonlocal count
            count += size
            step(size)

        packed = _packed(origin)
        plan, parts, several, beside = None, tuple[str, ...](), dict[str, ImportPlan](), list[Skipped]()
        if packed is None:
            with open_source(origin, counted) as source:
                parts = workspace_folders(source)
                for part in parts:
                    if folders is None or part in folders:
                        contents = find(source.below(part), instructions=instructions)
                        several[part] = self._plan(contents, None, instructions=instructions)
                if parts:
                    beside = left_behind((name for name in source.names if not name.startswith(parts)), ())
                else:
                    contents = find(source, instructions=instructions, folders=folders)
                    plan = self._plan(contents, target, instructions=instructions)
        return Survey(
            origin=origin,
            packed=packed,
            plan=plan,
            several=several,
            parts=parts,
            beside=tuple(beside),
            new_pet=target is None or packed is not None or bool(parts),
            instructions=instructions,
            folders=None if folders is None else tuple(folders),
            read=count,
        )

    def carry_out(
        self, survey: Survey, target: Target | None, *, memory: bool, name: str = "", step: Step = no_step
    ) -> PastImport:
        """Carry out a survey. ``name``: of the new pet; "" keeps a whole pet's name. ``memory``: the conversations
        count as held with memory on.

        Raises ImportRefused, PetNameRefused, FileConflict, FileBroken, TextRefused, WriteFailed, and as ``step``.
        """
        if survey.packed is not None and not isinstance(survey.origin, Pasted):
            own = packed_name(survey.packed, survey.origin)
            made = import_pet(self._pets, survey.origin, own, name or None, step)
            with self._all_or_none(made):
                return self._recorded(made, self._record(survey, new_pet=True))
        with open_source(survey.origin, step) as source:
            contents = find(source, instructions=survey.instructions, folders=survey.folders)
            if target is not None and survey.plan is not None:
                return self._write(survey.plan, contents, target, self._record(survey), memory=memory)
            made = self._pets.create(name, self._language())
            with self._all_or_none(made):
                target = self._open(made)
                plan = self._plan(contents, target, instructions=survey.instructions, new_pet=True)
                return self._write(plan, contents, target, self._record(survey, new_pet=True), memory=memory)

    def carry_out_several(self, survey: Survey, step: Step = no_step) -> list[PastImport]:
        """Make a pet of each chosen workspace, all or none. Raises as ``carry_out``."""
        with ExitStack() as made, open_source(survey.origin, step) as source:
            past = []
            for part, plan in survey.several.items():
                contents = find(source.below(part), instructions=survey.instructions)
                id_ = self._pets.create(part_name(part, plan), self._language())
                made.enter_context(self._all_or_none(id_))
                target, record = self._open(id_), replace(self._record(survey, new_pet=True), kind=plan.kind)
                own = self._plan(contents, target, instructions=survey.instructions, new_pet=True)
                past.append(self._write(own, contents, target, record, memory=False))
            return past

    def create_pet(self, name: str, fill: Callable[[WorkspaceStore], object], *, skin: str | None = None) -> str:
        """Create a pet, call ``fill`` with its files, and return its id; if that raises, no pet is left.

        Raises PetNameRefused, WriteFailed.
        """
        made = self._pets.create(name, self._language(), skin=skin)
        with self._all_or_none(made):
            fill(self._open(made).store)
        return made

    def past(self) -> list[PastImport]:
        """Return the imports that can be undone, newest first."""
        imports = [
            PastImport(pet=pet, record=record)
            for pet in list_ids(self._home)
            for record in ImportRecords(self._home.imports_file, pet).all()
        ]
        return sorted(imports, key=lambda each: (each.record.at, each.record.id), reverse=True)

    def find_past(self, record_id: str) -> PastImport:
        """Return the import of this id. Raises ImportRefused."""
        for each in self.past():
            if each.record.id == record_id:
                return each
        raise ImportRefused(problem="no_undo")

    def undo(self, past: PastImport, target: Target | None = None) -> Undone:
        """Undo an import; a pet that it made is moved to the trash. ``target``: the pet, if it is open here. Raises
        PetBusy, OnlyPet, NewerFormat, WriteFailed."""
        if past.record.new_pet:
            self._pets.delete(past.pet)
            return Undone()
        if target is None or target.pet != past.pet:
            target = self._open(past.pet)
        undone = self._undo(past.record, target)
        ImportRecords(self._home.imports_file, past.pet).drop(past.record.id)
        return undone

    # --- inside

    @contextmanager
    def _all_or_none(self, made: str) -> Iterator[None]:
        try:
            yield
        except BaseException:  # also on interruption: leave no incomplete pet
            self._pets.delete(made)
            raise

    def _write(
        self, plan: ImportPlan, contents: SourceContents, target: Target, record: ImportRecord, *, memory: bool
    ) -> PastImport:
        try:
            self._apply(plan, contents, target, record, memory=memory)
            return self._recorded(target.pet, record)
        except BaseException:  # also on interruption
            if self._undo(record, target).left:
                self._recorded(target.pet, record)
            raise

    def _apply(
        self, plan: ImportPlan, contents: SourceContents, target: Target, done: ImportRecord, *, memory: bool
    ) -> None:
        """Write the plan. ``done`` is filled step by step, so that it can be undone after an error. Raises
        FileConflict for a file that changed since the preview, WriteFailed, TextRefused, ImportRefused."""
        store, now = target.store, self._clock.now().isoformat()
        for each in plan.changed:
            if is_skill_name(each.file):
                done.receipts.append(_add_skill(self._owned(target), each.file, each.after))
                continue
            receipt = store.write(each.file, each.after, base=each.base, author=Author.OWNER)
            if receipt is not None:
                done.receipts.append(receipt)
            if contents.card is not None and each.file == CoreFile.SOUL and receipt is not None:
                store_card(store.root, contents.card, receipt.after)
        wanted = {talk.id for talk in plan.new_talks}
        for talk in contents.talks() if wanted else ():
            id_ = talk_id(talk)
            if id_ in wanted and not target.transcripts.exists(id_):
                entries = talk_entries(talk, plan.kind, memory=memory, at=now)
                done.talks[id_] = target.transcripts.add_whole(id_, talk.at or now, entries)

    def _undo(self, record: ImportRecord, target: Target) -> Undone:
        """Undo an import: files, merged around later changes, and conversations that were not continued."""
        undone, store = Undone(), target.store
        for receipt in reversed(record.receipts):
            try:
                if is_skill_name(receipt.file):
                    _remove_skill(self._owned(target), receipt)
                else:
                    store.undo(receipt, author=Author.OWNER)
                if receipt.file == CoreFile.SOUL:  # else an export would carry the old character
                    drop_card(store.root, receipt.after)
                undone.files.append(receipt.file)
            except WorkspaceError:  # overlaps with later changes
                undone.left.append(receipt.file)
        for id_, size in record.talks.items():
            try:
                if target.transcripts.size(id_) == size:
                    target.transcripts.delete(id_)
                    undone.talks.append(id_)
                elif target.transcripts.exists(id_):
                    undone.left.append(id_)
            except UnknownConversation:
                continue
        return undone

    def _plan(
        self, contents: SourceContents, target: Target | None, *, instructions: bool, new_pet: bool = False
    ) -> ImportPlan:
        return make_plan(
            contents,
            (lambda file: Missing(name=file)) if target is None else target.read,
            (lambda _id: False) if target is None else target.transcripts.exists,
            language=self._language(),
            now=self._clock.now(),
            instructions=instructions,
            new_pet=target is None or new_pet,
            is_forgotten=(lambda _text: False) if target is None else target.store.forgotten.is_forgotten,
            skills=self._skill_names(target) if target is not None else (),
        )

    def _skill_names(self, target: Target) -> set[str]:
        return {skill.name for skill in Skills(target.store.root, self._home.data / "skills").list_all()}

    def _owned(self, target: Target) -> OwnerFiles:
        return OwnerFiles(root=target.store.root, locks=target.store.locks, clock=self._clock)

    def _record(self, survey: Survey, *, new_pet: bool = False) -> ImportRecord:
        return ImportRecord(at=self._clock.now().isoformat(), kind=survey.kind, new_pet=new_pet)

    def _recorded(self, pet: str, record: ImportRecord) -> PastImport:
        if record.receipts or record.talks or record.new_pet:
            ImportRecords(self._home.imports_file, pet).add(record)
        return PastImport(pet=pet, record=record)

    def _open(self, pet: str) -> Target:
        root = self._home.workspace(pet)
        if not root.is_dir():
            raise UnknownPet(pet_id=pet)
        require_known_pet(root)
        store = WorkspaceStore(root, locks=self._home.locks, clock=self._clock)
        machine = machine_id(self._home.machine_file)
        return Target(pet=pet, store=store, transcripts=TranscriptStore(root / CONVERSATIONS, machine, self._clock))


def part_name(part: str, plan: ImportPlan) -> str:
    """Return the name of the pet that a workspace becomes: its own, else that of its folder."""
    for name in (plan.name, part.rstrip("/").rpartition("/")[2]):
        with suppress(PetNameRefused):
            return check_pet_name(name[:MAX_PET_NAME])
    return DEFAULT_PET


def holds_workspaces(origin: Origin) -> bool:
    """Return whether this is a folder or zip of several workspaces. Raises ImportRefused."""
    if isinstance(origin, Pasted) or is_packed_pet(origin):
        return False
    with open_source(origin) as source:
        return bool(workspace_folders(source))


def is_packed_pet(origin: Origin) -> bool:
    """Return whether this is the zip of a whole pet. Raises ImportRefused."""
    return _packed(origin) is not None


def _packed(origin: Origin) -> PackedPet | None:
    try:
        if isinstance(origin, Pasted) or not origin.is_file() or not is_zip(origin):
            return None
    except OSError:
        raise ImportRefused(problem="unreadable", file=origin.name) from None
    return read_packed_pet(origin)


_MOST_SHOWN = 300
"""Maximum of conversations and of skipped files in a preview; the others are only counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportFile:
    """A changed file. ``day``: it is a daily log."""

    file: str
    action: Action
    day: bool
    added: int
    removed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedPet:
    """A whole pet. ``name``: else of its file. ``memory``: its settings turn memory on in new conversations.
    ``heartbeat``: its HEARTBEAT.md if that has instructions, which cause unasked requests; else "".
    """

    name: str
    files: int
    bytes: int
    conversations: int
    memory: bool
    heartbeat: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultFolder:
    """A folder of a vault's root, "" for the root's own notes, or a workspace, which becomes the pet ``pet``.
    ``notes``: of a workspace, its files."""

    name: str
    pet: str
    notes: int
    chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPreview:
    """Changes of an import. ``pet``: a whole pet, and nothing else. ``talks`` and ``skipped`` are truncated;
    ``left_out``: what the new conversations hold besides.
    ``orders``: some files instruct an agent, and are imported only with ``instructions``. ``new_pet``: the import
    makes a pet. ``empty``: it contains nothing new."""

    kind: str
    pet: ImportedPet | None
    files: list[ImportFile]
    talks: list[PlannedTalk]
    talks_new: int
    talks_there: int
    messages: int
    skipped: list[Skipped]
    skipped_total: int
    left_out: list[LeftOutCount]
    folders: list[VaultFolder]
    orders: bool
    instructions: bool
    new_pet: bool
    empty: bool


def preview_of(survey: Survey) -> ImportPreview:
    plan = survey.plan
    skipped = survey.skipped
    talks = plan.talks if plan else ()
    new = plan.new_talks if plan else ()
    return ImportPreview(
        kind=survey.kind,
        pet=replace(imported_pet(survey.packed), name=packed_name(survey.packed, survey.origin))
        if survey.packed
        else None,
        files=_files(plan) if plan else [],
        talks=sorted(talks, key=lambda talk: talk.at, reverse=True)[:_MOST_SHOWN],
        talks_new=len(new),
        talks_there=len(talks) - len(new),
        messages=sum(talk.messages for talk in new),
        skipped=list(skipped[:_MOST_SHOWN]),
        skipped_total=len(skipped),
        left_out=list(plan.left_out) if plan else [],
        folders=_folders(survey),
        orders=survey.instructions or any(each.reason == "instructions" for each in skipped),
        instructions=survey.instructions,
        new_pet=survey.new_pet,
        empty=(plan is not None and plan.is_empty) or bool(survey.parts and not survey.several),
    )


def _folders(survey: Survey) -> list[VaultFolder]:
    listed = {part: len(survey.several[part].files) if part in survey.several else 0 for part in survey.parts}
    return [
        VaultFolder(
            name=name,
            pet=part_name(name, survey.several[name]) if name in survey.several else name.rstrip("/") * bool(listed),
            notes=notes,
            chosen=survey.folders is None or name in survey.folders,
        )
        for name, notes in sorted((listed or (survey.plan.folders if survey.plan else {})).items())
    ]


def imported_pet(packed: PackedPet) -> ImportedPet:
    heartbeat = packed.heartbeat if has_instructions(packed.heartbeat) else ""
    return ImportedPet(**vars_of(packed) | {"name": packed.name or "", "heartbeat": heartbeat})


def packed_name(packed: PackedPet, origin: Origin) -> str:
    """Return a whole pet's own name, else that of its file, without the day that an export adds."""
    return packed.name or _EXPORTED_ON.sub("", Path(origin.name).stem) or Path(origin.name).stem


def suggested_name(survey: Survey) -> str:
    """Return the name of the pet that the source describes, else of its file."""
    if survey.packed is not None:
        return packed_name(survey.packed, survey.origin)
    return (survey.plan.name if survey.plan else "") or Path(survey.origin.name).stem


def _files(plan: ImportPlan) -> list[ImportFile]:
    files = []
    for each in plan.files:
        added, removed = count_changes(each.before, each.after)
        files.append(
            ImportFile(file=each.file, action=each.action, day=is_daily_log(each.file), added=added, removed=removed)
        )
    return files
