"""Other agents of one pet: the gateway over the pet's files, and what the owner sees of them and decides.

What only the pet itself needs is imported when it is made: ``pet mcp`` imports this module with the commands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pet.access import PetGate
from pet.errors import UnknownProposal, WriteFailed
from pet.extras.agents.access import AgentMode
from pet.extras.agents.activity import Doing, SessionState
from pet.extras.agents.book import (
    TITLES,
    AgentBook,
    AgentClient,
    AgentLabel,
    AgentNote,
    AgentRead,
    text_digest,
)
from pet.extras.agents.installation import HookProgram, ProgramId, hook_programs, hook_state, programs
from pet.model import Author, NotedText
from pet.serde import vars_of

if TYPE_CHECKING:
    from pet.extras.agents.display import AgentActivity
    from pet.extras.agents.gateway import AgentGateway, Asked
    from pet.memory.search.memory_index import MemoryIndex
    from pet.services.pet_files import PetFiles


def open_book(files: PetFiles, changed: Callable[[bool], object] = lambda _reads: None) -> AgentBook:
    from pet.settings.program_state import machine_id

    return AgentBook(
        root=files.store.root,
        locks=files.home.locks,
        machine=machine_id(files.home.machine_file),
        changed=changed,
    )


def gateway_without_pet(files: PetFiles) -> AgentGateway:
    """Return a gateway for a process beside no running pet; its index searches by what is indexed, and by words."""
    from pet.extras.agents.gateway import AgentGateway
    from pet.memory.search.memory_index import open_index
    from pet.services.reminders import ReminderBook

    pet = PetGate()
    pet.set_external_check(files.pause_record.read)
    opened: list[MemoryIndex] = []

    def index() -> MemoryIndex:
        if not opened:
            opened.append(open_index(files.store.root, files.home.cache))
            files.closing.callback(opened[0].close)
        opened[0].refresh_words()
        return opened[0]

    informed: set[AgentLabel] = set()

    def ask(client: AgentClient, _new: bool) -> Asked:
        if client.label in informed:
            return "not_asked"
        informed.add(client.label)
        return "no_pet"

    book = open_book(files)
    drop_forgotten(files, book)
    reminders = ReminderBook(files.store, files.clock).snapshot
    return AgentGateway(files=files, book=book, pet=pet, index=index, reminders=reminders, ask=ask)


def drop_forgotten(files: PetFiles, book: AgentBook) -> None:
    """Remove proposals with a text that the owner had forgotten; a failure to write leaves them for the next time."""
    with suppress(WriteFailed):
        book.drop_notes(files.store.forgotten.is_forgotten)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentLines:
    """Lines that an agent got today. ``text`` is read from the file now; "" if those lines changed since."""

    at: str
    file: str
    start_line: int
    end_line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentView(AgentClient):
    """An agent in one folder. ``lines_today``: how many it read."""

    title: str
    known: bool
    lines_today: int
    reads: list[AgentLines]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentNoteView(AgentNote):
    """A proposal, or an entry that was written at once: then ``written``. ``due``: when it reminds, in the agent's
    words; ``noted``: when it would if it were kept now."""

    title: str
    noted: NotedText | None
    written: bool


HookState = Literal["none", "off", "on", "older"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramView:
    """A program that can be set up. ``older``: its entry starts an earlier program, or is another pet's; ``last``:
    when one of its sessions asked last, "" for never. ``hooks``: whether they are installed, "none" if it has none
    that can be, "older" if they are of an earlier program; ``hooks_disabled``: by its own settings; ``last_event``:
    when one came last since the start."""

    id: ProgramId
    title: str
    there: bool
    installed: bool
    older: bool
    file: str
    last: str
    hooks: HookState
    hooks_disabled: bool
    last_event: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSessionView:
    """A running session of an agent."""

    title: str
    folder: str
    state: SessionState
    doing: Doing


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentsView:
    """Agents, the newest call first; proposals and written entries, newest first."""

    clients: list[AgentView]
    sessions: list[AgentSessionView]
    notes: list[AgentNoteView]
    programs: list[ProgramView]


NoteAnswer = Literal["keep", "refuse", "undo"]


def agents_view(
    gateway: AgentGateway,
    activity: AgentActivity | None = None,
    commands: Sequence[Sequence[str]] = (),
    hook: Callable[[str], str] = str,
) -> AgentsView:
    """Return all that the owner sees of other agents. ``commands``: those that start ``pet mcp`` for this pet;
    ``hook``: returns the command of a client's hook."""
    state, today = gateway.book.state(), gateway.files.clock.now().date().isoformat()
    reads = [each for each in state.reads if each.at.startswith(today)]
    clients = sorted(state.clients, key=lambda each: each.last, reverse=True)
    is_forgotten = gateway.files.store.forgotten.is_forgotten
    hooks = {each.id: each for each in hook_programs()}
    last_events = activity.last_events if activity else {}
    return AgentsView(
        clients=[_agent_view(gateway, client, reads) for client in clients],
        sessions=[
            AgentSessionView(title=each.label.title, folder=each.label.folder, state=each.state, doing=each.doing)
            for each in (activity.sessions.all() if activity else ())
        ],
        notes=[_note_view(gateway, note) for note in reversed(state.notes) if not is_forgotten(note.text)],
        programs=[
            ProgramView(
                id=each.id,
                title=TITLES[each.calls_itself],
                there=each.is_there,
                installed=each.is_installed(),
                older=each.is_older(commands),
                file=str(each.file),
                last=max((client.last for client in clients if client.name == each.calls_itself), default=""),
                hooks=_hook_state(hooks.get(each.id), hook),
                hooks_disabled=each.id in hooks and hooks[each.id].are_disabled(),
                last_event=last_events.get(each.calls_itself, ""),
            )
            for each in programs()
        ],
    )


