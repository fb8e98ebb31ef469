"""The other pets on the desktop: what of their programs' messages is believed, and what is remembered."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from pet.bridge.commands.pets import PetCommands
from pet.bridge.dispatch import Commands
from pet.bridge.single_instance import SingleInstance
from pet.bridge.socket_server import SocketServer
from pet.desktop.process import Arrival, take_arrival
from pet.extras.several_pets.commands import CompanyCommands
from pet.extras.several_pets.companions import Companions, Neighbour, TooManyPets, note_company, read_company
from pet.extras.several_pets.company import Company
from pet.paths import Home
from pet.services.desktop_port import DesktopPort
from pet.services.home import open_pets
from pet.settings.program_state import JsonState, forget_used, note_used, used_pets
from tests.support.program.parts import pet_of
from tests.support.waiting import wait_for

if TYPE_CHECKING:
    pass

HERE = Neighbour(pet="", x=10, y=20, width=192, height=208, shown=True)


class Heard(Companions):
    def __init__(self) -> None:
        self.told: list[Neighbour] = []
        self.switched: list[str] = []

    def switch(self, pet: str) -> None:
        self.switched.append(pet)

    def note(self, other: Neighbour) -> None:
        self.told.append(other)


class Program:
    """Another pet's program, as far as its socket goes."""

    def __init__(self, home: Home, pet: str) -> None:
        heard = self.heard = Heard()

        class Windows(DesktopPort):
            pets = heard

        windows = Windows()
        app = pet_of(pets=open_pets(home), pet_id=pet, windows=windows)
        self._lock = SingleInstance(home, pet)
        assert self._lock.acquire()
        self._socket = SocketServer(home, Commands(PetCommands(app), CompanyCommands(app)), self._lock, pet)
        self._socket.start()

    def close(self) -> None:
        self._socket.close()
        self._lock.release()


@pytest.fixture
def company(home: Home) -> Company:
    for name in ("One", "Two", "Three", "Four"):
        open_pets(home).create(name, "en")
    lead = SingleInstance(home)
    assert lead.acquire()
    company = Company(home, lead)
    company.pet = "one"
    return company


@pytest.fixture
def two(home: Home, company: Company) -> Iterator[Program]:
    program = Program(home, "two")
    yield program
    program.close()


def said(pet: str, **values: Any) -> Neighbour:
    fields: dict[str, Any] = {"x": 1, "y": 2, "width": 192, "height": 208} | values
    return Neighbour(pet=pet, shown=True, asleep=False, **fields)


def test_another_pet_is_greeted_and_told_where_this_one_goes(company: Company, two: Program) -> None:
    company.announce(HERE)
    company.note(said("two"))
    wait_for("the greeting", lambda: len(two.heard.told) == 1)
    company.announce(HERE)  # as before
    company.announce(Neighbour(pet="", x=99, y=20, width=192, height=208, shown=True))
    wait_for("the move", lambda: len(two.heard.told) == 2)
    assert [(each.pet, each.x) for each in two.heard.told] == [("one", 10), ("one", 99)]


def test_a_pet_whose_program_died_is_forgotten_at_the_next_word(company: Company, two: Program) -> None:
    company.announce(HERE)
    company.note(said("two"))
    wait_for("the greeting", lambda: len(two.heard.told) == 1)
    two.close()
    company.announce(Neighbour(pet="", x=5, y=20, width=192, height=208, shown=True))
    wait_for("that it is gone", lambda: not company.others)


def test_a_liar_gets_nowhere(company: Company) -> None:
    company.announce(HERE)
    absurd = [said("two", x=10**9), said("two", width=0), said("two", height=10**6), said("one"), said("nobody")]
    for each in absurd:
        company.note(each)
        assert not company.others
    names, dice = [*"abc", "x" * 200, "../two", "two"], random.Random(7)
    for _ in range(300):
        company.note(said(dice.choice(names), x=dice.randrange(-(10**6), 10**6)))
        assert len(company.others) <= 2
    wait_for("that nobody is there", lambda: not company.others)  # no pet answered


def test_no_more_than_three_pets_are_there(company: Company, two: Program, home: Home) -> None:
    three = Program(home, "three")
    try:
        company.announce(HERE)
        company.note(said("two"))
        company.note(said("three"))
        company.note(said("four"))
        assert set(company.others) == {"two", "three"}
        with pytest.raises(TooManyPets):
            company.bring("four")
        assert read_company(JsonState(home.state_file)) == []
    finally:
        three.close()


def test_those_on_their_way_count_and_are_started_once(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []

    def start(pet: str, _arrival: Arrival) -> subprocess.Popen[bytes]:
        started.append(pet)
        return subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)

    monkeypatch.setattr("pet.extras.several_pets.company.start_pet", start)
    for pet in ("two", "two", "three"):
        company.bring(pet)
    with pytest.raises(TooManyPets):
        company.bring("four")
    assert started == ["two", "three"]
    company.quit_others()


