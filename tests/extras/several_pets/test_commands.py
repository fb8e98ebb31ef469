"""The commands of several pets: who comes and goes, and what a pet does about another."""

from __future__ import annotations

from contextlib import closing

from pet.app import Pet
from pet.bridge.command import Client
from pet.events import PetsChanged, PetTravels
from pet.extras.several_pets.companions import Companions
from pet.paths import Home
from pet.services.desktop_port import DesktopPort
from tests.bridge.commands.test_desktop_commands import on_desktop
from tests.support.program.invoking import invoke


class Wished(Companions):
    """Notes which pets are wished for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def send_home(self, pet: str) -> None:
        self.asked.append(f"{pet} home")

    def bring(self, pet: str) -> None:
        self.asked.append(f"{pet} too")


def test_pets_come_too_and_go_home_but_not_this_one(home: Home) -> None:
    wished = Wished()

    class Windows(DesktopPort):
        pets = wished

    with closing(Pet(home, environ={}, windows=Windows(), channel="terminal")) as app:
        other = app.pets.create("Two", "en")
        for wanted in ("bring_pet", "send_pet_home"):
            for nobody in ("three", "../two"):
                assert not invoke(app.commands, wanted, Client.CHAT, pet=nobody)["ok"]
            for pet in (app.pet_id, other):
                assert invoke(app.commands, wanted, Client.CHAT, pet=pet)["ok"]
    assert wished.asked == ["two too", "two home"]


def test_the_pet_notices_another_unless_it_is_unwelcome(home: Home) -> None:
    with on_desktop(home) as desktop:

        def notices(how: str) -> list[tuple[int, str]]:
            desktop.ask("notice_pet", client=Client.PET, dx=-150, dy=0, how=how)
            desktop.app.emitter.emit(PetsChanged())  # after which all before have arrived
            desktop.wait(PetsChanged)
            noticed: list[tuple[int, str]] = [
                (each.dx, each.how) for each in desktop.events if isinstance(each, PetTravels)
            ]
            desktop.events.clear()
            return noticed

        assert notices("greet") == [(-150, "greet")]
        assert notices("join") == [(-150, "join")]
        desktop.screen.chat_shown = True
        assert (notices("join"), notices("look")) == ([], [(-150, "look")])
        for changes in (
            {"do_not_disturb": True},
            {"do_not_disturb": False, "quiet_from": "11:00", "quiet_until": "13:00"},
        ):
            desktop.ask("change_settings", changes=changes)
            assert notices("greet") == []
        desktop.ask("change_settings", changes={"quiet_from": "", "quiet_until": ""})
        desktop.ask("pause_memory", paused=True)
        assert notices("greet") == []
