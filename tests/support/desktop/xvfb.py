"""A desktop for the window tests: X server, window manager, compositor, real pointer, real pictures.

Every wait is for a state of X, never for time. Each process started here runs in its own group, which is ended as a
whole.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from playwright.sync_api import Browser, Error, Page, Playwright

from tests.support.program.silence import silent
from tests.support.program.warm_pet import WARM, WarmProgram
from tests.support.waiting import PATIENCE as PATIENCE
from tests.support.waiting import wait_for as wait_for

if TYPE_CHECKING:
    from Xlib.display import Display

TOOLS = ("Xvfb", "dbus-daemon", "openbox", "picom", "hsetroot", "xdotool", "xprop", "xwininfo", "wmctrl", "import")
BACKGROUND = "#3a6ea5"
_INSPECTED = "tests.support.program.inspected"
_TOLD = 4_000  # characters of each page, when a test fails
_STACKS = 40_000  # of the program's output: some thirty threads


@dataclass(frozen=True, slots=True)
class Box:
    x: int
    y: int
    width: int
    height: int

    @property
    def centre(self) -> tuple[int, int]:
        return self.x + self.width // 2, self.y + self.height // 2


@dataclass(slots=True)
class Desktop:
    """One X display with its helpers."""

    display: str
    folder: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    side: int = 1
    plugged: set[str] = field(default_factory=set)
    host: str = ""  # the display with the pointer and the picture, if another server shows this one's windows in it
    scale: float = 1.0  # pixels of that display per unit of this one

    @property
    def environ(self) -> dict[str, str]:
        """Return variables for programs on this display: no bus, no keyring, no proxy, language English."""
        drop = ("DBUS_SESSION_BUS_ADDRESS", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "XAUTHORITY", "LANGUAGE")
        kept = {name: value for name, value in os.environ.items() if name not in drop}
        kept = {name: value for name, value in kept.items() if not name.lower().endswith("_proxy")}
        return kept | {
            "DISPLAY": self.display,
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "XDG_RUNTIME_DIR": str(self.folder),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
            "PET_ALLOW_ROOT": "1",
            "QTWEBENGINE_CHROMIUM_FLAGS": "--disable-gpu",
        }

    def run(self, *command: str, check: bool = True) -> str:
        return self.run_bytes(*command, check=check).decode("utf-8", "replace")

    def run_bytes(self, *command: str, check: bool = True, environ: Mapping[str, str] | None = None) -> bytes:
        environ = self.environ if environ is None else environ
        done = subprocess.run(command, env=environ, capture_output=True, timeout=PATIENCE, check=False)
        if check and done.returncode:
            raise AssertionError(f"{command}: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout

    def spawn(self, *command: str) -> subprocess.Popen[bytes]:
        log = (self.folder / f"{Path(command[0]).name}.log").open("ab")
        process = subprocess.Popen(command, env=self.environ, stdout=log, stderr=log, start_new_session=True)
        self.processes.append(process)
        return process

    # --- state ----------------------------------------------------------------------------------

    def windows(self, pid: int) -> dict[int, str]:
        """Return the managed windows of this process: id to title."""
        found = {}
        for line in self.run("wmctrl", "-l", "-p", check=False).splitlines():
            handle, _desk, owner, _host, *title = line.split(None, 4)
            if int(owner) == pid:
                found[int(handle, 16)] = title[0] if title else ""
        return found

    def listed(self) -> list[str]:
        """Return a line of wmctrl for each managed window, asked again where one closed while they were listed."""

        def ask() -> list[list[str]] | None:
            with contextlib.suppress(AssertionError):
                return [self.run("wmctrl", "-l", "-p").splitlines()]
            return None

        return wait_for("the list of windows", ask)[0]

    def window(self, pid: int, title: str) -> int | None:
        """Return the shown window with exactly this title."""
        return next((handle for handle, name in self.windows(pid).items() if name == title), None)

    def box(self, window: int) -> Box:
        """Return the window's box without its frame, in root coordinates."""
        out = self.run("xwininfo", "-id", str(window))

        def number(label: str) -> int:
            return int(out.partition(f"{label}:")[2].split()[0])

        corner = number("Absolute upper-left X"), number("Absolute upper-left Y")
        return Box(*corner, number("Width"), number("Height"))

    def prop(self, window: int | str, name: str) -> str:
        target = ["-root"] if window == "root" else ["-id", str(window)]
        return self.run("xprop", *target, name, check=False)

    def active_window(self) -> int:
        out = self.prop("root", "_NET_ACTIVE_WINDOW").rsplit("#", 1)
        return int(out[1].split(",")[0], 16) if len(out) == 2 else 0

    @contextlib.contextmanager
    def connection(self, name: str = "") -> Iterator[Display]:
        """Open an Xlib connection, for queries and gestures without a tool. ``name``: of another display."""
        from Xlib import display
        from Xlib.protocol import display as protocol
        from Xlib.protocol import event

        # Xlib keeps one table of event codes for all servers, and they differ between servers.
        protocol.Display.event_classes = event.event_class.copy()
        opened = display.Display(name or self.display)
        try:
            yield opened
        finally:
            opened.close()

    # --- monitors -------------------------------------------------------------------------------

    def plug(self, name: str, area: str) -> None:
        """Add a monitor at this part of the screen. The first one gets the server's only output and is the primary
        one.
        """
        size, x, y = area.split("+")
        width, height = size.split("x")
        output = "none" if self.plugged else "screen"
        self.run("xrandr", "--setmonitor", name, f"{width}/{width}x{height}/{height}+{x}+{y}", output)
        self.plugged.add(name)

    def unplug(self, name: str) -> None:
        self.run("xrandr", "--delmonitor", name)
        self.plugged.remove(name)

    # --- pointer, keyboard, picture -------------------------------------------------------------

    def hands_on(self, *command: str) -> bytes:
        """Run a tool on the display that has the pointer, the keyboard and the picture."""
        return self.run_bytes(*command, environ=self.environ | {"DISPLAY": self.host or self.display})

    def spot(self, x: float, y: float) -> tuple[int, int]:
        """Return the position on that display of a point of this one."""
        return round(x * self.scale), round(y * self.scale)

    def point(self, x: int, y: int, *then: str) -> None:
        """Move the pointer, then run xdotool's commands."""
        across, down = map(str, self.spot(x, y))
        # A compositor takes moves with its next frame, and XWayland the place only from moves within its windows.
        near = ("mousemove", str(int(across) + 1), down, "sleep", "0.1") if self.host else ()
        rest = ("sleep", "0.1") if self.host else ()
        self.hands_on("xdotool", *near, "mousemove", across, down, *rest, *then)

    def click(self, x: int, y: int, *, button: int = 1) -> None:
        self.point(x, y, "click", str(button))

    def double_click(self, box: Box) -> None:
        """Double-click on the middle, a little beside the previous one: two at one spot would be a triple click.

        The server delays the second press: a client could lose the processor for longer than a double click may take.
        """
        from Xlib import X

        self.side = -self.side
        x, y = box.centre
        x += 8 * self.side
        self.point(x, y)
        with self.connection(self.host) as server:
            for pause in (0, 40):
                server.xtest_fake_input(X.ButtonPress, 1, pause)
                server.xtest_fake_input(X.ButtonRelease, 1, 20)
            server.sync()

    def throw(self, start: tuple[int, int], end: tuple[int, int], steps: int = 12) -> None:
        """Drag and release while moving. The server delays the events, as in ``double_click``."""
        from Xlib import X

        (x0, y0), (x1, y1) = start, end
        self.point(*start)
        with self.connection(self.host) as server:
            server.xtest_fake_input(X.ButtonPress, 1)
            for step in range(1, steps + 1):
                at = self.spot(x0 + (x1 - x0) * step / steps, y0 + (y1 - y0) * step / steps)
                server.xtest_fake_input(X.MotionNotify, 0, 10, x=at[0], y=at[1])
            server.xtest_fake_input(X.ButtonRelease, 1, 5)
            server.sync()

    def drag(self, start: tuple[int, int], end: tuple[int, int], steps: int = 12, *, carries: int = 0) -> None:
        """Drag, pause, and release.

        With XWayland a moving window reports the pointer too far by the compositor's lag: the pointer keeps
        correcting until the window that it ``carries`` has arrived.
        """
        was = self.box(carries) if carries else None
        self._pull(start, end, steps)
        seen, still = was, 0

        def came_along(window: int, was: Box) -> bool:
            nonlocal seen, still
            self.point(*end, "sleep", "0.2")
            now = self.box(window)
            seen, still = now, still + 1 if now == seen else 0
            if still == 8:
                # A lagging compositor may apply the press to the pointer's last position, or lose the window on the
                # way: press again at the same spot of the window.
                still = 0
                self.point(*end, "mouseup", "1", "sleep", "1")
                self._pull((start[0] + now.x - was.x, start[1] + now.y - was.y), end, steps)
            by = end[0] - start[0], end[1] - start[1]
            return abs(now.x - was.x - by[0]) <= 2 and abs(now.y - was.y - by[1]) <= 2

        try:
            if was is not None:
                wait_for("the window under the hand", lambda: came_along(carries, was))
        finally:
            self.point(*end, "sleep", "0.15", "mouseup", "1")

    def _pull(self, start: tuple[int, int], end: tuple[int, int], steps: int) -> None:
        (x0, y0), (x1, y1) = start, end
        self.point(*start, "mousedown", "1")
        for step in range(1, steps + 1):
            x, y = x0 + (x1 - x0) * step // steps, y0 + (y1 - y0) * step // steps
            self.hands_on(
                "xdotool", "mousemove", *map(str, self.spot(x, y)), *(("sleep", "0.02") if self.host else ())
            )

    def type(self, text: str) -> None:
        self.hands_on("xdotool", "type", "--delay", "12", text)

    def key(self, *keys: str) -> None:
        self.hands_on("xdotool", "key", *keys)

    def screenshot(self, file: Path) -> Path:
        file.parent.mkdir(parents=True, exist_ok=True)
        self.hands_on("import", "-window", "root", str(file))
        return file

    def pixel(self, x: int, y: int) -> str:
        """Return the visible colour there, as #rrggbb."""
        from Xlib import X

        with self.connection(self.host) as server:
            image = server.screen().root.get_image(*self.spot(x, y), 1, 1, X.ZPixmap, 0xFFFFFFFF)
        return "#" + bytes(image.data[2::-1]).hex()  # blue comes first

    def close(self) -> None:
        for process in reversed(self.processes):
            end_group(process)


