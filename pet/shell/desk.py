"""The two windows and what happens to them: shown, hidden, dragged, remembered, closed (PRODUCT §8.1, §8.3).

Owns the pet's and the chat's window and the tray. Every wish of the core comes through ``Windows`` and is carried out
on the GUI thread. Refuses to know what is said: pages talk to the command table, each as its own client.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Protocol

from pet.bridge.api import Client
from pet.bridge.dispatch import Commands
from pet.bridge.emitter import Emitter
from pet.bridge.windows import View
from pet.events import ChatShown, PageAsked, PetsChanged
from pet.paths import assets_folder
from pet.shell.geometry import Rect, beside, keep_on_screen, monitor_of
from pet.shell.menu import MenuActions, MenuItem, MenuState, menu_items
from pet.shell.naming import chat_title, tray_tooltip
from pet.shell.places import CHAT_MINIMUM, Places
from pet.shell.platforms.base import PageSpec, Platform, TraySpec
from pet.shell.silhouette import GROW, outline
from pet.texts import Texts

After = Literal["end", "again", "again_with_chat"]
PET_SIZE = (192, 208)
_OPAQUE_BACKGROUND = "#f4ece4"  # behind a pet that can't be see-through
_CHAT_BACKGROUND = "#fbf7f2"
# Long enough for the pet's first frames, which the second page's start would otherwise compete with.
_CHAT_AFTER_MS = 150
# A window manager listens to wishes about a window only once it has taken it over.
_MANAGED_AFTER_MS = 200
# A change of mood is drawn within this time; then the outline is taken anew.
_DRAWN_AFTER_MS = 350
_OUTLINE_TRIES = 10
_CLOSE_SECONDS = 8.0

_log = logging.getLogger(__name__)


class Core(Protocol):
    """What the shell needs of the app that ``compose`` builds."""

    @property
    def commands(self) -> Commands: ...

    @property
    def emitter(self) -> Emitter: ...

    def texts(self) -> Texts: ...

    def close(self) -> None: ...


class Desk:
    """Implements ``pet.bridge.windows.Windows``. Made before the core, which gets it passed in; then ``run``."""

    def __init__(self, platform: Platform, places: Places, pages: Path, *, with_chat: bool = False) -> None:
        self._platform = platform
        self._places = places
        self._pet_url = (pages / "pet.html").as_uri()
        self._chat_url = (pages / "chat.html").as_uri()
        self._core: Core | None = None
        self._pet: Any = None
        self._chat: Any = None
        self._chat_shown = False
        self._chat_started = False
        self._chat_wanted = with_chat  # asked for before its window was there
        self._view_wanted: View | None = None
        self._pet_shown = True
        self._pressed_at: Rect | None = None
        self._has_tray = False
        self._quitting = threading.Event()
        self.after: After = "end"  # what shall be when ``run`` has returned

    # --- Windows: from any thread ---------------------------------------------------------------

    @property
    def chat_shown(self) -> bool:
        return self._chat_shown

    @property
    def backend(self) -> str:
        return self._platform.gui

    @property
    def abilities(self) -> tuple[str, ...]:
        return self._platform.abilities()

    def show_chat(self) -> None:
        self._platform.post(self._show_chat)

    def hide_chat(self) -> None:
        self._platform.post(self._hide_chat)

    def toggle_chat(self) -> None:
        self._platform.post(lambda: self._hide_chat() if self._chat_shown else self._show_chat())

    def show_view(self, view: View) -> None:
        self._platform.post(lambda: self._show_view(view))

    def show_pet(self) -> None:
        self._platform.post(self._show_pet)

    def move_pet(self, dx: float, dy: float, done: bool) -> None:
        self._platform.post(lambda: self._move_pet(dx, dy, done))

    def pet_menu(self) -> None:
        self._platform.post(lambda: self._platform.popup(self._menu()))

    def open_link(self, url: str) -> None:
        self._platform.post(lambda: self._platform.open_url(url))

    def open_folder(self, folder: Path) -> None:
        self._platform.post(lambda: self._platform.open_folder(folder))

    def restart(self) -> None:
        self.after = "again_with_chat" if self._chat_shown else "again"
        self.quit()

    def quit(self) -> None:
        if not self._quitting.is_set():
            self._quitting.set()
            # A thread of its own: the core waits for its own threads, and the windows stay alive meanwhile.
            threading.Thread(target=self._quit, name="quit", daemon=True).start()

    # --- life -----------------------------------------------------------------------------------

    def run(self, core: Core, *, on_start: Callable[[], None]) -> None:
        """Shows the pet and returns when the owner has quit. On the main thread only."""
        import webview

        self._core = core
        webview.settings["ALLOW_FILE_URLS"] = False
        webview.settings["ALLOW_DOWNLOADS"] = False
        webview.settings["OPEN_EXTERNAL_LINKS_IN_BROWSER"] = False
        self._platform.lock([PageSpec(url=self._pet_url, ordered=True), PageSpec(url=self._chat_url, ordered=False)])
        self._pet = self._make_pet(webview)
        self._pet.events.before_show += lambda: self._pet_made(on_start)
        self._pet.events.shown += self._pet_came
        self._pet.events.loaded += self._pet_loaded
        self._pet.events.closing += self._closing_pet
        icon = assets_folder() / "icon" / "soulpet-256.png"
        webview.start(gui=self._platform.gui, debug=False, private_mode=True, icon=str(icon))

    def _make_pet(self, webview: Any) -> Any:
        transparent = "transparency" in self._platform.abilities()
        window = webview.create_window(
            self._texts()("shell.title_pet"),
            url=self._pet_url,
            width=PET_SIZE[0],
            height=PET_SIZE[1],
            min_size=PET_SIZE,
            resizable=False,
            frameless=True,
            easy_drag=False,  # True crashes Qt with a frameless window
            shadow=False,
            focus=False,
            on_top=True,
            transparent=transparent,
            background_color=_OPAQUE_BACKGROUND,
        )
        self._join(window, Client.PET, self._after_delivery)
        return window

    def _make_chat(self) -> None:
        """On a thread of its own: pywebview makes a later window only from there."""
        import webview

        width, height = self._places.chat_size()
        window: Any = webview.create_window(
            chat_title(self._pet_name(), self._texts()),
            url=self._chat_url,
            width=width,
            height=height,
            min_size=CHAT_MINIMUM,
            hidden=True,
            easy_drag=False,
            text_select=True,
            background_color=_CHAT_BACKGROUND,
        )
        window.events.closing += self._closing_chat
        self._join(window, Client.CHAT, lambda: None)
        self._platform.post(lambda: self._chat_made(window))

    def _join(self, window: Any, client: Client, delivered: Callable[[], None]) -> None:
        """The window's only ways to the core and back."""
        core = self._core_now()

        def invoke(name: object = None, args: object = None) -> str:
            reply = core.commands.invoke(client, name, args)
            if name == "get_skin":  # another skin, another outline
                delivered()
            return reply

        def run_js(script: str) -> None:
            window.run_js(script)
            delivered()

        window.expose(invoke)
        core.emitter.add_window(client, run_js, name=client.value)

    # --- what happened: some on the GUI thread, some on threads of pywebview --------------------

    def _pet_made(self, on_start: Callable[[], None]) -> None:
        platform = self._platform
        platform.dress(self._pet, is_pet=True)
        platform.place(self._pet, self._places.pet_place(PET_SIZE, platform.monitors()))
        platform.on_monitors_changed(self._monitors_changed)
        icon = assets_folder() / "icon" / "soulpet-64.png"
        tooltip = tray_tooltip(self._pet_name(), self._texts())
        self._has_tray = platform.add_tray(
            TraySpec(icon=icon, tooltip=tooltip, items=self._menu, on_click=self.toggle_chat)
        )
        self._core_now().emitter.add_callback(self._heard, name="titles")
        on_start()

    def _pet_came(self) -> None:
        self._platform.after(_MANAGED_AFTER_MS, lambda: self._platform.pet_shown(self._pet))

    def _pet_loaded(self) -> None:
        self._after_delivery()
        if not self._chat_started:  # a page that died loads a second time
            self._chat_started = True
            start = threading.Thread(target=self._make_chat, name="chat-window", daemon=True).start
            self._platform.after(_CHAT_AFTER_MS, start)

    def _chat_made(self, window: Any) -> None:
        self._chat = window
        self._platform.dress(window, is_pet=False)
        if self._chat_wanted:
            self._show_chat()
        else:
            window.events.loaded += lambda: self._platform.post(self._warm_chat)

    def _warm_chat(self) -> None:
        if not self._chat_shown:
            self._platform.warm(self._chat)

    def _closing_pet(self) -> bool:
        if self._quitting.is_set():
            return True
        self.quit()
        return False

    def _closing_chat(self) -> bool:
        """The close button hides. Nothing here may wait for the page: it runs on the GUI thread."""
        if self._quitting.is_set():
            return True
        self._hide_chat()
        return False

    def _after_delivery(self) -> None:
        """The pet may look another way now."""
        if "click_through" in self._platform.abilities():
            self._platform.after(_DRAWN_AFTER_MS, self._take_outline)

    def _take_outline(self, tries: int = _OUTLINE_TRIES) -> None:
        picture = self._platform.picture(self._pet) if self._pet_shown else None
        if picture is None:
            return
        alpha, scale = picture
        rects = outline(alpha, grow=round(GROW * scale))
        self._platform.set_outline(self._pet, rects or None)
        if not rects and tries > 1:  # nothing was painted yet
            self._platform.after(_DRAWN_AFTER_MS, lambda: self._take_outline(tries - 1))

    def _monitors_changed(self) -> None:
        now = self._platform.rect(self._pet)
        self._platform.place(self._pet, keep_on_screen(now, self._platform.monitors()))

    # --- on the GUI thread ----------------------------------------------------------------------

    def _show_chat(self) -> None:
        if self._chat is None:
            self._chat_wanted = True
            return
        self._chat_wanted = False
        if not self._chat_shown:
            self._place_chat()
        self._platform.show(self._chat, focus=True)
        self._chat_shown = True
        self._tell(ChatShown(shown=True))
        if self._view_wanted is not None:
            self._tell(PageAsked(view=self._view_wanted))
            self._view_wanted = None

    def _place_chat(self) -> None:
        platform = self._platform
        pet, size = platform.rect(self._pet), platform.rect(self._chat)
        left, top, right, bottom = platform.frame(self._chat)
        work = monitor_of(pet, platform.monitors()).work
        outer = beside(pet, (size.width + left + right, size.height + top + bottom), work)
        inner = Rect(outer.x, outer.y, outer.width - left - right, outer.height - top - bottom)
        platform.place(self._chat, inner)

    def _hide_chat(self) -> None:
        self._chat_wanted = False
        if self._chat is None or not self._chat_shown:
            return
        self._keep_chat_size()
        self._platform.hide(self._chat)
        self._chat_shown = False
        self._tell(ChatShown(shown=False))

    def _show_view(self, view: View) -> None:
        self._view_wanted = view
        self._show_chat()

    def _show_pet(self) -> None:
        self._pet_shown = True
        self._platform.show(self._pet, focus=False)

    def _toggle_pet(self) -> None:
        if self._pet_shown:
            self._pet_shown = False
            self._platform.hide(self._pet)
        else:
            self._show_pet()

    def _move_pet(self, dx: float, dy: float, done: bool) -> None:
        platform = self._platform
        start = self._pressed_at or platform.rect(self._pet)
        monitors = platform.monitors()
        place = keep_on_screen(start.at(start.x + round(dx), start.y + round(dy)), monitors)
        platform.place(self._pet, place)
        self._pressed_at = None if done else start
        if done:
            self._places.keep_pet(place, monitors)

    def _menu(self) -> list[MenuItem]:
        paused = self._paused()
        state = MenuState(
            chat_shown=self._chat_shown, pet_shown=self._pet_shown, paused=paused, has_tray=self._has_tray
        )
        actions = MenuActions(
            toggle_chat=self.toggle_chat,
            toggle_pause=lambda: self._invoke_later(Client.PET, "pause_brain", {"paused": not paused}),
            open_settings=lambda: self.show_view("settings"),
            toggle_pet=self._toggle_pet,
            quit=self.quit,
        )
        return menu_items(state, actions, self._texts())

    def _heard(self, _seq: int, event: object) -> None:
        if isinstance(event, PetsChanged):
            self._platform.post(self._name_again)

    def _name_again(self) -> None:
        name, texts = self._pet_name(), self._texts()
        if self._chat is not None:
            self._platform.rename(self._chat, chat_title(name, texts))
        self._platform.rename_tray(tray_tooltip(name, texts))

    def _paused(self) -> bool:
        return bool(self._status().get("paused"))

    def _pet_name(self) -> str:
        return str(self._status().get("pet_name", ""))

    def _status(self) -> dict[str, object]:
        envelope = json.loads(self._core_now().commands.invoke(Client.SOCKET, "get_status", "{}"))
        return dict(envelope["value"]) if envelope.get("ok") else {}

    def _core_now(self) -> Core:
        assert self._core is not None
        return self._core

    def _invoke_later(self, client: Client, name: str, args: dict[str, object]) -> None:
        """A menu entry asks like a page does, through the table, and the GUI thread doesn't wait for the answer."""
        core = self._core_now()
        work = threading.Thread(target=core.commands.invoke, args=(client, name, json.dumps(args)), daemon=True)
        work.start()

    def _tell(self, event: ChatShown | PageAsked) -> None:
        self._core_now().emitter.emit(event)

    def _texts(self) -> Texts:
        return self._core_now().texts()

    def _keep_chat_size(self) -> None:
        area = self._platform.rect(self._chat)
        self._places.keep_chat((area.width, area.height))

    # --- the end --------------------------------------------------------------------------------

    def _quit(self) -> None:
        closing = threading.Thread(target=self._core_now().close, name="close", daemon=True)
        closing.start()
        closing.join(_CLOSE_SECONDS)
        if closing.is_alive():
            _log.warning("the core did not close in time")
        self._platform.post(self._leave)

    def _leave(self) -> None:
        if self._chat_shown:
            self._keep_chat_size()
        self._platform.leave([window for window in (self._chat, self._pet) if window is not None])
