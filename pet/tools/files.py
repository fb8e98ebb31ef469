"""``read``, ``write`` and ``edit``: the pet's hands on its own files (PRODUCT §4).

Owns the rules between a call and the store: asking the owner for SOUL.md, asking before much text would be lost,
the prompt limit. Refuses to know paths, locks or histories, which are the store's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from pet.errors import EmptyContent, EmptyQuery, FileConflict, FileFull, FileMissing, ToolRefused
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
    file = context.files.read(_string(arguments, "path"))
    first = _number(arguments, "from_line") or 1
    count = _number(arguments, "lines")
    lines = file.text.splitlines(keepends=True)
    if count is None and first == 1:
        part = file.text
    else:
        part = "".join(lines[first - 1 : None if count is None else first - 1 + count])
    if not part:
        return ToolOutcome(text=context.texts("tool.read.nothing", file=file.name, lines=len(lines)))
    limit = context.file_characters
    if len(part) > limit:
        shown = part[:limit].count("\n") + first - 1
        part = part[:limit] + "\n" + context.texts("tool.read.cut", line=shown, lines=len(lines))
    return ToolOutcome(text=part)


async def _write(context: ToolContext, arguments: Arguments) -> ToolOutcome:
    content = unix(_string(arguments, "content"))
    if not content.strip():
        raise EmptyContent(file=_string(arguments, "path"))
    return await _change(context, _string(arguments, "path"), lambda _state: content)


async def _edit(context: ToolContext, arguments: Arguments) -> ToolOutcome:
    old, new = _string(arguments, "old_text"), _string(arguments, "new_text")
    if not old:
        raise EmptyQuery(file=_string(arguments, "path"))

    def apply(state: Present | Missing) -> str:
        if isinstance(state, Missing):
            raise FileMissing(file=state.name)
        return apply_edit(state.text, old, new)

    return await _change(context, _string(arguments, "path"), apply, passage=(old, new))


async def _change(
    context: ToolContext,
    path: str,
    make: Callable[[Present | Missing], str],
    passage: tuple[str, str] | None = None,
) -> ToolOutcome:
    """Make the new text from the file as it is, ask the owner where that is due, and write it.

    If the file changed since the owner saw the change, it is made again from the new text and shown again.
    """
    name, kind = context.files.check_write(path)
    while True:
        state = context.files.current(name)
        before = state.text if isinstance(state, Present) else ""
        base = state.version if isinstance(state, Present) else MISSING
        after = make(state)
        if len(after) > context.file_characters and len(after) > len(before):
            raise FileFull(file=name, limit=context.file_characters, characters=len(after))
        reason = _why_ask(context, name, kind, after)
        try:
            if reason is None:
                return _saved(context, name, _store(context, name, after, base, passage))
            shown = Proposal(id=new_id(), file=name, reason=reason, before=unix(before), after=unix(after), base=base)
            decision = await context.confirm(shown)
            if isinstance(decision, Refused):
                raise ToolRefused(_refusal(decision), file=name)
            return _agreed(context, name, decision, base)
        except FileConflict:
            continue  # somebody wrote in between: make the change again, and ask again


def _why_ask(context: ToolContext, name: str, kind: FileKind, after: str) -> Literal["soul", "losing_text"] | None:
    if kind in context.gate.access().asks_owner:
        return "soul"
    if dropped_share(context.start_text(name), after) > context.losing_share:
        return "losing_text"
    return None


def _store(
    context: ToolContext, name: str, after: str, base: Version, passage: tuple[str, str] | None
) -> Receipt | None:
    if passage is not None:
        return context.files.edit(name, *passage, base=base)
    return context.files.write(name, unix(after), base=base)


def _agreed(context: ToolContext, name: str, decision: Allowed, base: Version) -> ToolOutcome:
    receipt = context.files.write(name, decision.text, base=base)
    context.agreed[name] = decision.text
    if not decision.edited:
        return _saved(context, name, receipt)
    # What the owner made of it is what the pet must know, not what it had proposed (PRODUCT §4.4).
    told = context.texts("tool.saved_as_edited", file=name) + "\n" + decision.text
    return ToolOutcome(text=told, receipt=receipt)


def _saved(context: ToolContext, name: str, receipt: Receipt | None) -> ToolOutcome:
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
