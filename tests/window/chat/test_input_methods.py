"""Chinese typed into the real chat and bubble with real keys, through the input methods that Linux desktops have."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Playwright, expect

from tests.support.desktop.input_methods import fcitx5, ibus, missing_programs, path_without_ibus, session_bus
from tests.support.desktop.xvfb import Desktop, Running, start_pet, wait_for
from tests.support.pet_windows.bubbles import ready, seen
from tests.support.pet_windows.windows import Chat, model_environ, talking
from tests.support.servers.protocol_server import ProtocolServer

pytestmark = pytest.mark.window


@pytest.fixture(autouse=True)
def _installed() -> None:
    absent = missing_programs()
    assert not absent, f"the window tests need {', '.join(absent)}: see .ci/apt.txt"


def settled(chat: Chat) -> str:
    """What one try of "nihao" and a space became: a commit, or the letters themselves."""
    chat.composer.fill("")
    chat.running.desktop.type("nihao")
    chat.running.desktop.key("space")
    with contextlib.suppress(AssertionError):  # while the dictionary is prepared, keys may come to nothing
        wait_for("a commit", lambda: chat.composer.input_value()[-1:] in ("好", " "), 10)
    return chat.composer.input_value()


def types_chinese(chat: Chat) -> None:
    expect(chat.composer).to_be_focused()
    # The dictionary is prepared in the background after the first key; until then letters stay letters.
    wait_for("你好", lambda: settled(chat) == "你好", 300)


def enter_takes_the_letters(chat: Chat, server: ProtocolServer) -> None:
    """It belongs to the input method as long as there are candidates, and sends nothing."""
    chat.composer.fill("")
    chat.running.desktop.type("nihao")
    chat.running.desktop.key("Return")
    expect(chat.composer).to_have_value("nihao")
    assert server.messages == []


def doctor(desktop: Desktop, home: Path, variables: Mapping[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "pet", "--home", str(home), "doctor", "--json"],
        env=desktop.environ | dict(variables),
        capture_output=True,
        text=True,
        check=False,
    )
    found: str = json.loads(done.stdout)["input_method"]
    return found


# A bare session, and what im-config sets.
@pytest.mark.parametrize("said", [{}, {"QT_IM_MODULE": "fcitx"}])
def test_fcitx5_types_chinese_into_the_chat(
    desktop: Desktop, home: Path, tmp_path: Path, playwright: Playwright, said: dict[str, str]
) -> None:
    with session_bus(desktop) as session, fcitx5(desktop, session):
        variables = session | {"PATH": path_without_ibus(tmp_path / "bin"), "XMODIFIERS": "@im=fcitx"} | said
        with ProtocolServer() as server, talking(desktop, home, server, playwright, environ=variables) as chat:
            types_chinese(chat)
            enter_takes_the_letters(chat, server)
        assert doctor(desktop, home, variables) == "fcitx5"


def test_ibus_types_chinese_into_the_chat(desktop: Desktop, home: Path, playwright: Playwright) -> None:
    with session_bus(desktop) as session, ibus(desktop, session):
        variables = session | {"QT_IM_MODULE": "ibus", "XMODIFIERS": "@im=ibus"}
        with ProtocolServer() as server, talking(desktop, home, server, playwright, environ=variables) as chat:
            types_chinese(chat)
            enter_takes_the_letters(chat, server)
        assert doctor(desktop, home, variables) == "ibus"


def written(pet: Running) -> str:
    """What one try became, as ``settled``."""
    pet.ask("field().clear()")
    pet.desktop.type("nihao")
    pet.desktop.key("space")
    with contextlib.suppress(AssertionError):
        wait_for("a commit", lambda: str(pet.ask("field().text()"))[-1:] in ("好", " "), 10)
    return str(pet.ask("field().text()"))


def test_fcitx5_types_chinese_into_the_bubble(desktop: Desktop, home: Path, tmp_path: Path) -> None:
    with session_bus(desktop) as session, fcitx5(desktop, session), ProtocolServer() as server:
        variables = session | {"PATH": path_without_ibus(tmp_path / "bin"), "XMODIFIERS": "@im=fcitx"}
        with start_pet(desktop, home, environ=model_environ(server) | variables, debug=False) as pet:
            ready(pet)
            assert pet.command("pet", "open_field")["ok"]
            seen(pet).takes_keys()
            pet.shows("field().hasFocus()")
            wait_for("你好", lambda: written(pet) == "你好", 300)
            pet.ask("field().clear()")
            desktop.type("nihao")
            desktop.key("Return")  # takes the letters, and sends nothing
            pet.shows("field().text() == 'nihao'")
            assert server.messages == []
