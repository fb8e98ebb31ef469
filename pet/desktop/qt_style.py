"""Colours, fonts, signs and the flow layout of our native windows, the same as the pages have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontDatabase, QGuiApplication, QIcon, QPixmap
from PySide6.QtWidgets import QLayout, QLayoutItem

from pet.paths import assets_folder, ui_folder

LETTERS = 14
"""Pixels of a menu's letters."""
_WEIGHT = 420
_CHINESE = ("PingFang SC", "Microsoft YaHei UI", "Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC")
_CODE = ("DejaVu Sans Mono", "Menlo", "Consolas")


@dataclass(frozen=True, slots=True, kw_only=True)
class Colours:
    """Colours of a theme; same values as in the pages' palette.css."""

    name: str
    paper: str
    raised: str
    ink: str
    soft: str
    line: str
    line_strong: str
    chosen: str
    accent: str
    on_accent: str
    code: str
    bad: str
    shadow: int  # its opacity, of 255


LIGHT = Colours(
    name="light",
    paper="#fdf8f1",
    raised="#fffdf9",
    ink="#35241c",
    soft="#6d5548",
    line="#e6d7c7",
    line_strong="#a58872",
    chosen="#fbe4d6",
    accent="#a94a22",
    on_accent="#fffaf5",
    code="#f6ece1",
    bad="#a2262c",
    shadow=56,
)
DARK = Colours(
    name="dark",
    paper="#1d1714",
    raised="#29201b",
    ink="#f5e9de",
    soft="#c6b0a1",
    line="#43352c",
    line_strong="#8f7563",
    chosen="#4a2f22",
    accent="#f2a47b",
    on_accent="#2a160b",
    code="#332821",
    bad="#ff9d95",
    shadow=115,
)


def plain_font(pixels: int = LETTERS) -> QFont:
    """Return the desktop's own font in this size."""
    font = QFont(QGuiApplication.font())
    font.setPixelSize(pixels)
    return font


@cache
def font(pixels: int = LETTERS, *, weight: int = _WEIGHT) -> QFont:
    """Return the pages' font, from a file beside them; Chinese falls back to a system font."""
    made = plain_font(pixels)
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)  # hinted, Chinese looks bold
    families = _families()
    if families:
        made.setFamilies(list(families))
        made.setVariableAxis(QFont.Tag("wght"), weight)
    return made


@cache
def code_font(pixels: int) -> QFont:
    made = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    there = set(QFontDatabase.families())
    made.setFamilies([*(each for each in _CODE if each in there), made.family(), *_families()[1:]])
    made.setPixelSize(pixels)
    return made


@cache
def _families() -> tuple[str, ...]:
    file = ui_folder() / "fonts" / "nunito.woff2"
    known = QFontDatabase.addApplicationFont(str(file)) if file.is_file() else -1
    if known < 0:
        return ()
    # Installed families only: for an unknown one Qt substitutes any weight of any other.
    there = set(QFontDatabase.families())
    return *QFontDatabase.applicationFontFamilies(known), *(family for family in _CHINESE if family in there)


@cache
def sign(name: str, colour: str, side: int, ratio: float = 1.0) -> QIcon:
    """Return a sign of ``assets/menu`` in this colour. ``side``: in pixels; ``ratio``: of these to the window's."""
    drawing = (assets_folder() / "menu" / "signs" / f"{name}.svg").read_text(encoding="utf-8")
    drawing = drawing.replace('width="16" height="16"', f'width="{side}" height="{side}"').replace("#000", colour)
    picture = QPixmap()
    picture.loadFromData(drawing.encode())
    picture.setDevicePixelRatio(ratio)
    return QIcon(picture)


class FlowLayout(QLayout):
    """Widgets side by side, in lines that break where the width ends; from the right in right-to-left text."""

    def __init__(self, gap: int) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self.setSpacing(gap)
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:  # noqa: N802
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:  # noqa: N802
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:  # noqa: N802
        return self.minimumSize()

    def minimumSize(self) -> QSize:  # noqa: N802
        sizes = [item.sizeHint() for item in self._items]
        return QSize(
            max((size.width() for size in sizes), default=0), max((size.height() for size in sizes), default=0)
        )

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        parent = self.parentWidget()
        right_to_left = parent is not None and parent.layoutDirection() == Qt.LayoutDirection.RightToLeft
        x, y, highest = 0, 0, 0
        for item in self._items:
            size = item.sizeHint().boundedTo(QSize(max(rect.width(), 1), 10_000))
            if x and x + size.width() > rect.width():
                x, y, highest = 0, y + highest + self.spacing(), 0
            if move:
                left = rect.right() + 1 - x - size.width() if right_to_left else rect.x() + x
                item.setGeometry(QRect(QPoint(left, rect.y() + y), size))
            x += size.width() + self.spacing()
            highest = max(highest, size.height())
        return y + highest
