"""A program whose native windows a test looks into: ``python -m tests.support.program.inspected MODULE ...``.

Runs MODULE as ``python -m`` would, and answers on a Unix socket (its path in ``SOULPET_INSPECT``): a line is a Python
expression as JSON, evaluated on the GUI thread, its value the reply as JSON. See ``_views`` for its names: ``pet`` is
the pet's view, ``bubble`` the bubble's (None before its first words), ``buttons()`` the bubble's with their places.
``note_keys()`` notes from now on when a field first takes keys, ``keys_at()`` returns that time.
A line with a list is a command, its client and its arguments; the reply is the command table's.
"""

from __future__ import annotations

import json
import os
import runpy
import socketserver
import sys
import threading
import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any

_SECONDS = 60.0
_LOOKED_MS = 4  # between two looks for a field that takes keys
# The wall clock's seconds, as Python's time.time(), if a page's text field has the keyboard; else 0.
_PAGE_KEYS = """(() => {
  const at = document.activeElement;
  const writes = at?.tagName === "TEXTAREA" && document.hasFocus();
  return writes ? (performance.timeOrigin + performance.now()) / 1000 : 0;
})()"""
_KEYS = {"at": 0.0}


def _note_keys() -> None:
    """Note when the bubble's field or the chat's composer first takes keys, in ``_KEYS``. On the GUI thread."""
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication, QLineEdit

    timer = QTimer(QApplication.instance())
    _KEYS["at"] = 0.0

    def seen(at: Any) -> None:
        if at and not _KEYS["at"]:
            _KEYS["at"] = float(at)

    def look() -> None:
        if _KEYS["at"]:
            timer.stop()
            timer.deleteLater()
            return
        focused = QApplication.focusWidget()
        if isinstance(focused, QLineEdit) and focused.isVisible() and focused.isActiveWindow():
            seen(time.time())
        elif "PySide6.QtWebEngineWidgets" in sys.modules:
            view = sys.modules["PySide6.QtWebEngineWidgets"].QWebEngineView
            for each in QApplication.allWidgets():
                if isinstance(each, view) and each.isVisible():
                    each.page().runJavaScript(_PAGE_KEYS, 0, seen)

    timer.timeout.connect(look)
    timer.start(_LOOKED_MS)


