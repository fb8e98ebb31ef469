"""Display checks, the session bus and environment variables, before the web view is imported.

Covers the X server's probe, the refusal to run as root, Qt's variables and the input method. Prints nothing: returns
catalogue keys for the command line to show. Queries of the D-Bus session bus are read-only, without Qt and within a
time limit, on Linux only; none starts a service, since a name counts only while a running program owns it.

PySide6's wheel has no input context for fcitx. It has the one for IBus, and fcitx5 serves IBus's protocol too, on the
session bus under the name of IBus's portal. Qt tries the contexts of ``QT_IM_MODULES`` in turn, takes the first that
works, and else ``compose``, which knows dead keys but no Chinese; so ``ibus`` is safe to offer on every desktop.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading
import time
from collections import deque
from collections.abc import Collection, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO

if TYPE_CHECKING:
    import ctypes


_ANSWER = 0.5
"""Seconds for connecting and for the replies. A healthy bus takes one or two milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputMethod:
    """``program``: "fcitx5", "ibus", or "" with the reason in ``why``, a suffix of the catalogue's key; ``context``:
    the Qt input context chosen instead; ``named``: the session's environment names one."""

    program: str
    why: Literal["", "chosen", "no_bus", "not_running", "not_offered"] = ""
    context: str = ""
    named: bool = False


def owned_names(
    names: Collection[str], environ: Mapping[str, str] = os.environ, *, wait_for: str = "", seconds: float = 0.0
) -> frozenset[str] | None:
    """Return those of ``names`` that a program on the session bus owns; None if no bus answers.

    If ``wait_for`` is given and not yet owned, wait for it up to ``seconds``.
    """
    address = session_address(environ)
    if not address:
        return None
    from jeepney import DBusErrorResponse

    try:
        with connected(address) as bus:
            return _owned(bus, names) if not wait_for else _owned_soon(bus, names, wait_for, seconds)
    except (OSError, ValueError, RuntimeError, DBusErrorResponse):
        return None  # refused, timed out, not a bus, or a transport other than unix


def session_address(environ: Mapping[str, str]) -> str:
    """Return the bus address as libdbus finds it, without starting a bus through X11; "" if not found."""
    if given := environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return given
    folder = environ.get("XDG_RUNTIME_DIR")
    usual = Path(folder, "bus") if folder else None
    return f"unix:path={usual}" if usual is not None and usual.exists() else ""


@contextlib.contextmanager
def connected(address: str) -> Iterator[Any]:
    """Connect to a bus; all calls together are answered within half a second, else TimeoutError."""
    from jeepney.bus import get_bus
    from jeepney.io.blocking import DBusConnection, prep_socket

    class Bus(DBusConnection):  # type: ignore[misc]
        """Connection with one time limit for all calls; jeepney's own has none for the first."""

        def __init__(self, socket: Any) -> None:
            self.deadline = time.monotonic() + _ANSWER
            super().__init__(socket)

        def send_and_get_reply(self, message: Any, *, timeout: float | None = None) -> Any:
            del timeout
            return super().send_and_get_reply(message, timeout=max(0.0, self.deadline - time.monotonic()))

    with prep_socket(get_bus(address), timeout=_ANSWER) as socket, Bus(socket) as bus:
        yield bus


def _owned(bus: Any, names: Collection[str]) -> frozenset[str]:
    return frozenset(name for name in names if bus.bus_proxy.NameHasOwner(name)[0])


def _owned_soon(bus: Any, names: Collection[str], wait_for: str, seconds: float) -> frozenset[str]:
    from jeepney import MatchRule

    rule = MatchRule(type="signal", sender="org.freedesktop.DBus", member="NameOwnerChanged")
    rule.add_arg_condition(0, wait_for)
    with bus.filter(rule, queue=deque()) as changes:
        bus.bus_proxy.AddMatch(rule)
        owned = _owned(bus, names)
        until = time.monotonic() + seconds
        while wait_for not in owned:
            try:
                change = bus.recv_until_filtered(changes, timeout=until - time.monotonic())
            except TimeoutError:
                break
            if change.body[2]:  # its new owner
                bus.deadline = time.monotonic() + _ANSWER
                owned = _owned(bus, names)
    return owned


def can_connect(name: str) -> bool:
    with _connection(name) as display:
        return display is not None


def has_compositor(name: str | None = None) -> bool:
    """Whether a compositor runs on ``name``, by default ``DISPLAY``: without one, transparent pixels are black."""
    with _connection(name) as display:
        if display is None:
            return False
        x = _library()
        atom = x.XInternAtom(display, f"_NET_WM_CM_S{x.XDefaultScreen(display)}".encode(), 0)
        return bool(x.XGetSelectionOwner(display, atom))


