"""Encode and decode transcript entries as JSON lines.

``kind`` comes first in each line, so that a scan can skip irrelevant lines without parsing. Unknown fields are
ignored on reading (the file itself is never rewritten); a line that lacks a required field raises ValueError
(``checked``), and readers count it as damaged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import StrEnum
from typing import Any, cast, get_args

from pet.events import ErrorInfo
from pet.model import (
    Attachment,
    Author,
    ContextPart,
    ModelChoice,
    NotedText,
    OpaquePart,
    Receipt,
    ReplyPart,
    StopReason,
    TextPart,
    ToolCallPart,
    TurnEnd,
    TurnKind,
    Usage,
    UsedMemory,
)
from pet.outside_data import MAX_STORED_DEPTH, read_json, require_depth
from pet.transcripts.entries import (
    Compacted,
    ContextCleared,
    ContextFound,
    Entry,
    Header,
    MemorySet,
    ModelChosen,
    OpenerAsked,
    PartialReply,
    ReceiptChanged,
    ReceiptState,
    RoundCompleted,
    TitleSet,
    ToolCompleted,
    TurnFinished,
    TurnsRemoved,
    Unknown,
    UserMessage,
    VariantChosen,
)
from pet.transcripts.json_fields import (
    Data,
    as_object,
    flag_of,
    int_of,
    known_of,
    list_of,
    optional_text,
    text_of,
    texts_of,
)

_KINDS: Mapping[type, str] = {
    Header: "header",
    MemorySet: "memory_set",
    TitleSet: "title_set",
    ModelChosen: "model_chosen",
    OpenerAsked: "pet_opened",
    UserMessage: "user_said",
    PartialReply: "partial_said",
    RoundCompleted: "round_said",
    ToolCompleted: "tool_done",
    TurnFinished: "turn_closed",
    ContextCleared: "earlier_dropped",
    ContextFound: "context_found",
    Compacted: "compacted",
    TurnsRemoved: "turns_removed",
    VariantChosen: "variant_chosen",
    ReceiptChanged: "receipt_changed",
}
_PARTS: Mapping[type, str] = {TextPart: "text", OpaquePart: "opaque", ToolCallPart: "tool_call"}

_TURN_KINDS = frozenset(get_args(TurnKind))
_RECEIPT_STATES = frozenset(get_args(ReceiptState))
_STOPS = {each.value: each for each in StopReason}
_ENDS = {each.value: each for each in TurnEnd}
_object_at = json.JSONDecoder().raw_decode


def encode(entry: Entry) -> str:
    """Return the entry's line without its line end."""
    if isinstance(entry, Unknown):
        return entry.line
    data = {"kind": _KINDS[type(entry)], **_fields(entry)}
    line = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    try:
        line.encode()
    except UnicodeEncodeError:  # an unpaired surrogate from a model or the clipboard: kept as an escape
        line = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return line


def decode(line: str) -> Entry:
    """Return the entry of a line. Raises ValueError if it is not one."""
    data = _value_of(line)
    if not isinstance(data, dict):
        raise ValueError("not an object")
    kind = text_of(data, "kind")
    reader = _READERS.get(kind)
    if reader is None:
        return Unknown(id=str(data.get("id", "")), at=text_of(data, "at"), kind=kind, line=line)
    return reader(data)


def _value_of(line: str) -> object:
    """Parse the JSON. Our own lines have no surrounding white space, which halves the cost of reading them."""
    require_depth(line, MAX_STORED_DEPTH)
    try:
        try:
            value, end = _object_at(line)
        except ValueError:
            end = -1
        return value if end == len(line) else read_json(line, depth=MAX_STORED_DEPTH)
    except RecursionError:
        raise ValueError("nested too deep") from None


def prefix(kind: type) -> bytes:
    """Return the bytes every line of this kind begins with."""
    return f'{{"kind":"{_KINDS[kind]}",'.encode()


# --- out ----------------------------------------------------------------------------------------


def _fields(value: Any) -> dict[str, object]:
    made = {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, RoundCompleted | Compacted) and not value.local:
        del made["local"]
    if isinstance(value, MemorySet | UserMessage | RoundCompleted) and not made.pop("read_only"):
        return made
    if isinstance(value, MemorySet | UserMessage):
        return made | {"read_only": True}
    if isinstance(value, RoundCompleted):
        said = tuple(part for part in value.parts if isinstance(part, TextPart))
        return made | {"parts": _plain(said), "gated_parts": made["parts"]}
    return made


def _plain(value: object) -> object:
    match value:
        case StrEnum():
            return value.value
        case OpaquePart():
            return {"type": "opaque", "raw": value.raw}
        case TextPart() | ToolCallPart():
            return {"type": _PARTS[type(value)], **_fields(value)}
        case (
            ContextPart()
            | Usage()
            | UsedMemory()
            | Receipt()
            | NotedText()
            | ErrorInfo()
            | ModelChoice()
            | Attachment()
        ):
            return _fields(value)
        case tuple() | list():
            return [_plain(item) for item in value]
        case _:
            return value


