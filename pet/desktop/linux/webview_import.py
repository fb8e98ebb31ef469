"""Import pywebview without its unused parts, which take most of its import time and memory.

Its Qt module needs 19 classes from ``qtpy``, which would load every Qt module; and it starts a local web server for
relative URLs, which is not used here and is removed so that no port is open. Its signal timer is replaced by
``SignalNotifier``. Depends on names of pywebview 6.2.1, hence the pinned version; a test checks each.
"""

from __future__ import annotations

import builtins
import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from PySide6 import QtCore, QtGui, QtNetwork, QtWebChannel, QtWebEngineCore, QtWebEngineWidgets, QtWidgets
from PySide6.QtCore import QSocketNotifier


class SignalNotifier:
    """Replacement of pywebview's timer. Create it on the main thread, once the application exists."""

    def __init__(self) -> None:
        # Both ends stay open for the process lifetime: a signal may arrive after this object is gone.
        self._reader, writer = os.pipe()
        for end in (self._reader, writer):
            os.set_blocking(end, False)
        self._notifier = QSocketNotifier(self._reader, QSocketNotifier.Type.Read)
        self._notifier.activated.connect(self._drain)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)

    @property
    def timeout(self) -> Any:
        return self._notifier.activated

    def start(self, _milliseconds: int) -> None:
        """No-op: notification is active from construction."""

    def _drain(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._reader, 512)


def import_plainly() -> None:
    """Remove PySide's import hook, which reads the source of every module imported afterwards.

    It looks for modules that use its alternative naming style (none here) by accessing ``__wrapped__`` on each. In
    pydantic that access triggers another import, which occasionally failed with ImportError during start.
    """
    names = vars(builtins)
    plain = names.get("__orig_import__")
    if plain is not None:
        names["__import__"] = plain


@contextmanager
def lean() -> Iterator[None]:
    """Provide reduced modules while pywebview's Qt module is imported. Modules already loaded stay unchanged."""
    if "webview.http" not in sys.modules:
        sys.modules["webview.http"] = _no_server()
    made = {} if "qtpy" in sys.modules else _qt_names()
    sys.modules.update(made)
    try:
        yield
    finally:
        for name in made:  # later importers of qtpy get the real module
            del sys.modules[name]
        import_plainly()


def _no_server() -> ModuleType:
    return _module(
        "webview.http",
        BottleServer=_Server,
        ServerType=type[_Server],
        ServerArgs=dict[str, str],
        global_server=None,
        start_server=_refuse,
        start_global_server=_refuse,
    )


class _Server:
    """Stand-in for pywebview's server class; never instantiated."""


def _refuse(*_what: object, **_options: object) -> None:
    raise RuntimeError("Soulpet's pages need no web server")


def _qt_names() -> dict[str, ModuleType]:
    # The only timer it creates; all other names are Qt's.
    core = _module("qtpy.QtCore", QTimer=SignalNotifier, __getattr__=lambda name: getattr(QtCore, name))
    widgets = _module(
        "qtpy.QtWidgets",
        QAction=QtGui.QAction,
        QApplication=QtWidgets.QApplication,
        QFileDialog=QtWidgets.QFileDialog,
        QMainWindow=QtWidgets.QMainWindow,
        QMenuBar=QtWidgets.QMenuBar,
        QMessageBox=QtWidgets.QMessageBox,
    )
    views = _module(
        "qtpy.QtWebEngineWidgets",
        QWebEnginePage=QtWebEngineCore.QWebEnginePage,
        QWebEngineProfile=QtWebEngineCore.QWebEngineProfile,
        QWebEngineSettings=QtWebEngineCore.QWebEngineSettings,
        QWebEngineView=QtWebEngineWidgets.QWebEngineView,
    )
    return {
        "qtpy": _module("qtpy", PYQT6=False, PYSIDE6=True, QtCore=core, __path__=[]),
        "qtpy.QtCore": core,
        "qtpy.QtGui": QtGui,
        "qtpy.QtNetwork": QtNetwork,
        "qtpy.QtWebChannel": QtWebChannel,
        "qtpy.QtWebEngineCore": QtWebEngineCore,
        "qtpy.QtWebEngineWidgets": views,
        "qtpy.QtWidgets": widgets,
    }


def _module(name: str, **names: Any) -> ModuleType:
    module = ModuleType(name)
    vars(module).update(names)
    return module