def _views() -> dict[str, Any]:
    from PySide6.QtCore import QMimeData, QPointF, Qt
    from PySide6.QtGui import QDropEvent
    from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QTextEdit

    from pet import events
    from pet.desktop.bubble_view import BubbleView
    from pet.desktop.pet_view import PetView
    from pet.moods import Mood

    widgets = QApplication.topLevelWidgets()

    def first(kind: type) -> Any:
        return next((each for each in widgets if isinstance(each, kind)), None)

    bubble = first(BubbleView)

    def where(widget: Any) -> list[int]:
        corner = widget.mapToGlobal(widget.rect().topLeft())
        return [corner.x(), corner.y(), widget.width(), widget.height()]

    def shown(kind: type) -> list[Any]:
        there = bubble.findChildren(kind) if bubble is not None and bubble.isVisible() else []
        return [each for each in there if each.isVisible()]

    def name(button: Any) -> str:
        return str(button.accessibleName() or button.text().replace("&&", "&"))

    def places(wanted: str) -> list[list[int]]:
        """Return the places of the bubble's buttons of this name on the screen, each with whether it takes clicks."""
        return [[*where(each), int(each.isEnabled())] for each in shown(QPushButton) if name(each) == wanted]

    def buttons() -> list[str]:
        """Return the names of the bubble's buttons, by their texts or names for screen readers."""
        return [name(each) for each in shown(QPushButton)]

    def said() -> list[str]:
        """Return the texts in the bubble."""
        return [each.text() for each in shown(QLabel)] + [each.toPlainText() for each in shown(QTextEdit)]

    def field() -> Any:
        return bubble.findChild(QLineEdit) if bubble is not None else None

    pet = first(PetView)

    def feel(mood: str) -> None:
        """Show this mood, as after an event of the core."""
        pet.actor.on_event(events.MoodChanged(mood=Mood(mood)))

    def note_acts() -> None:
        """Note each act from now on, in ``pet.acts``: some are over before one has asked twice."""
        put, pet.acts = type(pet).put.__get__(pet), [pet.actor.player.act]

        def noted(drawn: Any) -> None:
            pet.acts.append(pet.actor.player.act)
            put(drawn)

        pet.put = noted

    def drop_text(text: str) -> None:
        """Drop a text on the pet, as another program's drag would end."""
        data = QMimeData()
        data.setText(text)
        copy = Qt.DropAction.CopyAction
        pet.dropEvent(
            QDropEvent(QPointF(90, 90), copy, data, Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier)
        )

    def order(name: str) -> None:
        """Do what the pet does when it is pointed at, clicked, ..."""
        pet._port.order(name)

    def worn() -> str:
        """Return the name of the drawn body or the id of the other skin that the pet draws."""
        pictures = pet.actor._worn._pictures
        return str(pictures._body if hasattr(pictures, "_body") else pictures._sheet.skin)

    def state() -> str:
        """Return what the pet shows on every pose, such as ``bud drowsy``, but for the things beside it."""
        from dataclasses import asdict

        wear = asdict(pet.actor.player._state)
        beside = {"mouth", "keeps", "souvenir"}
        worn_things = {"wears": wear["wears"], "leans": "leans"}
        return " ".join(worn_things.get(name, name) for name, on in wear.items() if on and name not in beside)

    return {
        "pet": pet,
        "bubble": bubble,
        "Qt": Qt,
        "events": events,
        "where": where,
        "buttons": buttons,
        "places": places,
        "said": said,
        "field": field,
        "order": order,
        "drop_text": drop_text,
        "feel": feel,
        "note_acts": note_acts,
        "worn": worn,
        "state": state,
        "note_keys": _note_keys,
        "keys_at": lambda: _KEYS["at"],
    }


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        for line in self.rfile:
            asked, answer = json.loads(line), Future[Any]()
            if isinstance(asked, list):
                self._reply({"value": _invoke(*asked)})
                continue

            def work(source: str = asked, answer: Future[Any] = answer) -> None:
                try:
                    answer.set_result(eval(source, _views()))
                except Exception as error:  # noqa: BLE001  told to the test
                    answer.set_exception(error)

            try:
                _post(work)
                reply = {"value": answer.result(_SECONDS)}
            except Exception as error:  # noqa: BLE001  told to the test
                reply = {"error": f"{type(error).__name__}: {error}"}
            self._reply(reply)

    def _reply(self, reply: dict[str, Any]) -> None:
        self.wfile.write(json.dumps(reply, default=str).encode() + b"\n")
        self.wfile.flush()


def _invoke(client: str, name: str, args: dict[str, Any]) -> Any:
    """Return the envelope of a command, once there is a core to call."""
    from pet.bridge.command import Client

    core = _CORES[-1].wait(_SECONDS)
    return json.loads(core.commands.invoke(Client(client), name, json.dumps(args)))


def _post(work: Any) -> None:
    from pet.desktop import qt_loop

    dispatcher = _DISPATCHERS[-1] if _DISPATCHERS else None
    if dispatcher is None:
        raise LookupError("no application yet")
    assert isinstance(dispatcher, qt_loop.GuiDispatcher)
    dispatcher.post(work)


_DISPATCHERS: list[Any] = []
_CORES: list[Any] = []


def _remember(kind: Any, made: list[Any]) -> None:
    init = kind.__init__

    def remember(self: Any) -> None:
        init(self)
        made.append(self)

    kind.__init__ = remember


def _note_first_body(view: Any) -> None:
    """Let each view of a pet know the body of its first frame, as ``first_body``."""
    init = view.__init__

    def begin(self: Any, port: Any, body: str = "", **options: Any) -> None:
        init(self, port, body, **options)
        self.first_body = body

    view.__init__ = begin


def main() -> None:
    from pet.desktop import core_client, pet_view, qt_loop

    _note_first_body(pet_view.PetView)
    _remember(qt_loop.GuiDispatcher, _DISPATCHERS)
    _remember(core_client.DeferredCore, _CORES)
    place = Path(os.environ.pop("SOULPET_INSPECT"))
    place.unlink(missing_ok=True)
    server = socketserver.ThreadingUnixStreamServer(str(place), _Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, name="inspect", daemon=True).start()
    module, *arguments = sys.argv[1:]
    sys.argv = [module, *arguments]
    sys.orig_argv = [sys.orig_argv[0], "-m", *sys.argv]  # a further program is started without this
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
