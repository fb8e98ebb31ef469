"""A pet's files: scoped names, per-file locks, compare-and-swap writes, version history, and the pets of a home."""
