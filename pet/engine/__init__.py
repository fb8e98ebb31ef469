"""Conversations that live: turns, rounds, the tool loop. No file or network access of its own."""
