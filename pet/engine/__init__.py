"""Conversations that live: turns, rounds, the tool loop (PRODUCT §7). No file or network access of its own."""