# --- in -----------------------------------------------------------------------------------------


def _header(data: Data) -> Header:
    return Header(
        id=text_of(data, "id"),
        at=text_of(data, "at"),
        version=int_of(data, "version"),
        conversation=text_of(data, "conversation"),
        machine=text_of(data, "machine"),
    )


def _memory_set(data: Data) -> MemorySet:
    return MemorySet(
        id=text_of(data, "id"),
        at=text_of(data, "at"),
        memory=flag_of(data, "memory"),
        read_only=flag_of(data, "read_only", False),
    )


def _title_set(data: Data) -> TitleSet:
    return TitleSet(id=text_of(data, "id"), at=text_of(data, "at"), title=text_of(data, "title"))


def _model_chosen(data: Data) -> ModelChosen:
    chosen = None if data.get("choice") is None else as_object(data["choice"])
    choice = chosen and ModelChoice(
        **{name: text_of(chosen, name) for name in ("connection", "model", "origin", "name")}
    )
    return ModelChosen(id=text_of(data, "id"), at=text_of(data, "at"), choice=choice or None)


def _pet_opened(data: Data) -> OpenerAsked:
    about = optional_text(data, "about") or ""
    return OpenerAsked(id=text_of(data, "id"), at=text_of(data, "at"), text=text_of(data, "text"), about=about)


def _user_said(data: Data) -> UserMessage:
    kind = data.get("turn_kind", "message")
    if kind not in _TURN_KINDS:
        raise ValueError("turn_kind")
    return UserMessage(
        id=text_of(data, "id"),
        at=text_of(data, "at"),
        turn=text_of(data, "turn"),
        text=text_of(data, "text"),
        context=tuple([_context(part) for part in list_of(data, "context")]),
        memory=flag_of(data, "memory", True),  # default if missing: redacted as if memory had been on
        turn_kind=cast("TurnKind", kind),
        supersedes=optional_text(data, "supersedes"),
        attachments=tuple([made for each in list_of(data, "attachments") if (made := _attachment(each))]),
        read_only=flag_of(data, "read_only", False),
    )


def _attachment(data: Data) -> Attachment | None:
    """None for a kind that only a later version knows: the message itself is kept."""
    kind = data.get("kind")
    if kind not in ("image/png", "image/jpeg", "text/plain"):
        return None
    return Attachment(
        id=text_of(data, "id"),
        kind=kind,
        name=text_of(data, "name"),
        width=int_of(data, "width"),
        height=int_of(data, "height"),
        bytes=int_of(data, "bytes"),
    )


def _context(data: Data) -> ContextPart:
    kind = text_of(data, "kind")
    gated = flag_of(data, "gated", True)
    match kind:
        case "time":
            return ContextPart(kind="time", text=text_of(data, "text"), gated=gated)
        case "recall" | "recent_days":  # gated content by its kind, whatever the line says
            return ContextPart(kind=kind, text=text_of(data, "text"), gated=True)
        case _:
            raise ValueError("kind of context")


def _partial_said(data: Data) -> PartialReply:
    return PartialReply(
        id=text_of(data, "id"),
        at=text_of(data, "at"),
        turn=text_of(data, "turn"),
        round=int_of(data, "round"),
        text=text_of(data, "text"),
        off=flag_of(data, "off", False),
    )


def _round_said(data: Data) -> RoundCompleted:
    return RoundCompleted(
        id=text_of(data, "id"),
        at=text_of(data, "at"),
        turn=text_of(data, "turn"),
        round=int_of(data, "round"),
        parts=tuple([_part(part) for part in list_of(data, "gated_parts" if "gated_parts" in data else "parts")]),
        stop=known_of(_STOPS, data, "stop"),
        usage=_usage(as_object(data.get("usage", {}))),
        model=text_of(data, "model"),
        off=flag_of(data, "off", False),
        read_only="gated_parts" in data,
        local=flag_of(data, "local", False),
    )


def _part(data: Data) -> ReplyPart:
    match data.get("type"):
        case "text":
            return TextPart(text=text_of(data, "text"))
        case "opaque":
            return OpaquePart(raw=as_object(data.get("raw")))
        case "tool_call":
            return ToolCallPart(
                id=text_of(data, "id"), name=text_of(data, "name"), arguments=text_of(data, "arguments")
            )
        case _:
            raise ValueError("type of part")


def _usage(data: Data) -> Usage:
    return Usage(**{name: int_of(data, name) for name in _USAGE_FIELDS if data.get(name) is not None})


