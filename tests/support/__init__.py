"""Helpers shared by several tests, by room.

``desktop_pictures`` is a command, named in docs/desktops.md.
"""
