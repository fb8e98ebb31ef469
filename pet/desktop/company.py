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
from pet.desktop.chat_window import ChatVisibility
from pet.desktop.core_client import CoreClient
from pet.desktop.deferred_core import call_on_gui
from pet.desktop.geometry import Rect
from pet.desktop.ground import Pair, leaning, noticed, way_to
from pet.desktop.pet_window import PetWindow
from pet.desktop.placement_store import UNKNOWN_BODY, PlacementStore
from pet.desktop.platform import Platform
from pet.desktop.process import Arrival, start_pet
from pet.desktop.window_group import WindowGroup
from pet.errors import PetDidNotCome, TooManyPets
from pet.paths import Home
from pet.services.desktop_port import Neighbour, OtherPets
from pet.settings.program_state import (
    MOST_PETS,
    JsonState,
    leave_company,
    note_company,
    note_used,
    read_company,
    used_pets,
)

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
        self._started: dict[str, Popen[bytes]] = {}  # by this program, until they end
        self._here: Neighbour | None = None
        self._awaited = ""  # the pet that comes instead of this one
        self._heir = ""  # the pet that has come instead of this one
        self.changed: Callable[[], object] = lambda: None  # called after a change of one of the pets
        self.stays: Callable[[str], object] = lambda _pet: None  # called if the pet awaited instead didn't come
        self.pet = ""  # once the core is there
        self.leads = lead.held

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
        from pet.bridge.commands.pets import PetCommands

        with self._telling:  # the last one told is the newest
            with self._lock:
                here = self._here
            if here is not None and not self._call(pet, PetCommands.note_neighbour, replace(here, pet=self.pet)):
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
        others = self.others
        if pet in (self.pet, *others):
            return
        if len(others) >= MOST_PETS - 1:
            raise TooManyPets(most=MOST_PETS)
        note_company(self._state, pet)
        self._start(pet, Arrival())

    def switch(self, pet: str, *, with_chat: bool) -> bool:
        """Let another pet come instead of this one; it calls ``give_way`` when it is there. One that was awaited
        before no longer comes. Return False if it is on the desktop already."""
        from pet.bridge.commands.pets import PetCommands

        if self._heir:  # this one is going
            self._call(self._heir, PetCommands.switch_pet, pet)
            return True
        there = pet in self.others
        with self._lock:
            before, self._awaited = self._awaited, "" if there else pet
            superseded = self._started.get(before) if before != pet else None
        if superseded is not None:
            superseded.terminate()
        if not there and before != pet:
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
        from pet.bridge.commands.pets import PetCommands

        if not self._call(pet, PetCommands.dismiss_pet):
            self.lose(pet)

    def show(self, pet: str) -> None:
        """Bring another pet and its chat forward."""
        from pet.bridge.commands.lifecycle import LifecycleCommands

        if not self._call(pet, LifecycleCommands.show_pet):
            self.lose(pet)

    def toggle(self, pet: str) -> None:
        """Hide another pet, or show it."""
        from pet.bridge.commands.pets import PetCommands

        if not self._call(pet, PetCommands.toggle_pet):
            self.lose(pet)

    def arrived(self, instead_of: str) -> None:
        """Tell the pet at whose place this one has come."""
        from pet.bridge.commands.pets import PetCommands

        self._call(instead_of, PetCommands.give_way, self.pet)

    def quit_others(self) -> None:
        """End the other pets' programs, also one that has not reported yet."""
        from pet.bridge.commands.lifecycle import LifecycleCommands

        with self._lock:
            self._awaited, started = "", dict(self._started)
        for each in {*self.others, *started}:
            if not self._call(each, LifecycleCommands.quit) and each in started:
                started[each].terminate()

    def leave(self) -> None:
        """Tell the others that this pet is gone."""
        from pet.bridge.commands.pets import PetCommands

        for each in self.others:
            self._call(each, PetCommands.lose_neighbour, self.pet)

    def _start(self, pet: str, arrival: Arrival) -> None:
        started = start_pet(pet, arrival)
        with self._lock:
            self._started[pet] = started

        def wait() -> None:
            code = started.wait()
            with self._lock:
                if self._started.get(pet) is started:
                    del self._started[pet]
            if self._awaited == pet:
                self._awaited = ""
                self.stays(pet)
            self.lose(pet)
            _log.info("the program of another pet ended: %s", code)

        threading.Thread(target=wait, name="company-child", daemon=True).start()

    # --- who leads ------------------------------------------------------------------------------

    def await_lead(self, then: Callable[[], object]) -> None:
        """Wait in the background until this program leads, then call ``then``. What is remembered stays as it is: the
        program that led records who comes next, unless it was killed."""
        threading.Thread(target=self._await_lead, args=(then,), name="lead", daemon=True).start()

    def _await_lead(self, then: Callable[[], object]) -> None:
        while True:
            self._lead.wait()
            meant = next(iter(used_pets(self._state)), self.pet)
            if meant == self.pet or not self._listens(meant):
                break
            self._lead.release()  # to the one that waits for it, too
            time.sleep(_AGAIN_SECONDS)
        self.leads = True
        then()

    def _listens(self, pet: str) -> bool:
        from pet.bridge.socket_server import listens

        return listens(self._home, pet, _SECONDS)


