"""Handlers for the pets of this home and the active one. Each pet is a separate workspace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pet.bridge.api import NamedPetArgs, NewPetArgs, Nothing, PetArgs, PetInfo, PetList
from pet.bridge.desktop_port import DesktopPort
from pet.clock import Clock, SystemClock
from pet.errors import PetBusy, UnknownTemplate
from pet.events import Event, PetsChanged
from pet.i18n import Language, Texts
from pet.paths import Home
from pet.settings.json_state import JsonState
from pet.settings.recent_pets import forget_used, note_used
from pet.skins.model import BODY_OF_SOUL
from pet.workspace.pets.registry import Pets, display_name
from pet.workspace.pets.trash import move_to_trash
from pet.workspace.templates import FIRST_SOUL


class PetCommands:
    """``current`` is the pet that this program has open."""

    def __init__(
        self,
        pets: Pets,
        state: JsonState,
        *,
        current: str,
        language: Callable[[], Language],
        windows: DesktopPort,
        emit: Callable[[Event], None],
    ) -> None:
        self._pets = pets
        self._state = state
        self._current = current
        self._language = language
        self._windows = windows
        self._emit = emit

    def list_pets(self, _args: Nothing) -> PetList:
        texts = Texts(self._language())
        return PetList(
            pets=[
                PetInfo(
                    id=each.id,
                    name=display_name(each.root, each.id, texts),
                    current=each.id == self._current,
                    conversations=each.conversations,
                    changed_at=each.changed_at,
                )
                for each in self._pets.list()
            ]
        )

    def create_pet(self, args: NewPetArgs) -> PetList:
        """Raises UnknownTemplate for an unknown personality, and as ``Pets.create``."""
        if args.soul and args.soul not in BODY_OF_SOUL:
            raise UnknownTemplate(template=args.soul[:60])
        soul = args.soul or FIRST_SOUL
        body = BODY_OF_SOUL[soul] if soul != FIRST_SOUL else None
        self._pets.create(args.name, self._language(), args.profile_of, soul=soul, skin=body)
        return self._changed()

    def rename_pet(self, args: NamedPetArgs) -> PetList:
        self._pets.rename(args.pet, args.name)
        return self._changed()

    def duplicate_pet(self, args: NamedPetArgs) -> PetList:
        self._pets.duplicate(args.pet, args.name)
        return self._changed()

    def delete_pet(self, args: PetArgs) -> PetList:
        """The active pet can't be deleted: the owner must switch first."""
        self._pets.root(args.pet)
        if args.pet == self._current:
            raise PetBusy(pet_id=args.pet)
        self._pets.delete(args.pet)
        return self._changed()

    def switch_pet(self, args: PetArgs) -> None:
        """Restart the program with the other pet: open proposals are refused, running turns are stopped and their
        text kept.
        """
        self._pets.root(args.pet)
        if args.pet != self._current:
            choose(self._state, args.pet)
            self._windows.restart()

    def _changed(self) -> PetList:
        self._emit(PetsChanged())
        return self.list_pets(Nothing())


def open_pets(home: Home, clock: Clock | None = None) -> Pets:
    """Return the pets of a home, with removal of their data outside their folders."""
    return Pets(
        home,
        clock=clock or SystemClock(),
        drop_traces=lambda pet_id, root: drop_traces(home, pet_id, root),
        to_bin=move_to_trash,
    )


def choose(state: JsonState, pet_id: str) -> None:
    """Make this the pet the program starts with."""
    note_used(state, pet_id)


def drop_traces(home: Home, pet_id: str, root: Path) -> None:
    """Remove a pet's data elsewhere: its index, its pause, its tabs with their drafts."""
    from pet.memory.database import delete, index_file

    delete(index_file(root, home.cache))
    for file in (home.state_file, home.tabs_file, home.imports_file):
        JsonState(file).drop(lambda name: name.endswith(f".{pet_id}"))  # no id holds a dot
    forget_used(JsonState(home.state_file), pet_id)
