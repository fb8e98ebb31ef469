"""The pet's window: minimal size, transparent, always on top.

Controls its size, position, outline and visibility. What is drawn in it, and its life, is ``PetView``'s.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pet.body.outings import Outing
from pet.desktop.geometry import (
    Mask,
    Monitor,
    Rect,
    first_place,
    keep_on_screen,
    monitor_of,
    next_corner,
    outline_stays,
    primary_of,
    resized,
)
from pet.desktop.ground import (
    Leg,
    Visit,
    Window,
    at_rest,
    body_of,
    clear_of,
    clear_of_newcomer,
    climb,
    covered,
    hop,
    landing,
    on_top,
    peek,
    stroll,
    to_ball,
    trip,
    typed_in,
    window_below,
)
from pet.desktop.pet_view import PetView
from pet.desktop.placement_store import PlacementStore
from pet.settings.schema import Settings

if TYPE_CHECKING:
    from pet.desktop.qt_desktop import QtDesktop

FULL_SIZE = (192, 208)
_FADED = 30  # per cent
# A window manager honours requests about a window only after it has mapped it.
_MANAGED_AFTER_MS = 200
# By then a window manager has finished its own moves after a window or monitor appears or goes.
_CALM_AFTER_MS = 2500
_VANISH_MS, _VANISH_STEPS = 240, 6


@dataclass(frozen=True, slots=True, kw_only=True)
class PetAppearance:
    """The window's appearance, in per cent."""

    size: int = 100
    opacity: int = 100
    faded: int | None = None  # while the pointer rests on it; None: no fading
    stays_put: bool = False  # neither falls nor walks

    @property
    def pixels(self) -> tuple[int, int]:
        width, height = FULL_SIZE
        return round(width * self.size / 100), round(height * self.size / 100)


def appearance_of(settings: Settings) -> PetAppearance:
    return PetAppearance(
        size=settings.pet_size,
        opacity=settings.pet_opacity,
        faded=min(_FADED, settings.pet_opacity) if settings.fade_on_hover else None,
        stays_put=settings.pet_life == "still",
    )


