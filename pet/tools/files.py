"""``read``, ``write``, ``edit`` and ``skill``: tools for the pet's own files and the owner's skills.

Between a call and the store: the owner's approval, merging of later changes by others, the prompt limit. Paths, locks
and history are the store's. A skill is only read, never executed.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pet.access import Access, FileKind
from pet.errors import EmptyContent, EmptyQuery, FileConflict, FileFull, FileMissing, PetError
from pet.i18n import Texts
from pet.ids import new_id
from pet.language.redaction import Kind, Redacted, placeholder, redact
from pet.language.wishes import names_reminder
from pet.memory.search.foreign_notes import in_note
from pet.memory.store.digest import noted_entries
from pet.model import MISSING, Allowed, CoreFile, ForeignSource, Missing, Present, Proposal, Receipt, Version
from pet.text.markup import holds_two_versions
from pet.tools.approval import ApprovalReason, always_asks, approval_reason, ask_owner
from pet.tools.tool import Skills, Tool, ToolContext, ToolOutcome, text_property
from pet.tools.tool_arguments import Arguments, string, whole_number
from pet.workspace.edit_match import apply_edit
from pet.workspace.line_diff import merge3
from pet.workspace.text_encoding import normalize_newlines


def redaction_notice(texts: Texts, kinds: Sequence[Kind]) -> str:
    """Return a line for the end of a result; "" if nothing was redacted."""
    if not kinds:
        return ""
    named = texts("tool.and").join(texts(f"tool.secret.{kind}") for kind in kinds)
    return "\n" + texts("tool.left_out", what=named, mark=placeholder(kinds[0]))


_TRIES = 16  # attempts while other programs keep changing the file
_LOG_PATTERN = r"memory/([^/]+/)*[^/]+\.md"  # of logs and notes
SAID_PATTERN = r"conversations/[^/]+\.jsonl"


def _writable(access: Access) -> list[str]:
    return [str(file) for file in CoreFile if FileKind[file.name] in access.writable]


def _writes(access: Access, _skills: Skills) -> bool:
    return bool(_writable(access))


def read_path(access: Access, *more: str) -> dict[str, object]:
    """Return the schema of a path: an enum of readable files, or a pattern with ``more`` patterns if daily logs may
    be read. The model can't name an inaccessible file.
    """
    names = [str(file) for file in CoreFile if FileKind[file.name] in access.readable]
    if FileKind.LOG not in access.readable:
        return {"type": "string", "enum": names}
    dotted = "|".join(name.replace(".", r"\.") for name in names)
    return {"type": "string", "pattern": f"^({'|'.join((dotted, _LOG_PATTERN, *more))})$"}


def _read_properties(access: Access, _texts: Texts, _skills: Skills) -> dict[str, object]:
    return line_range_properties(read_path(access))


def line_range_properties(path: dict[str, object]) -> dict[str, object]:
    """Return the properties that name lines of a file."""
    number = {"type": "integer", "minimum": 1}
    return {"path": path, "from_line": number, "lines": number}


def _write_properties(access: Access, texts: Texts, _skills: Skills) -> dict[str, object]:
    return {
        "path": {"type": "string", "enum": _writable(access)},
        "content": text_property(texts, "tool.write.content"),
    }


def _edit_properties(access: Access, texts: Texts, _skills: Skills) -> dict[str, object]:
    return {
        "path": {"type": "string", "enum": _writable(access)},
        "old_text": text_property(texts, "tool.edit.old_text"),
        "new_text": text_property(texts, "tool.edit.new_text"),
    }


async def _read(context: ToolContext, arguments: Arguments) -> ToolOutcome:
    file = await asyncio.to_thread(context.files.read, string(arguments, "path"))
    first = whole_number(arguments, "from_line") or 1
    count = whole_number(arguments, "lines")
    lines = split(file.text)
    part = "".join(lines[first - 1 : None if count is None else first - 1 + count])
    if not part:
        return ToolOutcome(text=context.texts("tool.read.nothing", file=file.name, lines=len(lines)))
    limit = context.file_characters
    if len(part) > limit:
        shown = part[:limit].count("\n") + first - 1
        part = part[:limit] + "\n" + context.texts("tool.read.cut", line=shown, lines=len(lines))
    elif part == file.text:
        context.seen[file.name] = file.text
    if holds_two_versions(file.text):
        part = f"{part}\n[{context.texts('prompt.guide.two_versions', file=file.name)}]"
    return ToolOutcome(text=part, foreign=in_note(file.name, file.text, first, first + (count or len(lines)) - 1))


def split(text: str) -> list[str]:
    """Split at ``\n`` only, as the prompt's truncation marker counts lines."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


