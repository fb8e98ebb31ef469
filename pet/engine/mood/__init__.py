"""Mood tags in the reply stream, and the pet's current mood, which is kept in memory only."""
