"""Skins, the pet's images: import, conversion, library and selection."""
