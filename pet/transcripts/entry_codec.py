"""Encode and decode transcript entries as JSON lines.

``kind`` comes first in each line, so that a scan can skip irrelevant lines without parsing. Unknown fields are
ignored on reading (the file itself is never rewritten); a line without a required field raises ValueError, and
readers count it as damaged. Fields are read by the entries' type hints (``pet.serde``).

``mark``, second in a line, is a checksum of its kind and its ``id``, which comes last: where the bytes between two
lines went, what is left of both may be one valid line, and a mode of the one would count for the text of the other.
Lines of earlier versions have no mark, and their id second.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from functools import partial
from sys import intern
from zlib import crc32

from pet.events import ErrorInfo
from pet.model import Attachment, ContextPart, NotedText, OpaquePart, ReplyPart, TextPart, ToolCallPart, UsedMemory
from pet.serde import FILE_SCALARS, BadValue, Data, Reader, fields_of, read_text
from pet.transcripts.entries import (
    Compacted,
    ContextCleared,
    ContextFound,
    ForeignAllowed,
    Header,
    MemorySet,
    ModelSet,
    OpenerAsked,
    PartialReply,
    ReceiptChanged,
    RoundCompleted,
    SwitchSet,
    TitleSet,
    ToolCompleted,
    TranscriptEntry,
    TurnFinished,
    TurnsRemovedSet,
    Unknown,
    UserMessage,
    VariantSet,
)
from pet.untrusted.parsers import MAX_STORED_DEPTH, read_json, require_depth

_KINDS: Mapping[type, str] = {
    Header: "header",
    MemorySet: "memory_set",
    TitleSet: "title_set",
    ModelSet: "model_chosen",
    SwitchSet: "switch_set",
    OpenerAsked: "pet_opened",
    UserMessage: "user_said",
    PartialReply: "partial_said",
    RoundCompleted: "round_said",
    ToolCompleted: "tool_done",
    TurnFinished: "turn_closed",
    ContextCleared: "earlier_dropped",
    ContextFound: "context_found",
    Compacted: "compacted",
    TurnsRemovedSet: "turns_removed",
    VariantSet: "variant_chosen",
    ForeignAllowed: "foreign_allowed",
    ReceiptChanged: "receipt_changed",
}
_PARTS: Mapping[type, str] = {TextPart: "text", OpaquePart: "opaque", ToolCallPart: "tool_call"}

_SHARED = ("turn", "model", "tool", "file")
"""Fields with the same text in many entries, which is kept once."""

_object_at = json.JSONDecoder().raw_decode


def encode_entry(entry: TranscriptEntry) -> str:
    """Return the entry's line without its line end."""
    if isinstance(entry, Unknown):
        return entry.line
    kind = _KINDS[type(entry)]
    data = {"kind": kind, "mark": _mark(kind, entry.id), **_data_of(entry)}
    data["id"] = data.pop("id")  # last
    line = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    try:
        line.encode()
    except UnicodeEncodeError:  # an unpaired surrogate from a model or the clipboard: kept as an escape
        line = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return line


def _mark(kind: object, id_: object) -> str:
    return f"{crc32(f'{kind} {id_}'.encode('utf-8', 'surrogatepass')):08x}"


def decode_entry(line: str) -> TranscriptEntry:
    """Return the entry of a line. Raises ValueError if it is invalid."""
    data = _value_of(line)
    if not isinstance(data, dict):
        raise ValueError("not an object")
    if _may_be_two(line, data) and _repeats_key(line):
        raise ValueError("two lines in one")
    for name in _SHARED:
        value = data.get(name)
        if isinstance(value, str):
            data[name] = intern(value)
    kind = read_text(data.get("kind"))
    reader = _READERS.get(kind)
    if reader is None:
        return Unknown(id=str(data.get("id", "")), at=read_text(data.get("at")), kind=kind, line=line)
    return reader(data)


def decode_lines(lines: Iterable[bytes], starts: tuple[bytes, ...]) -> Iterator[tuple[bytes, TranscriptEntry]]:
    """Yield the lines that begin so, with their entries; invalid ones are left out."""
    for line in lines:
        if line.startswith(starts):
            with suppress(ValueError):
                yield line, decode_entry(line.decode())


def _value_of(line: str) -> object:
    """Parse the JSON. Lines without surrounding white space, as all of ours are, take half the time."""
    require_depth(line, MAX_STORED_DEPTH)
    try:
        try:
            value, end = _object_at(line)
        except ValueError:
            end = -1
        return value if end == len(line) else read_json(line, depth=MAX_STORED_DEPTH)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _may_be_two(line: str, data: Data) -> bool:
    """Raises ValueError for what a mark shows to be two."""
    kind, id_ = data.get("kind"), data.get("id")
    if "mark" in data and data["mark"] != _mark(kind, id_):
        raise ValueError("two lines in one")
    if "mark" not in data and not line.startswith(f'{{"kind":"{kind}","id":"{id_}",'):
        return True
    return line.count('"at":') > 1 or line.count('"turn":') > 1


