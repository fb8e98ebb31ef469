"""Other agents of one pet: the gateway over the pet's files, and what the owner sees of them and decides."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from pet.access import PetGate
from pet.agents.book import AgentBook, AgentClient
from pet.agents.gateway import AgentGateway
from pet.memory.reminders import Reminders
from pet.services.pet_files import PetFiles
from pet.services.reminders import ReminderBook
from pet.settings.program_state import is_paused, machine_id, recorded_pause

if TYPE_CHECKING:
    from pet.memory.memory_index import MemoryIndex


def open_book(files: PetFiles, changed: Callable[[], object] = lambda: None) -> AgentBook:
    return AgentBook(
        root=files.store.root,
        locks=files.home.locks,
        machine=machine_id(files.home.machine_file),
        changed=changed,
    )


def make_gateway(
    files: PetFiles,
    *,
    book: AgentBook,
    pet: PetGate,
    index: Callable[[], MemoryIndex],
    reminders: Callable[[], Reminders],
    ask: Callable[[AgentClient], bool] = lambda _client: False,
) -> AgentGateway:
    return AgentGateway(
        store=files.store,
        pet=pet,
        book=book,
        index=index,
        reminders=reminders,
        clock=files.clock,
        texts=files.texts,
        file_characters=lambda: files.effective.current().prompt_file_characters,
        ask=ask,
    )


def gateway_without_pet(files: PetFiles) -> AgentGateway:
    """Return a gateway for a process beside no running pet; its index searches by what is indexed, and by words."""
    from pet.memory.memory_index import open_index

    pet = PetGate(paused=is_paused(files.state, files.pet_id))
    pet.set_external_check(partial(recorded_pause, files.state, files.pet_id))
    opened: list[MemoryIndex] = []

    def index() -> MemoryIndex:
        if not opened:
            opened.append(open_index(files.store.root, files.home.cache))
            files.closers.append(opened[0].close)
        opened[0].refresh_words()
        return opened[0]

    book = open_book(files)
    book.drop_notes(files.store.forgotten.is_forgotten)
    return make_gateway(
        files, book=book, pet=pet, index=index, reminders=ReminderBook(files.store, files.clock).snapshot
    )
