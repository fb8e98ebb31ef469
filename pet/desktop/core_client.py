"""The core while it is being built, the order of a start, and the calls of windows, menu and tray.

The core is built on its own thread; a failure is raised again by ``raise_failure``, never swallowed. The client has
the commands' own types, and its calls pass the same capability check as the pages'. Until the core is ready, queries
return none. Commands are imported on first call, since they import the whole core.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from pet.bridge.command import Client
from pet.desktop.dropped_things import DroppedPaths, dropped_batches
from pet.errors import PetError
from pet.i18n import Texts

if TYPE_CHECKING:
    from pet.app.pet import Pet
    from pet.body.outings import Outing
    from pet.bridge.commands.desktop import PointerPlace
    from pet.bridge.commands.lifecycle import Status
    from pet.bridge.commands.pets import PetInfo
    from pet.bridge.commands.skins import PetLook, SkinSheet
    from pet.desktop.controller import DesktopController
    from pet.desktop.ground import Gait
    from pet.desktop.pet_actor import Order
    from pet.events import Event
    from pet.services.file_transfer import DroppedThings

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
_ANSWER_SECONDS = 2.0

_log = logging.getLogger(__name__)


class DeferredCore:
    """The core, once it is built. Thread-safe."""

    def __init__(self) -> None:
        self._future: Future[Pet] = Future()

    def build(self, make: Callable[[], Pet]) -> None:
        """Start building on a separate thread; returns immediately."""
        threading.Thread(target=self._build, args=(make,), name="core", daemon=True).start()

    def get_nowait(self) -> Pet | None:
        """Return the core, or None if it is not ready or failed to start."""
        return self.wait(0)

    def wait(self, seconds: float | None = None) -> Pet | None:
        """Wait for the core; None if it failed to start or the timeout expired."""
        try:
            failed = self._future.exception(seconds) is not None
        except TimeoutError:
            return None
        return None if failed else self._future.result()

    def raise_failure(self) -> None:
        """Re-raise the build failure, if any, on the caller's thread."""
        if self._future.done():
            self._future.result()

    def then(self, react: Callable[[Pet], object]) -> None:
        """Call ``react`` once the core is ready: immediately, or on the build thread in order of registration."""

        def done(future: Future[Pet]) -> None:
            if future.exception() is None:
                react(future.result())

        self._future.add_done_callback(done)

    def if_failed(self, react: Callable[[BaseException], object]) -> None:
        """Call ``react`` with the build's exception, if it fails, on the build thread."""

        def done(future: Future[Pet]) -> None:
            error = future.exception()
            if error is not None:
                react(error)

        self._future.add_done_callback(done)

    def close(self, seconds: float) -> bool:
        """Close the core, also one that is still being built. Return whether that ended within this time."""

        def close() -> None:
            core = self.wait()
            if core is not None:
                core.close()

        closing = threading.Thread(target=close, name="close", daemon=True)
        closing.start()
        closing.join(seconds)
        return not closing.is_alive()

    def _build(self, make: Callable[[], Pet]) -> None:
        try:
            core = make()
        except BaseException as error:  # noqa: BLE001  the thread boundary: raised again on the main thread
            self._future.set_exception(error)
        else:
            self._future.set_result(core)


def call_on_gui(post: Callable[[Callable[[], object]], None], work: Callable[[], T], otherwise: T) -> T:
    """Run ``work`` on the GUI thread through ``post`` and return its result; ``otherwise`` on timeout or failure."""
    answer: Future[T] = Future()
    post(lambda: answer.set_result(work()))
    try:
        return answer.result(_ANSWER_SECONDS)
    except TimeoutError:
        return otherwise


def attach_window(
    late: DeferredCore, window: Any, client: Client, delivered: Callable[[str], None] = lambda _: None
) -> None:
    """Connect a window to the core. ``delivered`` is called with the name of each answered command, "" for events.

    Calls that arrive before the core is ready wait for it.
    """

    def invoke(name: object = None, args: object = None) -> str:
        core = late.wait()
        if core is None:
            return ""  # the program is about to exit with the error
        reply = core.commands.invoke(client, name, args)
        delivered(name if isinstance(name, str) else "")
        return reply

    def run_js(script: str) -> None:
        window.run_js(script)
        delivered("")

    def listen(core: Pet) -> None:
        core.emitter.add_window(client, run_js, name=client)

    window.expose(invoke)
    late.then(listen)


