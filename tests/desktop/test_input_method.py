"""Which input context Qt is given on Linux, with a real session bus."""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from pet.desktop.environment import PLUGINS, choose_input_method, describe_input_method, input_contexts, owned_names

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux only")

PORTAL, IBUS, FCITX = "org.freedesktop.portal.IBus", "org.freedesktop.IBus", "org.fcitx.Fcitx5"


@pytest.fixture
def bus() -> Iterator[dict[str, str]]:
    from tests.support.desktop.portals import session_bus  # jeepney is there on Linux only

    with session_bus() as found:
        yield found


@contextlib.contextmanager
def owning(bus: dict[str, str], *names: str) -> Iterator[Any]:
    from jeepney import message_bus
    from jeepney.io.blocking import open_dbus_connection

    with open_dbus_connection(bus["DBUS_SESSION_BUS_ADDRESS"]) as connection:
        for name in names:
            connection.send_and_get_reply(message_bus.RequestName(name))
        yield connection


@pytest.fixture
def with_daemon(tmp_path: Path) -> str:
    """A PATH on which ibus-daemon is found."""
    program = tmp_path / "bin" / "ibus-daemon"
    program.parent.mkdir()
    program.touch(0o755)
    return str(program.parent)


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ({}, "ibus"),
        ({"QT_IM_MODULE": "fcitx"}, "fcitx;ibus"),
        ({"QT_IM_MODULE": "fcitx5"}, "fcitx5;ibus"),
        ({"QT_IM_MODULE": "ibus"}, "ibus"),
        ({"QT_IM_MODULE": "simple"}, "simple;ibus"),
        ({"QT_IM_MODULE": "compose"}, "compose"),
        ({"QT_IM_MODULE": "none"}, "none"),
        ({"QT_IM_MODULE": "qtvirtualkeyboard"}, "qtvirtualkeyboard"),
        ({"QT_IM_MODULE": "xim"}, "xim"),
        ({"QT_IM_MODULE": "xim", "XMODIFIERS": "@im=none"}, "xim"),
        ({"QT_IM_MODULE": "xim", "XMODIFIERS": "@im=fcitx"}, "ibus;xim"),
        ({"QT_IM_MODULES": "wayland;fcitx", "QT_IM_MODULE": "compose"}, "wayland;fcitx;ibus"),
        ({"QT_IM_MODULES": "wayland;compose"}, "wayland;ibus;compose"),
        ({"QT_IM_MODULES": "compose;ibus"}, "compose;ibus"),
    ],
)
def test_contexts_keep_available_choice_and_add_ibus_otherwise(said: dict[str, str], order: str) -> None:
    assert ";".join(input_contexts(said)) == order
    assert input_contexts({**said, "QT_IM_MODULES": order}) == order.split(";")  # again after a restart in place


def test_available_plugins_are_those_of_the_wheel() -> None:
    found = find_spec("PySide6")
    assert found is not None and found.submodule_search_locations
    folder = Path(found.submodule_search_locations[0], "Qt", "plugins", "platforminputcontexts")
    names = {file.name.removeprefix("lib").partition("plugin.so")[0] for file in folder.glob("*.so")}
    assert {name.removesuffix("platforminputcontext") for name in names} == PLUGINS


def test_portal_is_used_for_fcitx5_alone(bus: dict[str, str], with_daemon: str) -> None:
    with owning(bus, PORTAL, IBUS, FCITX):
        environ = {**bus, "PATH": with_daemon, "QT_IM_MODULE": "fcitx"}
        choose_input_method(environ)
        assert environ["IBUS_USE_PORTAL"] == "1"
        assert describe_input_method(environ).program == "fcitx5"
    with owning(bus, PORTAL, IBUS):
        environ = {**bus, "PATH": with_daemon}
        choose_input_method(environ)
        assert "IBUS_USE_PORTAL" not in environ
        assert describe_input_method(environ).program == "ibus"
        without = {**bus, "PATH": ""}
        choose_input_method(without)
        assert without["IBUS_USE_PORTAL"] == "1"
    nobody = {**bus, "PATH": with_daemon}
    choose_input_method(nobody)
    assert "IBUS_USE_PORTAL" not in nobody


def test_portal_setting_of_the_owner_stays(bus: dict[str, str]) -> None:
    environ = {**bus, "IBUS_USE_PORTAL": "0"}
    with owning(bus, PORTAL, FCITX):
        choose_input_method(environ)
    assert environ["IBUS_USE_PORTAL"] == "0"


def test_fcitx5_that_starts_at_the_same_login_is_waited_for(bus: dict[str, str]) -> None:
    from jeepney import message_bus

    environ = {**bus, "XMODIFIERS": "@im=fcitx", "PATH": ""}
    with owning(bus, FCITX) as fcitx:
        request = message_bus.RequestName(PORTAL)
        later = threading.Timer(0.2, lambda: fcitx.send_and_get_reply(request))
        later.start()
        choose_input_method(environ, wait=True)
        later.join()
    assert environ["IBUS_USE_PORTAL"] == "1"


def test_bus_that_is_absent_or_silent_changes_nothing(tmp_path: Path) -> None:
    assert owned_names([PORTAL], {}) is None
    assert owned_names([PORTAL], {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={tmp_path}/none"}) is None
    assert owned_names([PORTAL], {"DBUS_SESSION_BUS_ADDRESS": "tcp:host=localhost,port=1"}) is None
    assert owned_names([PORTAL], {"DBUS_SESSION_BUS_ADDRESS": "nonsense"}) is None
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(f"{tmp_path}/bus")
        silent.listen()
        environ = {"XDG_RUNTIME_DIR": str(tmp_path)}
        assert owned_names([PORTAL], environ) is None
        choose_input_method(environ, wait=True)
        assert environ == {"XDG_RUNTIME_DIR": str(tmp_path), "QT_IM_MODULES": "ibus"}


def test_description_says_why_there_is_no_input_method(bus: dict[str, str]) -> None:
    assert describe_input_method({"QT_IM_MODULE": "compose"}).why == "chosen"
    assert describe_input_method({"QT_IM_MODULE": "compose"}).context == "compose"
    absent = describe_input_method({"XMODIFIERS": "@im=fcitx"})
    assert (absent.why, absent.named) == ("no_bus", True)
    assert (describe_input_method(bus).why, describe_input_method(bus).named) == ("not_running", False)
    with owning(bus, FCITX):
        assert describe_input_method(bus).why == "not_offered"
