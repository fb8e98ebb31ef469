"""The pet's ways over the screen: on foot, falling, half behind its chat and back; in fades with reduced motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pet.body.agenda import Agenda, DueCall
from pet.body.motion import Slide
from pet.body.timeline import Player

FADE_MS = 180
_PEEK_MS = 5_800  # for which it looks out from behind its chat


class Scene(Protocol):
    """What the pet's window does for its ways."""

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
        self._out: DueCall | None = None  # the end of its looking out from behind its chat
        self._way_out = 0.0
        self.walk = 0

    @property
    def moving(self) -> bool:
        return self._slide.moving or self._fading is not None

    def go(self, dx: float, dy: float, how: str, walk: int) -> None:
        """Go to a place that the shell has chosen: "peek", "fall", "walk" or "walk_to_edge"."""
        self.stop()
        self.walk = walk
        if self._scene.hidden:
            self._scene.move(dx, dy, True)
        elif how == "peek":
            self._peek(dx)
        elif self._scene.calm:
            self._fade(dx, dy)
        elif how == "fall":
            self._player.react("carried")
            self._slide.fall(dy, self._scene.landed)
        else:
            there = "landed" if how != "walk_to_edge" else "sit" if self._random() < 0.5 else "peek"
            self._walk(dx, dy, lambda: self._player.react(there))

    def stop(self) -> None:
        """End where it is, and be seen whole there."""
        if self._fading is not None:
            self._fading.cancel()
            self._fading = None
            self._scene.fade(False)
            self._scene.move(0, 0, True)
        if self._slide.moving:
            self._player.react(None)  # else it would hang in the air
        self._slide.stop()
        self._uncover()

    def take(self) -> None:
        """Its owner takes it, from wherever it is."""
        self.walk = 0
        self._uncover()

    def come_out(self) -> None:
        """Come out from behind its chat, if it is there."""
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
    ) -> None:
        self._player.react("walk-left" if dx < 0 else "walk-right")
        self._slide.walk(dx, dy, ended, step)

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
