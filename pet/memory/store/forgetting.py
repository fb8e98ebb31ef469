"""Forgetting on the owner's request: a plan first, then removal for good, without undo.

Order of removal: tombstone, files with their history, transcripts, index. What was said aloud and the owner's persona
texts stay and are reported. If the process is killed, the same request again finishes the work.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import ClassVar

from pet.access import GATED
from pet.errors import FileConflict, ForgetTooShort, PathRefused, VersionUnknown, WorkspaceError
from pet.events import Event, Forgotten, TurnEnded
from pet.i18n import Texts
from pet.memory.store.forget_matches import cut_bytes, entry_text
from pet.memory.store.forget_plan import (
    EntryAt,
    ForgetOutcome,
    ForgetPlan,
    LearnedIn,
    Occurrence,
    Wish,
    bytes_of,
    in_copies,
    in_file,
    in_history,
    in_names,
    in_others,
    in_transcripts,
)
from pet.memory.store.split_entries import Entry, whole_entries
from pet.model import Broken, Receipt, Version
from pet.transcripts.redact import RedactionRule, conversations_in, redact_file
from pet.transcripts.store import TranscriptStore
from pet.workspace.file_history import delete_orphans, files_containing, find_orphans, history_logs, log_entries
from pet.workspace.file_names import ASIDE, CONVERSATIONS, HISTORY_FOLDER, kind_of, parse_name
from pet.workspace.line_diff import count_changes
from pet.workspace.pet_registry import require_known_pet
from pet.workspace.purge import erase_sidecar, list_sidecars
from pet.workspace.store import WorkspaceStore
from pet.workspace.text_encoding import NotText, decode_text, normalize_newlines
from pet.workspace.tombstones import SearchPatterns, check_length

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Done:
    """Progress so far."""

    entries: int = 0
    versions: int = 0
    messages: int = 0
    unreached: list[str] = field(default_factory=list)


class ForgetService:
    """Plans and removes; one per pet, thread-safe, one request at a time."""

    def __init__(
        self,
        store: WorkspaceStore,
        transcripts: TranscriptStore,
        purge: Callable[[], bool],
        *,
        texts: Callable[[], Texts],
        extra_files: Sequence[Path] = (),
        emit: Callable[[Forgotten], object] | None = None,
    ) -> None:
        """``purge``: of the index; returns whether it is done. ``extra_files``: files outside the pet's folder that
        may contain the owner's texts, for example drafts."""
        self._store = store
        self._transcripts = transcripts
        self._purge = purge
        self._texts = texts
        self._extra_files = tuple(extra_files)
        self._emit = emit
        self._lock = Lock()
        self._recent_patterns: dict[SearchPatterns, set[str]] = {}
        self._follow: Callable[[ForgetPlan, ForgetOutcome], None] = lambda _plan, _report: None

    def follow(self, done: Callable[[ForgetPlan, ForgetOutcome], None]) -> None:
        """Set the callback for finished requests, whichever client made them."""
        self._follow = done

    # --- planning

    def find(self, what: Wish) -> ForgetPlan:
        """Return what would go and what would stay; changes nothing.

        Raises:
            ForgetTooShort: The text is too short to be matched safely.
            PathRefused: The file is not one of the pet's memory.
            FileConflict: No entry is in these lines.
            VersionUnknown: The receipt's version is gone.
        """
        match what:
            case str():
                return self._plan((what,))
            case EntryAt():
                return self._plan(self._entries_at(what))
            case Receipt():
                return self._plan(self._entries_of(what))
            case LearnedIn():
                return self.find_learned(what.conversation)

    def find_learned(self, conversation: str) -> ForgetPlan:
        """Return the plan for the entries that one conversation wrote; without texts if it wrote nothing.

        The conversation's own transcript is not listed: it is deleted separately.
        """
        texts: list[str] = []
        for name in self._store.names():
            if not _is_gated(name):
                continue
            now = {entry_text(entry.text) for entry in self._entries(name, bytes_of(self._store, name))}
            for kept in log_entries(self._store.root, name):
                if kept.source is not None and kept.source.conversation == conversation:
                    with suppress(VersionUnknown):  # pruned since
                        added = self._added(name, kept.before, kept.after)
                        # A forgotten text still in a version: an earlier request was interrupted.
                        texts += (text for text in added if text in now or self._store.forgotten.is_forgotten(text))
        try:
            plan = self._plan(_long_enough(texts))
        except ForgetTooShort:
            return ForgetPlan(texts=(), goes=(), stays=())
        own = f"{CONVERSATIONS}/{conversation}.jsonl"
        goes = tuple(piece for piece in plan.goes if piece.path != own)
        stays = tuple(piece for piece in plan.stays if piece.path != own)
        return replace(plan, goes=goes, stays=stays)

    def _plan(self, texts: tuple[str, ...]) -> ForgetPlan:
        sought = SearchPatterns.of(texts)
        goes, stays = self._pieces(sought)
        begun = all(self._store.forgotten.is_forgotten(text) for text in texts)
        return ForgetPlan(texts=texts, goes=goes, stays=stays, begun=begun)

    def _pieces(self, sought: SearchPatterns) -> tuple[tuple[Occurrence, ...], tuple[Occurrence, ...]]:
        goes: list[Occurrence] = []
        stays: list[Occurrence] = []
        logs = history_logs(self._store.root)
        for name in self._store.names():
            now = in_file(self._store, name, sought)
            kept = not _is_gated(name) and bool(now)
            broken = any(not piece.start_line for piece in now)
            (stays if kept or broken else goes).extend(now)
            stays += in_names(name, sought)
            known = frozenset(piece.text for piece in now)
            (stays if kept else goes).extend(in_history(self._store, name, logs.get(name, ()), sought, known))
        for piece in in_copies(self._store, sought):
            (goes if piece.start_line else stays).append(piece)
        for piece in in_transcripts(self._transcripts.folder, sought):
            (stays if piece.where == "said" else goes).append(piece)
        goes += (
            Occurrence(where="history", path=".history", text="")
            for _ in find_orphans(self._store.root, sought.matches_bytes)
        )
        stays += in_others(self._store, sought, self._extra_files)
        return tuple(goes), tuple(stays)

    # --- texts of a request

    def _entries_at(self, place: EntryAt) -> tuple[str, ...]:
        name = parse_name(place.file)
        if not _is_gated(name):
            raise PathRefused
        entries = self._entries(name, bytes_of(self._store, name))
        meant = [e for e in entries if e.start_line <= place.end_line and place.start_line <= e.end_line]
        if not meant:  # changed since the owner saw it
            raise FileConflict(file=name)
        return _long_enough(entry_text(entry.text) for entry in meant)

    def _entries_of(self, receipt: Receipt) -> tuple[str, ...]:
        name = parse_name(receipt.file)
        if not _is_gated(name):
            raise PathRefused
        return _long_enough(self._added(name, receipt.before, receipt.after))

    def _added(self, name: str, before: Version, after: Version) -> list[str]:
        """Return the entries of ``after`` that ``before`` lacks. Raises VersionUnknown."""
        old = {entry.text for entry in self._entries(name, self._store.version_bytes(name, before))}
        new = self._entries(name, self._store.version_bytes(name, after))
        return [entry_text(entry.text) for entry in new if entry.text not in old]

    @staticmethod
    def _entries(name: str, data: bytes) -> list[Entry]:
        try:
            return list(whole_entries(name, normalize_newlines(decode_text(data).text).split("\n")))
        except NotText:
            return []

    # --- removal

    def forget(self, plan: ForgetPlan) -> ForgetOutcome:
        """Remove the texts everywhere, also from what was written since the plan. What cannot be changed now is
        reported.

        Raises:
            ForgetTooShort, NewerFormat: Nothing was changed.
            WriteFailed: The tombstone could not be written.
        """
        require_known_pet(self._store.root)
        sought = SearchPatterns.of(plan.texts)
        done = _Done()
        with self._lock:
            for text in plan.texts:
                self._store.forgotten.remember(text, locks=self._store.locks)
            files, renamed = self._erase_files(sought, done)
            conversations = self._scrub(sought, renamed, done)
            purged = self._purge_index()
            goes, stays = self._pieces(sought)
            listed = {piece.path for piece in goes}
            unreached = [each for each in done.unreached if each not in listed]
            unreached += [] if purged else [self._texts()("forget.index")]
            goes += tuple(Occurrence(where="file", path=each, text="") for each in unreached)
            self._recent_patterns[sought] = set()
        if self._emit is not None:
            self._emit(Forgotten(conversations=list(conversations)))
        report = ForgetOutcome(
            entries=done.entries,
            versions=done.versions,
            messages=done.messages,
            left=(*stays, *goes),
            unreached=len(goes),
            files=files,
            conversations=conversations,
        )
        self._follow(plan, report)
        return report

    def on_external_forget(self, texts: Sequence[str], conversations: Sequence[str]) -> None:
        """Handle texts forgotten by another program of this pet: running turns are scrubbed when they end, and
        windows refresh. Raises ForgetTooShort."""
        sought = SearchPatterns.of(texts)
        with self._lock:
            self._recent_patterns[sought] = set()
        if self._emit is not None:
            self._emit(Forgotten(conversations=list(conversations)))

    EVENTS: ClassVar[tuple[type[Event], ...]] = (TurnEnded,)

    def on_event(self, event: Event) -> None:
        """Scrub what a turn that just ended wrote since a request to forget; free where nothing was forgotten."""
        if isinstance(event, TurnEnded):
            self._after_turn(event.conversation)

    def _after_turn(self, conversation: str) -> None:
        with self._lock:
            for sought, seen in self._recent_patterns.items():
                if conversation not in seen:
                    seen.add(conversation)
                    self._scrub(sought, {}, _Done(), only=conversation)

    def _purge_index(self) -> bool:
        with _reported("index", []):
            if self._purge():
                return True
            _log.warning("not forgotten everywhere: the index is in use")
        return False

    def _erase_files(self, sought: SearchPatterns, done: _Done) -> tuple[tuple[str, ...], dict[Version, Version]]:
        def cut(name: str, data: bytes) -> bytes | None:
            return cut_bytes(name, data, sought)

        files: list[str] = []
        renamed: dict[Version, Version] = {}
        around = files_containing(self._store.root, sought.matches_bytes)
        for name in self._store.names():
            now = in_file(self._store, name, sought)
            state = self._store.read(name)
            if _is_gated(name) and isinstance(state, Broken) and state.problem == "unreadable":
                done.unreached.append(name)
            if (now and not _is_gated(name)) or not (now or name in around):
                continue
            with _reported(name, done.unreached):
                erased = self._store.erase(name, cut)
                done.entries += len(now) if erased.changed else 0
                done.versions += erased.versions
                renamed |= erased.renamed
                files.append(name)
        for copy in list_sidecars(self._store.root):
            with _reported(copy.path, done.unreached):
                if erase_sidecar(self._store.root, self._store.locks, copy, cut):
                    files.append(copy.path)
        with _reported(HISTORY_FOLDER, done.unreached):
            done.versions += delete_orphans(
                self._store.root, self._store.locks, self._store.names(), sought.matches_bytes
            )
        return tuple(files), renamed

    def _scrub(
        self, sought: SearchPatterns, renamed: dict[Version, Version], done: _Done, only: str = ""
    ) -> tuple[str, ...]:
        marker = self._texts()("forget.marker")
        wanted = RedactionRule(
            holds=sought.matches,
            quotes=sought.quoted(),
            marker=marker,
            versions=renamed,
            recount=self._recount,
        )
        changed: list[str] = []
        for transcripts in conversations_in(self._transcripts.folder):
            if only and transcripts.conversation != only:
                continue
            with _reported(f"{CONVERSATIONS}/{transcripts.conversation}.jsonl", done.unreached):
                scrubbed = redact_file(transcripts, wanted)
                done.messages += scrubbed.messages
                if scrubbed.changed:
                    changed.append(transcripts.conversation)
        return tuple(changed)

    def _recount(self, file: str, before: Version, after: Version, wrote_it: bool) -> tuple[int, int] | None:
        """Return the lines added and removed between two versions; (0, 0) if only headings remain, None if
        unknown."""
        try:
            old, new = (self._store.version_bytes(parse_name(file), version) for version in (before, after))
            added, removed = count_changes(old.decode(errors="replace"), new.decode(errors="replace"))
            if wrote_it and removed == 0 and not self._added(file, before, after):
                return 0, 0
        except (VersionUnknown, PathRefused):
            return None
        return added, removed


def _is_gated(name: str) -> bool:
    return kind_of(name) in GATED or name == ASIDE


def _long_enough(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the texts that can be forgotten, each once. Raises ForgetTooShort if all are too short."""
    accepted: list[str] = []
    for text in texts:
        with suppress(ForgetTooShort):
            check_length(text)
            accepted.append(text)
    if not accepted:
        raise ForgetTooShort
    return tuple(dict.fromkeys(accepted))


@contextmanager
def _reported(place: str, unreached: list[str]) -> Iterator[None]:
    """Log an error and add the place to ``unreached`` instead of raising, so that the rest is still removed."""
    try:
        yield
    except (WorkspaceError, OSError) as error:
        unreached.append(place)
        _log.warning("not forgotten everywhere: %s %s", place, type(error).__name__)
