"""Where a skin's resting frames can be seen, together: what of the pet's window takes clicks."""

from __future__ import annotations

from PIL import Image, ImageChops

from pet.skins.model import Skin

_SHOWN = ("idle", "waiting", "running")
"""The frames that are shown for long; the others pass before a hand gets there."""


def alpha_of(skin: Skin, sheet: Image.Image, size: tuple[int, int]) -> list[bytes]:
    """One byte per pixel, row by row, in a window of this size: the frames laid over each other, standing on the
    window's lower edge as the page draws them."""
    frame = skin.frame
    cells = {cell for name in _SHOWN if (found := skin.animation(name)) for cell in found.frames} | set(skin.looks)
    alpha = sheet.getchannel("A")
    together = Image.new("L", (frame.width, frame.height))
    for cell in sorted(cells):
        left, top = (cell % frame.columns) * frame.width, (cell // frame.columns) * frame.height
        together = ImageChops.lighter(together, alpha.crop((left, top, left + frame.width, top + frame.height)))
    scale = min(size[0] / frame.width, size[1] / frame.height)
    fitted = together.resize((max(1, round(frame.width * scale)), max(1, round(frame.height * scale))))
    window = Image.new("L", size)
    window.paste(fitted, ((size[0] - fitted.width) // 2, size[1] - fitted.height))
    data = window.tobytes()
    return [data[row * size[0] : (row + 1) * size[0]] for row in range(size[1])]