def _repeats_key(line: str) -> bool:
    """Return whether the outermost object has a key twice: the rest of a line and that of another, of which a mode
    would count for the text of both."""
    sizes: list[tuple[int, int]] = []

    def note(pairs: list[tuple[str, object]]) -> object:
        sizes.append((len(pairs), len(dict(pairs))))
        return dict(pairs)

    read_json(line, depth=MAX_STORED_DEPTH, object_pairs_hook=note)
    return sizes[-1][0] > sizes[-1][1]


def may_be_switch(line: bytes) -> bool:
    """Return whether the torn beginning of a line may be that of a memory switch."""
    start = prefix(MemorySet)
    return start in line or start.startswith(line)


def prefix(kind: type) -> bytes:
    """Return the bytes with which every line of this kind begins."""
    return f'{{"kind":"{_KINDS[kind]}",'.encode()


# --- out ----------------------------------------------------------------------------------------


def _data_of(entry: TranscriptEntry) -> Data:
    data = fields_of(entry)
    if isinstance(entry, MemorySet) and not entry.unreadable:
        del data["unreadable"]
    if isinstance(entry, RoundCompleted | Compacted) and not entry.local:
        del data["local"]
    if isinstance(entry, UserMessage):
        data["attachments"] = list(map(_attachment_data, entry.attachments))
        if not entry.memory_files:
            del data["memory_files"]
        if entry.foreign is None:
            del data["foreign"]
    if isinstance(entry, TurnsRemovedSet) and not entry.messages:
        del data["messages"]
    if isinstance(entry, ToolCompleted) and not entry.pictures:
        del data["pictures"]
    if isinstance(entry, ContextFound | ToolCompleted) and not entry.foreign:
        del data["foreign"]
    if isinstance(entry, ContextFound):
        data["used"] = list(map(_used_data, entry.used))
    receipt = data.get("receipt")
    if isinstance(receipt, dict) and not receipt["foreign"]:
        del receipt["foreign"]
    if isinstance(entry, RoundCompleted):
        data["parts"] = list(map(_part_data, entry.parts))
    if isinstance(entry, MemorySet | UserMessage | RoundCompleted) and not data.pop("read_only"):
        return data
    if isinstance(entry, MemorySet | UserMessage):
        return data | {"read_only": True}
    if isinstance(entry, RoundCompleted):
        texts = [_part_data(part) for part in entry.parts if isinstance(part, TextPart)]
        return data | {"parts": texts, "gated_parts": data["parts"]}
    return data


def _used_data(used: UsedMemory) -> Data:
    data = fields_of(used)
    if not used.heading:
        del data["heading"]
    return data


def _attachment_data(attachment: Attachment) -> Data:
    """Return its fields; those of documents only for one with pages, so that older lines stay as they are."""
    data = fields_of(attachment)
    if not (attachment.pages or attachment.unread or attachment.sent):
        for name in ("pages", "unread", "sent"):
            del data[name]
    return data


def _part_data(part: ReplyPart) -> Data:
    data = {"type": _PARTS[type(part)], **fields_of(part)}
    if isinstance(part, OpaquePart) and not part.server:
        del data["server"], data["model"]
    return data


# --- in: exceptions from the entries' type hints ------------------------------------------------


def _with(**missing: object) -> Callable[[Data], Data]:
    """Return a function that adds defaults for fields which older versions did not write."""
    return lambda data: missing | data


def _message(data: Data) -> Data:
    """Take a message that doesn't say its mode for one held in READ: redacted while memory is off, never learned; and
    all of its attachments for memory files where the ones that were can't be told."""
    if "memory" not in data:
        data = data | {"memory": False, "read_only": True}
    if isinstance(attachments := data.get("attachments"), list) and attachments:
        ids = [each.get("id") for each in attachments if isinstance(each, dict)]
        files = data.get("memory_files", [])
        is_sound = isinstance(files, list) and all(each in ids for each in files)
        if not is_sound or (not files and _unknown(UserMessage, data, list)):
            data = data | {"memory_files": ids}
    return data


def _spoken(kind: type, data: Data) -> Data:
    """Take text for said while memory was off if the field that says so was damaged: it is missing, as in lines of
    earlier versions, and true has an unknown name."""
    return data if "off" in data or _unknown(kind, data, bool) is not True else data | {"off": True}


