"""Find and remove a text in transcripts: results, arguments, thinking, recall and summaries.

Operates on the raw JSON of each line, so that fields of later versions survive, and covers all files of a
conversation, those of other machines and conflict copies included. Visible messages are reported and kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pet.errors import WriteFailed
from pet.text.markup import unwrap
from pet.transcripts.jsonl_file import JsonlFile
from pet.untrusted.parsers import MAX_STORED_DEPTH, read_json
from pet.workspace.file_names import is_fixed_name

Place = Literal["tool_result", "recall", "summary", "said", "asked"]
Line = dict[str, Any]

FORGET_TOOL = "memory_forget"

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_FRAME = frozenset({"id", "type", "kind", "at", "turn", "signature", "path", "source", "mark"})  # without free text
_SPOKEN_PREFIXES = (b'{"kind":"user_said"', b'{"kind":"partial_said"', b'{"kind":"turn_closed"')


@dataclass(frozen=True, slots=True, kw_only=True)
class TextMatch:
    """One occurrence, by the lines of it that match. ``said`` ones are visible and kept; ``asked`` is the pet's own
    call to forget the text.
    """

    place: Place
    turn: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactionRule:
    """``holds``: whether a text must be removed; ``marker`` replaces it; ``quotes``: whether a text that is not a
    visible message contains part of it and is removed too. ``versions``: renamed file versions. ``recount``: added
    and removed line counts for a receipt of a renamed version, by file, version before and after, and whether it
    wrote the text itself; None if unknown.
    """

    holds: Callable[[str], bool]
    marker: str
    quotes: Callable[[str], bool] = lambda _text: False
    versions: Mapping[str, str] = field(default_factory=dict)
    recount: Callable[[str, str, str, bool], tuple[int, int] | None] = lambda *_: None


def find_in_lines(lines: Iterable[bytes], wanted: RedactionRule) -> Iterator[TextMatch]:
    """Yield the occurrences in the lines of a file, torn ones included."""
    for raw in lines:
        line = _parsed(raw)
        if line is not None:
            yield from _LineRedactor(wanted).spots(line)
        elif _torn_holds(raw, wanted):
            yield TextMatch(
                place="said" if raw.startswith(_SPOKEN_PREFIXES) else "tool_result", turn="", text=_unescaped(raw)
            )


def redact_line(raw: bytes, wanted: RedactionRule, touched: set[str]) -> bytes | None:
    """Return the redacted line; None if it is removed. ``touched``: turns that lose their thinking."""
    line = _parsed(raw)
    if line is None:
        return None if _torn_holds(raw, wanted) and not raw.startswith(_SPOKEN_PREFIXES) else raw
    before = json.dumps(line)
    after = _LineRedactor(wanted).scrubbed(line)
    if after is not None and after.get("turn") in touched:
        _drop_thinking(after)
    if after is None or json.dumps(after) == before:
        return raw if after is not None else None
    text = json.dumps(after, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:  # unpaired surrogate, kept as an escape
        return json.dumps(after, separators=(",", ":")).encode()


@dataclass(frozen=True, slots=True)
class _LineRedactor:
    """Redacts one line by kind of content. ``scrubbed`` modifies the line it is given."""

    rule: RedactionRule

    def spots(self, line: Line) -> Iterator[TextMatch]:
        for place, text in self._matches(line):
            yield TextMatch(place=place, turn=str(line.get("turn", "")), text=self._matching_lines(text))

    def _matching_lines(self, text: str) -> str:
        """Return the lines that match, of JSON those of its texts; all of them where a match spans lines."""
        words = self._in_words(text)
        return "\n".join(line for line in words.splitlines() if self._holds(line)) or words

    def _matches(self, line: Line) -> Iterator[tuple[Place, str]]:
        match line.get("kind"):
            case "title_set":
                yield from self._if_holds("summary", line.get("title"))
            case "compacted":
                yield from self._if_holds("summary", line.get("text"))
            case "pet_opened":
                if self._anywhere(line):
                    yield "summary", str(line.get("text", ""))
            case "user_said":
                yield from self._spoken_match(line.get("text"))
                yield from self._in_context(line)
            case "context_found":
                yield from self._in_context(line)
            case "partial_said":
                yield from self._spoken_match(line.get("text"))
            case "turn_closed":
                yield from self._spoken_match(line.get("cut_text"))
                yield from self._in_error(line)
            case "round_said":
                yield from self._in_parts(line)
            case "tool_done":
                yield from self._if_holds("tool_result", line.get("text"))
                yield from self._in_error(line)
                yield from self._in_noted(line)
            case "receipt_changed":
                yield from self._in_noted(line)
            case "header" | "memory_set" | "earlier_dropped" | "turns_removed":
                return
            case _:
                yield from (("said", text) for text in _strings(line) if self.rule.holds(text))

    def _holds(self, text: str) -> bool:
        """Whether a text that is not visible must be removed; a partial match is enough."""
        return self.rule.holds(text) or self.rule.quotes(text)

    def _spoken_match(self, text: object) -> Iterator[tuple[Place, str]]:
        if isinstance(text, str) and self.rule.holds(text):
            yield "said", text

    def _if_holds(self, place: Place, text: object) -> Iterator[tuple[Place, str]]:
        if isinstance(text, str) and self._holds(text):
            yield place, text

    def _in_context(self, line: Line) -> Iterator[tuple[Place, str]]:
        """Yield matches in the context that was sent; without any, those in the snippets."""
        sent = [unwrap(str(part.get("text", ""))) for part in _dicts(line, "context") if self._anywhere(part)]
        used = (str(part.get("snippet", "")) for part in _dicts(line, "used") if self._anywhere(part))
        yield from (("recall", text) for text in sent or used)

    def _in_error(self, line: Line) -> Iterator[tuple[Place, str]]:
        for value in _error_args(line).values():
            if not is_fixed_name(value):
                yield from self._if_holds("tool_result", value)

    def _in_noted(self, line: Line) -> Iterator[tuple[Place, str]]:
        for item in _noted(line):
            yield from self._if_holds("tool_result", item.get("text"))
            yield from self._if_holds("tool_result", item.get("earlier"))

    def _in_parts(self, line: Line) -> Iterator[tuple[Place, str]]:
        for part in (*_dicts(line, "parts"), *_dicts(line, "gated_parts")):
            match part.get("type"):
                case "text":
                    yield from self._spoken_match(part.get("text"))
                case "tool_call":
                    if self._without(arguments := str(part.get("arguments", ""))) != arguments:
                        yield "asked" if part.get("name") == FORGET_TOOL else "tool_result", self._in_words(arguments)
                case _:
                    if self._anywhere(part):
                        yield "tool_result", "\n".join(text for text in _strings(part) if self._holds(text))

    def scrubbed(self, line: Line) -> Line | None:
        match line.get("kind"):
            case "title_set" | "compacted" | "pet_opened":
                return None if any(True for _ in self._matches(line)) else line
            case "user_said" | "context_found":
                for name in ("context", "used"):
                    if name in line and isinstance(line[name], list):
                        line[name] = [part for part in line[name] if not self._anywhere(part)]
            case "round_said":
                for part in (*_dicts(line, "parts"), *_dicts(line, "gated_parts")):
                    if part.get("type") == "tool_call":
                        part["arguments"] = self._without(str(part.get("arguments", "")))
            case "turn_closed":
                self._clear_error(line)
            case "tool_done":
                if self._holds(str(line.get("text", ""))):
                    line["text"] = self.rule.marker
                self._clear_error(line)
                self._clear_noted(line)
                self._rename_versions(line)
            case "receipt_changed":
                self._clear_noted(line)
                self._rename_versions(line)
        return line

    def _clear_error(self, line: Line) -> None:
        args = _error_args(line)
        for name, value in args.items():
            if isinstance(value, str) and not is_fixed_name(value) and self._holds(value):
                args[name] = self.rule.marker

    def _clear_noted(self, line: Line) -> None:
        kept = [
            item
            for item in _noted(line)
            if not any(self._holds(str(item.get(name, ""))) for name in ("text", "earlier"))
        ]
        if kept != _noted(line):
            line["receipt"]["noted"] = kept

    def _rename_versions(self, line: Line) -> None:
        """Rename versions in a receipt. One without a remaining change gets the same version twice."""
        receipt = line.get("receipt")
        if not isinstance(receipt, dict):
            return
        versions = self.rule.versions
        before, after = str(receipt.get("before")), str(receipt.get("after"))
        wrote_it = after in versions and before not in versions
        renamed = versions.get(before, before), versions.get(after, after)
        if renamed == (before, after):
            return
        receipt["before"], receipt["after"] = renamed
        counts = self.rule.recount(str(receipt.get("file")), *renamed, wrote_it)
        if counts is not None:
            receipt["added"], receipt["removed"] = counts
            receipt["before"] = renamed[0] if any(counts) else renamed[1]

    def _anywhere(self, value: object) -> bool:
        return any(self._holds(text) for text in _strings(value))

    def _in_words(self, arguments: str) -> str:
        """Return what of a call's arguments matches, as displayed to the owner, file names excluded."""
        try:
            texts = [text for text in _strings(read_json(arguments)) if not is_fixed_name(text)]
        except ValueError:
            return arguments
        return "\n".join([text for text in texts if self._holds(text)] or texts) or arguments

    def _without(self, arguments: str) -> str:
        """Return a call's arguments with each matching text replaced; file names are kept."""
        try:
            data = read_json(arguments)
        except ValueError:
            held = self._holds(arguments) or self._holds(_unescaped(arguments.encode("utf-8", "surrogatepass")))
            return "{}" if held else arguments
        cleared = self._cleared(data)
        if cleared == data and not self._holds(_shown(data)):
            return arguments
        text = json.dumps(cleared, ensure_ascii=False)
        return "{}" if self._holds(_shown(cleared)) else text

    def _cleared(self, value: object) -> object:
        match value:
            case str():
                return self.rule.marker if self._holds(value) and not is_fixed_name(value) else value
            case list():
                return [self._cleared(each) for each in value]
            case dict():
                return {name: self._cleared(each) for name, each in value.items()}
            case _:
                return value


