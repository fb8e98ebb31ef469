"""The first start behind the page: its step, the personalities, the demo as the one who thinks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pet.app import Pet
from pet.events import TurnEnded
from pet.i18n import catalogue
from pet.model import MISSING, Author, Present
from pet.paths import Home
from pet.settings.program_state import JsonState
from pet.workspace.templates import gallery
from tests.support.program.invoking import answered

Start = Callable[..., Pet]


@pytest.fixture
def start(home: Home) -> Iterator[Start]:
    """The core of the same home, as often as a test starts it."""
    open_now: list[Pet] = []

    def begin(pet_id: str | None = None) -> Pet:
        for app in open_now:
            app.close()
        app = Pet(home, pet_id=pet_id, environ={}, channel="terminal")
        open_now[:] = [app]
        return app

    yield begin
    for app in open_now:
        app.close()


def ask(app: Pet, command: str, /, **args: object) -> Any:
    return answered(app.commands, command, **args)


def say_hello(app: Pet, text: str = "Hello!") -> Any:
    """One turn to its end, as the page shows it."""
    ended = threading.Event()
    app.emitter.subscribe(lambda event: ended.set() if isinstance(event, TurnEnded) else None, name="test")
    conversation = ask(app, "new_conversation")["info"]["id"]
    ask(app, "send_message", conversation=conversation, text=text)
    assert ended.wait(60)
    return ask(app, "open_conversation", conversation=conversation)["turns"][0]


def step(app: Pet) -> int:
    shown = ask(app, "get_app_state")["welcome"]
    assert shown == ask(app, "get_welcome")["step"]
    return int(shown)


def test_a_new_home_begins_with_the_first_step_and_goes_on_where_it_was_left(start: Start) -> None:
    app = start()
    assert step(app) == 1
    ask(app, "save_welcome", step=2)
    assert step(start()) == 2
    ask(app := start(), "save_welcome", step=0)
    assert step(app) == step(start()) == 0


@pytest.mark.parametrize(("asked", "kept"), [(7, 3), (-4, 0)])
def test_a_step_that_is_none_is_the_nearest(start: Start, asked: int, kept: int) -> None:
    app = start()
    ask(app, "save_welcome", step=asked)
    assert step(app) == kept


@pytest.mark.parametrize("nonsense", ["two", 9, True, None])
def test_a_broken_note_of_the_step_counts_as_none(start: Start, home: Home, nonsense: object) -> None:
    start()
    JsonState(home.state_file).update({"welcome": nonsense})
    assert step(start()) == 1


def test_a_step_that_can_not_be_noted_is_shown(start: Start, home: Home) -> None:
    app = start()
    home.state_file.unlink(missing_ok=True)
    home.state_file.mkdir(parents=True)
    assert step(app) == 1


def test_a_home_that_was_in_use_has_no_first_start(start: Start, home: Home) -> None:
    app = start()
    ask(app, "change_settings", changes={"demo": True})
    say_hello(app)
    JsonState(home.state_file).drop(lambda name: name == "welcome")
    assert step(start()) == 0


def test_it_is_shown_once_per_home_and_not_for_each_pet(start: Start, home: Home) -> None:
    app = start()
    ask(app, "create_pet", name="Two")
    JsonState(home.state_file).drop(lambda name: name == "welcome")
    assert step(start()) == 0


def test_a_personality_becomes_the_soul_with_the_name_it_was_given(start: Start) -> None:
    app = start()
    night = next(each for each in gallery("en") if each.id == "night")
    assert night.name == "Vesper"
    assert ask(app, "get_welcome")["own_soul"] is False
    view = ask(app, "choose_soul", template="night", name="  Inky  Paws ")
    assert view["text"] == night.text.replace("Vesper", "Inky Paws")
    newest = app.store.history("SOUL.md")[0]
    assert (newest.author, newest.current) == (Author.OWNER, True)
    # The name in it is the owner's: from now on nobody takes it for a template.
    assert ask(app, "get_welcome")["own_soul"] is True
    assert ask(app, "choose_soul", template="night")["text"] == night.text
    assert ask(app, "get_welcome")["own_soul"] is False


def test_only_souls_of_the_gallery_can_be_chosen(start: Start) -> None:
    app = start()
    before = app.store.read("SOUL.md")
    for wanted in ("profile", "../../etc/passwd", ""):
        assert ask(app, "choose_soul", template=wanted)["code"] == "unknown_template"
    assert app.store.read("SOUL.md") == before


def test_an_untouched_profile_follows_the_language_and_a_written_one_stays(start: Start) -> None:
    app = start()
    profiles = {
        language: next(each.text for each in gallery(language) if each.file == "USER.md") for language in ("en", "zh")
    }
    ask(app, "change_settings", changes={"language": "zh"})
    soul = ask(app, "choose_soul", template="slow")["text"]
    assert "小苔" in soul
    assert ask(app, "read_file", file="USER.md")["text"] == profiles["zh"]
    view = ask(app, "read_file", file="USER.md")
    ask(app, "write_file", file="USER.md", text=view["text"] + "\n- 茶\n", base=view["version"])
    ask(app, "change_settings", changes={"language": "en"})
    ask(app, "choose_soul", template="slow")
    assert ask(app, "read_file", file="USER.md")["text"].endswith("- 茶\n")


def test_a_broken_soul_is_not_written_over(start: Start) -> None:
    app = start()
    (app.store.root / "SOUL.md").write_bytes(b"\xff\xfe\x00")
    assert ask(app, "choose_soul", template="night")["code"].startswith("file_")
    assert (app.store.root / "SOUL.md").read_bytes() == b"\xff\xfe\x00"


def test_a_broken_soul_is_the_owners_and_keeps_nobody_in_the_first_start(start: Start) -> None:
    app = start()
    (app.store.root / "SOUL.md").write_bytes("我是小猫".encode("gbk"))
    assert ask(app, "get_welcome") == {"step": 1, "own_soul": True, "strangers": True, "acquainted": False}


def test_the_demo_answers_says_so_and_asks_for_no_key(start: Start) -> None:
    app = start()
    assert ask(app, "get_app_state")["key_needed"] is True
    ask(app, "change_settings", changes={"demo": True, "language": "en"})
    state = ask(app, "get_app_state")
    assert (state["demo"], state["key_needed"], state["acknowledged_hosts"]) == (True, False, [])
    assert state["host"] == catalogue("en")["welcome.demo.host"]
    assert state["plain_http"] is False
    ask(app, "change_settings", changes={"demo": True, "base_url": "http://192.168.1.5:11434"})
    assert ask(app, "get_app_state")["plain_http"] is True
    assert ask(app, "test_connection")["ok"] is True
    turn = say_hello(app, "Tell me a story.")
    assert turn["end"] == "done"
    assert "this is a demo" in turn["rounds"][0]["text"]
    assert "[mood" not in turn["rounds"][0]["text"]
    assert not (app.store.root / "MEMORY.md").exists()
    assert ask(app, "get_usage")["today"]["tokens"] == 0


def test_the_owners_own_templates_are_listed_after_the_shipped_ones(start: Start, home: Home) -> None:
    app = start()
    (home.data / "templates").mkdir()
    (home.data / "templates" / "fox.md").write_text("# Fox\n", encoding="utf-8")
    listed = ask(app, "list_templates")["templates"]
    assert [each["id"] for each in listed][-1] == "own:fox"
    assert listed[-1]["file"] == "SOUL.md"
    assert [each["id"] for each in listed[:5]] == ["soul", "sunny", "scholar", "night", "slow"]


def test_they_are_strangers_until_soul_and_profile_say_something(start: Start) -> None:
    app = start()
    assert ask(app, "get_welcome")["strangers"]
    app.store.write("SOUL.md", "# Who I am\n\nI am Momo, a fox.\n", base=version(app, "SOUL.md"), author=Author.OWNER)
    assert ask(app, "get_welcome")["strangers"], "the profile is empty"
    assert not ask(app, "get_welcome")["acquainted"]
    log = app.store.root / "memory" / "2026-11-03.md"
    log.parent.mkdir(exist_ok=True)
    log.write_text("# 2026-11-03\n\n## [10:00:00] fact\n\nThe owner is called Lin.\n", encoding="utf-8")
    assert ask(app, "get_welcome")["acquainted"], "the name was told a minute ago"
    known = "# My owner\n\n- Lin, who works as a nurse at night\n- Likes walks by the sea, tea and books on ships.\n"
    app.store.write("USER.md", known, base=version(app, "USER.md"), author=Author.OWNER)
    assert not ask(app, "get_welcome")["strangers"]
    (app.store.root / "USER.md").write_bytes(b"\xff\xfe\x00")
    assert not ask(app, "get_welcome")["strangers"], "what can't be read is not empty"
    (app.store.root / "USER.md").unlink()
    assert ask(app, "get_welcome")["strangers"]


def version(app: Pet, name: str) -> str:
    state = app.store.read(name)
    return state.version if isinstance(state, Present) else MISSING


def test_a_personality_brings_its_body_and_a_chosen_skin_stays(start: Start) -> None:
    app = start()

    def worn() -> str:
        return str(ask(app, "preview_skin")["skin"])

    assert worn() == "soulpet"
    ask(app, "choose_soul", template="night", name="")
    assert worn() == "soulpet/vesper"
    assert ask(app, "preview_skin")["image"].startswith("data:image/svg+xml;base64,")
    assert ask(app, "preview_skin", pixels=True)["image"].startswith("data:image/webp;base64,")
    souls = ask(app, "list_templates")["templates"]
    assert {each["id"]: each["body"] for each in souls if each["body"]}["slow"] == "soulpet/moss"
    ask(app, "choose_skin", skin="soulpet")
    ask(app, "choose_soul", template="slow", name="")
    assert worn() == "soulpet/moss"
