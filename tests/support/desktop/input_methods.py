"""fcitx5 and IBus with Rime's pinyin, each on a private session bus. Context managers."""

from __future__ import annotations

import contextlib
import select
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.support.desktop.xvfb import PATIENCE, Desktop, end_group
from tests.support.waiting import wait_for

PROGRAMS = ("fcitx5", "ibus-daemon", "ibus")

_FCITX_PROFILE = """[Groups/0]
Name=Default
Default Layout=us
DefaultIM=rime

[Groups/0/Items/0]
Name=rime
Layout=

[GroupOrder]
0=Default
"""
_FCITX_CONFIG = "[Behavior]\nActiveByDefault=True\n"


def missing_programs() -> list[str]:
    return [program for program in PROGRAMS if shutil.which(program) is None]


@contextlib.contextmanager
def session_bus(desktop: Desktop) -> Iterator[dict[str, str]]:
    """Return environment variables for programs of this session. Its settings are in a folder with a short path: a
    socket's has at most 107 characters, and IBus makes one below the cache.
    """
    home = Path(tempfile.mkdtemp(prefix="session-", dir=desktop.folder))
    variables = {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_CACHE_HOME": str(home / ".cache"),
    }
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        Path(variables[name]).mkdir(parents=True)
    command = ["dbus-daemon", "--session", "--nofork", "--print-address"]
    with (desktop.folder / "session-bus.log").open("ab") as log:
        bus = subprocess.Popen(
            command, env=desktop.environ | variables, stdout=subprocess.PIPE, stderr=log, start_new_session=True
        )
    try:
        assert bus.stdout is not None
        ready, _, _ = select.select([bus.stdout], [], [], PATIENCE)
        assert ready, "no session bus"
        yield variables | {"DBUS_SESSION_BUS_ADDRESS": bus.stdout.readline().decode().strip()}
    finally:
        end_group(bus)
        if bus.stdout is not None:
            bus.stdout.close()


@contextlib.contextmanager
def fcitx5(desktop: Desktop, session: Mapping[str, str]) -> Iterator[None]:
    settings = Path(session["XDG_CONFIG_HOME"], "fcitx5")
    settings.mkdir()
    (settings / "profile").write_text(_FCITX_PROFILE)
    (settings / "config").write_text(_FCITX_CONFIG)
    with _running(desktop, session, "fcitx5"):
        wait_for("fcitx5", lambda: "org.freedesktop.portal.IBus" in names(desktop, session))
        yield


@contextlib.contextmanager
def ibus(desktop: Desktop, session: Mapping[str, str]) -> Iterator[None]:
    with _running(desktop, session, "ibus-daemon", "--panel", "disable", "--emoji-extension", "disable"):
        wait_for("ibus", lambda: "org.freedesktop.IBus" in names(desktop, session))

        def chosen() -> bool:
            _ask(desktop, session, "ibus", "engine", "rime")
            return _ask(desktop, session, "ibus", "engine").strip() == "rime"

        wait_for("the engine", chosen)
        yield


def names(desktop: Desktop, session: Mapping[str, str]) -> str:
    """Return the names owned on the bus, as a text to search in."""
    to = ("--session", "--print-reply", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.ListNames")
    return _ask(desktop, session, "dbus-send", *to)


def path_without_ibus(folder: Path) -> str:
    """Return a PATH without ``ibus-daemon``, as on a system with only fcitx5."""
    folder.mkdir()
    return f"{Path(sys.executable).parent}:{folder}"


@contextlib.contextmanager
def _running(desktop: Desktop, session: Mapping[str, str], *command: str) -> Iterator[None]:
    # It keeps the real time where the tests have another date: under libfaketime fcitx5 commits nothing.
    environ = desktop.environ | dict(session) | {"LD_PRELOAD": ""}
    with (desktop.folder / f"{command[0]}.log").open("ab") as log:
        process = subprocess.Popen(command, env=environ, stdout=log, stderr=log, start_new_session=True)
    try:
        yield
    finally:
        end_group(process)


def _ask(desktop: Desktop, session: Mapping[str, str], *command: str) -> str:
    done = subprocess.run(
        command,
        env=desktop.environ | dict(session),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return done.stdout
