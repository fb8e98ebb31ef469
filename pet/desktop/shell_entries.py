"""Menus, tray and global shortcuts: ways to the pet besides its window."""

from __future__ import annotations

from collections.abc import Callable

from pet.desktop.bubble_window import BubbleWindow
from pet.desktop.global_hotkeys import GlobalHotkeys
from pet.desktop.menu import MenuActions, MenuController, PetTray, ShownWindows
from pet.desktop.pets_here import PetParts, PetsHere
from pet.desktop.platform import TraySpec
from pet.paths import assets_folder
from pet.services.desktop_port import DesktopPort
from pet.settings.schema import Settings


class ShellEntries:
    """They say what the core knows, and are made once the pet is seen. On the GUI thread, but for ``taken``."""

    def __init__(
        self,
        desk: DesktopPort,
        parts: PetParts,
        pets: PetsHere,
        bubble: BubbleWindow,
        settings: Callable[[], Settings],
        dark: Callable[[], bool],
    ) -> None:
        self._desk = desk
        self._parts = parts
        self._pets = pets
        self._bubble = bubble
        self._settings = settings
        self._dark = dark
        self._menu = MenuController(parts.core, settings, self._shown_windows, self._actions(), pets)
        self.tray = PetTray(parts.platform, parts.core, settings)
        self._keys = GlobalHotkeys(parts.platform, parts.core.desktop_changed)

    @property
    def taken(self) -> tuple[str, ...]:
        """The shortcuts that another program has."""
        return self._keys.taken

    def try_shortcuts(self) -> None:
        self._keys.retry()

    def create_tray(self) -> None:
        if self._pets.leads:
            self.tray.create(self._tray_spec)

    def apply(self, settings: Settings) -> None:
        """Register the shortcuts of the settings, in the program that leads."""
        if not self._pets.leads:
            return
        core = self._parts.core
        self._keys.apply(
            settings,
            core.texts(),
            self._desk.toggle_chat,
            self._parts.windows.toggle_pet,
            core.open_field,
            self._ask,
            core.take_screenshot,
        )

    def pop_up(self) -> None:
        """Open the menu beside the pet."""
        items = self._menu.items(in_tray=False)
        self._parts.platform.popup(items, dark=self._dark(), beside=self._parts.pet.rect)

    def _tray_spec(self, tooltip: str) -> TraySpec:
        return TraySpec(
            icon=assets_folder() / "icon" / "soulpet-64.png",
            tooltip=tooltip,
            items=lambda: self._menu.items(in_tray=True),
            on_click=self._desk.toggle_chat,
            dark=self._dark,
        )

    def _ask(self) -> None:
        """Ask about what is selected in another program."""
        platform = self._parts.platform
        platform.post(self._bubble.wants_focus)
        self._parts.core.ask_about(platform.read_selection)

    def _shown_windows(self) -> ShownWindows:
        platform, pet = self._parts.platform, self._parts.pet
        abilities = platform.abilities()
        return ShownWindows(
            chat_shown=self._parts.visibility.chat.in_sight,
            pet_shown=pet.wanted,
            has_tray=self.tray.there,
            monitors=platform.monitors(),
            here=pet.monitor.name,
            can_screenshot="screenshot" in abilities,
            sees_selection="selection" in abilities,
        )

    def _actions(self) -> MenuActions:
        desk, windows, core = self._desk, self._parts.windows, self._parts.core
        return MenuActions(
            toggle_chat=desk.toggle_chat,
            show_chat=desk.show_chat,
            open_settings=lambda: desk.show_view("settings"),
            ask=self._ask,
            screenshot=core.take_screenshot,
            bring_back=windows.bring_back,
            send_to=windows.send_to,
            toggle_pet=windows.toggle_pet,
            quit=lambda: windows.say_goodbye(core.say_goodbye, self._pets.quit_all),
        )