async def _write(context: ToolContext, arguments: Arguments) -> ToolOutcome:
    content = normalize_newlines(string(arguments, "content"))
    if not content.strip():
        raise EmptyContent(file=string(arguments, "path"))
    return await _change(context, _Wanted(path=string(arguments, "path"), content=content))


async def _edit(context: ToolContext, arguments: Arguments) -> ToolOutcome:
    old, new = string(arguments, "old_text"), string(arguments, "new_text")
    if not old:
        raise EmptyQuery(file=string(arguments, "path"))
    return await _change(context, _Wanted(path=string(arguments, "path"), passage=(old, new)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """A requested change: a whole new text, or one passage replaced."""

    path: str
    content: str = ""
    passage: tuple[str, str] | None = None

    def made_from(self, state: Present | Missing, seen: str, *, shown: bool) -> str:
        """Return the file's new text. ``seen``: the text the model knew when it wrote a whole new one.

        Later changes by others are merged. If that fails, raises FileConflict, so that the model reads the file and
        retries; unless the owner is ``shown`` the whole change anyway.
        """
        if self.passage is not None:
            if isinstance(state, Missing):
                raise FileMissing(file=state.name)
            return apply_edit(state.text, *self.passage)
        if isinstance(state, Missing) or normalize_newlines(state.text) == normalize_newlines(seen):
            return self.content
        merged = merge3(normalize_newlines(seen), self.content, normalize_newlines(state.text))
        if merged is None and not shown:
            raise FileConflict(file=state.name)
        return self.content if merged is None else merged

    def known_after(self, seen: str) -> str:
        """Return the text that the model assumes after this is saved."""
        if self.passage is None:
            return self.content
        try:
            return apply_edit(seen, *self.passage)
        except PetError:  # a passage the model has not seen
            return seen


async def _change(context: ToolContext, wanted: _Wanted) -> ToolOutcome:
    """Build the new text from the current file, ask the owner if necessary, and write it.

    If the file changes meanwhile, the change is rebuilt on the new text and shown again; the owner's own edits are
    kept and not redacted.
    """
    name, kind = context.files.check_write(wanted.path)
    owners: tuple[str, str] | None = None
    for _ in range(_TRIES):
        state = await asyncio.to_thread(context.files.current, name)
        before = state.text if isinstance(state, Present) else ""
        base = state.version if isinstance(state, Present) else MISSING
        made = (
            redact(wanted.made_from(state, context.seen_text(name), shown=always_asks(context, kind)), before)
            if owners is None
            else Redacted(text=merge3(*owners, normalize_newlines(before)) or owners[1])
        )
        change = _Change(wanted=wanted, name=name, before=before, base=base, made=made)
        if owners is None:
            await asyncio.to_thread(change.check, context)
        reason, foreign = approval_reason(context, name, kind, before, made.text)
        reason = reason or ("losing_text" if owners else None)
        try:
            if reason is None:
                return _saved(context, change, await _store(context, change))
            shown = change.proposal(reason, foreign)
            decision = await ask_owner(context, shown)
            if decision.edited:
                owners = (shown.before, normalize_newlines(decision.text))
            return await _agreed(context, change, replace(decision, edited=owners is not None))
        except FileConflict:
            continue  # a concurrent write: rebuild the change and ask again
    raise FileConflict(file=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """A new text for a file, with the text and version it is based on."""

    wanted: _Wanted
    name: str
    before: str
    base: Version
    made: Redacted

    def check(self, context: ToolContext) -> None:
        """Raise FileFull or ForgottenText, so that the owner approves nothing in vain."""
        characters = len(self.made.text)
        if characters > context.file_characters and characters > len(self.before):
            raise FileFull(file=self.name, limit=context.file_characters, characters=characters)
        context.files.check_learned(self.name, self.made.text, owner_text=context.message)

    def added(self) -> set[str]:
        """Return the lines that the file did not have."""
        return set(self.made.text.splitlines()) - set(self.before.splitlines())

    def proposal(self, reason: ApprovalReason, foreign: tuple[ForeignSource, ...]) -> Proposal:
        return Proposal(
            id=new_id(),
            file=self.name,
            reason=reason,
            before=normalize_newlines(self.before),
            after=normalize_newlines(self.made.text),
            base=self.base,
            foreign=foreign,
        )


async def _store(context: ToolContext, change: _Change) -> Receipt | None:
    """Write on a worker thread: another program may hold the file's lock."""
    files, name, message = context.files, change.name, context.message
    if change.wanted.passage is not None and not change.made.kinds:
        return await asyncio.to_thread(files.edit, name, *change.wanted.passage, base=change.base, owner_text=message)
    return await asyncio.to_thread(
        files.write, name, normalize_newlines(change.made.text), base=change.base, owner_text=message
    )


async def _agreed(context: ToolContext, change: _Change, decision: Allowed) -> ToolOutcome:
    name = change.name
    approved = f"{context.message}\n{decision.text}"  # the owner has seen every word of it
    receipt = await asyncio.to_thread(context.files.write, name, decision.text, base=change.base, owner_text=approved)
    context.agreed[name] = decision.text
    receipt = _with_noted(receipt, change.before, decision.text)
    if not decision.edited:
        return _saved(context, change, receipt)
    # The pet must know the owner's edited text, not its own proposal.
    context.seen[name] = decision.text
    text = context.texts("tool.saved_as_edited", file=name) + "\n" + decision.text
    return ToolOutcome(text=text, receipt=receipt)


def _saved(context: ToolContext, change: _Change, receipt: Receipt | None) -> ToolOutcome:
    name, kinds = change.name, change.made.kinds
    context.seen[name] = redact(change.wanted.known_after(context.seen_text(name)), change.before).text
    note = redaction_notice(context.texts, kinds)
    if receipt is None:
        return ToolOutcome(text=context.texts("tool.unchanged", file=name) + note)
    text = context.texts("tool.saved", file=name, added=receipt.added, removed=receipt.removed)
    if name != CoreFile.SOUL and any(map(names_reminder, change.added())):
        note = "\n" + context.texts("tool.no_reminder") + note
    shown = receipt if receipt.noted else _with_noted(receipt, change.before, change.made.text)
    return ToolOutcome(text=text + note, receipt=shown and replace(shown, masked=kinds))


def _with_noted(receipt: Receipt | None, before: str, after: str) -> Receipt | None:
    return receipt and replace(receipt, noted=noted_entries(receipt.file, before, after))


def _always(_access: Access, _skills: Skills) -> bool:
    return True


READ = Tool("read", _always, _read_properties, ("path",), _read, varies_by_memory=True, icon="file", saves=False)
WRITE = Tool(
    "write", _writes, _write_properties, ("path", "content"), _write, varies_by_memory=True, icon="pencil", saves=True
)
EDIT = Tool(
    "edit",
    _writes,
    _edit_properties,
    ("path", "old_text", "new_text"),
    _edit,
    varies_by_memory=True,
    icon="pencil",
    saves=True,
)
