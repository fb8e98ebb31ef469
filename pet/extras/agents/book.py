"""Positions, reads and proposals of other agents, in one file per machine below the pet's folder.

A position belongs to this machine and this folder: a copied or synced pet starts with every agent off. An unreadable
file, or one of a newer program, counts as every agent off and is not written to; in one that was damaged every agent
is off until the owner chooses again. Of reads only the places are
stored, never the lines. Thread-safe; other processes of this machine may write too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Literal

from pet.errors import BadArguments, PetError, WriteFailed
from pet.extras.agents.access import AgentMode
from pet.fs.directory import replace_file
from pet.fs.locks import as_write_errors, lock_file, locked
from pet.ids import new_id
from pet.model import Receipt
from pet.serde import FORMAT, KEY, from_data, is_newer, to_data
from pet.text.unseen import reveal
from pet.untrusted.parsers import read_json
from pet.untrusted.regular_files import read_regular

Grant = Literal["permissions", "conversations", "days"]
"""Switches of one agent besides its position: the pet asks for its permissions, it may find conversations, its work
is noted once a day."""
_LONGEST_NAME = 60
_LONGEST_FOLDER = 200
_MOST_UNDECIDED = 40
"""Agents that the owner has not decided on; older ones are dropped, so that a flood of names can't grow the file."""
_MOST_DECIDED = 200
_MOST_READS = 400  # of one day
MOST_WAITING = 20
"""Waiting proposals of one agent; more are refused until the owner has answered some."""
_MOST_WAITING_ALL = 100
_MOST_WRITTEN = 100
_FILE_LIMIT = 4 << 20
_DIGEST = "digest"

TITLES = {
    "claude-code": "Claude Code",
    "codex-mcp-client": "Codex",
    "cursor-vscode": "Cursor",
    "Visual Studio Code": "VS Code",
    "gemini-cli-mcp-client": "Gemini CLI",
    "claude-ai": "Claude Desktop",
    "opencode": "opencode",
    "qwen-cli-mcp-client-soulpet": "Qwen Code",
    "@cline/core": "Cline",
    "Cline": "Cline",
    "continue-client": "Continue",
    "Zed": "Zed",
}
"""Names that known programs give themselves, by the name their owner knows."""


@dataclass(frozen=True, slots=True)
class AgentLabel:
    """An agent's own name and the folder it runs in. A label for the owner, never an identity.

    >>> label_of("Claude\\u200b Code", "/src/tundra").title
    '“Claude� Code”'
    """

    name: str
    folder: str

    @property
    def is_known(self) -> bool:
        return self.name in TITLES

    @property
    def folder_name(self) -> str:
        """The folder without those above it."""
        return self.folder.rstrip("/\\").replace("\\", "/").rpartition("/")[2] or self.folder

    @property
    def title(self) -> str:
        """The known program's name, or the given name in quotes, so that no name imitates a known program."""
        return TITLES.get(self.name) or f"“{self.name}”"


def label_of(name: str, folder: str) -> AgentLabel:
    """Return the label with hidden characters made visible, both parts bounded."""
    return AgentLabel(visible_line(name, _LONGEST_NAME) or "?", visible_line(folder, _LONGEST_FOLDER) or "?")


