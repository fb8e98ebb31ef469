"""Daily maintenance of MEMORY.md and USER.md, with receipts: a nearly full file's entries move to the daily logs, and
standing facts from the logs to USER.md.

Runs only while memory is on. Logs are written first, so that a crash in between duplicates and never loses an entry;
entries already in a log are not written again. The turn's gate is checked again inside each file's lock.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from functools import partial
from itertools import groupby
from threading import Lock
from typing import TYPE_CHECKING

from pet.access import TurnGate
from pet.clock import Clock
from pet.engine.standing_facts import fact_keys, find_standing_facts, with_standing_facts
from pet.errors import PetError
from pet.i18n import Texts
from pet.memory.store.daily_log import append_entry, parse_log, render_entry
from pet.memory.store.digest import noted_text
from pet.memory.store.shrink_plan import Move, ShrinkPlan, plan_shrink
from pet.model import MISSING, Author, CoreFile, Present, Receipt, Source
from pet.settings.schema import Settings
from pet.workspace.file_history import HistoryEntry
from pet.workspace.file_names import log_name
from pet.workspace.gated_files import GatedFiles
from pet.workspace.store import WorkspaceStore
from pet.workspace.text_encoding import NotText, decode_text, normalize_newlines

if TYPE_CHECKING:
    from pet.settings.program_state import JsonState

CATEGORY = "memory"
"""Category of an entry in a log that was moved there from MEMORY.md or USER.md."""

_FILES = (CoreFile.MEMORY, CoreFile.USER)
_MIDNIGHT = time()
_LOGS = 400  # newest logs that are read for standing facts
_ASKED = 7  # newest logs whose changes are looked up for what the owner asked for
_FILLED = 0.7  # share of the limit up to which USER.md takes standing facts
_MOVED = 1_000  # hashes kept
_one_at_a_time = Lock()  # two conversations may end a turn concurrently
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class MaintenanceDay:
    """The day of a pet's last maintenance, in the program's state: ISO date, "" for never. Setters raise OSError."""

    state: JsonState
    pet: str

    def get(self) -> str:
        day = self.state.read().get(f"tidied.{self.pet}")
        return day if isinstance(day, str) else ""

    def set(self, day: str) -> None:
        self.state.update({f"tidied.{self.pet}": day})

    def standing(self) -> tuple[str, tuple[str, ...]]:
        """Return the day of the last look for standing facts, and hashes of the facts moved. Raises OSError."""
        day, *moved = self._strings(f"standing.{self.pet}") or [""]
        return day, tuple(moved)

    def set_standing(self, day: str, moved: Sequence[str]) -> None:
        self.state.update({f"standing.{self.pet}": [day, *moved]})

    def _strings(self, name: str) -> list[str]:
        value = self.state.read_known().get(name)  # it is written back: unreadable is not empty
        return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def tidy_if_due(
    store: WorkspaceStore, gate: TurnGate, source: Source, clock: Clock, settings: Settings, state: MaintenanceDay
) -> list[Receipt]:
    """Maintain nearly full files, at most once a day. Return a receipt for each file written, logs included.

    A failure is logged and ends maintenance for the day; it never affects the reply. Call off the event loop.
    """
    if not settings.upkeep or not gate.access().learns or gate.stopped:
        return []
    receipts: list[Receipt] = []
    with _one_at_a_time:
        now = clock.now()
        if state.get() == now.date().isoformat():
            return []
        try:
            plans = _plans(GatedFiles(store, gate, source), settings.prompt_file_characters, now.date())
            for files, plan, base in plans:
                state.set(now.date().isoformat())  # before the first write, so that a retry waits until tomorrow
                receipts.extend(_carried_out(files, plan, base, now))
        except (PetError, OSError) as error:
            _log.warning("memory was not tidied: %s", type(error).__name__)
    return receipts


def keep_standing_facts(
    store: WorkspaceStore,
    gate: TurnGate,
    source: Source,
    clock: Clock,
    settings: Settings,
    state: MaintenanceDay,
    texts: Texts,
    message_of: Callable[[HistoryEntry], str],
) -> list[Receipt]:
    """Add standing facts of earlier days' logs to USER.md, at most once a day. Return the receipt, if any.

    ``message_of`` returns the owner's message that led to a change of a log, "" where it isn't known.
    A failure is logged and ends the search for the day. Call off the event loop.
    """
    if settings.notes_when_asked or not settings.upkeep or not gate.access().learns or gate.stopped:
        return []
    with _one_at_a_time:
        today = clock.now().date()
        try:
            last, moved = state.standing()
            if last == today.isoformat():
                return []
            state.set_standing(today.isoformat(), moved)
            files = GatedFiles(store, gate, source)
            user, memory = files.current(CoreFile.USER), files.current(CoreFile.MEMORY)
            if not isinstance(user, Present):
                return []
            profile = normalize_newlines(user.text)
            logs = {
                name: log
                for name, log in files.recent_logs(today, _LOGS).items()
                if not name.endswith(f"/{today.isoformat()}.md")
            }
            notes = {each.name: each.text for each in (user, memory) if isinstance(each, Present)} | files.notes()
            known = "\n".join(notes[name] for name in _FILES if name in notes).split("\n")
            room = round(settings.prompt_file_characters * _FILLED) - len(profile)
            gate.check_recall()
            asked = _asked_for(store, sorted(logs)[-_ASKED:], message_of)
            standing = find_standing_facts(logs, known, asked, notes)
            facts = [each for each in standing if not store.forgotten.is_forgotten(each.text)]
            kept = with_standing_facts(profile, facts, moved, texts, room=room)
            if not kept.added:
                return []
            receipt = files.write(CoreFile.USER, kept.text, base=user.version)
            state.set_standing(today.isoformat(), [*moved, *(fact.key for fact in kept.added)][-_MOVED:])
        except (PetError, OSError) as error:
            _log.warning("standing facts were not kept: %s", type(error).__name__)
            return []
    return [replace(receipt, noted=tuple(noted_text(fact.text) for fact in kept.added))] if receipt else []


def _asked_for(store: WorkspaceStore, names: Iterable[str], message_of: Callable[[HistoryEntry], str]) -> set[str]:
    """Return the keys of facts that came into these logs with messages that asked to remember something.

    Only the conversations that changed these logs are read, each change's own; a change of which either version is
    gone counts as not asked for.
    """
    from pet.language.wishes import asks_to_remember

    keys: set[str] = set()
    for name in names:
        changes = list(store.changes(name))
        facts = {change.after: fact_keys(name, _readable(data)) for change, data in changes if data is not None}
        facts[MISSING] = frozenset()
        for change, _ in changes:
            after, before = facts.get(change.after), facts.get(change.before)
            new = after - before if after and before is not None and change.author is Author.PET else None
            if new and not new <= keys and asks_to_remember(message_of(change)):
                keys |= new
    return keys


def _readable(data: bytes) -> str:
    try:
        return normalize_newlines(decode_text(data).text)
    except NotText:
        return ""


def _plans(files: GatedFiles, limit: int, today: date) -> Iterator[tuple[GatedFiles, ShrinkPlan, str]]:
    for name in _FILES:
        state = files.current(name)
        if isinstance(state, Present):
            plan = plan_shrink(normalize_newlines(state.text), limit, today, name=name)
            if plan is not None:
                yield files, plan, state.version


def _carried_out(files: GatedFiles, plan: ShrinkPlan, base: str, now: datetime) -> Iterator[Receipt]:
    """Yield each receipt as soon as its file is written, so that those before a failure are reported."""
    moves = sorted(plan.moves, key=lambda move: (move.day, move.entry.start_line))
    for day, of_day in groupby(moves, key=lambda move: move.day):
        at = now.time() if day == now.date() else _MIDNIGHT  # for an earlier day the hour is unknown
        bodies = [_body(move) for move in of_day]
        # Exempt from the forgotten-text check: the owner wrote the text into this file, so it may move to the log.
        logged = files.append_log(partial(_with, bodies, day, at), log_name(day), owner_text="\n".join(bodies))
        if logged is not None:
            yield logged
    kept = files.write(plan.name, plan.keeps, base=base)
    if kept is not None:
        yield kept


def _with(bodies: list[str], day: date, at: time, log: str) -> str:
    """Return the log with those entries appended that it does not contain yet."""
    there = {entry.text for entry in parse_log(log.split("\n"))}
    for body in bodies:
        entry = render_entry(body, at=at, category=CATEGORY)
        if {held.text for held in parse_log(entry.split("\n"))} <= there:
            continue
        log = append_entry(log, entry, day)
    return log


def _body(move: Move) -> str:
    """Return the entry with its heading, for context."""
    return f"{move.heading}:\n{move.entry.text}" if move.heading else move.entry.text
