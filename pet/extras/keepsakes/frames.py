"""Steps of a film of the pet, and the lines of its bubble. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from pet.body.acts import Act, Step, Timing, steps_of

FILM_MS = 3_000
_MOST_FRAMES = 40
_SCENE: tuple[Act, ...] = ("wave", "happy", "breath")  # what an idle pet does in a film
_MOST_LINES = 6
_MOST_BARS = 5
_BAR = 34  # characters
_PART = re.compile(r"\n|[^\S\n]+|[\u2e80-\uffef]|[^\s\u2e80-\uffef]+")


def filmed(act: Act, frame: int, timing: Timing) -> list[Step]:
    """Return the steps of a film: its act, or a small scene for an idle pet; a single step at least."""
    scene = [step for each in (_SCENE if act == "idle" else (act,)) for step in steps_of(each, timing)]
    if not scene:
        return [Step(act, frame, FILM_MS)]
    steps: list[Step] = []
    left = FILM_MS
    while left > 0 and len(steps) < _MOST_FRAMES:
        step = scene[len(steps) % len(scene)]
        steps.append(replace(step, ms=min(step.ms, left)))
        left -= step.ms
    return steps


def wrapped_lines(text: str, fits: Callable[[str], bool], most: int = _MOST_LINES) -> list[str]:
    """Break a text into lines, at blanks where there are some; what is beyond the most ends in an ellipsis."""
    lines: list[str] = []
    line = ""

    def begin(first: str) -> None:
        nonlocal line
        lines.append(line.rstrip())
        line = first.lstrip()

    for match in _PART.finditer(text):
        part = match[0]
        if part == "\n":
            begin("")
        elif fits(line + part) or not part.strip():
            line += part
        else:
            if line:
                begin("")
            for letter in part:
                if fits(line + letter) or not line:
                    line += letter
                else:
                    begin(letter)
                if len(lines) > most:
                    break
        if len(lines) > most:
            break
    begin("")
    return [*lines[: most - 1], f"{lines[most - 1]}…"] if len(lines) > most else lines


def bar_count(text: str) -> int:
    """Return the number of bars that represent a text."""
    return min(_MOST_BARS, -(-len(text) // _BAR))
