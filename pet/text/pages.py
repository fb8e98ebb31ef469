"""Pages of a document's text: split, and named by ranges such as ``1-40,280``; pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

BREAK = "\f"
"""Between pages, as in plain text for printers."""

_LONGEST_PAGE = 12_000  # characters
_PART = 3_000
_RANGE = re.compile(r"\s*(\d{1,6})\s*(?:[-\u2013\u2014~\uff5e]\s*(\d{1,6})\s*)?")


def split_pages(text: str) -> list[str]:
    """Return the pages; of a long text without page breaks, parts of a page's length that end with a line."""
    return [part for page in text.split(BREAK) for part in _parts(page)]


def _parts(page: str) -> list[str]:
    if len(page) <= _LONGEST_PAGE:
        return [page]
    parts: list[str] = []
    start = 0
    while len(page) - start > _PART:
        end = page.rfind("\n", start + _PART // 2, start + _PART) + 1 or start + _PART
        parts.append(page[start:end])
        start = end
    return [*parts, page[start:]]


def parse_ranges(ranges: str, count: int) -> tuple[int, ...]:
    """Return the pages from 1, in order, each once; those beyond ``count`` are left out. Raises ValueError."""
    pages: set[int] = set()
    for part in re.split("[,;\uff0c\u3001\uff1b]", ranges):
        match = _RANGE.fullmatch(part)
        if match is None:
            raise ValueError(part)
        first, last = int(match[1]), int(match[2] or match[1])
        pages.update(range(max(1, first), min(last, count) + 1))
    return tuple(sorted(pages))


def format_ranges(pages: Iterable[int]) -> str:
    """Return pages as ranges.

    >>> format_ranges([1, 2, 3, 280])
    '1-3,280'
    """
    runs: list[list[int]] = []
    for page in sorted(set(pages)):
        if runs and page == runs[-1][1] + 1:
            runs[-1][1] = page
        else:
            runs.append([page, page])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def numbered_pages(text: str, ranges: str) -> str:
    """Return the pages of these ranges, each below its number; ``ranges`` "" for all. A text without page breaks that
    is wanted whole is returned as it is. Raises ValueError."""
    if not ranges and BREAK not in text:
        return text
    pages = split_pages(text)
    chosen = parse_ranges(ranges, len(pages)) if ranges else range(1, len(pages) + 1)
    return "\n".join(f"[page {page}]\n{pages[page - 1].strip()}" for page in chosen)


def first_fitting(pages: Sequence[str], budget: int, size: Callable[[str], int]) -> int:
    """Return how many pages fit together, counted from the first; at least one."""
    used = 0
    for count, page in enumerate(pages):
        used += size(page)
        if used > budget:
            return max(1, count)
    return len(pages)
