"""The windows as a group: moving, hiding for full-screen programs, and screenshots without them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from pet.body.outings import Outing
from pet.desktop.bubble_window import BubbleWindow
from pet.desktop.chat_window import ChatWindow
from pet.desktop.geometry import Rect
from pet.desktop.ground import Gait, Leg, Visit, Window
from pet.desktop.pet_window import PetAppearance, PetWindow
from pet.extra import provided
from pet.services.desktop_port import Area, Taken

if TYPE_CHECKING:
    from pet.desktop.placement_store import PlacementStore
    from pet.desktop.qt_desktop import QtDesktop
    from pet.settings.schema import Settings

_ARRIVED_MS = 3500  # the longest walk takes two seconds
_SETTLED_MS = 120  # a monitor change is reported in several steps
_FULL_SCREEN_MS = 300  # the new frame of a window and that it fills its monitor are reported apart, in either order
_AWAY_AT_MOST_MS = 18_000  # a trip takes fourteen seconds and two ways
_KICKS_AFTER_MS = 300  # as the foot meets the ball in "kick"
_GOODBYE_MS = 1400  # two waves, and time to read three words


@dataclass(slots=True)
class _Walk:
    """``falls``: where it ends without ground, it falls: it began on a window, or was a fall or a leap. ``legs`` and
    ``then``: what follows once it has arrived. ``moves``: its page has moved it lately."""

    start: Rect
    end: Rect
    falls: bool
    legs: Sequence[Leg]
    then: Callable[[], object]
    moves: bool = False


class Things(Protocol):
    """The pet's ball and cushion, which an extra brings: hidden with the pet."""

    @property
    def ball(self) -> Rect | None:
        """Position of the ball; None without one, or while it rolls."""

    def bed(self, pet: Rect) -> Rect | None:
        """Return where the pet lies on its cushion; None without one."""

    def kick(self, way: float) -> None:
        """The pet kicks the ball to the left (-1) or right (1)."""

    def apply(self, settings: Settings, *, leads: bool) -> None:
        """Show what the pet was given, and put away what it was not. ``leads``: several pets share them."""

    def show(self, seen: bool) -> None:
        """Show or hide them with the pet."""

    def settle(self) -> None:
        """Put them where their owner had put them, or in sight, after a change of monitors."""


