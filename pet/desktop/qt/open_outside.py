"""Open URLs with the owner's own programs."""

from __future__ import annotations

from PySide6.QtCore import QProcess, QProcessEnvironment, QUrl
from PySide6.QtGui import QDesktopServices

from pet.desktop.process.environment import for_other_programs


def open_outside(url: str) -> None:
    """Open a URL with the owner's own program, without our environment variables."""
    process, environ = QProcess(), QProcessEnvironment()
    for name, value in for_other_programs().items():
        environ.insert(name, value)
    process.setProgram("xdg-open")
    process.setArguments([url])
    process.setProcessEnvironment(environ)
    started: object = process.startDetached()  # bool, contrary to the stubs
    if not started:
        QDesktopServices.openUrl(QUrl(url))
