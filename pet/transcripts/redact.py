"""Remove a text from transcripts: results, arguments, thinking, recall and summaries.

Covers all files of a conversation, those of other machines and conflict copies included. ``records.redact_line``
decides what is redacted of a line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pet.errors import WriteFailed
from pet.transcripts.files.jsonl_file import JsonlFile
from pet.transcripts.records.redact_line import RedactionRule, TextMatch, find_in_lines, redact_line

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
