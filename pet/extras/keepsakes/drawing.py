"""Pictures and films of the pet with its bubble, drawn apart from its window. From any thread."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from PIL import Image
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPainterPath, QPen, QPolygonF

from pet.body.acts import Act, Step, Timing, steps_of
from pet.desktop.pet_actor import ShownPose
from pet.desktop.pet_pictures import BodyPictures, SheetPictures

FILM_MS = 3_000
_MOST_FRAMES = 40
_SCENE: tuple[Act, ...] = ("wave", "happy", "breath")  # what an idle pet does in a film
_MOST_LINES = 6
_MOST_BARS = 5
_BAR = 34  # characters
_PART = re.compile(r"\n|[^\S\n]+|[\u2e80-\uffef]|[^\s\u2e80-\uffef]+")


def filmed(act: Act, frame: int, timing: Timing) -> list[Step]:
    """Return the steps of a film: its act, or a small scene for an idle pet; a single step at least."""
    scene = [step for each in (_SCENE if act == "idle" else (act,)) for step in steps_of(each, timing)]
    if not scene:
        return [Step(act, frame, FILM_MS)]
    steps: list[Step] = []
    left = FILM_MS
    while left > 0 and len(steps) < _MOST_FRAMES:
        step = scene[len(steps) % len(scene)]
        steps.append(replace(step, ms=min(step.ms, left)))
        left -= step.ms
    return steps


def wrapped_lines(text: str, fits: Callable[[str], bool], most: int = _MOST_LINES) -> list[str]:
    """Break a text into lines, at blanks where there are some; what is beyond the most ends in an ellipsis."""
    lines: list[str] = []
    line = ""

    def begin(first: str) -> None:
        nonlocal line
        lines.append(line.rstrip())
        line = first.lstrip()

    for match in _PART.finditer(text):
        part = match[0]
        if part == "\n":
            begin("")
        elif fits(line + part) or not part.strip():
            line += part
        else:
            if line:
                begin("")
            for letter in part:
                if fits(line + letter) or not line:
                    line += letter
                else:
                    begin(letter)
                if len(lines) > most:
                    break
        if len(lines) > most:
            break
    begin("")
    return [*lines[: most - 1], f"{lines[most - 1]}…"] if len(lines) > most else lines


def bar_count(text: str) -> int:
    """Return the number of bars that represent a text."""
    return min(_MOST_BARS, -(-len(text) // _BAR))


_WIDTH, _HEIGHT = 384, 416
_EDGE, _PADDING, _LINE, _TAIL, _ROUND = 12, 20, 27, 14, 20
_OVERLAP = 44  # pixels of the free room above the pet that the bubble takes


def draw_keepsake(pose: ShownPose, text: str, *, film: bool, words: bool) -> bytes:
    """Return a PNG, or an animated WebP for a ``film``. ``text``: of the bubble, "" for none; drawn as bars without
    ``words``. Raises UnusableSheet."""
    size = (_WIDTH, _HEIGHT)
    worn = SheetPictures(pose.sheet, size) if pose.sheet is not None else BodyPictures(pose.body)
    font = _font()
    room = _WIDTH - 2 * (_EDGE + _PADDING)
    metrics = QFontMetricsF(font)
    lines = wrapped_lines(text, lambda line: metrics.horizontalAdvance(line) <= room) if words and text else []
    count = len(lines) or bar_count(text)
    bubble = _EDGE + 2 * _PADDING + count * _LINE + _TAIL if count else 0
    above = max(0, bubble - _OVERLAP)
    steps = filmed(pose.does, pose.frame, worn.timing) if film else [Step(pose.act, pose.frame, 0)]
    frames = []
    for step in steps:
        picture = QImage(_WIDTH, _HEIGHT + above, QImage.Format.Format_ARGB32_Premultiplied)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.drawImage(0, above, worn.act(step.act, step.frame, pose.wear, size)[1]())
        if bubble:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            _draw_bubble(painter, bubble)
            _draw_bars(painter, count) if not lines else _draw_words(painter, lines, font)
        painter.end()
        frames.append(_pixels(picture))
    return _encoded(frames, [step.ms for step in steps], film=film)


def _font() -> QFont:
    font = QFont(["Nunito", QFont().family()])
    font.setPixelSize(20)
    font.setWeight(QFont.Weight.DemiBold)
    return font


def _draw_bubble(painter: QPainter, height: int) -> None:
    bottom, middle = height - _TAIL, _WIDTH / 2
    path = QPainterPath()
    path.addRoundedRect(QRectF(_EDGE, _EDGE, _WIDTH - 2 * _EDGE, bottom - _EDGE), _ROUND, _ROUND)
    tail = QPainterPath()
    # Drawn from inside, so that both are one shape.
    corners = [(-_TAIL, bottom - 4), (-_TAIL, bottom), (0, height), (_TAIL, bottom), (_TAIL, bottom - 4)]
    tail.addPolygon(QPolygonF([QPointF(middle + x, y) for x, y in corners]))
    tail.closeSubpath()
    painter.setPen(QPen(QColor("#d9cbb8"), 2))
    painter.setBrush(QColor("#fffdf9"))
    painter.drawPath(path.united(tail))


def _draw_bars(painter: QPainter, count: int) -> None:
    """Draw a bar for each line: its owner did not choose the words."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor("#e6dccd"))
    left = top = _EDGE + _PADDING
    for index in range(count):
        width = (_WIDTH - 2 * left) * (0.6 if index == count - 1 else 1)
        painter.drawRoundedRect(QRectF(left, top + index * _LINE + _LINE / 2 - 5, width, 10), 5, 5)


def _draw_words(painter: QPainter, lines: list[str], font: QFont) -> None:
    painter.setPen(QColor("#3b2f25"))
    painter.setFont(font)
    left = top = _EDGE + _PADDING
    align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
    for index, line in enumerate(lines):
        painter.drawText(QRectF(left, top + index * _LINE, _WIDTH, _LINE), align, line)


def _pixels(picture: QImage) -> Image.Image:
    plain = picture.convertToFormat(QImage.Format.Format_RGBA8888)
    return Image.frombytes("RGBA", (plain.width(), plain.height()), bytes(plain.constBits()))


def _encoded(frames: Sequence[Image.Image], times: Sequence[int], *, film: bool) -> bytes:
    out, (first, *rest) = io.BytesIO(), frames
    if film:
        first.save(out, "WEBP", save_all=True, append_images=rest, duration=list(times), loop=0, quality=90)
    else:
        first.save(out, "PNG", optimize=True)
    return out.getvalue()
