"""A page as the emitter sees it: takes scripts, can hang, and can be waited for."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

PREFIX = "window.__soulpet&&window.__soulpet.deliver("
PATIENCE = 60.0


class Page:
    def __init__(self, *, hung: bool = False) -> None:
        self.deliveries: list[dict[str, Any]] = []
        self.threads: set[int] = set()
        self._changed = threading.Condition()
        self._entered = threading.Event()
        self._answering = threading.Event()
        if not hung:
            self._answering.set()

    def run_js(self, script: str) -> None:
        self._entered.set()
        self._answering.wait()
        assert script.isascii()
        assert script.startswith(PREFIX)
        assert script.endswith(")")
        delivery = json.loads(script[len(PREFIX) : -1])
        with self._changed:
            self.threads.add(threading.get_ident())
            self.deliveries.append(delivery)
            self._changed.notify_all()

    def hang(self) -> None:
        self._entered.clear()
        self._answering.clear()

    def wait_until_hung(self) -> None:
        assert self._entered.wait(PATIENCE)

    def recover(self) -> None:
        self._answering.set()

    def events(self) -> list[dict[str, Any]]:
        return [item for delivery in self.deliveries for item in delivery["events"]]

    def wait_for(self, done: Callable[[Page], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: done(self), PATIENCE), self.deliveries[-3:]

    def wait_for_seq(self, seq: int) -> None:
        self.wait_for(lambda page: any(item["seq"] >= seq for item in page.events()))