class WindowGroup:
    """The windows together.

    ``travel``: makes the pet's page walk a distance, moving the window step by step, with the number of the walk.
    ``rests``: called when the pet has come to rest elsewhere, or was hidden or shown. ``visit``: finds the way to
    another pet. ``plays``: called when it has come to another one to play.
    """

    def __init__(
        self,
        platform: QtDesktop,
        pet: PetWindow,
        chat: ChatWindow,
        bubble: BubbleWindow,
        travel: Callable[[int, int, Gait, int], None],
    ) -> None:
        self.rests: Callable[[], object] = lambda: None
        self.plays: Callable[[float], object] = lambda _way: None
        self.visit: Visit = lambda _here, _windows, _work: []
        self._platform = platform
        self._pet = pet
        self._chat = chat
        self._bubble = bubble
        self._travel = travel
        self._walk: _Walk | None = None  # in progress
        self._walks = 0  # the newest walk's number
        self._perch: tuple[Rect, Window] | None = None  # its last place and ground, until it goes elsewhere
        self._stands = False  # it was on a window, or has landed: with nothing under its feet it falls
        self._changes = 0  # counts changes of the window below it and of whether it is visible
        self._covered: frozenset[int] | None = None  # other programs' windows, when it came to rest
        self._peeks_from: Rect | None = None  # its place before it went half behind its chat
        self._peeks_behind: Rect | None = None  # where the chat was then
        self.belongings: Things | None = None
        self._in_bed = False  # it lies on its cushion
        self._leaves = False  # it is waving goodbye
        self._away = False  # it is off the screen, on a trip
        self._settles = False  # coalesces several notifications of one change

    @property
    def seen(self) -> list[tuple[Any, bool]]:
        """Return the visible windows, each with whether it takes keyboard focus."""
        windows = (
            (self._pet.seen, self._pet, False),
            (self._bubble.shown, self._bubble, self._bubble.reading),
            (self._chat.in_sight, self._chat, True),
        )
        return [(each.window, focus) for visible, each, focus in windows if visible]

    # --- the owner moves the pet ----------------------------------------------------------------

    def move_pet(self, dx: float, dy: float, done: bool, floats: bool = False, walk: int = 0) -> None:
        """Move by this distance since the owner's press, or since the start of this ``walk``, or of its way back.

        Moves of a walk that was replaced, or that the owner ended, are ignored.
        """
        if walk and walk != self._walks:
            return
        if not walk:
            self._walks += 1
            self._walk = self._peeks_from = self._perch = None
            self._in_bed = False
        under_way, before = self._walk, self._peeks_from
        falls = under_way is None or under_way.falls
        if under_way is not None:
            under_way.moves = True
        if done:
            self._walk = None
        start = None if under_way is None else under_way.start
        self._moved(lambda: self._pet.move(dx, dy, done, start))
        if not done:
            return
        arrived = under_way is not None and self._pet.place == under_way.end
        if not arrived:
            self._peeks_from = None  # it came back, or was stopped on its way
        self._stands = falls and not floats and self._pet.place != before
        if under_way is not None and arrived and under_way.legs:
            self._go_on(under_way.legs, under_way.then)
            return
        if self._stands and not arrived:
            self._fall()
        self._stand()
        if under_way is not None and arrived and self._walk is None:
            under_way.then()

    def to_corner(self) -> None:
        """Walk to the next corner."""
        self._go(self._pet.corner(), "walk")

    def stroll(self, way: float, near: bool = False, what: Outing = "walk") -> None:
        """Go about something, or else take a few steps along the ground, but not over the chat or what is typed, nor
        with a bubble open.

        Step aside first from a window that now covers its place. Towards its chat, peek from behind it; without
        room, sit down on the window under its feet, or stretch. None of that if it came ``near`` for the pointer.
        """
        if what == "rise":
            self._travel(0, 0, "rise", 0)
            return
        if self._walk is not None or self._peeks_from is not None or self._bubble.shown or self._away:
            return
        if what == "nap":
            self._lie_down()
            return
        if self._in_bed:
            self._in_bed = False
            if (floor := self._pet.landing()) is not None:
                self._go(floor, "fall")
                return
        if not near and (self._make_way() or self._sets_out(what, way)):
            return
        in_sight = self._chat.in_sight
        behind = self._pet.peek(way, self._chat.frame) if in_sight and not near else None
        if behind is not None:
            self._go(behind, "peek")
            return
        chat = self._chat_place()
        avoid = [chat] if chat else []
        distance, at_edge = self._pet.stroll(way, avoid)
        if distance:
            here = self._pet.rect
            how: Gait = "run" if what == "run" else "walk_to_edge" if at_edge and not near else "walk"
            self._go(here.at(here.x + distance, here.y), how)
        elif not near and not self._pet.held and self._pet.seen:
            self._travel(0, 0, "stretch" if self._pet.standing_on() is None else "sit", 0)

    def _sets_out(self, what: Outing, way: float) -> bool:
        """Go about something that takes several legs. Return whether it can."""
        chat = self._chat_place()
        ball = self.belongings.ball if what == "ball" and self.belongings is not None else None
        legs = self._pet.outing(what, way, [chat] if chat else [], self.visit, ball)
        if not legs:
            return False
        if self.belongings is not None:
            self._pet.lift()  # in front of its cushion
        aside = legs[-1][0].x - self._pet.place.x or way
        towards = 0.0 if ball is None else ball.centre[0] - legs[-1][0].centre[0]
        ends = {
            "trip": lambda: self._leave(aside),
            "visit": lambda: self._play(aside),
            "ball": lambda: self._kick(towards),
        }
        self._go_on(legs, ends.get(what, lambda: None))
        return True

    def _go_on(self, legs: Sequence[Leg], then: Callable[[], object]) -> None:
        """Go these legs that are left of an outing, then do what it was for."""
        here = self._pet.place
        left = [leg for at, leg in enumerate(legs) if at or leg[0] != here]
        if left:
            self._go(*left[0], legs=left[1:], then=then)
        else:
            then()

    def _leave(self, way: float) -> None:
        self._away = True
        self._travel(-1 if way < 0 else 1, 0, "leave", 0)
        self._platform.after(_AWAY_AT_MOST_MS, self._is_back)

    def _play(self, way: float) -> None:
        """It has come to another pet: leap for joy, run, and be run after."""
        self._travel(0, 0, "play", 0)
        self.plays(way)

    def _kick(self, way: float) -> None:
        self._travel(-1 if way < 0 else 1, 0, "kick", 0)
        self._platform.after(_KICKS_AFTER_MS, lambda: self.belongings.kick(way) if self.belongings else None)

    def _lie_down(self) -> None:
        """Go to its cushion, if it has one."""
        place = self.belongings.bed(self._pet.place) if self.belongings is not None else None
        if place is None or place == self._pet.place or self._pet.held or not self._pet.seen:
            return

        def lies() -> None:
            self._in_bed = True
            self._pet.lift()

        self._go(place, "walk" if place.y == self._pet.place.y else "hop", then=lies, stays=True)

    def _is_back(self) -> None:
        self._away = False

    def call_back(self) -> None:
        """Let it come back from a trip: it is wanted here."""
        if self._away:
            self._away = False
            self._travel(0, 0, "back", 0)

    def drag_began(self) -> None:
        """Let the pet attend to what is dragged in another program."""
        if self._pet.seen and not self._pet.held and self._walk is None:
            self._travel(0, 0, "drag", 0)

    def _go(
        self,
        place: Rect,
        how: Gait,
        *,
        legs: Sequence[Leg] = (),
        then: Callable[[], object] = lambda: None,
        stays: bool = False,
    ) -> None:
        """Let the page move the pet step by step; move it there after a while if the page doesn't. ``legs``: that
        follow; ``then``: called after the last; ``stays``: also in the air."""
        self._pet.release()
        here = self._pet.place
        self._peeks_from, self._peeks_behind = (here, self._chat_place()) if how == "peek" else (None, None)
        along = how != "peek" and place.y == here.y
        falls = not stays and (how in ("fall", "hop", "climb") or (along and self._pet.standing_on() is not None))
        if how != "fall":
            self._perch = None
        self._walk = walk = _Walk(here, place, falls, legs, then)
        self._walks += 1
        self._stands = False
        self._travel(place.x - here.x, place.y - here.y, how, self._walks)

        def arrived() -> None:
            if self._walk is walk and walk.moves:  # its page is slow: two of them would move it
                walk.moves = False
                self._platform.after(_ARRIVED_MS, arrived)
            elif self._walk is walk:  # neither ended nor superseded
                self._walk, self._stands = None, walk.falls
                self._moved(lambda: self._pet.be_at(place))
                self._stand()

        self._platform.after(_ARRIVED_MS, arrived)

    # --- ground ---------------------------------------------------------------------------------

    def _fall(self) -> None:
        place = self._pet.landing()
        if place is not None:
            self._go(place, "fall")

    def _stand_soon(self) -> None:
        """Keep the place if nothing has changed for a while; fall if the ground is gone."""
        self._changes += 1
        change = self._changes

        def stand() -> None:
            if change == self._changes and self._walk is None and not self._pet.held:
                self._stand(sure=True)

        self._platform.after(_FULL_SCREEN_MS, stand)

    def _stand(self, *, sure: bool = False) -> None:
        """Follow the window under its feet, if any. A hidden pet keeps the one below it.

        ``sure``: its ground is gone, and not only covered by a full screen for which the pet hides.
        """
        self.rests()
        if not self._pet.seen:
            return
        if self._walk is None and self._peeks_from is None and (self._climb_back() or self._keep_clear()):
            return
        self._covered = self._pet.covered()
        ground = self._pet.standing_on() if self._walk is None else None
        if ground is None and self._stands and not sure:  # closed, perhaps, before its end was heard of
            self._stand_soon()
            return
        stood, self._stands = self._stands, ground is not None
        if ground is None:
            on = self._perch[1].handle if self._perch is not None else None
            self._platform.others.follow(on, self._perch_changed)
            if stood:
                self._fall()
            return
        self._perch = self._pet.place, ground
        before = ground.frame

        def moved(frame: Rect | None) -> None:
            nonlocal before
            if self._pet.held or self._walk is not None:
                return
            if frame is None:  # closed or minimised
                self._perch = None
                self._fall()
                return
            if self._pet.has_room_on(frame):  # not on one that fills the screen, from which it would not come back
                dx, dy = frame.x - before.x, frame.y - before.y
                before = frame
                if dx or dy:
                    self._moved(lambda: self._pet.carry(dx, dy))
                    self._perch = self._pet.place, replace(ground, frame=frame)
            if self._pet.standing_on() is None:  # moved from under it, or full screen, for which it hides
                self._stand_soon()

        self._platform.others.follow(ground.handle, moved)

    def _perch_changed(self, frame: Rect | None) -> None:
        """The window below it has changed once more, or is gone."""
        if frame is None:
            self._perch = None
        elif self._perch is not None and self._walk is None and frame == self._perch[1].frame:
            self._stand_soon()

    def _climb_back(self) -> bool:
        """Go back to its former place, once the window there is as it was, after a full screen or the like. Return
        whether it is on its way."""
        if self._perch is None or self._pet.held:
            return False
        place, on = self._perch
        if place == self._pet.place or not self._pet.can_stand(place, on):
            return False
        self._go(place, "hop")
        return True

    def _keep_clear(self) -> bool:
        """Step aside from the chat's text. Return whether it is on its way."""
        return self._steps_to(self._pet.clear_of(self._chat.frame) if self._chat.in_sight else None)

    def _make_way(self) -> bool:
        """Step aside from a window that now covers its place. Return whether it is on its way."""
        return self._covered is not None and self._steps_to(self._pet.clear_of_newcomer(self._covered))

    def _steps_to(self, place: Rect | None) -> bool:
        if place is None:
            return False
        self._go(place, "walk" if place.y == self._pet.place.y else "walk_to_edge")
        return True

    def chat_changed(self) -> None:
        """Follow the chat, which was shown, hidden, minimised, moved or resized."""
        if self._peeks_from is not None and self._chat_place() == self._peeks_behind:
            return  # reported again, as some time after it was shown
        before, self._peeks_from = self._peeks_from, None
        if before is not None:
            self._go(before, "walk")
        elif self._walk is None and not self._pet.held:
            self._stand()

    def _chat_place(self) -> Rect | None:
        return self._platform.own.rect(self._chat.window) if self._chat.in_sight else None

    def send_to(self, monitor: str) -> None:
        self._moved(lambda: self._pet.send_to(monitor))

    def bring_back(self) -> None:
        self._moved(self._pet.bring_back)
        self._chat.beside_again(self._pet.place)

    def wear(self, appearance: PetAppearance) -> None:
        self._moved(lambda: self._pet.wear(appearance))

    def _moved(self, move: Callable[[], None]) -> None:
        move()
        self._bubble.follow(self._pet.place)

    def pet_rested(self) -> None:
        if self._pet.rested():
            self._bubble.follow(self._pet.place)
            self.rests()

    def toggle_pet(self) -> None:
        if self._pet.wanted:
            self._pet.hide()
            self._bubble.hide()
        else:
            self._pet.show()
            self._stand_soon()
        self._show_belongings()
        self.rests()

    # --- the desktop changes --------------------------------------------------------------------

    def say_goodbye(self, words: Callable[[], object], then: Callable[[], None]) -> None:
        """Let the pet wave and say ``words`` where it is seen, then call ``then``; at once if asked again."""
        if self._leaves or not self._pet.seen:
            then()
            return
        self._leaves = True
        self._travel(0, 0, "wave", 0)
        words()
        self._platform.after(_GOODBYE_MS, then)

    def step_aside(self, filled: frozenset[str]) -> None:
        before = self._pet.seen
        self._pet.step_aside(filled)
        self._bubble_with_pet()
        self._show_belongings()
        if self._pet.seen and not before:
            self._stand_soon()

    def give(self, settings: Settings, places: PlacementStore, *, leads: bool) -> None:
        """Show what the settings give the pet."""
        if self.belongings is None and (bring := provided("things")) is not None:
            self.belongings = bring(self._platform, places, settings)
            self._show_belongings()
        if self.belongings is not None:
            self.belongings.apply(settings, leads=leads)

    def _show_belongings(self) -> None:
        if self.belongings is not None:
            self.belongings.show(self._pet.seen)

    def monitors_changed(self) -> None:
        self._pet.stir()
        if not self._settles:
            self._settles = True
            self._platform.after(_SETTLED_MS, self._settle)

    def _settle(self) -> None:
        """Place the pet first: the others are placed relative to it."""
        self._settles = False
        self._pet.settle()
        if self.belongings is not None:
            self.belongings.settle()
        self._chat.settle(self._pet.place)
        self._bubble.follow(self._pet.place)
        self._bubble_with_pet()

    def _bubble_with_pet(self) -> None:
        if not self._pet.seen:
            self._bubble.hide()


_GONE_MS = 250
"""Time for a compositor to repaint below our windows, including fades: there is no notification."""


class Screenshots:
    """Takes one screenshot at a time, on the GUI thread. ``seen``: our visible windows, and whether to focus each."""

    def __init__(self, platform: QtDesktop, seen: Callable[[], list[tuple[Any, bool]]]) -> None:
        self._platform = platform
        self._seen = seen
        self._busy = False

    def take(self, area: Area, hint: str, taken: Taken) -> None:
        if self._busy:
            return
        self._busy = True
        away = self._seen()
        for window, _focus in away:
            self._platform.own.hide(window)

        def done(picture: bytes | None) -> None:
            self._busy = False
            wanted = [window for window, _focus in self._seen()]  # some may have been closed meanwhile
            for window, focus in away:
                if window in wanted:
                    self._platform.own.show(window, focus=focus)
            # Scaling and handing on is too slow for the GUI thread.
            threading.Thread(target=taken, args=(picture,), name="screenshot", daemon=True).start()

        def capture() -> None:
            begun = False
            try:
                self._platform.screenshot(area, hint, done)
                begun = True
            finally:
                if not begun and self._busy:  # restore the windows after any failure
                    done(None)

        self._platform.after(_GONE_MS, capture)
