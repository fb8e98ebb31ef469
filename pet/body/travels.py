"""The pet's ways over the screen: on foot, in leaps, climbing, falling, half behind its chat or off the screen and
back; in fades with reduced motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pet.body.agenda import Agenda, DueCall
from pet.body.motion import Slide
from pet.body.timeline import Player

FADE_MS = 180
_PEEK_MS = 5_800  # for which it looks out from behind its chat
_AWAY_MS = 6_000, 14_000  # for which it is off the screen, shortest and longest
_CROUCH_MS = 240  # before a leap
_HANGS_MS = 1_500  # milliseconds at the top of a climb before it leaps


class Scene(Protocol):
    """Requests to the pet's window during a journey."""

    @property
    def width(self) -> int: ...
    @property
    def hidden(self) -> bool: ...
    @property
    def calm(self) -> bool:
        """Whether motion is reduced."""
        ...

    def move(self, dx: float, dy: float, done: bool) -> object: ...

    def cover(self, left: int, right: int) -> object:
        """Leave ``left`` and ``right`` pixels at its sides undrawn: they are behind its chat."""

    def shift(self, dx: float) -> object:
        """Draw it this far to the side within its window, cut at the edges."""

    def away(self, away: bool) -> object:
        """Whether it is off the screen, where nothing moves."""

    def brought(self) -> object:
        """After a trip, with something that it found."""

    def fade(self, faded: bool) -> object:
        """Vanish or appear, within ``FADE_MS``."""

    def landed(self) -> object:
        """After a fall."""


