"""Calls from the pages: ``invoke`` only, of our own pages only.

Replaces pywebview's function for calls of pages, which also answers calls to its internals, keeps an entry of every
call for ever, and starts a non-daemon thread for each.
"""

from __future__ import annotations

import json
import logging
import re
import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import unquote, urlsplit

from pet.serde import MAX_MESSAGE
from pet.untrusted.parsers import read_json

EXPOSED = "invoke"
_CALL_ID = re.compile(r"[0-9e-]{1,32}")  # the digits of a random number, which may have an exponent
_log = logging.getLogger(__name__)

MOST_AT_ONCE = 32
"""Maximum concurrent calls of one page; ours seldom have ten."""
MOST_WAITING = 2_000
"""Maximum waiting calls of one page."""
MOST_CHARACTERS = 3 * MAX_MESSAGE
"""Maximum total characters of the arguments of calls that wait or run."""


def is_call(function: object, call_id: object) -> bool:
    """Whether a page's call is allowed; log it otherwise."""
    if function == EXPOSED and isinstance(call_id, str) and _CALL_ID.fullmatch(call_id):
        return True
    _log.warning("a page called %s", str(function)[:40])
    return False


def call_arguments(given: object) -> tuple[object, object]:
    """Return name and JSON arguments, or values that ``invoke`` rejects. ``given``: a list, or one as JSON."""
    if isinstance(given, str):
        try:
            given = read_json(given)
        except ValueError:
            return None, None
    name, arguments = [*given, None, None][:2] if isinstance(given, list) else (None, None)
    return name, arguments


def _texts(given: object) -> list[str]:
    return [each for each in (given if isinstance(given, list) else [given]) if isinstance(each, str)]


def reply_script(call_id: str, reply: str) -> str:
    """Return the script that delivers a reply to the page."""
    value = json.dumps(json.dumps(reply))
    return f"window.pywebview._returnValuesCallbacks.{EXPOSED}[{json.dumps(call_id)}]?.({{value:{value}}})"


class PageCalls:
    """Calls of one window's page. ``run_script`` runs a script in it, from any thread."""

    def __init__(self, window: Any, run_script: Callable[[str], object]) -> None:
        self._window = window
        self._run_script = run_script
        self._queue = _CallQueue(MOST_AT_ONCE)

    def call(self, function: object, parameters: object, call_id: object) -> None:
        """Run the call on another thread, which delivers the reply."""
        answer = self._window._functions.get(EXPOSED)
        if not is_call(function, call_id) or answer is None:
            return
        key, size = str(call_id), sum(len(each) for each in _texts(parameters))
        self._queue.submit(size, lambda: self._run_script(reply_script(key, answer(*call_arguments(parameters)))))


class _CallQueue:
    """Runs the calls of one page on at most ``threads`` threads, oldest first.

    Calls beyond the limits are dropped, so that a flooding page can't exhaust threads or memory.
    """

    def __init__(self, threads: int) -> None:
        self._idle = threads
        self._lock = threading.Lock()
        self._waiting: deque[tuple[int, Callable[[], object]]] = deque()
        self._size = 0

    def submit(self, size: int, work: Callable[[], object]) -> None:
        """Queue a call without blocking. ``size``: characters of its arguments."""
        with self._lock:
            if len(self._waiting) >= MOST_WAITING or self._size + size > MOST_CHARACTERS:
                _log.warning("a page calls too much")
                return
            self._waiting.append((size, work))
            self._size += size
            if not self._idle:
                return
            self._idle -= 1
        # Daemon: a call that hangs must not keep the process from exiting.
        threading.Thread(target=self._serve, name="bridge-call", daemon=True).start()

    def _serve(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._idle += 1
                    return
                size, work = self._waiting.popleft()
            try:
                work()
            except Exception:  # noqa: BLE001  the thread boundary: the window may be gone; the next call still runs
                _log.exception("a page's call failed")
            with self._lock:
                self._size -= size


class OwnPages:
    """Allowed pages by URL, compared decoded: each web view encodes file URLs differently."""

    def __init__(self, urls: Iterable[str]) -> None:
        self._own = frozenset(_normalised(url) for url in urls)

    def may_navigate(self, url: str, own_url: str) -> bool:
        """Whether a window may load ``url``: only the page it was created for, not our other pages."""
        return self.is_own(url) and _normalised(url) == _normalised(own_url)

    def is_own(self, url: str) -> bool:
        return _normalised(url) in self._own


def _normalised(url: str) -> tuple[str, str, str, str]:
    parts = urlsplit(url)
    path = unquote(parts.path)
    # Only the drive letter is case-insensitive here.
    drive = path[:3].lower() if len(path) > 2 and path[2] == ":" else path[:3]
    return parts.scheme, parts.netloc.replace("localhost", ""), drive + path[3:], parts.query