class WindowGate:
    """Bar the creation of windows from other threads once the program quits. Thread-safe.

    The web view would take a window made after the others are closed for its first, which needs the main thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closed = False

    def run(self, make: Callable[[], object]) -> None:
        """Call ``make`` unless the gate is closed."""
        with self._lock:
            if not self._closed:
                make()

    def close(self) -> None:
        """Wait for a window that is being made, and bar further ones. Not on the GUI thread, which makes it."""
        with self._lock:
            self._closed = True


# Delay the core's several hundred imports, so that they don't compete with the pet's first frames.
_FIRST_FRAMES_MS = 60
_DRAWN_AT_MOST_MS = 3000  # start the core even if the pet is never drawn


class Startup:
    """Start-up steps; each begins once: the pet's first frame, the core, a chat that is due.

    ``after``: of ``QtDesktop``; ``unseen``: the pet comes at another's place, so its first frame is nothing to wait
    for.
    """

    def __init__(
        self,
        after: Callable[[int, Callable[[], object]], None],
        late: DeferredCore,
        build: Callable[[], Pet],
        chat_due: Callable[[], None],
        *,
        unseen: bool = False,
    ) -> None:
        self._after = after
        self.late = late
        self._build = build
        self._chat_due = chat_due
        self._begun = False
        after(0 if unseen else _DRAWN_AT_MOST_MS, self._begin)

    def drawn(self) -> None:
        """Go on: the pet's first frame is on the screen."""
        self._after(_FIRST_FRAMES_MS, self._begin)

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            self.late.build(self._build)
            self._chat_due()


