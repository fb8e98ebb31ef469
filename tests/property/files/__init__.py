"""Edits, paths and undo."""
