"""Chat window: created hidden when the owner may soon want it; the close button hides it.

Controls its visibility, view, size and position: beside the pet, or where the owner put it. Requests that come before
its page is loaded are kept for it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pet.bridge.command import Client
from pet.desktop.core_client import CoreClient, attach_window
from pet.desktop.dropped_things import DroppedPaths
from pet.desktop.geometry import Rect, beside, clamp, monitor_of
from pet.desktop.pet_window import PetWindow
from pet.desktop.placement_store import CHAT_MINIMUM, PlacementStore
from pet.i18n import Texts
from pet.services.desktop_port import PathKind, View

if TYPE_CHECKING:
    from pet.desktop.controller import DesktopController
    from pet.desktop.qt_desktop import QtDesktop

_log = logging.getLogger(__name__)

_PAPER, _DARK_PAPER = "#fdf8f1", "#1d1714"
"""``--paper`` in palette.css, as the window's background before the first paint."""
UNSEEN_MS = 10 * 60 * 1000
"""Time after which the page of a chat that is not visible is dropped from memory; opening the chat loads it again."""
_HELD_MS = 10_000
"""Time after which keys typed before the page was ready are delivered to it in any case."""
_PAINTED_AT_MOST_MS = 1000
SEEN_AFTER_MS = 50  # the compositor draws it before the other pet's chat goes
_PLACED_AFTER_MS = 250
"""By then a window manager has mapped and framed a window that is shown."""
_FILTERS = ("GGUF (*.gguf)",)
_NEAR = 10
"""Tolerance in units for window managers; a larger offset means the owner moved the window."""


def chat_title(name: str, texts: Texts) -> str:
    return texts("shell.title_chat_of", name=name) if name else texts("shell.title_chat")


