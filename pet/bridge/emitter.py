"""Number events and deliver them: merged and in batches to windows, one by one to class subscribers.

One outbox thread per subscriber, because ``run_js`` may take seconds: a page that hangs blocks neither the sender nor
other windows. Queues are bounded; beyond the bound deltas are dropped, and the page reloads its state. So does a page
that timed out, as soon as it answers. A window gets only the events of its client (``receives``).
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from pet.bridge.command import Client
from pet.errors import places_of
from pet.events import (
    EVENTS,
    BubbleChanged,
    ChatShown,
    Event,
    LifeChanged,
    MemoryGiven,
    MemoryPaused,
    MoodChanged,
    PetReplaced,
    PetTravels,
    ProposalAsked,
    SettingsChanged,
    TabMemoryChanged,
    TextDelta,
    ThinkingDelta,
    TurnStarted,
)
from pet.serde import Data, encode, fields_of

BATCH_SECONDS = 0.016  # one frame
MAX_CHARACTERS = 4_000_000  # more than the largest proposal
MAX_EVENTS = 4_000

PET_EVENTS: tuple[type[Event], ...] = (
    MemoryGiven,
    MoodChanged,
    ChatShown,
    MemoryPaused,
    TabMemoryChanged,
    PetTravels,
    PetReplaced,
    LifeChanged,
    SettingsChanged,
)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Numbered:
    seq: int
    event: Event


@dataclass(frozen=True, slots=True)
class Delivery:
    """A batch of events. ``resync``: earlier events were dropped."""

    resync: bool
    events: tuple[Numbered, ...]


def receives(client: Client, event: Event) -> bool:
    """Return whether this client receives the event. The pet window gets no text and no proposal."""
    match client:
        case Client.CHAT:
            return True
        case Client.PET:
            return isinstance(event, PET_EVENTS)
        case Client.BUBBLE:
            return isinstance(event, BubbleChanged)
        case Client.SOCKET | Client.TERMINAL:
            return False


def event_type(event: type) -> str:
    """Return the tag of an event class on the wire: ``TurnStarted`` is ``turn_started``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", event.__name__).lower()


EVENT_TYPES: Mapping[str, type] = {event_type(kind): kind for kind in EVENTS}


def event_data(event: Event) -> Data:
    """Return the event's fields, preceded by its tag."""
    return {"type": event_type(type(event)), **fields_of(event)}


def script_of(delivery: Delivery) -> str:
    """Return the script for a page, in ASCII. It does nothing on a page that is still loading."""
    data = {
        "resync": delivery.resync,
        "events": [{"seq": item.seq, "event": event_data(item.event)} for item in delivery.events],
    }
    return f"window.__soulpet&&window.__soulpet.deliver({encode(data)})"


