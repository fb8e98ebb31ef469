"""pywebview without what Soulpet never uses of it: that is most of the time and memory of its import.

Its Qt module asks ``qtpy`` for 19 classes, and qtpy loads every class of every Qt module for it; and it brings a web
server for pages with relative addresses, of which there are none here: as it has no door for strangers, there shall
be none. Its clock, by which Python hears of signals, becomes a bell. The names are those of pywebview 6.2.1, which is
why its version is pinned; a test asks for each.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from PySide6 import QtCore, QtGui, QtNetwork, QtWebChannel, QtWebEngineCore, QtWebEngineWidgets, QtWidgets

from pet.desktop.qt.signal_notifier import SignalNotifier


def import_plainly() -> None:
    """Takes PySide's own import back out: it reads the source of every module that is imported afterwards.

    It looks for those that want its names in another style, which nobody here does, and asks each for ``__wrapped__``
    on the way. pydantic answers such a question with an import of its own: where it was itself being imported, the
    first message of a start ended now and then with an ImportError.
    """
    names = vars(builtins)
    plain = names.get("__orig_import__")
    if plain is not None:
        names["__import__"] = plain


@contextmanager
def lean() -> Iterator[None]:
    """While pywebview's Qt module is imported. What has been loaded in full before stays as it is."""
    if "webview.http" not in sys.modules:
        sys.modules["webview.http"] = _no_server()
    made = {} if "qtpy" in sys.modules else _qt_names()
    sys.modules.update(made)
    try:
        yield
    finally:
        for name in made:  # whoever else wants qtpy gets the real one
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
    """Stands where pywebview names its own; nobody makes one."""


def _refuse(*_what: object, **_options: object) -> None:
    raise RuntimeError("Soulpet's pages need no web server")


def _qt_names() -> dict[str, ModuleType]:
    # The only timer it makes; whatever else it asks for is Qt's.
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
