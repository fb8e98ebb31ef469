"""Acts of the pet, the acts for the core's moods, their steps, and short films of them for pages. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

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


_PARADE: tuple[Act, ...] = ("wave", "happy", "thinking", "talking", "waiting", "surprised", "sad", "asleep")
_EACH_MS = 1600
_PAUSE_MS = 3000  # between two breaths


@dataclass(frozen=True, slots=True)
class Film:
    """``again``: the step after the last one. ``still``: the step to show where motion is reduced."""

    steps: Sequence[Step]
    again: int
    still: int


def parade(timing: Timing) -> Film:
    """Return a film of all acts in turn, without an end."""
    steps: list[Step] = []
    for act in _PARADE:
        left = _EACH_MS
        for step in performed(act, timing) or [Step(act, 0, left)]:
            if left > 0:
                steps.append(replace(step, ms=min(step.ms, left)))
                left -= step.ms
        if left > 0:
            steps[-1] = replace(steps[-1], ms=steps[-1].ms + left)
    return Film(steps, 0, 0)


def performance(act: Act, timing: Timing) -> Film:
    """Return a film of one act, then of its rest: a breath and a blink; a lasting act has no end."""
    steps = performed(act, timing) or [Step(act, 0, _EACH_MS)]
    frame = resting_frame(act, timing, still=True)
    still = next((at for at, step in enumerate(steps) if step.frame == frame), 0)
    if act in LASTING:
        return Film(steps, 0, still)
    rest, *breath = steps_of("breath", timing) or [Step("idle", 0, _PAUSE_MS)]
    calm = [replace(rest, ms=_PAUSE_MS), *breath]
    return Film([*steps, *calm, *calm, *steps_of("blink", timing)], len(steps), still)
