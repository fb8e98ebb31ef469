"""Upkeep of MEMORY.md and USER.md: once a day, brain on, entry by entry, each change with its receipt.

Owns the order of the writes: the logs first, so that a crash in between duplicates and never loses; what a log holds
already isn't written there again. Refuses to write where the gate of the turn it runs in doesn't allow it, asked
again inside each file's lock.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import date, datetime, time
from functools import partial
from itertools import groupby
from threading import Lock
from typing import Protocol

from pet.access.policy import TurnGate
from pet.clock import Clock
from pet.errors import PetError
from pet.memory.daily_log import append_entry, parse_log, render_entry
from pet.memory.upkeep.plan import Move, ShrinkPlan, plan_shrink
from pet.model import CoreFile, Present, Receipt, Source
from pet.settings.schema import Settings
from pet.workspace.file_names import log_name
from pet.workspace.gated_files import GatedFiles
from pet.workspace.text.encoded_text import normalize_newlines
from pet.workspace.versioned.store import WorkspaceStore

CATEGORY = "memory"
"""What an entry is called in a log that came there from MEMORY.md or USER.md."""

_FILES = (CoreFile.MEMORY, CoreFile.USER)
_MIDNIGHT = time()
_one_at_a_time = Lock()  # two conversations may end a turn at once
_log = logging.getLogger(__name__)


class MaintenanceDay(Protocol):
    """When this pet's files were tidied last: an ISO date, "" for never. ``set`` raises OSError."""

    def get(self) -> str: ...

    def set(self, day: str) -> None: ...


def tidy_if_due(
    store: WorkspaceStore, gate: TurnGate, source: Source, clock: Clock, settings: Settings, state: MaintenanceDay
) -> list[Receipt]:
    """Tidy what is nearly full, at most once a day. Returns a receipt for each file written, logs included.

    A failure ends it for today and is logged: a reply is never lost for it. To be called off the event loop.
    """
    if not settings.upkeep or not gate.access().recalls or gate.over is not None:
        return []
    receipts: list[Receipt] = []
    with _one_at_a_time:
        now = clock.now()
        if state.get() == now.date().isoformat():
            return []
        try:
            plans = _plans(GatedFiles(store, gate, source), settings.prompt_file_characters, now.date())
            for files, plan, base in plans:
                state.set(now.date().isoformat())  # before the first write: a second try must wait for tomorrow
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
    """Each receipt as soon as its file is written, so that those before a failure are told."""
    moves = sorted(plan.moves, key=lambda move: (move.day, move.entry.start_line))
    for day, of_day in groupby(moves, key=lambda move: move.day):
        at = now.time() if day == now.date() else _MIDNIGHT  # of an earlier day nobody knows the hour
        bodies = [_body(move) for move in of_day]
        # What the pet may not learn again stands here because the owner wrote it: then it may stand there too.
        logged = files.append_log(partial(_with, bodies, day, at), log_name(day), said="\n".join(bodies))
        if logged is not None:
            yield logged
    kept = files.write(plan.name, plan.keeps, base=base)
    if kept is not None:
        yield kept


def _with(bodies: list[str], day: date, at: time, log: str) -> str:
    """The log with those of the entries that it does not hold yet."""
    there = {entry.text for entry in parse_log(log.split("\n"))}
    for body in bodies:
        entry = render_entry(body, at=at, category=CATEGORY)
        if {held.text for held in parse_log(entry.split("\n"))} <= there:
            continue
        log = append_entry(log, entry, day)
    return log


def _body(move: Move) -> str:
    """The entry as it stood, under its heading: a line of a list alone says too little."""
    return f"{move.heading}:\n{move.entry.text}" if move.heading else move.entry.text