class ChatWindow:
    """The chat's window. ``make`` on a separate thread, ``shown`` and ``minimised`` from any, else the GUI thread."""

    def __init__(self, platform: QtDesktop, places: PlacementStore, url: str, dropped: DroppedPaths) -> None:
        self._platform = platform
        self._screens = platform.screens
        self._dropped = dropped
        self._places = places
        self._url = url
        self._placed: Rect | None = None  # last position set by us, with its frame
        self._monitor = ""  # monitor of that position
        self._displaced = False  # its monitor was removed; the current position is temporary
        self.window: Any = None  # the native one
        self._web: Any = None  # pywebview's
        self.shown = False
        self.minimised = False  # by the owner, as last reported
        self.loaded = False  # its page is in memory
        self._hidden = 0  # how often it was hidden or made: a wait belongs to one of these

    def make(
        self,
        title: str,
        closing: Callable[[], bool],
        joined: Callable[[Any], None],
        made: Callable[[], None],
        loaded: Callable[[], None],
        *,
        theme: str,
        texts: Texts,
        dark: bool,
    ) -> None:
        """Create the window, hidden; blocks while the web view is imported. Not on the GUI thread. Raises ImportError
        without one.

        ``joined`` gets pywebview's window before its page is loaded, ``made`` is called on the GUI thread once the
        native one is there, and ``loaded`` each time its page is loaded. ``theme``, ``texts``: for the page's first
        paint, before the core has answered it; ``dark``: the window's.
        """
        self._platform.lock_web_view([self._url], self._dropped)
        import webview

        width, height = self._places.chat_size()

        def begin() -> None:
            for allowed in ("ALLOW_FILE_URLS", "ALLOW_DOWNLOADS", "OPEN_EXTERNAL_LINKS_IN_BROWSER"):
                webview.settings[allowed] = False
            window: Any = webview.create_window(
                title,
                url=f"{self._url}#{theme},{texts.language}",
                hidden=True,
                easy_drag=False,
                width=width,
                height=height,
                min_size=CHAT_MINIMUM,
                text_select=True,
                background_color=_DARK_PAPER if dark else _PAPER,
            )
            window.events.closing += closing
            window.events.loaded += lambda: self._platform.post(loaded)
            joined(window)
            titles = {
                "linux.openFile": texts("desktop.choose_file"),
                "linux.openFolder": texts("desktop.choose_folder"),
            }
            webview.start(gui="qt", debug=False, private_mode=True, localization=titles)  # makes that window
            self._web = window
            self.window = window.native
            self._platform.own.prepare_window(self.window, kind="chat")
            made()

        self._platform.post(begin)

    @property
    def in_sight(self) -> bool:
        """Whether it is shown and not minimised."""
        return self.shown and not self.window.isMinimized()

    def watch(self, on_minimised: Callable[[], None]) -> None:
        """Call ``on_minimised`` when the owner has minimised or restored it."""

        def refresh() -> None:
            minimised = bool(self.window.isMinimized())
            if minimised != self.minimised:
                self.minimised = minimised
                on_minimised()

        def changed() -> None:
            self._platform.post(refresh)

        events = self._web.events
        events.minimized += changed
        events.restored += changed
        events.maximized += changed

    def _release_later(self) -> None:
        self._hidden += 1
        self._platform.after(UNSEEN_MS, partial(self._release, self._hidden))

    def _release(self, count: int) -> None:
        if count == self._hidden and not self.shown and self.loaded and self._platform.own.release_page(self.window):
            self.loaded = False
            _log.info("the page of the unseen chat was dropped")

    def warm(self) -> None:
        """Render it once without showing it, which loads a page that was let go; that may go again if unseen."""
        if not self.shown:
            self._platform.own.prerender(self.window)
            self._release_later()

    def show(self, pet: Rect) -> None:
        """Show it, also before its page is loaded: what is typed until then is kept for it."""
        if not self.shown:
            self._place(self._wanted(pet))
        if not self.loaded:
            self._platform.own.keys.hold(self.window)
            self._platform.after(_HELD_MS, self.deliver_keys)
        self._platform.own.show(self.window, focus=True)
        self.shown, self.minimised = True, False

    def deliver_keys(self) -> None:
        """Deliver the kept keys: the page's field has the focus."""
        if self.window is not None:
            self._platform.own.keys.release(self.window, deliver=True)

    def choose_path(self, kind: PathKind) -> Path | None:
        """Ask for a path with the system's own dialog; blocks until answered. Not on the GUI thread."""
        if kind == "dropped":
            return self._dropped.pop()
        import webview

        if self.window is None:
            return None
        dialog = webview.FileDialog.FOLDER if kind == "folder" else webview.FileDialog.OPEN
        filters = _FILTERS if kind == "model" else ()
        chosen = self._web.create_file_dialog(dialog, file_types=filters)
        return Path(chosen[0]) if chosen else None

    def hide(self) -> bool:
        """Hide it. Return whether it was visible."""
        if self.window is None or not self.shown:
            return False
        self.keep()
        self._platform.own.keys.release(self.window, deliver=False)
        self._platform.own.hide(self.window)
        self.shown = False
        self._release_later()
        return True

    # --- its place ------------------------------------------------------------------------------

    def keep(self) -> None:
        """Store its size, and its position if the owner moved it; not while maximised or full screen."""
        if not self._is_free:
            return
        outer, inner = self.frame, self._platform.own.rect(self.window)
        corner = (outer.x, outer.y) if self._moved(outer) and not self._displaced else None
        monitor = monitor_of(outer, self._screens.monitors())
        self._places.keep_chat((inner.width, inner.height), monitor, corner)

    def settle(self, pet: Rect) -> None:
        """Move back on screen after a change of monitors, to the stored position if its monitor is present."""
        if self.window is None or not self.shown or not self._is_free:
            return
        outer, monitors = self.frame, self._screens.monitors()
        there = any(each.name == self._monitor for each in monitors)
        if self._displaced and there:
            if not self._moved(outer):
                self._place(self._wanted(pet))
            self._displaced = False
        elif not self._displaced and not there:
            monitor = self._monitor
            self._place(self._wanted(pet))
            self._monitor, self._displaced = monitor, True
        else:
            work = monitor_of(outer, monitors).work
            if outer.overlap(work) < outer.width * outer.height:
                self._place(_into(outer, work))

    def beside_again(self, pet: Rect) -> None:
        """Discard the stored position and place it beside the pet."""
        if self.window is None:
            return
        self._places.forget_chat(monitor_of(pet, self._screens.monitors()))
        if self.shown and self._is_free:
            self._place(self._wanted(pet))

    def _wanted(self, pet: Rect) -> Rect:
        """Return the stored position on the pet's monitor, or one beside the pet if it is missing or overlaps."""
        monitor = monitor_of(pet, self._screens.monitors())
        left, top, right, bottom = self._platform.own.frame(self.window)
        width, height = self._places.chat_size(monitor)
        size = min(width + left + right, monitor.work.width), min(height + top + bottom, monitor.work.height)
        chosen = self._places.chat_on(monitor, size)
        if chosen is not None and chosen.overlap(pet) * 2 < pet.width * pet.height:
            return chosen
        return beside(pet, size, monitor.work)

    def _place(self, outer: Rect) -> None:
        left, top, right, bottom = self._platform.own.frame(self.window)
        self._placed, self._displaced = outer, False
        self._monitor = monitor_of(outer, self._screens.monitors()).name
        self._platform.own.place(
            self.window, Rect(outer.x, outer.y, outer.width - left - right, outer.height - top - bottom)
        )

    @property
    def _is_free(self) -> bool:
        """Whether it is neither maximised, minimised nor full screen, so that its geometry is its own."""
        window = self.window
        return not (window.isMaximized() or window.isFullScreen() or window.isMinimized())

    @property
    def frame(self) -> Rect:
        """Its place with the window manager's frame."""
        inner = self._platform.own.rect(self.window)
        left, top, right, bottom = self._platform.own.frame(self.window)
        return Rect(inner.x - left, inner.y - top, inner.width + left + right, inner.height + top + bottom)

    def _moved(self, outer: Rect) -> bool:
        put = self._placed
        return put is None or abs(outer.x - put.x) > _NEAR or abs(outer.y - put.y) > _NEAR


