"""Keys kept for a page reach it in the order in which they were typed, whoever delivers them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

_TYPED = """
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pet.desktop.web_engine import HeldKeys

app = QApplication([])
field, keys = QLineEdit(), HeldKeys()
field.show()
field.activateWindow()

def type_keys(text):
    for letter in text:
        QTest.keyClick(field.windowHandle(), letter)  # handed over before any posted event

"""
_LATE = """
keys.hold(field)
type_keys("Early ")
keys.release(field, deliver=True)
type_keys("word")
app.processEvents()
"""
_NESTED = """
def on_text(text):
    if text == "E":
        type_keys("s")
        keys.release(field, deliver=True)  # as once more after its time

field.textChanged.connect(on_text)
keys.hold(field)
type_keys("Early word")
keys.release(field, deliver=True)
app.processEvents()
"""
_GONE = """
keys.hold(field)
type_keys("Early ")
keys.release(field, deliver=False)
keys.hold(field)
type_keys("word")
keys.release(field, deliver=True)
"""
_DELAYED = """
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtGui import QKeyEvent

def post_keys(text):
    for letter in text:
        for kind in (QKeyEvent.Type.KeyPress, QKeyEvent.Type.KeyRelease):
            key = QKeyEvent(kind, ord(letter.upper()), Qt.KeyboardModifier.NoModifier, letter)
            app.postEvent(field.windowHandle(), key)

def ready():
    post_keys("wo")  # typed before the page was ready, handed over after it
    keys.release(field, deliver=True)
    post_keys("rd")

keys.hold(field)
post_keys("Early ")
QTimer.singleShot(200, ready)  # the page is late
while len(field.text()) < 10:
    app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Qt is the backend of Linux")
@pytest.mark.parametrize(
    ("act", "text"),
    [(_LATE, "Early word"), (_NESTED, "Early words"), (_GONE, "word"), (_DELAYED, "Early word")],
    ids=[
        *("a key right after the kept ones", "a key during their delivery", "kept keys are dropped"),
        "each hand-over is late",
    ],
)
def test_kept_keys_are_typed_in_their_order(act: str, text: str) -> None:
    code = [sys.executable, "-c", _TYPED + act + "print(field.text())"]
    done = subprocess.run(
        code, env=os.environ | {"QT_QPA_PLATFORM": "offscreen"}, capture_output=True, text=True, check=True
    )
    assert done.stdout.rstrip("\n") == text
