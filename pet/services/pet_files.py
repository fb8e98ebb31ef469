"""One pet's settings, keys and files, without an engine: what a one-line command opens. And the choice of the pet.

``PetFiles`` is what the command line needs for a setting, a search or a file's history; the running core adds the
rest to it. Whatever a command doesn't use is not even imported.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

from pet.clock import Clock, SystemClock
from pet.errors import UnknownPet, WorkspaceError
from pet.i18n import Language, Texts
from pet.ids import check_pet_id
from pet.paths import Home
from pet.settings.effective import PetSettingsSource
from pet.settings.pet_settings import own_settings
from pet.settings.program_state import (
    ClosedValues,
    JsonState,
    PauseRecord,
    note_own_pets,
    note_used,
    own_pets,
    used_pets,
)
from pet.settings.store import SettingsStore
from pet.untrusted.regular_files import require_regular
from pet.workspace.pet_registry import DEFAULT_PET, PET_FILE, hold_pet, last_written, list_ids, require_known_pet

if TYPE_CHECKING:
    from pet.events import Event
    from pet.memory.store.provenance import Provenance
    from pet.providers.model_facts import ModelFactsBook
    from pet.services.reminders import ReminderBook
    from pet.settings.api_keys import KeyStore
    from pet.transcripts.store import TranscriptStore
    from pet.workspace.store import WorkspaceStore

T = TypeVar("T")
_log = logging.getLogger(__name__)


def choose_pet(home: Home, pet_id: str | None, state: JsonState) -> str:
    """Return the named pet, else the existing pet opened last, else the one with the newest conversation.

    Without conversations: DEFAULT_PET if it exists, else the first id; without pets DEFAULT_PET. Raises BadPetId, and
    UnknownPet for a named pet without a folder.
    """
    there = list_ids(home)
    if pet_id is not None:
        if check_pet_id(pet_id) not in there:
            raise UnknownPet(pet_id=pet_id)
        return pet_id
    used = next((each for each in used_pets(state) if each in there), None)
    if used is not None or len(there) == 1:
        return used or there[0]
    return min(
        there, key=lambda each: (-last_written(home.workspace(each)), each != DEFAULT_PET, each), default=DEFAULT_PET
    )


def record_use(state: JsonState, pet_id: str) -> None:
    """Record that this pet is opened; a failure to write is only logged."""
    try:
        note_used(state, pet_id)
    except OSError as error:
        _log.warning("the pet that is open could not be recorded: %s", error)


def record_choice(home: Home, state: JsonState) -> None:
    """Record the pet that would open next, before another is made, which could be chosen instead. Raises OSError."""
    if list_ids(home):
        note_used(state, choose_pet(home, None, state))


class part(Generic[T]):  # noqa: N801  a decorator, as ``property`` is
    """A part made at its first use and kept, by one thread at a time: the pet's ``making`` lock is held.

    A part imports what it needs, and adds its own closing to ``closing``.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> part[T]: ...
    @overload
    def __get__(self, owner: PetFiles, kind: type) -> T: ...
    def __get__(self, owner: PetFiles | None, kind: type) -> part[T] | T:
        if owner is None:
            return self
        made, name = vars(owner), self._make.__name__
        with owner.making:
            if name not in made:
                made[name] = self._make(owner)
        return cast("T", made[name])


class PetFiles:
    """One pet's settings, keys and files. Raises BadPetId, UnknownPet for a named pet without a folder, and
    NewerFormat if a newer program wrote its folder or the state.
    """

    def __init__(
        self,
        home: Home,
        *,
        pet_id: str | None = None,
        environ: Mapping[str, str] = os.environ,
        clock: Clock | None = None,
        on_event: Callable[[Event], object] = lambda _event: None,
    ) -> None:
        self.home = home
        self.environ = environ
        self.clock = clock or SystemClock()
        self._on_event = on_event
        self.making = RLock()
        self.closing = ExitStack()
        """Callbacks of ``close``, last added first, each also after a failure."""
        require_regular(home.state_file)  # an unreadable state would end a pause
        self.state = JsonState(home.state_file)
        self.state.require_known_format()
        self.settings = SettingsStore(home.settings_file, environ, self.settings_changed, ClosedValues(self.state))
        self.pet_id = choose_pet(home, pet_id, self.state)
        root = home.workspace(self.pet_id)
        require_known_pet(root)
        self.effective = PetSettingsSource(
            self.settings,
            partial(own_settings, root, self.pet_id, self.state),
            (home.settings_file, root / PET_FILE, home.state_file),
        )
        self.pause_record = PauseRecord(self.state, home.pause_file(self.pet_id), self.pet_id)

    def emit(self, event: Event) -> None:
        """Pass the event to ``on_event``, the only listener of a command on files alone."""
        self._on_event(event)

    def settings_changed(self) -> None:
        """Ignored: a command on files alone shows no settings."""

    @part
    def keys(self) -> KeyStore:
        from pet.settings.api_keys import KeyStore

        return KeyStore(self.home, self.environ)

    @part
    def facts(self) -> ModelFactsBook:
        """Facts about the models' servers."""
        from pet.providers.model_facts import ModelFactsBook

        return ModelFactsBook(JsonState(self.home.model_facts_file))

    @part
    def store(self) -> WorkspaceStore:
        """The pet's files, made on the first start. The pet can't be deleted until ``close``."""
        from pet.workspace.store import FileLimits, WorkspaceStore
        from pet.workspace.templates import create_workspace

        root = self.home.workspace(self.pet_id)
        self.closing.callback(hold_pet(self.home, self.pet_id).release)
        if self.pause_record.read()[0]:
            with suppress(OSError):  # done at the next start
                self.pause_record.mark()
        if create_workspace(root, self.effective.language(), ours=self._is_ours()):
            with suppress(OSError):  # asked again at the next start
                note_own_pets(self.state, [self.pet_id])
        store = WorkspaceStore(
            root,
            locks=self.home.locks,
            clock=self.clock,
            limits=FileLimits(history_days=self.effective.current().history_days),
            on_change=self.emit,
        )
        for lost in store.lost_files():
            with suppress(WorkspaceError):
                store.observe(lost.name)  # records since when
        return store

    def _is_ours(self) -> bool:
        """Whether the pet's folder was opened or copied in this home. Earlier versions recorded only which pet was
        used: all that are here then count."""
        if (own := own_pets(self.state)) is not None:
            return self.pet_id in own
        if self.state.read_or_lost()[1] or not used_pets(self.state) or not self.home.machine_file.exists():
            return False
        with suppress(OSError):
            note_own_pets(self.state, list_ids(self.home))
        return True

    @part
    def transcripts(self) -> TranscriptStore:
        from pet.settings.program_state import machine_id
        from pet.transcripts.store import TranscriptStore
        from pet.workspace.file_names import CONVERSATIONS

        return TranscriptStore(self.store.root / CONVERSATIONS, machine_id(self.home.machine_file), self.clock)

    @part
    def provenance(self) -> Provenance:
        """Origins of the memory's entries."""
        from pet.memory.store.provenance import Provenance
        from pet.settings.import_records import ImportRecords

        return Provenance(self.store, self.transcripts, ImportRecords(self.home.imports_file, self.pet_id))

    @part
    def reminders(self) -> ReminderBook:
        from pet.services.reminders import ReminderBook

        return ReminderBook(self.store, self.clock)

    def language(self) -> Language:
        return self.effective.language()

    def texts(self) -> Texts:
        return self.effective.texts()

    def close(self) -> None:
        self.closing.close()
