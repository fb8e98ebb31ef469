"""Find all occurrences of a text in a pet's folder, and the plan of forgetting them; reads only.

Files that are locked, unreadable or too large are skipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pet.access import FileKind
from pet.fs.directory import Contents, temp_owner
from pet.i18n import Texts
from pet.language.labels import strip_speaker
from pet.memory.store.daily_log import log_day, parse_log
from pet.memory.store.forget_matches import find_in_text
from pet.model import Broken, Receipt
from pet.transcripts.redact import RedactionRule, conversations_in, find_matches
from pet.workspace.file_history import history_logs, iter_versions
from pet.workspace.file_names import CONVERSATIONS, HISTORY_FOLDER, LOG_FOLDER, is_note, kind_of
from pet.workspace.locked_file import read_raw
from pet.workspace.pet_registry import LIMIT
from pet.workspace.purge import list_sidecars, read_sidecar
from pet.workspace.store import WorkspaceStore
from pet.workspace.text_encoding import NotText, decode_text
from pet.workspace.tombstones import SearchPatterns

_MOST = 16 << 20  # bytes; larger files of the owner are skipped
_BIT, _OVERLAP = 1 << 20, 1 << 16  # characters

Where = Literal["file", "log", "tool_result", "recall", "summary", "history", "said"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """A place with the text. ``text`` is the whole entry; lines are 0 if unknown; ``turn`` is a conversation's."""

    where: Where
    path: str
    start_line: int = 0
    end_line: int = 0
    text: str
    turn: str | None = None


def in_file(store: WorkspaceStore, name: str, sought: SearchPatterns) -> tuple[Occurrence, ...]:
    """Return the matching entries of a file; of one too large to change only that it matches."""
    state = store.read(name)
    if isinstance(state, Broken) and state.problem == "too_large":
        return tuple(_oversized(name, store.root / name, sought))
    return tuple(_of_bytes(name, name, bytes_of(store, name), sought))


def bytes_of(store: WorkspaceStore, name: str) -> bytes:
    """Return a file's bytes; b"" if it can't be read, or if it or its folder is a link."""
    raw = read_raw(store.root, name, LIMIT)
    return raw.data if isinstance(raw, Contents) else b""


def in_names(name: str, sought: SearchPatterns) -> tuple[Occurrence, ...]:
    """Return a note whose path has the text: its owner chose it, and it stays."""
    matches = is_note(name) and sought.matches(name.removeprefix(f"{LOG_FOLDER}/").removesuffix(".md"))
    return (Occurrence(where="file", path=name, text=""),) if matches else ()


def in_copies(store: WorkspaceStore, sought: SearchPatterns) -> tuple[Occurrence, ...]:
    """Return the matching entries of the copies next to gated files."""
    occurrences: list[Occurrence] = []
    for copy in list_sidecars(store.root):
        occurrences += _of_bytes(copy.path, copy.of, read_sidecar(store.root, copy), sought)
    return tuple(occurrences)


def in_history(
    store: WorkspaceStore, name: str, logs: Sequence[str], sought: SearchPatterns, known: frozenset[str]
) -> tuple[Occurrence, ...]:
    """Return the matching entries of a file's earlier versions, each text once, without those in ``known``."""
    occurrences: dict[str, Occurrence] = {}
    with suppress(OSError):
        for data in iter_versions(store.root, logs):
            for piece in _of_bytes(name, name, data, sought):
                if piece.text not in known:
                    occurrences.setdefault(piece.text, Occurrence(where="history", path=name, text=piece.text))
    return tuple(occurrences.values())


def in_transcripts(folder: Path, sought: SearchPatterns) -> Iterator[Occurrence]:
    """Yield the matches in conversations, without the pet's own calls to forget; repeated recalls once."""
    wanted = RedactionRule(holds=sought.matches, quotes=sought.quoted(), marker="")
    for transcripts in conversations_in(folder):
        path = f"{CONVERSATIONS}/{transcripts.conversation}.jsonl"
        seen: set[tuple[str, str]] = set()
        for spot in find_matches(transcripts, wanted):
            again = spot.place != "said" and (spot.place, spot.text) in seen
            seen.add((spot.place, spot.text))
            if spot.place != "asked" and not again:
                yield Occurrence(where=spot.place, path=path, text=spot.text, turn=spot.turn or None)


