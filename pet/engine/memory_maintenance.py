"""Daily maintenance of MEMORY.md and USER.md, with receipts: a nearly full file's entries move to the daily logs.

Runs only while memory is on. Logs are written first, so that a crash in between duplicates and never loses an entry;
entries already in a log are not written again. The turn's gate is checked again inside each file's lock.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import partial
from itertools import groupby
from threading import Lock
from typing import TYPE_CHECKING

from pet.access import TurnGate
from pet.clock import Clock
from pet.errors import PetError
from pet.memory.store.daily_log import append_entry, parse_log, render_entry
from pet.memory.store.shrink_plan import Move, ShrinkPlan, plan_shrink
from pet.model import CoreFile, Present, Receipt, Source
from pet.settings.schema import Settings
from pet.workspace.file_names import log_name
from pet.workspace.gated_files import GatedFiles
from pet.workspace.store import WorkspaceStore
from pet.workspace.text_encoding import normalize_newlines

if TYPE_CHECKING:
    from pet.settings.program_state import JsonState

CATEGORY = "memory"
"""Category of an entry in a log that was moved there from MEMORY.md or USER.md."""

_FILES = (CoreFile.MEMORY, CoreFile.USER)
_MIDNIGHT = time()
one_at_a_time = Lock()
"""Held by maintenance: two conversations may begin a turn concurrently."""
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class MaintenanceDay:
    """The day of a pet's last maintenance, in the program's state: ISO date, "" for never. Setting raises OSError."""

    state: JsonState
    pet: str

    def get(self) -> str:
        day = self.state.read().get(f"tidied.{self.pet}")
        return day if isinstance(day, str) else ""

    def set(self, day: str) -> None:
        self.state.update({f"tidied.{self.pet}": day})


def tidy_if_due(
    store: WorkspaceStore, gate: TurnGate, source: Source, clock: Clock, settings: Settings, state: MaintenanceDay
) -> list[Receipt]:
    """Maintain nearly full files, at most once a day. Return a receipt for each file written, logs included.

    A failure is logged and ends maintenance for the day; it never affects the reply. Call off the event loop.
    """
    if not settings.upkeep or not gate.access().learns or gate.stopped:
        return []
    receipts: list[Receipt] = []
    with one_at_a_time:
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
