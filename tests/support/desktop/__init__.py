"""Desktops under Xvfb, and programs on them: trays, portals, input methods, other windows."""
