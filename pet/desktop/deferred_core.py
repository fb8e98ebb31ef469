"""The core while it is being built: the windows come first, and whoever asks it something waits.

Owns the thread that builds it. Refuses to swallow why there is no core: the one who waits for the end gets it raised.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TookTooLong
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from pet.bridge.dispatch import Commands
    from pet.bridge.emitter import Emitter
    from pet.i18n import Texts

T = TypeVar("T")
_ANSWER_SECONDS = 2.0


class Core(Protocol):
    """What the shell needs of the app that ``compose`` builds."""

    @property
    def commands(self) -> Commands: ...

    @property
    def emitter(self) -> Emitter: ...

    def texts(self) -> Texts: ...

    def close(self) -> None: ...


class DeferredCore:
    """Safe from any thread."""

    def __init__(self) -> None:
        self._future: Future[Core] = Future()

    def build(self, make: Callable[[], Core]) -> None:
        """On a thread of its own; returns at once."""
        threading.Thread(target=self._build, args=(make,), name="core", daemon=True).start()

    def get_nowait(self) -> Core | None:
        """At once; None while it is being built and if that failed."""
        failed = self._future.done() and self._future.exception() is not None
        return self._future.result() if self._future.done() and not failed else None

    def wait(self, seconds: float | None = None) -> Core | None:
        """When it is there; None if it never will be, or not in time."""
        try:
            failed = self._future.exception(seconds) is not None
        except TookTooLong:
            return None
        return None if failed else self._future.result()

    def raise_failure(self) -> None:
        """What building it raised, on the caller's thread."""
        if self._future.done():
            self._future.result()

    def then(self, react: Callable[[Core], object]) -> None:
        """As soon as it is there, in the order asked; on the thread that built it, or at once."""

        def done(future: Future[Core]) -> None:
            if future.exception() is None:
                react(future.result())

        self._future.add_done_callback(done)

    def if_failed(self, react: Callable[[], object]) -> None:
        def done(future: Future[Core]) -> None:
            if future.exception() is not None:
                react()

        self._future.add_done_callback(done)

    def _build(self, make: Callable[[], Core]) -> None:
        try:
            core = make()
        except BaseException as error:  # noqa: BLE001  the thread boundary: raised again on the main thread
            self._future.set_exception(error)
        else:
            self._future.set_result(core)


def call_on_gui(post: Callable[[Callable[[], object]], None], work: Callable[[], T], otherwise: T) -> T:
    """What another thread, to which ``post`` hands it, makes of this; ``otherwise`` if it takes too long or fails."""
    answer: Future[T] = Future()
    post(lambda: answer.set_result(work()))
    try:
        return answer.result(_ANSWER_SECONDS)
    except TookTooLong:
        return otherwise


def attach_window(late: DeferredCore, window: Any, client: str, delivered: Callable[[str], None]) -> None:
    """A window's only ways to the core and back. ``delivered`` hears what it just got: a command's name, or "".

    Calls that come too early wait for the core, each on its own thread or its page's.
    """

    def invoke(name: object = None, args: object = None) -> str:
        core = late.wait()
        if core is None:
            return ""  # the program is about to end with the reason
        from pet.bridge.api import Client

        reply = core.commands.invoke(Client(client), name, args)
        delivered(name if isinstance(name, str) else "")
        return reply

    def run_js(script: str) -> None:
        window.run_js(script)
        delivered("")

    def listen(core: Core) -> None:
        from pet.bridge.api import Client

        core.emitter.add_window(Client(client), run_js, name=client)

    window.expose(invoke)
    late.then(listen)