class CoreClient:
    """Thread-safe. ``first``: the catalogue to use until the core provides its own."""

    def __init__(self, late: DeferredCore, first: Texts) -> None:
        self.late = late
        self._first = first

    @property
    def ready(self) -> bool:
        """Whether there is a core to call."""
        return self.late.get_nowait() is not None

    def emit(self, event: Event) -> None:
        core = self.late.get_nowait()
        if core is not None:
            core.emitter.emit(event)

    def pet_travels(self, dx: int, dy: int, how: Gait, walk: int = 0) -> None:
        from pet.events import PetTravels

        self.emit(PetTravels(dx=dx, dy=dy, how=how, walk=walk))

    def desktop_changed(self, error: PetError | None = None) -> None:
        from pet.events import DesktopChanged, ErrorInfo

        self.emit(DesktopChanged(error=ErrorInfo.of(error) if error else None))

    def texts(self) -> Texts:
        core = self.late.get_nowait()
        return core.texts() if core is not None else self._first

    # --- queries --------------------------------------------------------------------------------

    def status(self) -> Status | None:
        from pet.bridge.commands.lifecycle import LifecycleCommands

        return self.call(Client.SOCKET, LifecycleCommands.get_status)

    def pet_name(self) -> str:
        status = self.status()
        return status.pet_name if status else ""

    def pets(self) -> list[PetInfo]:
        from pet.bridge.commands.pets import PetCommands

        result = self.call(Client.CHAT, PetCommands.list_pets)
        return result.pets if result else []

    def still(self, skin: str = "", *, pixels: bool = False) -> SkinSheet | None:
        """Return a skin's still picture, by default the worn one's. ``pixels``: also of a body the pages draw."""
        from pet.bridge.commands.skins import SkinCommands

        return self.call(Client.CHAT, SkinCommands.preview_skin, skin=skin, pixels=pixels)

    # --- orders: run on a separate thread -------------------------------------------------------

    def offer_local_model(self, path: Path) -> None:
        from pet.bridge.commands.desktop import DesktopCommands

        self.order(Client.SOCKET, DesktopCommands.offer_local_model, path=str(path))

    def owner_came(self) -> None:
        from pet.bridge.commands.desktop import BubbleCommands

        self.order(Client.PET, BubbleCommands.touched)

    def say_no_chat(self, reason: str) -> None:
        from pet.bridge.commands.desktop import BubbleCommands

        self.order(Client.PET, BubbleCommands.say_no_chat, reason=reason)

    def call(
        self, client: Client, method: Callable[Concatenate[Any, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R | None:
        """Call a command; None if it fails, which is logged, or if there is no core yet."""
        done = self.try_call(client, method, *args, **kwargs)
        return None if done is None else done[0]

    def try_call(
        self, client: Client, method: Callable[Concatenate[Any, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> tuple[R] | None:
        """Call a command, whose reply may be None itself."""
        core = self.late.get_nowait()
        if core is None:
            return None
        try:
            return (core.commands.call(client, method, *args, **kwargs),)
        except PetError as error:
            _log.info("%s: %s", method.__name__, error.error_code)
            return None

    def order(
        self, client: Client, method: Callable[Concatenate[Any, P], object], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        """Call a command in the background, once the core is there: the pet takes orders before that."""

        def order() -> None:
            self.late.wait()
            self.call(client, method, *args, **kwargs)

        threading.Thread(target=order, name="order", daemon=True).start()


class CoreOrders:
    """One client's calls of the core, on one thread, in order. ``post``: runs work on the GUI thread; ``dropped``:
    takes the paths of dropped files before their contents."""

    def __init__(
        self, client: Client, core: CoreClient, post: Callable[[Callable[[], object]], None], dropped: DroppedPaths
    ) -> None:
        self._client = client
        self._core = core
        self._post = post
        self._dropped = dropped
        self._queue: SimpleQueue[Callable[[], object]] = SimpleQueue()
        threading.Thread(target=self._serve, name=f"orders-{client}", daemon=True).start()

    def _serve(self) -> None:
        while True:
            self._queue.get()()

    def give(self, method: Callable[Concatenate[Any, P], object], *args: P.args, **kwargs: P.kwargs) -> None:
        """Call the command; a failure is in the log."""
        self._queue.put(lambda: self._core.call(self._client, method, *args, **kwargs))

    def ask(
        self,
        reply: Callable[[R | None], object],
        method: Callable[Concatenate[Any, P], R],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> None:
        """Call the command and then ``reply`` on the GUI thread, with None if it failed or there is no core yet."""

        def work() -> None:
            done = self._core.try_call(self._client, method, *args, **kwargs)
            self._post(lambda: reply(None if done is None else done[0]))

        self._queue.put(work)

    def try_out(
        self,
        reply: Callable[[bool], object],
        method: Callable[Concatenate[Any, P], object],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> None:
        """Call the command and then ``reply`` on the GUI thread with whether it succeeded."""

        def work() -> None:
            done = self._core.try_call(self._client, method, *args, **kwargs)
            self._post(lambda: reply(done is not None))

        self._queue.put(work)

    def drop(self, files: list[Path], text: str) -> None:
        """Take dropped or pasted files, or a text, into the field or the chat; a model is offered to the owner."""
        if not self._dropped.take(files):
            self.hand_over(dropped_batches(files, text))

    def hand_over(self, batches: Iterable[DroppedThings]) -> None:
        """Read and hand these over in turn, on a thread of their own: other calls must not wait for a slow disk."""
        from pet.bridge.commands.desktop import DesktopCommands

        def work() -> None:
            for things in batches:
                self.give(DesktopCommands.drop_on_pet, things)

        threading.Thread(target=work, name="dropped", daemon=True).start()


class PetOrders:
    """Commands of the core and the shell, with the capabilities of ``Client.PET``.

    Called on the GUI thread. Nothing here waits: the core does it later, in order. A
    ``reply`` is called on the GUI thread, later or at once, with None for a refused or failed command, or while there
    is no core yet.
    """

    def __init__(self, orders: CoreOrders, desk: DesktopController) -> None:
        self._orders = orders
        self._desk = desk

    def drop(self, files: list[Path], text: str) -> None:
        self._orders.drop(files, text)

    def move_pet(self, dx: float, dy: float, *, done: bool, floats: bool, walk: int) -> None:
        """Move the window at once, by the distance since the press or the start of this walk."""
        self._desk.windows.move_pet(dx, dy, done, floats, walk)

    def order(self, command: Order) -> None:
        post = self._desk.platform.post  # the pet's own event ends first
        match command:
            case "toggle_chat":
                post(self._desk.pets.toggle_chat)
            case "pet_menu" if self._desk.menu is not None:
                post(self._desk.menu.pop_up)
            case "expect_chat":
                post(self._desk.visibility.expect)
            case "touched" | "take_held":
                from pet.bridge.commands.desktop import BubbleCommands

                self._orders.give(getattr(BubbleCommands, command))
            case "reading" | "nap":
                from pet.bridge.commands.skins import SkinCommands

                self._orders.give(getattr(SkinCommands, command))
            case "hush":
                from pet.bridge.commands.desktop import DesktopCommands

                self._orders.give(DesktopCommands.hush)

    def stroll(self, way: float, *, near: bool, what: Outing = "walk") -> None:
        from pet.bridge.commands.desktop import DesktopCommands

        self._orders.give(DesktopCommands.stroll, way, near, what)

    def fade_pet(self, faded: bool) -> None:
        self._desk.platform.post(lambda: self._desk.pet.fade(faded))

    def show_chat(self) -> None:
        from pet.bridge.commands.desktop import DesktopCommands

        self._orders.give(DesktopCommands.show_view, "chat")

    def get_skin(self, have: str, reply: Callable[[PetLook | None], None]) -> None:
        if not self._desk.core.ready:  # the first frame waits for no command; it asks again with the core
            self._desk.platform.post(lambda: reply(None))
            return
        from pet.bridge.commands.skins import SkinCommands

        def answered(skin: PetLook | None) -> None:
            reply(skin)
            if skin is not None:
                self._desk.pets.drawn()

        self._orders.ask(answered, SkinCommands.get_skin, have)

    def find_pointer(self, reply: Callable[[PointerPlace | None], None]) -> None:
        from pet.bridge.commands.desktop import DesktopCommands

        self._orders.ask(reply, DesktopCommands.find_pointer)