def _into(outer: Rect, work: Rect) -> Rect:
    """Return the rectangle shrunk to the work area and moved inside it."""
    return clamp(Rect(outer.x, outer.y, min(outer.width, work.width), min(outer.height, work.height)), work)


class ChatVisibility:
    """Opens and closes the chat, on the GUI thread. ``make`` starts creating its window and returns."""

    def __init__(
        self,
        platform: QtDesktop,
        chat: ChatWindow,
        pet: PetWindow,
        core: CoreClient,
        make: Callable[[], None],
    ) -> None:
        self._platform = platform
        self._chat = chat
        self._pet = pet
        self._core = core
        self._make = make
        self.unseen = False  # it comes at the place of another chat, and is seen once it is painted
        self.appeared: Callable[[], object] = lambda: None  # called when it is seen then
        self.changed: Callable[[], None] = lambda: None
        """Called when the chat was shown, hidden, minimised, moved or resized."""
        self._begun = False
        self._rendered = False  # its first page; a later one is loaded by being rendered
        self._wanted = False  # and not announced yet
        self._view: View | None = None

    def expect(self) -> None:
        """Load its page without showing it, if it isn't loaded."""
        if not self._begun:
            self._begun = True
            self._make()
        elif self._chat.window is not None and not self._chat.loaded:
            self._chat.warm()

    def failed(self) -> bool:
        """Let the next wish try again; return whether the owner waits for this one."""
        wanted, self._wanted, self._begun = self._wanted, False, False
        return wanted

    def made(self) -> None:
        self._chat.watch(self._on_minimised)
        self._platform.own.on_moved(self._chat.window, self.changed)
        if self._wanted and not self.unseen:
            self._show()

    def loaded(self) -> None:
        """Announce it if it was requested; its page is loaded."""
        self._chat.loaded = True
        if self._chat.shown and self._wanted:
            self._announce()
        elif not self._rendered and self._chat.window is not None:
            self._chat.warm()
        self._rendered = True

    def open(self, view: View | None = None) -> None:
        """Show it at once, loading its page if needed, so that the keyboard is there: a page takes a moment.

        ``view``: None: the one it has.
        """
        self._view = view or self._view
        self._wanted = True
        if self._chat.window is not None and not self.unseen:
            self._show()
        else:
            self.expect()

    def page_drawn(self) -> None:
        """Deliver the kept keys: its page has drawn the conversation in front. Show a chat that waited for that, and
        let it be seen at the next call: its window is painted then."""
        self._chat.deliver_keys()
        if not self.unseen:
            return
        if self._chat.shown:
            self._appear()
        elif self._wanted and self._chat.window is not None:
            self._chat.window.setWindowOpacity(0)
            self._show()
            self._platform.after(_PAINTED_AT_MOST_MS, self._appear)
        else:
            self.unseen = False

    def _appear(self) -> None:
        if not self.unseen:
            return
        self.unseen = False
        self._chat.window.setWindowOpacity(1)
        self._platform.after(SEEN_AFTER_MS, self.appeared)

    def _show(self) -> None:
        self._chat.show(self._pet.rect)
        self._platform.after(_PLACED_AFTER_MS, self.changed)
        if self._chat.loaded:
            self._announce()

    def _announce(self) -> None:
        from pet.events import ChatShown, PageAsked

        self._wanted = False
        self._core.emit(ChatShown(shown=not self._chat.minimised))  # it may have been before its page was loaded
        if self._view is not None:
            self._core.emit(PageAsked(view=self._view))
            self._view = None

    def close(self) -> None:
        from pet.events import ChatShown

        self._wanted = False
        if self._chat.hide():
            self._core.emit(ChatShown(shown=False))
            self.changed()

    def _on_minimised(self) -> None:
        from pet.events import ChatShown

        if self._chat.shown:  # messages count as read on restore, not while minimised
            self._core.emit(ChatShown(shown=not self._chat.minimised))
        self.changed()

    def toggle(self) -> None:
        """Hide the window, or show it: a minimised one as it was, else with the conversation in front."""
        if self._chat.in_sight:
            self.close()
        elif self._chat.shown:
            self.open()
        else:
            self.open("chat")


