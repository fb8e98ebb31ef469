"""Starts the program with its windows, and ends it (PRODUCT §8.1, §9.2).

Owns the order: one instance per home, log, web view, core, socket, windows; and the way back. Whether there may be
windows at all is asked before, in ``environment``.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from pet.bridge.api import Nothing
from pet.bridge.socket import SingleInstance, SocketServer, call_running
from pet.bridge.windows import Windows
from pet.bridge.wire import CommandFailed
from pet.paths import Home, ui_folder
from pet.settings.state import JsonState
from pet.shell.again import begin_again, begun_again
from pet.shell.desk import After, Core, Desk
from pet.shell.environment import prepare
from pet.shell.log import quiet_webview, start_log
from pet.shell.places import Places
from pet.shell.platforms.base import Platform
from pet.texts import Texts

_PATIENCE = 10.0
"""Seconds that a pet which has just started gets until it listens."""

_log = logging.getLogger(__name__)


def open_pet(
    home: Home,
    compose: Callable[[Windows], Core],
    texts: Texts,
    *,
    pages: Path | None = None,
    errors: TextIO = sys.stderr,
) -> int:
    """The pet on the desktop, until the owner quits. Brings a running one forward instead of a second.

    Returns the exit code: 0 done, 1 with a sentence on ``errors``.
    """
    pages = pages or ui_folder()
    missing = next((name for name in ("pet.html", "chat.html") if not (pages / name).is_file()), None)
    if missing:
        print(texts("shell.page_missing", file=missing), file=errors)
        return 1
    instance = SingleInstance(home)
    if not instance.acquire():
        return _bring_forward(home, texts, errors)
    try:
        after = _run(home, compose, instance, pages)
    except ImportError as error:
        _log.exception("no web view")
        print(texts("shell.no_webview", reason=error.name or type(error).__name__), file=errors)
        return 1
    finally:
        instance.release()
    if after != "end":
        begin_again(with_chat=after == "again_with_chat")
    return 0


def _bring_forward(home: Home, texts: Texts, errors: TextIO) -> int:
    try:
        reply = call_running(home, "show_pet", Nothing(), patience=_PATIENCE)
    except CommandFailed:
        reply = None
    if reply is None:
        print(texts("shell.already_stuck"), file=errors)
        return 1
    print(texts("shell.already_running"), file=sys.stdout)  # noqa: T201
    return 0


def _run(home: Home, compose: Callable[[Windows], Core], instance: SingleInstance, pages: Path) -> After:
    start_log(home)
    prepare(os.environ)
    with_chat = begun_again(os.environ)
    desk = Desk(find_platform(), Places(JsonState(home.windows_file)), pages, with_chat=with_chat)
    core = compose(desk)
    socket = SocketServer(home, core.commands, instance)
    try:
        socket.start()
        quiet_webview()
        desk.run(core, on_start=lambda: _end_on_signals(desk))
    finally:
        socket.close()
        core.close()
    _log.info("ended")
    return desk.after


def _end_on_signals(desk: Desk) -> None:
    """After the web view's own handlers: a logout or Ctrl+C ends the pet in good order."""
    for number in (signal.SIGTERM, signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGTERM)):
        signal.signal(number, lambda _number, _frame: desk.quit())


def find_platform() -> Platform:
    """This desktop's implementation. Raises ImportError if its parts are not installed."""
    if sys.platform == "win32":
        from pet.shell.platforms.windows import WindowsDesktop

        return WindowsDesktop()
    if sys.platform == "darwin":
        from pet.shell.platforms.macos import MacDesktop

        return MacDesktop()
    from pet.shell.platforms.linux_x11 import LinuxX11

    return LinuxX11()