def _tool_done(data: Data) -> ToolCompleted:
    error, receipt = data.get("error"), data.get("receipt")
    return ToolCompleted(
        id=text_of(data, "id"),
        at=text_of(data, "at"),
        turn=text_of(data, "turn"),
        round=int_of(data, "round"),
        call_id=text_of(data, "call_id"),
        tool=text_of(data, "tool"),
        file=optional_text(data, "file"),
        text=text_of(data, "text"),
        is_error=flag_of(data, "is_error"),
        error=None if error is None else _error(as_object(error)),
        receipt=None if receipt is None else _receipt(as_object(receipt)),
    )


def _error(data: Data) -> ErrorInfo:
    args = as_object(data.get("args", {}))
    return ErrorInfo(
        code=text_of(data, "code"),
        args={name: value for name, value in args.items() if isinstance(value, str | int | float)},
        retryable=flag_of(data, "retryable", False),
    )


def _receipt(data: Data) -> Receipt:
    return Receipt(
        file=text_of(data, "file"),
        history_id=text_of(data, "history_id"),
        before=text_of(data, "before"),
        after=text_of(data, "after"),
        added=int_of(data, "added"),
        removed=int_of(data, "removed"),
        author=Author(text_of(data, "author")),
        merged=flag_of(data, "merged", False),
        masked=texts_of(data, "masked"),
        noted=_noted(data.get("noted")),
    )


def _noted(data: object) -> tuple[NotedText, ...]:
    """For display only: damaged items are skipped."""
    items = [as_object(item) for item in data if isinstance(item, dict)] if isinstance(data, list) else []
    return tuple(
        NotedText(
            **{"text": str(item["text"]), **{name: str(item.get(name, "")) for name in ("due", "at", "repeats")}}
        )
        for item in items
        if isinstance(item.get("text"), str)
    )


def _turn_closed(data: Data) -> TurnFinished:
    error = data.get("error")
    return TurnFinished(
        id=text_of(data, "id"),
        at=text_of(data, "at"),
        turn=text_of(data, "turn"),
        end=known_of(_ENDS, data, "end"),
        error=None if error is None else _error(as_object(error)),
        round=int_of(data, "round", 0),
        cut_text=text_of(data, "cut_text"),
        off=flag_of(data, "off", False),
    )


def _earlier_dropped(data: Data) -> ContextCleared:
    return ContextCleared(id=text_of(data, "id"), at=text_of(data, "at"))


def _context_found(data: Data) -> ContextFound:
    return ContextFound(
        id=text_of(data, "id"),
        at=text_of(data, "at"),
        turn=text_of(data, "turn"),
        context=tuple(_context(part) for part in list_of(data, "context")),
        used=tuple(_used(each) for each in list_of(data, "used")),
    )


def _used(data: Data) -> UsedMemory:
    return UsedMemory(
        path=text_of(data, "path"),
        start_line=int_of(data, "start_line"),
        end_line=int_of(data, "end_line"),
        source=text_of(data, "source"),
        snippet=text_of(data, "snippet"),
        turn=optional_text(data, "turn"),
        sure=data.get("sure") is not False,
    )


def _compacted(data: Data) -> Compacted:
    return Compacted(
        id=text_of(data, "id"),
        at=text_of(data, "at"),
        upto=text_of(data, "upto"),
        memory=flag_of(data, "memory", True),  # default if missing: left out while memory is off
        text=text_of(data, "text"),
        usage=_usage(as_object(data.get("usage", {}))),
        without=texts_of(data, "without"),
        local=flag_of(data, "local", False),
    )


def _turns_removed(data: Data) -> TurnsRemoved:
    return TurnsRemoved(
        id=text_of(data, "id"),
        at=text_of(data, "at"),
        turns=texts_of(data, "turns"),
        removed=flag_of(data, "removed"),
    )


def _variant_chosen(data: Data) -> VariantChosen:
    return VariantChosen(id=text_of(data, "id"), at=text_of(data, "at"), turn=text_of(data, "turn"))


def _receipt_changed(data: Data) -> ReceiptChanged:
    state, receipt = data.get("state"), data.get("receipt")
    if state not in _RECEIPT_STATES:
        raise ValueError("state")
    return ReceiptChanged(
        id=text_of(data, "id"),
        at=text_of(data, "at"),
        turn=text_of(data, "turn"),
        done=text_of(data, "done"),
        state=cast("ReceiptState", state),
        receipt=None if receipt is None else _receipt(as_object(receipt)),
    )


_USAGE_FIELDS = tuple(field.name for field in fields(Usage))
_READERS: Mapping[str, Callable[[Data], Entry]] = {
    "header": _header,
    "memory_set": _memory_set,
    "title_set": _title_set,
    "model_chosen": _model_chosen,
    "pet_opened": _pet_opened,
    "user_said": _user_said,
    "partial_said": _partial_said,
    "round_said": _round_said,
    "tool_done": _tool_done,
    "turn_closed": _turn_closed,
    "earlier_dropped": _earlier_dropped,
    "context_found": _context_found,
    "compacted": _compacted,
    "turns_removed": _turns_removed,
    "variant_chosen": _variant_chosen,
    "receipt_changed": _receipt_changed,
}
