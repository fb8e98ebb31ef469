"""Short films of the pet for pages: which pictures follow each other, and from where they repeat. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pet.body.acts import LASTING, Act, Step, Timing, performed, resting_frame, steps_of

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
