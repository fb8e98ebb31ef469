"""The windows' own calls to the core: typed, checked like a page's, and without effect before there is a core."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pet.app import Pet
from pet.bridge.command import Client
from pet.bridge.commands.conversations import ConversationCommands
from pet.bridge.commands.lifecycle import LifecycleCommands
from pet.bridge.commands.pets import PetCommands
from pet.bridge.commands.settings import SettingsCommands
from pet.desktop.core_client import CoreClient, CoreOrders, DeferredCore, PetOrders
from pet.desktop.dropped_things import DroppedPaths
from pet.events import Event, MemoryPaused, SettingsChanged
from pet.i18n import Texts
from pet.paths import Home
from pet.services.file_transfer import DroppedThings
from tests.support.models.scripted import ScriptedProvider


@pytest.fixture
def app(home: Home) -> Iterator[Pet]:
    app = Pet(home, environ={}, provider=ScriptedProvider(), channel="terminal")
    yield app
    app.close()


def client_of(app: Pet) -> CoreClient:
    late = DeferredCore()
    late.build(lambda: app)
    assert late.wait(60) is app
    return CoreClient(late, Texts("en"))


def heard(app: Pet, kind: type[Event], act: object) -> Event:
    """The first event of this kind that comes of an order."""
    came = threading.Event()
    events: list[Event] = []

    def on_event(event: Event) -> None:
        events.append(event)
        came.set()

    app.emitter.subscribe(on_event, kind, name="test")
    assert callable(act)
    act()
    assert came.wait(60)
    return events[0]


def test_without_a_core_there_are_no_answers_and_orders_are_dropped() -> None:
    client = CoreClient(DeferredCore(), Texts("zh"))
    assert (client.status(), client.pet_name(), client.pets()) == (None, "", [])
    assert (client.still(), client.call(Client.CHAT, ConversationCommands.new_conversation)) == (None, None)
    client.emit(SettingsChanged())
    assert client.texts().language == "zh"


def test_answers_have_the_types_of_the_commands(app: Pet) -> None:
    client = client_of(app)
    status = client.status()
    assert status is not None
    assert (status.pet, status.paused) == (app.pet_id, False)
    assert client.pet_name() == status.pet_name
    assert [(pet.id, pet.current) for pet in client.pets()] == [(app.pet_id, True)]
    assert client.still() is not None
    made = client.call(Client.CHAT, ConversationCommands.new_conversation)
    assert made is not None
    assert app.conversations.holds(made.info.id)


def test_orders_are_carried_out_on_a_thread_of_their_own(app: Pet) -> None:
    client = client_of(app)
    paused = heard(app, MemoryPaused, lambda: client.order(Client.PET, LifecycleCommands.pause_memory, paused=True))
    assert paused == MemoryPaused(paused=True)
    changes: dict[str, str | int | float | bool] = {"pet_size": 120}
    heard(app, SettingsChanged, lambda: client.order(Client.CHAT, SettingsCommands.change_settings, changes=changes))
    assert app.settings.current().pet_size == 120


def test_a_refused_order_has_no_effect_and_raises_nothing(app: Pet) -> None:
    client = client_of(app)
    assert client.still("no-such-skin") is None
    client.order(Client.CHAT, PetCommands.switch_pet, pet="no-such-pet")
    assert app.pet_id == client.pets()[0].id


class Core:
    """Orders to a core that is there."""

    def __init__(self, look: object) -> None:
        self.look = look

    def ask(self, reply: Callable[[Any], object], _method: object, _have: str) -> None:
        reply(self.look)


def test_what_waits_for_the_look_goes_on_once_the_pet_draws_it() -> None:
    for look, happened in (("a look", ["drawn: a look", "seen"]), (None, ["drawn: None"])):
        done: list[str] = []
        pets = SimpleNamespace(drawn=lambda done=done: done.append("seen"))
        port = PetOrders(
            cast(Any, Core(look)), cast(Any, SimpleNamespace(pets=pets, core=SimpleNamespace(ready=True)))
        )
        port.get_skin("", lambda drawn, done=done: done.append(f"drawn: {drawn}"))  # type: ignore[misc]
        assert done == happened


def test_dropped_files_on_a_slow_disk_hold_up_no_other_call() -> None:
    """As those of a network folder that does not answer: the pet must still be hushed, and change its skin."""
    core = CoreClient(DeferredCore(), Texts("en"))
    orders = CoreOrders(Client.PET, core, lambda work: cast("None", work()), DroppedPaths(lambda _path: None))
    read, answered = threading.Event(), threading.Event()

    def slow() -> Iterator[DroppedThings]:
        read.wait(60)
        yield DroppedThings(text="a file", files=[])

    orders.hand_over(slow())
    orders.ask(lambda _none: answered.set(), LifecycleCommands.get_status)
    try:
        assert answered.wait(10)
    finally:
        read.set()
