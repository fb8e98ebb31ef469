"""Photographs that are meant to hurt."""

from __future__ import annotations


def drawn_over(progressive: bytes, times: int, before_each: bytes = b"") -> bytes:
    """A JPEG that comes in by passes, the last of them again and again: few bytes, and much work for each."""
    last = progressive[progressive.rfind(b"\xff\xda") : -2]
    return progressive[:-2] + times * (before_each + last) + progressive[-2:]
