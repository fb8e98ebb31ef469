"""The chat is rendered before it is shown, without taking an open menu from under the owner's hand."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("PySide6")

_OPEN_MENU = """
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu
from pet.desktop.qt_desktop import QtDesktop

desktop, chat, menu = QtDesktop(), QMainWindow(), QMenu()
within = menu.addMenu("more")
within.addAction("here")
menu.popup(QPoint())
if {submenu}:
    within.popup(QPoint(50, 0))
desktop.own.prerender(chat)
print(menu.isVisible(), chat.isVisible())
within.hide()
QApplication.processEvents()
print(menu.isVisible(), chat.isVisible())
menu.hide()
while not chat.isVisible():
    QApplication.processEvents()
print(menu.isVisible(), chat.isVisible())
"""


@pytest.mark.parametrize("submenu", [False, True])
def test_any_open_menu_stays_open_and_the_chat_is_rendered_once_it_is_closed(submenu: bool) -> None:
    environ = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    code = _OPEN_MENU.format(submenu=submenu)
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.split("\n")[:3] == ["True False", "True False", "False True"]
