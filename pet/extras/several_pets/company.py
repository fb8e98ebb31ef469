"""The pets of this home that are on the desktop together, one program for each.

The programs tell one another where their pet is and whether it is shown and asleep, over the local sockets,
when that changes: no text, no name, nothing of a pet's files. What they say is not trusted. One of them leads: it has
the tray, the hotkeys and the home's socket; the others wait for its lock, and one takes over when it ends. What a pet
makes of another beside it follows from these places alone; nothing waits for it or asks again.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from pet.bridge.single_instance import SingleInstance
from pet.desktop.pets_here import pets_of
from pet.desktop.process import Arrival, start_pet
from pet.extras.several_pets.companions import (
    MOST_PETS,
    Neighbour,
    TooManyPets,
    leave_company,
    note_company,
    read_company,
)
from pet.paths import Home
from pet.settings.program_state import JsonState, note_used, used_pets

if TYPE_CHECKING:
    from subprocess import Popen

_SECONDS = 2.0
_AGAIN_SECONDS = 0.05  # only while another program starts or ends
_FARTHEST, _LARGEST = 100_000, 2_000  # units

_log = logging.getLogger(__name__)


class Company:
    """The other pets and their places. Thread-safe. ``lead``: the lock of the program that leads."""

    def __init__(self, home: Home, lead: SingleInstance) -> None:
        self._home = home
        self._lead = lead
        self._state = JsonState(home.state_file)
        self._lock, self._telling = threading.Lock(), threading.Lock()
        self._others: dict[str, Neighbour] = {}
        self._started: dict[str, tuple[Popen[bytes], Arrival]] = {}  # by this program, until they end
        self._here: Neighbour | None = None
        self._awaited = ""  # the pet that comes instead of this one
        self._heir = ""  # the pet that has come instead of this one
        self.changed: Callable[[], object] = lambda: None  # called after a change of one of the pets
        self.came: Callable[[str], object] = lambda _pet: None  # called if the pet awaited came beside
        self.stays: Callable[[str], object] = lambda _pet: None  # called if the pet awaited instead didn't come
        self.pet = ""  # once the core is there
        self._awaits_lead = False

    @property
    def leads(self) -> bool:
        """Whether this program leads."""
        return self._lead.held and not self._awaits_lead

    @property
    def others(self) -> dict[str, Neighbour]:
        with self._lock:
            return dict(self._others)

    @property
    def here(self) -> Neighbour | None:
        """This pet as announced last."""
        with self._lock:
            return self._here

    # --- positions ------------------------------------------------------------------------------

    def begin(self, instead_of: str) -> None:
        """Let the pets come that were here before, or greet those that are, but not the one that goes. Call once the
        socket listens and its place is known."""
        pet = self.pet
        there = pets_of(self._home)
        along = [each for each in read_company(self._state) if each in there and each != pet]
        if self.leads:
            for each in along:
                self._start(each, Arrival())
            along = []
        self._send_all({*along, *used_pets(self._state)[:1]} - {pet, instead_of})

    def announce(self, here: Neighbour) -> None:
        """Tell the others where the pet is now, in the background."""
        with self._lock:
            if self._here == here:
                return
            self._here, others = here, list(self._others)
        self.changed()
        if others:
            threading.Thread(target=self._send_all, args=(others,), name="company", daemon=True).start()

    def note(self, other: Neighbour) -> None:
        """Note what another pet's program says. Ignores what can't be: pets that don't exist or too many of them."""
        far = max(abs(other.x), abs(other.y)) > _FARTHEST or not min(other.width, other.height) > 0
        if far or max(other.width, other.height) > _LARGEST or other.pet == self.pet:
            return
        if other.pet not in pets_of(self._home):
            return
        with self._lock:
            known = self._others.get(other.pet)
            if known == other or (known is None and len(self._others) >= MOST_PETS - 1):
                return
            self._others[other.pet] = other
        self.changed()
        if known is None:  # the answer proves that it is there
            threading.Thread(target=self._send, args=(other.pet,), name="company", daemon=True).start()
            if other.pet == self._awaited:  # one that comes instead of this pet does not greet it
                self.came(other.pet)

    def lose(self, pet: str) -> None:
        """Note that a pet is gone."""
        with self._lock:
            gone = self._others.pop(pet, None)
        if gone is not None:
            self.changed()

    def _send_all(self, pets: Iterable[str]) -> None:
        for each in pets:
            self._send(each)

    def _send(self, pet: str) -> None:
        from pet.extras.several_pets.commands import CompanyCommands

        with self._telling:  # the last one told is the newest
            with self._lock:
                here = self._here
            if here is not None and not self._call(pet, CompanyCommands.note_neighbour, replace(here, pet=self.pet)):
                self.lose(pet)

    def _call(self, pet: str, method: Callable[..., object], *args: object, **kwargs: object) -> bool:
        """Call a command of another pet's program; return whether there is one."""
        from pet.bridge.channel import NotListening
        from pet.bridge.dispatch import CommandFailed
        from pet.bridge.socket_server import RunningPet

        try:
            RunningPet(self._home, seconds=_SECONDS, pet=pet).call(method, *args, **kwargs)
        except NotListening:
            return False
        except CommandFailed as error:
            _log.info("%s: %s", method.__name__, error.error_code)
        return True

    # --- coming and going -----------------------------------------------------------------------

    def bring(self, pet: str) -> None:
        """Let another pet come too. Raises TooManyPets, OSError."""
        with self._lock:
            coming = [each for each, (_, arrival) in self._started.items() if not arrival.instead_of]
            there = {*self._others, *coming}
        if pet == self.pet or pet in there:
            return
        if len(there) >= MOST_PETS - 1:
            raise TooManyPets(most=MOST_PETS)
        note_company(self._state, pet)
        self._start(pet, Arrival())

    def switch(self, pet: str, *, with_chat: bool) -> bool:
        """Let another pet come instead of this one; it calls ``give_way`` when it is there, unless it was on its way
        to come too. One that was awaited before no longer comes. Return False if it is on the desktop already."""
        if self._heir:  # this one is going
            from pet.bridge.commands.pets import PetCommands

            self._call(self._heir, PetCommands.switch_pet, pet)
            return True
        there = pet in self.others
        with self._lock:
            before, self._awaited = self._awaited, "" if there else pet
            superseded = self._started.get(before) if before != pet else None
            if superseded is not None and superseded[1].instead_of:  # else it comes too
                superseded[0].terminate()
                del self._started[before]
            comes = pet in self._started
        if not there and not comes:
            try:
                self._start(pet, Arrival(self.pet, with_chat))
            except OSError as error:
                _log.warning("another pet's program was not started: %s", type(error).__name__)
                self._awaited = ""
                self.stays(pet)
        return not there

    @property
    def awaited(self) -> str:
        """The pet that comes instead of this one."""
        return self._awaited

    def give_way(self, pet: str) -> None:
        """Record that another pet has this one's part from now on. Raises OSError."""
        if self.leads:
            note_used(self._state, pet)
            leave_company(self._state, pet)
        else:
            note_company(self._state, pet, instead_of=self.pet)
        self._heir = pet

    def dismiss(self) -> None:
        """Record that this pet goes and the others stay. Raises OSError."""
        leave_company(self._state, self.pet)
        if not self.leads:
            return
        if (heir := next((each for each in read_company(self._state) if each in self.others), None)) is not None:
            note_used(self._state, heir)
            leave_company(self._state, heir)

    def send_away(self, pet: str) -> None:
        """Let another pet go."""
        from pet.extras.several_pets.commands import CompanyCommands

        if not self._call(pet, CompanyCommands.dismiss_pet):
            self.lose(pet)

    def show(self, pet: str) -> None:
        """Bring another pet and its chat forward."""
        from pet.bridge.commands.lifecycle import LifecycleCommands

        if not self._call(pet, LifecycleCommands.show_pet):
            self.lose(pet)

    def toggle(self, pet: str) -> None:
        """Hide another pet, or show it."""
        from pet.extras.several_pets.commands import CompanyCommands

        if not self._call(pet, CompanyCommands.toggle_pet):
            self.lose(pet)

    def arrived(self, instead_of: str) -> None:
        """Tell the pet at whose place this one has come."""
        from pet.extras.several_pets.commands import CompanyCommands

        self._call(instead_of, CompanyCommands.give_way, self.pet)

    def quit_others(self) -> None:
        """End the other pets' programs, also one that has not reported yet."""
        from pet.bridge.commands.lifecycle import LifecycleCommands

        with self._lock:
            self._awaited, started = "", dict(self._started)
        for each in {*self.others, *started}:
            if not self._call(each, LifecycleCommands.quit) and each in started:
                started[each][0].terminate()

    def leave(self) -> None:
        """Tell the others that this pet is gone."""
        from pet.extras.several_pets.commands import CompanyCommands

        for each in self.others:
            self._call(each, CompanyCommands.lose_neighbour, self.pet)

    def _start(self, pet: str, arrival: Arrival) -> None:
        started = start_pet(pet, arrival)
        with self._lock:
            self._started[pet] = mine = started, arrival

        def wait() -> None:
            _log.info("the program of another pet ended: %s", started.wait())
            with self._lock:
                if self._started.get(pet) is not mine:  # superseded
                    return
                del self._started[pet]
            if self._awaited == pet:
                if arrival.instead_of and self._listens(pet):  # another program has let it come
                    self.came(pet)
                    return
                self._awaited = ""
                self.stays(pet)
            self.lose(pet)

        threading.Thread(target=wait, name="company-child", daemon=True).start()

    # --- who leads ------------------------------------------------------------------------------

    def await_lead(self, then: Callable[[], object]) -> None:
        """Wait in the background until this program leads, then call ``then``. What is remembered stays as it is: the
        program that led records who comes next, unless it was killed."""
        self._awaits_lead = True  # also while it has the lock, but another is meant to lead
        threading.Thread(target=self._await_lead, args=(then,), name="lead", daemon=True).start()

    def _await_lead(self, then: Callable[[], object]) -> None:
        while True:
            self._lead.wait()
            meant = next(iter(used_pets(self._state)), self.pet)
            if meant == self.pet or not self._listens(meant):
                break
            self._lead.release()  # to the one that waits for it, too
            time.sleep(_AGAIN_SECONDS)
        self._awaits_lead = False
        then()

    def _listens(self, pet: str) -> bool:
        from pet.bridge.socket_server import listens

        return listens(self._home, pet, _SECONDS)
