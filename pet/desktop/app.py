"""Start and shut down the desktop program.

Startup order: single instance per home, log, web view, pet window, and in parallel core and socket; shutdown reverses
it. Whether a display is available is checked beforehand, by ``environment``.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from pet.bridge.command import Client
from pet.bridge.single_instance import SingleInstance
from pet.desktop.controller import DesktopController
from pet.desktop.environment import prepare
from pet.desktop.pets_here import PetsHere, pets_here, pets_of
from pet.desktop.placement_store import PlacementStore
from pet.desktop.process import (
    bound_heaps,
    end_on_signals,
    quiet_webview,
    start_log,
    start_pet,
    take_arrival,
)
from pet.i18n import Texts
from pet.paths import Home, ui_folder
from pet.services.desktop_port import DesktopPort
from pet.settings.program_state import JsonState, first_start_over, used_pets
from pet.settings.store import SettingsStore

if TYPE_CHECKING:
    from pet.app.pet import Pet
    from pet.desktop.qt_desktop import QtDesktop

_PATIENCE = 10.0
"""Seconds to wait for a running instance to accept connections or to exit."""

_SIGNALS = (signal.SIGTERM, signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGTERM))

_log = logging.getLogger(__name__)


def open_pet(
    home: Home,
    compose: Callable[[DesktopPort], Pet],
    texts: Texts,
    *,
    named: str | None = None,
    pages: Path | None = None,
    errors: TextIO = sys.stderr,
) -> int:
    """Run the pet on the desktop until the owner quits, or bring a running instance forward.

    ``named``: the requested pet id; if another pet is running, the message names it. The core is built while the
    window starts. Returns the exit code: 0 on success, 1 after a message on ``errors``. Raises: what ``compose``
    raises.
    """
    pages = pages or ui_folder()
    missing = next((name for name in ("chat.html",) if not (pages / name).is_file()), None)
    if missing:
        print(texts("shell.page_missing", file=missing), file=errors)
        return 1
    arrival, instance = take_arrival(os.environ), SingleInstance(home)
    pets = pets_here(home, instance, arrival)
    if arrival and named and named in pets_of(home):
        if not pets.enter(named):
            return 0  # it is there already
    elif not instance.acquire():
        done = _bring_forward(home, instance, named, texts, errors)
        if done is not None:
            return done
    try:
        _run(home, compose, instance, pages, texts, named, pets, with_chat=bool(arrival and arrival.with_chat))
    except ImportError as error:
        _log.exception("no web view")
        print(texts("shell.no_webview", reason=error.name or type(error).__name__), file=errors)
        return 1
    finally:
        if pets.own is not None:
            pets.own.release()
        instance.release()
    if pets.successor is not None:
        start_pet(*pets.successor)
    return 0


def _bring_forward(
    home: Home, instance: SingleInstance, named: str | None, texts: Texts, errors: TextIO
) -> int | None:
    """Show the running instance. Return the exit code; None if it ended and this one may start."""
    from pet.bridge.channel import NotListening
    from pet.bridge.commands.lifecycle import LifecycleCommands
    from pet.bridge.dispatch import CommandFailed
    from pet.bridge.socket_server import RunningPet

    running = RunningPet(home)
    if named is not None and named in pets_of(home):
        with suppress(CommandFailed, NotListening):  # only if its program runs
            RunningPet(home, pet=named).call(LifecycleCommands.show_pet)
            print(texts("shell.already_running"), file=sys.stdout)  # noqa: T201
            return 0
    deadline = time.monotonic() + _PATIENCE
    status = None
    while True:
        try:
            running.call(LifecycleCommands.show_pet)
            if named is not None:
                status = running.call(LifecycleCommands.get_status)
            break
        except (CommandFailed, NotListening):
            if instance.acquire():
                return None
            if time.monotonic() >= deadline:
                print(texts("shell.already_stuck"), file=errors)
                return 1
        time.sleep(0.02)  # only while the first instance starts or ends
    if status is not None and status.pet != named:
        message = texts("shell.already_running_other", name=status.pet_name or status.pet, id=named or "")
    else:
        message = texts("shell.already_running")
    print(message, file=sys.stdout)  # noqa: T201
    return 0


def _run(
    home: Home,
    compose: Callable[[DesktopPort], Pet],
    instance: SingleInstance,
    pages: Path,
    texts: Texts,
    named: str | None,
    pets: PetsHere,
    *,
    with_chat: bool,
) -> None:
    bound_heaps()
    beside = (named or "") if pets.own is not None else ""
    start_log(home, beside)
    prepare(os.environ, wait=True)
    state = JsonState(home.state_file)
    places = PlacementStore(JsonState(home.windows_file), beside)
    settings = SettingsStore(home.settings_file, {}, lambda: None)  # errors in the settings are reported by the core

    desk = DesktopController(
        find_platform(),
        places,
        pages,
        texts,
        settings=settings.current,
        pet=named or next(iter(used_pets(state)), None),
        with_chat="shown" if with_chat else "" if first_start_over(state) else "loaded",
        pets=pets,
    )
    with ExitStack() as opened:
        quiet_webview()
        end_on_signals(_SIGNALS, pets.end)
        desk.run(lambda: _build(home, compose, desk, instance, opened))
    _log.info("ended")


def _build(
    home: Home,
    compose: Callable[[DesktopPort], Pet],
    desk: DesktopController,
    instance: SingleInstance,
    opened: ExitStack,
) -> Pet:
    """Build the core and its sockets, on their own thread."""
    try:
        core = compose(desk)
    finally:
        gc.enable()  # off since before Qt was imported
    opened.callback(core.close)
    from pet.bridge.commands.lifecycle import LifecycleCommands
    from pet.bridge.socket_server import SocketServer

    def listen(lock: SingleInstance, pet: str = "") -> None:
        socket = SocketServer(home, core.commands, lock, pet)
        opened.callback(socket.close)
        socket.start()

    def lead() -> None:
        listen(instance)
        desk.lead()

    pet = core.commands.call(Client.SOCKET, LifecycleCommands.get_status).pet
    if instance.held:
        listen(instance)
    desk.pets.join(pet, lead)
    own = desk.pets.own or SingleInstance(home, pet)
    if own.acquire():
        opened.callback(own.release)
        listen(own, pet)
    return core


def find_platform() -> QtDesktop:
    """Return this desktop's implementation. Raises ImportError if its dependencies are not installed."""
    if sys.platform == "win32":
        from pet.desktop.windows_desktop import WindowsDesktop

        return WindowsDesktop()
    if sys.platform == "darwin":
        from pet.desktop.qt_desktop import QtDesktop

        return QtDesktop()
    from pet.desktop.linux.backend import LinuxX11

    return LinuxX11()
