"""The core files and their conflict copies: editor, versions, diff, restore. The actor is always the owner.

The content of conflict copies enters no request.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pet.bridge.command import Client, command
from pet.errors import FileBroken, FileConflict, WriteFailed
from pet.events import CopiesFound
from pet.model import Author, Receipt, Version
from pet.serde import vars_of
from pet.services.core_files import (
    Diff,
    FileView,
    WriteReply,
    diff_of,
    file_view,
    text_now,
    version_text,
    write_reply,
)
from pet.skins.model import BODY_OF_SOUL
from pet.workspace.conflict_copies import ConflictCopy, ConflictResolver
from pet.workspace.file_history import KeptVersion
from pet.workspace.file_names import parse_name
from pet.workspace.locked_file import OwnerFiles
from pet.workspace.skills import answer_instructions
from pet.workspace.templates import Template, create_workspace, gallery, own_templates

if TYPE_CHECKING:
    from pet.app.pet import Pet
    from pet.services.pet_files import PetFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionList:
    versions: list[KeptVersion]  # newest first


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateInfo(Template):
    """``name``: of a soul, its own; ``about``: one line."""

    body: str = ""  # the skin that comes with a shipped soul
    own: bool = False  # the owner's, from ``folder`` of the list


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateList:
    templates: list[TemplateInfo]
    folder: str = ""  # the folder of the owner's own templates


@dataclass(frozen=True, slots=True)
class VersionCommands:
    app: PetFiles

    @command(Client.CHAT, Client.TERMINAL)
    def list_versions(self, file: str) -> VersionList:
        """Return the kept versions of a file, newest first."""
        return VersionList(versions=list(self.app.store.history(parse_name(file))))

    @command(Client.CHAT, Client.TERMINAL)
    def diff_versions(self, file: str, old: str, new: str | None = None) -> Diff:
        """Return the whole diff from version ``old`` to version ``new``; None: the current file, which counts as
        empty where it can't be read as text, so that an earlier version can be seen and restored."""
        name = parse_name(file)
        before, after = version_text(self.app.store, name, old), ""
        if new is not None:
            after = version_text(self.app.store, name, new)
        else:
            with suppress(FileBroken):
                after = text_now(self.app.store, name).text
        return diff_of(before, after)

    @command(Client.CHAT)
    def diff_texts(self, old: str, new: str) -> Diff:
        """Return the whole diff of two texts."""
        return diff_of(old, new)


@dataclass(frozen=True, slots=True)
class FileCommands:
    """Works on the store itself, not on a gated view: the content goes to the owner, never to a model."""

    app: Pet

    @command(Client.CHAT)
    def read_file(self, file: str) -> FileView:
        """Return a core or optional file for the editor."""
        name = parse_name(file)
        with suppress(WriteFailed, FileBroken):  # recording it is not needed to read it
            self.app.store.observe(name)
        return file_view(self.app.store.read(name), self._limit)

    @command(Client.CHAT)
    def write_file(self, file: str, text: str, base: Version) -> WriteReply:
        """Save a file that is still at version ``base``.

        On a conflict nothing is changed: the reply has the other text, and the merged one without overlap.
        """
        name = parse_name(file)
        try:
            receipt = self.app.store.write(name, text, base=base, author=Author.OWNER, restart=True)
        except FileConflict:
            merged = self.app.store.merged_text(name, text, base=base)
            return write_reply(self.app.store.read(name), self._limit, outcome="conflict", merged_text=merged)
        return self.written(name, receipt)

    @command(Client.CHAT, Client.TERMINAL)
    def restore_version(self, file: str, version: str) -> WriteReply:
        """Make a kept version the current one; ``version``: an id of the list."""
        name = parse_name(file)
        receipt = self.app.store.restore(name, version, author=Author.OWNER)
        if receipt is not None:
            self.app.conversations.follow_restored(receipt)
        return self.written(name, receipt)

    @command(Client.CHAT, Client.TERMINAL)
    def begin_file(self, file: str) -> FileView:
        """Start a lost file again, from its template if the first start makes it; its versions stay."""
        name = parse_name(file)
        self.app.store.give_up(name)
        create_workspace(self.app.store.root, self.app.language())
        return self.read_file(name)

    @command(Client.CHAT)
    def answer_instructions(self, use: bool) -> None:
        """Use the files that instruct the model and came with the workspace, or leave them out of prompts."""
        owned = OwnerFiles(root=self.app.store.root, locks=self.app.home.locks, clock=self.app.clock)
        answer_instructions(owned, use=use)

    @command(Client.CHAT)
    def list_templates(self) -> TemplateList:
        """Return the templates of the core files."""
        templates = self.app.home.data / "templates"
        shipped = [_template(each, own=False) for each in gallery(self.app.language())]
        own = [_template(each, own=True) for each in own_templates(templates)]
        return TemplateList(templates=[*shipped, *own], folder=str(templates))

    def written(self, name: str, receipt: Receipt | None) -> WriteReply:
        """Return the reply for a change; None: nothing had to be changed."""
        return write_reply(self.app.store.read(name), self._limit, receipt)

    @property
    def _limit(self) -> int:
        return self.app.effective.current().prompt_file_characters


def _template(template: Template, *, own: bool) -> TemplateInfo:
    return TemplateInfo(**vars_of(template), body="" if own else BODY_OF_SOUL.get(template.id, ""), own=own)


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyList:
    copies: list[ConflictCopy]


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyView:
    """Both texts; ``merged``: both changes, if they don't overlap."""

    info: ConflictCopy
    file: FileView
    text: str
    merged: str | None


@dataclass(frozen=True, slots=True)
class CopyCommands:
    app: Pet

    @command(Client.CHAT)
    def list_copies(self) -> CopyList:
        """Return the conflict copies that sync programs left."""
        return CopyList(copies=list(self._copies.list()))

    @command(Client.CHAT)
    def read_copy(self, copy: str) -> CopyView:
        """Return a conflict copy and its file."""
        texts = self._copies.read(copy)
        file = file_view(texts.file, self._limit)
        return CopyView(info=texts.copy, file=file, text=texts.text, merged=texts.merged)

    @command(Client.CHAT)
    def settle_copy(self, copy: str, base: Version, text: str | None = None) -> WriteReply:
        """Resolve a conflict copy; the copy is kept in the file's history.

        ``text``: the new text of the file, based on version ``base``; None keeps the file.
        """
        name = self._copies.read(copy).copy.file
        try:
            receipt = self._copies.settle(copy, text, base)
        except FileConflict as conflict:
            if conflict.args_.get("file") != name or text is None:  # the copy itself has changed
                raise
            merged = self._copies.merged_text(name, text, base)
            return write_reply(self._copies.state(name), self._limit, outcome="conflict", merged_text=merged)
        self.app.emit(CopiesFound(count=len(self._copies.list())))
        return write_reply(self._copies.state(name), self._limit, receipt)

    @property
    def _copies(self) -> ConflictResolver:
        return ConflictResolver(self.app.store, self.app.home.locks, self.app.clock)

    @property
    def _limit(self) -> int:
        return self.app.effective.current().prompt_file_characters
