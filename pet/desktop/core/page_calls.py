"""What pages may call: ``invoke`` and nothing else, in order for the pages that need it.

Replaces pywebview's ``js_bridge_call``, which also answers calls to its internals, keeps an entry of every call for
ever, and starts a non-daemon thread for each, so that the steps of a drag may overtake each other.
"""

from __future__ import annotations

import json
import logging
import queue
import re
import threading
from collections.abc import Callable, Iterable
from typing import Any

from pet.outside_data import read_json

EXPOSED = "invoke"
_CALL_ID = re.compile(r"[0-9e-]{1,32}")  # the digits of a random number, which may have an exponent
_log = logging.getLogger(__name__)

Run = Callable[[Callable[[], None]], None]


def is_call(function: object, call_id: object) -> bool:
    """Whether a page asks for what it may ask for; logs what else it wants."""
    if function == EXPOSED and isinstance(call_id, str) and _CALL_ID.fullmatch(call_id):
        return True
    _log.warning("a page called %s", str(function)[:40])
    return False


def arguments_of(given: object) -> tuple[object, object]:
    """A name and a JSON text; anything else becomes what ``invoke`` refuses. ``given``: a list, or one as JSON."""
    if isinstance(given, str):
        try:
            given = read_json(given)
        except ValueError:
            return None, None
    name, arguments = [*given, None, None][:2] if isinstance(given, list) else (None, None)
    return name, arguments


def reply_script(call_id: str, reply: str) -> str:
    """What the page runs to get its reply."""
    value = json.dumps(json.dumps(reply))
    return f"window.pywebview._returnValuesCallbacks.{EXPOSED}[{json.dumps(call_id)}]?.({{value:{value}}})"


def on_a_thread(work: Callable[[], None]) -> None:
    # Daemon: a call that hangs must not keep the process from exiting.
    threading.Thread(target=work, name="bridge-call", daemon=True).start()


def in_order() -> Run:
    """One thread for a page: drag steps must be handled in order."""
    calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()

    def serve() -> None:
        while True:
            calls.get()()

    threading.Thread(target=serve, name="bridge-in-order", daemon=True).start()
    return calls.put


class PageCalls:
    """The calls of all windows of a web view that is not Qt's. ``ordered``: addresses of pages."""

    def __init__(self, ordered: Iterable[str]) -> None:
        self._ordered = frozenset(ordered)
        self._runs: dict[str, Run] = {}

    def call(self, window: Any, function: object, parameters: object, call_id: object) -> None:
        """Takes the place of ``js_bridge_call``; runs on the GUI thread and does not wait."""
        answer = window._functions.get(EXPOSED)
        if not is_call(function, call_id) or answer is None:
            return
        key, arguments = str(call_id), arguments_of(parameters)
        self._run_of(window)(lambda: window.run_js(reply_script(key, answer(*arguments))))

    def _run_of(self, window: Any) -> Run:
        if window.original_url not in self._ordered:
            return on_a_thread
        if window.uid not in self._runs:
            self._runs[window.uid] = in_order()
        return self._runs[window.uid]