def _drop_thinking(line: Line) -> None:
    """Remove all thinking: signed thinking is opaque, so it can't be redacted."""
    for name in ("parts", "gated_parts"):
        if line.get("kind") == "round_said" and isinstance(line.get(name), list):
            line[name] = [part for part in line[name] if not (isinstance(part, dict) and _is_thinking(part))]


def _is_thinking(part: Line) -> bool:
    return part.get("type") not in ("text", "tool_call")


def _shown(value: object) -> str:
    """Return all argument values as text, numbers and keys included, file names excluded."""
    return "\0".join(text for text in _strings(value, whole=True) if not is_fixed_name(text))


def _strings(value: object, *, whole: bool = False) -> Iterator[str]:
    """Yield the texts in a value. ``whole``: also numbers, keys and fields of the frame."""
    match value:
        case str():
            yield value
        case int() | float() if whole and not isinstance(value, bool):
            yield str(value)
        case list():
            for each in value:
                yield from _strings(each, whole=whole)
        case dict():
            for name, each in value.items():
                if whole:
                    yield name
                if whole or name not in _FRAME:
                    yield from _strings(each, whole=whole)


def _error_args(line: Line) -> Line:
    """Return the arguments of the line's error; empty without an error."""
    error = line.get("error")
    args = error.get("args") if isinstance(error, dict) else None
    return args if isinstance(args, dict) else {}


