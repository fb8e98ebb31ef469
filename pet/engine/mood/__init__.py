"""Mood tags in the reply stream, and the pet's current mood."""
