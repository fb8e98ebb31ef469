"""Prompts as pure functions of files, access and settings: no I/O, no clock."""
