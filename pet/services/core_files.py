"""Core files for the owner's editor: text, version, state and differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pet.errors import FileBroken
from pet.model import MISSING, Broken, CoreFile, FileState, Missing, Present, Receipt, Version
from pet.prompt.budget import characters_cut
from pet.text.unseen import count_unseen
from pet.workspace.line_diff import DiffLine, diff_lines
from pet.workspace.store import WorkspaceStore
from pet.workspace.text_encoding import NotText, decode_text, normalize_newlines

_SOUL = CoreFile.SOUL.value
Outcome = Literal["saved", "unchanged", "conflict"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileView:
    """A file for the owner's editor. ``text`` is without BOM and with \\n; saving restores both."""

    file: str
    state: Literal["present", "missing", "broken"]
    problem: str  # "" or the code of the error state, e.g. "file_not_utf8"
    text: str
    version: Version
    characters: int
    limit: int  # characters that go into a prompt
    cut: int  # characters the prompt leaves out now
    hidden_characters: int  # zero-width and bidi overrides


@dataclass(frozen=True, slots=True, kw_only=True)
class LostFile:
    """A core file that is gone. ``since``: ISO time; ``version``: id of the last one, "" if none can be restored."""

    file: str
    since: str
    version: str


def lost_files(store: WorkspaceStore) -> list[LostFile]:
    """Return the core files that are gone although they have earlier versions."""
    return [LostFile(file=each.name, since=each.lost_at, version=each.kept) for each in store.lost_files()]


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteReply:
    """``conflict``: the file changed since the version that was edited; nothing was written."""

    outcome: Outcome
    file: FileView
    receipt: Receipt | None
    merged_text: str | None  # on conflict: both changes, if they don't overlap


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    lines: list[DiffLine]  # of the whole file
    added: int
    removed: int


def file_view(state: FileState, limit: int) -> FileView:
    """Return a file for the editor; ``limit``: the characters of it that go into a prompt."""
    text = normalize_newlines(state.text) if isinstance(state, Present) else ""
    return FileView(
        file=state.name,
        state="missing" if isinstance(state, Missing) else "broken" if isinstance(state, Broken) else "present",
        problem=f"file_{state.problem}" if isinstance(state, Broken) else "",
        text=text,
        version=MISSING if isinstance(state, Missing) else state.version,
        characters=len(text),
        limit=limit,
        cut=characters_cut(text, limit),
        hidden_characters=count_unseen(text),
    )


def write_reply(
    state: FileState,
    limit: int,
    receipt: Receipt | None = None,
    *,
    outcome: Outcome | None = None,
    merged_text: str | None = None,
) -> WriteReply:
    """Return the reply for a file's current state; ``outcome`` None: saved with a receipt, else unchanged."""
    return WriteReply(
        outcome=outcome or ("saved" if receipt else "unchanged"),
        file=file_view(state, limit),
        receipt=receipt,
        merged_text=merged_text,
    )


def diff_of(old: str, new: str) -> Diff:
    lines = diff_lines(old, new)
    return Diff(
        lines=lines,
        added=sum(line.kind == "added" for line in lines),
        removed=sum(line.kind == "removed" for line in lines),
    )


def version_text(store: WorkspaceStore, name: str, version_id: str) -> str:
    """Return the text of a kept version. Raises VersionUnknown, FileBroken."""
    try:
        return normalize_newlines(decode_text(store.version_bytes(name, version_id)).text)
    except NotText:
        raise FileBroken(file=name, problem="not_utf8") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextNow:
    """Current text and version of a file; "" and MISSING without one."""

    text: str
    version: Version


def text_now(store: WorkspaceStore, name: str) -> TextNow:
    """Return the file's current text. Raises FileBroken: an unreadable file is never overwritten."""
    state = store.read(name)
    if isinstance(state, Broken):
        raise FileBroken(file=name, problem=state.problem)
    if isinstance(state, Missing):
        return TextNow(text="", version=MISSING)
    return TextNow(text=normalize_newlines(state.text), version=state.version)


def soul_now(store: WorkspaceStore) -> TextNow:
    """Return the current soul, after recording what another program wrote."""
    store.observe(_SOUL)
    return text_now(store, _SOUL)
