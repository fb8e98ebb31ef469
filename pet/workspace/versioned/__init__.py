"""Versioned files: every write is locked, compared with its base, replaced atomically and kept in the history."""
