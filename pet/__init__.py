"""Soulpet: a desktop pet whose soul, profile and memory are text files."""

__version__ = "1.0.0"
