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


class PageCalls:
    """The calls of one window's page. ``run_script`` runs a script in it, from any thread."""

    def __init__(self, window: Any, run_script: Callable[[str], object], *, ordered: bool) -> None:
        self._window = window
        self._run_script = run_script
        self._run = _in_order() if ordered else _on_a_thread

    def call(self, function: object, parameters: object, call_id: object) -> None:
        """Answer later, on another thread."""
        answer = self._window._functions.get(EXPOSED)
        if not is_call(function, call_id) or answer is None:
            return
        key, arguments = str(call_id), arguments_of(parameters)
        self._run(lambda: self._run_script(reply_script(key, answer(*arguments))))


def bridge_call(ordered: Iterable[str]) -> Callable[[Any, object, object, object], None]:
    """What takes the place of ``js_bridge_call``, for all windows; it runs on the GUI thread and does not wait.
    ``ordered``: addresses of pages.
    """
    addresses = frozenset(ordered)
    pages: dict[str, PageCalls] = {}

    def call(window: Any, function: object, parameters: object, call_id: object) -> None:
        if window.uid not in pages:
            pages[window.uid] = PageCalls(window, window.run_js, ordered=window.original_url in addresses)
        pages[window.uid].call(function, parameters, call_id)

    return call


def _on_a_thread(work: Callable[[], object]) -> None:
    # Daemon: a call that hangs must not keep the process from exiting.
    threading.Thread(target=work, name="bridge-call", daemon=True).start()


def _in_order() -> Callable[[Callable[[], object]], None]:
    """One thread for a page: drag steps must be handled in order."""
    calls: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()

    def serve() -> None:
        while True:
            calls.get()()

    threading.Thread(target=serve, name="bridge-in-order", daemon=True).start()
    return calls.put
