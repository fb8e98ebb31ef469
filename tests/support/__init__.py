"""Helpers shared by several tests, by room."""
