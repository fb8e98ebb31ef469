"""Removing a text for good: locating every occurrence and rewriting files, history and transcripts."""
