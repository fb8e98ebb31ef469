"""Talking to the running pet of this home: what changed, and the pause. Nobody there is fine."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from pet.bridge.api import ChangedArgs, Nothing, PauseArgs, Status
from pet.bridge.ipc.server import call_running
from pet.bridge.serde import CommandFailed
from pet.errors import PathRefused
from pet.paths import Home
from pet.workspace.file_names import parse_name
from pet.workspace.pets.registry import list_ids

if TYPE_CHECKING:
    from pet.memory.forget.service import ForgetPlan, ForgetReport


def status_of_running(home: Home) -> Status | None:
    """Raises CommandFailed if a pet runs and does not answer."""
    reply = call_running(home, "get_status", Nothing())
    return reply if isinstance(reply, Status) else None


def meant_pet(home: Home, named: str | None) -> str | None:
    """The id of the named pet, else of the running one; None where ``choose_pet`` decides.

    A running program that does not answer can't say which pet it has open; it recorded that one when it started.
    """
    there = list_ids(home)
    if named is not None or len(there) < 2:
        return named
    try:
        status = status_of_running(home)
    except CommandFailed:
        return None
    return status.pet if status is not None and status.pet in there else None


def tell_changed(home: Home, pet_id: str, files: Iterable[str], conversations: Iterable[str] = ()) -> None:
    """A hint only: a pet that can't listen now finds the change by itself. ``conversations``: whose receipts
    changed."""
    names = sorted(set(files))
    if not names:
        return
    try:
        call_running(home, "files_changed", ChangedArgs(pet=pet_id, files=names, conversations=list(conversations)))
    except CommandFailed:
        return


def tell_forgotten(home: Home, pet_id: str, plan: ForgetPlan, report: ForgetReport) -> None:
    """So that a turn that runs there keeps nothing of it, and the windows show it no longer."""
    told = ChangedArgs(
        pet=pet_id,
        files=sorted(filter(_is_name, report.files)),
        forgotten=list(plan.texts),
        conversations=list(report.conversations),
    )
    with suppress(CommandFailed):
        call_running(home, "files_changed", told)


def tell_deleted(home: Home, pet_id: str, conversation: str) -> None:
    """So that its windows show the conversation no longer."""
    with suppress(CommandFailed):
        call_running(home, "files_changed", ChangedArgs(pet=pet_id, files=[], deleted=[conversation]))


def _is_name(path: str) -> bool:
    try:
        return bool(parse_name(path))
    except PathRefused:  # a copy of a sync program's
        return False


def pause_running(home: Home, pet_id: str, *, paused: bool) -> bool:
    """Whether the running pet is this one and has done it. Raises CommandFailed if it does not answer."""
    status = status_of_running(home)
    if status is None or status.pet != pet_id:
        return False
    call_running(home, "pause_brain", PauseArgs(paused=paused))
    return True
