"""Line diff and three-way merge. Pure.

A merge succeeds only if the two changes neither overlap nor touch; otherwise the result is None and a person decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from pet.workspace.text.line_match import matching_blocks

Opcode = tuple[int, int, int, int]
"""Old lines [start, end) became new lines [start, end); 0-based."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """One line of a diff; line numbers are 1-based, None in the text that lacks the line."""

    kind: Literal["same", "added", "removed"]
    text: str
    old_line: int | None
    new_line: int | None


def changes(old: list[str], new: list[str]) -> list[Opcode]:
    """Return the opcodes of lines that differ."""
    opcodes: list[Opcode] = []
    old_at = new_at = 0
    for block_old, block_new, size in [*matching_blocks(old, new), (len(old), len(new), 0)]:
        if block_old > old_at or block_new > new_at:
            opcodes.append((old_at, block_old, new_at, block_new))
        old_at, new_at = block_old + size, block_new + size
    return opcodes


def diff_lines(old: str, new: str) -> list[DiffLine]:
    """Return the full diff of both texts, unchanged lines included."""
    before, after = _lines(old), _lines(new)
    diff: list[DiffLine] = []
    old_at = new_at = 0
    for old_from, old_to, new_from, new_to in [
        *changes(before, after),
        (len(before), len(before), len(after), len(after)),
    ]:
        for step in range(old_from - old_at):
            line = before[old_at + step]
            diff.append(DiffLine(kind="same", text=line, old_line=old_at + step + 1, new_line=new_at + step + 1))
        diff += [
            DiffLine(kind="removed", text=before[n], old_line=n + 1, new_line=None) for n in range(old_from, old_to)
        ]
        diff += [
            DiffLine(kind="added", text=after[n], old_line=None, new_line=n + 1) for n in range(new_from, new_to)
        ]
        old_at, new_at = old_to, new_to
    return diff


def count_changes(old: str, new: str) -> tuple[int, int]:
    """Return the numbers of lines added and removed, as shown in a receipt."""
    opcodes = changes(_lines(old), _lines(new))
    return sum(to - start for _, _, start, to in opcodes), sum(to - start for start, to, _, _ in opcodes)


def merge3(base: str, ours: str, theirs: str) -> str | None:
    """Merge both changes of ``base``; None if they overlap or touch.

    >>> merge3("a\\nb\\nc\\n", "A\\nb\\nc\\n", "a\\nb\\nC\\n")
    'A\\nb\\nC\\n'
    """
    base_lines, our_lines, their_lines = (text.splitlines(keepends=True) for text in (base, ours, theirs))
    our_edits = [(a, b, tuple(our_lines[c:d])) for a, b, c, d in changes(base_lines, our_lines)]
    their_edits = [(a, b, tuple(their_lines[c:d])) for a, b, c, d in changes(base_lines, their_lines)]
    edits = sorted({*our_edits, *their_edits})
    for (_, end, _), (start, _, _) in pairwise(edits):
        if start <= end:
            return None
    merged: list[str] = []
    at = 0
    for start, end, lines in edits:
        merged += [*base_lines[at:start], *lines]
        at = end
    return "".join([*merged, *base_lines[at:]])


def remove_block(before: str, after: str, now: str) -> str | None:
    """Return ``now`` without the lines ``after`` added to ``before``; None unless they occur unchanged exactly once.

    A log grows at its end, so later entries touch earlier ones and a merge would not revert them. The title of a new
    file is kept, since other entries may follow it.
    """
    old, new = (text.splitlines(keepends=True) for text in (before, after))
    opcodes = changes(old, new)
    if len(opcodes) != 1 or opcodes[0][0] != opcodes[0][1]:
        return None
    added = new[opcodes[0][2] : opcodes[0][3]]
    if not old:
        added = added[1:] if added[0].startswith("# ") else []
    block, text = "\n" + "".join(added), "\n" + now
    at = text.find(block)
    ends_line = block.endswith("\n") or at + len(block) == len(text)
    if at < 0 or not ends_line or text.find(block, at + 1) >= 0 or not block.strip():
        return None
    return now[:at] + now[at + len(block) - 1 :]


def restore_block(before: str, after: str, now: str) -> str | None:
    """Return ``now`` with the last lines of ``before`` that ``after`` lacks; None if present or without a place.

    The inverse of ``remove_block``. They go where they were if ``now`` still begins with ``after``; otherwise a
    section with a heading, such as an entry of a log, goes to the end.
    """
    title = before[: before.find("\n") + 1] if before.startswith("# ") else ""
    stem = after or title
    block = before[len(stem) :]
    if (
        not (stem.endswith("\n") and before.startswith(stem) and block.endswith("\n") and block.strip())
        or block in now
    ):
        return None
    if now.startswith(stem):
        return stem + block + now[len(stem) :]
    rest = now or title
    return rest + block if rest.endswith("\n") and block.lstrip("\n").startswith("## ") else None


def _lines(text: str) -> list[str]:
    """Split without the empty piece after a final newline."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if not lines[-1] else lines
