"""Global hotkeys and screenshots through the desktop's portals: a real session bus, and a fake portal on it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Generic, TypeVar

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux only")
if sys.platform.startswith("linux"):
    from jeepney import DBusAddress, HeaderFields, new_signal
    from jeepney.io.blocking import open_dbus_connection

    from pet.desktop.linux.portal import Portal
    from pet.desktop.platform import Hotkey
    from tests.support.desktop.portals import FakePortal, session_bus
    from tests.support.desktop.xvfb import wait_for

T = TypeVar("T")
PICTURE = b"\x89PNG picture"


@pytest.fixture
def bus() -> Iterator[dict[str, str]]:
    with session_bus() as found:
        yield found


class Heard(Generic[T]):
    """Values that come on another thread."""

    def __init__(self) -> None:
        self.all: list[T] = []
        self._came = threading.Condition()

    def __call__(self, value: T) -> None:
        with self._came:
            self.all.append(value)
            self._came.notify_all()

    def wait(self, count: int = 1) -> list[T]:
        with self._came:
            assert self._came.wait_for(lambda: len(self.all) >= count, timeout=60), self.all
            return self.all


def opened(bus: dict[str, str], changed: Callable[[], None] = lambda: None) -> Portal:
    portal = Portal(changed, bus)
    assert portal.examined.wait(60)
    return portal


def hotkey(act: Callable[[], None] = lambda: None, keys: str = "Ctrl+Alt+P", name: str = "pet") -> Hotkey:
    return Hotkey(keys=keys, name=name, label="Shows the pet.", act=act)


def test_abilities_are_the_portals_that_answer(bus: dict[str, str]) -> None:
    assert opened({}).abilities == frozenset()
    assert opened({"DBUS_SESSION_BUS_ADDRESS": "tcp:host=localhost,port=1"}).abilities == frozenset()
    assert opened(bus).abilities == frozenset()
    fake = FakePortal(bus, has=["Screenshot"])
    assert opened(bus).abilities == {"screenshot"}
    fake.end()
    fake = FakePortal(bus)
    assert opened(bus).abilities == {"shortcuts", "screenshot"}
    fake.end()


def test_portal_that_comes_and_goes_is_noticed(bus: dict[str, str]) -> None:
    changes = Heard[frozenset[str]]()
    portal = opened(bus, lambda: changes(portal.abilities))
    fake = FakePortal(bus)
    assert changes.wait() == [{"shortcuts", "screenshot"}]
    fake.end()
    assert changes.wait(2)[1] == frozenset()


def test_hotkeys_are_bound_with_their_keys_and_act_when_pressed(bus: dict[str, str]) -> None:
    fake, pressed, refused = FakePortal(bus), Heard[str](), Heard[frozenset[str]]()
    portal = opened(bus)
    portal.bind([hotkey(lambda: pressed("pet")), hotkey(keys="Meta+Shift+F5", name="chat")], refused)
    assert refused.wait() == [frozenset()]
    ((_session, bound, window, _options),) = fake.named("BindShortcuts")
    assert window == ""
    described = {"description": ("s", "Shows the pet."), "preferred_trigger": ("s", "CTRL+ALT+p")}
    assert bound[0] == ("pet", described)
    assert bound[1][1]["preferred_trigger"] == ("s", "LOGO+SHIFT+F5")
    assert fake.named("Register") == [("soulpet", {})]
    fake.press("pet", session="/org/freedesktop/portal/desktop/session/other")
    fake.press("unknown")
    fake.press("pet")
    assert pressed.wait() == ["pet"]
    portal.bind([hotkey(lambda: pressed("again"), keys="Ctrl+Alt+J")], refused)  # other keys: another session
    refused.wait(2)
    assert len(fake.named("Close")) == 1 and len(fake.named("CreateSession")) == 2
    fake.press("pet")
    assert pressed.wait(2)[1] == "again"
    fake.end()


def test_a_hotkey_whose_keys_another_program_has_is_refused(bus: dict[str, str]) -> None:
    """As KDE answers: the hotkey is there, without keys."""
    fake, refused = FakePortal(bus), Heard[frozenset[str]]()
    granted = [("pet", {"trigger_description": ("s", "Ctrl+Alt+P")}), ("chat", {"trigger_description": ("s", "")})]
    fake.answers.append((0, {"shortcuts": ("a(sa{sv})", granted)}))
    opened(bus).bind([hotkey(), hotkey(keys="Ctrl+Alt+K", name="chat")], refused)
    assert refused.wait() == [{"Ctrl+Alt+K"}]
    fake.end()


def test_hotkeys_that_are_not_granted_are_refused(bus: dict[str, str]) -> None:
    fake, refused = FakePortal(bus), Heard[frozenset[str]]()
    portal = opened(bus)
    fake.answers.append((0, {"shortcuts": ("a(sa{sv})", [("chat", {})])}))
    fake.answers.append((1, {}))  # the owner said no
    for attempt in range(2):
        portal.bind([hotkey(), hotkey(keys="Ctrl+Alt+K", name="chat")], refused)
        refused.wait(attempt + 1)
    assert refused.all == [{"Ctrl+Alt+P"}, {"Ctrl+Alt+P", "Ctrl+Alt+K"}]
    portal.bind([], refused)
    assert refused.wait(3)[2] == frozenset()
    fake.end()


def test_hotkeys_are_bound_again_when_the_portal_returns(bus: dict[str, str]) -> None:
    refused, pressed = Heard[frozenset[str]](), Heard[str]()
    portal = opened(bus)
    portal.bind([hotkey(lambda: pressed("pet"))], refused)  # nobody there: nothing is said to be taken
    assert refused.wait() == [frozenset()]
    for count in (2, 3):
        fake = FakePortal(bus)
        refused.wait(count)
        fake.press("pet")
        pressed.wait(count - 1)
        fake.end()


def test_screenshot_file_is_read_once_and_removed(bus: dict[str, str], tmp_path: Path) -> None:
    fake, taken = FakePortal(bus), Heard[bytes | None]()
    portal = opened(bus)
    file = tmp_path / "a picture.png"
    file.write_bytes(PICTURE)
    fake.answers.append((0, {"uri": ("s", file.as_uri())}))
    portal.screenshot(choose=True, taken=taken)
    assert taken.wait() == [PICTURE]
    assert not file.exists()
    assert [body[1]["interactive"] for body in fake.named("Screenshot")] == [("b", True)]
    fake.end()


def test_no_screenshot_where_it_was_declined_or_is_no_local_file(bus: dict[str, str], tmp_path: Path) -> None:
    fake, taken = FakePortal(bus), Heard[bytes | None]()
    portal = opened(bus)
    addresses = ["https://example.org/a.png", "file://elsewhere/a.png", tmp_path.as_uri(), (tmp_path / "no").as_uri()]
    fake.answers.extend((0, {"uri": ("s", address)}) for address in addresses)
    fake.answers.extend([(0, {}), (1, {"uri": ("s", tmp_path.as_uri())})])
    for _ in range(6):
        portal.screenshot(choose=False, taken=taken)
    assert taken.wait(6) == [None] * 6
    fake.end()


def test_screenshot_ends_when_the_portal_is_lost(bus: dict[str, str]) -> None:
    fake, taken = FakePortal(bus), Heard[bytes | None]()
    portal = opened(bus)
    fake.answers.append(None)  # the owner is still choosing
    portal.screenshot(choose=True, taken=taken)
    wait_for("the question", lambda: fake.named("Screenshot"))
    assert taken.all == []
    fake.end()
    assert taken.wait() == [None]
    portal.screenshot(choose=True, taken=taken)
    assert taken.wait(2) == [None, None]


def test_messages_of_other_programs_do_not_count(bus: dict[str, str], tmp_path: Path) -> None:
    fake, pressed, refused = FakePortal(bus), Heard[str](), Heard[frozenset[str]]()
    portal = opened(bus)
    portal.bind([hotkey(lambda: pressed("pet"))], refused)
    refused.wait()
    (_method, (session, *_rest)) = next(call for call in fake.calls if call[0] == "BindShortcuts")
    with open_dbus_connection(bus["DBUS_SESSION_BUS_ADDRESS"]) as stranger:
        about = DBusAddress("/org/freedesktop/portal/desktop", interface="org.freedesktop.portal.GlobalShortcuts")
        signal = new_signal(about, "Activated", "osta{sv}", (session, "pet", 0, {}))
        signal.header.fields[HeaderFields.destination] = fake.client
        stranger.send(signal)
        stranger.bus_proxy.GetId()  # by then it was delivered
        fake.press("pet")
        assert pressed.wait() == ["pet"]
        portal.bind([], refused)
        refused.wait(2)
    assert pressed.all == ["pet"]
    fake.end()


def test_malformed_messages_are_answers_too_and_end_nothing(bus: dict[str, str]) -> None:
    fake, pressed, refused, taken = FakePortal(bus), Heard[str](), Heard[frozenset[str]](), Heard[bytes | None]()
    portal = opened(bus)
    fake.answers.append((0, {"shortcuts": ("as", ["pet"])}))
    portal.bind([hotkey(lambda: pressed("pet"))], refused)
    assert refused.wait() == [frozenset({"Ctrl+Alt+P"})]
    fake.press_nothing()
    fake.answers.append((0, {"uri": ("u", 5)}))
    portal.screenshot(choose=False, taken=taken)
    assert taken.wait() == [None]
    fake.press("pet")
    assert pressed.wait() == ["pet"]
    fake.end()
