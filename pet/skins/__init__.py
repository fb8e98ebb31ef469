"""Skins: the pet's pictures (PRODUCT §8.2). Reading, converting, keeping and exporting them; see ``shelf``."""