class Emitter:
    """Thread-safe; ``emit`` never waits for a window.

    >>> emitter = Emitter()
    >>> emitter.subscribe_inline(print, MemoryPaused, name="example")
    >>> emitter.emit(MemoryPaused(paused=True))
    MemoryPaused(paused=True)
    1
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0
        self._outboxes: list[tuple[Callable[[Event], bool], _Outbox]] = []
        self._inline: tuple[_Inline, ...] = ()

    def emit(self, event: Event) -> int:
        """Number the event, queue it for its subscribers, and call the inline ones. Return the number."""
        with self._lock:  # held while queueing, so that all subscribers get the same order
            self._last = number = self._last + 1
            item = Numbered(number, event)
            for wants, outbox in self._outboxes:
                if wants(event):
                    outbox.put(item)
        for subscribed in self._inline:
            if isinstance(event, subscribed.kinds):
                _guarded(subscribed.name, partial(subscribed.callback, event))
        return number

    def fence(self) -> int:
        """Return the last number, and guarantee that no later delta is merged into an event up to it.

        A view folded while nothing is emitted for it is marked with this number, so that the page knows which events
        it includes.
        """
        with self._lock:
            for _wants, outbox in self._outboxes:
                outbox.fence()
            return self._last

    def add_window(self, client: Client, run_js: Callable[[str], object], *, name: str) -> Subscription:
        """Deliver batches to a page. ``run_js`` is called on the window's own thread only."""

        def deliver(delivery: Delivery) -> None:
            run_js(script_of(delivery))

        outbox = _Outbox(name, deliver, wait=BATCH_SECONDS, bounded=True)
        return self._add(lambda event: receives(client, event), outbox)

    def subscribe(
        self,
        callback: Callable[[Event], object],
        *kinds: type[Event],
        name: str,
        text: Callable[[], bool] = lambda: True,
    ) -> Subscription:
        """Deliver events of these classes unmerged, immediately, in order, on a separate thread.

        Without ``kinds`` every event; ``text``: whether text deltas are wanted now, never blocks. Everything queued
        is delivered before the subscription closes.
        """

        def deliver(delivery: Delivery) -> None:
            for item in delivery.events:
                _guarded(name, partial(callback, item.event))

        def wants(event: Event) -> bool:
            return (not kinds or isinstance(event, kinds)) and (not isinstance(event, TextDelta) or text())

        return self._add(wants, _Outbox(name, deliver, wait=0.0, bounded=False))

    def subscribe_inline(self, callback: Callable[[Event], object], *kinds: type[Event], name: str) -> None:
        """Call with events of these classes on the emitter's thread, before ``emit`` returns, while it is open.

        Only for folds that never block, and that must contain an event once ``emit`` returns.
        """
        with self._lock:
            self._inline = (*self._inline, _Inline(name, kinds, callback))

    def close(self, seconds: float = 2.0) -> bool:
        """End every subscription. False if a thread hangs in its window and was abandoned."""
        with self._lock:
            outboxes = [outbox for _, outbox in self._outboxes]
            self._outboxes.clear()
            self._inline = ()
        for outbox in outboxes:
            outbox.stop()
        deadline = time.monotonic() + seconds
        joined = [outbox.join(max(0.0, deadline - time.monotonic())) for outbox in outboxes]
        return all(joined)

    def _add(self, wants: Callable[[Event], bool], outbox: _Outbox) -> Subscription:
        outbox.start()
        with self._lock:
            self._outboxes.append((wants, outbox))
        return Subscription(outbox, self._leave)

    def _leave(self, outbox: _Outbox) -> None:
        with self._lock:
            self._outboxes = [entry for entry in self._outboxes if entry[1] is not outbox]


@dataclass(frozen=True, slots=True)
class Subscription:
    outbox: _Outbox
    leave: Callable[[_Outbox], None]

    def close(self, seconds: float = 2.0) -> bool:
        """Stop and join the thread. False if it hangs in its window and was abandoned."""
        self.leave(self.outbox)
        self.outbox.stop()
        return self.outbox.join(seconds)


@dataclass(frozen=True, slots=True)
class _Inline:
    name: str
    kinds: tuple[type[Event], ...]
    callback: Callable[[Event], object]


@dataclass(slots=True)
class _Waiting:
    """A queued event; text deltas are kept as pieces and joined when sent."""

    seq: int
    event: Event
    weight: int
    pieces: list[str] | None
    open: bool = True  # a later delta may be merged in

    def merged(self) -> Numbered:
        event = self.event
        if self.pieces and len(self.pieces) > 1 and isinstance(event, TextDelta):
            event = replace(event, text="".join(self.pieces))
        return Numbered(self.seq, event)