@contextmanager
def _connection(name: str | None) -> Iterator[int | None]:
    x = _library()
    display = x.XOpenDisplay(name.encode() if name is not None else None)
    try:
        yield display
    finally:
        if display is not None:
            x.XCloseDisplay(display)


@cache
def _library() -> ctypes.CDLL:
    """Load libX11. Raises ImportError if it is missing, as the web view's own libraries would."""
    import ctypes

    try:
        x = ctypes.CDLL("libX11.so.6")
    except OSError as error:
        raise ImportError("libX11 is missing", name="libX11") from error
    x.XOpenDisplay.argtypes, x.XOpenDisplay.restype = [ctypes.c_char_p], ctypes.c_void_p
    x.XCloseDisplay.argtypes = [ctypes.c_void_p]
    x.XDefaultScreen.argtypes = [ctypes.c_void_p]
    x.XInternAtom.argtypes, x.XInternAtom.restype = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int], ctypes.c_ulong
    x.XGetSelectionOwner.argtypes, x.XGetSelectionOwner.restype = [ctypes.c_void_p, ctypes.c_ulong], ctypes.c_ulong
    return x


PLUGINS = frozenset({"compose", "ibus", "qtvirtualkeyboard"})
"""The input contexts of PySide6's wheel (``Qt/plugins/platforminputcontexts``)."""
_AVAILABLE = PLUGINS | {"xim", "none"}  # Qt 6 takes xim for another name of compose
_ORDER = "QT_IM_MODULES"
_PORTAL_SWITCH = "IBUS_USE_PORTAL"

_PORTAL, _IBUS, _FCITX = "org.freedesktop.portal.IBus", "org.freedesktop.IBus", "org.fcitx.Fcitx5"
_NAMES = (_PORTAL, _IBUS, _FCITX)
_NAMING = ("XMODIFIERS", "QT_IM_MODULES", "QT_IM_MODULE", "GTK_IM_MODULE")  # where a desktop names its method
_AT_LOGIN = 2.0
"""Seconds for an fcitx that the session names and that is not up yet: it may start at the same login."""


def choose_input_method(environ: MutableMapping[str, str], *, wait: bool = False) -> None:
    """Set the variables Qt reads when its application is made. A context the owner chose stays first if available.

    ``wait``: give an fcitx that the session names up to two seconds to appear.
    """
    order = input_contexts(environ)
    environ[_ORDER] = ";".join(order)
    if "ibus" not in map(_key, order) or _PORTAL_SWITCH in environ:
        return
    late = _PORTAL if wait and any("fcitx" in environ.get(name, "") for name in _NAMING) else ""
    owned = owned_names(_NAMES, environ, wait_for=late, seconds=_AT_LOGIN)
    # Without the portal Qt needs ibus-daemon itself; real ibus keeps its direct connection.
    if owned and _PORTAL in owned and (_FCITX in owned or not _has_daemon(environ)):
        environ[_PORTAL_SWITCH] = "1"


def input_contexts(environ: Mapping[str, str]) -> list[str]:
    """Return Qt's order of input contexts: the variables', and ``ibus`` if none of them is available."""
    value = environ.get("QT_IM_MODULES") or environ.get("QT_IM_MODULE", "")
    order = [name for name in value.split(";") if name]
    keys = [_key(name) for name in order]
    if "ibus" in keys:
        return order
    place = next((place for place, key in enumerate(keys) if key in _AVAILABLE), len(order))
    # Desktops fall back to xim by themselves, and Qt 6 can't speak to an XIM server: the server's name is the choice.
    if place == 0 and order and not (keys[0] == "xim" and _names_server(environ)):
        return order
    return [*order[:place], "ibus", *order[place:]]


def describe_input_method(environ: Mapping[str, str]) -> InputMethod:
    """Return the input method in effect, once ``choose_input_method`` has set the variables."""
    named = any(word in environ.get(name, "") for name in _NAMING for word in ("fcitx", "ibus"))
    first = next((key for key in map(_key, input_contexts(environ)) if key in _AVAILABLE), "ibus")
    if first != "ibus":
        return InputMethod(program="", why="chosen", context=first, named=named)
    owned = owned_names(_NAMES, environ)
    if owned is None:
        return InputMethod(program="", why="no_bus", named=named)
    if not owned & {_IBUS, _FCITX, _PORTAL}:
        return InputMethod(program="", why="not_running", named=named)
    portal = environ.get(_PORTAL_SWITCH) == "1"
    if not (_PORTAL in owned if portal else _IBUS in owned and _has_daemon(environ)):
        return InputMethod(program="", why="not_offered", named=named)
    return InputMethod(program="fcitx5" if _FCITX in owned else "ibus", named=named)


def _key(context: str) -> str:
    return context.partition(":")[0].strip().lower()


