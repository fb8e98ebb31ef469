"""A page can't get out, nothing foreign gets in, and only our own pages are answered."""

from __future__ import annotations

import contextlib
import http.server
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Page, Playwright

from pet.bridge.commands.desktop import DesktopCommands
from pet.bridge.dispatch import CommandFailed
from pet.bridge.socket_server import RunningPet
from pet.cli.running_pet import status_of_running
from pet.paths import find_home
from tests.support.desktop.xvfb import BACKGROUND, Desktop, Running, call_page, start_pet, wait_for
from tests.support.pet_windows.windows import BARE
from tests.support.program.listening import once_listening

pytestmark = pytest.mark.window


class Elsewhere(http.server.ThreadingHTTPServer):
    """A foreign site on loopback that notes who came."""

    daemon_threads = True

    def __init__(self) -> None:
        self.asked: list[str] = []
        super().__init__(("127.0.0.1", 0), _Answer)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Elsewhere)
        self.server.asked.append(self.path)
        self.send_response(200)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>elsewhere</title>")

    def log_message(self, *args: object) -> None:
        return


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Elsewhere]:
    server = Elsewhere()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def pet(desktop: Desktop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with start_pet(desktop, tmp_path_factory.mktemp("lock") / "home", command=BARE) as running:
        yield running


@pytest.fixture(scope="module")
def browser(pet: Running, playwright: Playwright) -> Iterator[Browser]:
    connected = pet.attach(playwright)
    yield connected
    connected.close()


@pytest.fixture
def chat(pet: Running, browser: Browser) -> Iterator[Page]:
    """The chat's page; still ours and still answered after each attempt."""
    page = pet.page(browser, "chat.html")
    wait_for("the bridge", lambda: page.evaluate("!!window.pywebview?.api?.invoke"))
    yield page
    assert page.url.partition("#")[0].endswith("/chat.html")
    assert call_page(page, "hide_chat")["ok"] is True


@pytest.mark.parametrize(
    "attempt",
    [
        "location.href = url",
        "location.replace(url)",
        "const a = document.createElement('a'); a.href = url; document.body.append(a); a.click()",
        "const f = document.createElement('iframe'); f.src = url; document.body.append(f)",
        "const f = document.createElement('form'); f.action = url; document.body.append(f); f.submit()",
        "const i = new Image(); i.src = url; document.body.append(i)",
        "const s = document.createElement('script'); s.src = url; document.head.append(s)",
        "const l = document.createElement('link'); l.rel = 'stylesheet'; l.href = url; document.head.append(l)",
        "navigator.sendBeacon(url, 'x')",
        "document.head.insertAdjacentHTML('beforeend', `<meta http-equiv='refresh' content='0;url=${url}'>`)",
    ],
)
def test_no_way_leads_to_another_site(chat: Page, elsewhere: Elsewhere, attempt: str) -> None:
    chat.evaluate(f"(url) => {{ {attempt} }}", f"{elsewhere.url}/out")
    # What the page asks for now goes through the same machinery after what it asked for before.
    assert chat.evaluate("(url) => fetch(url).then(() => 'came', () => 'refused')", f"{elsewhere.url}/x") == "refused"
    assert elsewhere.asked == []


def is_paused(home: Path, paused: bool = True) -> bool:
    with contextlib.suppress(CommandFailed):  # too busy to answer
        status = status_of_running(find_home(home))
        return status is not None and status.paused is paused
    return False


def test_new_windows_open_nothing_and_end_nothing(
    desktop: Desktop, tmp_path: Path, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By real clicks and without the debugger, which would hold each new window back."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(desktop.folder))
    asked = len(elsewhere.asked)
    home = tmp_path / "home"
    environ = {"ELSEWHERE": f"{elsewhere.url}/popup"}
    with start_pet(desktop, home, command=BARE, debug=False, environ=environ) as running:
        pet = running.window("Soulpet")
        wait_for("the picture", lambda: desktop.pixel(*desktop.box(pet).centre) != BACKGROUND)
        running_pet = RunningPet(find_home(home))
        once_listening(lambda: running_pet.call(DesktopCommands.show_view, view="chat"))
        opened = running.window("Soulpet chat")
        wait_for("the page", lambda: is_paused(home))  # it says so when it has its bridge
        box = desktop.box(opened)

        def answered() -> bool:
            """A page that has not been painted yet hears no click."""
            desktop.click(box.x + 80, box.y + 300)
            with contextlib.suppress(AssertionError):
                wait_for("the first answer", lambda: is_paused(home, False), 10)
            return is_paused(home, False)

        wait_for("a page that listens", answered)
        for step in range(4):
            desktop.click(box.x + 100 + 20 * step, box.y + 300)
            wait_for("the answer", partial(is_paused, home, step % 2 == 0))
        assert set(desktop.windows(running.pid).values()) == {"Soulpet", "Soulpet chat"}
        assert running.process.poll() is None
    assert len(elsewhere.asked) == asked


@pytest.mark.parametrize("scheme", ["file:///etc/hostname", "file:///proc/self/environ"])
def test_no_file_can_be_read(chat: Page, scheme: str) -> None:
    assert chat.evaluate("(url) => fetch(url).then(() => 'came', () => 'refused')", scheme) == "refused"
    script = """(url) => new Promise((done) => { const r = new XMLHttpRequest(); r.open('GET', url);
        r.onload = () => done(r.responseText || 'empty'); r.onerror = () => done('refused'); r.send(); })"""
    assert chat.evaluate(script, scheme) == "refused"


def test_no_other_file_can_be_opened(chat: Page, tmp_path: Path) -> None:
    other = tmp_path / "other.html"
    other.write_text("<title>other</title>")
    chat.evaluate("(url) => { location.href = url }", other.as_uri())
    pictures = "(url) => new Promise((done) => { const i = new Image(); i.onerror = () => done('refused');"
    assert chat.evaluate(f"{pictures} i.onload = () => done('came'); i.src = url }})", other.as_uri()) == "refused"


def test_the_bridge_takes_nothing_but_invoke(chat: Page, pet: Running) -> None:
    box = pet.desktop.box(pet.window("Soulpet"))
    for call in (
        ("pywebviewMoveWindow", "[0, 0]", "1"),
        ("pywebviewStateUpdate", '{"key": "x", "value": 1}', "2"),
        ("pywebviewAsyncCallback", "null", "3"),
        ("__class__.__init__", "[]", "4"),
        ("invoke", '["get_status", "{}"]', "'];alert(1)//"),
        ("invoke", "not json", "5"),
        ("invoke", "[]", "6"),
        ("invoke", '[1, {"a": []}]', "7"),
    ):
        chat.evaluate("(call) => { window.pywebview._QWebChannel.objects.external.call(...call) }", list(call))
    assert call_page(chat, "hide_chat")["ok"] is True
    assert pet.desktop.box(pet.window("Soulpet")) == box
    assert chat.evaluate("Object.keys(window.pywebview.api)") == ["invoke"]


@pytest.mark.parametrize("wish", ["{audio: true}", "{video: true}", "{audio: true, video: true}"])
def test_microphone_and_camera_are_denied(chat: Page, wish: str) -> None:
    script = f"navigator.mediaDevices.getUserMedia({wish}).then(() => 'granted', (e) => e.name)"
    assert chat.evaluate(script) in ("NotAllowedError", "NotFoundError")


@pytest.mark.parametrize("name", ["geolocation", "notifications", "microphone", "camera", "clipboard-read"])
def test_no_permission_is_granted(chat: Page, name: str) -> None:
    script = "(name) => navigator.permissions.query({ name }).then((p) => p.state, () => 'denied')"
    assert chat.evaluate(script, name) != "granted"


def test_a_page_that_got_in_by_force_has_no_bridge(pet: Running, browser: Browser) -> None:
    """The debugger can put another page into the window; that one finds nothing to call.

    The last test here: the chat's page may be gone then.
    """
    assert pet.command("socket", "get_status")["value"]["paused"] is False
    page = pet.page(browser, "chat.html")
    try:
        page.goto("data:text/html,<title>forced</title>", timeout=30_000)
    except Error:
        assert page.evaluate("document.title") == "chat"  # the lock held even against the debugger
        return
    assert page.evaluate("typeof window.pywebview") == "undefined"
    script = """() => new Promise((done) => { if (!window.qt) return done('no bridge');
        window.qt.webChannelTransport.onmessage = () => done('answered');
        window.qt.webChannelTransport.send(JSON.stringify({ type: 6, object: 'external', method: 0,
          args: ['invoke', JSON.stringify(['pause_memory', JSON.stringify({ paused: true })]), '1'], id: 1 }));
        setTimeout(() => done('sent'), 500); })"""
    page.evaluate(script)
    assert pet.command("socket", "get_status")["value"]["paused"] is False