class _Outbox:
    """One subscriber's queue and the thread that drains it."""

    def __init__(self, name: str, deliver: Callable[[Delivery], None], *, wait: float, bounded: bool) -> None:
        self._deliver = deliver
        self._wait = wait
        self._bounded = bounded  # False: a callback, which drops and merges nothing
        self._changed = threading.Condition()
        self._queue: deque[_Waiting] = deque()
        self._weight = 0
        self._resync = False  # events were dropped
        # the last call failed; retried with the next event, or a closed window would cause a busy loop
        self._failed = False
        self._closed = False
        self._thread = threading.Thread(target=self._run, name=f"outbox-{name}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def put(self, item: Numbered) -> None:
        with self._changed:
            if self._closed:
                return
            delta = isinstance(item.event, (TextDelta, ThinkingDelta))
            if delta and self._resync:
                return  # the page will load this text with the conversation
            was_empty = not self._queue
            self._append(item)
            if self._bounded and (self._weight > MAX_CHARACTERS or len(self._queue) > MAX_EVENTS):
                self._shrink()
            if was_empty:  # waking the thread for every delta would cost more than sending
                self._changed.notify()

    def fence(self) -> None:
        with self._changed:
            if self._queue:
                self._queue[-1].open = False

    def stop(self) -> None:
        with self._changed:
            self._closed = True
            if self._bounded:  # the page is closing; a callback still gets earlier events
                self._queue.clear()
            self._changed.notify()

    def join(self, seconds: float) -> bool:
        if threading.current_thread() is self._thread:
            return True
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _append(self, item: Numbered) -> None:
        event, text = item.event, _text_of(item.event)
        self._weight += len(text)
        last = self._queue[-1] if self._queue else None
        if self._bounded and last and last.open and last.pieces and isinstance(event, TextDelta):
            before = last.event
            assert isinstance(before, TextDelta)
            if (before.conversation, before.turn, before.round) == (event.conversation, event.turn, event.round):
                last.pieces.append(text)
                last.seq = item.seq
                last.weight += len(text)
                return
        pieces = [text] if isinstance(event, TextDelta) else None
        self._queue.append(_Waiting(item.seq, event, len(text), pieces))

    def _shrink(self) -> None:
        """Drop the deltas of a queue over the bound, then if necessary the oldest half."""
        self._resync = True
        kept = [entry for entry in self._queue if not isinstance(entry.event, (TextDelta, ThinkingDelta))]
        weight = sum(entry.weight for entry in kept)
        if weight > MAX_CHARACTERS // 2 or len(kept) > MAX_EVENTS // 2:
            kept = kept[len(kept) // 2 :]
            weight = sum(entry.weight for entry in kept)
        self._queue = deque(kept)
        self._weight = weight

    def _run(self) -> None:
        sent_at = float("-inf")
        while True:
            delivery = self._take(sent_at + self._wait)
            if delivery is None:
                return
            self._failed = not _guarded(self._thread.name, partial(self._send, delivery))
            sent_at = time.monotonic()

    def _send(self, delivery: Delivery) -> None:
        try:
            self._deliver(delivery)
        except TimeoutError:  # the page may answer again without a further event: a question may be among these
            with self._changed:
                self._resync = True
            raise

    def _take(self, not_before: float) -> Delivery | None:
        """Wait for events, then for the frame interval. After a pause an event is sent at once."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._resync or self._closed)
            while not self._closed and (rest := not_before - time.monotonic()) > 0:
                self._changed.wait(rest)
            if not self._queue and not self._resync:
                return None
            if self._closed and self._bounded:
                return None
            delivery = Delivery(self._resync or self._failed, tuple(entry.merged() for entry in self._queue))
            self._queue.clear()
            self._weight = 0
            self._resync = False
            return delivery


def _guarded(name: str, call: Callable[[], object]) -> bool:
    """Return whether the call succeeded; log its exception, so that it doesn't end the thread."""
    try:
        call()
    except Exception as error:  # noqa: BLE001  thread boundary
        _log.warning("%s failed: %s", name, places_of(error))
        return False
    return True


_TEXTS: Mapping[type, Callable[..., str]] = {
    TextDelta: lambda event: event.text,
    TurnStarted: lambda event: event.text,
    ProposalAsked: lambda event: event.proposal.before + event.proposal.after,
}


def _text_of(event: Event) -> str:
    """Return the text that dominates an event's size."""
    read = _TEXTS.get(type(event))
    return read(event) if read else ""
