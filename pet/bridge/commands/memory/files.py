"""The core files: editor, versions, diff and restore. The actor is always the owner."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pet.bridge.command import Client, command
from pet.errors import FileBroken, FileConflict, WriteFailed
from pet.i18n import Language
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
from pet.settings.schema import Settings
from pet.skins.model import BODY_OF_SOUL
from pet.workspace.file_names import parse_name
from pet.workspace.history.retention import KeptVersion
from pet.workspace.templates import Template, gallery, own_templates
from pet.workspace.versioned.store import WorkspaceStore


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
class FileCommands:
    """Works on the store itself, not on a gated view: the content goes to the owner, never to a model.

    ``restored``: called for each version that was restored.
    """

    store: WorkspaceStore
    settings: Callable[[], Settings]
    language: Callable[[], Language]
    templates: Path
    restored: Callable[[Receipt], object] = lambda _receipt: None

    @command(Client.CHAT)
    def read_file(self, file: str) -> FileView:
        """Return a core or optional file for the editor."""
        name = parse_name(file)
        with suppress(WriteFailed, FileBroken):  # recording it is not needed to read it
            self.store.observe(name)
        return file_view(self.store.read(name), self._limit)

    @command(Client.CHAT)
    def write_file(self, file: str, text: str, base: Version) -> WriteReply:
        """Save a file that is still at version ``base``.

        On a conflict nothing is changed: the reply has the other text, and the merged one without overlap.
        """
        name = parse_name(file)
        try:
            receipt = self.store.write(name, text, base=base, author=Author.OWNER)
        except FileConflict:
            merged = self.store.merged_text(name, text, base=base)
            return write_reply(self.store.read(name), self._limit, outcome="conflict", merged_text=merged)
        return self.written(name, receipt)

    @command(Client.CHAT)
    def list_versions(self, file: str) -> VersionList:
        """Return the kept versions of a file, newest first."""
        name = parse_name(file)
        self.store.observe(name)
        return VersionList(versions=list(self.store.history(name)))

    @command(Client.CHAT)
    def diff_versions(self, file: str, old: str, new: str | None = None) -> Diff:
        """Return the whole diff from version ``old`` to version ``new``; None: the current file."""
        name = parse_name(file)
        after = version_text(self.store, name, new) if new is not None else text_now(self.store, name).text
        return diff_of(version_text(self.store, name, old), after)

    @command(Client.CHAT)
    def diff_texts(self, old: str, new: str) -> Diff:
        """Return the whole diff of two texts."""
        return diff_of(old, new)

    @command(Client.CHAT)
    def restore_version(self, file: str, version: str) -> WriteReply:
        """Make a kept version the current one; ``version``: an id of the list."""
        name = parse_name(file)
        receipt = self.store.restore(name, version, author=Author.OWNER)
        if receipt is not None:
            self.restored(receipt)
        return self.written(name, receipt)

    @command(Client.CHAT)
    def list_templates(self) -> TemplateList:
        """Return the templates of the core files."""
        shipped = [_template(each, own=False) for each in gallery(self.language())]
        own = [_template(each, own=True) for each in own_templates(self.templates)]
        return TemplateList(templates=[*shipped, *own], folder=str(self.templates))

    def written(self, name: str, receipt: Receipt | None) -> WriteReply:
        """Return the reply for a change; None: nothing had to be changed."""
        return write_reply(self.store.read(name), self._limit, receipt)

    @property
    def _limit(self) -> int:
        return self.settings().prompt_file_characters


def _template(template: Template, *, own: bool) -> TemplateInfo:
    return TemplateInfo(**vars_of(template), body="" if own else BODY_OF_SOUL.get(template.id, ""), own=own)
