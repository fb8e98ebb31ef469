"""Controller of the desktop windows, the tray and the global hotkeys.

Handles the core's calls through ``DesktopPort``, on the GUI thread. Gets no message content: pages call the command
table, each as its own client.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pet.body.outings import Outing
from pet.bridge.command import Client
from pet.desktop.bubble_window import BubbleWindow
from pet.desktop.chat_window import ChatVisibility, ChatWindow, chat_title
from pet.desktop.core_client import CoreClient
from pet.desktop.core_ports import BubbleOrders, CoreOrders, DroppedPaths, PetOrders
from pet.desktop.deferred_core import DeferredCore, Startup, WindowGate, call_on_gui
from pet.desktop.environment import in_terminal
from pet.desktop.pet_view import PetView
from pet.desktop.pet_window import PetWindow, appearance_of
from pet.desktop.pets_here import PetParts, PetsHere
from pet.desktop.placement_store import PlacementStore
from pet.desktop.process import return_freed_memory
from pet.desktop.window_group import Screenshots, WindowGroup
from pet.errors import LoginEntryFailed, PetError
from pet.i18n import Texts
from pet.services.desktop_port import Area, LoginEntry, PathKind, Selection, Taken, View
from pet.settings.schema import Settings

if TYPE_CHECKING:
    from pet.app.pet import Pet
    from pet.desktop.autostart import AutostartEntry
    from pet.desktop.pet_actor import ShownPose
    from pet.desktop.qt_desktop import QtDesktop
    from pet.desktop.shell_entries import ShellEntries
    from pet.events import Event
    from pet.services.bubble_content import BubbleContent


_CLOSE_SECONDS = 8.0

_log = logging.getLogger(__name__)


class DesktopController:
    """Implementation of ``DesktopPort``. ``run`` shows the pet first and builds the core in parallel."""

    def __init__(
        self,
        platform: QtDesktop,
        places: PlacementStore,
        pages: Path,
        texts: Texts,
        *,
        settings: Callable[[], Settings],
        login: Callable[[], AutostartEntry],
        pet: str | None = None,
        with_chat: Literal["shown", "loaded", ""] = "",
        pets: PetsHere,
    ) -> None:
        self._platform = platform
        self._settings = settings
        self._login = login
        chat_url = (pages / "chat.html").as_uri()
        self._first_texts = texts
        self._late = DeferredCore()
        self._gate = WindowGate()
        self._places = places
        self._core = CoreClient(self._late, texts)
        self._pet = PetWindow(platform, places, appearance_of(settings()))
        self._body = places.body(pet)
        self._chat_url = chat_url
        self._chat = ChatWindow(platform, places, chat_url)
        self._visibility = ChatVisibility(platform, self._chat, self._pet, self._core, self._begin_chat)
        self._with_chat = with_chat
        self._dropped = DroppedPaths(platform.keep_dropped, self._core.offer_local_model)
        self._bubble_orders = BubbleOrders(CoreOrders(Client.BUBBLE, self._core, platform.post), self._dropped)
        self._bubble = BubbleWindow(platform, self._bubble_orders, lambda: self._pet.rect if self._pet.seen else None)
        self._windows = WindowGroup(platform, self._pet, self._chat, self._bubble, self._core.pet_travels)
        self._visibility.changed = self._windows.chat_changed
        self.pets = pets
        self._parts = PetParts(
            platform=platform,
            core=self._core,
            windows=self._windows,
            pet=self._pet,
            visibility=self._visibility,
            places=places,
            quit=self.quit,
        )
        pets.attach(self._parts)
        self._view: PetView
        self._entries: ShellEntries | None = None  # made once the pet is seen
        self._screenshots = Screenshots(platform, lambda: self._windows.seen)
        self._quitting = threading.Event()

    # --- Windows: from any thread ---------------------------------------------------------------

    @property
    def chat_shown(self) -> bool:
        return self._chat.shown and not self._chat.minimised

    @property
    def aside(self) -> bool:
        return self._pet.aside or self.pets.awaits

    @property
    def backend(self) -> str:
        return "qt"

    @property
    def abilities(self) -> tuple[str, ...]:
        return self._platform.abilities()

    def show_chat(self) -> None:
        self._platform.post(self._visibility.open)

    def hide_chat(self) -> None:
        self._platform.post(self._visibility.close)

    def toggle_chat(self) -> None:
        self._platform.post(self.pets.toggle_chat)

    def expect_chat(self) -> None:
        self._platform.post(self._visibility.expect)

    def show_view(self, view: View) -> None:
        self._platform.post(lambda: self._visibility.open_at(view))

    def show_pet(self) -> None:
        self._platform.post(self._pet.show)

    def find_window(self, process: int, title: str) -> int:
        return call_on_gui(self._platform.post, lambda: self._platform.find_window(process, title), 0)

    def raise_window(self, handle: int) -> None:
        self._platform.post(lambda: self._platform.raise_window(handle))

    def move_pet(self, dx: float, dy: float, done: bool, floats: bool = False, walk: int = 0) -> None:
        self._platform.post(lambda: self._windows.move_pet(dx, dy, done, floats, walk))

    def stroll(self, way: float, near: bool = False, what: Outing = "walk") -> None:
        self._platform.post(lambda: self._windows.stroll(way, near, what))

    def find_pointer(self) -> tuple[int, int, bool] | None:
        return call_on_gui(self._platform.post, self._pet.pointer, None)

    def pose(self) -> ShownPose | None:
        return call_on_gui(self._platform.post, self._view.actor.pose, None)

    def pet_menu(self) -> None:
        self._platform.post(lambda: self._entries.pop_up() if self._entries is not None else None)

    def to_corner(self) -> None:
        self._platform.post(self._windows.to_corner)

    def open_link(self, url: str) -> None:
        self._platform.post(lambda: self._platform.open_url(url))

    def open_folder(self, folder: Path) -> bool:
        return self._platform.open_folder(folder)

    @property
    def taken_shortcuts(self) -> tuple[str, ...]:
        return self._entries.taken if self._entries is not None else ()

    def try_shortcuts(self) -> None:
        self._platform.post(lambda: self._entries.try_shortcuts() if self._entries is not None else None)

    def login_entry(self) -> LoginEntry | None:
        item = self._login()
        return LoginEntry(on=item.on, other=item.other, place=item.place)

    def set_login(self, on: bool) -> None:
        item = self._login()
        try:
            item.set(on)
        except OSError as error:
            _log.warning("starting at login: %s", type(error).__name__)
            raise LoginEntryFailed(place=item.place) from error
        self._core.desktop_changed()

    def choose_path(self, kind: PathKind) -> Path | None:
        return self._chat.choose_path(kind)

    def fade_pet(self, faded: bool) -> None:
        self._platform.post(lambda: self._pet.fade(faded))

    def read_selection(self) -> Selection:
        return self._platform.read_selection()

    def take_screenshot(self, area: Area, taken: Taken) -> bool:
        if "screenshot" not in self._platform.abilities():
            return False
        hint = self._core.texts()("desktop.screenshot_hint")
        self._platform.post(lambda: self._screenshots.take(area, hint, taken))
        return True

    def quit(self) -> None:
        if not self._quitting.is_set():
            self._quitting.set()
            # Separate thread: the core joins its own threads, and the windows must stay responsive.
            threading.Thread(target=self._quit, name="quit", daemon=True).start()

    # --- run ------------------------------------------------------------------------------------

    def run(self, build: Callable[[], Pet]) -> None:
        """Show the pet and return when the owner has quit; main thread only. Raises what ``build`` raised."""
        startup = Startup(self._platform.after, self._late, build, self._chat_due, unseen=self.pets.replaces)
        self._late.then(lambda _core: self._platform.post(self._core_ready))
        self._late.if_failed(self._core_failed)
        self._platform.on_session_end(self.quit)
        self._platform.on_model_dropped(self._core.offer_local_model)
        orders = CoreOrders(Client.PET, self._core, self._platform.post)
        port = PetOrders(orders, self, self._windows.move_pet, self._dropped)
        port.on_drawn = self.pets.drawn
        view = self._view = PetView(port, self._body, calm=self._platform.calm)
        view.on_drawn = startup.drawn
        view.on_closed = self.quit
        self._pet.make(view, self._first_texts("shell.title_pet"), self._windows.pet_rested)
        self._platform.run()
        self._late.raise_failure()

    # --- callbacks: some on the GUI thread, some on threads of pywebview ------------------------

    def _core_failed(self, error: BaseException) -> None:
        if not isinstance(error, PetError) or in_terminal():
            self.quit()
            return
        message = self._first_texts(f"error.{error.error_code}", **error.args_)

        def show() -> None:  # without a terminal, as after a double click
            self._platform.show_error(message)
            self.quit()

        self._platform.post(show)

    def _core_ready(self) -> None:
        from pet.desktop.shell_entries import ShellEntries

        self._entries = ShellEntries(self, self._parts, self.pets, self._bubble, self._settings, self._dark)
        self._platform.on_abilities_changed(self._abilities_changed)
        self._platform.on_calm_changed(self._view.calm_changed)
        self._entries.create_tray()
        self.pets.core_ready()
        self._platform.on_monitors_changed(self._windows.monitors_changed)
        self._platform.on_drag(self._windows.drag_began)
        core = self._late.get_nowait()
        if core is not None:
            from pet import events
            from pet.bridge.emitter import PET_EVENTS

            kinds: tuple[type[Event], ...] = (
                events.MemoryPaused,
                events.MoodChanged,
                events.PetsChanged,
                events.SettingsChanged,
            )
            kinds += (events.UnreadChanged, events.IndexProgress, events.TurnEnded)
            core.emitter.subscribe(self._on_event, *kinds, name="desktop")
            core.emitter.subscribe(self._on_pet_event, *PET_EVENTS, name="pet")
            core.emitter.subscribe(lambda _event: self._draw_bubble(), events.BubbleChanged, name="bubble")
            self._platform.post(self._view.refresh)
            self._draw_bubble()
            self._rename_windows()  # for what changed before this subscription
        self._apply_settings()
        self._note_body()

    def lead(self) -> None:
        """Take over tray and hotkeys from a program that has ended. From any thread."""

        def take_over() -> None:
            if not self._quitting.is_set():
                self._places.copy_to("")
                if self._entries is not None:
                    self._entries.create_tray()
                self._apply_settings()

        self._platform.post(take_over)

    def _abilities_changed(self) -> None:
        if self._entries is not None:
            self._entries.create_tray()
        self._core.desktop_changed()

    def _chat_due(self) -> None:
        if self._with_chat == "shown":
            self._visibility.open()
        elif self._with_chat:
            self._visibility.expect()

    def _begin_chat(self) -> None:
        from pet.desktop.chat_making import ChatMaker

        maker = ChatMaker(
            parts=self._parts,
            late=self._late,
            gate=self._gate,
            settings=self._settings,
            made=self._rename_windows,  # for what changed while it was made
            quitting=self._quitting,
            unseen=self.pets.replaces,  # at another pet's place its page loads while the core is built
        )
        maker.begin(dark=self._dark())

    def _on_event(self, event: Event) -> None:
        from pet.events import IndexProgress, MoodChanged, PetsChanged, SettingsChanged, TurnEnded

        if isinstance(event, TurnEnded | IndexProgress):
            if isinstance(event, TurnEnded) or event.done == event.total:
                return_freed_memory()
            return
        if self._entries is not None:
            self._entries.tray.on_event(event)
        if isinstance(event, MoodChanged):
            self.pets.mood_changed(event.mood)
        if isinstance(event, PetsChanged | SettingsChanged):
            self._platform.post(self._rename_windows)  # named after the pet, in the owner's language
        if isinstance(event, SettingsChanged):
            self._platform.post(self._apply_settings)
            self._note_body()

    def _on_pet_event(self, event: Event) -> None:
        self._platform.post(lambda: self._view.on_event(event))

    def _draw_bubble(self) -> None:
        """Let the bubble show what the core says now. From any thread."""

        def draw(content: BubbleContent | None) -> None:
            if content is not None and not self._quitting.is_set():
                title = self._core.texts()("shell.title_bubble")
                self._windows.call_back()
                self._bubble.draw(content, title, dark=self._dark())

        self._bubble_orders.fetch(draw)

    def _note_body(self) -> None:
        """Store the worn skin, for the first frame of the next start."""

        def note() -> None:
            worn, status = self._core.still(), self._core.status()
            if worn is not None and status is not None:
                self._places.keep_body(status.pet, worn.skin)

        threading.Thread(target=note, name="body", daemon=True).start()

    # --- on the GUI thread ----------------------------------------------------------------------

    def _apply_settings(self) -> None:
        settings = self._settings()
        self._windows.wear(appearance_of(settings))
        self._give(settings)
        self._platform.on_fullscreen(self._windows.step_aside if settings.hide_fullscreen else None)
        if not settings.hide_fullscreen:
            self._windows.step_aside(frozenset())
        if self._entries is not None:
            self._entries.apply(settings)
        speaks_up = settings.greetings != "off" or settings.ask_after or settings.reminder_bubbles
        self._platform.on_wake(self._core.owner_came if speaks_up else None)  # resumed: the owner is back

    def _give(self, settings: Settings) -> None:
        """Show what the settings give the pet. A pet that was never given anything loads nothing for it."""
        if self._windows.belongings is None:
            if not (settings.pet_ball or settings.pet_cushion):
                return
            from pet.desktop.belongings import Belongings

            self._windows.belongings = Belongings(self._platform, self._places)
            self._windows.belongings.show(self._pet.seen)
        self._windows.belongings.apply(settings, leads=self.pets.leads)

    def _dark(self) -> bool:
        theme = self._settings().theme
        return theme == "dark" or (theme == "system" and self._platform.dark())

    def _rename_windows(self) -> None:
        texts = self._core.texts()
        names = (
            (self._chat.window, chat_title(self._core.pet_name(), texts)),
            (self._pet.window, texts("shell.title_pet")),
            (self._bubble.window, texts("shell.title_bubble")),
        )
        for window, name in names:
            if window is not None:
                self._platform.rename(window, name)
        if self._entries is not None:
            self._entries.tray.refresh()

    # --- shutdown -------------------------------------------------------------------------------

    def _quit(self) -> None:
        self._gate.close()
        self.pets.leave()
        # Save while the data folder still exists: closing the core may delete all data.
        call_on_gui(self._platform.post, self._keep_chat, None)
        if not self._late.close(_CLOSE_SECONDS):
            _log.warning("the core did not close in time")
        self._platform.post(self._leave)

    def _keep_chat(self) -> None:
        if self._chat.shown:
            self._chat.keep()

    def _leave(self) -> None:
        self._view.stop()
        windows = (self._bubble.window, self._chat.window, self._pet.window)
        self._platform.shutdown([window for window in windows if window is not None])
