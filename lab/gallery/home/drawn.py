"""What the gallery draws itself: a quiet landscape, as wallpaper and as the picture that was sent."""

from __future__ import annotations

import math

from PIL import Image, ImageDraw

Colour = tuple[int, int, int]

_LIGHT: tuple[Colour, Colour] = (246, 222, 203), (214, 226, 222)
_DARK: tuple[Colour, Colour] = (43, 37, 56), (74, 57, 66)
_RIDGES_LIGHT: tuple[Colour, ...] = ((200, 214, 208), (178, 199, 190), (152, 180, 168))
_RIDGES_DARK: tuple[Colour, ...] = ((62, 50, 64), (50, 43, 58), (38, 35, 49))


def landscape(size: tuple[int, int], *, dark: bool) -> Image.Image:
    """Three ridges before a soft sky."""
    width, height = size
    top, bottom = _DARK if dark else _LIGHT
    sky = Image.new("RGB", (1, height))
    sky.putdata([_between(top, bottom, y / height) for y in range(height)])
    picture = sky.resize(size)
    pen = ImageDraw.Draw(picture)
    radius = height // 16
    x, y = int(width * 0.2), int(height * 0.26)
    sun: Colour = (236, 214, 190) if dark else (255, 242, 226)
    pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=sun)
    for number, colour in enumerate(_RIDGES_DARK if dark else _RIDGES_LIGHT):
        edge = [(x, _ridge(x / width, number, height)) for x in range(0, width + 8, 4)]
        pen.polygon([(0, height), *edge, (width, height)], fill=colour)
    return picture


def _ridge(at: float, number: int, height: int) -> float:
    wave = math.sin(at * 5 + number * 2.1) + 0.5 * math.sin(at * 11 + number) + 0.16 * math.sin(at * 31 + number * 5)
    return height * (0.58 + 0.13 * number - 0.055 * wave)


def _between(one: Colour, other: Colour, share: float) -> Colour:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def dyed(sheet: Image.Image, turn: int) -> Image.Image:
    """The same picture with its warm colours, and no others, turned to others."""
    hue, strength, light = sheet.convert("RGB").convert("HSV").split()
    other = hue.point([(at + turn) % 256 if at < 38 or at > 225 else at for at in range(256)])
    turned = Image.merge("HSV", (other, strength, light)).convert("RGB")
    turned.putalpha(sheet.getchannel("A"))
    return turned
