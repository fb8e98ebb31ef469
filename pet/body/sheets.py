"""Acts by the pictures of a skin that isn't ours: a sheet of cells, such as a Codex pet's or a Shimeji's. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from pet.body.acts import COMMON_ACTS, Act
from pet.body.bodies import is_mirrored, own_timing, poses_of
from pet.body.creature import HEIGHT, BodyPose


class Animation(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def frames(self) -> Sequence[int]: ...
    @property
    def milliseconds(self) -> Sequence[int]: ...


class Sheet(Protocol):
    """``looks``: 16 cells, clockwise from up; or empty."""

    @property
    def animations(self) -> Sequence[Animation]: ...
    @property
    def looks(self) -> Sequence[int]: ...


# Substitutes of each act, best first; the last resort is idle.
_SHOWN_BY: Mapping[Act, tuple[str, ...]] = {
    **{act: (act,) for act in COMMON_ACTS},
    "wave": ("waving",),
    "happy": ("happy", "jumping"),
    "sad": ("sad", "failed"),
    "surprised": ("surprised", "waving"),
    "thinking": ("thinking", "running"),
    "talking": ("talking", "running"),
    "ready": ("review", "waiting"),
    "listening": ("listening", "review"),
    "remembered": ("remembered", "jumping"),
    "given": ("given", "jumping"),
    "poked": ("poked", "jumping"),
    "carried": ("carried", "dragged", "jumping"),
    "carried-left": ("running-left", "carried", "dragged"),
    "carried-right": ("running-right", "carried", "dragged"),
    "dropped": ("dropped", "jumping"),
    "walk-left": ("running-left",),
    "walk-right": ("running-right",),
    "thrown-left": ("running-left",),
    "thrown-right": ("running-right",),
    "landed": ("dropped", "jumping"),
    **{f"{act}-{way}": (f"running-{way}",) for act in ("jump", "climb", "pounce") for way in ("left", "right")},
}
# Acts for which a still picture can be moved.
_MOVES = frozenset(
    {
        "breath",
        "sway",
        "shift",
        "hop",
        "stretch",
        "giggle",
        "leap",
        "walk-left",
        "walk-right",
        "thrown-left",
        "thrown-right",
        "landed",
    }
)


ROOM = 0.88
"""Size of a still picture that is moved: room to leap."""


def css_movement(pose: BodyPose, size: float, width: int, height: int) -> str:
    """Return the pose of a whole picture as a CSS transform, from the middle of its lower edge; ``width`` and
    ``height`` of the picture."""
    across, down = 100 * pose.x * height / HEIGHT / width, 100 * pose.y / HEIGHT
    turned = f"rotate({pose.turn:g}deg)"
    if pose.hung:
        turned = f"translate(0, -100%) {turned} translate(0, 100%)"
    return f"translate({across:.4g}%, {down:.4g}%) scale({size:g}) {turned} scale({pose.sx:g}, {pose.sy:g})"


class SheetActs:
    """``still``: a skin of still pictures, such as a card's portrait. It is animated by the movements of our own
    bodies; one that only has no walk walks in their small hops."""

    def __init__(self, sheet: Sheet) -> None:
        self._looks = sheet.looks
        self._animations = {each.name: each for each in reversed(sheet.animations)}
        self.still = len(self.frames("idle")) < 2

    def _animation(self, act: Act) -> Animation | None:
        names = _SHOWN_BY.get(act, ())
        return next((self._animations[name] for name in names if name in self._animations), None)

    def frames(self, act: Act, *, bud: bool = False) -> Sequence[int]:
        """Return the cells of an act, in order; the first frame of idle for an act without pictures. ``bud``: with
        memory off, a skin with an ``off`` animation rests in that."""
        off = self._animations.get("off") if bud and act == "idle" else None
        own = off or self._animation(act)
        if own is not None:
            return own.frames
        idle = self._animation("idle")
        return idle.frames[:1] if idle else (0,)

    def own_times(self, act: Act) -> Sequence[int] | None:
        """The timing of its pictures alone."""
        animation = self._animation(act)
        return animation.milliseconds if animation else None

    def timing(self, act: Act) -> Sequence[int] | None:
        """The timing with the movements of our own bodies."""
        return own_timing(act) if self._is_moved(act) else self.own_times(act)

    def picture(self, act: Act, frame: int, *, bud: bool = False) -> tuple[int, BodyPose | None]:
        """Return the cell, and how the whole figure is moved."""
        frames = self.frames(act, bud=bud)
        cell = frames[frame % len(frames)] if frames else 0
        poses = poses_of(act) if self._is_moved(act) else None
        pose = poses[frame] if poses and frame < len(poses) else None
        if pose is not None and is_mirrored(act):
            pose = replace(pose, x=-pose.x, turn=-pose.turn)
        return cell, pose

    def gaze(self, direction: int) -> int | None:
        """Return the cell for one of 16 viewing directions, or None if the sheet has none."""
        return self._looks[direction] if direction < len(self._looks) else None

    def _is_moved(self, act: Act) -> bool:
        own = self.own_times(act)
        if not self.still:
            return own is None and act in ("walk-left", "walk-right")
        return len(self.frames(act)) < 2 and (own is not None or act in _MOVES)
