"""Count what a pet remembers: its two core files and its daily logs; reads only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pet.memory.daily_log import parse_log
from pet.memory.entries import whole_entries
from pet.model import CoreFile, Present
from pet.workspace.text.encoded_text import normalize_newlines
from pet.workspace.versioned.store import WorkspaceStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    characters: int
    entries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryOverview:
    """Counts of the memory files. ``first`` and ``last``: days as YYYY-MM-DD, "" without a log. Missing or unreadable
    files count as empty."""

    files: dict[str, Amount]
    days: int
    first: str
    last: str
    logs: Amount


def memory_overview(store: WorkspaceStore) -> MemoryOverview:
    """Count the entries and characters of all memory files."""
    names = store.log_names()
    logs = [_amount(store, name) for name in names]
    days = [name.rpartition("/")[2].removesuffix(".md") for name in names]
    return MemoryOverview(
        files={str(name): _amount(store, name) for name in (CoreFile.USER, CoreFile.MEMORY)},
        days=len(days),
        first=days[0] if days else "",
        last=days[-1] if days else "",
        logs=Amount(characters=sum(each.characters for each in logs), entries=sum(each.entries for each in logs)),
    )


def _amount(store: WorkspaceStore, name: str) -> Amount:
    state = store.read(name)
    if not isinstance(state, Present):
        return Amount(characters=0, entries=0)
    lines = normalize_newlines(state.text).split("\n")
    core = name in tuple(CoreFile)
    entries: Iterable[object] = whole_entries(name, lines) if core else parse_log(lines)
    return Amount(characters=len(state.text), entries=sum(1 for _ in entries))
