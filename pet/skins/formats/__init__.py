"""Readers of skin formats: Codex pets, Shimeji archives, mood sets. Untrusted input, read within limits."""
