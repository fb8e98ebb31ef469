"""``read``, ``write`` and ``edit``: the pet's hands on its own files (PRODUCT §4).

Owns the rules between a call and the store: asking the owner for SOUL.md, asking before much text would be lost,
the prompt limit. Refuses to know paths, locks or histories, which are the store's.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, replace
from typing import Literal

from pet.errors import EmptyContent, EmptyQuery, FileConflict, FileFull, FileMissing, PetError, ToolRefused
from pet.gate import Access, FileKind
from pet.ids import new_id
from pet.model import (
    MISSING,
    Allowed,
    CoreFile,
    Missing,
    Present,
    Proposal,
    Receipt,
    Refused,
    ToolSpec,
    Version,
)
from pet.texts import Texts
from pet.tools.spec import Arguments, Tool, ToolContext, ToolOutcome
from pet.workspace.document import unix
from pet.workspace.edit import apply_edit
from pet.workspace.losing import dropped_share
from pet.workspace.merge import merge3

_TRIES = 16  # until a file that others keep changing is left to them
_LOG_PATTERN = r"memory/[0-9]{4}-[0-9]{2}-[0-9]{2}\.md"


def _writable(access: Access) -> list[str]:
    return [str(file) for file in CoreFile if FileKind[file.name] in access.writable]


def _read_path(access: Access) -> dict[str, object]:
    """An enum, or where daily logs may be read a pattern: the model can't name what it may not touch."""
    names = [str(file) for file in CoreFile if FileKind[file.name] in access.readable]
    if FileKind.LOG not in access.readable:
        return {"type": "string", "enum": names}
    dotted = "|".join(name.replace(".", r"\.") for name in names)
    return {"type": "string", "pattern": f"^({dotted}|{_LOG_PATTERN})$"}


def _schema(properties: dict[str, object], required: list[str]) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _text_property(texts: Texts, key: str) -> dict[str, object]:
    return {"type": "string", "description": texts(key)}


def _describe_read(access: Access, texts: Texts) -> ToolSpec:
    number = {"type": "integer", "minimum": 1}
    properties: dict[str, object] = {"path": _read_path(access), "from_line": number, "lines": number}
    key = "tool.read.on" if access.memory else "tool.read.off"
    return ToolSpec(name="read", description=texts(key), schema=_schema(properties, ["path"]))


def _describe_write(access: Access, texts: Texts) -> ToolSpec:
    properties: dict[str, object] = {
        "path": {"type": "string", "enum": _writable(access)},
        "content": _text_property(texts, "tool.write.content"),
    }
    key = "tool.write.on" if access.memory else "tool.write.off"
    return ToolSpec(name="write", description=texts(key), schema=_schema(properties, ["path", "content"]))


def _describe_edit(access: Access, texts: Texts) -> ToolSpec:
    properties: dict[str, object] = {
        "path": {"type": "string", "enum": _writable(access)},
        "old_text": _text_property(texts, "tool.edit.old_text"),
        "new_text": _text_property(texts, "tool.edit.new_text"),
    }
    key = "tool.edit.on" if access.memory else "tool.edit.off"
    return ToolSpec(name="edit", description=texts(key), schema=_schema(properties, ["path", "old_text", "new_text"]))


async def _read(context: ToolContext, arguments: Arguments) -> ToolOutcome:
    file = await asyncio.to_thread(context.files.read, _string(arguments, "path"))
    first = _number(arguments, "from_line") or 1
    count = _number(arguments, "lines")
    lines = _lines(file.text)
    part = "".join(lines[first - 1 : None if count is None else first - 1 + count])
    if not part:
        return ToolOutcome(text=context.texts("tool.read.nothing", file=file.name, lines=len(lines)))
    limit = context.file_characters
    if len(part) > limit:
        shown = part[:limit].count("\n") + first - 1
        part = part[:limit] + "\n" + context.texts("tool.read.cut", line=shown, lines=len(lines))
    elif part == file.text:
        context.seen[file.name] = file.text
    return ToolOutcome(text=part)


