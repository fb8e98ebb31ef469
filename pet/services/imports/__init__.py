"""Bringing along what another program knows of the owner, or a whole pet: look through it, carry it out, undo."""
