"""File system primitives: folders opened without following links, atomic replacement, locks, zip reading."""
