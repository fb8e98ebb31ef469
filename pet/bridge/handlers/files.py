"""Handlers for the core files: editor, versions, diff, restore, undo. The actor is always the owner."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pet.bridge.api import (
    Diff,
    DiffArgs,
    DiffLine,
    FileArgs,
    FileView,
    Nothing,
    TemplateInfo,
    TemplateList,
    TextDiffArgs,
    VersionArgs,
    VersionInfo,
    VersionList,
    WriteArgs,
    WriteReply,
)
from pet.errors import FileBroken, FileConflict
from pet.i18n import Language
from pet.model import MISSING, Author, Broken, FileState, Missing, Present, Receipt
from pet.prompt.truncate import characters_cut
from pet.settings.schema import Settings
from pet.skins.model import BODY_OF_SOUL
from pet.workspace.file_names import parse_name
from pet.workspace.templates import Template, gallery, own_templates
from pet.workspace.text.encoded_text import NotText, decode_text, normalize_newlines
from pet.workspace.text.invisible_chars import count_invisible
from pet.workspace.text.merge import diff_lines
from pet.workspace.versioned.retention import KeptVersion
from pet.workspace.versioned.store import WorkspaceStore


class FileCommands:
    """Handlers on the store itself, not on a gated view: the content goes to the owner, never to a model.

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

    def read_file(self, args: FileArgs) -> FileView:
        self._store.observe(parse_name(args.file))
        return self._view(self._store.read(parse_name(args.file)))

    def write_file(self, args: WriteArgs) -> WriteReply:
        name = parse_name(args.file)
        try:
            receipt = self._store.write(name, args.text, base=args.base, author=Author.OWNER)
        except FileConflict:
            return self._conflict(name, args)
        return self.written(name, receipt)

    def list_versions(self, args: FileArgs) -> VersionList:
        name = parse_name(args.file)
        self._store.observe(name)
        return VersionList(versions=[_version(name, kept) for kept in self._store.history(name)])

    def diff_versions(self, args: DiffArgs) -> Diff:
        name = parse_name(args.file)
        new = self._text(name, args.new) if args.new is not None else self._current_text(name)
        return diff_of(self._text(name, args.old), new)

    def diff_texts(self, args: TextDiffArgs) -> Diff:
        return diff_of(args.old, args.new)

    def restore_version(self, args: VersionArgs) -> WriteReply:
        name = parse_name(args.file)
        receipt = self._store.restore(name, args.version, author=Author.OWNER)
        if receipt is not None:
            self._restored(receipt)
        return self.written(name, receipt)

    def list_templates(self, _args: Nothing) -> TemplateList:
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

    def _conflict(self, name: str, args: WriteArgs) -> WriteReply:
        """Build the conflict reply: the other text, and the merged text if there is no overlap. Nothing was
        changed.
        """
        return WriteReply(
            outcome="conflict",
            file=self._view(self._store.read(name)),
            receipt=None,
            merged_text=self._store.merged_text(name, args.text, base=args.base),
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


def file_view(state: FileState, limit: int) -> FileView:
    """Return a file for the editor; ``limit``: the characters of it that go into a prompt."""
    match state:
        case Present():
            text = normalize_newlines(state.text)
            return FileView(
                file=state.name,
                state="present",
                problem="",
                text=text,
                version=state.version,
                characters=len(text),
                limit=limit,
                cut=characters_cut(text, limit),
                hidden_characters=count_invisible(text),
            )
        case Missing():
            return _empty(state.name, "missing", "", MISSING, limit)
        case Broken():
            return _empty(state.name, "broken", f"file_{state.problem}", state.version, limit)


def _empty(name: str, state: str, problem: str, version: str, limit: int) -> FileView:
    return FileView(
        file=name,
        state="missing" if state == "missing" else "broken",
        problem=problem,
        text="",
        version=version,
        characters=0,
        limit=limit,
        cut=0,
        hidden_characters=0,
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


def diff_of(old: str, new: str) -> Diff:
    lines = [
        DiffLine(kind=line.kind, text=line.text, old_line=line.old_line, new_line=line.new_line)
        for line in diff_lines(old, new)
    ]
    return Diff(
        lines=lines,
        added=sum(line.kind == "added" for line in lines),
        removed=sum(line.kind == "removed" for line in lines),
    )
