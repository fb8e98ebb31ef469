"""Pictures of the pet, drawn by Qt: our own bodies from SVG, other skins from their sheet. From any thread.

Every picture is a ``QImage`` of the whole window in device pixels, the figure in the middle of the lower edge.
"""

from __future__ import annotations

import binascii
import io
import logging
import math
import zlib
from base64 import b64decode
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from pet.body.acts import Act
from pet.body.bodies import drawing_of, is_mirrored, name_of, own_timing, poses_of, things_of
from pet.body.creature import HEIGHT, WIDTH, BodyPose, Wear, looking, pose_drawing
from pet.body.sheets import ROOM, SheetActs
from pet.desktop.geometry import Mask
from pet.skins.model import SHEET_PIXELS

if TYPE_CHECKING:
    from pet.bridge.commands.skins import SkinSheet

_log = logging.getLogger(__name__)

Size = tuple[int, int]
"""Size of the window in device pixels."""
_FORMAT = QImage.Format.Format_ARGB32_Premultiplied
_KEPT_BYTES = 2_000_000
_LEAST_KEPT, _MOST_PACKED = 12, 160
_SHEET_PIXELS = 8_000_000
"""A larger sheet is kept smaller: twice the pixels of a Codex pet's."""
_MASK_SIDE = 400
"""Pixels; the mask of a larger picture is taken from a smaller one."""
_UNCHECKED = -15
"""Deflate without a sum over the pixels, which only this program packs."""


class PetPicture:
    """``name`` tells it from every other picture of its cache."""

    def __init__(self, name: Hashable, image: QImage, mask: Mask | None = None) -> None:
        self.name = name
        self.image = image
        self.known_mask = mask

    @property
    def mask(self) -> Mask:
        """Its opaque part."""
        if self.known_mask is None:
            self.known_mask = mask_of(self.image)
        return self.known_mask


def alpha_of(image: QImage) -> list[bytes]:
    """Return one byte per pixel, row by row."""
    alpha = image.convertToFormat(QImage.Format.Format_Alpha8)
    data, line = bytes(alpha.constBits()), alpha.bytesPerLine()
    return [data[row * line : row * line + alpha.width()] for row in range(alpha.height())]