def pets_of(home: Home) -> list[str]:
    """Return the ids of the pets that have files. What reads them is loaded after the first drawing."""
    from pet.workspace.pet_registry import list_ids

    return list_ids(home)


_RUNS_AFTER_MS, _PLAYED_MS = 1800, 6000  # of a game with another pet: until this one runs, and until it is over
_DRAWN_MS = 80  # by then a pet's page has drawn what the core answered
_ARRIVED_AT_MOST_MS = 5000  # a page that hangs keeps no pet from coming


class PetsOnDesktop(OtherPets):
    """This pet among those on the desktop: coming, going and taking another's place. From any thread, unless it says
    otherwise. ``quit``: ends this program."""

    def __init__(
        self,
        platform: Platform,
        company: Company,
        core: CoreClient,
        windows: WindowGroup,
        pet: PetWindow,
        visibility: ChatVisibility,
        places: PlacementStore,
        quit: Callable[[], None],  # noqa: A002
        arrival: Arrival,
    ) -> None:
        self._platform = platform
        self._company = company
        self._core = core
        self._windows = windows
        self._pet = pet
        self._visibility = visibility
        self._chat = visibility.chat
        self._places = places
        self._quit = quit
        self._arrival = arrival
        self._instead_of = arrival.instead_of  # "" once it has come
        self._chat_asked = False  # while another pet is awaited
        self._asleep = False
        self._plays = False  # it has come to another pet to play
        self._pairs: dict[str, Pair] = {}  # as they were last noticed
        self._leans = 0
        self._noticing = threading.Lock()
        windows.rests = self.report
        windows.others = self._others
        windows.plays = self._play
        company.changed = self._notice
        company.stays = self._stays
        pet.veil(self.replaces)
        visibility.unseen, visibility.appeared = arrival.with_chat, self.come_in

    @property
    def leads(self) -> bool:  # type: ignore[override]
        return self._company.leads

    @property
    def replaces(self) -> bool:
        """Whether it comes at another pet's place and is not seen yet."""
        return bool(self._instead_of)

    @property
    def present(self) -> frozenset[str]:
        return frozenset(self._company.others)

    def core_ready(self) -> None:
        """Take part: the core is there. On the GUI thread."""
        self.report()
        args = (self._instead_of,)
        threading.Thread(target=self._company.begin, args=args, name="company", daemon=True).start()
        if self.replaces:
            self._platform.after(_ARRIVED_AT_MOST_MS, self._visibility.page_drawn)
            self._platform.after(_ARRIVED_AT_MOST_MS, self.come_in)

    def drawn(self) -> None:
        """Note that its page draws what the core answered."""
        if self.replaces:
            self._platform.after(_DRAWN_MS, self.come_in)

    def come_in(self) -> None:
        """Take the place of the pet before, once all that it showed is drawn. On the GUI thread."""
        instead_of = self._instead_of
        if not instead_of or not self._company.pet or self._visibility.unseen:
            return
        self._instead_of = ""
        self._pet.veil(False)
        threading.Thread(target=self._company.arrived, args=(instead_of,), name="company", daemon=True).start()

    def report(self) -> None:
        """Tell the others where the pet is and whether it is shown and asleep. On the GUI thread."""
        at = self._pet.place
        self._company.announce(
            Neighbour(
                pet="",
                x=at.x,
                y=at.y,
                width=at.width,
                height=at.height,
                shown=self._pet.seen,
                asleep=self._asleep,
                plays=self._plays,
            )
        )

    def _others(self) -> Iterable[Neighbour]:
        return self._company.others.values()

    def _play(self, way: float) -> None:
        """Play with the pet that it has come to: that one runs, and this one after it. On the GUI thread."""
        self._plays = True
        self.report()
        self._platform.after(_RUNS_AFTER_MS, lambda: self._windows.stroll(way, near=True, what="run"))
        self._platform.after(_PLAYED_MS, self._stop_playing)

    def _stop_playing(self) -> None:
        self._plays = False
        self.report()

    def mood_changed(self, mood: str) -> None:
        """Tell the others when the pet falls asleep or wakes."""
        asleep = mood == "asleep"
        if asleep != self._asleep:
            self._asleep = asleep
            self._platform.post(self.report)

    def _notice(self) -> None:
        """Let the pet notice what has changed about the others."""
        with self._noticing:  # changes come from several threads
            here, others = self._company.here, self._company.others
            if here is None:
                return
            before, self._pairs = self._pairs, {each: (here, other) for each, other in others.items()}
            leans, self._leans = self._leans, leaning(here, others.values())
            if leans != self._leans:
                self._core.pet_travels(self._leans, 0, "lean")
        if before.keys() != self._pairs.keys():
            self._core.pets_changed()
        for pet, pair in self._pairs.items():
            if (notice := noticed(before.get(pet), pair)) is not None:
                self._core.notice_pet(*way_to(pair), notice)
                return

    def switch(self, pet: str) -> None:
        self._chat_asked = False
        if pet not in self._company.others:
            call_on_gui(self._platform.post, lambda: self._hand_places_to(pet), None)
        if not self._company.switch(pet, with_chat=self._chat.shown and not self._chat.minimised):
            if self._chat.shown:
                self._company.show(pet)
            self._company.give_way(pet)
            self._vanish()
        elif self._company.awaited and (body := self._places.body(pet)) != UNKNOWN_BODY:
            self._core.pet_replaced(body)

    def bring(self, pet: str) -> None:
        call_on_gui(self._platform.post, lambda: self._make_room(pet), None)
        self._company.bring(pet)

    def dismiss(self) -> None:
        self._company.dismiss()
        self._platform.post(lambda: self._windows.say_goodbye(lambda: None, self._quit))

    def send_home(self, pet: str) -> None:
        self._company.send_away(pet)

    def give_way(self, pet: str) -> None:
        if pet and pet == self._company.awaited:
            self._company.give_way(pet)
            if self._chat_asked:
                self._company.show(pet)
            self._vanish()

    def toggle_chat(self) -> None:
        """Show or hide the chat; while another pet comes instead, let that one show its own. On the GUI thread."""
        self._chat_asked = bool(self._company.awaited)
        if not self._chat_asked:
            self._visibility.toggle()

    def _stays(self, pet: str) -> None:
        """Be this pet again: the other one didn't come."""
        self._core.pet_replaced("")
        self._platform.post(self._visibility.open)  # where the sentence is shown
        name = next((each.name for each in self._core.pets() if each.id == pet), pet)
        self._core.desktop_changed(PetDidNotCome(name=name))

    def toggle(self) -> None:
        self._platform.post(self._windows.toggle_pet)

    def note(self, other: Neighbour) -> None:
        self._company.note(other)

    def lose(self, pet: str) -> None:
        self._company.lose(pet)

    def quit_all(self) -> None:
        """End the programs of all pets."""

        def end() -> None:
            self._company.quit_others()
            self._quit()

        threading.Thread(target=end, name="quit-all", daemon=True).start()

    def _vanish(self) -> None:
        def vanish() -> None:
            self._chat.hide()
            self._pet.vanish(self._quit)

        self._platform.post(vanish)

    def _hand_places_to(self, pet: str) -> None:
        if self._chat.shown:
            self._chat.keep()
        self._windows.hide_bubble()
        self._pet.keep()
        self._places.copy_to(pet)

    def _make_room(self, pet: str) -> None:
        others = [Rect(each.x, each.y, each.width, each.height) for each in self._company.others.values()]
        chat = self._chat.frame if self._chat.in_sight else None
        self._places.make_room(pet, [self._pet.place, *others], self._platform.monitors(), chat)