def _names_server(environ: Mapping[str, str]) -> bool:
    return environ.get("XMODIFIERS", "").removeprefix("@im=") not in ("", "none")


def _has_daemon(environ: Mapping[str, str]) -> bool:
    return shutil.which("ibus-daemon", path=environ.get("PATH")) is not None


ALLOW_ROOT = "PET_ALLOW_ROOT"
_USER_NAMESPACES = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")


def display_problem(environ: Mapping[str, str] = os.environ) -> str | None:
    """Return the catalogue key of the reason no window can be opened; None if one can."""
    if not has_display(environ):  # before being root: it is the more useful reason
        return "shell.no_xwayland" if environ.get("WAYLAND_DISPLAY") else "shell.no_display"
    return "shell.root_refused" if is_root() and environ.get(ALLOW_ROOT) != "1" else None


def has_display(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a window can be shown. On X11, connect to the server: Qt would abort the process if it can't."""
    if sys.platform in ("win32", "darwin"):
        return True
    name = environ.get("DISPLAY")
    if not name:
        return False

    return can_connect(name)


def on_wayland(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the X server is XWayland, which sees neither all keys nor the whole screen."""
    return bool(environ.get("WAYLAND_DISPLAY")) or environ.get("XDG_SESSION_TYPE") == "wayland"


def sandbox_restricted(switch: Path = _USER_NAMESPACES) -> bool:
    """Whether AppArmor refuses user namespaces to ordinary programs, as Ubuntu does since 24.04."""
    try:
        return switch.read_text("ascii").strip() == "1"
    except (OSError, ValueError):
        return False


def in_terminal() -> bool:
    """Whether stderr is a terminal. A packaged program on Windows has no such stream at all."""
    stream: TextIO | None = sys.stderr
    return stream is not None and stream.isatty()


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


_OURS = (
    "QT_API",
    "QT_NO_GUI_THREADPOOL",
    "QT_QPA_PLATFORM",
    "RESOURCE_NAME",
    "QT_IM_MODULES",
    "IBUS_USE_PORTAL",
    "QTWEBENGINE_DISABLE_SANDBOX",
    "QTWEBENGINE_CHROMIUM_FLAGS",
)
_before: dict[str, str | None] = {}
"""Values before ``prepare``."""


def prepare(environ: MutableMapping[str, str], *, wait: bool = False) -> None:
    """Set Qt's variables, before webview is imported. ``wait``: for an input method that starts at the same login."""
    _before.update((name, environ.get(name)) for name in _OURS if name not in _before)
    environ["QT_API"] = "pyside6"  # otherwise pywebview uses the first binding qtpy finds
    # The pet's small frames are painted on the GUI thread: with the pool each wakes two threads, 18 times a second.
    environ["QT_NO_GUI_THREADPOOL"] = "1"
    if sys.platform.startswith("linux"):
        # On Wayland a program can't position its own window: the pet needs XWayland, whatever other Qt programs use.
        environ["QT_QPA_PLATFORM"] = "xcb"
        environ["RESOURCE_NAME"] = "soulpet"  # otherwise task bars group its windows by the script's name
        choose_input_method(environ, wait=wait)
        flags = environ.get("QTWEBENGINE_CHROMIUM_FLAGS", "")
        if "--js-flags" not in flags:  # the owner's own stay
            # Garbage of the pet's drawings is collected sooner: 15 MiB less after three minutes.
            environ["QTWEBENGINE_CHROMIUM_FLAGS"] = f"{flags} --js-flags=--optimize-for-size".lstrip()
    if is_root() and environ.get(ALLOW_ROOT) == "1":
        environ["QTWEBENGINE_DISABLE_SANDBOX"] = "1"


def for_other_programs(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment as before ``prepare``: a file manager on Wayland must not become an X program."""
    kept = {name: value for name, value in environ.items() if name not in _before}
    return kept | {name: value for name, value in _before.items() if value is not None}


_OPENERS = (("xdg-open",), ("gio", "open"))
_OPENED_SECONDS = 1.0
"""By then an opener that finds no program has failed; some run until the file manager is closed."""


def show_in_file_manager(folder: Path) -> bool:
    """Show a folder with the desktop's own program. Return whether there is one. May take two seconds."""
    return any(_opens([*opener, folder.as_uri()]) for opener in _OPENERS)


def _opens(command: list[str]) -> bool:
    import subprocess

    nothing = subprocess.DEVNULL
    try:
        process = subprocess.Popen(  # noqa: S603  the desktop's program, and a folder of ours
            command, env=for_other_programs(), stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True
        )
    except OSError:
        return False
    try:
        return process.wait(_OPENED_SECONDS) == 0
    except subprocess.TimeoutExpired:
        threading.Thread(target=process.wait, name="file-manager", daemon=True).start()
        return True
