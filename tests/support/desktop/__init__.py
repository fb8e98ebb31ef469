"""Desktops of our own under Xvfb, and what else is on them: trays, portals, input methods, other programs."""
