"""Readers of skin formats: Codex pets, Shimeji archives, mood sets. Outside input, read within limits."""
