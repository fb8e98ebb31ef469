"""This pet among those on the desktop: coming, going, taking another's place, and what they do with one another."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pet.bridge.command import Client
from pet.bridge.single_instance import SingleInstance
from pet.desktop.core_client import call_on_gui
from pet.desktop.geometry import Rect
from pet.desktop.ground import Leg, Window
from pet.desktop.pet_actor import UNKNOWN_BODY
from pet.desktop.pets_here import PetsHere
from pet.desktop.platform import MenuItem
from pet.desktop.process import Arrival
from pet.extras.several_pets.companions import Companions, Neighbour, PetDidNotCome
from pet.extras.several_pets.company import Company
from pet.extras.several_pets.meeting import Pair, leaning, make_room, noticed, visit, way_to
from pet.paths import Home

if TYPE_CHECKING:
    from pet.bridge.commands.pets import PetInfo
    from pet.desktop.controller import DesktopController

_PATIENCE = 10.0
"""Seconds to wait for the end of this pet's last program."""
_RUNS_AFTER_MS, _PLAYED_MS = 1800, 6000  # of a game with another pet: until this one runs, and until it is over
_DRAWN_MS = 80  # by then a pet has drawn what the core answered
_ARRIVED_AT_MOST_MS = 5000  # a page that hangs keeps no pet from coming


class PetsOnDesktop(PetsHere, Companions):
    """From any thread, unless it says otherwise."""

    def __init__(self, home: Home, lead: SingleInstance, arrival: Arrival) -> None:
        super().__init__(home, lead, arrival)
        self._company = Company(home, lead)
        self._instead_of = arrival.instead_of  # "" once it has come
        self._chat_asked = False  # while another pet is awaited
        self._asleep = False
        self._plays = False  # it has come to another pet to play
        self._pairs: dict[str, Pair] = {}  # as they were last noticed
        self._leans = 0
        self._noticing = threading.Lock()

    def enter(self, pet: str) -> bool:
        self.own = SingleInstance(self._home, pet)
        deadline = time.monotonic() + (_PATIENCE if self._instead_of else 0)
        while not self.own.acquire():
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.02)  # only while its last program ends
        return True

    def attach(self, desk: DesktopController) -> None:
        super().attach(desk)
        self._platform, self._core, self._windows = desk.platform, desk.core, desk.windows
        self._pet, self._places, self._quit = desk.pet, desk.places, desk.quit
        self._visibility, self._chat = desk.visibility, desk.chat
        self._windows.rests = self.report
        self._windows.visit = self._visit
        self._windows.plays = self._play
        self._company.changed = self._notice
        self._company.came, self._company.stays = self._came, self._stays
        self._pet.veil(self.replaces)
        self._visibility.unseen, self._visibility.appeared = self._arrival.with_chat, self.come_in

    @property
    def leads(self) -> bool:  # type: ignore[override]
        return self._company.leads

    @property
    def replaces(self) -> bool:  # type: ignore[override]
        return bool(self._instead_of)

    @property
    def awaits(self) -> bool:  # type: ignore[override]
        return bool(self._company.awaited)

    @property
    def present(self) -> frozenset[str]:
        return frozenset(self._company.others)

    @property
    def quit_key(self) -> str:  # type: ignore[override]
        return "shell.menu_quit_all" if self._company.others else "shell.menu_quit"

    def join(self, pet: str, lead: Callable[[], object]) -> None:
        self._company.pet = pet
        if not self.leads:
            self._company.await_lead(lead)

    def core_ready(self) -> None:
        self.report()
        args = (self._instead_of,)
        threading.Thread(target=self._company.begin, args=args, name="company", daemon=True).start()
        if self.replaces:
            self._platform.after(_ARRIVED_AT_MOST_MS, self._visibility.page_drawn)
            self._platform.after(_ARRIVED_AT_MOST_MS, self.come_in)

    def drawn(self) -> None:
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

    def _visit(self, here: Rect, windows: Sequence[Window], work: Rect) -> list[Leg]:
        return visit(here, self._company.others.values(), windows, work)

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
            from pet.events import PetsChanged

            self._core.emit(PetsChanged())
        for pet, pair in self._pairs.items():
            if (notice := noticed(before.get(pet), pair)) is not None:
                from pet.extras.several_pets.commands import CompanyCommands

                self._core.order(Client.PET, CompanyCommands.notice_pet, *way_to(pair), notice)
                return

    def switch(self, pet: str) -> None:
        self._chat_asked = False
        if pet not in self._company.others:
            call_on_gui(self._platform.post, lambda: self._hand_places_to(pet), None)
        if not self._company.switch(pet, with_chat=self._chat.shown and not self._chat.minimised):
            self._go_for(pet, show=self._chat.shown)
        elif self._company.awaited and (body := self._places.body(pet)) != UNKNOWN_BODY:
            self._replace(body)

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
            self._go_for(pet, show=self._chat_asked)

    def _came(self, pet: str) -> None:
        """Go: the pet awaited was on its way already, or is there."""
        self._go_for(pet, show=self._chat.shown or self._chat_asked)

    def _go_for(self, pet: str, *, show: bool) -> None:
        """Let another pet have this one's part. ``show``: and show its chat."""
        if show:
            self._company.show(pet)
        self._company.give_way(pet)
        self._vanish()

    def _replace(self, body: str) -> None:
        """Draw the body of the pet that comes instead, "" for its own again."""
        from pet.events import PetReplaced

        self._core.emit(PetReplaced(body=body))

    def toggle_chat(self) -> None:
        """Show or hide the chat; while another pet comes instead, let that one show its own. On the GUI thread."""
        self._chat_asked = bool(self._company.awaited)
        if not self._chat_asked:
            self._visibility.toggle()

    def _stays(self, pet: str) -> None:
        """Be this pet again: the other one didn't come."""
        self._replace("")
        self._platform.post(self._visibility.open)  # where the sentence is shown
        name = next((each.name for each in self._core.pets() if each.id == pet), pet)
        self._core.desktop_changed(PetDidNotCome(name=name))

    def toggle(self) -> None:
        self._platform.post(self._windows.toggle_pet)

    def note(self, other: Neighbour) -> None:
        self._company.note(other)

    def lose(self, pet: str) -> None:
        self._company.lose(pet)

    def leave(self) -> None:
        self._company.leave()

    def end(self) -> None:
        """End all pets if this program leads, as at a logout or Ctrl+C."""
        (self.quit_all if self.leads else self._quit)()

    def quit_all(self) -> None:
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
        self._desk.bubble.hide()
        self._pet.keep()
        self._places.copy_to(pet)

    def _make_room(self, pet: str) -> None:
        others = [Rect(each.x, each.y, each.width, each.height) for each in self._company.others.values()]
        chat = self._chat.frame if self._chat.in_sight else None
        make_room(self._places.of(pet), [self._pet.place, *others], self._platform.screens.monitors(), chat)

    # --- the menu, which is made after the first drawing ------------------------------------------

    def menu_changes(self, pets: Sequence[PetInfo]) -> list[MenuItem]:
        from pet.extras.several_pets.menu import menu_changes

        return menu_changes(pets, self._core, self._company, self.dismiss)

    def companions(self) -> list[MenuItem]:
        from pet.extras.several_pets.menu import companions

        return companions(self._core, self._company)
