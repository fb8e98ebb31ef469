"""Acts of the pet, the acts for the core's moods, and their steps. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pet.moods import Mood

Act = str
"""A name in ``assets/bodies/frames.json``, or a mirrored one (see ``bodies``)."""
Timing = Callable[[Act], Sequence[int] | None]
"""Returns the milliseconds of each frame of an act; None: the skin lacks it."""

COMMON_ACTS: tuple[Act, ...] = (
    "idle",
    "wave",
    "happy",
    "sad",
    "surprised",
    "thinking",
    "talking",
    "waiting",
    "ready",
    "asleep",
    "failed",
    "listening",
    "remembered",
    "given",
    "poked",
    "carried",
    "carried-left",
    "carried-right",
    "dropped",
)
"""Acts of every skin. One without pictures for an act shows another (see ``sheets``)."""
WAYS: tuple[Act, ...] = ("nod", "lean", "dance", "treasure", "soap")
"""Acts that come with acquaintance: ``pet/memory/reminders/data/occasions.json`` says when."""

ACT_OF: Mapping[Mood, Act] = {
    **{mood: mood.value for mood in Mood},
    Mood.NEUTRAL: "idle",
    Mood.ERROR: "failed",
}

LASTING = frozenset(
    {
        "thinking",
        "talking",
        "listening",
        "carried",
        "carried-left",
        "carried-right",
        "walk-left",
        "walk-right",
        "thrown-left",
        "thrown-right",
        "jump-left",
        "jump-right",
        "climb-left",
        "climb-right",
    }
)
"""Acts shown until the core or a hand ends them."""

_TIMES: Mapping[Act, int] = {"sad": 1, "surprised": 1, "wave": 2, "remembered": 1, "given": 1, "sit": 2}
_MOOD_ACTS = frozenset(ACT_OF.values())
_REST_ON_LAST = frozenset({"happy", "failed", "sad", "surprised", "ready", "asleep"})
_FASTEST = 40


@dataclass(frozen=True, slots=True)
class Step:
    """A frame of an act for ``ms`` milliseconds. ``glance``: a glance towards the pointer or anywhere instead."""

    act: Act
    frame: int
    ms: int
    glance: bool = False


def steps_of(act: Act, timing: Timing) -> list[Step]:
    """Return all frames of an act once, or none if the skin lacks it."""
    return [Step(act, frame, max(ms, _FASTEST)) for frame, ms in enumerate(timing(act) or ())]


def performed(act: Act, timing: Timing) -> list[Step]:
    """Return the frames of an act until it rests or repeats."""
    steps = steps_of(act, timing)
    if act in LASTING:
        return [] if len(steps) < 2 else steps
    return steps * _TIMES.get(act, 3 if act in _MOOD_ACTS else 1)


def resting_frame(act: Act, timing: Timing, *, still: bool) -> int:
    """Return the frame on which an act rests; for a ``still`` picture, its only one."""
    times = timing(act)
    count = 1 if times is None else len(times)
    if act == "idle":
        return 0
    if still and act in LASTING:
        return count // 2
    return count - 1 if still or act in _REST_ON_LAST else 0
