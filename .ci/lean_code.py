"""Libraries without what only a debugger reads, in files that are as large but pack far smaller.

That are the names of functions inside (``.symtab``), and where each function keeps what it needs to return
(``.eh_frame``). C++ reads the latter to get from a throw to its catch; in a library that neither throws nor catches
nobody does, and without it such a search ends there instead of finding nothing above. Their data become zeros.
(https://refspecs.linuxfoundation.org/LSB_5.0.0/LSB-Core-generic/LSB-Core-generic/ehframechpt.html)
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

_NAMES = {b".symtab", b".strtab"}
_WAYS_BACK = {b".eh_frame", b".eh_frame_hdr"}
_TABLES_OF_CATCHES = b".gcc_except_table"
_THROWS = (b"__cxa_throw", b"__cxa_rethrow", b"_Unwind_")
_HEADER, _ENTRY = "<4sB11x24xQ10xHHH", "<IIQQQQ"
_64_BITS, _NO_DATA = 2, 8


def leaner(library: bytes) -> bytes:
    """Raises ValueError for what is no 64-bit ELF file with a table of sections."""
    sections = list(_sections(library))
    unread = set(_NAMES)
    if not any(name == _TABLES_OF_CATCHES for name, _, _ in sections) and not any(map(library.__contains__, _THROWS)):
        unread |= _WAYS_BACK
    made = bytearray(library)
    for name, begin, size in sections:
        if name in unread:
            made[begin : begin + size] = bytes(size)
    return bytes(made)


def _sections(library: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Name, place and size of each that has data."""
    magic, bits, table, entry, count, of_names = struct.unpack_from(_HEADER, library)
    if magic != b"\x7fELF" or bits != _64_BITS or not count:
        raise ValueError("not a library that is known")
    found = [struct.unpack_from(_ENTRY, library, table + entry * number) for number in range(count)]
    names = found[of_names][4]
    for name_at, kind, _, _, begin, size in found:
        name = library[names + name_at : library.index(b"\0", names + name_at)]
        if kind != _NO_DATA:
            yield name, begin, size
