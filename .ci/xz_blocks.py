"""One .xz stream of several blocks, each with the filters that suit its content.

Machine code shrinks after a filter that makes the addresses of calls absolute, and numbers shrink without prediction
of a byte from the one before. Blocks of a stream may differ in filters, and every reader of .xz accepts that, dpkg
included; Python's own module writes streams of one block only. (https://tukaani.org/xz/xz-file-format.txt)
"""

from __future__ import annotations

import lzma
import struct
from collections.abc import Iterable
from typing import Any
from zlib import crc32

Filters = list[dict[str, Any]]

_HEADER, _FOOTER = 12, 12  # bytes
_DICTIONARY = 64 << 20
"""Bytes; unpacking needs slightly more memory."""


def filters(*, machine: str = "", width: int = 0, records: int = 0) -> Filters:
    """Return filters. ``machine``: architecture of the code, as dpkg names it. ``width``: bytes of each number,
    independent of the one before. ``records``: bytes of each entry of a table whose entries differ little from the
    one before.
    """
    bits = width.bit_length() - 1
    compressor: dict[str, Any] = {
        "id": lzma.FILTER_LZMA2,
        "preset": 9 | lzma.PRESET_EXTREME,
        "dict_size": _DICTIONARY,
        **({"lc": 0, "lp": bits, "pb": bits} if width else {}),
    }
    if records:
        return [{"id": lzma.FILTER_DELTA, "dist": records}, compressor]
    return [*([{"id": lzma.FILTER_X86}] if machine == "amd64" else []), compressor]


def block(content: bytes, chosen: Filters) -> bytes:
    """Return a whole stream of one block."""
    return lzma.compress(content, format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC64, filters=chosen)


def join(streams: Iterable[bytes]) -> Iterable[bytes]:
    """Yield the pieces of one stream with the blocks of all ``streams``, which have one block each. Raises
    ValueError.
    """
    records = bytearray()
    count = 0
    header = b""
    for stream in streams:
        if not header:
            header = stream[:_HEADER]
            yield header
        (backward,) = struct.unpack("<I", stream[-8:-4])
        index = stream[-_FOOTER - 4 * (backward + 1) : -_FOOTER]
        if stream[:_HEADER] != header or index[:2] != b"\0\1":
            raise ValueError("not a stream of one block with the same check")
        yield stream[_HEADER : -_FOOTER - len(index)]
        records += _record(index)
        count += 1
    index = b"\0" + _number(count) + bytes(records)
    index += bytes(-len(index) % 4)
    index += struct.pack("<I", crc32(index))
    end = struct.pack("<I", len(index) // 4 - 1) + header[6:8]
    yield index + struct.pack("<I", crc32(end)) + end + b"YZ"


def _record(index: bytes) -> bytes:
    """Return the only record of an index: two numbers, of which all bytes but the last have the highest bit."""
    end = 2
    for _ in range(2):
        while index[end] & 0x80:
            end += 1
        end += 1
    return index[2:end]


def _number(value: int) -> bytes:
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*encoded, value])