def _lines(text: str) -> list[str]:
    """As the prompt's marker counts them: by line ends alone, not at every character that could break a line."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


async def _write(context: ToolContext, arguments: Arguments) -> ToolOutcome:
    content = unix(_string(arguments, "content"))
    if not content.strip():
        raise EmptyContent(file=_string(arguments, "path"))
    return await _change(context, _Wanted(path=_string(arguments, "path"), content=content))


async def _edit(context: ToolContext, arguments: Arguments) -> ToolOutcome:
    old, new = _string(arguments, "old_text"), _string(arguments, "new_text")
    if not old:
        raise EmptyQuery(file=_string(arguments, "path"))
    return await _change(context, _Wanted(path=_string(arguments, "path"), passage=(old, new)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """What the model asked for: a whole new text, or one passage replaced."""

    path: str
    content: str = ""
    passage: tuple[str, str] | None = None

    def made_from(self, state: Present | Missing, seen: str, *, shown: bool) -> str:
        """The file's new text. ``seen``: the text the model had before it when it wrote a whole new one.

        What others have added since goes along. Where it can't, and the owner is not ``shown`` the whole change
        anyway, that is a FileConflict: the model reads the file and says it anew.
        """
        if self.passage is not None:
            if isinstance(state, Missing):
                raise FileMissing(file=state.name)
            return apply_edit(state.text, *self.passage)
        if isinstance(state, Missing) or unix(state.text) == unix(seen):
            return self.content
        merged = merge3(unix(seen), self.content, unix(state.text))
        if merged is None and not shown:
            raise FileConflict(file=state.name)
        return self.content if merged is None else merged

    def known_after(self, seen: str) -> str:
        """The text the model takes the file to have once this is saved."""
        if self.passage is None:
            return self.content
        try:
            return apply_edit(seen, *self.passage)
        except PetError:  # a passage it has not seen
            return seen


async def _change(context: ToolContext, wanted: _Wanted) -> ToolOutcome:
    """Make the new text from the file as it is, ask the owner where that is due, and write it.

    If the file changed since the owner saw the change, it is made again from the new text and shown again; what
    they had made of it themselves is not lost by that.
    """
    name, kind = context.files.check_write(wanted.path)
    owners: tuple[str, str] | None = None
    for _ in range(_TRIES):
        state = await asyncio.to_thread(context.files.current, name)
        before = state.text if isinstance(state, Present) else ""
        base = state.version if isinstance(state, Present) else MISSING
        asks = kind in context.gate.access().asks_owner
        if owners is None:
            after = wanted.made_from(state, context.seen_text(name), shown=asks)
        else:
            after = merge3(*owners, unix(before)) or owners[1]
        if owners is None and len(after) > context.file_characters and len(after) > len(before):
            raise FileFull(file=name, limit=context.file_characters, characters=len(after))
        reason = _why_ask(context, name, kind, after) or ("losing_text" if owners else None)
        try:
            if reason is None:
                return _saved(context, wanted, name, await _store(context, wanted, name, after, base))
            shown = Proposal(id=new_id(), file=name, reason=reason, before=unix(before), after=unix(after), base=base)
            decision = await context.confirm(shown)
            if isinstance(decision, Refused):
                raise ToolRefused(_refusal(decision), file=name)
            if decision.edited:
                owners = (shown.before, unix(decision.text))
            return await _agreed(context, wanted, name, replace(decision, edited=owners is not None), base)
        except FileConflict:
            continue  # somebody wrote in between: make the change again, and ask again
    raise FileConflict(file=name)


def _why_ask(context: ToolContext, name: str, kind: FileKind, after: str) -> Literal["soul", "losing_text"] | None:
    if kind in context.gate.access().asks_owner:
        return "soul"
    if dropped_share(context.start_text(name), after) > context.losing_share:
        return "losing_text"
    return None


async def _store(context: ToolContext, wanted: _Wanted, name: str, after: str, base: Version) -> Receipt | None:
    """On a thread: a file's lock may be held by another program, and the engine has others to serve."""
    if wanted.passage is not None:
        return await asyncio.to_thread(context.files.edit, name, *wanted.passage, base=base)
    return await asyncio.to_thread(context.files.write, name, unix(after), base=base)


async def _agreed(context: ToolContext, wanted: _Wanted, name: str, decision: Allowed, base: Version) -> ToolOutcome:
    receipt = await asyncio.to_thread(context.files.write, name, decision.text, base=base)
    context.agreed[name] = decision.text
    if not decision.edited:
        return _saved(context, wanted, name, receipt)
    # What the owner made of it is what the pet must know, not what it had proposed (PRODUCT §4.4).
    context.seen[name] = decision.text
    told = context.texts("tool.saved_as_edited", file=name) + "\n" + decision.text
    return ToolOutcome(text=told, receipt=receipt)


def _saved(context: ToolContext, wanted: _Wanted, name: str, receipt: Receipt | None) -> ToolOutcome:
    context.seen[name] = wanted.known_after(context.seen_text(name))
    if receipt is None:
        return ToolOutcome(text=context.texts("tool.unchanged", file=name))
    text = context.texts("tool.saved", file=name, added=receipt.added, removed=receipt.removed)
    return ToolOutcome(text=text, receipt=receipt)


def _refusal(decision: Refused) -> str:
    return {"owner": "owner_refused", "memory_off": "memory_off", "no_terminal": "nobody_to_ask"}.get(
        decision.why, "stopped"
    )


def _string(arguments: Arguments, name: str) -> str:
    value = arguments.get(name)
    return value if isinstance(value, str) else ""


def _number(arguments: Arguments, name: str) -> int | None:
    value = arguments.get(name)
    return value if isinstance(value, int) else None


READ = Tool("read", _describe_read, _read)
WRITE = Tool("write", _describe_write, _write)
EDIT = Tool("edit", _describe_edit, _edit)
