"""Calls of the native pet and bubble to the core and the windows. Orders reach the core one after the other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from pet.body.outings import Outing
from pet.bridge.command import Client
from pet.desktop.core_client import CoreClient
from pet.desktop.dropped_things import DroppedPaths, dropped_batches
from pet.desktop.pet_actor import Order

if TYPE_CHECKING:
    from pet.bridge.commands.desktop import PointerPlace
    from pet.bridge.commands.skins import PetLook
    from pet.desktop.controller import DesktopController
    from pet.services.file_transfer import DroppedThings

P = ParamSpec("P")
R = TypeVar("R")


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

    def run_on_gui(self, work: Callable[[], object]) -> None:
        self._post(work)

    @property
    def ready(self) -> bool:
        """Whether there is a core."""
        return self._core.ready

    def drop(self, files: list[Path], text: str) -> None:
        """Take dropped or pasted files, or a text, into the field or the chat; a model is offered to the owner."""
        if not self._dropped.take(files):
            self.hand_over(dropped_batches(files, text))

    def hand_over(self, batches: Iterable[DroppedThings]) -> None:
        """Read and hand these over in turn, not on the GUI thread."""
        from pet.bridge.commands.desktop import DesktopCommands

        def work() -> None:
            for things in batches:
                self.give(DesktopCommands.drop_on_pet, things)

        self._queue.put(work)


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
        if not self._orders.ready:  # the first frame waits for no command to be imported; it asks again with the core
            self._orders.run_on_gui(lambda: reply(None))
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
