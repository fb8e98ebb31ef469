"""A second record, beside a transcript's file, of the entries of it that took rights away.

The last memory switch, the switches of extras that are off again, and the turns that are removed. What the file
lost of them counts as if it came last, so damage to one of the two files undoes none of them. Holds no text.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pet.fs.directory import Absent, Unusable, temp_beside, write_atomically
from pet.transcripts.entries import (
    MemorySet,
    SwitchSet,
    TranscriptEntry,
    TurnsRemovedSet,
    UserMessage,
    merge,
    unreadable_switch,
)
from pet.transcripts.entry_codec import decode_entry, encode_entry
from pet.transcripts.jsonl_file import folder_of, switch_beside

_log = logging.getLogger(__name__)
_LONGEST = 1 << 20
Closing = MemorySet | SwitchSet | TurnsRemovedSet


def record_closings(path: Path, entries: Sequence[TranscriptEntry], new: Closing | None = None) -> None:
    """Write what closes after ``new``, if that is not what is recorded. Before ``new`` is in the file: an
    interruption then leaves the more closed of both. A record that can't be read stays until memory is switched."""
    try:
        recorded = _recorded(path)
    except ValueError:
        recorded = None
        if not isinstance(new, MemorySet):
            return
    lost = [] if recorded is None else _lost(recorded, entries)
    closing = _closings([*entries, *lost, *([new] if new else ())])
    if closing == recorded:
        return
    name = switch_beside(path).name
    try:
        with folder_of(path) as folder:
            if closing:
                lines = "".join(f"{encode_entry(each)}\n" for each in closing)
                write_atomically(folder, name, lines.encode(), temp=temp_beside(name))
            else:
                folder.remove(name)
    except FileNotFoundError:
        pass
    except OSError as problem:
        _log.warning("a switch is recorded only once: %s", type(problem).__name__)


def merge_files(files: Mapping[Path, Sequence[TranscriptEntry]]) -> tuple[TranscriptEntry, ...]:
    """Return all entries of a conversation's files in order, and after them what is lost of their closings."""
    merged = merge({path.name: entries for path, entries in files.items()})
    lost = [each for path, entries in files.items() for each in lost_closings(path, entries)]
    return (*merged, *lost) if lost else merged


def lost_closings(path: Path, entries: Sequence[TranscriptEntry]) -> list[Closing]:
    """Return what is recorded and no longer in the file's entries; for a lost memory switch, or a record that can't
    be read, a switch to OFF that says so."""
    try:
        lost = _lost(_recorded(path), entries)
    except ValueError:
        return [unreadable_switch(b"", entries)]
    return [unreadable_switch(b"", entries) if isinstance(each, MemorySet) else each for each in lost]


def _closings(entries: Iterable[TranscriptEntry]) -> list[Closing]:
    entries = tuple(entries)
    switch: MemorySet | None = None
    off: dict[str, SwitchSet] = {}
    removal: TurnsRemovedSet | None = None
    switches = 0
    for entry in entries:
        match entry:
            case MemorySet(unreadable=False):
                switch, switches = entry, switches + 1
            case SwitchSet():
                off.pop(entry.name, None)
                if not entry.on:
                    off[entry.name] = entry
            case TurnsRemovedSet():
                before = removal.turns if removal else ()
                others = tuple(each for each in before if each not in entry.turns)
                removal = replace(entry, turns=(*others, *entry.turns) if entry.removed else others, removed=True)
            case _:
                pass
    if switch is not None and switch.memory and switches == 1:
        switch = None  # the initial state: nothing was taken away
    if removal is not None and not removal.turns:
        removal = None
    if removal is not None:
        ids = (each.id for each in entries if isinstance(each, UserMessage) and each.turn in removal.turns)
        removal = replace(removal, messages=tuple(ids))
    return [each for each in (switch, *off.values(), removal) if each is not None]


def _lost(recorded: Sequence[Closing], entries: Sequence[TranscriptEntry]) -> list[Closing]:
    if not recorded:
        return []
    there = [each for each in entries if isinstance(each, Closing)]
    removed = {turn for each in _closings(there) if isinstance(each, TurnsRemovedSet) for turn in each.turns}
    lost: list[Closing] = []
    for each in recorded:
        if isinstance(each, TurnsRemovedSet):
            named = {entry.turn for entry in entries if isinstance(entry, UserMessage) and entry.id in each.messages}
            if not removed.issuperset(wanted := (*each.turns, *sorted(named.difference(each.turns)))):
                lost.append(replace(each, turns=wanted))
        elif each not in there:
            lost.append(each)
    return lost


def _recorded(path: Path) -> list[Closing]:
    """Return what is recorded beside a file. Raises ValueError if it can't be read."""
    if not os.path.lexists(switch_beside(path)):  # as of most
        return []
    try:
        with folder_of(path) as folder:
            raw = folder.read(switch_beside(path).name, _LONGEST)
    except OSError:
        raise ValueError("unreadable") from None
    if isinstance(raw, Absent):
        return []
    if isinstance(raw, Unusable):
        raise ValueError(raw.problem)
    entries = [decode_entry(line) for line in raw.data.decode().removesuffix("\n").split("\n")]
    closings = [each for each in entries if isinstance(each, Closing)]
    if len(closings) < len(entries):
        raise ValueError("another entry")
    return closings
