"""Restore what was masked in a change by the pet. The actor is the owner; part of no request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, takewhile

from pet.access import FileKind
from pet.engine.conversations import Conversations
from pet.errors import PetError, SecretGone, VersionUnknown
from pet.language.redaction import Secret, new_secrets, placeholder
from pet.memory.store.daily_log import add_speaker, entry_body
from pet.model import Author, Receipt, Source, ToolCallPart, Version
from pet.tools.memory import speaker_of
from pet.tools.tool_arguments import string
from pet.tools.toolset import arguments_of
from pet.transcripts.entries import RoundCompleted, ToolCompleted, TranscriptEntry
from pet.workspace.edit_match import apply_edit
from pet.workspace.file_names import kind_of
from pet.workspace.store import WorkspaceStore
from pet.workspace.text_encoding import NotText, decode_text, normalize_newlines

_AROUND = (24, 12, 6)  # context lengths, in characters, used to tell markers apart


def wanted_text(call: ToolCallPart, before: str) -> str:
    """Return the text that the call would have written. ``before``: the file's text at that time."""
    arguments = arguments_of(call)
    match call.name:
        case "memory_write":
            return entry_body(add_speaker(string(arguments, "content"), speaker_of(string(arguments, "who"))))
        case "write":
            return normalize_newlines(string(arguments, "content"))
        case "edit":
            old, new = string(arguments, "old_text"), string(arguments, "new_text")
            try:
                return normalize_newlines(apply_edit(normalize_newlines(before), old, new))
            except PetError:
                return normalize_newlines(new)
        case _:
            return ""


def put_back(receipt: Receipt, wanted: str, before: str, now: str, *, after: str = "") -> str:
    """Return the file's text ``now`` with the redacted secrets of ``wanted`` restored. ``before``, ``after``: the
    file's text around the change, as far as it is kept. Raises SecretGone.
    """
    text = now
    restored = False
    above = normalize_newlines(before) if kind_of(receipt.file) is FileKind.LOG else ""  # a log only grows
    for part in _parts(wanted, new_secrets(wanted, normalize_newlines(before))):
        whole = _replaced_line(text, part, f"{above}\n{wanted[: part.start]}", normalize_newlines(after))
        text = whole if whole is not None else _replaced_marks(text, part)
        restored = restored or part.original in text or any(secret in text for secret in part.secrets)
    if not restored:
        raise SecretGone(file=receipt.file)
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """Lines with secrets, from offset ``start``. ``pieces``: the text between the secrets."""

    start: int
    original: str
    pieces: tuple[str, ...]
    secrets: tuple[str, ...]
    marks: tuple[str, ...]

    @property
    def masked(self) -> str:
        return "".join(piece + each for piece, each in zip(self.pieces, (*self.marks, ""), strict=True))


def _parts(wanted: str, secrets: tuple[Secret, ...]) -> Iterator[_Part]:
    rest = list(secrets)
    while rest:
        begin = wanted.rfind("\n", 0, rest[0].start) + 1
        here: list[Secret] = []
        end = begin
        while rest and (not here or rest[0].start < end):
            here.append(rest.pop(0))
            line_end = wanted.find("\n", here[-1].end)
            end = line_end if line_end >= 0 else len(wanted)
        places = [begin, *(place for each in here for place in (each.start, each.end)), end]
        cut = [wanted[a:b] for a, b in pairwise(places)]
        yield _Part(
            start=begin,
            original=wanted[begin:end],
            pieces=tuple(cut[::2]),
            secrets=tuple(cut[1::2]),
            marks=tuple(placeholder(each.kind) for each in here),
        )


def _replaced_line(text: str, part: _Part, above: str, after: str) -> str | None:
    """Return the text with the whole line restored; None if the line is gone. Of several such lines, prefer the one
    that follows the same lines as in ``after``, else the one after those that are already in ``above``.
    """
    lines, written, masked = text.split("\n"), after.split("\n"), part.masked.strip()
    places, then = _places(lines, masked), _places(written, masked)
    if not places:
        return None
    earlier = len(_places(above.split("\n"), masked))
    guess = places[min(earlier, len(places) - 1)]
    here = then[earlier] if earlier < len(then) else 0

    def likeness(place: int) -> tuple[int, bool]:
        pairs = zip(reversed(written[:here]), reversed(lines[:place]), strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs)), place == guess

    number = max(places, key=likeness)
    line = lines[number]
    indent = line[: len(line) - len(line.lstrip())]
    lines[number] = indent + part.original.strip()
    return "\n".join(lines)


def _places(lines: list[str], masked: str) -> list[int]:
    return [number for number, line in enumerate(lines) if line.strip() == masked]


def _replaced_marks(text: str, part: _Part) -> str:
    """Return the text with each marker restored by its surroundings, for a line that has changed."""
    for number, (sign, secret) in enumerate(zip(part.marks, part.secrets, strict=True)):
        place = _place(text, part.pieces[number], sign, part.pieces[number + 1])
        if place is not None:
            text = text[:place] + secret + text[place + len(sign) :]
    return text


def _place(text: str, before: str, sign: str, after: str) -> int | None:
    for count in _AROUND:
        left, right = before[-count:], after[:count]
        for needle, offset in ((left + sign + right, len(left)), (left + sign, len(left)), (sign + right, 0)):
            if len(needle) > len(sign) + 2 and text.count(needle) == 1:
                return text.index(needle) + offset
    return text.index(sign) if text.count(sign) == 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallArgs:
    """A tool call of a turn."""

    conversation: str
    turn: str
    call: str


def keep_secret(store: WorkspaceStore, conversations: Conversations, call: CallArgs) -> Receipt | None:
    """Restore what was redacted in this call's change; None if it is there already.

    Raises SecretGone if its position no longer exists, ConversationTemporary, FileBroken, FileConflict.
    """
    live = conversations.open(call.conversation)
    live.gate.check_keeps()
    made_by, receipt = _written(live.transcript.entries, call)
    before, after = (_text_of(store, receipt.file, version) for version in (receipt.before, receipt.after))
    wanted = wanted_text(made_by, before)

    def restored(now: str | None) -> str:
        if now is None:
            raise SecretGone(file=receipt.file)
        return put_back(receipt, wanted, before, now, after=after)

    source = Source(conversation=call.conversation, turn=call.turn)
    made = store.rewrite(receipt.file, restored, author=Author.OWNER, source=source)
    live.receipts.kept(call.turn, call.call, made)
    return made


def _text_of(store: WorkspaceStore, file: str, version: Version) -> str:
    """Return the file's text in that version; "" if it is no longer stored."""
    try:
        return decode_text(store.version_bytes(file, version)).text
    except (VersionUnknown, NotText):
        return ""


def _written(entries: tuple[TranscriptEntry, ...], made: CallArgs) -> tuple[ToolCallPart, Receipt]:
    """Return the call as the model made it, and its receipt."""
    calls = (
        part
        for entry in entries
        if isinstance(entry, RoundCompleted) and entry.turn == made.turn
        for part in entry.parts
        if isinstance(part, ToolCallPart) and part.id == made.call
    )
    receipts = (
        entry.receipt
        for entry in entries
        if isinstance(entry, ToolCompleted)
        and entry.turn == made.turn
        and entry.call_id == made.call
        and entry.receipt
    )
    call, receipt = next(calls, None), next(receipts, None)
    if call is None or receipt is None or not receipt.masked:
        raise SecretGone(file=receipt.file if receipt else "")
    return call, receipt
