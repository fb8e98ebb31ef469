"""Visibility and view of the chat, reported to the pages; requests before the window exists are kept."""

from __future__ import annotations

from typing import Any

from pet.desktop.core.client import CoreClient
from pet.desktop.windows.chat_window import ChatWindow
from pet.desktop.windows.pet_window import PetWindow
from pet.services.desktop_port import View


class ChatVisibility:
    """Opens and closes the chat, on the GUI thread. ``wanted``: show it as soon as there is a window."""

    def __init__(self, chat: ChatWindow, pet: PetWindow, core: CoreClient, *, wanted: bool) -> None:
        self._chat = chat
        self._pet = pet
        self._core = core
        self._wanted = wanted
        self._view: View | None = None

    def made(self, window: Any) -> None:
        self._chat.made(window, self._on_minimised)
        if self._wanted:
            self.open()
        else:
            self._chat.warm_when_loaded()

    def open(self) -> None:
        self._wanted = self._chat.window is None
        if self._wanted:
            return
        from pet.events import ChatShown, PageAsked

        self._chat.show(self._pet.rect)
        self._core.emit(ChatShown(shown=True))
        if self._view is not None:
            self._core.emit(PageAsked(view=self._view))
            self._view = None

    def close(self) -> None:
        from pet.events import ChatShown

        self._wanted = False
        if self._chat.hide():
            self._core.emit(ChatShown(shown=False))

    def _on_minimised(self) -> None:
        from pet.events import ChatShown

        if self._chat.shown:  # messages count as read on restore, not while minimised
            self._core.emit(ChatShown(shown=not self._chat.minimised))

    def toggle(self) -> None:
        if self._chat.in_sight:
            self.close()
        else:
            self.open()

    def open_at(self, view: View) -> None:
        self._view = view
        self.open()
