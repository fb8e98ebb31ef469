"""Access policy of the memory switch: which files a conversation may read, send and write. Pure; no I/O."""
