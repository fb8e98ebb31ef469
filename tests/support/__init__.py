"""What several tests share; each room's docstring says what it is about.

``desktop_pictures`` is a command of its own, named in docs/desktops.md.
"""
