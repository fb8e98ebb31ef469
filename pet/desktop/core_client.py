"""Client of the core for windows, menu and tray, with the commands' own types.

Calls pass the same capability check as the pages'. Never waits for the core: until it is ready, queries return none
and orders are dropped. Commands are imported on first call, since they import the whole core.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from pet.bridge.command import Client
from pet.desktop.deferred_core import DeferredCore
from pet.errors import PetError
from pet.i18n import Texts

if TYPE_CHECKING:
    from pet.bridge.commands.lifecycle import Status
    from pet.bridge.commands.pets import PetInfo
    from pet.bridge.commands.skins import SkinInfo, SkinSheet
    from pet.desktop.ground import Gait
    from pet.events import Event
    from pet.services.desktop_port import Selection

P = ParamSpec("P")
R = TypeVar("R")

_log = logging.getLogger(__name__)


class CoreClient:
    """Thread-safe. ``first``: the catalogue to use until the core provides its own."""

    def __init__(self, late: DeferredCore, first: Texts) -> None:
        self._late = late
        self._first = first

    @property
    def ready(self) -> bool:
        """Whether there is a core to call."""
        return self._late.get_nowait() is not None

    def emit(self, event: Event) -> None:
        core = self._late.get_nowait()
        if core is not None:
            core.emitter.emit(event)

    def pet_travels(self, dx: int, dy: int, how: Gait, walk: int = 0) -> None:
        from pet.events import PetTravels

        self.emit(PetTravels(dx=dx, dy=dy, how=how, walk=walk))

    def desktop_changed(self, error: PetError | None = None) -> None:
        from pet.events import DesktopChanged, ErrorInfo

        self.emit(DesktopChanged(error=ErrorInfo.of(error) if error else None))

    def texts(self) -> Texts:
        core = self._late.get_nowait()
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

    def skins(self) -> list[SkinInfo]:
        """Return the skins that can be worn."""
        from pet.bridge.commands.skins import SkinCommands

        result = self.call(Client.CHAT, SkinCommands.list_skins)
        return [skin for skin in result.skins if skin.problem is None] if result else []

    def sheet(self, have: str) -> SkinSheet | None:
        """Return the worn skin's sheet; without its picture if its stamp is ``have``."""
        from pet.bridge.commands.skins import SkinCommands

        worn = self.call(Client.PET, SkinCommands.get_skin, have=have)
        return worn.sheet if worn else None

    def still(self, skin: str = "", *, pixels: bool = False) -> SkinSheet | None:
        """Return a skin's still picture, by default the worn one's. ``pixels``: also of a body the pages draw."""
        from pet.bridge.commands.skins import SkinCommands

        return self.call(Client.CHAT, SkinCommands.preview_skin, skin=skin, pixels=pixels)

    def new_conversation(self) -> str | None:
        """Create a conversation and return its id."""
        from pet.bridge.commands.conversations import ConversationCommands

        made = self.call(Client.CHAT, ConversationCommands.new_conversation)
        return made.info.id if made else None

    # --- orders: run on a separate thread -------------------------------------------------------

    def pause(self, paused: bool) -> None:
        from pet.bridge.commands.lifecycle import LifecycleCommands

        self.order(Client.PET, LifecycleCommands.pause_memory, paused=paused)

    def open_field(self) -> None:
        from pet.bridge.commands.desktop import BubbleCommands

        self.order(Client.PET, BubbleCommands.open_field)

    def ask_about(self, read: Callable[[], Selection]) -> None:
        """Open the field with what ``read`` returns quoted above it."""
        from pet.bridge.commands.desktop import BubbleCommands

        def order() -> None:
            selection = read()
            about = {"cut": selection.cut, "copied": selection.copied}
            self.call(Client.PET, BubbleCommands.ask_about, text=selection.text, **about)

        threading.Thread(target=order, name="order", daemon=True).start()

    def change_setting(self, name: str, value: str | int | float | bool) -> None:
        from pet.bridge.commands.settings import SettingsCommands

        self.order(Client.CHAT, SettingsCommands.change_settings, changes={name: value})

    def switch_pet(self, pet: str) -> None:
        from pet.bridge.commands.pets import PetCommands

        self.order(Client.CHAT, PetCommands.switch_pet, pet=pet)

    def choose_skin(self, skin: str) -> None:
        from pet.bridge.commands.skins import SkinCommands

        self.order(Client.CHAT, SkinCommands.choose_skin, skin=skin)

    def offer_local_model(self, path: Path) -> None:
        from pet.bridge.commands.desktop import DesktopCommands

        self.order(Client.SOCKET, DesktopCommands.offer_local_model, path=str(path))

    def take_screenshot(self) -> None:
        """Capture an area the owner selects, for the field or the composer of the open chat."""
        from pet.bridge.commands.desktop import DesktopCommands

        self.order(Client.CHAT, DesktopCommands.take_screenshot, area="region", ask=True)

    def owner_came(self) -> None:
        from pet.bridge.commands.desktop import BubbleCommands

        self.order(Client.PET, BubbleCommands.touched)

    def say_goodbye(self) -> None:
        from pet.bridge.commands.desktop import BubbleCommands

        self.order(Client.PET, BubbleCommands.say_goodbye)

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
        core = self._late.get_nowait()
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
            self._late.wait()
            self.call(client, method, *args, **kwargs)

        threading.Thread(target=order, name="order", daemon=True).start()
