"""What the pet opens runs in the owner's environment, not in the pet's own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pet.desktop import environment
from tests.support.waiting import wait_for

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these variables")


@pytest.fixture(autouse=True)
def nothing_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "_before", {})


def test_variables_set_for_the_web_view_are_taken_back_for_other_programs() -> None:
    owner = {"QT_QPA_PLATFORM": "wayland", "PATH": "/usr/bin", "QT_IM_MODULE": "fcitx"}
    ours = dict(owner)
    environment.prepare(ours)
    assert ours["QT_QPA_PLATFORM"] == "xcb"
    assert environment.for_other_programs(ours) == owner


def test_link_is_opened_without_our_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opener, said = tmp_path / "xdg-open", tmp_path / "said"
    opener.write_text(
        f'#!/bin/sh\necho "$1 ${{QT_QPA_PLATFORM-none}} ${{QT_IM_MODULES-none}}" >{said}.new; mv {said}.new {said}\n'
    )
    opener.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    monkeypatch.setenv("QT_IM_MODULES", "ibus")
    monkeypatch.setattr(environment, "_before", {"QT_QPA_PLATFORM": None, "QT_IM_MODULES": None})
    from pet.desktop.linux.backend import open_outside

    open_outside("https://example.org/?a=b&c")
    wait_for("the program", said.exists)
    assert said.read_text() == "https://example.org/?a=b&c none none\n"
