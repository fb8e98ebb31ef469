"""What pywebview does to Qt by itself is taken back."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.mark.skipif(sys.platform != "linux", reason="Qt is the backend of Linux")
def test_the_flags_that_pywebview_adds_by_itself_are_taken_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of its own: the import happens once."""
    code = (
        "import os; from PySide6.QtCore import QSysInfo; QSysInfo.productType = staticmethod(lambda: 'arch');"
        "from pet.desktop.web_engine import import_qt_backend; backend = import_qt_backend();"
        "backend.environ_append('QTWEBENGINE_CHROMIUM_FLAGS', '--use-fake-ui-for-media-stream');"
        "print(os.environ.get('QTWEBENGINE_CHROMIUM_FLAGS'))"
    )
    environ = {name: value for name, value in os.environ.items() if name != "QTWEBENGINE_CHROMIUM_FLAGS"}
    environ |= {"QT_API": "pyside6", "QT_QPA_PLATFORM": "offscreen"}
    for given, expected in ((None, "None"), ("--mine", "--mine")):
        if given:
            environ["QTWEBENGINE_CHROMIUM_FLAGS"] = given
        done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == expected
