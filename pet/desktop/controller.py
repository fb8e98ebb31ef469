"""Controller of the desktop windows, the tray and the global hotkeys.

Handles the core's calls through ``DesktopPort``, on the GUI thread. Gets no message content: pages call the command
table, each as its own client.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pet.body.outings import Outing
from pet.bridge.command import Client
from pet.desktop.bubble_window import BubbleWindow
from pet.desktop.chat_window import ChatVisibility, ChatWindow, chat_title, make_chat
from pet.desktop.core_client import CoreClient, CoreOrders, DeferredCore, PetOrders, Startup, WindowGate, call_on_gui
from pet.desktop.dropped_things import DroppedPaths
from pet.desktop.environment import in_terminal
from pet.desktop.global_hotkeys import GlobalHotkeys
from pet.desktop.pet_view import PetView
from pet.desktop.pet_window import PetWindow, appearance_of
from pet.desktop.pets_here import PetsHere
from pet.desktop.placement_store import PlacementStore
from pet.desktop.process import return_freed_memory, without_pet
from pet.desktop.window_group import Screenshots, WindowGroup
from pet.errors import PetError
from pet.i18n import Texts
from pet.paths import assets_folder
from pet.services.desktop_port import Area, AutostartEntry, DesktopPort, PathKind, Taken, View
from pet.settings.schema import Settings

if TYPE_CHECKING:
    from pet.app.pet import Pet
    from pet.desktop.menu import MenuController
    from pet.desktop.pet_actor import ShownPose
    from pet.desktop.qt_desktop import QtDesktop
    from pet.events import Event
    from pet.services.offers.bubble_content import BubbleContent


_CLOSE_SECONDS = 8.0

_log = logging.getLogger(__name__)


class DesktopController(DesktopPort):
    """The windows of a pet. ``run`` shows the pet first and builds the core in parallel."""

    backend = "qt"

    def __init__(
        self,
        platform: QtDesktop,
        places: PlacementStore,
        pages: Path,
        texts: Texts,
        *,
        settings: Callable[[], Settings],
        pet: str | None = None,
        with_chat: Literal["shown", "loaded", ""] = "",
        pets: PetsHere,
    ) -> None:
        self.platform = self.system = platform
        self.places = places
        self.settings = settings
        self.quitting = threading.Event()
        self.gate = WindowGate()
        self.core = CoreClient(DeferredCore(), texts)
        self.pet = PetWindow(platform, places, appearance_of(settings()))
        self.dropped = DroppedPaths(self.core.offer_local_model)
        self.chat = ChatWindow(platform, places, (pages / "chat.html").as_uri(), self.dropped)
        self.visibility = ChatVisibility(platform, self.chat, self.pet, self.core, lambda: make_chat(self))
        self._bubble_orders = CoreOrders(Client.BUBBLE, self.core, platform.post, self.dropped)
        self.bubble = BubbleWindow(platform, self._bubble_orders, lambda: self.pet.rect if self.pet.seen else None)
        self.windows = WindowGroup(platform, self.pet, self.chat, self.bubble, self.core.pet_travels)
        self.visibility.changed = self.windows.chat_changed
        self.shortcuts: GlobalHotkeys = GlobalHotkeys(platform, self.core.desktop_changed)
        self.menu: MenuController | None = None  # made once the pet is seen
        self.pets: PetsHere = pets
        pets.attach(self)
        self._first_texts = texts
        self._body = places.body(pet)
        self._with_chat = with_chat
        self._view: PetView
        self._screenshots = Screenshots(platform, lambda: self.windows.seen)

    # --- for the core: from any thread ----------------------------------------------------------

    @property
    def chat_shown(self) -> bool:  # type: ignore[override]
        return self.chat.shown and not self.chat.minimised

    @property
    def aside(self) -> bool:  # type: ignore[override]
        return self.pet.aside or self.pets.awaits

    @property
    def login(self) -> AutostartEntry:  # type: ignore[override]
        from pet.desktop.autostart import autostart_entry

        return autostart_entry(assets_folder() / "icon" / "soulpet-256.png", without_pet(sys.argv[1:]))

    def show_chat(self, view: View | None = None) -> None:
        self.platform.post(lambda: self.visibility.open(view))

    def hide_chat(self) -> None:
        self.platform.post(self.visibility.close)

    def show_pet(self) -> None:
        self.platform.post(self.pet.show)

    def stroll(self, way: float, near: bool = False, what: Outing = "walk") -> None:
        self.platform.post(lambda: self.windows.stroll(way, near, what))

    def find_pointer(self) -> tuple[int, int, bool] | None:
        return call_on_gui(self.platform.post, self.pet.pointer, None)

    def pose(self) -> ShownPose | None:
        return call_on_gui(self.platform.post, self._view.actor.pose, None)

    def to_corner(self) -> None:
        self.platform.post(self.windows.to_corner)

    def choose_path(self, kind: PathKind) -> Path | None:
        return self.chat.choose_path(kind)

    def take_screenshot(self, area: Area, taken: Taken) -> bool:
        if "screenshot" not in self.platform.abilities():
            return False
        hint = self.core.texts()("desktop.screenshot_hint")
        self.platform.post(lambda: self._screenshots.take(area, hint, taken))
        return True

    def quit(self) -> None:
        if not self.quitting.is_set():
            self.quitting.set()
            # Separate thread: the core joins its own threads, and the windows must stay responsive.
            threading.Thread(target=self._quit, name="quit", daemon=True).start()

    # --- run ------------------------------------------------------------------------------------

    def run(self, build: Callable[[], Pet]) -> None:
        """Show the pet and return when the owner has quit; main thread only. Raises what ``build`` raised."""
        late = self.core.late

        def chat_due() -> None:
            if self._with_chat == "shown":
                self.visibility.open()
            elif self._with_chat:
                self.visibility.expect()

        startup = Startup(self.platform.after, late, build, chat_due, unseen=self.pets.replaces)
        late.then(lambda core: self.platform.post(lambda: self._core_ready(core)))
        late.if_failed(self._core_failed)
        self.platform.on_session_end(self.quit)
        port = PetOrders(CoreOrders(Client.PET, self.core, self.platform.post, self.dropped), self)
        view = self._view = PetView(port, self._body, calm=self.platform.calm)
        view.on_drawn = startup.drawn
        view.on_closed = self.quit
        self.pet.make(view, self._first_texts("shell.title_pet"), self.windows.pet_rested)
        self.platform.run()
        late.raise_failure()

    # --- callbacks: some on the GUI thread, some on threads of pywebview ------------------------

    def _core_failed(self, error: BaseException) -> None:
        if not isinstance(error, PetError) or in_terminal():
            self.quit()
            return
        message = self._first_texts(f"error.{error.error_code}", **error.args_)

        def show() -> None:  # without a terminal, as after a double click
            from PySide6.QtWidgets import QMessageBox  # late: hardly any start needs it

            QMessageBox.warning(None, "Soulpet", message)
            self.quit()

        self.platform.post(show)

    def _core_ready(self, core: Pet) -> None:
        from pet import events
        from pet.bridge.emitter import PET_EVENTS
        from pet.desktop.menu import MenuController

        menu = self.menu = MenuController(self)

        def abilities_changed() -> None:
            menu.create_tray()
            self.core.desktop_changed()

        self.platform.on_abilities_changed(abilities_changed)
        self.platform.on_calm_changed(self._view.actor.settle)
        menu.create_tray()
        self.pets.core_ready()
        self.platform.screens.on_changed(self.windows.monitors_changed)
        self.platform.others.on_drag(self.windows.drag_began)
        kinds: tuple[type[Event], ...] = (
            *(events.MemoryPaused, events.MoodChanged, events.PetsChanged, events.SettingsChanged),
            *(events.UnreadChanged, events.IndexProgress, events.TurnEnded),
        )
        post, actor = self.platform.post, self._view.actor
        core.emitter.subscribe(self._on_event, *kinds, name="desktop")
        core.emitter.subscribe(lambda event: post(lambda: actor.on_event(event)), *PET_EVENTS, name="pet")
        core.emitter.subscribe(lambda _event: self._draw_bubble(), events.BubbleChanged, name="bubble")
        post(actor.refresh)
        self._draw_bubble()
        self.rename_windows()  # for what changed before this subscription
        self._apply_settings()
        self._note_body()

    def lead(self) -> None:
        """Take over tray and hotkeys from a program that has ended. From any thread."""

        def take_over() -> None:
            if not self.quitting.is_set():
                self.places.copy_to("")
                if self.menu is not None:
                    self.menu.create_tray()
                self._apply_settings()

        self.platform.post(take_over)

    def _on_event(self, event: Event) -> None:
        from pet.events import IndexProgress, MoodChanged, PetsChanged, SettingsChanged, TurnEnded

        if isinstance(event, TurnEnded | IndexProgress):
            if isinstance(event, TurnEnded) or event.done == event.total:
                return_freed_memory()
            return
        if self.menu is not None:
            self.menu.tray.on_event(event)
        if isinstance(event, MoodChanged):
            self.pets.mood_changed(event.mood)
        if isinstance(event, PetsChanged | SettingsChanged):
            self.platform.post(self.rename_windows)  # named after the pet, in the owner's language
        if isinstance(event, SettingsChanged):
            self.platform.post(self._apply_settings)
            self._note_body()

    def _draw_bubble(self) -> None:
        """Let the bubble show what the core says now. From any thread."""
        from pet.bridge.commands.desktop import BubbleCommands

        def draw(content: BubbleContent | None) -> None:
            if content is not None and not self.quitting.is_set():
                title = self.core.texts()("shell.title_bubble")
                self.windows.call_back()
                self.bubble.draw(content, title, dark=self.platform.dark(self.settings().theme))

        self._bubble_orders.ask(draw, BubbleCommands.get_bubble)

    def _note_body(self) -> None:
        """Store the worn skin, for the first frame of the next start."""

        def note() -> None:
            worn, status = self.core.still(), self.core.status()
            if worn is not None and status is not None:
                self.places.keep_body(status.pet, worn.skin)

        threading.Thread(target=note, name="body", daemon=True).start()

    # --- on the GUI thread ----------------------------------------------------------------------

    def _apply_settings(self) -> None:
        settings = self.settings()
        self.windows.wear(appearance_of(settings))
        self.windows.give(settings, self.places, leads=self.pets.leads)
        self.platform.screens.on_fullscreen(self.windows.step_aside if settings.hide_fullscreen else None)
        if not settings.hide_fullscreen:
            self.windows.step_aside(frozenset())
        if self.menu is not None and self.pets.leads:
            self.shortcuts.apply(settings, self.core.texts(), self.menu.shortcuts())
        speaks_up = settings.greetings != "off" or settings.ask_after or settings.reminder_bubbles
        self.platform.on_wake(self.core.owner_came if speaks_up else None)  # resumed: the owner is back

    def rename_windows(self) -> None:
        """Name the windows after the pet, in the owner's language."""
        texts = self.core.texts()
        names = (
            (self.chat.window, chat_title(self.core.pet_name(), texts)),
            (self.pet.window, texts("shell.title_pet")),
            (self.bubble.window, texts("shell.title_bubble")),
        )
        for window, name in names:
            if window is not None:
                window.setWindowTitle(name)
        if self.menu is not None:
            self.menu.tray.refresh()

    # --- shutdown -------------------------------------------------------------------------------

    def _quit(self) -> None:
        self.gate.close()
        self.pets.leave()
        # Save while the data folder still exists: closing the core may delete all data.
        call_on_gui(self.platform.post, lambda: self.chat.keep() if self.chat.shown else None, None)
        if not self.core.late.close(_CLOSE_SECONDS):
            _log.warning("the core did not close in time")
        self.platform.post(self._leave)

    def _leave(self) -> None:
        self._view.stop()
        if self.menu is not None:
            self.menu.tray.hide()
        windows = (self.bubble.window, self.chat.window, self.pet.window)
        self.platform.shutdown([window for window in windows if window is not None])
