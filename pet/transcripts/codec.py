"""Entries as lines of JSON and back.

``kind`` stands first in each line, so that a scan can pass over lines it has no use for unparsed. Fields that this
version does not know are passed over (the file itself is never rewritten); a line that lacks what its kind must
have raises ValueError, and whoever reads the file counts it as damaged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import StrEnum
from typing import Any, TypeVar, cast, get_args

from pet.events import ErrorInfo
from pet.model import (
    Attachment,
    Author,
    ContextPart,
    OpaquePart,
    Receipt,
    ReplyPart,
    StopReason,
    TextPart,
    ToolCallPart,
    TurnEnd,
    Usage,
    UsedMemory,
)
from pet.transcripts.entries import (
    Compacted,
    ContextFound,
    EarlierDropped,
    Entry,
    Header,
    MemorySet,
    PartialSaid,
    PetOpened,
    RoundSaid,
    TitleSet,
    ToolDone,
    TurnClosed,
    TurnKind,
    TurnsRemoved,
    Unknown,
    UserSaid,
)

_KINDS: Mapping[type, str] = {
    Header: "header",
    MemorySet: "memory_set",
    TitleSet: "title_set",
    PetOpened: "pet_opened",
    UserSaid: "user_said",
    PartialSaid: "partial_said",
    RoundSaid: "round_said",
    ToolDone: "tool_done",
    TurnClosed: "turn_closed",
    EarlierDropped: "earlier_dropped",
    ContextFound: "context_found",
    Compacted: "compacted",
    TurnsRemoved: "turns_removed",
}
_PARTS: Mapping[type, str] = {TextPart: "text", OpaquePart: "opaque", ToolCallPart: "tool_call"}

T = TypeVar("T")

_TURN_KINDS = frozenset(get_args(TurnKind))
_STOPS = {each.value: each for each in StopReason}
_ENDS = {each.value: each for each in TurnEnd}
_object_at = json.JSONDecoder().raw_decode

Data = Mapping[str, object]


def encode(entry: Entry) -> str:
    """The entry's line, without its line end."""
    if isinstance(entry, Unknown):
        return entry.line
    data = {"kind": _KINDS[type(entry)], **_fields(entry)}
    line = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    try:
        line.encode()
    except UnicodeEncodeError:  # half a surrogate pair, of a model's or a clipboard's making: kept as an escape
        line = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return line


def decode(line: str) -> Entry:
    """The entry a line stands for. Raises ValueError if it stands for none."""
    data = _value_of(line)
    if not isinstance(data, dict):
        raise ValueError("not an object")
    kind = _text(data, "kind")
    reader = _READERS.get(kind)
    if reader is None:
        return Unknown(id=str(data.get("id", "")), at=_text(data, "at"), kind=kind, line=line)
    return reader(data)


def _value_of(line: str) -> object:
    """What the JSON says. Our own lines have no white space around and are read at half the price of the others."""
    try:
        try:
            value, end = _object_at(line)
        except ValueError:
            end = -1
        return value if end == len(line) else json.loads(line)
    except RecursionError:
        raise ValueError("nested too deep") from None


def prefix(kind: type) -> bytes:
    """How each line of this kind begins."""
    return f'{{"kind":"{_KINDS[kind]}",'.encode()


# --- out ----------------------------------------------------------------------------------------


def _fields(value: Any) -> dict[str, object]:
    return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}


def _plain(value: object) -> object:
    match value:
        case StrEnum():
            return value.value
        case OpaquePart():
            return {"type": "opaque", "raw": value.raw}
        case TextPart() | ToolCallPart():
            return {"type": _PARTS[type(value)], **_fields(value)}
        case ContextPart() | Usage() | UsedMemory() | Receipt() | ErrorInfo() | Attachment():
            return _fields(value)
        case tuple() | list():
            return [_plain(item) for item in value]
        case _:
            return value


# --- in -----------------------------------------------------------------------------------------


def _text(data: Data, name: str) -> str:
    value = data.get(name)
    if not isinstance(value, str):
        raise ValueError(name)
    return value