def visible_line(text: str, longest: int) -> str:
    """Return the text in one line, cut, with hidden characters made visible."""
    line = reveal(" ".join(text[: 4 * longest].split())[:longest], "�")
    return "".join(each if each.isprintable() else "�" for each in line)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentClient:
    """One agent in one folder. ``never``: it is off for good and its calls ask nothing. ``asked_on``: day of the
    last question, "" for none. Times are ISO 8601."""

    name: str
    folder: str
    mode: AgentMode = AgentMode.OFF
    never: bool = False
    grants: tuple[Grant, ...] = ()
    asked_on: str = ""
    first: str = ""
    last: str = ""
    calls: int = 0

    @property
    def label(self) -> AgentLabel:
        return AgentLabel(self.name, self.folder)

    @property
    def is_decided(self) -> bool:
        return self.never or self.mode is not AgentMode.OFF or bool(self.grants)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRead:
    """Lines that an agent got, 1-based and inclusive. ``digest``: of their text, which is not stored."""

    name: str
    folder: str
    at: str
    file: str
    start_line: int
    end_line: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentNote:
    """An entry that an agent proposed, or wrote: then with its receipt. ``due``: when it reminds, in words.
    ``order``: a line of it reads as an instruction."""

    id: str
    name: str
    folder: str
    at: str
    text: str
    category: str = ""
    due: str = ""
    order: bool = False
    turns: int = 0  # of the day's work with this agent, for the pet's own note of it
    masked: tuple[str, ...] = ()  # kinds of secrets that were masked
    receipt: Receipt | None = None

    @property
    def label(self) -> AgentLabel:
        return AgentLabel(self.name, self.folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentState:
    """All that is stored. ``root``: the pet's folder for which the positions hold."""

    root: str = ""
    clients: tuple[AgentClient, ...] = ()
    reads: tuple[AgentRead, ...] = ()
    notes: tuple[AgentNote, ...] = ()

    def client(self, label: AgentLabel) -> AgentClient | None:
        return next((each for each in self.clients if each.label == label), None)


class TooManyWaiting(PetError):
    """Too many proposals of this agent wait; no more are taken."""


@dataclass(slots=True, kw_only=True)
class AgentBook:
    """``root``: the pet's folder. ``machine``: this machine's id."""

    root: Path
    locks: Path
    machine: str
    changed: Callable[[bool], object] = lambda _reads: None  # whether lines were given out
    _lock: Lock = field(init=False, default_factory=Lock)
    _seen: tuple[tuple[int, int, int], AgentState] | None = field(init=False, default=None)

    @property
    def file(self) -> Path:
        return self.root / f"agents.{self.machine}.json"

    def state(self) -> AgentState:
        """Return what is stored for this folder; nothing if it can't be read."""
        try:
            status = self.file.stat()
        except OSError:
            return AgentState(root=self._root)
        signature = status.st_mtime_ns, status.st_size, status.st_ino
        with self._lock:
            if self._seen is None or self._seen[0] != signature:
                self._seen = signature, self._read()[0]
            return self._seen[1]

    def mode(self, label: AgentLabel) -> AgentMode:
        client = self.state().client(label)
        return AgentMode.OFF if client is None or client.never else client.mode

    def grants(self, label: AgentLabel, grant: Grant) -> bool:
        """Whether the owner switched this on for the agent."""
        client = self.state().client(label)
        return client is not None and not client.never and grant in client.grants

    def set_grant(self, label: AgentLabel, grant: Grant, on: bool) -> None:
        """Switch one thing on or off for an agent. Raises WriteFailed."""

        def with_grant(client: AgentClient) -> AgentClient:
            others = tuple(each for each in client.grants if each != grant)
            return replace(client, grants=(*others, grant) if on else others)

        self._change_client(label, with_grant)

    def note_seen(self, label: AgentLabel) -> None:
        """List an agent that has not called yet. Raises WriteFailed."""
        self._change_client(label, lambda client: client)

    def set_mode(self, label: AgentLabel, mode: AgentMode, *, never: bool = False) -> None:
        """Move an agent's position. Raises WriteFailed."""
        self._change_client(label, lambda client: replace(client, mode=AgentMode.OFF if never else mode, never=never))

    def remove(self, label: AgentLabel) -> None:
        """Drop an agent with its reads and waiting proposals: it is unknown again. Raises WriteFailed."""
        self._change(
            lambda state: replace(
                state,
                clients=tuple(each for each in state.clients if each.label != label),
                reads=tuple(each for each in state.reads if (each.name, each.folder) != (label.name, label.folder)),
                notes=tuple(each for each in state.notes if each.receipt or each.label != label),
            )
        )

    def note_call(self, label: AgentLabel, now: datetime) -> AgentClient:
        """Count a call; return the agent. Raises WriteFailed."""
        at = now.isoformat(timespec="seconds")
        return self._change_client(
            label, lambda client: replace(client, first=client.first or at, last=at, calls=client.calls + 1)
        )

    def note_asked(self, label: AgentLabel, now: datetime) -> None:
        """Record today's question to the owner. Raises WriteFailed."""
        self._change_client(label, lambda client: replace(client, asked_on=now.date().isoformat()))

    def note_reads(self, reads: tuple[AgentRead, ...], today: str) -> None:
        """Add today's reads; those of earlier days are dropped. Raises WriteFailed."""

        def with_reads(state: AgentState) -> AgentState:
            kept = tuple(each for each in state.reads if each.at.startswith(today))
            return replace(state, reads=(*kept, *reads)[-_MOST_READS:])

        self._change(with_reads, reads=True)

    def add_note(self, note: AgentNote) -> AgentNote:
        """Store a proposal or a written entry under a new id; an equal waiting one is not stored twice.

        Raises TooManyWaiting, WriteFailed.
        """
        note = replace(note, id=new_id())

        def with_note(state: AgentState) -> AgentState:
            waiting = [each for each in state.notes if each.receipt is None]
            own = [each for each in waiting if each.label == note.label]
            if note.receipt is None:
                if any(each.text == note.text for each in own):
                    return state
                if len(own) >= MOST_WAITING or len(waiting) >= _MOST_WAITING_ALL:
                    raise TooManyWaiting
            written = [each for each in (*state.notes, note) if each.receipt is not None][-_MOST_WRITTEN:]
            waiting += [note] if note.receipt is None else []
            return replace(state, notes=(*written, *waiting))

        self._change(with_note)
        return note

    def take_note(self, id_: str) -> AgentNote | None:
        """Remove a note and return it; None if it is gone. Raises WriteFailed."""
        taken: list[AgentNote] = []

        def without(state: AgentState) -> AgentState:
            taken.extend(each for each in state.notes if each.id == id_)
            return replace(state, notes=tuple(each for each in state.notes if each.id != id_))

        self._change(without)
        return taken[0] if taken else None

    def drop_notes(self, unwanted: Callable[[str], bool]) -> None:
        """Remove notes by their text, for what the owner had forgotten. Raises WriteFailed."""
        if any(unwanted(each.text) for each in self.state().notes):
            self._change(
                lambda state: replace(state, notes=tuple(each for each in state.notes if not unwanted(each.text)))
            )

    # --- the file -------------------------------------------------------------------------------

    @property
    def _root(self) -> str:
        return str(self.root.resolve())

    def _read(self) -> tuple[AgentState, bool]:
        """Return what is stored, and whether the file may be replaced."""
        try:
            data = read_json(read_regular(self.file, _FILE_LIMIT))
        except FileNotFoundError:
            return AgentState(root=self._root), True
        except (OSError, ValueError):
            return AgentState(root=self._root), False
        if not isinstance(data, dict) or is_newer(data):
            return AgentState(root=self._root), False
        digest = data.pop(_DIGEST, None)  # earlier versions wrote none
        data.pop(KEY, None)
        try:
            state = from_data(AgentState, data)
        except BadArguments:
            return AgentState(root=self._root), False
        if digest is not None and digest != _digest_of(data):  # an agent may have the position of another
            off = [replace(each, mode=AgentMode.OFF, grants=()) for each in state.clients]
            state = replace(state, clients=tuple(off))
        return (state, True) if state.root == self._root else (AgentState(root=self._root), True)

    def _change_client(self, label: AgentLabel, change: Callable[[AgentClient], AgentClient]) -> AgentClient:
        changed: list[AgentClient] = []

        def with_client(state: AgentState) -> AgentState:
            client = change(state.client(label) or AgentClient(name=label.name, folder=label.folder))
            changed.append(client)
            clients = [*(each for each in state.clients if each.label != label), client]
            decided = [each for each in clients if each.is_decided][-_MOST_DECIDED:]
            undecided = [each for each in clients if not each.is_decided][-_MOST_UNDECIDED:]
            return replace(state, clients=(*decided, *undecided))

        self._change(with_client)
        return changed[-1]

    def _change(self, change: Callable[[AgentState], AgentState], *, reads: bool = False) -> None:
        """Raises WriteFailed, also for a file that can't be read now or is of a newer program."""
        with as_write_errors(self.file.name), locked(lock_file(self.locks, self.root, self.file.name)):
            before, writable = self._read()
            if not writable:
                raise WriteFailed(self.file.name)
            after = change(before)
            if after == before:
                return
            stored = json.dumps(to_data(after), ensure_ascii=False).encode("utf-8", "replace")
            data = read_json(stored)  # as it is read again: an agent's text may hold what UTF-8 can't
            content = json.dumps({KEY: FORMAT, **data, _DIGEST: _digest_of(data)}, ensure_ascii=False, indent=1)
            replace_file(self.file, content.encode(), mode=0o600)
        self.changed(reads)


def _digest_of(data: Mapping[str, object]) -> str:
    """Return what tells later whether anything in the file was damaged."""
    return text_digest(json.dumps(data, sort_keys=True))


def text_digest(text: str) -> str:
    """Return what tells later whether lines are still those that were read."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
