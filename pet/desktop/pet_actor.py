"""Reactions of the pet to events, the pointer and other pets: the head of the native pet, without a toolkit.

``PetActor`` gets events of the core (``on_event``) and input of the owner, plays its timeline on an agenda, and
orders what it wants through ``PetOrders``. It shows itself on a ``PetView``. Everything on the GUI thread.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from pet.body.acts import Act, Timing
from pet.body.agenda import Agenda, DueCall
from pet.body.bodies import own_timing
from pet.body.creature import BARE, THINGS, Wear
from pet.body.hover import Hover, Teasing
from pet.body.life import Surroundings
from pet.body.motion import DEAD_ZONE, FACE, Press, Slide, direction_from_face, direction_of
from pet.body.outings import Outing, Outings, Pace
from pet.body.timeline import Player, Stage
from pet.body.travels import Travels
from pet.desktop.ground import LONGEST_STROLL
from pet.moods import Mood

if TYPE_CHECKING:
    from pet.bridge.commands.desktop import PointerPlace
    from pet.bridge.commands.skins import PetLook, SkinSheet
    from pet.desktop.core_client import PetOrders
    from pet.desktop.pet_view import PetView
    from pet.events import Event, PetTravels

UNKNOWN_BODY = "-"
"""Body with which nothing is drawn until the core reports the look."""

Order = Literal["reading", "touched", "take_held", "hush", "toggle_chat", "pet_menu", "expect_chat", "nap"]
"""Commands without arguments or reply, by their names."""


class Worn(Stage, Protocol):
    """A skin that is drawn. ``settles``: its moods are gestures, after which it is idle."""

    @property
    def timing(self) -> Timing: ...
    @property
    def settles(self) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPose:
    """The picture that it shows. ``does``: the act that it is in; ``sheet``: of an imported skin, else ``body``."""

    does: Act = "idle"
    act: Act = "idle"
    frame: int = 0
    wear: Wear = BARE
    body: str = ""
    sheet: SkinSheet | None = None


class _Blank:
    """An empty look, until the pet's own is known."""

    settles = False
    timing = staticmethod(own_timing)

    def show(self, act: Act, frame: int, wear: Wear) -> None:
        pass

    def gaze(self, direction: int, wear: Wear) -> bool:  # noqa: ARG002
        return False


_SIDEWAYS = 3  # pixels from which the pet is carried in that direction
_READ_MARK_MS = 6_000
_BLANK_MS = 15_000  # after a failed request of the look, until the first body is drawn for an unknown one
# Milliseconds between two glances at the pointer, and how many: after a call, and while something is dragged.
_LOOK_MS, _CALL_LOOKS, _DRAG_LOOKS = 500, 12, 24
_CHASE_MS, _CHASE_LOOKS = 350, 14  # while it chases the pointer
_POUNCES = 0.6  # so near, in widths of a pet, it pounces on the pointer
_ALONE_MS = 120_000  # of a pointer at rest, after which a lively pet goes as rarely as a calm one
_BESIDE_MS = 240_000  # for which its gift is next to it
_DRAGGED_NEAR = 480  # pixels within which what is dragged is near
# Milliseconds for which it watches another pet, and how close it lies down beside one, in widths of a pet.
_NOTICE_MS, _BESIDE = 1400, 0.72


