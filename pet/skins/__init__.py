"""Skins, the pet's images: import, conversion, library, download and selection."""
