"""A pet's files: scoped names, per-file locks, compare-and-swap writes, version history, file watching."""
