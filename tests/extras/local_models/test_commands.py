"""Models on this computer behind the page: the list, a download with its events, choosing, removing, and that what a
model computed is erased."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pet.app import Pet
from pet.bridge.command import Client
from pet.events import Event
from pet.extras.local_models.catalogue import CATALOGUE
from pet.extras.local_models.events import LocalModelArrived, LocalModelArriving, LocalModelChanged, LocalModelOffered
from pet.extras.local_models.runtime import OwnLocalModels
from pet.paths import Home
from tests.support.models.gguf_bytes import chat_model, gguf
from tests.support.program.invoking import answered, invoke
from tests.support.servers.model_hub import ModelHub, entry_of

DATA = bytes(range(256)) * 2_000


@pytest.fixture
def hub() -> Iterator[ModelHub]:
    hub = ModelHub(DATA)
    yield hub
    hub.close()


class Opened:
    def __init__(self, home: Home, hub: ModelHub) -> None:
        entry = entry_of(DATA)
        path = f"/{entry.repository}/resolve/{entry.revision}/{entry.file}"
        hub.server.answers[path] = hub.server.answers["/none"]
        self.told = threading.Condition()
        self.events: list[Event] = []
        self.app: Pet = Pet(
            home,
            environ={"HF_ENDPOINT": hub.server.at("")},
            channel="terminal",
            local_models=lambda pet: OwnLocalModels.of_pet(pet, reach=lambda: hub.reach, entries=(entry,)),
        )
        self.app.emitter.subscribe(self._on_event, name="test")

    def _on_event(self, event: Event) -> None:
        with self.told:
            self.events.append(event)
            self.told.notify_all()

    def ask(self, command: str, /, **args: object) -> Any:
        return answered(self.app.commands, command, **args)

    def wait_for(self, match: Callable[[Event], bool]) -> Event:
        with self.told:
            found = self.told.wait_for(lambda: next((each for each in self.events if match(each)), None), 60)
        assert found is not None
        return found


@pytest.fixture
def opened(home: Home, hub: ModelHub) -> Iterator[Opened]:
    made = Opened(home, hub)
    yield made
    made.app.close()


def ids(listed: Any) -> dict[str, Any]:
    return {each["id"]: each for each in listed["local_models"]}


def test_list_names_what_there_is_and_fetches_nothing(opened: Opened, hub: ModelHub) -> None:
    listed = opened.ask("list_local_models")
    small = ids(listed)["small"]
    assert (small["here"], small["part"], small["chosen"], small["host"]) == (False, 0, False, "127.0.0.1")
    assert listed["state"] == {"local_model": "", "phase": "absent", "problem": "", "fetching": ""}
    assert hub.server.asked == []


def test_download_emits_progress_and_ends_with_verified_file(opened: Opened, home: Home) -> None:
    opened.ask("fetch_local_model", local_model="small")
    arrived = opened.wait_for(lambda event: isinstance(event, LocalModelArrived))
    assert isinstance(arrived, LocalModelArrived) and arrived.error is None
    progress = [event for event in opened.events if isinstance(event, LocalModelArriving)]
    assert progress[-1].done == progress[-1].total == len(DATA)
    assert progress[-1].host == "127.0.0.1"
    assert (home.local_models / "small.gguf").read_bytes() == DATA
    assert ids(opened.ask("list_local_models"))["small"]["here"]
    assert not ids(opened.ask("remove_local_model", local_model="small"))["small"]["here"]


def test_failed_download_emits_its_error_code(opened: Opened) -> None:
    opened.ask("fetch_local_model", local_model="nothing")
    arrived = opened.wait_for(lambda event: isinstance(event, LocalModelArrived))
    assert isinstance(arrived, LocalModelArrived) and arrived.error is not None
    assert arrived.error.code == "local_model_unknown"


def test_local_model_that_can_not_run_is_refused_and_not_chosen(opened: Opened, tmp_path: Path) -> None:
    letter = tmp_path / "letter.gguf"
    letter.write_text("Dear Anna")
    used = opened.ask("use_local_model", local_model=f"file:{letter}")
    assert used["error"]["code"] in ("local_model_not_gguf", "local_model_no_cpu")
    assert opened.ask("get_settings")["local_model"] == ""


def test_catalogue_is_the_default() -> None:
    assert {entry.id for entry in CATALOGUE} >= {"qwen3-1.7b", "qwen3-4b", "qwen3-8b"}


@pytest.mark.real_model
def test_chosen_local_model_loads_answers_and_forgets(opened: Opened, home: Home) -> None:
    used = opened.ask("use_local_model", local_model="tiny")
    assert used["error"] is None
    opened.wait_for(lambda event: isinstance(event, LocalModelChanged) and event.phase == "ready")
    state = opened.ask("get_app_state")
    assert (state["local_model"], state["key_needed"], state["host"]) == (
        "SmolLM2 135M",
        False,
        "the model on this computer",
    )
    assert opened.ask("test_connection")["ok"]
    saved = home.local_model_state / "old-0.kv"
    saved.write_bytes(b"memory")
    conversation = opened.ask("new_conversation")["info"]["id"]
    opened.ask("set_memory", conversation=conversation, memory=False)
    opened.wait_for(lambda event: not saved.exists())
    opened.ask("use_local_model", local_model="")
    assert opened.ask("list_local_models")["state"]["phase"] == "absent"


def test_a_model_file_of_the_owner_is_offered_or_refused_from_its_header(
    home: Home, hub: ModelHub, tmp_path: Path
) -> None:
    opened = Opened(home, hub)
    good, bad = tmp_path / "my model.GGUF", tmp_path / "page.gguf"
    with good.open("wb") as file:
        file.write(gguf(chat_model()))
        file.truncate(400_000_000)
    bad.write_bytes(b"<html>not a model</html>" * 20)
    try:
        for path in (good, bad):
            assert invoke(opened.app.commands, "offer_local_model", Client.SOCKET, path=str(path))["ok"]
        opened.wait_for(lambda event: isinstance(event, LocalModelOffered) and event.local_model == f"file:{bad}")
        offers = [event for event in opened.events if isinstance(event, LocalModelOffered)]
        listed = {each["id"] for each in opened.ask("list_local_models")["local_models"]}
        refused = [
            invoke(opened.app.commands, "offer_local_model", Client.SOCKET, path=at)
            for at in ("m.gguf", "/etc/passwd")
        ]
        assert not invoke(opened.app.commands, "offer_local_model", Client.CHAT, path=str(good))[
            "ok"
        ]  # pages learn no paths
    finally:
        opened.app.close()
    assert [each.local_model for each in offers] == [f"file:{good}", f"file:{bad}"]
    assert offers[0].error is None or offers[0].error.code in (
        "local_model_no_runtime",
        "local_model_no_cpu",
        "local_model_memory_now",
    )
    assert offers[1].error is not None
    assert (offers[0].error is None) == (f"file:{good}" in listed)
    assert f"file:{bad}" not in listed
    assert not any(each["ok"] for each in refused)


def test_removing_a_model_that_one_pet_chose_leaves_the_default_alone(opened: Opened) -> None:
    opened.ask("fetch_local_model", local_model="small")
    opened.wait_for(lambda event: isinstance(event, LocalModelArrived))
    opened.app.settings.change({"local_model": "qwen3-4b"})
    opened.ask("set_pet_model", connection="computer", model="small")
    assert opened.app.effective.current().local_model == "small"
    opened.ask("remove_local_model", local_model="small")
    assert opened.app.settings.current().local_model == "qwen3-4b"
