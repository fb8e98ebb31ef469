"""Access policy of the brain switch: which files a conversation may read, send and write. Pure; no I/O."""
