"""Sources of the entries of the memory files, and the texts they replaced: read from the history and the transcripts.

Nothing of it is stored. Of a deleted conversation nothing is shown, and where the history doesn't say it, the answer
is ``unknown``: a version that was pruned may have been anyone's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Literal

from pet.errors import PetError
from pet.i18n import Texts
from pet.language.contradictions import Stance, only_ended, stance_of
from pet.memory.store.about_owner import Statement, block_of, statements
from pet.memory.store.daily_log import fact_key
from pet.memory.store.digest import plain_words
from pet.memory.store.split_entries import is_heading, is_unfilled, without_mark
from pet.model import MISSING, Author, CoreFile, Present, Source, UsedMemory
from pet.settings.import_records import ImportRecords
from pet.transcripts.fold import fold
from pet.transcripts.store import TranscriptStore
from pet.workspace.file_history import HistoryEntry
from pet.workspace.file_names import LOG_FOLDER
from pet.workspace.line_diff import matching_blocks
from pet.workspace.store import WorkspaceStore
from pet.workspace.text_encoding import NotText, decode_text, normalize_newlines

OriginKind = Literal["conversation", "rested", "moved", "agent", "import", "owner", "outside", "template", "unknown"]
_MOST_VERSIONS = 400
_MOST_EARLIER = 5
_MOST_QUOTE = 300  # characters of the owner's message
_LONGEST = 1_000  # characters of a line that may contradict another
_NO_STANCE = Stance(None, None)
_SHARED = 0.3  # of the shorter line's words, for a replaced line that was not recorded as corrected


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """A text that an entry replaced. ``until``: ISO time of the change."""

    text: str
    sentence: str
    until: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """``change``: by which the entry came; None: unknown. ``earlier``: newest first."""

    change: HistoryEntry | None
    earlier: tuple[Earlier, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """``at``: ISO time, "" if unknown. ``name``: an agent's name, or the kind of an import's source.

    Of a conversation: ``quote``, the owner's message that led to it, "" where that is not known; ``gone``: it or its
    turn was deleted, or its words were forgotten (``forgotten``), and the rest is left empty. ``rested``: noted later
    of the whole conversation.
    """

    kind: OriginKind
    at: str = ""
    name: str = ""
    conversation: str = ""
    turn: str = ""
    title: str = ""
    quote: str = ""
    gone: bool = False
    forgotten: bool = False


@dataclass(slots=True)
class _Trail:
    """An entry followed back through the versions. ``lost``: it is in none of the versions since a restore."""

    block: tuple[str, ...]
    change: HistoryEntry | None = None
    known: bool = False
    lost: bool = False
    done: bool = False
    stance: Stance | None = None
    earlier: list[Earlier] = field(default_factory=list)


def pasts(name: str, store: WorkspaceStore, entries: Sequence[Statement]) -> list[Past]:
    """Return the past of each entry of the file's current text; of one that is no longer there it is unknown.
    Raises WorkspaceError."""
    changes = list(islice(store.changes(name), _MOST_VERSIONS))
    state = store.read(name)
    now = normalize_newlines(state.text).split("\n") if isinstance(state, Present) else []
    trails = [_Trail(block, done=not block) for block in (block_of(each, now) for each in entries)]
    kept = [(change, _lines(data)) for change, data in changes if data is not None]
    for place, (change, lines) in enumerate(kept):
        older, before = kept[place + 1] if place + 1 < len(kept) else (None, [])
        exact = change.before == (older.after if older else MISSING)
        _step_back(name, trails, change, lines, before, exact=exact, end=older is None)
    return [Past(change=each.change, earlier=tuple(each.earlier)) for each in trails]


def _step_back(
    name: str,
    trails: Iterable[_Trail],
    change: HistoryEntry,
    lines: list[str],
    before: list[str],
    *,
    exact: bool,
    end: bool,
) -> None:
    """Follow the entries from a version to the one before it."""
    here, there = set(lines), set(before)
    removed = [
        (line, stance) for line in before if line not in here and (stance := stance_of(without_mark(line[:_LONGEST])))
    ]
    for trail in trails:
        if trail.done or not _holds(lines, here, trail.block):
            continue
        trail.lost = False
        if _holds(before, there, trail.block):
            _add_removed(name, trail, removed, before, change.at)
            continue
        old = _replaced(trail.block, lines, before, corrected=change.author is Author.PET) if exact else None
        if old is not None and only_ended(trail.block[0], old[0]):
            trail.block, trail.stance = old, None  # the same entry: it only holds no longer
            continue
        if not trail.known:
            trail.change = change if exact else None
        if change.kind == "restore" and not end:
            trail.lost = True  # it may have been there before
            continue
        trail.known = True
        if old is None or len(trail.earlier) == _MOST_EARLIER:
            trail.done = True
            continue
        trail.block, trail.stance = old, None
        sentence = _sentence(name, old[0], before)
        trail.earlier.append(Earlier(text="\n".join(old), sentence=sentence, until=change.at))


def _add_removed(name: str, trail: _Trail, removed: list[tuple[str, Stance]], before: list[str], at: str) -> None:
    """Add lines that went while the entry stayed, if both could not hold: a line that contradicted it is its past."""
    if removed and trail.stance is None:
        trail.stance = stance_of(without_mark(trail.block[0][:_LONGEST])) or _NO_STANCE
    for line, stance in removed:
        if trail.stance and len(trail.earlier) < _MOST_EARLIER and stance.against(trail.stance):
            trail.earlier.append(Earlier(text=line, sentence=_sentence(name, line, before), until=at))


def _sentence(name: str, line: str, before: list[str]) -> str:
    those = statements(name, "\n".join(before))
    return next((each.sentence for each in those if before[each.start_line - 1] == line), line.strip())


def _holds(lines: list[str], known: set[str], block: tuple[str, ...]) -> bool:
    if not all(line in known for line in block):
        return False
    return len(block) == 1 or any(tuple(lines[at : at + len(block)]) == block for at in range(len(lines)))


def _replaced(
    block: tuple[str, ...], lines: list[str], before: list[str], *, corrected: bool
) -> tuple[str, ...] | None:
    """Return the line in whose place the entry came; None if it was added, if that line said nothing, or if that is
    not sure."""
    place = next((at for at in range(len(lines)) if tuple(lines[at : at + len(block)]) == block), 0)
    blocks = matching_blocks(before, lines)
    ends = [(0, 0), *((a + size, b + size) for a, b, size in blocks)]
    starts = [*((a, b) for a, b, _ in blocks), (len(before), len(lines))]
    for (old_from, new_from), (old_to, new_to) in zip(ends, starts, strict=True):
        if new_from <= place < new_to:
            old = [line for line in before[old_from:old_to] if _is_text(line)]
            new = [at for at in range(new_from, new_to) if _is_text(lines[at])]
            if len(old) != len(new) or len(block) > 1 or place not in new:
                return None
            at = new.index(place)
            if is_unfilled(old[at]):
                return None
            sure = corrected and len(old) == 1
            return (old[at],) if sure or is_changed(block[0], old[at]) else None
    return None


def _is_text(line: str) -> bool:
    return bool(line.strip()) and not is_heading(line)


def is_changed(line: str, former: str) -> bool:
    """Return whether a line may be a former one with other words in places, by the words that both have."""
    ours, theirs = _words(line), _words(former)
    return len(ours & theirs) >= _SHARED * max(1, min(len(ours), len(theirs)))


def _words(line: str) -> set[str]:
    text = line.casefold()
    return {word for word in text.split() if len(word) > 2} | {
        text[at : at + 2] for at in range(len(text)) if text[at : at + 2] > "\u2e80"
    }


def _lines(data: bytes) -> list[str]:
    try:
        return normalize_newlines(decode_text(data).text).split("\n")
    except NotText:
        return []


def earlier_lines(store: WorkspaceStore, hits: Sequence[UsedMemory], texts: Texts) -> list[UsedMemory]:
    """Return the former text of these entries of core files before, newest first, without what was
    forgotten. Raises WorkspaceError."""
    lines: list[UsedMemory] = []
    for name in (CoreFile.USER.value, CoreFile.MEMORY.value):
        state = store.read(name)
        places = [(each.start_line, each.end_line) for each in hits if each.path == name]
        if not places or not isinstance(state, Present):
            continue
        all_entries = statements(name, normalize_newlines(state.text))
        entries = [
            each for each in all_entries if any(a <= each.end_line and each.start_line <= b for a, b in places)
        ]
        source = next(each.source for each in hits if each.path == name)
        for entry, past in zip(entries, pasts(name, store, entries), strict=True):
            for each in past.earlier:
                text = texts("prompt.context.until", text=plain_words(each.text), day=each.until[:10])
                if not store.forgotten.is_forgotten(each.text):
                    lines.append(
                        UsedMemory(
                            path=name,
                            start_line=entry.start_line,
                            end_line=entry.end_line,
                            source=source,
                            snippet=text,
                            sure=False,
                            superseded=True,
                        )
                    )
    return lines[:_MOST_EARLIER]


@dataclass(frozen=True, slots=True)
class Provenance:
    """Says where entries come from. ``imports``: the records of this pet."""

    store: WorkspaceStore
    transcripts: TranscriptStore
    imports: ImportRecords

    def origin(self, entry: Statement, logs: Iterable[Statement] = ()) -> Origin:
        """Return where an entry comes from. ``logs``: entries of the logs, in which one that upkeep moved is sought.
        Raises WorkspaceError."""
        (past,) = pasts(entry.file, self.store, [entry])
        return self._of(past.change, entry, logs)

    def _of(self, change: HistoryEntry | None, entry: Statement, logs: Iterable[Statement]) -> Origin:
        if change is None:
            return Origin(kind="unknown")
        source = change.source
        if source is not None and source.agent:
            return Origin(kind="agent", at=change.at, name=source.agent)
        if source is not None and source.conversation:
            origin, moved = _in_conversation(change, source, self.store, self.transcripts)
            return self._before_moved(entry, logs, origin) if moved else origin
        for record in self.imports.all():
            if any(each.file == change.file and each.after == change.after for each in record.receipts):
                return Origin(kind="import", at=change.at, name=record.kind)
        kinds: dict[Author, OriginKind] = {
            Author.OWNER: "owner",
            Author.OUTSIDE: "outside",
            Author.SYSTEM: "template",
        }
        origin = Origin(kind=kinds.get(change.author, "unknown"), at=change.at)
        # By an answer to a question of the pet, the owner lets a line of the logs replace one.
        return self._before_moved(entry, logs, origin) if origin.kind == "owner" else origin

    def _before_moved(self, entry: Statement, logs: Iterable[Statement], moved: Origin) -> Origin:
        """Return the origin of the log's entry that upkeep moved; ``moved`` if it isn't there."""
        key = fact_key(entry.sentence)
        for each in logs:
            if each.file.startswith(LOG_FOLDER) and each.file != entry.file and fact_key(each.sentence) == key:
                return self.origin(each)
        return moved


def _in_conversation(
    change: HistoryEntry, source: Source, store: WorkspaceStore, transcripts: TranscriptStore
) -> tuple[Origin, bool]:
    """Return the origin in a conversation, and whether upkeep moved the entry there."""
    origin = Origin(kind="conversation", at=change.at, conversation=source.conversation, turn=source.turn)
    try:
        talk = fold(transcripts.open(source.conversation).entries)
    except PetError:
        return replace(origin, conversation="", turn="", gone=True), False
    turn = next((each for each in talk.with_receipts() if each.id == source.turn), None)
    if store.forgotten.is_forgotten(f"{turn.text if turn else ''}\n{talk.title}"):
        return replace(origin, conversation="", turn="", gone=True, forgotten=True), False
    origin = replace(origin, title=talk.title)
    if turn is None:
        return replace(origin, turn="", gone=True), False
    wrote = next((each for each in turn.tools if each.receipt and each.receipt.after == change.after), None)
    if wrote is not None and wrote.tool == "tidy":
        return Origin(kind="moved", at=change.at), True
    if wrote is not None and wrote.call_id.startswith("flush_"):
        return replace(origin, kind="rested"), False
    quote = "" if turn.kind == "continue" else " ".join(turn.text[: 4 * _MOST_QUOTE].split())
    cut = f"{quote[: _MOST_QUOTE - 1]}…" if len(quote) > _MOST_QUOTE else quote
    return replace(origin, quote=cut), False


def message_of(change: HistoryEntry, store: WorkspaceStore, transcripts: TranscriptStore) -> str:
    """Return the beginning of the owner's message that led to a change; "" where none did or it isn't known."""
    source = change.source
    if source is None or source.agent or not source.conversation:
        return ""
    return _in_conversation(change, source, store, transcripts)[0].quote