class Travels:
    """``walk``: the number of its newest walk; 0 once its owner takes it."""

    def __init__(
        self, scene: Scene, player: Player, slide: Slide, agenda: Agenda, random: Callable[[], float]
    ) -> None:
        self._scene = scene
        self._player = player
        self._slide = slide
        self._agenda = agenda
        self._random = random
        self._fading: DueCall | None = None
        self._out: DueCall | None = None  # the end of its looking out from behind its chat, or of a trip
        self._way_out = 0.0
        self._off = 0  # the side of the screen at which it is out or on its way, 0: at none
        self._from = 0.0
        self._aside = Slide(agenda, self._shift)
        self._soon: DueCall | None = None  # a leap, or the end of hanging on to a window's side
        self.walk = 0

    @property
    def moving(self) -> bool:
        return self.animated or self._fading is not None

    @property
    def animated(self) -> bool:
        """Whether it moves other than in a fade."""
        return self._slide.moving or self._aside.moving or self._soon is not None

    def go(self, dx: float, dy: float, how: str, walk: int) -> None:
        """Go to a place that the shell has chosen: "peek", "fall", "hop", "climb", "run", "walk" or
        "walk_to_edge"; "leave": off the screen and back."""
        self.stop()
        self.walk = walk
        if self._scene.hidden:
            self._scene.move(dx, dy, True)
        elif how == "leave":
            self._leave(dx)
        elif how == "peek":
            self._peek(dx)
        elif self._scene.calm:
            self._fade(dx, dy)
        elif how == "fall":
            self._player.react("carried")
            self._slide.fall(dy, self._scene.landed)
        elif how == "hop":
            self._player.react("crouch")
            self._soon = self._agenda.after(_CROUCH_MS, lambda: self._leap(dx, dy))
        elif how == "climb":
            self._player.react("climb-left" if dx < 0 else "climb-right")
            self._slide.climb(dx, dy, self._hang)
        else:
            there = "landed" if how != "walk_to_edge" else "sit" if self._random() < 0.5 else "peek"
            self._walk(dx, dy, lambda: self._player.react(there), runs=how == "run")

    def stop(self) -> None:
        """End where it is, and be seen whole there."""
        if self._fading is not None:
            self._fading.cancel()
            self._fading = None
            self._scene.fade(False)
            self._scene.move(0, 0, True)
        if self._slide.moving or self._soon is not None:
            self._player.react(None)  # else it would hang in the air
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None
            if not self._slide.moving:
                self._scene.move(0, 0, True)
        self._slide.stop()
        self._uncover()

    def take(self) -> None:
        """Its owner takes it from any place."""
        self.walk = 0
        self._uncover()

    def come_out(self) -> None:
        """Come out from behind its chat or back onto the screen, if it is there."""
        if self._off:
            self._come_back()
        if self._out is None:
            return
        out = self._way_out
        self._out.cancel()
        self._out = None
        if self._scene.hidden or self._scene.calm:
            self._fade(out, 0, self._uncover)
            return

        def ended() -> None:
            self._uncover()
            self._player.react("landed")

        self._walk(out, 0, ended, lambda before, _after: self._cover(out, before - out))

    def _uncover(self) -> None:
        if self._out is not None:
            self._out.cancel()
            self._out = None
        self._scene.cover(0, 0)
        if self._off:
            self._off = 0
            self._aside.stop()
            self._scene.away(False)
            self._player.react(None)
            self._scene.shift(0)

    def _shift(self, dx: float, dy: float, done: bool) -> None:  # noqa: ARG002
        self._scene.shift(dx + self._from)

    def _leap(self, dx: float, dy: float) -> None:
        self._soon = None
        self._player.react("jump-left" if dx < 0 else "jump-right")
        self._slide.hop(dx, dy, self._scene.landed)

    def _hang(self) -> None:
        def let_go() -> None:
            self._soon = None
            self._player.react(None)

        self._soon = self._agenda.after(_HANGS_MS, let_go)

    def _leave(self, way: float) -> None:
        """Go off the screen at its side, and come back after a while."""
        self._off = -1 if way < 0 else 1
        least, most = _AWAY_MS

        def gone() -> None:
            self._scene.away(True)
            self._out = self._agenda.after(least + (most - least) * self._random(), self._come_back)

        self._from = 0.0
        if self._scene.calm:
            self._off = 0
            return
        self._player.react("walk-left" if way < 0 else "walk-right")
        self._aside.walk(self._off * self._scene.width, 0, gone)

    def _come_back(self) -> None:
        there, off = self._out is not None, self._off
        if not there or self._scene.hidden or self._scene.calm:
            self._uncover()
            return
        if self._out is not None:
            self._out.cancel()
            self._out = None
        self._scene.away(False)
        self._player.react("walk-left" if off > 0 else "walk-right")
        self._from = off * self._scene.width

        def ended() -> None:
            self._off = 0
            self._scene.brought()

        self._aside.walk(-self._from, 0, ended)

    def _peek(self, dx: float) -> None:
        """Go half behind the chat, look out for some seconds, and come back."""

        def look_out() -> None:
            self._player.react("spy-right" if dx < 0 else "spy-left")
            self._way_out = -dx
            self._out = self._agenda.after(_PEEK_MS, self.come_out)

        if self._scene.calm:

            def unseen() -> None:
                self._cover(-dx, dx)
                look_out()

            self._fade(dx, 0, unseen)
        else:
            self._walk(dx, 0, look_out, lambda _before, after: self._cover(-dx, after))

    def _walk(
        self,
        dx: float,
        dy: float,
        ended: Callable[[], object],
        step: Callable[[float, float], object] = lambda _before, _after: None,
        *,
        runs: bool = False,
    ) -> None:
        self._player.react("walk-left" if dx < 0 else "walk-right")
        self._slide.walk(dx, dy, ended, step, runs=runs)

    def _cover(self, out: float, at: float) -> None:
        """Leave out what is behind the chat. ``out``: the way out; ``at``: where it is, from its place outside."""
        hidden = max(0, round(abs(at) - abs(out) + self._scene.width / 2))
        if out > 0:
            self._scene.cover(hidden, 0)
        else:
            self._scene.cover(0, hidden)

    def _fade(self, dx: float, dy: float, unseen: Callable[[], object] = lambda: None) -> None:
        """Vanish, be there, and appear. ``unseen``: called meanwhile."""
        self._scene.fade(True)

        def there() -> None:
            self._fading = None
            unseen()
            self._scene.move(dx, dy, True)
            self._scene.fade(False)

        self._fading = self._agenda.after(FADE_MS, there)
