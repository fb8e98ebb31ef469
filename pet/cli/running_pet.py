"""The running pet of this home: its status, the pause, and what changed in this process.

A pet that isn't running is no error.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from pet.bridge.channel import SECONDS, NotListening
from pet.bridge.commands.lifecycle import ChangedArgs, LifecycleCommands, Status
from pet.bridge.dispatch import CommandFailed
from pet.bridge.socket_server import RunningPet, listens
from pet.events import Event, ReceiptsChanged, WorkspaceChanged
from pet.i18n import Texts
from pet.paths import Home
from pet.workspace.file_names import is_name
from pet.workspace.pet_registry import list_ids

if TYPE_CHECKING:
    from pet.app import Pet
    from pet.cli.arguments import Given
    from pet.memory.store.forget_plan import ForgetOutcome, ForgetPlan

_REPORT_SECONDS = 10.0
_PAUSE_SECONDS = 15.0
"""The running pet may wait some seconds for a request in flight before it reports that it can't stop it."""


def status_of_running(home: Home) -> Status | None:
    """Return the status of the pet that leads, or None. Raises CommandFailed if it does not respond."""
    program = find_running(home, None)
    return program[1] if program is not None else None


def find_running(home: Home, named: str | None, seconds: float = SECONDS) -> tuple[RunningPet, Status] | None:
    """Return the running program of this pet, by default of the one that leads, and its status; None if it does not
    run. Raises CommandFailed if it does not respond."""
    for address in (*([named] if named in list_ids(home) else ()), ""):
        with suppress(NotListening):
            status = RunningPet(home, pet=address).call(LifecycleCommands.get_status)
            if named in (None, status.pet):
                return RunningPet(home, seconds=seconds, pet=address), status
    return None


def pets_on_desktop(home: Home) -> list[str]:
    """Return the pets whose programs run, also those that do not respond."""
    return [each for each in list_ids(home) if listens(home, each)]


def meant_pet(home: Home, named: str | None) -> str | None:
    """Return the id of the named pet, else of the running one; None where ``choose_pet`` decides.

    For a running pet that does not respond, the one recorded at its start is used.
    """
    there = list_ids(home)
    if named is not None or len(there) < 2:
        return named
    try:
        status = status_of_running(home)
    except CommandFailed:
        return None
    return status.pet if status is not None and status.pet in there else None


def report_changes(app: Pet) -> None:
    """Report to the running pet from now on what changes in this process."""
    report = partial(report_change, app.home, app.pet_id)
    subscription = app.emitter.subscribe(report, WorkspaceChanged, ReceiptsChanged, name="running-pet")
    app.closing.callback(subscription.close, _REPORT_SECONDS)
    app.forgetting.follow(partial(notify_forgotten, app.home, app.pet_id))


def report_change(home: Home, pet_id: str, event: Event) -> None:
    """Report a changed file or receipt; a pet that misses the hint detects the change itself."""
    match event:
        case WorkspaceChanged(file=file) if is_name(file):
            _notify(home, ChangedArgs(pet=pet_id, files=[file]))
        case ReceiptsChanged(conversation=conversation):
            _notify(home, ChangedArgs(pet=pet_id, files=[], conversations=[conversation]))


def notify_changed(home: Home, pet_id: str, files: Iterable[str]) -> None:
    """Report changed files of which no event tells, or many in one call."""
    names = sorted(filter(is_name, set(files)))
    if names:
        _notify(home, ChangedArgs(pet=pet_id, files=names))


def notify_forgotten(home: Home, pet_id: str, plan: ForgetPlan, report: ForgetOutcome) -> None:
    """Report forgotten texts, so that running turns and windows drop them."""
    changed = ChangedArgs(
        pet=pet_id,
        files=sorted(filter(is_name, report.files)),
        forgotten=list(plan.texts),
        conversations=list(report.conversations),
    )
    _notify(home, changed)


def notify_deleted(home: Home, pet_id: str, conversation: str) -> None:
    """Report a deleted conversation, so that windows close it."""
    _notify(home, ChangedArgs(pet=pet_id, files=[], deleted=[conversation]))


def notify_left(home: Home, pet_id: str, conversations: Iterable[str]) -> None:
    """Report conversations that the terminal left: the pet takes their notes, as of a tab that is closed."""
    left = sorted(set(conversations))
    if left:
        _notify(home, ChangedArgs(pet=pet_id, files=[], left=left))


def _notify(home: Home, changed: ChangedArgs) -> None:
    with suppress(CommandFailed, NotListening):
        if (program := find_running(home, changed.pet)) is not None:
            program[0].call(LifecycleCommands.files_changed, changed)


def pause_running(home: Home, pet_id: str, *, paused: bool) -> bool:
    """Return whether the running pet is this one, now paused or resumed. Raises CommandFailed if unresponsive."""
    program = find_running(home, pet_id, _PAUSE_SECONDS)
    if program is None:
        return False
    with suppress(NotListening):  # it ended meanwhile
        program[0].call(LifecycleCommands.pause_memory, paused=paused)
    return True


def meant_program(home: Home, given: Given) -> tuple[RunningPet, Status] | None:
    """Return the running program of the pet that is meant, and its status; None also if it does not respond."""
    try:
        return find_running(home, given.pet)
    except CommandFailed:
        return None


def say_which_runs(status: Status, given: Given, texts: Texts) -> None:
    """Print the running pet's name on stderr if it isn't obvious."""
    from pet.cli.terminal import Terminal, safe

    if given.pet is None and not given.json and status.has_others:
        name = safe(status.pet_name)
        Terminal.standard().complain(texts("cli.which_pet", name=name, id=status.pet))