def make_chat(desk: DesktopController) -> None:
    """Begin to make the chat's window of a program, on a separate thread: its web view takes a while to load."""
    visibility, post = desk.visibility, desk.platform.post
    dark = desk.platform.dark(desk.settings().theme)

    def made() -> None:
        visibility.made()
        desk.rename_windows()  # for what changed while it was made

    def closing() -> bool:
        """Hide instead of closing. Must not wait for the page: it runs on the GUI thread."""
        if not desk.quitting.is_set():
            visibility.close()
        return desk.quitting.is_set()

    def on_call(command: str) -> None:
        if command == "set_in_front":  # the last of the page's start, once its field has the focus
            post(visibility.page_drawn)

    def make() -> None:
        core = desk.core
        desk.chat.make(
            chat_title(core.pet_name(), core.texts()),
            closing,
            lambda window: attach_window(core.late, window, Client.CHAT, on_call),
            made,
            visibility.loaded,
            theme=desk.settings().theme,
            texts=core.texts(),
            dark=dark,
        )

    def no_chat(reason: str) -> None:
        if visibility.failed():
            desk.core.say_no_chat(reason)

    def begin() -> None:
        # at another pet's place its page loads while the core is built
        if (not desk.pets.replaces and desk.core.late.wait() is None) or desk.quitting.is_set():
            return
        try:
            desk.gate.run(make)
        except ImportError as error:  # without a web view the pet lives on
            _log.warning("no chat: %s", error)
            reason = error.name or type(error).__name__
            post(lambda: no_chat(reason))

    threading.Thread(target=begin, name="chat-window", daemon=True).start()