def _noted(line: Line) -> list[Line]:
    """Return the receipt's quotes of the entries it wrote."""
    receipt = line.get("receipt")
    return _dicts(receipt, "noted") if isinstance(receipt, dict) else []


def _dicts(line: Line, name: str) -> list[Line]:
    value = line.get(name)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _parsed(raw: bytes) -> Line | None:
    try:
        line = read_json(raw, depth=MAX_STORED_DEPTH)
    except ValueError:
        return None
    return line if isinstance(line, dict) else None


def _torn_holds(raw: bytes, wanted: RedactionRule) -> bool:
    return wanted.holds(_unescaped(raw)) or wanted.holds(raw.decode("utf-8", "replace"))


def _unescaped(raw: bytes) -> str:
    """Decode a line that is not valid JSON as if it were one string."""

    def plain(match: re.Match[str]) -> str:
        return chr(int(match[1], 16)) if match[1] else _ESCAPED.get(match[2], match[2])

    return _ESCAPE.sub(plain, raw.decode("utf-8", "replace"))


_CONVERSATION = re.compile(r"\.?([0-9a-z]{26})[^0-9a-z].*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationFiles:
    """All files of one conversation, including those of other machines and conflict copies."""

    conversation: str
    files: tuple[Path, ...]


def conversations_in(folder: Path) -> tuple[ConversationFiles, ...]:
    """Return all conversation files, torn lines and copies included. Follows no link."""
    by_id: dict[str, list[Path]] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        named = _CONVERSATION.fullmatch(path.name)
        if named and path.is_file() and not path.is_symlink() and not path.name.endswith(".tmp"):
            by_id.setdefault(named[1], []).append(path)
    return tuple(ConversationFiles(conversation=each, files=tuple(files)) for each, files in by_id.items())


def find_matches(transcripts: ConversationFiles, wanted: RedactionRule) -> tuple[TextMatch, ...]:
    """Return all occurrences; each visible text once."""
    spots: list[TextMatch] = []
    for file in transcripts.files:
        spots += find_in_lines(_read(file).split(b"\n"), wanted)
    return tuple(dict.fromkeys(spots))


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactedFile:
    """``messages``: the number of places redacted."""

    messages: int
    changed: bool


def redact_file(transcripts: ConversationFiles, wanted: RedactionRule) -> RedactedFile:
    """Redact all files of a conversation. Raises WriteFailed; running it again resumes."""
    touched = {spot.turn for spot in find_matches(transcripts, wanted) if spot.place != "said" and spot.turn}
    changed = False
    counted: list[int] = []
    for file in transcripts.files:

        def change(data: bytes) -> bytes:
            lines = data.split(b"\n")
            spots = [spot for spot in find_in_lines(lines, wanted) if spot.place != "said"]
            touching = touched | {spot.turn for spot in spots if spot.turn}
            kept = [redact_line(line, wanted, touching) for line in lines]
            counted.append(sum(spot.place != "asked" for spot in spots))
            if kept[-1] is None:
                kept[-1] = b""  # the line before the torn one keeps its line end
            return b"\n".join(line for line in kept if line is not None)

        try:
            changed = JsonlFile(file).rewrite(change) or changed
        except FileNotFoundError:  # the conversation was deleted meanwhile
            continue
        except OSError as problem:
            raise WriteFailed.from_os_error(f"conversations/{file.name}", problem) from problem
    return RedactedFile(messages=sum(counted), changed=changed)


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""
