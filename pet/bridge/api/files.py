"""The core files for the editor: texts, kept versions, what changed between them, and taking a change back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pet.bridge.api.base import CHAT, CallArgs, Command
from pet.model import Author, Receipt, Version


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
class WriteReply:
    """``saved``: the receipt. ``conflict``: the file is not what the edit was based on; nothing was changed."""

    outcome: Literal["saved", "unchanged", "conflict"]
    file: FileView
    receipt: Receipt | None
    merged_text: str | None  # on conflict: both changes together, where they don't overlap


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionInfo:
    id: str
    file: str
    at: str
    author: Author  # who made this version
    replaced_by: Author | None  # None: it is the current one
    conversation: str | None
    turn: str | None
    bytes: int
    current: bool
    backup: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionList:
    versions: list[VersionInfo]  # newest first


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    kind: Literal["same", "added", "removed"]
    text: str
    old_line: int | None
    new_line: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    lines: list[DiffLine]  # the whole file, nothing left out
    added: int
    removed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FileArgs:
    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteArgs:
    file: str
    text: str
    base: Version


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionArgs:
    file: str
    version: str  # an id of VersionInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffArgs:
    """From version ``old`` to version ``new``; None is the file as it is now."""

    file: str
    old: str
    new: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDiffArgs:
    old: str
    new: str


ROWS: tuple[Command, ...] = (
    Command("read_file", FileArgs, FileView, CHAT, "A core or optional file for the editor."),
    Command("write_file", WriteArgs, WriteReply, CHAT, "Save a file that is still at version ``base``."),
    Command("list_versions", FileArgs, VersionList, CHAT, "The kept versions of a file."),
    Command("diff_versions", DiffArgs, Diff, CHAT, "What changed between two versions, whole."),
    Command("diff_texts", TextDiffArgs, Diff, CHAT, "What changed between two texts, whole."),
    Command("restore_version", VersionArgs, WriteReply, CHAT, "Make a kept version the current one."),
    Command("undo_receipt", CallArgs, WriteReply, CHAT, "Take back what this call wrote, byte for byte."),
    Command("redo_receipt", CallArgs, WriteReply, CHAT, "Make a change again that was undone."),
)
