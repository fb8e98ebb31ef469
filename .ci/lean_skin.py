"""Skins with their pictures as lossless WebP, which packs them best: each pixel stays, below transparent ones too."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from PIL import Image


def picture(source: Path) -> bytes:
    """Raises OSError for what is no picture."""
    made = BytesIO()
    with Image.open(source) as opened:
        opened.save(made, "WEBP", lossless=True, exact=True, quality=100, method=6)
    return made.getvalue()


def description(text: str) -> str:
    """A ``pet.json`` that names such pictures."""
    return text.replace('.png"', '.webp"')