def end_group(process: subprocess.Popen[bytes] | subprocess.Popen[str] | WarmProgram, seconds: float = 20.0) -> None:
    """End the process and all its children; they share a group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    with contextlib.suppress(ProcessLookupError):  # children may outlive the leader
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(seconds)


@contextlib.contextmanager
def open_desktop(
    *,
    size: str = "1280x800",
    compositor: bool = True,
    manager: Sequence[str] = ("openbox", "--sm-disable"),
    monitors: Mapping[str, str] | None = None,
) -> Iterator[Desktop]:
    """Start a desktop. ``monitors``: by name, such as ``{"LEFT": "1280x800+0+0"}``; else a single one."""
    with open_server(size) as desktop:
        for name, area in (monitors or {}).items():
            desktop.plug(name, area)
        desktop.spawn(*manager)
        wait_for("the window manager", lambda: "#" in desktop.prop("root", "_NET_SUPPORTING_WM_CHECK"))
        if compositor:
            start_compositor(desktop)
        desktop.run("hsetroot", "-solid", BACKGROUND)
        yield desktop


def start_compositor(desktop: Desktop) -> subprocess.Popen[bytes]:
    started = desktop.spawn("picom", "--backend", "xrender", "--config", os.devnull)
    wait_for("the compositor", lambda: selection_owned(desktop, "_NET_WM_CM_S0"))
    return started


@contextlib.contextmanager
def choosing_a_display() -> Iterator[None]:
    """Serialise the choice of a display: two servers starting at once would take the same number."""
    import fcntl

    with Path(tempfile.gettempdir(), f"soulpet-displays-{os.getuid()}.lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def open_server(size: str, tools: Sequence[str] = TOOLS) -> Iterator[Desktop]:
    """Start an X server without clients."""
    absent = [tool for tool in tools if shutil.which(tool) is None]
    assert not absent, f"the window tests need {', '.join(absent)}: see .ci/apt.txt"
    folder = Path(tempfile.mkdtemp(prefix="soulpet-desktop-"))
    folder.chmod(0o700)
    reader, writer = os.pipe()
    log = (folder / "Xvfb.log").open("ab")
    desktop = Desktop("", folder)
    try:
        with choosing_a_display():
            server = subprocess.Popen(
                ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{size}x24", "-nolisten", "tcp", "-noreset"],
                pass_fds=[writer],
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            desktop.processes.append(server)
            os.close(writer)
            ready, _, _ = select.select([reader], [], [], PATIENCE)
            number = os.read(reader, 16).decode().strip() if ready else ""
        assert number, "Xvfb did not start"
        desktop.display = f":{number}"
        yield desktop
    finally:
        os.close(reader)
        desktop.close()
        shutil.rmtree(folder, ignore_errors=True)


def selection_owned(desktop: Desktop, name: str) -> bool:
    """Whether the display has an owner of this selection, such as a compositor or tray."""
    from Xlib import X

    with desktop.connection() as server:
        return bool(server.get_selection_owner(server.intern_atom(name)) != X.NONE)


# --- the program ----------------------------------------------------------------------------------


@dataclass(slots=True)
class Running:
    """A running pet on the desktop, with its pages over CDP."""

    desktop: Desktop
    home: Path
    process: subprocess.Popen[bytes] | WarmProgram
    port: int
    output: Path
    inspector: Path
    pages: list[Page] = field(default_factory=list)

    @property
    def pid(self) -> int:
        """Process that owns the windows: the started one, or the child of a frozen program."""
        return self.process.pid

    def window(self, title: str) -> int:
        return wait_for(f"the window {title!r}", lambda: self._alive() and self.desktop.window(self.pid, title))

    def no_window(self, title: str) -> None:
        wait_for(f"the window {title!r} to go", lambda: self.desktop.window(self.pid, title) is None)

    def attach(self, playwright: Playwright) -> Browser:
        """Connect to the chat's page over CDP once the listener is ours: on a taken port Qt continues silently. Loads
        the page first, as a pointer on the pet does.
        """
        self.shows("pet is not None")
        self.ask("order('expect_chat')")
        wait_for("the debugging port", lambda: self._alive() and self._listens())
        wait_for("the chat's page", lambda: self._alive() and "chat.html" in self._targets())
        return self._connect(playwright)

    def ask(self, expression: str) -> Any:
        """Return the value of a Python expression in the program, on its GUI thread: see ``inspected``."""
        return self._inspect(expression)

    def toggle_chat(self) -> None:
        """Show or hide the chat, as a double click does."""
        self.shows("pet is not None")
        self.ask("order('toggle_chat')")

    def command(self, client: str, name: str, **args: object) -> dict[str, Any]:
        """Call a command of the core's table as the pet or the bubble, once there is one, and return the envelope."""
        self.shows("pet is not None")
        reply: dict[str, Any] = self._inspect([client, name, args])
        return reply

    def _inspect(self, asked: object) -> Any:
        wait_for("the program's inspector", lambda: self._alive() and self.inspector.is_socket())
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(PATIENCE)

            def connected() -> bool:
                with contextlib.suppress(ConnectionRefusedError):
                    connection.connect(str(self.inspector))
                    return True
                return False

            wait_for("the inspector to listen", connected)
            connection.sendall(json.dumps(asked).encode() + b"\n")
            with connection.makefile("rb") as reply:
                answer = json.loads(reply.readline())
        assert "value" in answer, f"{asked}: {answer['error']}"
        return answer["value"]

    def shows(self, expression: str) -> Any:
        """Wait until the expression is true, and return it. False as long as there is no such window."""

        def true() -> Any:
            self._alive()
            try:
                return self.ask(expression)
            except AssertionError:
                return None

        return wait_for(expression, true)

    def _connect(self, playwright: Playwright) -> Browser:
        # Without no_defaults Playwright uses features that this browser lacks.
        return playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{self.port}", no_defaults=True)

    def page(self, browser: Browser, name: str) -> Page:
        """Return a page by the end of its address; hidden windows too."""

        def look() -> Page | None:
            pages = [page for context in browser.contexts for page in context.pages]
            return next((page for page in pages if page.url.partition("#")[0].endswith(f"/{name}")), None)

        found = wait_for(f"the page {name}", look)
        found.set_default_timeout(PATIENCE * 1000)
        self.pages.append(found)
        return found

    def listening(self) -> set[tuple[str, int]]:
        """Return the TCP addresses this program listens on, helpers included."""
        found: set[tuple[str, int]] = set()
        parent = psutil.Process(self.pid)
        for process in [parent, *parent.children(recursive=True)]:
            with contextlib.suppress(psutil.NoSuchProcess):
                for connection in process.net_connections("tcp"):
                    if connection.status == psutil.CONN_LISTEN:
                        found.add((connection.laddr.ip, connection.laddr.port))
        return found

    def wait(self, seconds: float = PATIENCE) -> int:
        return self.process.wait(seconds)

    def explain(self) -> None:
        """Print what is needed to find out why a test failed: what the pages show, and where each thread is."""
        for page in self.pages:
            with contextlib.suppress(Error):
                print(page.url, page.locator("body").inner_text(timeout=5_000)[-_TOLD:], sep="\n")
        with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
            self.process.send_signal(signal.SIGABRT)  # Python writes the stacks of all threads
            self.process.wait(PATIENCE)
        print(self.output.read_text(errors="replace")[-_STACKS:])

    def stop(self) -> int:
        """End the program, as at a logout."""
        self.process.send_signal(signal.SIGTERM)
        return self.wait()

    def _targets(self) -> set[str]:
        """Return the CDP targets; none while the listener still drops connections."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(f"http://127.0.0.1:{self.port}/json/list", timeout=5) as answer:
                targets = json.load(answer)
        except (OSError, http.client.HTTPException):
            return set()
        return {target["url"].partition("#")[0].rpartition("/")[2] for target in targets}

    def _listens(self) -> bool:
        address = "127.0.0.1", self.port
        with socket.socket() as probe:  # before the sockets of all its processes are listed, which takes a while
            return probe.connect_ex(address) == 0 and address in self.listening()

    def _alive(self) -> bool:
        code = self.process.poll()
        assert code is None, f"the program ended with {code}:\n{self.output.read_text(errors='replace')[-3000:]}"
        return True


def free_port() -> int:
    """Return a port that stays free until its program binds it: outside the system's ephemeral range, and per test
    worker.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 8
    while True:
        port = random.randrange(20_000 + worker * 1_500, 21_500 + worker * 1_500)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


