"""What the surroundings of a start say: display, root, sandbox, terminal."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from pet.desktop.environment import (
    display_problem,
    in_terminal,
    is_root,
    on_wayland,
    prepare,
    sandbox_restricted,
    show_in_file_manager,
)
from pet.i18n import LANGUAGES, Texts


def test_root_is_refused_unless_it_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert display_problem({}) == "shell.no_display"  # the more useful reason
    monkeypatch.setattr("pet.desktop.environment.has_display", lambda _environ: True)
    refused = "shell.root_refused" if is_root() else None
    assert (display_problem({}), display_problem({"PET_ALLOW_ROOT": "0"})) == (refused, refused)
    assert display_problem({"PET_ALLOW_ROOT": "1"}) is None


def test_no_display_has_its_own_sentence() -> None:
    allowed = {"PET_ALLOW_ROOT": "1"}
    assert display_problem(allowed) == "shell.no_display"
    assert display_problem({**allowed, "DISPLAY": ":9999"}) == "shell.no_display"
    assert display_problem({**allowed, "DISPLAY": "nonsense"}) == "shell.no_display"
    assert display_problem({**allowed, "WAYLAND_DISPLAY": "wayland-0"}) == "shell.no_xwayland"
    for language in LANGUAGES:
        assert "pet chat" in Texts(language)("shell.no_display")


def test_xwayland_session_is_detected() -> None:
    assert on_wayland({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"})
    assert on_wayland({"DISPLAY": ":0", "XDG_SESSION_TYPE": "wayland"})
    assert not on_wayland({"DISPLAY": ":0", "XDG_SESSION_TYPE": "x11"})


def test_the_sandbox_is_off_only_for_a_root_that_was_allowed() -> None:
    environ = {"PET_ALLOW_ROOT": "1"}
    prepare(environ)
    assert ("QTWEBENGINE_DISABLE_SANDBOX" in environ) == is_root()
    assert environ["QT_API"] == "pyside6"
    assert environ["QT_QPA_PLATFORM"] == "xcb"
    normal: dict[str, str] = {"QT_QPA_PLATFORM": "wayland", "QT_API": "pyqt6"}
    prepare(normal)
    assert "QTWEBENGINE_DISABLE_SANDBOX" not in normal
    assert normal == {
        "QT_QPA_PLATFORM": "xcb",
        "QT_API": "pyside6",
        "QT_NO_GUI_THREADPOOL": "1",
        "RESOURCE_NAME": "soulpet",
        "QT_IM_MODULES": "ibus",
        "QTWEBENGINE_CHROMIUM_FLAGS": "--js-flags=--optimize-for-size",
    }


def test_doctor_knows_whether_apparmor_restricts_the_sandbox(tmp_path: Path) -> None:
    switch = tmp_path / "apparmor_restrict_unprivileged_userns"
    assert not sandbox_restricted(switch)
    for value, restricted in (("0\n", False), ("1\n", True)):
        switch.write_text(value)
        assert sandbox_restricted(switch) is restricted


def test_program_without_streams_is_in_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """As PyInstaller starts a program without a console on Windows."""
    monkeypatch.setattr("sys.stderr", None)
    assert not in_terminal()
    monkeypatch.setattr("sys.stderr", io.StringIO())
    assert not in_terminal()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="flags of Qt's web view")
@pytest.mark.parametrize("own", ["", "--disable-gpu", "--js-flags=--expose-gc"])
def test_pages_collect_garbage_sooner_unless_the_owner_set_flags_for_scripts(own: str) -> None:
    environ = {"QTWEBENGINE_CHROMIUM_FLAGS": own}
    prepare(environ)
    small = "--js-flags=--optimize-for-size"
    assert environ["QTWEBENGINE_CHROMIUM_FLAGS"] == (own if "--js-flags" in own else f"{own} {small}".strip())


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder of programs."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def put_program(file: Path, line: str) -> None:
    file.write_text(f"#!/bin/sh\n{line}\n")
    file.chmod(0o755)


@pytest.mark.skipif(os.name != "posix", reason="asks programs of Unix desktops")
def test_a_folder_is_shown_by_the_first_program_that_can(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = programs / "a folder"
    monkeypatch.setattr("pet.desktop.environment._OPENED_SECONDS", 600.0)  # these end by themselves
    assert not show_in_file_manager(folder)
    put_program(programs / "xdg-open", "exit 3")  # it knows no file manager
    assert not show_in_file_manager(folder)
    put_program(programs / "gio", f'echo "$@" > {programs}/asked')
    assert show_in_file_manager(folder)
    assert (programs / "asked").read_text() == f"open {folder.as_uri()}\n"
    os.mkfifo(programs / "closed")
    put_program(programs / "xdg-open", f"read line < {programs}/closed")  # it stays until the window is closed
    monkeypatch.setattr("pet.desktop.environment._OPENED_SECONDS", 0.0)
    assert show_in_file_manager(folder)
    (programs / "closed").write_text("closed\n")