def _text_or_none(data: Data, name: str) -> str | None:
    return None if data.get(name) is None else _text(data, name)


def _texts(data: Data, name: str) -> tuple[str, ...]:
    value = data.get(name, [])
    if not isinstance(value, list):
        raise ValueError(name)
    return tuple(item for item in value if isinstance(item, str))


def _int(data: Data, name: str, default: int | None = None) -> int:
    value = data.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(name)
    return value


def _flag(data: Data, name: str, default: bool | None = None) -> bool:
    value = data.get(name, default)
    if not isinstance(value, bool):
        raise ValueError(name)
    return value


def _object(value: object) -> Data:
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def _list(data: Data, name: str) -> list[Data]:
    value = data.get(name, [])
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ValueError(name)
    return value


def _known(names: Mapping[str, T], data: Data, name: str) -> T:
    """The member of this name; a table, since asking an enum takes three times as long."""
    found = names.get(_text(data, name))
    if found is None:
        raise ValueError(name)
    return found


def _header(data: Data) -> Header:
    return Header(
        id=_text(data, "id"),
        at=_text(data, "at"),
        version=_int(data, "version"),
        conversation=_text(data, "conversation"),
        machine=_text(data, "machine"),
    )


def _memory_set(data: Data) -> MemorySet:
    return MemorySet(id=_text(data, "id"), at=_text(data, "at"), memory=_flag(data, "memory"))


def _title_set(data: Data) -> TitleSet:
    return TitleSet(id=_text(data, "id"), at=_text(data, "at"), title=_text(data, "title"))


def _pet_opened(data: Data) -> PetOpened:
    about = _text_or_none(data, "about") or ""
    return PetOpened(id=_text(data, "id"), at=_text(data, "at"), text=_text(data, "text"), about=about)


def _user_said(data: Data) -> UserSaid:
    kind = data.get("turn_kind", "message")
    if kind not in _TURN_KINDS:
        raise ValueError("turn_kind")
    return UserSaid(
        id=_text(data, "id"),
        at=_text(data, "at"),
        turn=_text(data, "turn"),
        text=_text(data, "text"),
        context=tuple([_context(part) for part in _list(data, "context")]),
        memory=_flag(data, "memory", True),  # whoever does not say it is masked as if it had been on
        turn_kind=cast("TurnKind", kind),
        supersedes=_text_or_none(data, "supersedes"),
        attachments=tuple([made for each in _list(data, "attachments") if (made := _attachment(each))]),
    )


def _attachment(data: Data) -> Attachment | None:
    """None for one of a kind that only a later version knows: the message is there all the same."""
    kind = data.get("kind")
    if kind not in ("image/png", "image/jpeg", "text/plain"):
        return None
    return Attachment(
        id=_text(data, "id"),
        kind=kind,
        name=_text(data, "name"),
        width=_int(data, "width"),
        height=_int(data, "height"),
        bytes=_int(data, "bytes"),
    )


def _context(data: Data) -> ContextPart:
    kind = _text(data, "kind")
    gated = _flag(data, "gated", True)
    match kind:
        case "time":
            return ContextPart(kind="time", text=_text(data, "text"), gated=gated)
        case "recall" | "recent_days":  # out of gated files by what they are, whatever the line says
            return ContextPart(kind=kind, text=_text(data, "text"), gated=True)
        case _:
            raise ValueError("kind of context")


def _partial_said(data: Data) -> PartialSaid:
    return PartialSaid(
        id=_text(data, "id"),
        at=_text(data, "at"),
        turn=_text(data, "turn"),
        round=_int(data, "round"),
        text=_text(data, "text"),
        off=_flag(data, "off", False),
    )


def _round_said(data: Data) -> RoundSaid:
    return RoundSaid(
        id=_text(data, "id"),
        at=_text(data, "at"),
        turn=_text(data, "turn"),
        round=_int(data, "round"),
        parts=tuple([_part(part) for part in _list(data, "parts")]),
        stop=_known(_STOPS, data, "stop"),
        usage=_usage(_object(data.get("usage", {}))),
        model=_text(data, "model"),
        off=_flag(data, "off", False),
    )


