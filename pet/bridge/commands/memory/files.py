"""The core files: editor, versions, diff, restore, undo. The actor is always the owner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pet.bridge.command import Client, command
from pet.errors import FileBroken, FileConflict
from pet.i18n import Language
from pet.model import Author, Broken, FileState, Missing, Present, Receipt, Version
from pet.services.core_files import Diff, FileView, WriteReply, diff_of, file_view
from pet.settings.schema import Settings
from pet.skins.model import BODY_OF_SOUL
from pet.workspace.file_names import parse_name
from pet.workspace.templates import Template, gallery, own_templates
from pet.workspace.text.encoded_text import NotText, decode_text, normalize_newlines
from pet.workspace.versioned.retention import KeptVersion
from pet.workspace.versioned.store import WorkspaceStore


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
class TemplateInfo:
    id: str
    title: str
    file: str
    text: str
    name: str = ""  # what a soul calls itself
    about: str = ""  # it in one line
    body: str = ""  # the skin that comes with a shipped soul
    own: bool = False  # the owner's, from the folder of the list


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateList:
    templates: list[TemplateInfo]
    folder: str = ""  # where the owner's own templates are looked for


class FileCommands:
    """On the store itself, not on a gated view: the content goes to the owner, never to a model.

    ``restored`` is called for each version made current again.
    """

    def __init__(
        self,
        store: WorkspaceStore,
        settings: Callable[[], Settings],
        language: Callable[[], Language],
        templates: Path,
        restored: Callable[[Receipt], object] = lambda _receipt: None,
    ) -> None:
        self._store = store
        self._settings = settings
        self._language = language
        self._templates = templates
        self._restored = restored

    @command(Client.CHAT)
    def read_file(self, file: str) -> FileView:
        """A core or optional file for the editor."""
        self._store.observe(parse_name(file))
        return self._view(self._store.read(parse_name(file)))

    @command(Client.CHAT)
    def write_file(self, file: str, text: str, base: Version) -> WriteReply:
        """Save a file that is still at version ``base``."""
        name = parse_name(file)
        try:
            receipt = self._store.write(name, text, base=base, author=Author.OWNER)
        except FileConflict:
            return self._conflict(name, text, base)
        return self.written(name, receipt)

    @command(Client.CHAT)
    def list_versions(self, file: str) -> VersionList:
        """The kept versions of a file."""
        name = parse_name(file)
        self._store.observe(name)
        return VersionList(versions=[_version(name, kept) for kept in self._store.history(name)])

    @command(Client.CHAT)
    def diff_versions(self, file: str, old: str, new: str | None = None) -> Diff:
        """What changed between two versions, whole.

        From version ``old`` to version ``new``; None is the file as it is now.
        """
        name = parse_name(file)
        new = self._text(name, new) if new is not None else self._current_text(name)
        return diff_of(self._text(name, old), new)

    @command(Client.CHAT)
    def diff_texts(self, old: str, new: str) -> Diff:
        """What changed between two texts, whole."""
        return diff_of(old, new)

    @command(Client.CHAT)
    def restore_version(self, file: str, version: str) -> WriteReply:
        """Make a kept version the current one.

        ``version``: an id of VersionInfo.
        """
        name = parse_name(file)
        receipt = self._store.restore(name, version, author=Author.OWNER)
        if receipt is not None:
            self._restored(receipt)
        return self.written(name, receipt)

    @command(Client.CHAT)
    def list_templates(self) -> TemplateList:
        """Starting texts for the core files."""
        shipped = [_template(each, own=False) for each in gallery(self._language())]
        own = [_template(each, own=True) for each in own_templates(self._templates)]
        return TemplateList(templates=[*shipped, *own], folder=str(self._templates))

    def written(self, name: str, receipt: Receipt | None) -> WriteReply:
        """Build the reply for a change; without a receipt nothing had to be changed."""
        return WriteReply(
            outcome="saved" if receipt else "unchanged",
            file=self._view(self._store.read(name)),
            receipt=receipt,
            merged_text=None,
        )

    def _conflict(self, name: str, text: str, base: Version) -> WriteReply:
        """Build the conflict reply: the other text, and the merged text if there is no overlap. Nothing was
        changed.
        """
        return WriteReply(
            outcome="conflict",
            file=self._view(self._store.read(name)),
            receipt=None,
            merged_text=self._store.merged_text(name, text, base=base),
        )

    def _text(self, name: str, version_id: str) -> str:
        try:
            return normalize_newlines(decode_text(self._store.version_bytes(name, version_id)).text)
        except NotText:
            raise FileBroken(file=name, problem="not_utf8") from None

    def _current_text(self, name: str) -> str:
        state = self._store.read(name)
        match state:
            case Present():
                return normalize_newlines(state.text)
            case Missing():
                return ""
            case Broken():
                raise FileBroken(file=name, problem=state.problem)

    def _view(self, state: FileState) -> FileView:
        return file_view(state, self._settings().prompt_file_characters)


def _template(template: Template, *, own: bool) -> TemplateInfo:
    return TemplateInfo(
        id=template.id,
        title=template.title,
        file=template.file,
        text=template.text,
        name=template.name,
        about=template.about,
        body="" if own else BODY_OF_SOUL.get(template.id, ""),
        own=own,
    )


def _version(name: str, kept: KeptVersion) -> VersionInfo:
    return VersionInfo(
        id=kept.id,
        file=name,
        at=kept.at,
        author=kept.author,
        replaced_by=kept.replaced_by,
        conversation=kept.source.conversation if kept.source else None,
        turn=kept.source.turn if kept.source else None,
        bytes=kept.bytes,
        current=kept.current,
        backup=kept.backup,
    )
