"""Stream the objects of a large JSON file, one by one, within limits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO, Final

from pet.untrusted.parsers import MAX_DEPTH, TooDeep, read_json

MAX_ITEM = 64 << 20
"""Bytes of one object."""
MAX_VALUES = 2_000_000
"""Objects and arrays within one object, each of at least 56 bytes in memory. 100,000 messages have about 800,000."""
MAX_SCALARS = 5_000_000
"""Texts and numbers within one object: 62 MB of short texts took 1.1 GB."""
TOO_LARGE: Final = object()
_LISTS = (b'"conversations"', b'"data"')
"""Keys under which an export lists its conversations; "data" is Qwen Chat's."""
_CHUNK = 1 << 20
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|["\[\]{}]', re.DOTALL)
_SEPARATOR = re.compile(rb'"(?:[^"\\]++|\\.)*+"|,', re.DOTALL)


def read_objects(stream: BinaryIO, limit: int = MAX_ITEM, most: int = MAX_VALUES) -> Iterator[Any]:
    """Yield the objects of the array, or the single top-level object; of one that lists conversations, the objects of
    its lists from there on. Raises ValueError for invalid JSON."""
    held = bytearray()
    place = level = start = values = 0
    outer: int | None = None  # the level of the array's own bracket: 1, 2 within an object, or 0 for a single object
    key = b""
    skipping = False
    while chunk := stream.read(_CHUNK):
        if outer is None:
            chunk = chunk.removeprefix(b"\xef\xbb\xbf")
        held += chunk
        done = len(held)
        for token in _TOKEN.finditer(held, place):
            char = token[0]
            if len(char) > 1:
                if level == 1:
                    key = char if char in _LISTS else b""
                continue
            if char == b'"':  # incomplete: matched again with the next chunk
                done = token.start()
                break
            if outer is None:
                outer = 1 if char == b"[" else 0
            if char in b"[{":
                if outer == 0 and level == 1 and char == b"[" and key:
                    outer, skipping = 2, False
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
                item = bytes(held[start : token.end()])
                yield TOO_LARGE if skipping or values > most or _has_too_many(item) else read_json(item)
                skipping, start = False, token.end()
        if outer is None and len(held) > _CHUNK:
            raise ValueError("not JSON")
        keep = start if outer is not None and level > outer and not skipping else done
        if len(held) - keep > limit:  # of an object over the limit only the brackets are counted
            if done == keep:
                raise ValueError("a text too long")
            skipping, keep = True, done
        del held[:keep]
        place, start = done - keep, 0
    if level != 0 or outer is None:
        raise ValueError("cut off")


def _has_too_many(item: bytes) -> bool:
    """Whether it has more scalars than the limit; commas within texts don't count."""
    if item.count(b",") <= MAX_SCALARS:
        return False
    commas = (match for match in _SEPARATOR.finditer(item) if match[0] == b",")
    return next(islice(commas, MAX_SCALARS, None), None) is not None
