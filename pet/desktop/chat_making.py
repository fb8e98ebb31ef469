"""Make the chat's window, on a separate thread: its web view takes a while to load."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

from pet.bridge.command import Client
from pet.desktop.chat_window import chat_title
from pet.desktop.deferred_core import DeferredCore, WindowGate, attach_window
from pet.desktop.pets_here import PetParts
from pet.settings.schema import Settings

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMaker:
    """``made``: called once the window is there. ``unseen``: whether its page loads while the core is built."""

    parts: PetParts
    late: DeferredCore
    gate: WindowGate
    settings: Callable[[], Settings]
    made: Callable[[], None]
    quitting: threading.Event
    unseen: bool

    def begin(self, *, dark: bool) -> None:
        """Start making the window and return."""
        threading.Thread(target=self._make, args=(dark,), name="chat-window", daemon=True).start()

    def _make(self, dark: bool) -> None:
        if (not self.unseen and self.late.wait() is None) or self.quitting.is_set():
            return
        core, visibility = self.parts.core, self.parts.visibility

        def make() -> None:
            visibility.chat.make(
                chat_title(core.pet_name(), core.texts()),
                self._closing,
                lambda window: attach_window(self.late, window, Client.CHAT, self._on_call),
                self._made,
                visibility.loaded,
                theme=self.settings().theme,
                texts=core.texts(),
                dark=dark,
            )

        try:
            self.gate.run(make)
        except ImportError as error:  # without a web view the pet lives on
            _log.warning("no chat: %s", error)
            reason = error.name or type(error).__name__
            self.parts.platform.post(lambda: self._no_chat(reason))

    def _made(self) -> None:
        self.parts.visibility.made()
        self.made()

    def _on_call(self, command: str) -> None:
        if command == "set_in_front":  # the last of the page's start, once its field has the focus
            self.parts.platform.post(self.parts.visibility.page_drawn)

    def _no_chat(self, reason: str) -> None:
        if self.parts.visibility.failed():
            self.parts.core.say_no_chat(reason)

    def _closing(self) -> bool:
        """Hide instead of closing. Must not wait for the page: it runs on the GUI thread."""
        if self.quitting.is_set():
            return True
        self.parts.visibility.close()
        return False
