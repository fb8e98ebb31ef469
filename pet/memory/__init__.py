"""Daily logs, and an index over profile, memory and logs that finds what was meant (PRODUCT §6.1 to §6.3).

Owns how a log is written down, how a file is cut into entries, and everything about searching them. Refuses to
change the pet's files: the index is derived from them, lives in the cache folder and may be deleted at any time.
"""

from pet.memory.index import Hit, MemoryIndex, open_index

__all__ = ["Hit", "MemoryIndex", "open_index"]