def _unknown(kind: type, data: Data, value_kind: type) -> object:
    """Return the value of this kind under a name that is not among the entry's; None without one."""
    return next((v for name, v in data.items() if isinstance(v, value_kind) and name not in _NAMES[kind]), None)


def _marked(kind: type, data: Data) -> Data:
    """Take a list of sources under an unknown name for the one that says what of others is in the entry."""
    if "foreign" in data:
        return data
    unknown = (value for name, value in data.items() if isinstance(value, list) and name not in _NAMES[kind])
    sources = next((value for value in unknown if value and all(map(_is_source, value))), None)
    return data if sources is None else data | {"foreign": sources}


def _is_source(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("kind"), str)


def _opener(data: Data) -> Data:
    return data if data.get("about") is not None else data | {"about": ""}


def _round(data: Data) -> Data:
    data = _spoken(RoundCompleted, data)
    if "gated_parts" in data:
        return {"usage": {}} | data | {"parts": data["gated_parts"], "read_only": True}
    return data if "usage" in data and "read_only" not in data else {"usage": {}} | data | {"read_only": False}


def _context(data: Data) -> Data:
    """Mark content as gated by its kind, whatever the line says."""
    kind, gated = data.get("kind"), data.get("gated", True)
    if kind not in ("time", "recall", "recent_days"):
        raise BadValue("choice", "kind")
    if gated is False and kind != "time":
        gated = True
    return data if data.get("gated") is gated else data | {"gated": gated}


def _error(data: Data) -> Data:
    args = data.get("args", {})
    if not isinstance(args, dict):
        raise BadValue("object", "args")
    args = {name: value for name, value in args.items() if isinstance(value, str | int | float)}
    code = data.get("code")
    if isinstance(code, str) and code.startswith("mind_"):  # the code of a local model's errors before 1.0
        data = data | {"code": f"local_model_{code.removeprefix('mind_')}"}
        if "mind" in args:
            args["local_model"] = args.pop("mind")
    return data | {"args": args}


def _used(data: Data) -> Data:
    return data if isinstance(data.get("sure"), bool) else data | {"sure": True}


def _part(value: object) -> ReplyPart:
    kind = _PART_TYPES.get(value["type"]) if isinstance(value, dict) and isinstance(value.get("type"), str) else None
    if kind is None:
        raise BadValue("choice", "type")
    part: ReplyPart = _ENTRIES.decoder(kind)(value)
    return part


def _object(value: object) -> Data:
    if not isinstance(value, dict):
        raise BadValue("object")
    return value


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise BadValue("list")
    return tuple(item for item in value if isinstance(item, str))


def _attachments(value: object) -> tuple[Attachment, ...]:
    """Skip attachments of kinds from later versions: the message itself is kept."""
    if not isinstance(value, list):
        raise BadValue("list")
    read = _ENTRIES.decoder(Attachment)
    return tuple(read(item) for item in value if _object(item).get("kind") in _ATTACHMENT_KINDS)


def _noted(value: object) -> tuple[NotedText, ...]:
    """Skip damaged items: they are for display only."""
    items = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
    return tuple(
        NotedText(
            text=item["text"], **{name: str(item.get(name, "")) for name in ("due", "at", "repeats", "earlier")}
        )
        for item in items
        if isinstance(item.get("text"), str)
    )


_NAMES: Mapping[type, frozenset[str]] = {
    kind: frozenset((*(each.name for each in fields(kind)), "kind", "gated_parts"))
    for kind in (UserMessage, PartialReply, RoundCompleted, TurnFinished, ToolCompleted, ContextFound)
}
_PART_TYPES = {name: kind for kind, name in _PARTS.items()}
_ATTACHMENT_KINDS = ("image/png", "image/jpeg", "text/plain")
_ENTRIES = Reader(
    scalars=FILE_SCALARS,
    lenient=True,
    own={
        ReplyPart: _part,
        Mapping[str, object]: _object,
        tuple[str, ...]: _texts,
        tuple[Attachment, ...]: _attachments,
        tuple[NotedText, ...]: _noted,
    },
    before={
        UserMessage: lambda data: _message(_marked(UserMessage, data)),
        ToolCompleted: partial(_marked, ToolCompleted),
        ContextFound: partial(_marked, ContextFound),
        Compacted: _with(memory=True, usage={}),  # left out while memory is off
        TurnFinished: lambda data: _spoken(TurnFinished, {"round": 0} | data),
        PartialReply: partial(_spoken, PartialReply),
        OpenerAsked: _opener,
        RoundCompleted: _round,
        ContextPart: _context,
        ErrorInfo: _error,
        UsedMemory: _used,
    },
)
_READERS: Mapping[str, Callable[[object], TranscriptEntry]] = {
    name: _ENTRIES.decoder(kind) for kind, name in _KINDS.items()
}