@contextlib.contextmanager
def start_pet(
    desktop: Desktop,
    home: Path,
    *,
    command: Sequence[str] = (sys.executable, "-m", "pet"),
    debug: bool = True,
    environ: Mapping[str, str] | None = None,
    welcome: bool = False,
    inspected: bool = True,
    anew: bool = False,
) -> Iterator[Running]:
    """Start the real program with ``--home``; on exit, end it with all its children. Without ``welcome`` a new home
    belongs to an owner past the first start and first week, with unprompted messages off. Unless ``inspected``, which
    costs modules, a thread and its wake-ups, the program can't be asked anything.

    An inspected program is a fork of one that has imported everything, since a start, a chat and a first message take
    five seconds of a core. ``anew``, as a first start always is: a process of its own from its first instruction on.
    """
    state = home / "state" / "state.json"
    if not welcome and not state.exists():
        state.parent.mkdir(parents=True, exist_ok=True)
        state.write_text('{"welcome": 0, "met.pet": ["2026-01-01"]}')
    settings = home / "config" / "settings.toml"
    if not welcome and not settings.exists():
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text(silent(""))
    port = free_port()
    variables = desktop.environ | {"PYTHONFAULTHANDLER": "1"} | dict(environ or {})
    if debug:
        variables["QTWEBENGINE_REMOTE_DEBUGGING"] = f"127.0.0.1:{port}"
    output = desktop.folder / f"pet-{port}.log"
    inspector = desktop.folder / f"inspect-{port}"
    variables["SOULPET_INSPECT"] = str(inspector)
    if inspected and list(command[1:2]) == ["-m"]:
        command = [command[0], "-m", _INSPECTED, *command[2:]]
    line = [*command, "--home", str(home)]
    process: subprocess.Popen[bytes] | WarmProgram
    with output.open("ab") as log:
        if WARM and not (anew or welcome) and _INSPECTED in line:
            process = WarmProgram(line[2:], variables, log.fileno())
        else:
            process = subprocess.Popen(line, env=variables, stdout=log, stderr=log, start_new_session=True)
    running = Running(desktop, home, process, port, output, inspector)
    try:
        yield running
    except AssertionError:
        running.explain()
        raise
    finally:
        end_group(process)


def call_page(page: Page, name: str, args: Mapping[str, object] | None = None) -> dict[str, Any]:
    """Call one command as the page would, once it can; return the envelope."""
    page.wait_for_function("typeof window.pywebview?.api?.invoke === 'function'")
    script = "([name, args]) => window.pywebview.api.invoke(name, args)"
    answer = page.evaluate(script, [name, json.dumps(args or {})])
    found: dict[str, Any] = json.loads(answer)
    return found
