"""What a start loads until the pet is seen, in modules: a number that no busy machine changes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Qt is the backend of Linux")

# All that happens until the first window is asked for.
_START = (
    "import pet.__main__; from pet.desktop.qt_import import import_qt; import_qt(); "
    "from pet.desktop.app import find_platform; "
    "from pet.desktop.controller import DesktopController; "
)
_LATER = {"anthropic", "asyncio", "bottle", "email", "http.server", "PIL", "sqlite3", "ssl", "tomlkit"}
_LATER |= {"pet.access", "pet.app", "pet.events", "pet.extras.local_models.runtime", "pet.prompt", "webview"}
_LATER |= {"PySide6.QtWebEngineCore", "PySide6.QtNetwork", "PySide6.QtWebChannel"}


def _told(code: str) -> object:
    """What the code prints, in a process of its own: each of these imports happens once."""
    environ = {**os.environ, "QT_API": "pyside6", "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_nothing_that_can_wait_is_loaded_before_the_pet_is_seen() -> None:
    loaded = _told(_START + "find_platform(); import json, sys; print(json.dumps(sorted(sys.modules)))")
    assert isinstance(loaded, list)
    assert _LATER.isdisjoint(loaded)
    assert {"PySide6.QtOpenGL", "PySide6.QtDataVisualization"}.isdisjoint(loaded)
    assert len(loaded) < 306  # a sixth of them ours, one for each extra or two


def test_the_web_view_gets_the_classes_of_pyside_and_qtpy_stays_untouched() -> None:
    names = (
        "QAction QByteArray QColor QIcon QJsonValue QMainWindow QMenuBar QMessageBox "
        "QScreen QSslCertificate QSslConfiguration QWebChannel QWebEngineProfile QWebEngineSettings "
        "QWebEngineUrlRequestInterceptor QWebPage QWebView"
    )
    told = _told(
        "from pet.desktop.web_engine import import_qt_backend; backend = import_qt_backend(); "
        "import json, sys; "
        f"names = {names.split()!r}; "
        "fake = 'qtpy' in sys.modules; import qtpy; "
        "print(json.dumps([fake, qtpy.API, [getattr(backend, each).__module__ for each in names], "
        "backend.is_webengine, backend.QtCore.Qt.__module__]))"
    )
    assert isinstance(told, list)
    fake, real, homes, is_webengine, core = told
    assert not fake
    assert real == "pyside6"
    assert all(home.startswith("PySide6.") for home in homes)  # the application, file dialog and timer are ours
    assert is_webengine
    assert core == "PySide6.QtCore"


def test_no_page_can_start_a_web_server() -> None:
    told = _told(
        "from pet.desktop.web_engine import import_qt_backend; import_qt_backend(); "
        "import json, webview\n"
        "webview.create_window('x', url='page.html')\n"
        "try: webview.start(gui='qt')\n"
        "except RuntimeError as error: print(json.dumps(str(error)))"
    )
    assert told == "Soulpet's pages need no web server"


@pytest.mark.parametrize("returns", ["settle_memory", "return_freed_memory"])
def test_memory_that_was_freed_goes_back_to_the_system(returns: str) -> None:
    """Under a block that stays, where the C library alone would give nothing back."""
    told = _told(
        f"import json, os; from pet.desktop.process import {returns}\n"
        "def used(): return int(open('/proc/self/statm').read().split()[1]) * os.sysconf('SC_PAGE_SIZE') >> 20\n"
        "blocks = [bytes(2000) for _ in range(20000)]; stays = bytes(2000); full = used(); blocks.clear()\n"
        f"kept = used(); {returns}(); print(json.dumps([full, kept, used()]))"
    )
    assert isinstance(told, list)
    full, kept, left = told
    assert full - kept < 10 < full - left


def test_what_the_start_made_is_not_looked_through_for_garbage_again() -> None:
    told = _told(
        "import gc, json; from pet.desktop.process import settle_memory\n"
        "before = len(gc.get_objects()); settle_memory(); print(json.dumps([before, len(gc.get_objects())]))"
    )
    assert isinstance(told, list)
    before, left = told
    assert left < before / 100


def test_the_first_frame_is_drawn_before_any_command_of_the_core_is_loaded() -> None:
    drawn = (
        "from pathlib import Path; from types import SimpleNamespace\n"
        "from pet.desktop.qt_loop import GuiDispatcher, make_application; app = make_application(Path('x'))\n"
        "from pet.bridge.command import Client; from pet.desktop.core_client import CoreClient, CoreOrders\n"
        "from pet.desktop.core_client import DeferredCore, PetOrders\n"
        "from pet.desktop.pet_view import PetView; from pet.i18n import Texts\n"
        "core, platform = CoreClient(DeferredCore(), Texts('en')), GuiDispatcher()\n"
        "orders = CoreOrders(Client.PET, core, platform.post, None)\n"
        "view = PetView(PetOrders(orders, SimpleNamespace(core=core, platform=platform)))\n"
        "view.on_drawn = lambda: app.exit(0); view.show(); app.exec()\n"
        "import json, sys; print(json.dumps([bool(view.outline()), sorted(sys.modules)]))"
    )
    told = _told(_START + "\n" + drawn)
    assert isinstance(told, list)
    seen, loaded = told
    assert seen
    assert _LATER.isdisjoint(loaded)
    assert "pet.bridge.commands" not in loaded
    assert len(loaded) < 302


def test_signatures_of_qt_are_made_when_a_call_was_wrong() -> None:
    told = _told(
        "from pet.desktop.qt_import import import_qt; import_qt()\n"
        "import builtins, json, sys\n"
        "names = ('parser', 'layout', 'lib.pyi_generator')\n"
        "late = [sys.modules['shibokensupport.signature.' + each] for each in names]\n"
        "executed = [vars(each).get('__file__') for each in late]\n"
        "from PySide6.QtCore import QTimer\n"
        "try: QTimer().start('soon')\n"
        "except TypeError as error: reason = str(error)\n"
        "print(json.dumps([executed, reason, builtins.__import__.__name__]))"
    )
    assert isinstance(told, list)
    executed, reason, importer = told
    assert executed == [None, None, None]
    assert "Supported signatures" in reason
    assert "QTimer.start(msec: int" in reason
    assert importer != "__feature_import__"


def test_imports_read_no_source_once_there_is_an_application() -> None:
    """PySide's reads the source of every module, and in pydantic's way ended a first message with an ImportError."""
    told = _told(
        "from pathlib import Path; from pet.desktop.qt_loop import make_application; make_application(Path('x')); "
        "import builtins, json; "
        "print(json.dumps(builtins.__import__.__name__))"
    )
    assert told != "__feature_import__"
