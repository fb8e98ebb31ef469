"""Pictures without a shape of their own, such as a card's portrait, as a skin."""

from __future__ import annotations

import io

from PIL import Image

from pet.extras.skins.sprite_sheet import Clip, is_opaque, make_sheet


def test_an_opaque_picture_gets_round_corners_and_another_keeps_its_shape() -> None:
    portrait = Image.new("RGBA", (192, 208), (200, 40, 90, 255))
    drawn = Image.new("RGBA", (192, 208), (0, 0, 0, 0))
    drawn.paste((10, 20, 30, 255), (0, 0, 40, 40))
    built = make_sheet({"idle": Clip(pictures=(portrait,)), "jumping": Clip(pictures=(drawn,))})
    sheet = Image.open(io.BytesIO(built.sheet)).convert("RGBA")
    face = sheet.crop((0, 0, 192, 208))
    assert not is_opaque(face)
    assert [face.getpixel(at) for at in ((0, 0), (191, 207))] == [(0, 0, 0, 0)] * 2
    assert face.getpixel((96, 104)) == (200, 40, 90, 255)
    leap = sheet.crop((0, 4 * 208, 192, 5 * 208))
    assert leap.getpixel((0, 0)) == (10, 20, 30, 255)