def mask_of(image: QImage) -> Mask:
    """Return what is opaque in it."""
    cell = max(1, math.ceil(max(image.width(), image.height()) / _MASK_SIDE))
    if cell > 1:
        image = image.scaled(-(-image.width() // cell), -(-image.height() // cell))
    return Mask.of(alpha_of(image), cell)


@dataclass(frozen=True, slots=True)
class _Packed:
    """A picture in a tenth of its memory."""

    pixels: bytes
    size: Size
    mask: Mask | None

    @classmethod
    def of(cls, picture: PetPicture) -> _Packed:
        image = picture.image
        packer = zlib.compressobj(1, wbits=_UNCHECKED)
        pixels = packer.compress(image.constBits()) + packer.flush()
        return cls(pixels, (image.width(), image.height()), picture.known_mask)

    def unpacked(self, name: Hashable) -> PetPicture:
        width, height = self.size
        # at once, not in blocks of doubled size
        pixels = zlib.decompress(self.pixels, _UNCHECKED, bufsize=4 * width * height)
        image = QImage(pixels, width, height, 4 * width, _FORMAT).copy()  # since the bytes are freed
        return PetPicture(name, image, self.mask)


class PictureCache:
    """The most recent pictures, and many more compressed: drawing takes fifty times as long as unpacking."""

    def __init__(self) -> None:
        self._pictures: OrderedDict[Hashable, PetPicture] = OrderedDict()
        self._packed: OrderedDict[Hashable, _Packed] = OrderedDict()

    def __len__(self) -> int:
        return len(self._pictures)

    def get(self, name: Hashable, draw: Callable[[], QImage]) -> PetPicture:
        known = self._pictures.get(name)
        if known is not None:
            self._pictures.move_to_end(name)
            return known
        packed = self._packed.get(name)
        picture = PetPicture(name, draw()) if packed is None else packed.unpacked(name)
        self._pictures[name] = picture
        most = max(_LEAST_KEPT, _KEPT_BYTES // max(1, picture.image.sizeInBytes()))
        while len(self._pictures) > most:
            self._pack(self._pictures.popitem(last=False)[1])
        return picture

    def _pack(self, picture: PetPicture) -> None:
        if picture.name not in self._packed and picture.image.format() == _FORMAT:
            self._packed[picture.name] = _Packed.of(picture)
        if picture.name in self._packed:
            self._packed.move_to_end(picture.name)
        while len(self._packed) > _MOST_PACKED:
            self._packed.popitem(last=False)

    def clear(self) -> None:
        self._pictures.clear()
        self._packed.clear()


def _blank(size: Size) -> QImage:
    image = QImage(QSize(*size), _FORMAT)
    image.fill(Qt.GlobalColor.transparent)
    return image


def _box(size: Size) -> QRectF:
    """Return where a drawing goes in a picture."""
    width, height = size
    scale = min(width / WIDTH, height / HEIGHT)
    across, down = round(WIDTH * scale), round(HEIGHT * scale)
    return QRectF(round((width - across) / 2), height - down, across, down)


def _paint_svg(painter: QPainter, svg: str, size: Size) -> None:
    drawing = QSvgRenderer(QByteArray(svg.encode()))
    if drawing.isValid():
        drawing.render(painter, _box(size))
    else:
        _log.warning("a drawing could not be read")


def draw_svg(svg: str, size: Size, *, mirrored: bool = False) -> QImage:
    """Return a drawing; an empty picture for a damaged one."""
    image = _blank(size)
    painter = QPainter(image)
    if mirrored:
        painter.translate(size[0], 0)
        painter.scale(-1, 1)
    _paint_svg(painter, svg, size)
    painter.end()
    return image


Drawn = tuple[Hashable, Callable[[], QImage]]
"""The picture's name, and a function that draws it."""


class BodyPictures:
    """One of our own bodies; the first for an unknown name."""

    settles = False

    def __init__(self, body: str) -> None:
        self._body = name_of(body)

    def timing(self, act: Act) -> tuple[int, ...] | None:
        times = own_timing(act)
        return None if times is None else tuple(times)

    def act(self, act: Act, frame: int, wear: Wear, size: Size) -> Drawn:
        poses = poses_of(act) or ()
        if frame >= len(poses):
            act, frame, poses = "idle", 0, poses_of("idle") or (BodyPose(),)
        return self._drawn((act, frame), poses[frame], wear, size, is_mirrored(act))

    def gaze(self, direction: int, wear: Wear, size: Size) -> Drawn | None:
        return self._drawn(direction, looking(direction), wear, size, False)

    def _drawn(self, name: Hashable, pose: BodyPose, wear: Wear, size: Size, mirrored: bool) -> Drawn:
        def draw() -> QImage:
            return draw_svg(pose_drawing(drawing_of(self._body), pose, wear), size, mirrored=mirrored)

        return (self._body, name, wear, size), draw


class UnusableSheet(Exception):
    """The sheet's picture can't be read."""


class SheetPictures:
    """A skin of pictures. Raises UnusableSheet."""

    settles = True

    def __init__(self, sheet: SkinSheet, size: Size) -> None:
        self._sheet = sheet
        self._acts = SheetActs(sheet)
        self._fit = 0.0
        self._image, self._cell = QImage(), (1, 1)
        self._fit_to(size)

    def timing(self, act: Act) -> tuple[int, ...] | None:
        times = self._acts.timing(act)
        return None if times is None else tuple(times)

    def act(self, act: Act, frame: int, wear: Wear, size: Size) -> Drawn:
        cell, pose = self._acts.picture(act, frame, bud=wear.bud)
        return self._drawn(cell, pose, wear, size)

    def gaze(self, direction: int, wear: Wear, size: Size) -> Drawn | None:
        cell = self._acts.gaze(direction)
        return None if cell is None else self._drawn(cell, None, wear, size)

    def _drawn(self, cell: int, pose: BodyPose | None, wear: Wear, size: Size) -> Drawn:
        things = things_of(wear)
        moved = pose if pose is not None else BodyPose() if self._acts.still else None
        movement = moved and (moved.x, moved.y, moved.sx, moved.sy, moved.turn, moved.hung)
        return (self._sheet.stamp, cell, movement, things, size), lambda: self._draw(cell, moved, things, size)

    def _draw(self, cell: int, moved: BodyPose | None, things: str, size: Size) -> QImage:
        self._fit_to(size)
        (width, height), (across, down), columns = size, self._cell, self._sheet.columns
        source = QRectF(cell % columns * across, cell // columns * down, across, down)
        fit = min(width / across, height / down)
        target = QRectF((width - across * fit) / 2, height - down * fit, across * fit, down * fit)
        image = _blank(size)
        painter = QPainter(image)
        smooth = not self._sheet.pixelated or fit < 1
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
        if moved is not None:
            _move(painter, moved, ROOM if self._acts.still else 1, size)
        painter.drawImage(target, self._image, source)
        painter.resetTransform()
        if things:
            _paint_svg(painter, things, size)
        painter.end()
        return image

    def _fit_to(self, size: Size) -> None:
        """Decode the sheet for a window of this size, no larger than it needs, unless that is done."""
        sheet = self._sheet
        across, down = sheet.frame_width, sheet.frame_height
        fit = min(1.0, max(size[0] / across, size[1] / down, 1 / across, 1 / down))
        if fit <= self._fit:
            return
        self._fit = fit
        self._image, self._cell = _decoded(sheet, fit)


def _decoded(sheet: SkinSheet, fit: float) -> tuple[QImage, tuple[int, int]]:
    """Return the sheet, smaller by ``fit`` or as much as it must be, and the size of its cells.

    Raises UnusableSheet.
    """
    from PIL import Image  # lazy: only skins of pictures need it

    from pet.untrusted.images import UnsafePicture, open_image

    across, down, columns = sheet.frame_width, sheet.frame_height, sheet.columns
    try:
        data = io.BytesIO(b64decode(sheet.image.partition(",")[2], validate=True))
        with open_image(data, ("WEBP", "PNG"), SHEET_PIXELS) as image:
            rows = image.height // down
            if columns * across > image.width or rows < 1:
                raise UnusableSheet
            fit = min(fit, math.sqrt(_SHEET_PIXELS / (image.width * image.height)))
            whole = image.convert("RGBA")
            cell = max(1, round(across * fit)), max(1, round(down * fit))
            if cell != (across, down):
                small = Image.new("RGBA", (cell[0] * columns, cell[1] * rows))
                for index in range(columns * rows):  # each alone, since scaling mixes neighbours
                    x, y = index % columns, index // columns
                    box = (x * across, y * down, (x + 1) * across, (y + 1) * down)
                    part = whole.resize(cell, Image.Resampling.BOX, box, reducing_gap=2)
                    small.paste(part, (x * cell[0], y * cell[1]))
                whole = small
    except (UnsafePicture, binascii.Error, ValueError):
        raise UnusableSheet from None
    pixels = QImage(whole.tobytes(), whole.width, whole.height, 4 * whole.width, QImage.Format.Format_RGBA8888)
    return pixels.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied), cell


def _move(painter: QPainter, pose: BodyPose, share: float, size: Size) -> None:
    """Draw the figure in a pose, smaller by ``share``."""
    width, height = size
    unit = height / HEIGHT
    painter.translate(width / 2 + pose.x * unit, height + pose.y * unit)
    painter.scale(share, share)
    if pose.hung:
        painter.translate(0, -height)
    painter.rotate(pose.turn)
    if pose.hung:
        painter.translate(0, height)
    painter.scale(pose.sx, pose.sy)
    painter.translate(-width / 2, -height)