def _hook_state(program: HookProgram | None, hook: Callable[[str], str]) -> HookState:
    return "none" if program is None else hook_state(program, hook(program.client))


def _agent_view(gateway: AgentGateway, client: AgentClient, reads: list[AgentRead]) -> AgentView:
    own = [each for each in reads if (each.name, each.folder) == (client.name, client.folder)]
    places = {(each.file, line) for each in own for line in range(each.start_line, each.end_line + 1)}
    return AgentView(
        **vars_of(client) | {"mode": AgentMode.OFF if client.never else client.mode},
        title=client.label.title,
        known=client.label.is_known,
        lines_today=len(places),
        reads=[_lines(gateway, each) for each in reversed(own)],
    )


def _lines(gateway: AgentGateway, read: AgentRead) -> AgentLines:
    text = gateway.lines(read.file, read.start_line, read.end_line)
    return AgentLines(
        at=read.at,
        file=read.file,
        start_line=read.start_line,
        end_line=read.end_line,
        text=text if text_digest(text) == read.digest else "",
    )


def _note_view(gateway: AgentGateway, note: AgentNote) -> AgentNoteView:
    return AgentNoteView(
        **vars_of(note),
        title=note.label.title,
        noted=gateway.reminder(note) if note.receipt is None else None,
        written=note.receipt is not None,
    )


def answer_note(gateway: AgentGateway, id_: str, answer: NoteAnswer, text: str) -> None:
    """Keep a proposal, as it is or as ``text``, refuse it, or undo a written entry.

    Raises UnknownProposal if it is gone, FileConflict, and PetError of a write; the note then stays.
    """
    note = next((each for each in gateway.book.state().notes if each.id == id_), None)
    if note is None or (answer == "undo") is not (note.receipt is not None):
        raise UnknownProposal
    if answer == "keep":
        gateway.keep(note, text.strip() or note.text)
    elif note.receipt is not None:
        gateway.files.store.undo(note.receipt, author=Author.OWNER)
    gateway.book.take_note(id_)