class PetWindow:
    """The pet's window, on the GUI thread."""

    def __init__(self, platform: QtDesktop, places: PlacementStore, appearance: PetAppearance) -> None:
        self._platform = platform
        self._screens = platform.screens
        self._places = places
        self._appearance = appearance
        self._pressed_at: Rect | None = None
        self._mask: Mask | None = None  # of the drawing whose outline takes clicks
        self._placed: Rect | None = None
        self.wanted = True  # visibility requested by the owner
        self._veiled = False  # transparent: it comes at another pet's place, or goes
        self._filled: frozenset[str] = frozenset()  # monitors that other programs fill
        self._covered = False  # the pet's monitor is one of them
        self.aside = False  # hidden for a full-screen program
        self._faded = False  # faded to show what is below
        self._unsettled = 0  # pending external moves, which are not stored
        self._resettles = False  # monitors have changed since it was last calm
        self._on_way = False  # moving to a position set by us
        self._stood: Rect | None = None  # position after an external move
        self.window: PetView | None = None

    @property
    def seen(self) -> bool:
        return self.wanted and not self.aside

    @property
    def rect(self) -> Rect:
        return self._platform.own.rect(self.window)

    @property
    def place(self) -> Rect:
        """The last requested position, which the window manager applies with a delay."""
        return self._placed or self.rect

    @property
    def monitor(self) -> Monitor:
        return monitor_of(self.rect, self._screens.monitors())

    def make(self, view: PetView, title: str, rested: Callable[[], None]) -> None:
        """Set up the native window and show it. ``rested`` is called each time it has come to rest after a move."""
        platform = self._platform
        self.window = view
        view.setWindowTitle(title)
        platform.own.prepare_window(view, kind="pet")
        platform.own.place(view, self._places.pet_place(self._appearance.pixels, platform.screens.monitors()))
        view.on_changed = self._outline
        self._set_opacity()
        view.on_shown = lambda: platform.after(_MANAGED_AFTER_MS, managed)
        self._outline()

        def managed() -> None:
            platform.own.pet_shown(view)  # each time: a hidden window loses its states
            if self._stood is None:
                self._stood = self.rect
                platform.own.on_moved(view, rested)

        platform.own.show(view, focus=False)

    # --- appearance -----------------------------------------------------------------------------

    def wear(self, appearance: PetAppearance) -> None:
        """Apply the appearance; resizing keeps the feet in place."""
        if appearance == self._appearance:
            return
        before, self._appearance = self._appearance, appearance
        if appearance.opacity != before.opacity or appearance.faded != before.faded:
            self._set_opacity()
        if appearance.size != before.size:
            monitors = self._screens.monitors()
            place = keep_on_screen(resized(self.rect, appearance.pixels), monitors)
            self._go(place)
            if self._places.at_home(monitors):
                self._places.keep_pet(place, monitors)

    def veil(self, veiled: bool) -> None:
        """Make it transparent, or no longer."""
        self._veiled = veiled
        self._set_opacity()

    def vanish(self, then: Callable[[], object], step: int = 1) -> None:
        """Fade out, then call ``then``."""
        if self.window is None or not self.seen or step > _VANISH_STEPS:
            self.veil(True)
            then()
            return
        share = 1 - step / _VANISH_STEPS
        self.window.setWindowOpacity(self._appearance.opacity * share / 100)
        self._platform.after(_VANISH_MS // _VANISH_STEPS, lambda: self.vanish(then, step + 1))

    def keep(self) -> None:
        """Store where it is now."""
        self._places.keep_pet(self.place, self._screens.monitors())

    def fade(self, faded: bool) -> None:
        """Fade in or out as the pointer rests on it or leaves."""
        if faded != self._faded:
            self._faded = faded
            self._set_opacity()

    def _set_opacity(self) -> None:
        faded = self._appearance.faded if self._faded else None
        opacity = 0 if self._veiled else self._appearance.opacity if faded is None else faded
        if self.window is not None:
            self.window.setWindowOpacity(opacity / 100)

    def _outline(self) -> None:
        """Pass clicks around the present drawing; without a compositor nothing else is painted either."""
        if self._pressed_at is not None or self.window is None:
            return
        mask, before = self.window.drawn_mask, self._mask
        if mask is None or before is None or not outline_stays(before, mask, self.window.devicePixelRatioF()):
            self._mask = mask
            self._platform.own.set_outline(self.window, self.window.outline() or None)
        self._platform.own.set_silhouette(self.window, self.window.silhouette)

    # --- position -------------------------------------------------------------------------------

    def move(self, dx: float, dy: float, done: bool, start: Rect | None = None) -> None:
        """Move by this distance from ``start``, or from where it was when this movement began."""
        start = start or self._pressed_at or self.rect
        if self._pressed_at is None and not done:
            # Sway ends a drag once the pointer leaves the outline, however briefly.
            self._mask = None
            self._platform.own.set_outline(self.window, None)
        monitors = self._screens.monitors()
        place = keep_on_screen(start.at(start.x + round(dx), start.y + round(dy)), monitors)
        self._pressed_at = None if done else start
        if done:
            self._put(place)
            self._outline()
        else:
            self._go(place)

    def release(self) -> None:
        """End its movement where it is."""
        self._pressed_at = None

    @property
    def held(self) -> bool:
        """Whether the owner is dragging it."""
        return self._pressed_at is not None

    @property
    def _free(self) -> bool:
        """Whether it may go somewhere by itself."""
        return self.seen and not (self._appearance.stays_put or self.held)

    def landing(self) -> Rect | None:
        """Return where it falls to; None if it is at rest, held or stays put."""
        if not self._free:
            return None
        here = self.place
        place = landing(here, self._platform.others.windows(), self._screens.monitors())
        return None if at_rest(here, place) else place

    def standing_on(self) -> Window | None:
        """Return the window under its feet; None if it stays put or is elsewhere."""
        if self._appearance.stays_put or not self.seen:
            return None
        below = window_below(self.place, self._platform.others.windows(), self.monitor.work)
        return below if below is not None and at_rest(self.place, on_top(self.place, below.frame.y)) else None

    def can_stand(self, place: Rect, window: Window) -> bool:
        """Whether this window's edge at a place can carry the pet: unmoved and not covered."""
        windows = self._platform.others.windows()
        below = window_below(place, windows, self.monitor.work)
        return below is not None and (below.handle, below.frame) == (window.handle, window.frame)

    def has_room_on(self, frame: Rect) -> bool:
        """Whether it fits on the title bar of a window with this frame."""
        return on_top(self.place, frame.y).y >= self.monitor.work.y

    def stroll(self, way: float, avoid: Sequence[Rect]) -> tuple[int, bool]:
        """Return how far it may walk without covering ``avoid`` or what is typed, else the other way, and whether
        that is to the end of an edge."""
        if not self._free:
            return 0, False
        here, windows = self.rect, self._platform.others.windows()
        avoid = [*avoid, *typed_in(here, windows)]
        body = body_of(here)
        for wanted in (way, -way):
            distance, at_edge = stroll(here, wanted, windows, self.monitor.work)
            path = Rect(min(body.x, body.x + distance), body.y, body.width + abs(distance), body.height)
            if distance and not any(path.overlap(each) for each in avoid):
                return distance, at_edge
        return 0, False

    def outing(
        self,
        what: Outing,
        way: float,
        avoid: Sequence[Rect],
        visit: Visit,
        ball: Rect | None,
    ) -> list[Leg]:
        """Return the parts of its way to do this, without covering ``avoid`` or what is typed; none if it can't.
        ``visit``: finds the way to another pet."""
        if not self._free:
            return []
        here, windows, work = self.rect, self._platform.others.windows(), self.monitor.work
        avoid = [*avoid, *typed_in(here, windows)]
        if what == "visit":
            return visit(here, windows, work)
        if what == "ball":
            return to_ball(here, ball, windows, work, avoid) if ball is not None else []
        ways = {"hop": hop, "climb": climb, "trip": trip}
        return ways[what](here, way, windows, work, avoid) if what in ways else []

    def clear_of(self, chat: Rect) -> Rect | None:
        """Return where it covers nothing of its chat; None if it stays where it is."""
        if not self._free:
            return None
        windows = self._platform.others.windows()
        # The frame given is assumed until the window manager reports it.
        chat = next((each.frame for each in windows if each.own), chat)
        return clear_of(self.place, chat, windows, self.monitor.work)

    def covered(self) -> frozenset[int]:
        """Return the windows of other programs in front of which it is, by their handles."""
        return frozenset(each.handle for each in covered(self.place, self._platform.others.windows()))

    def clear_of_newcomer(self, known: Collection[int]) -> Rect | None:
        """Return where it covers no window, if one that is not ``known`` covers its place; None: it stays."""
        if not self._free:
            return None
        return clear_of_newcomer(self.place, known, self._platform.others.windows(), self.monitor.work)

    def peek(self, way: float, chat: Rect) -> Rect | None:
        """Return the place half behind its chat in this direction; None without one, or where it can't be drawn or
        other windows aren't known."""
        may = {"transparency", "click_through", "all_fullscreen"} <= set(self._platform.abilities())
        if not self._free or not may:
            return None
        return peek(self.rect, way, chat, self._platform.others.windows(), self.monitor.work)

    def carry(self, dx: int, dy: int) -> None:
        """Move along with the window under its feet. Not stored: the owner moved the window, not the pet."""
        self._go(keep_on_screen(self.place.at(self.place.x + dx, self.place.y + dy), self._screens.monitors()))

    def corner(self) -> Rect:
        """Return the nearest corner of its monitor, or from a corner the next one."""
        return next_corner(self.rect, self.monitor.work)

    def lift(self) -> None:
        """Come in front of the other windows of this program."""
        self._platform.own.show(self.window, focus=False)

    def be_at(self, place: Rect) -> None:
        """Move to a requested position, unless it is there already or being dragged."""
        if self._pressed_at is None and self.rect != place:
            self._put(place)

    def bring_back(self) -> None:
        """Move to the initial position and show it."""
        main = primary_of(self._screens.monitors())
        self._put(first_place(self._appearance.pixels, main.work))
        self.show()

    def send_to(self, name: str) -> None:
        """Move to the monitor of this name, to its last position there."""
        monitor = next((each for each in self._screens.monitors() if each.name == name), None)
        if monitor is not None:  # it may have been disconnected while the menu was open
            self._put(self._places.pet_on(monitor, self._appearance.pixels))
            self.show()

    def pointer(self) -> tuple[int, int, bool] | None:
        """Return the pointer position relative to the window's top left corner, and whether its first button is down;
        None if unknown."""
        at, here = self._platform.others.pointer(), self.rect
        return None if at is None else (at[0] - here.x, at[1] - here.y, self._platform.others.button_down())

    def settle(self) -> None:
        """Move back on screen after a change of monitors, to the stored position if its monitor is present.

        Stores nothing, since the owner did not choose this.
        """
        monitors = self._screens.monitors()
        if self._pressed_at is None:
            place = self._places.pet_place(self._appearance.pixels, monitors)
        else:
            place = keep_on_screen(self.rect, monitors)
        self._resettles = True
        self._go(place)
        self._avoid_fullscreen(place)

    def rested(self) -> bool:
        """Handle coming to rest. Return whether the owner moved it by other means (window manager keys).

        Then the position is stored.
        """
        on_way, self._on_way = self._on_way, False
        if self._pressed_at is not None or not self.seen:
            return False
        here, monitors = self.rect, self._screens.monitors()
        if here in (self._placed, self._stood):
            return False
        # away from its own monitor the position is temporary
        if on_way or self._unsettled or self._places.away(monitors):
            self._stood = here
            return False
        place = keep_on_screen(here, monitors)
        self._put(place)
        self._on_way = place != here
        return True

    def stir(self) -> None:
        """Ignore moves for a while: it is being mapped, or monitors are changing."""
        self._unsettled += 1
        self._platform.after(_CALM_AFTER_MS, self._calm)

    def _calm(self) -> None:
        self._unsettled -= 1
        if self._unsettled or not self._resettles:
            return
        self._resettles = False
        if self._pressed_at is None and self.rect != self._placed:
            # The window manager handled the change of monitors after us and moved it.
            self._go(self._places.pet_place(self._appearance.pixels, self._screens.monitors()))

    def _go(self, place: Rect) -> None:
        self._on_way = self._on_way or place != self._placed
        self._placed = place
        self._platform.own.place(self.window, place)

    def _put(self, place: Rect) -> None:
        """Move on the owner's request, even under a full-screen program there."""
        monitors = self._screens.monitors()
        self._go(place)
        self._places.keep_pet(place, monitors)
        self._covered = monitor_of(place, monitors).name in self._filled

    # --- visibility -----------------------------------------------------------------------------

    def show(self) -> None:
        """Show and raise it, even over a full-screen program, since the owner requested it."""
        self.stir()
        self.wanted, self.aside = True, False
        self._platform.own.show(self.window, focus=False)

    def hide(self) -> None:
        self.wanted, self._pressed_at = False, None
        self._platform.own.hide(self.window)
        self.fade(False)  # a hidden window gets no leave event

    def step_aside(self, filled: frozenset[str]) -> None:
        """Hide for programs that fill these monitors, and show again after; stays hidden if the owner hid it."""
        self._filled = filled
        self._avoid_fullscreen(self.rect)

    def _avoid_fullscreen(self, place: Rect) -> None:
        covered = monitor_of(place, self._screens.monitors()).name in self._filled
        if covered == self._covered:
            return
        self._covered = self.aside = covered
        self._pressed_at = None  # hiding ends a drag
        self.fade(False)
        if self.wanted:
            if covered:
                self._platform.own.hide(self.window)
            else:
                self.stir()
                self._platform.own.show(self.window, focus=False)