class PetActor:
    """``body``: drawn at once; ``UNKNOWN_BODY``: nothing is. ``double_ms``: in which a click may become double."""

    def __init__(
        self,
        surface: PetView,
        port: PetOrders,
        agenda: Agenda,
        around: Surroundings,
        body: str = "",
        double_ms: int = 500,
    ) -> None:
        self._surface = surface
        self._port = port
        self._agenda = agenda
        self._random = around.random
        self._hour = around.hour
        self._outings = Outings(around.random)
        self._pace: Pace = "calm"
        self._goes: Pace | None = None  # None while it goes nowhere
        self._outing: DueCall | None = None
        self._pointer_at = 0, 0, 0  # at the last glance: seen from the window, and the number of the walk before
        self._pointer_moved = agenda.clock()
        self._rises: DueCall | None = None
        self._teasing = Teasing()
        self._away = False
        self._keeps = self._souvenir = ""
        self._put_away: DueCall | None = None
        self._double_ms = double_ms
        self._body = body
        self._stamp = ""
        self._sheet: SkinSheet | None = None
        self._shows: tuple[Act, int, Wear] = "idle", 0, BARE
        self._paused = self._tab_off = self._hush = False
        self._motion: Literal["system", "on", "off"] = "system"
        self._holds = self._near = False
        self._wears = ""
        self._weather, self._ways = "", list[str]()
        self._leans = 0
        self._replaced = False  # another pet's body is drawn already, which comes at this one's place
        self._asked = self._answered = 0  # requests of the look; only the newest answer counts
        self._attended = 0
        self._mark: DueCall | None = None
        self._poked: DueCall | None = None
        self._ordered: PetTravels | None = None  # came while a button was down on it
        self._expects = False  # something is dragged over it
        self._last_x = 0.0
        self._doubled = False
        self._was_dragged = False
        self._floats = False
        self._worn: Worn = _Blank() if body == UNKNOWN_BODY else surface.body(body)
        self.player = Player(self, own_timing, agenda, around, self._find_pointer)
        self._slide = Slide(agenda, self.move)
        self.travels = Travels(self, self.player, self._slide, agenda, around.random)
        self._press = Press(self._dragged)
        self._hover = Hover(agenda, self._arrived, port.fade_pet, self.player.gaze)

    def begin(self) -> None:
        """Appear: wave, and ask for the look."""
        self.settle()
        self.player.play(Mood.NEUTRAL)
        if not isinstance(self._worn, _Blank):
            self.player.react("wave")
        self.refresh()

    # --- the stage of its timeline, and the scene of its ways -----------------------------------

    def show(self, act: Act, frame: int, wear: Wear) -> None:
        self._shows = act, frame, wear
        self._worn.show(act, frame, wear)

    def pose(self) -> ShownPose:
        """Return what it shows now."""
        (act, frame, wear), body = self._shows, "" if self._sheet else self._body
        return ShownPose(does=self.player.act, act=act, frame=frame, wear=wear, body=body, sheet=self._sheet)

    def gaze(self, direction: int, wear: Wear) -> bool:
        return self._worn.gaze(direction, wear)

    @property
    def width(self) -> int:
        return self._surface.width()

    @property
    def hidden(self) -> bool:
        return self._surface.hidden

    @property
    def calm(self) -> bool:
        return self._motion == "on" or (self._motion == "system" and self._surface.wants_calm())

    def move(self, dx: float, dy: float, done: bool) -> None:
        self._port.move_pet(dx, dy, done=done, floats=False, walk=self.travels.walk)

    def cover(self, left: int, right: int) -> None:
        self._surface.cover(left, right)

    def shift(self, dx: float) -> None:
        self._surface.shift(dx)

    def away(self, away: bool) -> None:
        self._away = away
        self.settle()

    def brought(self) -> None:
        self._souvenir = THINGS[min(int(self._random() * len(THINGS)), len(THINGS) - 1)]
        self._show_state()
        self.player.react("show")
        if self._put_away is not None:
            self._put_away.cancel()
        self._put_away = self._agenda.after(_BESIDE_MS, self._put_away_souvenir)

    def _put_away_souvenir(self) -> None:
        self._souvenir = ""
        self._show_state()

    def fade(self, faded: bool) -> None:
        self._surface.fade(faded)

    def landed(self) -> None:
        self.player.react("landed")

    # --- the window -----------------------------------------------------------------------------

    def settle(self) -> None:
        """Move, or hold still: it was shown or hidden, or the wish for motion changed."""
        still = self.hidden or self.calm
        if still and self.travels.animated and not self.hidden:
            self.travels.stop()  # in the air it comes down, in a fade
        self.player.hold(still or self._away)
        goes = None if still else self._pace
        if goes != self._goes:
            self._goes = goes
            self._go_later()

    def visibility_changed(self) -> None:
        self.settle()
        self._hover.leave()
        if not self.hidden:
            return
        if self._slide.moving:
            self.travels.stop()
        self.travels.come_out()
        # Hidden for a full-screen program, the pet is no longer held, and no event reports the release.
        if self._press.drop():
            self._surface.carried(False)
            self.player.react(None)
        self._go_where_ordered()

    def resized(self) -> None:
        """Redraw at the new resolution."""
        self.player.wear(self._worn.timing, settles=self._worn.settles)

    # --- events of the core ---------------------------------------------------------------------

    def on_event(self, event: Event) -> None:
        from pet import events  # late: the first frame needs none

        match event:
            case events.MoodChanged(mood=mood):
                if mood is not Mood.NEUTRAL:
                    self.travels.come_out()
                self.player.play(mood)
                self._rise_later()
            case events.MemoryPaused(paused=paused):
                self._paused = paused
            case events.TabMemoryChanged(off=off):
                self._tab_off = off
            case events.PetTravels():
                self._travel(event)
            case events.PetReplaced(body=body):
                self._replace(body)
            case events.MemoryGiven():
                self._mark_read()
            case events.SettingsChanged() | events.LifeChanged():
                self._show_state()
                self.refresh()
                return
            case _:
                return
        self._show_state()
        if self._asked > self._answered:
            self.refresh()  # an answer under way may predate this

    def refresh(self) -> None:
        """Ask how the pet looks; also after events were lost."""
        self._asked += 1
        mine = self._asked

        def reply(looks: PetLook | None) -> None:
            if mine == self._asked and not self._replaced:
                self._answered = mine
                self._dress(looks)

        self._port.get_skin(self._stamp, reply)

    def _dress(self, looks: PetLook | None) -> None:
        waits = isinstance(self._worn, _Blank)
        if looks is None:
            if waits:
                self._agenda.after(_BLANK_MS, self._end_blank)
            return
        self._motion = looks.reduced_motion
        self._pace = looks.pace
        self._hover.allow(looks.fades)
        self._surface.setAccessibleName(looks.name)
        sheet = looks.sheet
        if sheet.stamp != self._stamp:
            self._stamp = sheet.stamp
            pictures = self._surface.sheet(sheet) if sheet.image else None
            if pictures is not None:
                self._wear(pictures)
            elif sheet.image or waits or sheet.skin != self._body:
                self._wear(self._surface.body("" if sheet.image else sheet.skin))
            self._body = "" if sheet.image else sheet.skin
            self._sheet = sheet if pictures is not None else None
        if waits:
            self.player.react("wave")
        self._paused, self._tab_off, self._hush = looks.paused, looks.tab_off, looks.hush
        life = looks.life
        self._holds, self._wears, self._near = life.holds, life.wears, life.weather == "near"
        self._weather, self._ways, self._keeps = life.weather, life.ways, life.keeps
        self._show_state()
        if looks.mood is not self.player.mood:
            self.player.play(looks.mood)
        self.settle()

    def _end_blank(self) -> None:
        if isinstance(self._worn, _Blank):
            self._wear(self._surface.body(""))

    def _wear(self, worn: Worn) -> None:
        self._worn = worn
        self.player.wear(worn.timing, settles=worn.settles)

    def _show_state(self) -> None:
        if self._replaced:
            return
        self.player.live(self._weather, self._ways)
        self.player.state(
            Wear(
                bud=self._paused or self._tab_off,
                drowsy=self._paused,
                hush=self._hush,
                holds=self._holds,
                wears=self._wears,
                near=self._near,
                leans=self._leans if self.player.mood is Mood.ASLEEP else 0,
                keeps=self._keeps,
                souvenir=self._souvenir,
            )
        )

    def _replace(self, body: str) -> None:
        """Draw the body of the pet that comes at this one's place; "" this one's again. Until it has come, a click
        pokes it, and a double click is left to it."""
        self._replaced = body != ""
        self._stamp, self._body, self._sheet = "", body, None
        if not self._replaced:
            self.refresh()
            return
        self._leans = 0
        self.player.live("", ())
        self.player.state(BARE)
        self.player.play(Mood.NEUTRAL)
        self._wear(self._surface.body(body))
        self.player.react("wave")

    def _mark_read(self) -> None:
        """Show for some seconds that another program was given lines of memory."""
        if self._mark is not None:
            self._mark.cancel()
        self._surface.mark_read(True)
        self._mark = self._agenda.after(_READ_MARK_MS, lambda: self._surface.mark_read(False))

    # --- what the shell has chosen --------------------------------------------------------------

    def _travel(self, where: PetTravels) -> None:
        match where.how:
            case "wave" | "sit" | "stretch":
                self.player.react(where.how)
            case "kick":
                self.player.react("kick-left" if where.dx < 0 else "kick-right")
            case "play":
                self.player.react("leap")
            case "rise":
                if self.player.wake():
                    self._active()
            case "back":
                self.travels.come_out()
            case "follow" | "drag":
                self.travels.come_out()
                self._attend(dragged=where.how == "drag")
            case "lean":
                self._leans = where.dx
            case "greet" | "look" | "join":
                self._notice(where.dx, where.dy, where.how)
            case _ if self._press.held:
                # Given before the shell heard of the press: in a hand it would take the hand's moves for its own.
                self._ordered = where
            case _:
                self.travels.go(where.dx, where.dy, where.how, where.walk)

    def _go_where_ordered(self) -> None:
        """Follow the newest order that a press held up; a drag makes it void, for the pet is elsewhere."""
        where, self._ordered = self._ordered, None
        if where is not None and not self._was_dragged:
            self._travel(where)

    def _attend(self, *, dragged: bool) -> None:
        """Watch the pointer for some seconds and come near: it was called, or something is ``dragged`` close."""
        if self.hidden or (dragged and not self.player.idle):
            return
        self.player.wake()
        self._attended += 1
        mine, looks = self._attended, 0

        def end() -> None:
            if mine == self._attended:
                self.player.follow(False)

        def look_again() -> None:
            if mine == self._attended:
                self._port.find_pointer(seen)

        def seen(at: PointerPlace | None) -> None:
            nonlocal looks
            if mine != self._attended:
                return
            known = at is not None and at.known
            if not known and not dragged:
                self.player.react("listening")
            if at is None or not known or self.hidden or (dragged and not at.held):
                end()
                return
            self._look_towards(at.x, at.y, dragged=dragged)
            looks += 1
            self._agenda.after(_LOOK_MS, look_again if looks < (_DRAG_LOOKS if dragged else _CALL_LOOKS) else end)

        look_again()

    def _look_towards(self, at_x: int, at_y: int, *, dragged: bool) -> None:
        width, height = self._surface.width(), self._surface.height()
        x, y = at_x - width / 2, at_y - height * FACE
        if dragged and math.hypot(x, y) > _DRAGGED_NEAR:
            self.player.follow(False)
            return
        self.player.follow(True, direction_of(x, y, height * DEAD_ZONE))
        if abs(x) > width and not self.travels.moving:
            self._port.stroll((x - math.copysign(width * 0.6, x)) / LONGEST_STROLL, near=True)

    def _notice(self, dx: int, dy: int, how: Literal["greet", "look", "join"]) -> None:
        """Watch another pet, then nod to it, or go to sleep beside it."""
        if self.hidden or self.calm or self.travels.moving or not self.player.idle:
            return
        self._attended += 1
        mine = self._attended
        self.player.follow(True, direction_of(dx, dy, 0))

        def then() -> None:
            if mine != self._attended:
                return
            self.player.follow(False)
            if not self.player.idle or how == "look":
                return
            if how == "greet":
                self.player.react("nod")
                return
            steps = dx - math.copysign(self._surface.width() * _BESIDE, dx)
            if steps * dx > 0:
                self._port.stroll(steps / LONGEST_STROLL, near=True)
            self._port.order("nap")

        self._agenda.after(_NOTICE_MS, then)

    def _go_later(self, *, busy: bool = False) -> None:
        """Go somewhere after a while, again and again while it is seen and may move. The core knows when that is
        unwelcome, the shell where there is room."""
        if self._outing is not None:
            self._outing.cancel()
            self._outing = None
        alone = self._agenda.clock() - self._pointer_moved > _ALONE_MS
        pace: Pace | None = "calm" if alone and self._goes == "lively" else self._goes
        pause = self._outings.pause(pace, busy=busy) if pace else None
        if pause is not None:
            self._outing = self._agenda.after(pause, self._go)

    def _go(self) -> None:
        self._outing = None
        free = self.player.free and not self.travels.moving
        if free:
            self._stroll(*self._outings.choose())
        self._go_later(busy=not free)

    def _stroll(self, what: Outing, way: float) -> None:
        """Go somewhere; after a hard day some steps towards where the owner is: the pointer."""
        if not self._near:
            self._port.stroll(way, near=False, what=what)
            return

        def towards(at: PointerPlace | None) -> None:
            aside = at.x - self._surface.width() / 2 if at is not None and at.known else 0
            self._port.stroll(math.copysign(1, aside) if aside else way, near=False)

        self._port.find_pointer(towards)

    def _rise_later(self) -> None:
        """Get up by itself after a nap, by day."""
        if self._rises is not None:
            self._rises.cancel()
            self._rises = None
        if self.player.mood is Mood.ASLEEP:
            if self._goes not in (None, "still"):
                self._port.stroll(0, near=False, what="nap")
            self._rises = self._agenda.after(self._outings.nap(), self._rise)

    def _rise(self) -> None:
        if self._pace != "still" and not self.hidden and 6 <= self._hour() < 21:
            self._port.stroll(0, near=False, what="rise")
        self._rise_later()

    def _chase(self, x: float) -> None:
        """Run after a pointer that teases it, for some seconds, and pounce on it. ``x``: where it was, seen from the
        middle."""
        if self.hidden or self.calm or self._pace == "still" or self.travels.moving or not self.player.idle:
            return
        self._attended += 1
        mine, looks = self._attended, 0

        def look_again() -> None:
            if mine == self._attended:
                self._port.find_pointer(seen)

        def seen(at: PointerPlace | None) -> None:
            nonlocal looks, x
            if mine != self._attended:
                return
            looks += 1
            if self.hidden or looks > _CHASE_LOOKS or not self.player.idle or self._press.held:
                if looks > _CHASE_LOOKS:
                    self.player.follow(False)
                return
            known = at is not None and at.known
            if at is not None and known:
                width, height = self._surface.width(), self._surface.height()
                x = at.x - width / 2
                self.player.follow(True, direction_of(x, at.y - height * FACE, height * DEAD_ZONE))
            if self.travels.moving:
                self._agenda.after(_CHASE_MS, look_again)
            elif known and abs(x) > self._surface.width() * _POUNCES:
                self._port.stroll(x / LONGEST_STROLL, near=True, what="run")
                self._agenda.after(_CHASE_MS, look_again)
            else:
                self.player.follow(False)
                self.player.react("pounce-left" if x < 0 else "pounce-right")

        look_again()

    def _find_pointer(self, directed: Callable[[int | None], None]) -> None:
        """Call back with the pointer's direction from the face; None near it, and where the platform hides it."""

        def seen(at: PointerPlace | None) -> None:
            known = at is not None and at.known
            before, self._pointer_at = self._pointer_at, (at.x if at else 0, at.y if at else 0, self.travels.walk)
            if not known or (before != self._pointer_at and before[2] == self._pointer_at[2]):
                self._pointer_moved = self._agenda.clock()
            surface = self._surface
            directed(direction_from_face(at.x, at.y, surface.width(), surface.height()) if at and known else None)

        self._port.find_pointer(seen)

    # --- the pointer ----------------------------------------------------------------------------

    def _arrived(self) -> None:
        if not (self._replaced or self.travels.animated):  # a pointer that it walks under asks for nothing
            self._port.order("expect_chat")

    def _active(self) -> None:
        """Report the owner's activity to the core, which decides when the pet naps."""
        self._port.order("reading")

    def entered(self, *, free: bool) -> None:
        """The pointer came onto the pet; ``free``: a mouse without a pressed button."""
        self._hover.enter(free=free)
        if self.player.wake():
            self._active()

    def left(self) -> None:
        self._hover.leave()

    def hovered(self, x: float, y: float) -> None:
        """The pointer moved on the pet, without a pressed button; in the window's pixels."""
        if self._teasing.move(x, self._agenda.clock()):
            self._chase(x - self._surface.width() / 2)
            return
        self._hover.move(direction_from_face(x, y, self._surface.width(), self._surface.height()))

    def pressed(self, x: float, y: float, at: float, *, double: bool = False) -> None:
        """The first button went down. ``x``, ``y``: on the screen; ``at``: milliseconds."""
        self._hover.press()
        if self.travels.moving:
            self.travels.stop()
        self._was_dragged, self._doubled = False, double
        if double:
            self._cancel_poke()
        if not self._replaced:
            self._last_x = x
            self._press.start(x, y, at)

    def dragged(self, x: float, y: float, at: float) -> None:
        """The pointer moved with the button down."""
        if not self._press.move(x, y, at):
            return
        aside = x - self._last_x
        if not self._was_dragged:
            self._was_dragged = True
            self.player.react("carried")
            self._surface.carried(True)
        if abs(aside) < _SIDEWAYS:
            return
        self._last_x = x
        way = "carried-right" if aside > 0 else "carried-left"
        if self.player.act != way:
            self.player.react(way)

    def _dragged(self, dx: float, dy: float, done: bool) -> None:
        if not self._was_dragged:
            self.travels.take()
        self._port.move_pet(dx, dy, done=done, floats=done and self._floats, walk=self.travels.walk)

    def released(self, x: float, y: float, at: float, *, shift: bool) -> None:
        """The button went up; with ``shift`` the pet floats where it is. Ends a drag, or is a click."""
        self._floats = shift
        held = self._press.held
        was_drag, moved, speed = self._press.end(x, y, at, throws=not self.calm and not shift)
        if was_drag:
            self._surface.carried(False)
            if speed is not None:
                self.player.react("thrown-left" if speed.x < 0 else "thrown-right")
                self._slide.throw(moved, speed, self.landed)
            else:
                self.player.react("dropped")
            self._active()
            self._port.order("touched")
        elif held or self._replaced:
            if self._doubled:
                self._port.order("toggle_chat")
            else:
                self._clicked()
        self._go_where_ordered()

    def _clicked(self) -> None:
        if self._replaced:
            self.player.poke()
            return
        talks = self.player.mood is Mood.TALKING
        if talks:
            self._port.order("hush")
        self.travels.come_out()
        self.player.poke()
        self._active()
        self._cancel_poke()
        if not talks:  # else the request is for silence, not for its note
            # A double click opens the chat: no reaction.
            order: Order = "take_held" if self._holds else "touched"
            self._poked = self._agenda.after(self._double_ms, lambda: self._port.order(order))

    def _cancel_poke(self) -> None:
        if self._poked is not None:
            self._poked.cancel()

    def menu(self) -> None:
        if not self._replaced:
            self._port.order("pet_menu")

    def held_long(self) -> None:
        """A finger rests on it: open the menu, and count it as no click."""
        self._press.drop()
        self.menu()
        self._go_where_ordered()

    # --- what is dragged over it ----------------------------------------------------------------

    def drag_entered(self) -> None:
        if self._expects or self._slide.moving:
            return
        self._expects = True
        if self.player.wake():
            self._active()
        self.player.react("listening")  # it looks up

    def drag_left(self) -> None:
        if self._expects:
            self._expects = False
            if self.player.act == "listening":
                self.player.react(None)

    def dropped(self) -> bool:
        """Return whether it takes what was dropped."""
        self._expects = False
        self.player.react("given")
        return not self._replaced
