"""File system primitives: directories opened without following links, atomic replacement, locks."""
