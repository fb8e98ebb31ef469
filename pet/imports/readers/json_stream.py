"""The objects of a large JSON array one by one, without holding more than one of them.

Refuses nothing of what an object says: each goes through the bounded parser. One that is larger than the limit is
passed over, and told as ``TOO_LARGE``; so is one that is little but brackets, since in memory it would be
30 times as large.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO, Final

from pet.untrusted.parsers import MAX_DEPTH, TooDeep, read_json

MAX_ITEM = 64 << 20
"""Bytes of one object."""
MAX_VALUES = 2_000_000
"""Objects and arrays within one object; a conversation of 100,000 messages has about 800,000. Each takes 56 bytes or
more in memory, and two in the file."""
TOO_LARGE: Final = object()
_CHUNK = 1 << 20
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|["\[\]{}]', re.DOTALL)


def read_objects(stream: BinaryIO, limit: int = MAX_ITEM, most: int = MAX_VALUES) -> Iterator[Any]:
    """The objects in the array, or the one object that the file is. Raises ValueError where it is no JSON."""
    held = bytearray()
    place = level = start = values = 0
    outer: int | None = None  # the level of the array's own bracket: 1, or 0 for a single object
    skipping = False
    while chunk := stream.read(_CHUNK):
        if outer is None:
            chunk = chunk.removeprefix(b"\xef\xbb\xbf")
        held += chunk
        done = len(held)
        for token in _TOKEN.finditer(held, place):
            char = token[0]
            if len(char) > 1:
                continue
            if char == b'"':  # not closed yet: seen again with the next chunk
                done = token.start()
                break
            if outer is None:
                outer = 1 if char == b"[" else 0
            if char in b"[{":
                if level == outer and char == b"{":
                    start, values = token.start(), 0
                level += 1
                values += 1
                if level > MAX_DEPTH + outer:
                    raise TooDeep
                continue
            level -= 1
            if level < 0:
                raise ValueError("unbalanced")
            if level == outer and char == b"}":
                yield TOO_LARGE if skipping or values > most else read_json(bytes(held[start : token.end()]))
                skipping, start = False, token.end()
        if outer is None and len(held) > _CHUNK:
            raise ValueError("not JSON")
        keep = start if outer is not None and level > outer and not skipping else done
        if len(held) - keep > limit:  # of an object too large to hold, only its brackets are counted
            if done == keep:
                raise ValueError("a text too long")
            skipping, keep = True, done
        del held[:keep]
        place, start = done - keep, 0
    if level != 0 or outer is None:
        raise ValueError("cut off")
