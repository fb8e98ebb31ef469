"""Hostile JPEG files."""

from __future__ import annotations

import struct


def drawn_over(progressive: bytes, times: int, before_each: bytes = b"") -> bytes:
    """Return a JPEG in scans, the last of them repeated: few bytes, much work for each."""
    last = progressive[progressive.rfind(b"\xff\xda") : -2]
    return progressive[:-2] + times * (before_each + last) + progressive[-2:]


def of_several(photograph: bytes) -> bytes:
    """Return the same JPEG as the first of two pictures (MPO), like those of cameras with two lenses."""
    entries = [(0xB000, 7, 4, b"0100"), (0xB001, 4, 1, struct.pack("<I", 2)), (0xB002, 7, 32, struct.pack("<I", 50))]
    index = struct.pack("<H", 3) + b"".join(struct.pack("<HHI4s", *each) for each in entries) + bytes(4)
    pictures = struct.pack("<IIIHH", 0x20030000, len(photograph), 0, 0, 0) + struct.pack("<IIIHH", 0, 99, 999, 0, 0)
    segment = b"MPF\0II*\0" + struct.pack("<I", 8) + index + pictures
    return photograph[:2] + b"\xff\xe2" + struct.pack(">H", len(segment) + 2) + segment + photograph[2:]
