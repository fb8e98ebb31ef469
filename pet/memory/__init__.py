"""Daily logs, and an index over profile, memory and logs that finds what was meant.

Owns how a log is written down, how a file is cut into entries, and everything about searching them. Refuses to
change the pet's files: the index is derived from them, lives in the cache folder and may be deleted at any time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pet.memory.index.memory_index import Hit, MemoryIndex, open_index

__all__ = ["Hit", "MemoryIndex", "open_index"]


def __getattr__(name: str) -> object:
    """The index is imported when it is asked for: who only writes a log starts without it."""
    if name not in __all__:
        raise AttributeError(name)
    from pet.memory.index import memory_index as index

    return getattr(index, name)