def test_one_that_has_not_reported_yet_ends_with_the_others(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    monkeypatch.setattr("pet.extras.several_pets.company.start_pet", lambda _pet, _arrival: child)
    company.bring("two")
    assert not company.others
    company.quit_others()
    wait_for("its end", lambda: child.poll() is not None)


def test_a_pet_that_stays_alone_is_told_so(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    monkeypatch.setattr("pet.extras.several_pets.company.start_pet", lambda _pet, _arrival: child)
    stays: list[tuple[str, str]] = []
    company.stays = lambda pet: stays.append((pet, company.awaited))
    assert company.switch("two", with_chat=False)
    assert company.awaited == "two" and not stays
    child.communicate(b"\n")  # it ended before it came
    wait_for("that it is not awaited", lambda: stays == [("two", "")])


def test_a_pet_whose_program_cannot_be_started_is_not_awaited(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_pet: str, _arrival: Arrival) -> None:
        raise OSError

    monkeypatch.setattr("pet.extras.several_pets.company.start_pet", fail)
    stays: list[tuple[str, str]] = []
    company.stays = lambda pet: stays.append((pet, company.awaited))
    company.switch("two", with_chat=False)
    assert stays == [("two", "")]


def test_the_pet_chosen_last_comes_and_the_one_before_does_not(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[str, subprocess.Popen[bytes]]] = []

    def start(pet: str, _arrival: Arrival) -> subprocess.Popen[bytes]:
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        started.append((pet, child))
        return child

    monkeypatch.setattr("pet.extras.several_pets.company.start_pet", start)
    stays: list[str] = []
    company.stays = stays.append
    for pet in ("two", "two", "three"):
        assert company.switch(pet, with_chat=False)
    assert [pet for pet, _ in started] == ["two", "three"]
    wait_for("the end of the first", lambda: started[0][1].poll() is not None)
    assert (company.awaited, started[1][1].poll(), stays) == ("three", None, [])
    company.note(said("four"))
    assert not company.switch("four", with_chat=False)  # it is there already
    wait_for("the end of the second", lambda: started[1][1].poll() is not None)
    assert (company.awaited, stays) == ("", [])


def test_a_pet_that_is_on_its_way_to_come_too_is_not_started_again_for_a_switch(
    company: Company, two: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def start(_pet: str, _arrival: Arrival) -> subprocess.Popen[bytes]:
        started.append(subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE))
        return started[-1]

    monkeypatch.setattr("pet.extras.several_pets.company.start_pet", start)
    came: list[str] = []
    company.came = came.append
    company.bring("two")
    assert company.switch("two", with_chat=False)
    assert (len(started), company.awaited) == (1, "two")
    company.switch("three", with_chat=False)
    assert (len(started), started[0].poll()) == (2, None)  # it comes too all the same
    assert company.switch("two", with_chat=False)
    company.note(said("two"))
    assert came == ["two"]
    company.quit_others()
    for each in started:
        each.communicate(b"\n")


def test_a_pet_that_another_program_has_let_come_is_there(
    company: Company, two: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    monkeypatch.setattr("pet.extras.several_pets.company.start_pet", lambda _pet, _arrival: child)
    came: list[str] = []
    stays: list[str] = []
    company.came, company.stays = came.append, stays.append
    assert company.switch("two", with_chat=False)
    child.communicate(b"\n")  # the second program found its lock taken
    wait_for("that it is there", lambda: came == ["two"])
    assert not stays


def test_a_pet_that_is_going_leaves_a_switch_to_the_one_at_its_place(company: Company, two: Program) -> None:
    company.give_way("two")
    assert company.switch("three", with_chat=False)
    assert two.heard.switched == ["three"]


def test_the_pet_that_goes_is_not_greeted(company: Company, two: Program, home: Home) -> None:
    three = Program(home, "three")
    try:
        for pet in ("two", "three"):
            note_company(JsonState(home.state_file), pet)
        beside = Company(home, SingleInstance(home))
        beside.pet = "one"
        beside.announce(HERE)
        beside.begin(instead_of="two")
        assert (len(three.heard.told), two.heard.told) == (1, [])
    finally:
        three.close()


def test_a_program_leads_from_when_it_has_the_lock(home: Home) -> None:
    lead = SingleInstance(home)
    company = Company(home, lead)
    before, taken = company.leads, lead.acquire()
    assert (before, taken, company.leads) == (False, True, True)
    lead.release()


def test_every_change_of_a_pet_is_passed_on_once(company: Company, two: Program) -> None:
    changes: list[int] = []
    company.changed = lambda: changes.append(len(company.others))
    company.announce(HERE)
    company.announce(HERE)
    company.note(said("two"))
    company.note(said("two"))
    company.note(said("nobody"))
    company.lose("two")
    company.lose("two")
    assert changes == [0, 1, 0]


def test_a_pet_that_goes_hands_on_what_it_led(company: Company, two: Program, home: Home) -> None:
    state = JsonState(home.state_file)
    note_used(state, "one")
    for each in ("two", "three"):
        note_company(state, each)
    company.announce(HERE)
    company.note(said("two"))
    company.dismiss()
    assert (used_pets(state)[0], read_company(state)) == ("two", ["three"])
    company.give_way("three")  # to one that comes at its place
    assert (used_pets(state)[0], read_company(state)) == ("three", [])


def test_a_deleted_pet_does_not_come_again(home: Home, company: Company) -> None:
    state = JsonState(home.state_file)
    note_company(state, "two")
    note_company(state, "three")
    note_company(state, "four", instead_of="two")
    assert read_company(state) == ["four", "three"]
    forget_used(state, "four")
    assert read_company(state) == ["three"]
    state.update({"company": "three"})
    assert read_company(state) == []


def test_a_program_knows_whether_another_pet_started_it() -> None:
    environ = {"SOULPET_COMES": "mochi chat"}
    assert take_arrival(environ) == Arrival("mochi", with_chat=True)
    assert environ == {}
    assert take_arrival(environ) is None
    assert take_arrival({"SOULPET_COMES": "-"}) == Arrival()
