"""Clickable region of the pet's window, as rectangles from the image's alpha. Pure.

The outline is dilated, so that a click just beside a paw, or a frame shifted by a pixel, still hits the pet.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pet.desktop.geometry import Rect

GROW = 4
"""Dilation in pixels."""
OPAQUE = 24
"""Alpha threshold; soft shadows and antialiased edges are below it."""

_OPAQUE_RUN = re.compile(rb"[\x%02x-\xff]+" % OPAQUE)

Spans = list[tuple[int, int]]
"""The runs [start, end) of pixels in one row."""


def click_outline(alpha: Sequence[bytes], *, grow: int = GROW) -> list[Rect]:
    """Return rectangles that cover every pixel within ``grow`` of an opaque one; none for an empty image.

    ``alpha`` has one byte per pixel, row by row. Runs that repeat in the next row are merged into one taller
    rectangle.
    """
    rows = [[run.span() for run in _OPAQUE_RUN.finditer(row)] for row in alpha]
    width = len(alpha[0]) if alpha else 0
    grown = [_grown(rows, index, grow, width) for index in range(len(rows))]
    return _stacked(grown)


def _grown(rows: Sequence[Spans], index: int, grow: int, width: int) -> Spans:
    """Return the row's runs widened by ``grow``, united with those of the rows within ``grow`` above and below."""
    near = rows[max(0, index - grow) : index + grow + 1]
    wide = sorted((max(0, start - grow), min(width, end + grow)) for spans in near for start, end in spans)
    merged: Spans = []
    for start, end in wide:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _stacked(rows: Sequence[Spans]) -> list[Rect]:
    rects: list[Rect] = []
    begin = 0
    for y in range(1, len(rows) + 1):
        if y == len(rows) or rows[y] != rows[begin]:
            rects.extend(Rect(start, begin, end - start, y - begin) for start, end in rows[begin])
            begin = y
    return rects