def _part(data: Data) -> ReplyPart:
    match data.get("type"):
        case "text":
            return TextPart(text=_text(data, "text"))
        case "opaque":
            return OpaquePart(raw=_object(data.get("raw")))
        case "tool_call":
            return ToolCallPart(id=_text(data, "id"), name=_text(data, "name"), arguments=_text(data, "arguments"))
        case _:
            raise ValueError("type of part")


def _usage(data: Data) -> Usage:
    return Usage(**{name: _int(data, name) for name in _USAGE_FIELDS if data.get(name) is not None})


def _tool_done(data: Data) -> ToolDone:
    error, receipt = data.get("error"), data.get("receipt")
    return ToolDone(
        id=_text(data, "id"),
        at=_text(data, "at"),
        turn=_text(data, "turn"),
        round=_int(data, "round"),
        call_id=_text(data, "call_id"),
        tool=_text(data, "tool"),
        file=_text_or_none(data, "file"),
        text=_text(data, "text"),
        is_error=_flag(data, "is_error"),
        error=None if error is None else _error(_object(error)),
        receipt=None if receipt is None else _receipt(_object(receipt)),
    )


def _error(data: Data) -> ErrorInfo:
    args = _object(data.get("args", {}))
    return ErrorInfo(
        code=_text(data, "code"),
        args={name: value for name, value in args.items() if isinstance(value, str | int | float)},
        retryable=_flag(data, "retryable", False),
    )


def _receipt(data: Data) -> Receipt:
    return Receipt(
        file=_text(data, "file"),
        history_id=_text(data, "history_id"),
        before=_text(data, "before"),
        after=_text(data, "after"),
        added=_int(data, "added"),
        removed=_int(data, "removed"),
        author=Author(_text(data, "author")),
        merged=_flag(data, "merged", False),
        masked=_texts(data, "masked"),
    )


def _turn_closed(data: Data) -> TurnClosed:
    error = data.get("error")
    return TurnClosed(
        id=_text(data, "id"),
        at=_text(data, "at"),
        turn=_text(data, "turn"),
        end=_known(_ENDS, data, "end"),
        error=None if error is None else _error(_object(error)),
        round=_int(data, "round", 0),
        cut_text=_text(data, "cut_text"),
        off=_flag(data, "off", False),
    )


def _earlier_dropped(data: Data) -> EarlierDropped:
    return EarlierDropped(id=_text(data, "id"), at=_text(data, "at"))


def _context_found(data: Data) -> ContextFound:
    return ContextFound(
        id=_text(data, "id"),
        at=_text(data, "at"),
        turn=_text(data, "turn"),
        context=tuple(_context(part) for part in _list(data, "context")),
        used=tuple(_used(each) for each in _list(data, "used")),
    )


def _used(data: Data) -> UsedMemory:
    return UsedMemory(
        path=_text(data, "path"),
        start_line=_int(data, "start_line"),
        end_line=_int(data, "end_line"),
        source=_text(data, "source"),
        snippet=_text(data, "snippet"),
        turn=_text_or_none(data, "turn"),
    )


def _compacted(data: Data) -> Compacted:
    return Compacted(
        id=_text(data, "id"),
        at=_text(data, "at"),
        upto=_text(data, "upto"),
        memory=_flag(data, "memory", True),  # whoever does not say it is left out while the brain is off
        text=_text(data, "text"),
        usage=_usage(_object(data.get("usage", {}))),
        without=_texts(data, "without"),
    )


def _turns_removed(data: Data) -> TurnsRemoved:
    return TurnsRemoved(
        id=_text(data, "id"),
        at=_text(data, "at"),
        turns=_texts(data, "turns"),
        removed=_flag(data, "removed"),
    )


_USAGE_FIELDS = tuple(field.name for field in fields(Usage))
_READERS: Mapping[str, Callable[[Data], Entry]] = {
    "header": _header,
    "memory_set": _memory_set,
    "title_set": _title_set,
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
}