def in_others(store: WorkspaceStore, sought: SearchPatterns, also: tuple[Path, ...]) -> tuple[Occurrence, ...]:
    """Return matches in files that are only reported: skills, the card, attachments, and files outside the folder."""
    names = set(store.names())
    ours = {store.root / name for name in names} | {store.root / copy.path for copy in list_sidecars(store.root)}
    occurrences: list[Occurrence] = []
    for path in (*sorted(store.root.rglob("*")), *also):
        if path in ours or path.is_symlink() or not path.is_file() or _is_known(store, path):
            continue
        data = _read(path)
        if sought.matches_bytes(data):
            inside = path.is_relative_to(store.root)
            shown = path.relative_to(store.root).as_posix() if inside else path.name
            occurrences.append(
                Occurrence(where="file" if inside else "said", path=shown, text=_lines_with(data, sought))
            )
    for name, logs in history_logs(store.root).items():
        versions = () if name in names else iter_versions(store.root, logs)
        held = (data for data in versions if sought.matches_bytes(data))
        with suppress(OSError):
            occurrences += (Occurrence(where="history", path=name, text=_lines_with(data, sought)) for data in held)
    return tuple(occurrences)


def _is_known(store: WorkspaceStore, path: Path) -> bool:
    """Return whether other functions search the file: history, transcripts, unfinished writes."""
    if store.root / HISTORY_FOLDER in path.parents or temp_owner(path.name) is not None:
        return True
    return path.parent == store.root / CONVERSATIONS and ".jsonl" in path.name


def _oversized(name: str, path: Path, sought: SearchPatterns) -> Iterator[Occurrence]:
    """Search a large file in overlapping chunks."""
    held: dict[str, None] = {}
    before = ""
    with suppress(OSError), path.open(encoding="utf-8", errors="replace", newline="") as file:
        while text := file.read(_BIT):
            if sought.matches(before + text):
                held |= dict.fromkeys(line for line in (before + text).splitlines() if sought.matches(line))
                held = held or {"": None}
            before = text[-_OVERLAP:]
    if held:
        yield Occurrence(where=_where(name), path=name, text="\n".join(held))


def _where(name: str) -> Where:
    return "log" if kind_of(name) is FileKind.LOG else "file"


def _of_bytes(path: str, name: str, data: bytes, sought: SearchPatterns) -> Iterator[Occurrence]:
    where = _where(name)
    try:
        spans = find_in_text(name, decode_text(data).text, sought)
    except NotText:
        if sought.matches_bytes(data):
            yield Occurrence(where=where, path=path, text=_lines_with(data, sought))
        return
    for each in spans:
        yield Occurrence(where=where, path=path, start_line=each.start_line, end_line=each.end_line, text=each.text)


def _lines_with(data: bytes, sought: SearchPatterns) -> str:
    """Return the matching lines of a file that is no list of entries; "" if it is not UTF-8."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    return "\n".join(line for line in text.splitlines() if sought.matches(line))


def _read(path: Path) -> bytes:
    with suppress(OSError):
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= _MOST:
            return path.read_bytes()
    return b""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryAt:
    """An entry by its lines in a file, 1-based and inclusive."""

    file: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedIn:
    """All that the files contain because of a conversation, which may be deleted."""

    conversation: str


Wish = str | EntryAt | Receipt | LearnedIn
"""A text, an entry, what a receipt wrote, or what was learned in a conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetPlan:
    """The effect of forgetting ``texts``. ``begun``: an interrupted request, whose rest is in ``goes``."""

    texts: tuple[str, ...]
    goes: tuple[Occurrence, ...]
    stays: tuple[Occurrence, ...]
    begun: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetOutcome:
    """Counts of removed entries, versions and messages. ``left``: what remains, the last ``unreached`` of it because
    it could not be changed now."""

    entries: int
    versions: int
    messages: int
    left: tuple[Occurrence, ...]
    unreached: int
    files: tuple[str, ...]
    conversations: tuple[str, ...]


def format_plan(plan: ForgetPlan, texts: Texts) -> str:
    """Return what goes and what stays as text for the owner, a line for each occurrence, alike ones once."""
    rows = [texts("forget.goes"), *_rows(plan.goes, texts)] if plan.goes else [texts("forget.nothing_goes")]
    if plan.stays:
        rows += ["", texts("forget.stays"), *_rows(plan.stays, texts)]
    return "\n".join(rows)


def _rows(pieces: Sequence[Occurrence], texts: Texts) -> Iterable[str]:
    rows: dict[str, None] = {}
    for piece in pieces:
        place = texts(f"forget.where.{piece.where}")
        if not piece.path.startswith(f"{CONVERSATIONS}/"):
            place += f" {piece.path}" + (f":{piece.start_line}-{piece.end_line}" if piece.start_line else "")
        words = _words(piece)
        rows[texts("forget.row", text=words, place=place) if words else f"  {place}"] = None
    return rows


def _words(piece: Occurrence) -> str:
    """Return the whole entry on one line, without the marks around its words."""
    lines = piece.text.splitlines()
    entry = next(parse_log(lines), None) if _is_log(piece) else None
    return " ".join(strip_speaker((entry.text if entry else piece.text).removeprefix("- ")).split())


def _is_log(piece: Occurrence) -> bool:
    return piece.where in ("log", "history") and log_day(piece.path) is not None
