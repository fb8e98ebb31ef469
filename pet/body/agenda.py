"""Calls that are due later, for one thread and one timer: the owner of the timer asks when, and runs what is due."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count


class DueCall:
    """A call on an agenda. ``cancel`` more than once, or after it ran, does nothing."""

    __slots__ = ("_agenda", "work")

    def __init__(self, agenda: Agenda, work: Callable[[], object]) -> None:
        self._agenda = agenda
        self.work: Callable[[], object] | None = work

    def cancel(self) -> None:
        if self.work is not None:
            self.work = None
            self._agenda.changed()

    @property
    def open(self) -> bool:
        """Whether it is still to come."""
        return self.work is not None


class Agenda:
    """Not thread-safe. ``clock``: milliseconds that never go back. ``changed``: called when ``due`` may have changed.

    >>> now = 0.0
    >>> agenda = Agenda(lambda: now)
    >>> call = agenda.after(40, lambda: print("blink"))
    >>> agenda.due()
    40.0
    >>> now = 41.0
    >>> agenda.run()
    blink
    """

    def __init__(self, clock: Callable[[], float], changed: Callable[[], object] = lambda: None) -> None:
        self.clock = clock
        self._changed = changed
        self._calls: list[tuple[float, int, DueCall]] = []
        self._order = count()
        self._running = False

    def after(self, ms: float, work: Callable[[], object]) -> DueCall:
        """DueCall ``work`` this much later."""
        call = DueCall(self, work)
        heapq.heappush(self._calls, (self.clock() + ms, next(self._order), call))
        self.changed()
        return call

    def due(self) -> float | None:
        """Return when the next call is due, on the clock; None: never."""
        while self._calls and not self._calls[0][2].open:
            heapq.heappop(self._calls)
        return self._calls[0][0] if self._calls else None

    def run(self) -> None:
        """DueCall what is due by now."""
        now, self._running = self.clock(), True
        try:
            while (due := self.due()) is not None and due <= now:
                call = heapq.heappop(self._calls)[2]
                work, call.work = call.work, None
                if work is not None:
                    work()
        finally:
            self._running = False
            self.changed()

    def changed(self) -> None:
        if not self._running:
            self._changed()

    def clear(self) -> None:
        """Cancel every call."""
        for _due, _order, call in self._calls:
            call.work = None
        self._calls.clear()
        self.changed()
