"""The pet's own window: as small as the pet, see-through, on top, where the owner put it.

Owns its size, place, outline and whether it is seen. Refuses to know what the pet shows: that is its page's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pet.desktop.geometry import (
    Monitor,
    Rect,
    first_place,
    keep_on_screen,
    monitor_of,
    next_corner,
    primary_of,
    resized,
)
from pet.desktop.platforms.base import Platform
from pet.desktop.windows.click_region import GROW, click_outline
from pet.desktop.windows.placement_store import PlacementStore
from pet.settings.schema import Settings

FULL_SIZE = (192, 208)
_OPAQUE_BACKGROUND = "#f4ece4"  # behind a pet that can't be see-through
# A window manager listens to wishes about a window only once it has taken it over.
_MANAGED_AFTER_MS = 200
# A change of mood is drawn within this time; then the outline is taken anew.
_DRAWN_AFTER_MS = 350
_OUTLINE_TRIES = 10
# By then a window manager is done with what it does by itself where a window comes, or a monitor comes or goes.
_CALM_AFTER_MS = 2500


@dataclass(frozen=True, slots=True, kw_only=True)
class PetAppearance:
    """Of the window, in per cent."""

    size: int = 100
    opacity: int = 100
    faded: int | None = None  # while the pointer rests on it; None: it does not fade

    @property
    def pixels(self) -> tuple[int, int]:
        width, height = FULL_SIZE
        return round(width * self.size / 100), round(height * self.size / 100)


def appearance_of(settings: Settings) -> PetAppearance:
    return PetAppearance(
        size=settings.pet_size,
        opacity=settings.pet_opacity,
        faded=min(settings.fade_opacity, settings.pet_opacity) if settings.fade_on_hover else None,
    )


class PetWindow:
    """Everything but ``make`` on the GUI thread; ``drawn`` from any."""

    def __init__(self, platform: Platform, places: PlacementStore, url: str, look: PetAppearance) -> None:
        self._platform = platform
        self._places = places
        self._url = url
        self._look = look
        self._pressed_at: Rect | None = None
        self._placed: Rect | None = None
        self._wanted = True  # by the owner
        self._filled: frozenset[str] = frozenset()  # monitors that other programs fill
        self._covered = False  # the pet's own is one of them
        self._aside = False  # for such a program
        self._faded = False  # to see what is below
        self._stirred = 0  # so many times lately, by what is nobody's wish
        self._on_way = False  # to where we have sent it
        self._stood: Rect | None = None  # where it was left by what is nobody's wish
        self.window: Any = None

    @property
    def wanted(self) -> bool:
        return self._wanted

    @property
    def seen(self) -> bool:
        return self._wanted and not self._aside

    @property
    def aside(self) -> bool:
        """Another program fills its screen."""
        return self._aside

    @property
    def rect(self) -> Rect:
        return self._platform.rect(self.window)

    @property
    def place(self) -> Rect:
        """Where it was last put: the window manager takes its time, and what stands beside the pet can't wait."""
        return self._placed or self.rect

    @property
    def monitor(self) -> Monitor:
        return monitor_of(self.rect, self._platform.monitors())

    def make(self, webview: Any, title: str, made: Callable[[], None], rested: Callable[[], None]) -> Any:
        """Before the loop; ``made`` on the GUI thread, once its native part is dressed and placed. ``rested``: each
        time it has come to rest after a move."""
        width, height = self._look.pixels
        self.window = webview.create_window(
            title,
            url=self._url,
            width=width,
            height=height,
            min_size=(width, height),
            resizable=False,
            frameless=True,
            easy_drag=False,  # True crashes Qt with a frameless window
            shadow=False,
            focus=False,
            on_top=True,
            transparent=self._platform.see_through,
            background_color=_OPAQUE_BACKGROUND,
        )
        self.window.events.before_show += lambda: self._made(made)
        self.window.events.shown += lambda: self._came(rested)
        return self.window

    def _made(self, made: Callable[[], None]) -> None:
        platform = self._platform
        platform.prepare_window(self.window, kind="pet")
        platform.place(self.window, self._places.pet_place(self._look.pixels, platform.monitors()))
        platform.set_opacity(self.window, self._look.opacity / 100)
        made()

    def _came(self, rested: Callable[[], None]) -> None:
        def managed() -> None:
            self._platform.pet_shown(self.window)
            if self._stood is None:  # the first time
                self._stood = self.rect
                self._platform.on_moved(self.window, rested)

        self._platform.after(_MANAGED_AFTER_MS, managed)

    # --- its look -------------------------------------------------------------------------------

    def wear(self, look: PetAppearance) -> None:
        """Another size grows and shrinks around the feet."""
        if look == self._look:
            return
        before, self._look = self._look, look
        if look.opacity != before.opacity or look.faded != before.faded:
            self._set_opacity()
        if look.size != before.size:
            monitors = self._platform.monitors()
            place = keep_on_screen(resized(self.rect, look.pixels), monitors)
            self._go(place)
            if self._places.at_home(monitors):
                self._places.keep_pet(place, monitors)
            self.drawn()

    def fade(self, faded: bool) -> None:
        """The pointer came to rest on it, or left it."""
        if faded != self._faded:
            self._faded = faded
            self._set_opacity()

    def _set_opacity(self) -> None:
        pale = self._look.faded if self._faded else None
        self._platform.set_opacity(self.window, (self._look.opacity if pale is None else pale) / 100)

    def drawn(self) -> None:
        """The pet may look another way now."""
        self._platform.after(_DRAWN_AFTER_MS, self._take_outline)

    def _take_outline(self, tries: int = _OUTLINE_TRIES) -> None:
        clicks_through = "click_through" in self._platform.abilities()
        picture = self._platform.capture_alpha(self.window) if clicks_through and self.seen else None
        if picture is None:
            return
        alpha, scale = picture
        rects = click_outline(alpha, grow=round(GROW * scale))
        self._platform.set_outline(self.window, rects or None)
        if not rects and tries > 1:  # nothing was painted yet
            self._platform.after(_DRAWN_AFTER_MS, lambda: self._take_outline(tries - 1))

    # --- its place ------------------------------------------------------------------------------

    def move(self, dx: float, dy: float, done: bool) -> None:
        start = self._pressed_at or self.rect
        monitors = self._platform.monitors()
        place = keep_on_screen(start.at(start.x + round(dx), start.y + round(dy)), monitors)
        self._pressed_at = None if done else start
        if done:
            self._put(place)
        else:
            self._go(place)

    def corner(self) -> Rect:
        """Out of the way: the nearest corner of its monitor, and from there the next."""
        return next_corner(self.rect, self.monitor.work)

    def be_at(self, place: Rect) -> None:
        """A place that the owner asked for, unless it is there or in a hand."""
        if self._pressed_at is None and self.rect != place:
            self._put(place)

    def bring_back(self) -> None:
        """Into the first place there is, wherever it was, and into sight."""
        main = primary_of(self._platform.monitors())
        self._put(first_place(self._look.pixels, main.work))
        self.show()

    def send_to(self, name: str) -> None:
        """To the monitor of this name, where it sat there last."""
        monitor = next((each for each in self._platform.monitors() if each.name == name), None)
        if monitor is not None:  # it may have gone while the menu was open
            self._put(self._places.pet_on(monitor, self._look.pixels))
            self.show()

    def pointer(self) -> tuple[int, int] | None:
        """Where the pointer is, from the window's top left corner; None if unknown."""
        at, here = self._platform.pointer(), self.rect
        return None if at is None else (at[0] - here.x, at[1] - here.y)

    def settle(self) -> None:
        """Other monitors than before: into sight, and back to where it was when its monitor is. None of that is the
        owner's wish, so nothing is remembered."""
        monitors = self._platform.monitors()
        if self._pressed_at is None:
            place = self._places.pet_place(self._look.pixels, monitors)
        else:
            place = keep_on_screen(self.rect, monitors)
        self._go(place)
        self._look_around(place)
        self.drawn()  # another monitor may have other pixels

    def rested(self) -> bool:
        """It has come to rest. Whether the owner had moved it past us, by the window manager's own keys: then that is
        its place from now on."""
        on_way, self._on_way = self._on_way, False
        if self._pressed_at is not None or not self.seen:
            return False
        here, monitors = self.rect, self._platform.monitors()
        if here in (self._placed, self._stood):
            return False
        if on_way or self._stirred or self._places.away(monitors):  # away from its monitor it is only a guest
            self._stood = here
            return False
        place = keep_on_screen(here, monitors)
        self._put(place)
        self._on_way = place != here
        return True

    def stir(self) -> None:
        """What moves it for a while is nobody's wish: it comes again, or a monitor comes or goes."""
        self._stirred += 1
        self._platform.after(_CALM_AFTER_MS, self._calm)

    def _calm(self) -> None:
        self._stirred -= 1

    def _go(self, place: Rect) -> None:
        self._on_way = self._on_way or place != self._placed
        self._placed = place
        self._platform.place(self.window, place)

    def _put(self, place: Rect) -> None:
        """By the owner's wish, and so also under a program that fills the screen there."""
        before, monitors = self._platform.scale(self.window), self._platform.monitors()
        self._go(place)
        self._places.keep_pet(place, monitors)
        self._covered = monitor_of(place, monitors).name in self._filled
        if self._platform.scale(self.window) != before:
            self.drawn()

    # --- whether it is seen ---------------------------------------------------------------------

    def show(self) -> None:
        """Brings it forward; also over a program that fills the screen, since somebody asked for it."""
        self.stir()
        self._wanted, self._aside = True, False
        self._platform.show(self.window, focus=False)

    def hide(self) -> None:
        self._wanted, self._pressed_at = False, None
        self._platform.hide(self.window)
        self.fade(False)  # a window that is gone is not told that the pointer left it

    def step_aside(self, filled: frozenset[str]) -> None:
        """Out of the way of programs that fill these monitors, and back; one that the owner has hidden stays so."""
        self._filled = filled
        self._look_around(self.rect)

    def _look_around(self, place: Rect) -> None:
        covered = monitor_of(place, self._platform.monitors()).name in self._filled
        if covered == self._covered:
            return
        self._covered = self._aside = covered
        self._pressed_at = None  # a hand that held it lets go of what is hidden
        self.fade(False)
        if self._wanted:
            (self._platform.hide if covered else self._show_again)(self.window)

    def _show_again(self, window: Any) -> None:
        self.stir()
        self._platform.show(window, focus=False)
        self.drawn()
