"""Which part of the pet's window takes clicks: its outline as rectangles, from the picture's alpha.

Pure. The outline is grown, so that a click beside a paw, or a frame that moves by a pixel, still meets the pet.
"""

from __future__ import annotations

from collections.abc import Sequence

from pet.desktop.geometry import Rect

GROW = 4
"""Pixels around the picture that still count as the pet."""
OPAQUE = 24
"""Alpha from here on is the pet; below it are soft shadows and smoothed edges."""

Spans = list[tuple[int, int]]


def click_outline(alpha: Sequence[bytes], *, grow: int = GROW, threshold: int = OPAQUE) -> list[Rect]:
    """Rectangles that cover every pixel within ``grow`` of an opaque one; none for an empty picture.

    ``alpha`` has one byte per pixel, row by row. Runs that repeat in the next row become one taller rectangle.
    """
    rows = [_spans(row, threshold) for row in alpha]
    width = len(alpha[0]) if alpha else 0
    grown = [_grown(rows, index, grow, width) for index in range(len(rows))]
    return _stacked(grown)


def _spans(row: bytes, threshold: int) -> Spans:
    """The runs [start, end) of opaque pixels in one row."""
    spans: Spans = []
    start: int | None = None
    for x, value in enumerate(row):
        if value >= threshold:
            start = x if start is None else start
        elif start is not None:
            spans.append((start, x))
            start = None
    if start is not None:
        spans.append((start, len(row)))
    return spans


def _grown(rows: Sequence[Spans], index: int, grow: int, width: int) -> Spans:
    """The row's runs widened by ``grow``, together with those of the rows within ``grow`` above and below."""
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
