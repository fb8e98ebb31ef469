"""Skins: the pet's pictures. Reading, converting, keeping and exporting them; see ``library``."""
