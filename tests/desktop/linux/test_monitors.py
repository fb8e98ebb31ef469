"""What is kept of the monitors, and until when."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, cast

import pytest

pytest.importorskip("PySide6")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from pet.desktop.geometry import Around
from pet.desktop.linux.monitors import LinuxScreens


def _run(work: Callable[[], object]) -> None:
    work()


def test_each_step_of_a_walk_reads_the_monitors_only_after_a_change() -> None:
    app = QApplication.instance() or QApplication(["tests", "-platform", "offscreen"])
    screens = LinuxScreens(_run, lambda: cast("Any", None), lambda: cast("Any", None))
    assert screens.monitors() is not screens.monitors()  # nobody tells of changes yet
    screens.on_changed(lambda: None)
    known = screens.monitors()
    assert screens.monitors() is known
    screens.changed()
    assert screens.monitors() is not known
    assert screens.monitors() == known
    known = screens.monitors()
    screens._on_around(Around(struts=((0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0, 9),)))
    assert screens.monitors() is not known
    assert app is not None
